"""Laws of who observes settings: told of what is, once it all is, whoever else is told, and in whatever thread."""

import json
import threading

import pytest
import traitlets
from datashader import reductions

from cxg_widget import CxgWidget
from cxg_widget.errors import UnknownName
from tests.memory import small
from tests.unit.test_early_lassos import Gate, recorded


@pytest.fixture
def make():
    made = []

    def build(**options):
        made.append(CxgWidget(small(200), **{"color": "cell_type", **options}))
        return made[-1]

    yield build
    for widget in made:
        widget.close()


def test_who_observes_a_setting_finds_all_others_as_they_will_be(make):
    w = make(hidden=["B cell"])
    w.vmax, heard = 3.0, []
    w.observe(lambda change: heard.append((change["name"], w.color, w.hidden, w.vmax, w.view)), ["color", "hidden"])
    w.view = [0, 1, 0, 1]
    w.color = "CD3E"
    now = ("CD3E", [], None, [0.0, 1.0, 0.0, 1.0])
    assert heard == [("color", *now), ("hidden", *now)]


def test_who_observes_is_told_what_was_and_what_is_and_nothing_that_stays(make):
    w, heard = make(), []
    w.observe(lambda change: heard.append((change["name"], change["old"], change["new"], change["owner"] is w)))
    w.color = "cell_type"
    w.filters = {"cell_type": ["B cell"]}
    rule = {"obs": "cell_type", "in": ["B cell"]}
    hidden = ["T cell", "<img src=x onerror=alert(1)>", "(missing)"]
    assert [one for one in heard if one[0] != "steps"] == [("filters", [], [rule], True), ("hidden", [], hidden, True)]


def test_all_who_observe_are_told_though_one_of_them_fails_and_the_change_stays(make):
    w, heard = make(hidden=["B cell"]), []

    def failing(_):
        raise RuntimeError("of the user")

    w.observe(failing, "color")
    w.observe(lambda change: heard.append(change["new"]), "hidden")
    with pytest.raises(RuntimeError, match="of the user"):
        w.color = "CD3E"
    assert (w.color, heard) == ("CD3E", [[]])


def test_two_widgets_that_are_linked_show_the_same(make):
    one, other = make(), make()
    names = ("color", "hidden", "filters", "embedding", "axes", "view", "vmax")
    links = [traitlets.link((one, name), (other, name)) for name in names]
    one.color = "n_counts"
    one.vmax = "p99"
    other.filters["n_genes"] = (500, None)
    one.embedding = "pca"
    other.axes = [2, 1]
    other.color = "cell_type"
    one.hidden = ["B cell"]
    assert one.state == other.state
    assert (other.axes, other.hidden, len(other.state["filters"])) == ([2, 1], ["B cell"], 2)
    [link.unlink() for link in links]
    one.color = "CD3E"
    assert other.color == "cell_type"


def test_what_is_set_together_is_seen_at_once_and_refused_as_a_whole(make):
    w = make()
    with w.hold_trait_notifications():
        w.color, w.vmax = "n_counts", 7
        assert (w.color, w.vmax, w._session.settings.color) == ("n_counts", 7, "cell_type")
    assert (w.color, w.vmax) == ("n_counts", 7.0)
    before = w.state
    with pytest.raises(UnknownName), w.hold_trait_notifications():
        w.opacity, w.color = 0.5, "no such"
    assert w.state == before
    with pytest.raises(ZeroDivisionError), w.hold_trait_notifications():
        w.opacity, w.point_size = 0.5, 1 / 0
    assert w.state == before


def test_what_another_thread_sets_meanwhile_is_not_taken_for_what_is_set_together(make):
    w = make()
    with w.hold_trait_notifications():
        w.color = "n_counts"
        other = threading.Thread(target=lambda: setattr(w, "opacity", 0.5))
        other.start()
        other.join()
        assert w._session.settings.opacity == 0.5
    assert (w.color, w.opacity) == ("n_counts", 0.5)


@pytest.mark.parametrize("first", [True, False])
def test_a_page_that_sends_all_it_has_with_one_setting_changed_changes_that_one(make, first):
    w = make(hidden=["B cell"], vmax="p99")
    page = {name: value for name, value in w.get_state().items() if name in w.state or name in ("filters", "view")}
    changed = {"color": "CD3E"}
    w.set_state({**changed, **page, **changed} if first else {**page, **changed})
    assert (w.color, w.hidden, w.vmax) == ("CD3E", [], "p99")
    assert w.state["filters"] == [{"not": {"obs": "cell_type", "in": ["B cell"]}}]


def test_a_page_that_sends_all_it_has_changes_nothing_and_is_told_of_no_error(monkeypatch):
    w = recorded(small(200), monkeypatch, color="n_counts", cmap=["#000000", "#ffffff"], table={"sort": "n_genes"})
    w.statistic = reductions.mean("n_genes")
    w.panel(color="CD3E", cmap="magma")
    w.embedding = ("n_genes", "CD3E")
    w.front.settle().sent.clear()
    before = w.state
    w.set_state(json.loads(json.dumps({name: one for name, one in w.get_state().items() if not name.startswith("_")})))
    assert (w.state, w.front.kinds) == (before, [])
    w.close()


def test_what_a_page_sets_back_while_its_change_waits_is_set_back(monkeypatch):
    data = small(200)
    w = recorded(data, monkeypatch, color="cell_type")
    w.front.settle()
    gate = Gate(data, "_read_obs")
    w.set_state({"color": "CD3E", "filters": [{"obs": "n_genes", "range": [500, None]}]})
    w.set_state({"color": "cell_type"})
    gate.open()
    w.front.settle()
    assert (w.color, len(w.filters)) == ("cell_type", 1)
    w.close()
