"""Laws of filters: who passes is what pandas says, whatever is shown; pictures and gestures know no others."""

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from cxg_widget.wire.protocol import MISSING_LABEL
from tests.memory import Codes, MemoryDataset, small
from tests.stills import painter_of, still
from tests.unit.test_early_lassos import Gate, recorded

N = 1000


@pytest.fixture(scope="module")
def frame():
    data = small(N)
    return data.obs().assign(CD3E=data.vector("CD3E").dense(N))


def passing(frame):
    return {
        "range": (("n_genes", (500, 900)), (frame["n_genes"] >= 500) & (frame["n_genes"] <= 900)),
        "open range": (("n_counts", (None, 300.0)), frame["n_counts"] <= 300),
        "values": (("donor name", [frame["donor name"].iloc[0]]), frame["donor name"] == frame["donor name"].iloc[0]),
        "one value": (("cell_type", "T cell"), frame["cell_type"] == "T cell"),
        "missing": (("cell_type", [None]), frame["cell_type"].isna()),
        "boolean": (("is_doublet", [True]), frame["is_doublet"]),
        "array": (("cell_type", np.array(["T cell", "B cell"])), frame["cell_type"].isin(["T cell", "B cell"])),
        "gene": (("var:CD3E", (0.5, None)), frame["CD3E"] >= 0.5),
        "gene by name": (("CD3E", (np.float32(0.5), np.inf)), frame["CD3E"] >= 0.5),
    }


@pytest.mark.parametrize("case", passing(small(N).obs().assign(CD3E=0)))
def test_a_filter_keeps_the_values_that_pandas_finds(case, widget, frame):
    (name, kept), truth = passing(frame)[case]
    widget.filters[name] = kept
    np.testing.assert_array_equal(widget.filters.mask, truth.to_numpy(dtype=bool))
    assert list(widget.filters) == [{"CD3E": "var:CD3E"}.get(name, name)]


def test_filters_and_the_query_hold_together_and_each_goes_alone(widget, frame):
    widget.filters["n_genes"] = (500, None)
    widget.filters["cell_type"] = ["T cell", "B cell"]
    widget.filter("n_counts > 100 and CD3E > 0")
    truth = frame.query("n_genes >= 500 and cell_type in ['T cell', 'B cell'] and n_counts > 100 and CD3E > 0")
    assert frame.index[widget.filters.mask].tolist() == truth.index.tolist()
    del widget.filters["n_genes"]
    widget.filter(None)
    np.testing.assert_array_equal(widget.filters.mask, frame["cell_type"].isin(["T cell", "B cell"]))
    widget.filters.clear()
    assert widget.filters.mask.all()
    assert (dict(widget.filters), widget.filters.rule, widget.hidden) == ({}, {"and": []}, [])


def test_what_the_legend_hides_is_the_filter_of_its_column_and_survives_a_change_of_color(widget, frame):
    widget.hidden = ["T cell", MISSING_LABEL]
    others = frame["cell_type"].notna() & (frame["cell_type"] != "T cell")
    np.testing.assert_array_equal(widget.filters.mask, others)
    assert "T cell" not in widget.filters["cell_type"]
    widget.color = "CD3E"
    assert widget.hidden == []
    np.testing.assert_array_equal(widget.filters.mask, others)
    widget.color = "cell_type"
    assert widget.hidden == ["T cell", MISSING_LABEL]
    widget.filters["cell_type"] = ["T cell"]
    assert set(widget.hidden) == {"B cell", "<img src=x onerror=alert(1)>", MISSING_LABEL}
    widget.hidden = []
    assert widget.filters.mask.all()


def test_color_and_hidden_set_together_hide_in_the_new_legend(widget, frame):
    widget.color = None
    widget.set_state({"color": "cell_type", "hidden": ["T cell"]})
    assert widget.hidden == ["T cell"]
    np.testing.assert_array_equal(widget.filters.mask, frame["cell_type"] != "T cell")


def test_the_state_brings_filters_back_in_another_widget(widget, monkeypatch):
    widget.filters["n_genes"] = (500, None)
    widget.hidden = ["T cell"]
    widget.filter("n_counts > 100")
    state = widget.state
    other = recorded(small(N), monkeypatch, **state)
    assert other.state == state
    np.testing.assert_array_equal(other.filters.mask, widget.filters.mask)
    widget.filters.clear()
    widget.state = state
    assert widget.state == state
    other.close()


WRONG = [
    ("nosuch", [1]), (5, [1]), ("n_genes", (9, 5)), ("n_genes", [-77]), ("cell_type", ["T cel"]), ("CD3E", [1]),
    ("cell_type", {"obs": "n_genes", "range": [1, 2]}), ("n_genes", {"query": "n_genes > 1"}), ("cell_type", (1, 2)),
    ("n_genes", "many"), ("cell_type", [["T cell"]]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kept"), WRONG)
def test_a_filter_that_cannot_be_is_refused_and_the_others_stay(name, kept, widget):
    widget.filters["n_genes"] = (500, None)
    before = widget.state
    with pytest.raises(CxgWidgetError):
        widget.filters[name] = kept
    assert widget.state == before


@pytest.mark.parametrize("query", ["n_genes.to_csv('x') == 1", "nosuch > 1", "n_genes", "", 7])
def test_a_query_that_cannot_be_is_refused_and_the_one_before_stays(query, widget):
    widget.filter("n_genes > 500")
    with pytest.raises(CxgWidgetError):
        widget.filter(query)
    assert widget.filters.query == "n_genes > 500"


def test_python_selects_among_all_cells_unless_within_the_filter(widget, frame):
    widget.filters["n_genes"] = (500, None)
    assert len(widget.select({"cell_type": "T cell"})) == (frame["cell_type"] == "T cell").sum()
    within = widget.select({"cell_type": "T cell"}, within="filter")
    assert len(within) == ((frame["cell_type"] == "T cell") & (frame["n_genes"] >= 500)).sum()
    count = widget.aggregate("count", within="filter")
    has_place = np.isfinite(widget.dataset.embedding(widget.embedding)).all(axis=1)
    assert int(count.sum()) == (widget.filters.mask & has_place).sum()


# What the front-end is told, and what gestures mean.

FILTERS = ({"obs": "n_genes", "range": [2000, None]}, {"query": "n_counts > 300"})


def session(**settings):
    return Session(small(N), Settings(embedding="umap", color="cell_type", filters=FILTERS, **settings))


def truth_of(data):
    return (data.numbers("n_genes") >= 2000) & (data.numbers("n_counts") > 300)


@pytest.mark.parametrize("settings", [{}, {"max_points": 100}])
def test_points_are_told_to_pass_by_one_bit_each_in_the_order_they_are_sent(settings):
    one = session(**settings)
    (frame,) = one.streams.filter()
    truth = truth_of(one.dataset)
    assert frame.message.n_passing == truth.sum()
    bits = frame.arrays["bits"]
    rows = one.held.point_rows
    assert bits.nbytes == -(-rows.size // 8)
    np.testing.assert_array_equal(np.unpackbits(bits, count=rows.size, bitorder="little"), truth[rows])


def test_which_cells_count_is_told_before_any_of_them():
    kinds = [frame.message.kind for frame in session().streams.show()]
    assert kinds.index("filter") < kinds.index("points")


@pytest.mark.parametrize("settings", [{}, {"max_points": 100}])
def test_a_gesture_and_the_pointer_mean_those_alone_that_pass(settings):
    one, everything = session(**settings), [-99.0, -99.0, 99.0, -99.0, 99.0, 99.0, -99.0, 99.0]
    truth = truth_of(one.dataset)
    xy = one.dataset.embedding("umap")
    finite = np.isfinite(xy).all(axis=1)
    if settings:
        one.prepare_index()
    list(one.answer(p.Lasso(everything, "replace")))
    np.testing.assert_array_equal(one.mask, truth & finite)
    list(one.answer(p.Category("obs:cell_type", 0, "replace")))
    np.testing.assert_array_equal(one.mask, truth & (one.dataset.codes("cell_type").codes == 0))
    (left_out,) = np.flatnonzero(~truth & finite)[:1]
    x, y = xy[left_out].astype(float)
    (cell,) = one.answer(p.Hover(x, y, 99.0, 99.0))
    distances = np.where(truth & finite, np.hypot(*(xy.astype(float) - (x, y)).T), np.inf)
    assert cell.message.row == int(np.argmin(distances))


@pytest.mark.parametrize("color", [None, "cell_type", "n_counts", "CD3E"])
@pytest.mark.parametrize("render", ["raster", "auto"])
def test_images_and_cells_of_a_view_are_those_of_a_dataset_with_those_cells_alone(color, render):
    data = small(N)
    truth = truth_of(data)
    filtered = Session(data, Settings(embedding="umap", color=color, filters=FILTERS, render=render, max_points=100))
    one = Session(data, Settings(embedding="umap", color=color, render=render, max_points=100))
    held, asked = one.held, p.Aggregate([-3.0, 3.0, -3.0, 3.0], 60, 50, 1.0, -1, False)
    held.prepare()
    rows = np.flatnonzero(truth)
    xy = data.embedding("umap")[rows]
    inside = ((xy >= -3) & (xy <= 3)).all(axis=1)
    frames = list(filtered.answer(asked))
    if frames[0].message.kind == "image":
        assert frames[0].message.n_inside == inside.sum()
    else:
        assert render == "auto"
        x0, x1, y0, y1 = frames[0].message.extent
        around = ((xy >= (x0, y0)) & (xy <= (x1, y1))).all(axis=1)
        assert sum(len(frame.arrays["xy"]) for frame in frames) == around.sum()


@pytest.mark.parametrize("max_points", [2_000_000, 100])
def test_pictures_of_the_kernel_show_those_alone_that_pass_and_count_them(max_points):
    one = session(max_points=max_points)
    count = int(truth_of(one.dataset).sum())
    _, key = still(one, None, (200, 200), paper=_paper())
    assert f"{count:,} of 1,000" in key.size
    painted, _ = painter_of(one, None, (200, 200))._sample_dots(None)
    truth = truth_of(one.dataset)
    assert len(painted.xy) == truth[one.held.point_rows].sum()


def _paper():
    from cxg_widget.color.paper import PAPERS

    return PAPERS["white"]


def test_how_many_pass_counts_what_the_legend_hides_and_the_points_do_not():
    one = Session(small(N), Settings(embedding="umap", color="cell_type", filters=FILTERS))
    (before,) = one.streams.filter()
    one.settings = Settings(
        embedding="umap", color="cell_type", hidden=("T cell",),
        filters=(*FILTERS, {"not": {"obs": "cell_type", "in": ["T cell"]}}),
    )  # fmt: skip
    (after,) = one.streams.filter()
    is_t = np.asarray(one.dataset.obs(["cell_type"])["cell_type"] == "T cell")
    assert after.message.n_passing == (truth_of(one.dataset) & ~is_t).sum() < before.message.n_passing
    assert after.message.seq > before.message.seq
    np.testing.assert_array_equal(after.arrays["bits"], before.arrays["bits"])


def test_a_stream_that_began_earlier_has_the_lower_number_whenever_its_mask_is_made():
    one = session()
    early, late = one.streams.filter(), one.streams.filter()
    first = next(early)
    one.settings = Settings(embedding="umap", color="cell_type")
    second = next(late)
    assert first.message.seq < second.message.seq
    assert second.arrays["bits"].size == 0


# What a page sends may be late or wrong.


@pytest.mark.parametrize(
    "sent",
    [
        {"hidden": ["T cell"]},
        {"filters": [{"obs": "donor name", "in": ["nosuch"]}]},
        {"filters": [{"obs": "nosuch", "range": [1, None]}]},
        {"filters": [{"query": "n_genes.to_csv('x') == 1"}]},
        {"hidden": ["T cell"], "filters": [{"obs": "gone", "in": [1]}]},
    ],
)
def test_what_a_page_sends_that_does_not_fit_is_said_and_nothing_of_it_stays(sent, widget):
    widget.color = "donor name"
    widget.filters["n_genes"] = (500, None)
    before = widget.state
    widget.set_state(sent)
    assert "error" in widget.front.kinds
    assert widget.state == before
    assert widget.filters.mask.any()


def test_filters_of_a_page_wait_for_what_they_read_and_hold_up_nothing_but_what_comes_after(monkeypatch):
    data = small(N)
    gate = Gate(data, "_read_obs")
    widget = recorded(data, monkeypatch, color=None)
    widget.set_state({"filters": [{"obs": "n_genes", "range": [500, None]}]})
    widget.set_state({"filters": [{"obs": "n_genes", "range": [900, None]}], "opacity": 0.25})
    widget.set_state({"opacity": 0.5, "point_size": 7.0})
    widget.point_size = 3
    assert (widget.filters.rules, widget.opacity) == ([], None)
    gate.open()
    widget.front.settle()
    assert widget.filters["n_genes"] == (900, None)
    assert (widget.opacity, widget.point_size) == (0.5, 3)  # in their order, and what Python set last stays
    np.testing.assert_array_equal(widget.filters.mask, data.numbers("n_genes") >= 900)
    widget.close()


@pytest.mark.parametrize("change", [{"hidden": ["T cell"]}, {"filters": []}, {"vmin": 1.0, "vmax": 2.0}])
def test_what_a_page_sends_beside_its_picture_is_taken(change, widget):
    widget.set_state({**change, "_snapshot": {"id": "a"}})
    assert {name: widget.trait_values()[name] for name in change} == change


def test_filters_of_a_mapping_are_of_the_layer_on_show(monkeypatch):
    widget = recorded(small(N), monkeypatch, color="cell_type")
    widget.filters = {"CD3E": (0.5, None), "query": "CD3E > 0.2"}
    np.testing.assert_array_equal(widget.filters.mask, widget.dataset.vector("CD3E").dense(N) >= 0.5)
    widget.close()


def test_masks_of_filters_that_are_gone_are_let_go(widget):
    widget.filter("n_genes > 300")
    for low in range(20):
        widget.filters["n_genes"] = (low, None)
        widget.set_state({"hidden": [["T cell"], ["B cell"]][low % 2]})
    assert len(widget._session.loader.crossfilter.masks) <= 3
    widget.close()
    assert not widget._session.loader.crossfilter.masks


WRONG_NUMBERS = [
    ("n_genes", (10**400, None)), ("cell_id", ["cell 1"]), ("index", ["cell 1"]), ("is_doublet", 1),
    ("n_genes", {"not": {"obs": "n_genes", "range": [3, None]}}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kept"), WRONG_NUMBERS)
def test_a_filter_whose_meaning_would_be_lost_is_refused(name, kept, widget):
    with pytest.raises(CxgWidgetError):
        widget.filters[name] = kept
    assert widget.filters.mask.all()


def test_labels_of_numbers_are_listed_as_they_are_kept():
    codes = np.arange(30, dtype=np.int8) % 3
    data = MemoryDataset(
        {"level": Codes(codes, (1.0, 2.0, 2.5))},
        np.zeros((30, 1), np.float32),
        ["G"],
        {"umap": np.zeros((30, 2), np.float32)},
    )
    widget = CxgWidget(data, color="level", hidden=["1"])
    assert widget.filters["level"] == [2.0, 2.5, None]
    np.testing.assert_array_equal(widget.filters.mask, codes != 0)
    widget.close()


def test_the_query_is_none_of_a_column_that_is_called_so():
    xy, column = np.zeros((30, 2), np.float32), np.arange(30) % 3
    data = MemoryDataset({"query": column}, np.zeros((30, 1), np.float32), ["G"], {"umap": xy})
    widget = CxgWidget(data, color=None)
    widget.filter("query > 0")
    widget.filters["query"] = [0, 1]
    np.testing.assert_array_equal(widget.filters.mask, column == 1)
    widget.filter(None)
    np.testing.assert_array_equal(widget.filters.mask, column < 2)
    widget.close()


def test_filters_say_what_they_are_in_a_few_lines_however_many_labels_they_keep(monkeypatch):
    data = small(5000)
    data._obs["donor name"] = np.array([f"donor {i}" for i in range(5000)], dtype=object)
    widget = recorded(data, monkeypatch, color=None, filters=[{"not": {"obs": "donor name", "in": ["donor 7"]}}])
    widget.filter(" or ".join(f"n_genes == {i}" for i in range(100)))
    said = repr(widget.filters)
    assert said.startswith("{'donor name': ['donor 0', ")
    assert len(said) < 1000
    assert len(widget.filters["donor name"]) == 5000
    widget.close()


def test_a_column_and_a_set_of_one_name_have_a_filter_each(monkeypatch):
    n = 100
    data = MemoryDataset(
        {"set:x": np.arange(n), "var:g": np.arange(n)}, np.arange(n, dtype=np.float32)[:, None], ["g"],
        {"umap": np.zeros((n, 2), np.float32)},
    )  # fmt: skip
    widget = recorded(data, monkeypatch)
    widget.filters["set:x"] = (10, None)
    assert widget.filters.mask.tolist() == (np.arange(n) >= 10).tolist()
    widget.sets.add("x", np.arange(n) < 50)
    widget.filters["set:x"] = True
    widget.filters["obs:var:g"] = (20, None)
    widget.filters["g"] = (None, 60.0)
    assert list(widget.filters) == ["obs:set:x", "set:x", "obs:var:g", "var:g"]
    assert widget.filters.mask.tolist() == ((np.arange(n) >= 20) & (np.arange(n) < 50)).tolist()
    assert (widget.filters["set:x"], widget.filters["obs:set:x"]) == (True, (10, None))
    del widget.filters["set:x"]
    assert list(widget.filters) == ["obs:set:x", "obs:var:g", "var:g"]
    widget.close()


@pytest.mark.parametrize("color", ["codes", "text"])
def test_a_category_called_missing_is_hidden_and_kept_apart_from_missing_values(color, monkeypatch):
    codes = np.array([0, 1, -1, 0], dtype=np.int8)
    text = np.array(["(missing)", "a", None, "(missing)"], dtype=object)
    data = MemoryDataset(
        {"codes": Codes(codes, ("(missing)", "a")), "text": text}, np.zeros((4, 1), np.float32), ["g"],
        {"umap": np.zeros((4, 2), np.float32)},
    )  # fmt: skip
    widget = recorded(data, monkeypatch, color=color)
    for hidden, passing in ((['"(missing)"'], codes != 0), ([MISSING_LABEL], codes != -1)):
        widget.hidden = hidden
        np.testing.assert_array_equal(widget.filters.mask, passing)
    for kept, passing in ((["(missing)"], codes == 0), ([None], codes == -1)):
        widget.filters[color] = kept
        np.testing.assert_array_equal(widget.filters.mask, passing)
    assert widget.hidden == ['"(missing)"', "a"]
    widget.close()
