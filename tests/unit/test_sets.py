"""Laws of sets of cells: their algebra is NumPy's, and their rules find the same cells wherever they are applied."""

import base64
import gc
import json
import tracemalloc
from hashlib import sha256
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.path import Path

from cxg_widget import CxgWidget
from cxg_widget.errors import CxgWidgetError, InvalidValue, SelectionError, UnknownName
from cxg_widget.rules.forms import check_rule
from cxg_widget.wire import protocol as p
from tests.memory import small
from tests.unit.test_early_lassos import recorded

MODES = ("replace", "add", "subtract", "intersect")


def lassoed(widget, corners, mode="replace"):
    widget._handle_custom_msg({"id": 1, "kind": "lasso", "polygon": np.ravel(corners).tolist(), "mode": mode}, [])
    widget.front.settle()


def random_corners(rng, xy):
    low, high = xy.min(axis=0), xy.max(axis=0)
    angles = np.sort(rng.random(5)) * 2 * np.pi  # so that no edge crosses another
    around = np.column_stack([np.cos(angles), np.sin(angles)]) * rng.uniform(0.2, 0.6, (5, 1))
    return low + (rng.random(2) + around) * (high - low)


def test_the_algebra_of_sets_is_that_of_masks(widget):
    rng = np.random.default_rng(0)
    a, b = (rng.random(1000) < share for share in (0.3, 0.6))
    one, two = widget.sets.add("a", a), widget.sets.add("b", b)
    for found, truth in ((one | two, a | b), (one & two, a & b), (one - two, a & ~b), (~one, ~a), (~~one, a)):
        np.testing.assert_array_equal(found.mask, truth)
        assert len(found) == truth.sum()
        assert found.rows.tolist() == np.flatnonzero(truth).tolist()


@pytest.mark.parametrize("n", [1, 7, 8, 9, 100])
def test_the_complement_holds_each_other_cell_and_no_bit_more(n, monkeypatch):
    widget = recorded(small(n), monkeypatch)
    mask = np.arange(n) % 3 == 0
    others = ~widget.sets.add("a", mask)
    assert (len(others), others.bits.nbytes) == (int((~mask).sum()), -(-n // 8))
    widget.close()


@pytest.mark.parametrize("seed", range(8))
def test_the_rule_of_any_row_of_gestures_finds_the_same_cells_in_another_widget(seed, widget):
    rng, xy = np.random.default_rng(seed), widget.dataset.embedding("umap")
    truth = np.zeros(1000, dtype=bool)
    for _ in range(6):
        if rng.random() < 0.3:
            widget.filters["n_genes"] = (int(rng.integers(0, 800)), None)
        mode, corners = str(rng.choice(MODES)), random_corners(rng, xy)
        lassoed(widget, corners, mode)
        new = Path(corners).contains_points(xy) & widget.filters.mask
        truth = {"replace": new, "add": truth | new, "subtract": truth & ~new, "intersect": truth & new}[mode]
    np.testing.assert_array_equal(widget.selection.mask, truth)
    rule = json.loads(json.dumps(widget.sets.add("mine").rule))
    assert "rows" not in json.dumps(rule)
    other = CxgWidget(small(1000))
    np.testing.assert_array_equal(other.sets.apply(rule).mask, truth)
    other.close()


def test_a_rule_means_other_cells_where_the_data_are_others(widget):
    widget.select(query="n_genes > 500 and cell_type == 'T cell'")
    rule = widget.selection.rule
    larger = CxgWidget(small(3000))
    frame = larger.dataset.obs()
    truth = (frame["n_genes"] > 500) & (frame["cell_type"] == "T cell")
    np.testing.assert_array_equal(larger.sets.apply(rule).mask, truth)
    np.testing.assert_array_equal(larger.sets.add("same", rule).mask, truth)
    assert larger.sets["same"].rule == rule
    assert larger.annotations.new("mine").assign("T", {"not": rule}) == (~truth).sum()
    with pytest.raises(UnknownName, match=r"'none'.*Not there either: 'nope'"):
        larger.sets.add("bad", {"or": [{"obs": "nope", "in": ["a"]}, {"obs": "none", "in": ["a"]}]})
    larger.close()


GIVEN = {
    "values": ({"cell_type": ["T cell", None], "is_doublet": True}, {}),
    "query": (None, {"query": "n_genes > 500"}),
    "polygon": (None, {"polygon": [[-5, -5], [5, -5], [0, 8]]}),
    "filtered": ({"cell_type": "T cell"}, {"within": "filter"}),
}


@pytest.mark.parametrize("case", GIVEN)
def test_what_python_selects_by_words_has_a_rule(case, widget):
    what, named = GIVEN[case]
    widget.filters["n_counts"] = (100, None)
    cells = widget.select(what, **named)
    assert "rows" not in json.dumps(cells.rule)
    np.testing.assert_array_equal(widget.sets.apply(cells.rule).mask, cells.mask)


def test_a_query_that_pandas_answered_is_kept_as_rows(widget):
    cells = widget.select(query="n_genes.rank(pct=True) > 0.9", engine="pandas")
    expected = widget.dataset.obs()["n_genes"].rank(pct=True) > 0.9
    np.testing.assert_array_equal(cells.mask, expected)
    assert set(cells.rule) == {"rows", "n_obs", "identity"}
    np.testing.assert_array_equal(widget.sets.apply(cells.rule).mask, cells.mask)


def test_what_is_done_to_a_state_changes_no_set(widget):
    truth = widget.sets.add("T", {"cell_type": "T cell"}).mask
    state = widget.state
    state["sets"][0]["rule"]["in"][0] = "B cell"
    np.testing.assert_array_equal(widget.sets.apply(widget.sets["T"].rule).mask, truth)
    widget.state = state
    assert (widget.sets["T"].mask == np.asarray(widget.dataset.obs()["cell_type"] == "B cell")).all()


def test_rows_of_sets_are_looked_at_once(widget, monkeypatch):
    for i in range(3):
        widget.sets[f"set {i}"] = np.arange(1000) % (i + 2) == 0
    read = []
    monkeypatch.setattr("cxg_widget.rules.named.check_rule", lambda rule: read.append(rule) or check_rule(rule))
    monkeypatch.setattr("cxg_widget.rules.named.sha256", lambda text: read.append(text) or sha256(text))
    widget.color = "n_genes"
    widget.filters["n_genes"] = (500, None)
    widget.sets.rename("set 0", "other")
    widget.undo()
    assert read == []


@pytest.mark.parametrize("sets", [[], [{"name": "T", "rule": {"obs": "cell_type", "in": ["B cell"]}}]])
def test_a_state_whose_filters_name_no_set_of_its_own_is_refused_whole(sets, widget):
    widget.sets.add("T", {"cell_type": "T cell"})
    widget.filters["set:T"] = True
    before = json.dumps(widget.state)
    with pytest.raises(CxgWidgetError, match="T"):
        widget.state = {**widget.state, "sets": sets}
    assert json.dumps(widget.state) == before
    with pytest.raises(CxgWidgetError, match="T"):
        CxgWidget(widget.dataset, **{**widget.state, "sets": sets})
    widget.filters.clear()
    widget.set_state({"filters": [{"set": "gone", "of": "x"}]})  # from a page that has not heard yet
    told = [content["message"] for content, _ in widget.front.sent if content["kind"] == "error"]
    assert (widget.filters.rules, told) == ([], ["no set 'gone'; this widget has 'T'."])


def test_rows_fit_no_other_dataset(widget):
    rule = widget.sets.add("a", [1, 2, 3]).rule
    other = CxgWidget(small(500))
    with pytest.raises(SelectionError, match="another dataset"):
        other.sets.apply(rule)
    other.close()


def test_a_set_whose_cells_cannot_be_found_takes_no_other_one_away(widget):
    other = CxgWidget(small(500))
    other.sets.add("rows", [1, 2, 3])
    widget.state = {"sets": [*other.state["sets"], {"name": "T", "rule": {"obs": "cell_type", "in": ["T cell"]}}]}
    other.close()
    n = int((widget.dataset.obs()["cell_type"] == "T cell").sum())
    table = widget.sets.frame()
    assert table["n"].isna().tolist() == [True, False]
    assert table.loc["T", "n"] == n
    assert f"<set of {n} of" in repr(widget.sets)
    assert "another dataset" in repr(widget.sets)
    (content, buffers) = edit(widget, "rename", "T", to="t")
    assert np.frombuffer(buffers[0], np.uint32).tolist() == [0, 0, 0, 0, n, n, 0, 0]
    assert ["another dataset" in one["fault"] for one in content["sets"]] == [True, False]


def test_values_that_can_be_gone_through_once_make_the_rule_of_their_cells(widget):
    frame = widget.dataset.obs()
    for cells in (
        widget.select({"cell_type": iter(["T cell", "B cell"])}),
        widget.sets.add("both", {"cell_type": (one for one in ["T cell", "B cell"])}),
    ):
        assert cells.rows.tolist() == np.flatnonzero(frame["cell_type"].isin(["T cell", "B cell"])).tolist()
        np.testing.assert_array_equal(widget.sets.apply(cells.rule).mask, cells.mask)


def test_a_selection_goes_together_with_sets_on_either_side(widget):
    rng = np.random.default_rng(1)
    a, b = rng.random(1000) < 0.3, rng.random(1000) < 0.6
    chosen, cells = widget.select(a), widget.sets.add("b", b)
    for found, truth in ((chosen | cells, a | b), (chosen & cells, a & b), (chosen - cells, a & ~b)):
        np.testing.assert_array_equal(found.mask, truth)
    with pytest.raises(SelectionError, match="a set combines with"):
        [1, 2] | cells


def test_algebra_of_any_depth_can_be_named_and_kept_as_a_filter(widget):
    cells, truth = widget.sets.add("a", {"cell_type": "T cell"}), widget.sets["a"].mask
    number = widget.sets.add("b", {"is_doublet": True})
    for _ in range(30):
        cells, truth = ~(~cells - number), ~(~truth & ~number.mask)
    widget.sets["deep"] = cells
    np.testing.assert_array_equal(widget.sets["deep"].mask, truth)
    deepest = {"obs": "cell_type", "in": ["T cell"]}
    for _ in range(32):
        deepest = {"not": deepest}
    widget.sets = {"deepest": deepest}
    widget.filters["set:deepest"] = False
    others = np.asarray(widget.dataset.obs()["cell_type"] != "T cell")
    np.testing.assert_array_equal(widget.filters.mask, others)
    lassoed(widget, [[-50, -50], [50, -50], [50, 50], [-50, 50]])
    np.testing.assert_array_equal(widget.sets.add("all that pass").mask, others)


def test_one_sentence_names_all_that_another_dataset_lacks(widget):
    rule = {"and": [{"obs": "no such", "in": ["x"]}, {"var": "NOGENE", "range": [1, None]}, {"obs": "nor", "in": []}]}
    with pytest.raises(UnknownName) as told:
        widget.sets.apply(rule)
    assert all(name in str(told.value) for name in ("no such", "NOGENE", "nor"))


def test_one_sentence_names_all_that_is_missing_of_any_kind_and_however_many(widget):
    many = [{"obs": f"column {i}", "in": ["x"]} for i in range(20)]
    others = [
        {"set": "one set"}, {"set": "other set"}, {"var": "CD3E", "layer": "a layer", "range": [1, None]},
        {"polygon": [[0, 0], [1, 0], [1, 1]], "embedding": "a map"},
        {"polygon": [[0, 0], [1, 0], [1, 1]], "embedding": ["obs:x column", "var:y gene", "its layer"]},
        {"query": "in_query > 1 and `of query` == 2"},
    ]  # fmt: skip
    names = ["a layer", "a map", "x column", "y gene", "its layer", "in_query", "of query", "one set", "other set"]
    names += [f"'column {i}'" for i in range(20)]
    with pytest.raises(UnknownName) as told:
        widget.sets.apply({"and": [*others, {"or": many}]})
    assert [name for name in names if name not in str(told.value)] == []
    with pytest.raises(UnknownName) as told:
        widget.sets.apply({"or": others[:2]})
    assert "one set" in str(told.value)
    assert "other set" in str(told.value)


def test_one_sentence_names_all_values_that_another_dataset_lacks(widget):
    rule = {"or": [{"obs": "cell_type", "in": ["x", "B cell", "y"]}, {"not": {"obs": "donor name", "in": ["z"]}}]}
    for act in (lambda: widget.sets.apply(rule), lambda: setattr(widget, "filters", [rule["or"][0]])):
        with pytest.raises(CxgWidgetError) as told:
            act()
        assert "'x'" in str(told.value)
        assert "'y'" in str(told.value)
    with pytest.raises(SelectionError, match=r"(?s)'x'.*'y'.*'z'"):
        widget.sets.apply(rule)


def test_names_that_no_message_can_hold_are_refused(widget):
    for name in ("a\0b", "\ud800"):
        with pytest.raises(InvalidValue):
            widget.sets.add(name, [1])
        with pytest.raises(InvalidValue):
            widget.genes.sets = {name: ["CD3E"]}
    assert (list(widget.sets), list(widget.genes.sets)) == ([], ["pair"])


def test_a_page_that_names_a_set_that_is_gone_changes_nothing_and_is_told(widget):
    widget.sets.add("a", [1, 2])
    widget.sets.add("b", [3])
    del widget.sets["b"]  # which the page may not have heard of
    state, undone = widget.state, widget.steps["undo"]
    for name, value in {"difference": ["a", "b"], "contours": ["b"]}.items():
        widget.set_state({name: value, "opacity": 0.5})
        widget.front.settle()
        assert widget.state == {**state, "opacity": 0.5}
    assert widget.steps["undo"] == undone
    widget.set_state({"contours": ["a"]})
    assert widget.contours == ["a"]
    widget.state = widget.state


def test_sets_survive_in_the_state_with_their_cells(widget):
    widget.select({"cell_type": "T cell"})
    widget.sets.add("T")
    widget.sets.add("some", [3, 5, 8])
    widget.sets.add("T of some", [3, 5], within="T")
    state = json.loads(json.dumps(widget.state))
    again = CxgWidget(widget.dataset, **state)
    assert list(again.sets) == ["T", "some", "T of some"]
    for name, cells in widget.sets.items():
        np.testing.assert_array_equal(again.sets[name].mask, cells.mask)
    assert again.sets == widget.sets
    again.close()


def test_a_set_within_another_holds_its_cells_alone_and_hangs_below_it(widget):
    frame = widget.dataset.obs()
    widget.sets.add("T", {"cell_type": "T cell"})
    widget.sets.add("rich", np.asarray(frame["n_genes"] > 500), within="T")
    widget.filters["is_doublet"] = [False]
    truth = [frame["cell_type"] == "T cell", (frame["cell_type"] == "T cell") & (frame["n_genes"] > 500)]
    table = widget.sets.frame()
    assert table["n"].tolist() == [one.sum() for one in truth]
    assert table["filtered"].tolist() == [(one & ~frame["is_doublet"]).sum() for one in truth]
    assert table["within"].tolist() == [None, "T"]
    widget.sets.rename("T", "T cells")
    assert widget.sets.frame().loc["rich", "within"] == "T cells"
    del widget.sets["T cells"]
    assert widget.sets.frame()["within"].tolist() == [None]


def test_a_set_gives_its_cells_as_a_selection_does(widget):
    widget.sets.add("T", {"cell_type": "T cell"})
    frame = widget.dataset.obs()
    pd.testing.assert_frame_equal(
        widget.sets["T"].obs(["n_genes"]), frame.loc[frame["cell_type"] == "T cell", ["n_genes"]]
    )
    selected = widget.select(widget.sets["T"])
    assert selected.rule == widget.sets["T"].rule == {"obs": "cell_type", "in": ["T cell"]}


N_HELD = 200_000
MADE = {
    "a mask": lambda w, name: w.sets.add(name, np.arange(N_HELD) % 3 == 0),
    "rows": lambda w, name: w.sets.add(name, np.arange(0, N_HELD, 3)),
    "the selection": lambda w, name: w.sets.add(name),
    "algebra": lambda w, name: w.sets.update({name: ~w.sets["warm"]}),
    "a rule": lambda w, name: w.sets.add(name, {"cell_type": "T cell"}),
    "a state": lambda w, name: w._ask({"sets": [*w._kept("sets"), {**w.state["sets"][0], "name": name}]}),
}


@pytest.mark.parametrize("how", MADE)
def test_a_set_holds_one_bit_a_cell_and_hardly_more(how):
    widget = CxgWidget(small(N_HELD))
    widget.sets.add("warm", np.arange(N_HELD) % 2 == 0)
    widget.select(np.arange(N_HELD) % 5 == 0)
    MADE[how](widget, "first")  # what all of them share is there
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    MADE[how](widget, "second")
    gc.collect()
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert held < N_HELD / 8 + 10_000
    assert isinstance(json.loads(json.dumps(widget.state))["sets"][-1]["rule"], dict)
    widget.close()


def test_the_text_of_rows_is_that_of_their_bits_and_cells_that_there_are_not_are_in_no_set(widget):
    mask = np.arange(1000) % 3 == 0
    rule = widget.sets.add("a", mask).rule
    assert base64.b64decode(rule["rows"]) == np.packbits(mask, bitorder="little").tobytes()
    small_one = CxgWidget(small(9))
    told = {"rows": base64.b64encode(b"\xff\xff").decode(), "n_obs": 9, "identity": small_one.dataset.obs_identity}
    small_one.sets = {"all": told}
    assert len(small_one.sets["all"]) == 9
    with pytest.raises(InvalidValue, match="must be base64"):
        small_one.sets = {"all": {**told, "rows": "!!!="}}
    small_one.close()


WRONG = {
    "taken": (lambda w: w.sets.add("a", [1]), InvalidValue, "already"),
    "no name": (lambda w: w.sets.add("", [1]), InvalidValue, "the name of a set is a text"),
    "no set": (lambda w: w.sets["b"], UnknownName, "'b'"),
    "within none": (lambda w: w.sets.add("c", [1], within="b"), UnknownName, "'b'"),
    "no rows": (lambda w: w.sets.add("c", [1_000_000]), SelectionError, "not in the dataset"),
    "no set beside it": (lambda w: w.sets["a"] | 3, SelectionError, "a set combines with"),
    "names a set": (lambda w: setattr(w, "sets", [{"name": "x", "rule": {"set": "a"}}]), Exception, "refers to a set"),
    "within itself": (
        lambda w: setattr(w, "sets", [{"name": "x", "rule": {"or": []}, "within": "x"}]), Exception, "within itself",
    ),
    "twice": (lambda w: setattr(w, "sets", [{"name": "x", "rule": {"or": []}}] * 2), Exception, "with distinct names"),
    "unknown column": (
        lambda w: setattr(w, "sets", [{"name": "x", "rule": {"obs": "no such", "in": []}}]), Exception, "no such",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_makes_no_set_is_one_sentence_and_changes_none(case, widget):
    widget.sets.add("a", [1, 2])
    act, error, words = WRONG[case]
    with pytest.raises(error, match=words):
        act(widget)
    assert list(widget.sets) == ["a"]
    assert widget.sets["a"].rows.tolist() == [1, 2]


def test_rules_may_name_sets_and_are_kept_without_their_names(widget):
    widget.sets.add("T", {"cell_type": "T cell"})
    found = widget.sets.apply({"minus": [{"obs": "is_doublet", "in": [False]}, {"set": "T"}]})
    frame = widget.dataset.obs()
    np.testing.assert_array_equal(found.mask, ~frame["is_doublet"] & (frame["cell_type"] != "T cell").fillna(True))
    assert "set" not in json.dumps(found.rule).replace("is_doublet", "")


def test_cells_of_two_datasets_make_no_set(widget):
    other = CxgWidget(small(500))
    with pytest.raises(CxgWidgetError, match="two datasets"):
        widget.sets.add("a", [1]) | other.sets.add("b", [1])
    other.close()


APPLIED = {
    "add": lambda w, cells: w.sets.add(f"set {len(w.sets)}", cells).mask,
    "in the place of one": lambda w, cells: w.sets.update(same=cells) or w.sets["same"].mask,
    "select": lambda w, cells: w.select(cells).mask,
    "assign": lambda w, cells: w.annotations["mine"].assign("x", cells) and w.annotations["mine"].series().notna(),
    "compare": lambda w, cells: w._session.cells(cells).mask,
    "zoom": lambda w, cells: w._session.cells(cells).mask,
}


@pytest.mark.parametrize("way", APPLIED)
@pytest.mark.parametrize("kind", ["set", "selection"])
def test_cells_of_another_dataset_are_found_by_their_rule_and_never_by_their_places(kind, way, widget):
    widget.annotations.new("mine")
    other, given = CxgWidget(small(1000, seed=1)), {"cell_type": "B cell", "is_doublet": True}
    cells = other.select(given) if kind == "selection" else other.sets.add("B", given)
    frame = widget.dataset.obs()
    truth = np.asarray((frame["cell_type"] == "B cell") & frame["is_doublet"])
    assert not np.array_equal(cells.mask, truth)
    np.testing.assert_array_equal(APPLIED[way](widget, cells), truth)
    rows = other.select([1, 2]) if kind == "selection" else other.sets.add("rows", [1, 2])
    before = json.dumps(widget.state)
    with pytest.raises(
        SelectionError, match=r"^these rows belong to another dataset.*applies only to its own dataset\.$"
    ):
        APPLIED[way](widget, rows)
    assert json.dumps(widget.state) == before
    other.close()


def test_what_another_dataset_lacks_of_the_rule_of_a_set_is_named(widget):
    data = small(1000)
    data._obs["only here"] = data._obs["cell_type"]
    data.obs_columns = {**data.obs_columns, "only here": data.obs_columns["cell_type"]}
    other = CxgWidget(data)
    cells = other.sets.add("a", {"only here": "T cell"})
    with pytest.raises(UnknownName, match="only here"):
        widget.sets.add("a", cells)
    other.close()


def adata_of(types):
    frame = pd.DataFrame({"type": pd.Categorical(types)}, index=[f"cell {i}" for i in range(len(types))])
    return SimpleNamespace(
        n_obs=len(types), n_vars=1, obs=frame, var=pd.DataFrame(index=["A"]), X=np.ones((len(types), 1), np.float32),
        obsm={"X_umap": np.zeros((len(types), 2))}, uns={}, layers={},
    )  # fmt: skip


def test_a_set_of_the_same_cells_with_other_values_has_the_cells_that_its_rule_means_there_and_stays_so():
    one, two = (CxgWidget(adata_of(types)) for types in (list("aabb"), list("abab")))
    cells, rows = one.sets.add("a", {"type": "a"}), one.sets.add("rows", [0, 1])
    two.sets["a"], two.sets["rows"] = cells, rows
    assert two.sets["a"].rows.tolist() == [0, 2]
    assert two.sets["rows"].rows.tolist() == [0, 1]  # of cells that are the same by their names
    assert (two.sets.add("both", two.sets["rows"] | cells).rows.tolist(), len(cells | two.sets["rows"])) == (
        [0, 1, 2],
        2,
    )
    two.state = json.loads(json.dumps(two.state))
    assert [cells.rows.tolist() for cells in two.sets.values()] == [[0, 2], [0, 1], [0, 1, 2]]
    for widget in (one, two):
        widget.close()


def test_a_category_of_the_legend_has_its_rule(widget):
    coloring = widget._session.coloring()
    for code in (-1, 0):
        message = p.Category(color="obs:cell_type", code=code, mode="replace")
        list(widget._session.answer(message))
        rule = widget.selection.rule
        assert rule == {"obs": "cell_type", "in": [None if code < 0 else coloring.labels[0]]}
        np.testing.assert_array_equal(widget.sets.apply(rule).mask, widget.selection.mask)


def edit(widget, op, name, **more):
    widget._handle_custom_msg({"id": 7, "kind": "set", "op": op, "name": name, **more}, [])
    return next((content, arrays) for content, arrays in reversed(widget.front.sent) if content["id"] == 7)


def test_what_a_hand_does_with_sets_is_what_python_does(widget):
    widget.select({"cell_type": "T cell"})
    content, buffers = edit(widget, "add", "T")
    n = len(widget.selection)
    assert content["sets"] == [
        {"name": "T", "within": "", "fault": "", "is_rule": True, "of": content["sets"][0]["of"], "color": "#0072b2"}
    ]
    assert np.frombuffer(buffers[0], np.uint32).tolist() == [n, n, n, n]
    widget.filters["is_doublet"] = [False]
    widget.select([0, 1, 2])
    edit(widget, "add", "few", within="T")
    edit(widget, "select", "T", mode="subtract")
    frame = widget.dataset.obs().iloc[:3]
    assert widget.selection.rows.tolist() == np.flatnonzero(frame["cell_type"] != "T cell").tolist()
    edit(widget, "others", "T")
    is_t = (widget.dataset.obs()["cell_type"] == "T cell").to_numpy()
    assert widget.selection.rows.tolist() == np.flatnonzero(~is_t).tolist()
    widget.select([0, 1, 2])
    edit(widget, "select", "T", mode="subtract")
    edit(widget, "rename", "T", to="T cells")
    content, buffers = edit(widget, "put", "few")
    assert content["sets"][1].items() >= {"name": "few", "within": "T cells", "is_rule": False}.items()
    within = np.isin(widget.selection.rows, widget.sets["T cells"].rows)
    assert widget.sets["few"].rows.tolist() == widget.selection.rows[within].tolist()
    edit(widget, "delete", "T cells")
    assert list(widget.sets) == ["few"]
    assert (edit(widget, "delete", "no such")[0]["kind"], list(widget.sets)) == ("error", ["few"])


def test_each_edit_of_a_hand_is_one_step_to_undo(widget):
    widget.select([1, 2])
    edit(widget, "add", "a")
    edit(widget, "delete", "a")
    widget.undo()
    assert widget.sets["a"].rows.tolist() == [1, 2]
    widget.undo()
    assert len(widget.sets) == 0


def test_the_view_of_some_cells_holds_them_all_and_hardly_more(widget):
    xy = widget.dataset.embedding("umap")
    mask = np.asarray(widget.dataset.obs()["cell_type"] == "B cell")
    widget.zoom_to({"cell_type": "B cell"})
    x0, x1, y0, y1 = widget.view
    (left, low), (right, high) = xy[mask].min(axis=0), xy[mask].max(axis=0)
    assert x0 < left < right < x1
    assert y0 < low < high < y1
    assert (x1 - x0) / (right - left) == pytest.approx(1.08)
    widget.zoom_to([5])
    x0, x1, y0, y1 = widget.view
    assert x0 < xy[5, 0] < x1 < x0 + np.ptp(xy[:, 0]) / 50


def test_no_cells_and_cells_without_a_place_cannot_be_zoomed_to():
    data = small(100)
    data._xy["umap"][[3, 5]] = np.nan
    widget = CxgWidget(data)
    for cells, said in (([3, 5], "none of these cells has coordinates"), ([], "there are no cells to zoom to")):
        with pytest.raises(SelectionError, match=said):
            widget.zoom_to(cells)
    assert widget.view is None
    widget.close()


def test_a_filter_of_a_set_keeps_its_cells_or_all_others_and_combines(widget):
    frame = widget.dataset.obs()
    inside = np.asarray(frame["cell_type"] == "T cell")
    widget.sets.add("T", inside)
    widget.filters["n_genes"] = (500, None)
    widget.filters["set:T"] = True
    rich = np.asarray(frame["n_genes"] >= 500)
    np.testing.assert_array_equal(widget.filters.mask, inside & rich)
    widget.filters["set:T"] = False
    np.testing.assert_array_equal(widget.filters.mask, ~inside & rich)
    assert dict(widget.filters) == {"n_genes": (500, None), "set:T": False}
    counts = widget.counts("is_doublet")["filtered"]
    assert counts.tolist() == frame["is_doublet"][~inside & rich].value_counts().sort_index().tolist()
    state = json.loads(json.dumps(widget.state))
    assert "rows" not in json.dumps(state["filters"])  # which the page gets
    again = CxgWidget(widget.dataset, **state)
    np.testing.assert_array_equal(again.filters.mask, ~inside & rich)
    again.close()


def test_a_filter_of_a_set_follows_what_becomes_of_the_set(widget):
    widget.sets.add("a", [1, 2, 3])
    widget.filters["set:a"] = True
    widget.sets.rename("a", "b")
    assert dict(widget.filters) == {"set:b": True}
    widget.sets["b"] = [7]
    assert np.flatnonzero(widget.filters.mask).tolist() == [7]
    del widget.sets["b"]
    assert dict(widget.filters) == {}
    widget.undo()
    assert np.flatnonzero(widget.filters.mask).tolist() == [7]


def test_what_is_lassoed_under_a_filter_of_a_set_has_a_rule_that_stands_alone(widget):
    widget.sets.add("T", {"cell_type": "T cell"})
    widget.filters["set:T"] = True
    lassoed(widget, [[-5, -5], [20, -5], [20, 20], [-5, 20]])
    expected = widget.selection.mask
    rule = widget.sets.add("seen").rule
    other = CxgWidget(small(1000))
    np.testing.assert_array_equal(other.sets.apply(rule).mask, expected)
    assert 0 < expected.sum() < 1000
    other.close()


@pytest.mark.parametrize(("name", "kept"), [("set:no such", True), ("set:a", ["x"]), ("set:a", None)])
def test_a_filter_of_no_set_changes_nothing(name, kept, widget):
    widget.sets.add("a", [1])
    with pytest.raises(CxgWidgetError):
        widget.filters[name] = kept
    assert len(widget.filters) == 0


def test_what_takes_the_place_of_a_set_within_another_is_cut_to_that(widget):
    t_cells = np.asarray(widget.dataset.obs()["cell_type"] == "T cell")
    widget.sets.add("T", t_cells)
    widget.sets.add("some", [3, 5], within="T")
    mask = np.arange(1000) % 2 == 0
    widget.sets["some"] = mask
    np.testing.assert_array_equal(widget.sets["some"].mask, mask & t_cells)
    assert widget.sets.frame()["within"].tolist() == [None, "T"]


def test_the_filter_of_a_set_that_is_deleted_goes_and_is_not_that_of_another_with_the_same_rule(widget):
    for name in ("a", "b"):
        widget.sets.add(name, {"cell_type": "T cell"})
    widget.filters["set:a"] = True
    del widget.sets["a"]
    assert dict(widget.filters) == {}
    widget.filters["set:b"] = True
    widget.sets.rename("b", "c")
    assert dict(widget.filters) == {"set:c": True}
    widget.undo()
    assert dict(widget.filters) == {"set:b": True}


def test_a_view_is_zoomed_to_the_set_of_a_name_and_else_to_the_cell_of_that_label(widget):
    label = "cell 7"
    widget.zoom_to(label)
    of_cell = widget.view
    widget.zoom_to([7])
    assert widget.view == of_cell
    widget.sets.add(label, {"cell_type": "T cell"})
    widget.zoom_to(label)
    of_set = widget.view
    widget.zoom_to(widget.sets[label])
    assert widget.view == of_set != of_cell


def test_a_gate_stays_below_a_set_that_is_replaced_where_that_still_holds_it():
    dataset = small(500)
    numbers = dataset.numbers("n_genes")
    w = CxgWidget(dataset)
    w.sets.add("all", np.ones(500, dtype=bool))
    w.sets.add("top", numbers > 300, within="all")
    w.sets.add("in", numbers > 600, within="top")
    w.sets["top"] = numbers > 500
    assert w.sets.frame()["within"].to_dict() == {"all": None, "top": "all", "in": "top"}
    w.sets["top"] = ~w.sets["top"]
    assert w.sets.frame()["within"].to_dict() == {"all": None, "top": "all", "in": "all"}
    np.testing.assert_array_equal(w.sets["in"].mask, numbers > 600)
    w.undo()
    assert w.sets.frame()["within"]["in"] == "top"
