"""Laws of lassos drawn before the cells have been read: nothing is held up, none is lost, the newest wins."""

import asyncio
import threading

import numpy as np
import pytest

from cxg_widget import CxgWidget
from tests.memory import small
from tests.unit.test_widget import Recorder


class Gate:
    """Holds back what is read until it is opened; 10 s at most, so that what waits in the wrong thread still ends."""

    def __init__(self, dataset, name):
        self._event = threading.Event()
        read = getattr(dataset, name)

        def held_back(*args, **more):
            self._event.wait(10)
            return read(*args, **more)

        setattr(dataset, name, held_back)

    def open(self):
        self._event.set()


def box(x0, x1, y0=-99.0, y1=99.0):
    return [x0, y0, x1, y0, x1, y1, x0, y1]


LASSOS = [(box(-99, 0), "replace"), (box(0.5, 99), "add"), (box(-99, 99, 1, 99), "subtract"), (box(2, 99), "add")]


def expected_of(xy, lassos):
    mask = np.zeros(len(xy), dtype=bool)
    for (x0, y0, x1, _, _, y1, *_), mode in lassos:
        inside = (xy > (x0, y0)).all(axis=1) & (xy < (x1, y1)).all(axis=1)
        mask = {"replace": inside, "add": mask | inside, "subtract": mask & ~inside}[mode]
    return mask


def recorded(dataset, monkeypatch, **options):
    widget = CxgWidget(dataset, **options)
    widget.front = Recorder(widget, monkeypatch)
    return widget


@pytest.fixture
def waiting(monkeypatch):
    """A widget whose coordinates have not been read, and what lets them be read."""
    data = small()
    gate = Gate(data, "_read_embedding")
    widget = recorded(data, monkeypatch)
    yield widget, gate
    gate.open()
    widget.front.settle()
    widget.close()


def lasso(widget, polygon, mode, request_id):
    widget._handle_custom_msg({"id": request_id, "kind": "lasso", "polygon": polygon, "mode": mode}, [])


def test_lassos_before_the_cells_are_read_hold_nothing_up_and_all_count_in_their_order(waiting):
    w, gate = waiting
    w.select([1, 2, 3])
    for i, (polygon, mode) in enumerate(LASSOS):
        lasso(w, polygon, mode, i + 1)
    assert w.selection.rows.tolist() == [1, 2, 3]
    gate.open()
    ids = [content["id"] for content, _ in w.front.settle().sent if content["kind"] == "selection"]
    assert ids == [0, 1, 2, 3, 4]
    expected = expected_of(w.dataset._xy["umap"][:, :2], LASSOS)
    np.testing.assert_array_equal(w.selection.mask, expected)
    assert w.n_selected == expected.sum()


def test_a_lasso_before_the_color_is_read_holds_nothing_up(monkeypatch):
    data = small()
    w = recorded(data, monkeypatch, render="raster")
    w.front.settle()
    gate = Gate(data, "_read_vector")
    w.set_state({"color": "var:CD3E"})
    lasso(w, *LASSOS[0], 1)
    assert len(w.selection) == 0
    gate.open()
    w.front.settle()
    np.testing.assert_array_equal(w.selection.mask, expected_of(data._xy["umap"][:, :2], LASSOS[:1]))
    w.close()


def overtaken(widget):
    sent = widget.front.settle().sent
    return [content["id"] for content, _ in sent if content["kind"] == "error" and content["type"] == "Overtaken"]


def test_a_lasso_that_replaces_takes_the_place_of_those_that_still_wait(waiting):
    w, gate = waiting
    for i, (polygon, mode) in enumerate([*LASSOS, *LASSOS[:2]]):
        lasso(w, polygon, mode, i + 1)
    gate.open()
    assert overtaken(w) == [1, 2, 3, 4]
    np.testing.assert_array_equal(w.selection.mask, expected_of(w.dataset._xy["umap"][:, :2], LASSOS[:2]))


@pytest.mark.parametrize("how", ["clear", "clear_selection", "select"])
def test_what_replaces_the_selection_counts_at_once_and_ends_lassos_that_wait(waiting, how):
    w, gate = waiting
    lasso(w, *LASSOS[1], 1)
    if how == "clear":
        w._handle_custom_msg({"id": 2, "kind": "clear"}, [])
    elif how == "select":
        w.select([4])
    else:
        w.clear_selection()
    gate.open()
    assert overtaken(w) == [1]
    assert w.selection.rows.tolist() == ([4] if how == "select" else [])


def test_what_python_adds_is_added_to_lassos_that_wait(waiting):
    w, gate = waiting
    lasso(w, *LASSOS[0], 1)
    threading.Timer(0.2, gate.open).start()
    w.select(np.ones(w.dataset.n_obs, dtype=bool), "subtract")
    w.front.settle()
    assert len(w.selection) == 0


def test_a_lasso_of_cells_that_are_no_longer_on_show_selects_nothing(waiting):
    w, gate = waiting
    lasso(w, *LASSOS[1], 1)
    w.set_state({"embedding": "pca"})
    gate.open()
    assert overtaken(w) == [1]
    assert len(w.selection) == 0


def test_who_observes_the_selection_is_told_in_the_loop_of_the_kernel(waiting):
    w, gate = waiting
    heard = []
    w.on_selection(lambda cells: heard.append((len(cells), w.n_selected, threading.current_thread())))

    async def kernel():
        lasso(w, *LASSOS[0], 1)
        gate.open()
        while not heard:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(kernel(), 20))
    n = int(expected_of(w.dataset._xy["umap"][:, :2], LASSOS[:1]).sum())
    assert heard == [(n, n, threading.main_thread())]
