"""Groups, schemas and fragments in an object store that goes silent: others go on, and it is told in time."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import InvalidStore, StorageTimeout
from tests.datasets.make_cf import make_cf
from tests.datasets.make_cxg import make_cxg, make_truth

PATIENT = {"connect_timeout": 5, "read_timeout": 20, "max_attempts": 1}
IMPATIENT = {"connect_timeout": 0.2, "read_timeout": 1, "max_attempts": 1}


@pytest.fixture(scope="module")
def uris(tmp_path_factory, object_store):
    """A dataspace, one of cells, a SOMA experiment and a CXG, in a bucket."""
    folder = tmp_path_factory.mktemp("stores")
    make_cf(folder / "grid", "xarray")
    make_cf(folder / "cells", "sparse")
    make_cxg(folder / "dense", make_truth(), "dense")
    tiledb.Group.create(str(folder / "soma"))
    with tiledb.Group(str(folder / "soma"), "w") as group:
        group.meta["soma_object_type"] = "SOMAExperiment"
    return {path.name: object_store.put(path, f"silent/{path.name}") for path in folder.iterdir()}


@pytest.fixture
def opened(uris, object_store):
    def open_(name, **more):
        return open_dataset(uris[name], storage_options={**object_store.storage_options, **more})

    return open_


@pytest.mark.parametrize("at", ["grid/__group/", "grid/__meta/", "grid/temperature/__schema/"])
def test_others_go_on_while_the_server_is_silent_about_a_group(opened, object_store, at):
    """Held by TileDB, Python's lock would not let this thread end the stall, and opening would run out of time."""
    with ThreadPoolExecutor(1) as pool:
        with object_store.failing("stall", at=at):
            opening = pool.submit(opened, "grid", **PATIENT)
            object_store.wait_until_stalled()
            assert not opening.done()
        with opening.result() as dataset:
            assert dataset.title == "toy"


def test_others_go_on_while_the_server_is_silent_about_what_a_group_is(opened, object_store):
    with ThreadPoolExecutor(1) as pool:
        with object_store.failing("stall", at="soma/__meta/"):
            opening = pool.submit(opened, "soma", **PATIENT)
            object_store.wait_until_stalled()
            assert not opening.done()
        with pytest.raises(InvalidStore, match="obs is missing"):
            opening.result()


@pytest.mark.parametrize(
    ("name", "at", "read"),
    [
        ("grid", "/temperature/__fragments/", lambda dataset: dataset.obs(["temperature"])),
        ("cells", "/__fragments/", lambda dataset: dataset.embedding()),
        ("dense", "/X/__schema/", lambda dataset: dataset.details),
        ("dense", "/X/__schema/", lambda dataset: dataset.vector(dataset.var_labels[0])),
    ],
)
def test_others_go_on_while_the_server_is_silent_about_an_array(opened, object_store, name, at, read):
    with opened(name, **PATIENT) as dataset, ThreadPoolExecutor(1) as pool:
        with object_store.failing("stall", at=at):
            reading = pool.submit(read, dataset)
            object_store.wait_until_stalled()
            assert not reading.done()
        reading.result()


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("grid", "grid/__group/"),
        ("grid", "grid/__meta/"),
        ("soma", "soma/__meta/"),
        ("cells", "/__fragments/"),
    ],
)
def test_silence_about_a_group_is_told_as_any_other(opened, object_store, name, at):
    with (
        object_store.failing("stall", at=at),
        pytest.raises(StorageTimeout, match=r"took too long|no answer") as caught,
    ):
        opened(name, **IMPATIENT)
    assert isinstance(caught.value, TimeoutError)
    if name != "soma":
        opened(name).close()


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is not signal.default_int_handler,
    reason="SIGINT is ignored here, as of a job in the background; TileDB ends a process that ignores it and gets one",
)
@pytest.mark.parametrize("at", ["grid/__group/", "grid/__meta/"])
def test_waiting_for_a_group_can_be_interrupted(opened, object_store, at):
    interrupted = threading.Event()

    def interrupt():
        object_store.wait_until_stalled()
        interrupted.set()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with object_store.failing("stall", at=at):
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            opened("grid", **PATIENT)
    assert interrupted.is_set()
    opened("grid").close()
