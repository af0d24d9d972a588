"""Which client is meant; and what happens when workers die, the client is closed, or a newer request comes."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from cxg_widget.cells.cluster import ClusterCells, Source, find_client
from cxg_widget.cells.cluster.waiting import Waiting, must_be_anew
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import Coloring
from cxg_widget.errors import ClusterLost, DamagedStore, InvalidOption, Overtaken, StorageTimeout
from tests.cluster.conftest import N_OBS, n_open, shown_by, start_client, stop_client
from tests.datasets.make_cxg import make_cxg

VIEW = (-4.0, 4.0, -4.0, 4.0)


@pytest.fixture(scope="module")
def path(tmp_path_factory, truth):
    return str(make_cxg(tmp_path_factory.mktemp("loss") / "s.cxg", truth))


def test_a_client_is_found_by_itself_or_as_the_current_one(client):
    assert find_client(client) is client
    assert find_client(None) is find_client(False) is None
    with client.as_current():
        assert find_client(True) is client
    with pytest.raises(InvalidOption, match="no current Dask client"):
        find_client(True)
    with pytest.raises(InvalidOption, match="must be a dask"):
        find_client("tcp://127.0.0.1:8786")


def test_a_context_cannot_be_sent_but_its_settings_can(path):
    import tiledb

    with pytest.raises(InvalidOption, match="cannot be sent to Dask workers"):
        Source.of(path, ctx=tiledb.Ctx())
    assert Source.of(path, config=tiledb.Config({"vfs.s3.region": "a"})).options["config"]["vfs.s3.region"] == "a"


def test_the_newest_request_wins(client):
    from distributed import Event

    waiting = Waiting(client, 60)
    outcome: list[object] = []
    held = Event("held", client=client)

    def ask(function, given) -> None:
        try:
            outcome.append(waiting.newest("slot", lambda: client.submit(function, given, pure=False)))
        except Exception as error:
            outcome.append(error)

    older = threading.Thread(target=ask, args=(_wait_for, "held"))
    older.start()
    time.sleep(0.3)
    ask(_nap, 0.01)  # would never return, if it waited for the older one
    assert not held.is_set()
    held.set()
    older.join(30)
    assert outcome.count(0.01) == 1
    assert [type(one) for one in outcome if one != 0.01] == [Overtaken]


def _wait_for(name: str) -> bool:
    from distributed import Event

    return Event(name).wait(50)


def _nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


@pytest.fixture
def mending(mortal):
    """A cluster that is whole again after each test; a worker that died has been replaced."""
    mortal.wait_for_workers(2, timeout=60)
    return mortal


def test_a_worker_that_dies_is_replaced_and_the_field_answers_as_before(mending, path):
    field = ClusterCells(mending, Source.of(path), N_OBS, rows_per_partition=700)
    coloring = field.summary(Target("obs", "cell_type"))
    shown = shown_by(coloring, np.full((len(coloring.labels), 3), 9, dtype=np.uint8))
    before = field.image(shown, VIEW, (20, 20), 1)
    next(iter(mending.cluster.workers.values())).process.process._process.kill()
    after = field.image(shown, VIEW, (20, 20), 1)
    np.testing.assert_array_equal(after.totals, before.totals)
    assert field.count(VIEW) == before.counts.sum()
    field.close()


def test_after_a_restart_of_the_client_the_field_answers_as_before(mending, path):
    field = ClusterCells(mending, Source.of(path), N_OBS, rows_per_partition=1500)
    coloring = field.summary(Target("obs", "cell_type"))
    shown = shown_by(coloring, np.full((len(coloring.labels), 3), 9, dtype=np.uint8))
    shown = replace(shown, mask=np.arange(N_OBS) % 3 == 0)

    def ask():
        planes = field.image(shown, VIEW, (20, 20), 1).totals
        corners = np.array([[-1, -1], [1, -1], [0, 1]])
        return planes, field.polygon_mask(corners), field.nearest(0.1, 0.2, 1.0, shown), field.count(VIEW)

    before = ask()
    mending.restart()
    for one, other in zip(ask(), before, strict=True):
        np.testing.assert_array_equal(one, other)
    field.close()


@pytest.fixture
def ending():
    """A cluster of one worker, to be ended."""
    client = start_client(1)
    yield client
    stop_client(client)


def test_a_cluster_without_workers_and_a_closed_client_are_reported(ending, path):
    field = ClusterCells(ending, Source.of(path), N_OBS, rows_per_partition=1500, patience_s=1)
    n_inside = field.count(VIEW)
    ending.cluster.scale(0)
    while ending.ncores():
        time.sleep(0.05)
    with pytest.raises(ClusterLost, match="no worker for 1 s") as caught:
        field.count(VIEW)
    assert isinstance(caught.value, ConnectionError)
    ending.cluster.scale(1)
    ending.wait_for_workers(1, timeout=60)
    assert field.count(VIEW) == n_inside
    closing = threading.Thread(target=lambda: (time.sleep(0.3), ending.close()))
    closing.start()
    with pytest.raises(ClusterLost):
        field._parts.waiting.result(ending.submit(_nap, 20, pure=False))
    closing.join()
    with pytest.raises(ClusterLost, match="closed"):
        field.image(shown_by(Coloring(Target("none"))), VIEW, (4, 4), 1)
    with pytest.raises(ClusterLost):
        find_client(ending)
    field.close()


def test_a_worker_that_hangs_does_not_hold_up_letting_go(mending, path):
    field = ClusterCells(mending, Source.of(path), N_OBS, rows_per_partition=700)
    hung, _ = mending.run(os.getpid).values()
    os.kill(hung, signal.SIGSTOP)
    try:
        closing = threading.Thread(target=field.close, daemon=True)
        closing.start()
        closing.join(30)
        assert not closing.is_alive()
    finally:
        os.kill(hung, signal.SIGCONT)
    while any(mending.run(n_open).values()):  # both have heard of it, the one that hung as well
        time.sleep(0.05)


def _die_over_loading():
    from cxg_widget.spatial import SpatialIndex

    SpatialIndex.build = lambda *_, **__: os._exit(1)
    return os.getpid()


def wait_for_others_than(client, addresses):
    """Until other workers are in the places of these, and what was lost with these is there again or given up."""
    while set(client.scheduler_info(n_workers=-1)["workers"]) & set(addresses) or len(client.ncores()) < 2:
        time.sleep(0.05)
    scheduler = client.cluster.scheduler
    while {task.state for task in tuple(scheduler.tasks.values())} - {"memory", "erred", "released", "forgotten"}:
        time.sleep(0.05)


def test_partitions_of_dead_workers_are_loaded_again_at_the_next_request(mending, path, monkeypatch):
    monkeypatch.setattr(mending.cluster.scheduler, "allowed_failures", 0)
    field = ClusterCells(mending, Source.of(path), N_OBS, rows_per_partition=700)
    coloring = field.summary(Target("obs", "cell_type"))
    shown = shown_by(coloring, np.full((len(coloring.labels), 3), 9, dtype=np.uint8))
    shown = replace(shown, mask=np.arange(N_OBS) % 3 == 0)
    corners = np.array([[-1, -1], [1, -1], [0, 1]])

    def ask():
        planes = field.image(shown, VIEW, (20, 20), 1)
        return planes.totals, field.polygon_mask(corners)

    before = ask()
    assert all(mending.has_what().values())
    pids = mending.run(os.getpid)
    dying, other = pids
    mending.run(_die_over_loading, workers=[other])
    os.kill(pids[dying], signal.SIGKILL)  # the other one then loads what this one held
    wait_for_others_than(mending, pids)
    assert "error" in {part.status for part in field._parts.held}

    pids = mending.run(_die_over_loading)
    with pytest.raises(ClusterLost, match=r"died over this.*more memory\.$"):
        ask()
    for pid in pids.values():
        with suppress(ProcessLookupError):  # who did not load has not died
            os.kill(pid, signal.SIGKILL)
    wait_for_others_than(mending, pids)
    for one, other in zip(ask(), before, strict=True):
        np.testing.assert_array_equal(one, other)
    field.close()


def _fail(error):
    raise error


@pytest.mark.parametrize(
    ("error", "expected"),
    [(MemoryError(), True), (StorageTimeout("slow"), True), (DamagedStore("torn"), False), (None, False)],
)
def test_only_errors_that_may_pass_are_retried(client, error, expected):
    future = client.submit(_nap, 0, pure=False) if error is None else client.submit(_fail, error, pure=False)
    future.exception()  # waits
    assert must_be_anew(future) is expected
