"""An object store that answers "slow down" to reads of values: it is told in time, and a busy one is waited for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.tiledb_access import arrays, contexts, timeouts
from cxg_widget.datasets.tiledb_access.timeouts import unless_refused
from cxg_widget.errors import StorageTimeout, StorageUnavailable
from tests.datasets.make_cf import make_cf
from tests.datasets.make_cxg import make_cxg, make_truth

ONCE = {"max_attempts": 1}
CXG_READS = {
    "numbers": lambda dataset: dataset.obs(["score"]),
    "rows": lambda dataset: dataset.obs(["score"], rows=[3, 5]),
    "text": lambda dataset: dataset.values_block(dataset.obs_index, 0, 5),
    "embedding": lambda dataset: dataset.embedding(),
    "gene": lambda dataset: dataset.vector(dataset.var_labels[0]),
}
GRID_READS = {
    "values": lambda dataset: dataset.obs(["temperature"]),
    "coordinates": lambda dataset: dataset.embedding(),
}
CELLS_READS = {
    "values": lambda dataset: dataset.obs(["temperature"]),
    "block": lambda dataset: dataset.values_block("temperature", 0, 3),
    "rows": lambda dataset: dataset.obs(["temperature"], rows=[1, 2]),
}
READS = {"columns": CXG_READS, "dense": CXG_READS, "xarray": GRID_READS, "sparse": CELLS_READS}
_TRIES = 8


@pytest.mark.usefixtures("soon")
def test_a_server_that_says_slow_down_to_reads_is_given_up_in_time(tmp_path, object_store, monkeypatch):
    with ExitStack() as stack:
        opened = {kind: stack.enter_context(_opened(tmp_path, object_store, kind)) for kind in READS}
        # What says "slow down" may take long to say so, on a busy machine; what waits spins, and makes it busy.
        monkeypatch.setattr(arrays, "timeout_s", lambda _: 1.0)
        reads = {
            (kind, name): partial(read, opened[kind]) for kind, reads in READS.items() for name, read in reads.items()
        }
        overloaded: set[str] = set()
        refused: set[tuple[str, str]] = set()
        for _ in range(_TRIES):  # "503" without a reason, which some requests get, is no "slow down"
            found = _errors_while_busy(object_store, reads)
            errors = {key: error for key, error in found.items() if error is not None}
            refused |= errors.keys()
            assert refused == reads.keys()  # what was given up may end behind the scenes, and is at hand the next time
            assert {key: repr(error) for key, error in errors.items() if not isinstance(error, _REFUSED)} == {}
            assert max(len(str(error)) for error in errors.values()) < 400
            assert len(object_store.requests()) < 40 * len(reads)  # TileDB alone asks a hundred times for each file
            for (kind, _), error in errors.items():
                if isinstance(error, StorageTimeout) and "overloaded" in str(error):
                    overloaded.add(kind)
            if overloaded == READS.keys():
                break
        assert overloaded == READS.keys()
        for read in reads.values():
            read()


_REFUSED = (StorageTimeout, StorageUnavailable)


def _opened(folder, object_store, kind):
    """Open a store of a kind in the bucket; of a CXG, its matrix as well."""
    path = folder / kind
    make_cxg(path, make_truth(), kind) if READS[kind] is CXG_READS else make_cf(path, kind)
    uri = object_store.put(path, f"busy/{kind}")
    dataset = open_dataset(uri, storage_options={**object_store.storage_options, **ONCE})
    if READS[kind] is CXG_READS:
        dataset.find_var(dataset.var_labels[0])
        dataset._matrix._look()
    return dataset


def _errors_while_busy(object_store, reads):
    object_store.requests()
    with object_store.failing("503", at="/a"), ThreadPoolExecutor(len(reads)) as pool:
        tries = {key: pool.submit(read) for key, read in reads.items()}
        return {key: found.exception() for key, found in tries.items()}


@pytest.mark.usefixtures("soon")
def test_a_read_that_is_told_to_slow_down_a_few_times_succeeds(tmp_path, object_store):
    truth = make_truth()
    uri = object_store.put(make_cxg(tmp_path / "store", truth), "busy/passing")
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        expected = truth.obs["score"].to_numpy()
        with object_store.failing("503", at="/a", times=2):
            found = dataset.obs(["score"])["score"].to_numpy()
    np.testing.assert_array_equal(found, expected)


class Clock:
    """Time that passes by a look for each second, and a call that ends after some of them."""

    def __init__(self, monkeypatch, refused_at):
        self.now, self.refused_at = 0.0, refused_at
        clock = self

        class Call:
            outcome = "what was read"

            def __init__(self, call):
                self.end = call

            def start(self):
                pass

            def join(self, seconds):
                clock.now += seconds

            def is_alive(self):
                return clock.now < self.end

        monkeypatch.setattr(timeouts, "Call", Call)
        monkeypatch.setattr(timeouts.time, "monotonic", lambda: self.now)

    def refusals(self):
        return sum(at <= self.now for at in self.refused_at)


@pytest.mark.parametrize(
    ("refused_at", "end", "given_up"),
    [
        ([], 1_000, None),
        (range(0, 1_000, 2), 1_000, 50),
        (range(0, 1_000, 2), 40, None),
        (range(300, 1_000, 3), 1_000, 350),
        (range(0, 1_000, 30), 1_000, None),
    ],
    ids=["never", "always", "until it ends", "after a while", "now and then"],
)
def test_a_call_is_given_up_when_it_is_refused_without_a_pause(monkeypatch, refused_at, end, given_up):
    clock = Clock(monkeypatch, refused_at)
    if given_up is None:
        assert unless_refused(end, clock.refusals, 50.0) == "what was read"
        assert clock.now >= end
    else:
        with pytest.raises(TimeoutError):
            unless_refused(end, clock.refusals, 50.0)
        assert given_up <= clock.now <= given_up + 5


def test_reads_end_within_a_minute_by_default():
    seconds = contexts.timeout_s(contexts.make_context("s3://bucket/store"))
    assert seconds + 2 * timeouts._LOOK_S < 60
