"""Laws of giving up: work that lasts ends, who waits is told, and what is on show stays what can be seen."""

import threading

import pytest

from cxg_widget import CxgWidget
from cxg_widget.compute.pending import Pending
from cxg_widget.display.settings import Settings
from cxg_widget.errors import Overtaken
from cxg_widget.session.session import Session
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire import protocol as p
from tests.memory import small
from tests.unit.test_early_lassos import Gate, box, lasso, overtaken
from tests.unit.test_widget import Recorder

N_OBS = 2_000
ALL = {"view": [-99.0, 99.0, -99.0, 99.0], "width": 40, "height": 40, "diameter": 1.0, "highlighted": -1, "dark": False}


def recorded(monkeypatch, dataset, **options):
    widget = CxgWidget(dataset, **options)
    widget.front = Recorder(widget, monkeypatch)
    return widget


def ask(widget, request_id, **request):
    widget._handle_custom_msg({"id": request_id, **request}, [])


def answers(widget, request_id):
    return [content for content, _ in widget.front.sent if content["id"] == request_id]


def told(widget, of):
    return [
        content["done"] for content, _ in widget.front.sent if content["kind"] == "progress" and content["of"] == of
    ]


class SlowIndex:
    """Holds back each index that is being built until it is let, and counts them."""

    def __init__(self, monkeypatch):
        self.begun, self.go_on, self.n_begun, self.n_built = threading.Event(), threading.Event(), 0, 0
        build = SpatialIndex.build

        def slow(xy, **more):
            if len(xy) != N_OBS:  # one that loops are compiled with
                return build(xy, **more)
            self.n_begun += 1
            self.begun.set()
            assert self.go_on.wait(10)
            index = build(xy, **more)
            self.n_built += 1
            return index

        monkeypatch.setattr(SpatialIndex, "build", slow)


def test_an_index_that_is_being_built_is_given_up_and_built_when_it_is_asked_for_again(monkeypatch):
    slow = SlowIndex(monkeypatch)
    monkeypatch.setattr(Session, "prepare_index", lambda session: None)
    w = recorded(monkeypatch, small(N_OBS), render="raster", color=None)
    ask(w, 1, kind="aggregate", **ALL)
    assert slow.begun.wait(10)
    ask(w, 2, kind="cancel", of="aggregate")
    w._exchange.jobs.finish(("aggregate", 0))
    assert [(one["kind"], one["type"]) for one in answers(w, 1)] == [("error", "Overtaken")]
    ask(w, 3, kind="aggregate", **ALL)  # while the one that was given up has not yet heard of it
    slow.go_on.set()
    w._exchange.jobs.finish(("aggregate", 0))
    assert answers(w, 2) == []
    assert [one["kind"] for one in answers(w, 3)] == ["image"]
    assert (slow.n_begun, slow.n_built) == (2, 1)
    assert told(w, "index")[-1] == 1
    w.close()


def test_an_index_that_several_wait_for_is_given_up_for_all_of_them(monkeypatch):
    slow, waits = SlowIndex(monkeypatch), [threading.Event(), threading.Event()]
    result, free = Pending.result, iter(waits)

    def joined(pending, key, work, is_overtaken):
        mine = next(free)

        def looks():
            mine.set()
            return is_overtaken()

        return result(pending, key, work, looks)

    monkeypatch.setattr(Pending, "result", joined)
    one, ended = Session(small(N_OBS), Settings(embedding="umap", render="raster")), []

    def work(act):
        with pytest.raises(Overtaken):
            act()
        ended.append(act)

    acts = [one.prepare_index, lambda: list(one.answer(p.Aggregate(**ALL)))]
    threads = [threading.Thread(target=work, args=(act,)) for act in acts]
    for thread in threads:
        thread.start()
    assert all(one.wait(10) for one in [slow.begun, *waits])
    list(one.answer(p.Cancel("aggregate")))
    slow.go_on.set()
    for thread in threads:
        thread.join(10)
    assert (len(ended), slow.n_begun, slow.n_built) == (2, 1, 0)


@pytest.fixture
def slow_gene(monkeypatch):
    """A widget colored by a column, with a gene that is not read before it is let."""
    data = small()
    w = recorded(monkeypatch, data, color="cell_type")
    w.front.settle().sent.clear()
    gate = Gate(data, "_read_vector")
    yield w, gate
    gate.open()
    w.front.settle()
    w.close()


def test_a_color_that_is_being_read_gives_way_to_the_one_on_show(slow_gene):
    w, gate = slow_gene
    w.set_state({"color": "var:CD3E"})
    ask(w, 1, kind="cancel", of="color")
    assert w.color == "cell_type"
    gate.open()
    sent = [content for content, _ in w.front.settle().sent]
    assert {content["spec"] for content in sent if content["kind"] == "color"} == {"obs:cell_type"}
    assert sent[-1]["kind"] == "codes"
    assert sent[-1]["seq"] == w._session.display.number("color")
    assert sent[-1]["stop"] == w.dataset.n_obs < p.CONTAINER


def test_a_reading_is_ended_by_the_color_that_waits_for_it_and_an_index_by_the_view(slow_gene, monkeypatch):
    w, gate = slow_gene
    w.set_state({"color": "var:CD3E"})
    w.dataset._tell_progress(0.25)
    gate.open()
    w.front.settle()
    w.dataset._tell_progress(0.5)
    found = [content for content, _ in w.front.sent if content["kind"] == "progress"]
    assert [(one["done"], one["ends_by"]) for one in found] == [(0.25, "color"), (0.5, "")]
    other = recorded(monkeypatch, small(N_OBS), render="raster", color=None)
    other.front.ask(kind="aggregate", **ALL)
    assert {content["ends_by"] for content, _ in other.front.sent if content["kind"] == "progress"} <= {"aggregate"}
    other.close()


def test_of_several_colors_that_were_asked_for_none_is_taken_for_the_one_on_show(slow_gene):
    w, _ = slow_gene
    for color in ("var:CD3E", "var:MS4A1", "var:DENSE"):
        w.set_state({"color": color})
    for _ in range(2):
        ask(w, 1, kind="cancel", of="color")
        assert w.color == "cell_type"


def test_a_color_that_is_on_show_is_not_cancelled(slow_gene):
    w, gate = slow_gene
    gate.open()
    w.set_state({"color": "var:CD3E"})
    w.front.settle()
    ask(w, 1, kind="cancel", of="color")
    assert w.color == "var:CD3E"


def test_a_request_that_waits_is_dropped_and_who_asked_is_told(monkeypatch):
    w = recorded(monkeypatch, small())
    w.front.settle()
    gate, busy = threading.Event(), []
    for i in range(w._exchange.jobs._pool.n):
        busy.append(w._exchange.jobs.submit(("busy", i), lambda: gate.wait(10)))
    ask(w, 1, kind="search", query="c", limit=1)
    ask(w, 2, kind="cancel", of="search")
    gate.set()
    assert overtaken(w) == [1]
    w.close()


def test_lassos_that_wait_are_dropped(monkeypatch):
    data = small()
    gate = Gate(data, "_read_embedding")
    w = recorded(monkeypatch, data)
    lasso(w, box(-99, 0), "replace", 1)
    lasso(w, box(0, 99), "add", 2)
    ask(w, 3, kind="cancel", of="lasso")
    gate.open()
    assert overtaken(w) == [1, 2]
    assert len(w.selection) == 0
    w.close()
