"""Laws of closing: nothing of a widget is left, whatever it showed and whoever still holds it."""

import gc
import os
import subprocess
import sys
import threading
import weakref
from concurrent.futures import wait
from pathlib import Path

import numpy as np
import pytest
from comm import get_comm_manager
from ipywidgets.widgets.widget import _instances

from cxg_widget import CxgWidget, errors
from cxg_widget.cells import local
from cxg_widget.datasets.cxg.dataset import CxgDataset
from cxg_widget.draw.aggregate.warming import warm_up
from cxg_widget.wire.protocol import VERSION
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.memory import small
from tests.open_files import n_open_files

TASKS, MAPS = Path("/proc/self/task"), Path("/proc/self/maps")
linux = pytest.mark.skipif(not TASKS.is_dir(), reason="threads and mapped files are counted in Linux's /proc")
LOOKS = [{}, {"render": "raster", "color": "cell_type"}, {"max_points": 500, "embedding": "pca", "color": "GENE1"}]
VIEW = {"view": [-1.0, 1.0, -1.0, 1.0]}
REQUESTS = [
    {"kind": "ready", "version": VERSION},
    {"kind": "begun"},
    {"kind": "hover", "x": 0.0, "y": 0.0, "radius_x": 1.0, "radius_y": 1.0},
    {"kind": "search", "query": "g", "limit": 5},
    {"kind": "zoom", **VIEW},
    {"kind": "aggregate", **VIEW, "width": 40, "height": 30, "diameter": 2.0, "hidden": [], "highlighted": -1,
     "dark": False, "density": "log", "statistic": "mean"},
    {"kind": "lasso", "polygon": [-9.0, -9.0, 9.0, -9.0, 9.0, 9.0], "mode": "add"},
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def all_else_left_out():
    """Let the many collections here look at what tests before left no more; no widget is among it."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return str(make_cxg(tmp_path_factory.mktemp("closing") / "s.cxg", make_truth(2000, 6), "columns"))


def use(widget):
    """Draw, color, select, hover, search and save a picture, and wait until all of that is done."""
    for request in REQUESTS:
        widget._handle_custom_msg({"id": 1, **request}, [])
    settle(widget)  # a lasso that has to wait would be overtaken
    widget.select(polygon=[(-9, -9), (9, -9), (0, 0)])
    widget._repr_mimebundle_()
    settle(widget)


def settle(widget):
    wait([future for future in widget._exchange.jobs._waiting.values() if not future.cancelled()])


def close(widget):
    """Close a widget and wait for the end of its threads."""
    jobs = widget._exchange.jobs
    threads = jobs.threads
    widget.close()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    gc.collect()


def n_tasks():
    return len(list(TASKS.iterdir()))


def comes_true(condition):
    """Collect again and again while threads that were told to end are ending."""
    pause = threading.Event()
    for _ in range(400):
        gc.collect()
        if condition():
            return True
        pause.wait(0.05)
    return False


@pytest.mark.parametrize(("used", "settings"), [(False, LOOKS[0]), *((True, one) for one in LOOKS)])
def test_nothing_of_a_closed_widget_is_left(store, used, settings):
    registered, comms = len(_instances), len(get_comm_manager().comms)
    w, told = CxgWidget(store, **settings), []
    w.on_selection(told.append)
    if used:
        use(w)
    assert len(told) == 2 * used
    del told
    held = [weakref.ref(one) for one in (w, w.dataset, w._session, w._session.loader, w._exchange, w.layout)]
    close(w)
    del w
    gc.collect()
    assert [ref() for ref in held] == [None] * len(held)
    assert (len(_instances), len(get_comm_manager().comms)) == (registered, comms)


@linux
@pytest.mark.parametrize("settings", LOOKS)
def test_a_closed_widget_that_a_notebook_still_holds_has_no_threads_and_no_open_files(store, settings):
    warm_up().join()
    use(first := CxgWidget(store, **settings))
    close(first)
    before, files = n_tasks(), n_open_files()
    use(second := CxgWidget(store, **settings))
    close(second)
    assert comes_true(lambda: n_tasks() <= before)
    assert n_open_files() == files
    assert len(first.selection) == len(second.selection) > 0


@linux
def test_the_threads_of_a_thousandth_widget_are_those_of_the_first(store):
    warm_up().join()
    close(CxgWidget(store))
    before, alive = n_tasks(), []
    for number in range(40):
        w = CxgWidget(store, **LOOKS[number % len(LOOKS)])
        alive.append(weakref.ref(w))
        w.close()
        del w
    assert comes_true(lambda: n_tasks() <= before)
    assert comes_true(lambda: not any(ref() is not None for ref in alive))


@linux
def test_the_index_on_disk_is_no_longer_mapped(store, monkeypatch, tmp_path):
    monkeypatch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(local, "_KEPT_FROM", 0)
    for mapped in (False, True):  # at first it is built and kept, then it is loaded
        use(w := CxgWidget(store, render="raster"))
        assert (".cxgindex" in MAPS.read_text()) == mapped
        close(w)
        assert ".cxgindex" not in MAPS.read_text()


@pytest.mark.parametrize(
    "bad", [{"color": "no gene"}, {"embedding": "none"}, {"opacity": 7}, {"color": "cell_type", "hidden": ["none"]}]
)
def test_nothing_is_left_of_a_widget_that_could_not_be_made(store, bad):
    registered = len(_instances)
    with pytest.raises(errors.CxgWidgetError):
        CxgWidget(store, **bad)
    assert comes_true(lambda: not [one for one in gc.get_objects() if type(one) is CxgDataset and one.uri == store])
    assert len(_instances) == registered


def test_a_dataset_that_was_given_holds_nothing_of_a_closed_widget():
    data = small()
    w = CxgWidget(data, color="cell_type")
    use(w)
    held = [weakref.ref(one) for one in (w, w._session, w._session.loader)]
    close(w)
    del w
    gc.collect()
    assert [ref() for ref in held] == [None] * 3
    assert not data.closed
    assert np.isfinite(data.embedding()).all()


@pytest.mark.slow
@pytest.mark.parametrize("hot", [False, True])
def test_the_bundle_is_watched_only_where_it_is_to_be_reloaded(hot):
    code = "from cxg_widget import CxgWidget as W; print(type(W._esm).__name__, len(str(W._esm)) > 50_000)"
    env = {**os.environ, "ANYWIDGET_HMR": str(int(hot))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.split() == ["FileContents" if hot else "str", "True"]
    assert done.stderr == ""


ENDS_DURING_WARM_UP = """
import atexit, concurrent.futures.thread as futures, threading
from cxg_widget.draw.aggregate import warming

def as_the_process_ends(*args, _aggregate=warming.aggregate, **options):
    while not futures._shutdown:  # what Python sets first of all when it ends
        pause.wait(0.001)
    return _aggregate(*args, **options)

pause, warming.aggregate = threading.Event(), as_the_process_ends
thread = warming.warm_up()
atexit.register(lambda: (thread.join(60), print("ended", not thread.is_alive())))
"""


@pytest.mark.slow
def test_a_process_that_ends_during_warm_up_says_nothing_of_it():
    done = subprocess.run([sys.executable, "-c", ENDS_DURING_WARM_UP], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("ended True\n", "")
