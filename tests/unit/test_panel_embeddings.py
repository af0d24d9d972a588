"""Laws of panels with embeddings of their own: where cells lie there, what is sent once, what hands in them mean."""

import json
import threading

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.color.paper import PAPERS
from cxg_widget.draw.pages.page import draw_page
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.session.answers import select_later
from cxg_widget.session.pictures.figure_pages import Size
from cxg_widget.session.pictures.save_options import FigureOptions
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small
from tests.unit.test_early_lassos import box, recorded
from tests.unit.test_panels import MODULE, answered, bits_of

VIEW = {"width": 80, "height": 60, "diameter": 1.0, "highlighted": -1, "dark": False}


@pytest.fixture
def drawn(widget):
    """A widget whose page draws panels."""
    widget.front.ask(**MODULE)
    return widget


def sent_points(widget, start=0):
    """Return panel and bytes of each message with points."""
    sent = widget.front.settle().sent[start:]
    return [(one["panel"], sum(map(len, buffers))) for one, buffers in sent if one["kind"] == "points"]


def placed(frames):
    """Return where points lie by what was sent, (n, 2); NaN = nowhere."""
    codes = np.concatenate([one.arrays["xy"] for one in frames]).astype(float)
    x0, x1, y0, y1 = frames[0].message.extent
    codes[codes == p.MISSING_U16] = np.nan
    return np.array([x0, y0]) + codes / 65534 * np.array([x1 - x0, y1 - y0])


# What may be set.


def test_a_panel_takes_an_embedding_as_the_widget_does_and_state_and_undo_hold_it(widget):
    panel = widget.panel(embedding="X_pca")
    other = widget.panel(embedding=("n_genes", "CD3E"), color="CD3E", within={"donor name": ["d1"]})
    assert (panel.embedding, panel.color, widget.embedding) == ("pca", "cell_type", "umap")
    assert other.embedding == ["obs:n_genes", "var:CD3E"]
    again = CxgWidget(small(1000), **widget.state)
    assert [one.look for one in again.panels] == [one.look for one in widget.panels]
    again.close()
    panel.embedding = "umap"
    widget.undo()
    assert panel.embedding == "pca"
    other.remove()
    panel.remove()
    assert len(widget.panels) == 0


def test_an_embedding_that_a_panel_has_not_is_the_widgets_as_it_changes(widget):
    panel = widget.panel(color="CD3E")
    widget.embedding = "pca"
    assert panel.embedding == "pca"
    panel.embedding = "umap"
    panel.embedding = None
    assert "embedding" not in panel.look


@pytest.mark.parametrize("embedding", ["X_tsne", ("n_genes", "donor name"), ("n_genes", "nothing")])
def test_an_embedding_that_does_not_fit_is_refused_in_the_sentence_of_the_widget(widget, embedding):
    with pytest.raises((UnknownName, InvalidValue)) as of_widget:
        widget.embedding = embedding
    widget.panel(color="CD3E")
    before = widget.state
    with pytest.raises(type(of_widget.value)) as of_panel:
        widget.panel(embedding=embedding)
    assert str(of_panel.value) == str(of_widget.value)
    assert widget.state == before


def test_an_embedding_that_cannot_be_read_is_refused_and_what_is_on_show_stays():
    w = CxgWidget(small(100, broken=["emb/pca"]))
    with pytest.raises(Exception, match="pca cannot be read"):
        w.panel(embedding="pca")
    assert len(w.panels) == 0
    w.close()


def test_cells_that_dask_holds_have_no_panels_elsewhere_either(widget, monkeypatch):
    monkeypatch.setattr(type(widget._session.loader), "is_elsewhere", property(lambda _: True))
    with pytest.raises(InvalidValue, match="panels side by side are not available for cells that Dask's workers hold"):
        widget.panel(embedding="pca")


# What is sent.


def test_positions_are_sent_once_for_each_embedding_however_many_panels_show_it(drawn):
    n, start = drawn.dataset.n_obs, len(drawn.front.sent)
    drawn.grid(["cell_type", {"embedding": "pca"}, {"embedding": "pca", "color": "CD3E"},
                {"embedding": ("n_genes", "n_counts")}, {"embedding": "pca", "within": {"donor name": ["d1"]}},
                {"embedding": "umap", "color": "DENSE"}])  # fmt: skip
    assert sorted(sent_points(drawn, start)) == [(2, 4 * n), (4, 4 * n)]
    start = len(drawn.front.sent)
    drawn.panels[2].color = "MS4A1"
    drawn.panels[1].remove()  # the panel that they were sent to
    drawn.panel(embedding="pca", color="n_genes")
    assert sent_points(drawn, start) == []


def test_another_embedding_of_a_panel_costs_positions_alone(drawn):
    panel, n = drawn.panel(color="CD3E"), drawn.dataset.n_obs
    start = len(drawn.front.settle().sent)
    panel.embedding = "pca"
    sent = [(one["kind"], sum(map(len, buffers))) for one, buffers in drawn.front.settle().sent[start:]]
    assert [one for one in sent if one[0] != "cost"] == [("points", 4 * n)]
    start = len(drawn.front.sent)
    drawn.embedding = "pca"  # now the plot shows it too
    assert {panel for panel, _ in sent_points(drawn, start)} == {0}
    start = len(drawn.front.sent)
    drawn.embedding = "umap"  # and now no more
    assert sorted(sent_points(drawn, start)) == [(0, 4 * n), (panel.number, 4 * n)]


def test_the_positions_are_those_of_the_embedding_with_its_axes_and_what_cannot_be_drawn(widget):
    data = small(500)
    data._xy["pca"][:7] = np.nan
    w = CxgWidget(data, color="cell_type", axes=(0, 1))
    frames = answered(w, p.AskPlace(panel=w.panel(embedding="pca").number))
    rows, truth = w._session.held.order.rows, data._xy["pca"][:, :2]
    about = frames[0].message
    assert (about.embedding, about.place, about.axes, about.n_missing) == ("pca", ["pca"], [0, 1], 7)
    assert (about.panel, list(about.axis_labels)) == (2, list(data.axis_names("pca")))
    step = np.ptp(truth[7:], axis=0).max() / 65534
    np.testing.assert_allclose(placed(frames), truth[rows], atol=step)
    assert answered(w, p.AskPlace(panel=w.panel(embedding="umap", color="CD3E").number)) == []  # those of the plot
    w.close()


def test_points_close_by_are_those_of_the_panels_embedding(widget):
    panel, xy = widget.panel(embedding="pca"), widget.dataset.embedding("pca")
    frames = answered(widget, p.Zoom([-0.5, 0.5, -0.25, 0.25], panel=panel.number))
    rows = widget._session.held.order.rows[np.concatenate([one.arrays["index"] for one in frames])]
    inside = (np.abs(xy[:, 0]) <= 0.5) & (np.abs(xy[:, 1]) <= 0.25)
    np.testing.assert_array_equal(np.sort(rows), np.flatnonzero(inside))


def test_filters_and_parts_hold_whatever_the_embedding(widget):
    panel = widget.panel(embedding="pca", within={"donor name": ["d2"]})
    widget.filters["n_genes"] = (1000, None)
    obs = widget.dataset.obs(["donor name", "n_genes"])
    counts = ((obs["donor name"] == "d2") & (obs["n_genes"] >= 1000)).to_numpy()
    frame = answered(widget, p.AskLook(panel=panel.number))[-1]
    np.testing.assert_array_equal(
        bits_of(frame), (obs["donor name"] == "d2").to_numpy()[widget._session.held.order.rows]
    )
    assert frame.message.n_passing == np.count_nonzero(counts)
    (frame,) = answered(widget, p.Aggregate([-9.0, 9.0, -9.0, 9.0], **VIEW, panel=panel.number))
    assert frame.message.kind == "cells"
    drawn = np.unpackbits(frame.arrays["passing"], bitorder="little")[: len(frame.arrays["xy"])].sum() \
        if len(frame.arrays["passing"]) else len(frame.arrays["xy"])  # fmt: skip
    assert drawn == np.count_nonzero(counts)


# Hands.


def test_a_lasso_is_judged_in_the_embedding_of_its_panel_and_its_rule_names_that(widget):
    panel = widget.panel(embedding="pca", color="CD3E")
    answered(widget, p.Lasso(box(-0.5, 0.75, -1, 0.5), "replace", panel=panel.number))
    x, y = widget.dataset.embedding("pca").T
    inside = (x > -0.5) & (x < 0.75) & (y > -1) & (y < 0.5)
    np.testing.assert_array_equal(widget.selection.mask, inside)
    assert (widget.selection.rule["embedding"], widget.selection.rule["axes"]) == ("pca", [0, 1])
    answered(widget, p.Lasso(box(-99, 3), "intersect"))
    np.testing.assert_array_equal(widget.selection.mask, inside & (widget.dataset.embedding("umap")[:, 0] < 3))
    widget.sets.add("mine")
    again = CxgWidget(small(1000), **widget.state)
    np.testing.assert_array_equal(again.sets["mine"].mask, widget.selection.mask)
    again.close()


def test_a_lasso_that_waits_counts_while_its_panel_shows_what_it_was_drawn_in(widget):
    panel = widget.panel(embedding="pca")
    corners = box(-0.5, 0.75, -1, 0.5)
    later = select_later(widget._session, p.Lasso(corners, "replace", panel=panel.number))
    widget.embedding = ("n_genes", "n_counts")  # the plot's is another matter
    list(later())
    assert 0 < len(widget.selection) < 1000
    later = select_later(widget._session, p.Lasso(box(-99, 99), "replace", panel=panel.number))
    panel.embedding = "umap"
    with pytest.raises(Exception, match="other cells are shown"):
        list(later())


def test_a_cell_under_the_pointer_is_told_where_it_lies_in_every_other_embedding():
    data, row = small(1000), 7
    data._xy["umap"][9] = np.nan
    widget = CxgWidget(data, color="cell_type")
    panels = widget.grid(["cell_type", {"embedding": "pca"}, {"embedding": "pca", "color": "CD3E"}, "DENSE"])
    xy, pca = data.embedding("umap"), data.embedding("pca")

    def told(at, panel):
        (frame,) = answered(widget, p.Hover(float(at[0]), float(at[1]), 1e-4, 1e-4, panel=panel))
        return frame.message

    for number, here, others in ((panels[1].number, pca, {1: xy, 4: xy}), (4, xy, {2: pca, 3: pca})):
        cell = told(here[row], number)
        assert (cell.row, cell.panel) == (row, number)
        expected = {0 if one == 1 else one: places[row] for one, places in others.items()}
        assert {one for one, _, _ in cell.elsewhere} == set(expected)
        for one, *place in cell.elsewhere:
            np.testing.assert_array_equal(np.float32(place), expected[one])
    assert told(pca[9], 2).elsewhere == []  # in the plot it lies nowhere
    widget.close()


def test_the_table_tells_where_its_cells_lie_in_the_other_embeddings(widget):
    widget.panel(embedding="pca")
    (frame,) = answered(widget, p.AskTable({"sort": "n_genes"}, 5, 4))
    assert frame.message.panels == [2]
    np.testing.assert_array_equal(frame.arrays["elsewhere"][0], widget.dataset.embedding("pca")[frame.message.rows])


def test_zooming_to_cells_shows_where_they_are_in_each_embedding(drawn):
    drawn.grid(["cell_type", {"embedding": "pca"}, {"embedding": "pca", "color": "CD3E"}])
    rows = np.arange(0, 1000, 100)
    drawn.zoom_to(rows)
    (seen,) = drawn.views
    (x0, x1, y0, y1), pca = seen["view"], drawn.dataset.embedding("pca")[rows]
    assert seen["embedding"] == "pca"
    assert x0 <= pca[:, 0].min() < pca[:, 0].max() <= x1
    assert y0 <= pca[:, 1].min() < pca[:, 1].max() <= y1
    assert drawn.view[0] <= drawn.dataset.embedding("umap")[rows, 0].min()


# Images, names.


def test_an_image_is_of_the_cells_as_they_lie_in_the_panels_embedding():
    w = CxgWidget(small(4000), color="cell_type", render="raster")
    panel = w.panel(embedding="pca")
    view = [-0.75, 1.0, -0.5, 1.5]
    points = answered(w, p.AskPlace(panel=panel.number))[0].message
    (image,) = answered(w, p.Aggregate(view, **VIEW, panel=panel.number))
    x, y = w.dataset.embedding("pca").T
    inside = (x >= view[0]) & (x <= view[1]) & (y >= view[2]) & (y <= view[3])
    assert image.message.n_inside == np.count_nonzero(inside)
    assert (image.message.points_seq, image.message.panel) == (points.seq, panel.number)
    (plot,) = answered(w, p.Aggregate(view, **VIEW))
    assert plot.message.points_seq != points.seq
    w.close()


def test_two_indexes_that_are_made_at_once_do_not_end_each_other(monkeypatch):
    from cxg_widget.spatial import SpatialIndex

    w = CxgWidget(small(3000), color="cell_type", render="raster")
    umap = w.dataset.embedding("umap")
    both, build = threading.Barrier(2, timeout=60), SpatialIndex.build

    def together(xy, *, progress, cancelled):
        if not np.array_equal(xy, umap):
            both.wait()  # each has said by now that it is wanted
            both.wait()
        return build(xy, progress=progress, cancelled=cancelled)

    monkeypatch.setattr(SpatialIndex, "build", together)  # before the panels, whose indexes may be made ahead
    numbers = [w.panel(embedding=one).number for one in ("pca", ("n_genes", "n_genes"))]
    found = {}

    def ask(number):
        found[number] = answered(w, p.Aggregate([-9.0, 9.0, -9.0, 9.0], **VIEW, panel=number))

    threads = [threading.Thread(target=ask, args=(number,)) for number in numbers]
    for one in threads:
        one.start()
    for one in threads:
        one.join(90)
    assert {number: frames[0].message.kind for number, frames in found.items()} == dict.fromkeys(numbers, "image")
    w.close()


def test_names_stand_where_their_cells_are_densest_in_the_panels_embedding():
    rng = np.random.default_rng(4)
    group = np.repeat([0, 1], 200)
    center = {"one": [[0, 0], [9, 9]], "two": [[50, 70], [-40, 30]]}
    places = {name: np.array(at)[group] + rng.normal(scale=0.5, size=(400, 2)) for name, at in center.items()}
    data = MemoryDataset({"kind": np.array(["a", "b"], dtype=object)[group]}, np.zeros((400, 1), np.float32), ["g"],
                         {name: xy.astype(np.float32) for name, xy in places.items()})  # fmt: skip
    w = CxgWidget(data, color="kind")
    panel = w.panel(embedding="two")
    points = answered(w, p.AskPlace(panel=panel.number))[0].message
    (frame,) = answered(w, p.AskLabels("kind", panel=panel.number))
    assert frame.message.points_seq == points.seq
    found = dict(zip(frame.message.labels, placed([frame]), strict=True))
    for label, at in zip("ab", center["two"], strict=True):
        np.testing.assert_allclose(found[label], at, atol=2)
    w.close()


def test_a_page_of_the_kernel_shows_each_panel_whole_where_its_embedding_has_it(widget):
    widget.view = [0.0, 1.0, 0.0, 1.0]
    widget.grid(["cell_type", {"embedding": "pca"}, {"embedding": "umap", "color": "DENSE"}])
    plots = widget._session.page(FigureOptions((900.0, 400.0), dpi=96.0)).plots
    pca = widget.dataset.embedding("pca")
    x0, x1, y0, y1 = plots[1].view
    assert x0 <= pca[:, 0].min() < pca[:, 0].max() <= x1
    assert y0 <= pca[:, 1].min() < pca[:, 1].max() <= y1
    assert plots[0].view == plots[2].view
    assert plots[0].view[0] >= -1


def still_of(widget):
    pages = widget._session.stills(widget.view, PAPERS["white"], legend=False, most=1000)
    return draw_page(pages.page(Size((800.0, 400.0))))


def test_the_notebooks_picture_shows_a_panel_whole_in_its_embedding_wherever_the_plot_looks(widget):
    widget.view = [100.0, 101.0, 100.0, 101.0]  # beside all cells
    widget.grid(["cell_type", {"embedding": "pca"}])
    figure = still_of(widget)
    blue = np.abs(figure[:, :, :3].astype(int) - (0, 114, 178)).max(axis=2) < 8  # T cells
    assert np.count_nonzero(blue[:, :400]) == 0
    assert np.count_nonzero(blue[:, 400:]) > 500
    widget.views = [{"embedding": "pca", "view": [100.0, 101.0, 100.0, 101.0]}]
    blank = still_of(widget)
    assert np.ptp(blank[40:, :, :3].reshape(-1, 3), axis=0).max() == 0


# What is held.


def test_an_embedding_is_held_while_a_panel_shows_it_and_read_once():
    w = CxgWidget(small(5000), color="cell_type")
    memo = w._session.loader.memo
    w.grid(["cell_type", {"embedding": "pca"}, {"embedding": "pca", "color": "CD3E"}])
    for _ in range(2):
        for panel in w.panels:
            answered(w, p.Lasso(box(0, 1), "replace", panel=panel.number if panel.look else 0))
    assert w.dataset.reads.count("emb/pca") == w.dataset.reads.count("emb/umap") == 1
    assert set(memo._made["xy"]) == {("umap", (0, 1)), ("pca", (0, 1))}
    assert sum(one.nbytes for one in memo._made["xy"].values()) == 2 * 8 * 5000
    w.panels.clear()
    assert set(memo._made["xy"]) == {("umap", (0, 1))}
    answered(w, p.Lasso(box(0, 1), "replace"))
    assert w.dataset.reads.count("emb/umap") == 1
    w.close()


def test_indexes_are_held_for_the_embeddings_on_show_alone(monkeypatch):
    w = recorded(small(3000), monkeypatch, color="cell_type", render="raster")
    memo = w._session.loader.memo
    panel = w.panel(embedding="pca")
    for number in (0, panel.number):
        answered(w, p.Aggregate([-9.0, 9.0, -9.0, 9.0], **VIEW, panel=number))
    assert set(memo._made["indexed"]) == {("umap", (0, 1)), ("pca", (0, 1))}
    assert not memo._made["xy"]  # the indexes hold the coordinates
    panel.remove()
    assert set(memo._made["indexed"]) == {("umap", (0, 1))}
    w.close()


# Where one looks.


def test_a_state_shows_panels_of_another_embedding_where_they_looked(widget):
    pca = {"embedding": "pca", "view": [-1.0, 1.0, -2.0, 2.0]}
    widget.panel(embedding="pca")
    steps = widget.steps
    widget.views = [pca]
    assert widget.steps == steps  # where one looks is no step
    state = json.loads(json.dumps(widget.state))
    again = CxgWidget(small(1000), **state)
    assert again.views == [pca]
    late = CxgWidget(small(1000))
    late.state = state
    assert late.views == [pca]
    assert late._session.settings.of_panel(2).view == (-1.0, 1.0, -2.0, 2.0)
    assert late._session.settings.of_panel(0).view is None
    late.embedding = "pca"  # which has a view of its own
    assert late.views == []
    again.panels.clear()
    assert again.views == []
    for bad, said in (([{"embedding": "tsne", "view": None}], "tsne"), ([{"view": [0, 1, 0, 1]}], "views must be")):
        with pytest.raises((UnknownName, InvalidValue), match=said):
            widget.views = bad
    assert widget.views == [pca]
    again.close()
    late.close()
