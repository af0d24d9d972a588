"""Laws of panels side by side: what each shows, what is sent for it, what hands in it mean."""

import io

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.color.palettes import category_palette
from cxg_widget.display.looks import MOST_PANELS, title_of
from cxg_widget.errors import CxgWidgetError, InvalidOption, InvalidValue, ProtocolError, UnknownName
from cxg_widget.wire import protocol as p
from cxg_widget.wire.parsing import parse
from tests.memory import MemoryDataset, small
from tests.unit.test_early_lassos import box
from tests.unit.test_encoding import decode

MODULE = {"kind": "module", "known": []}


def answered(widget, message):
    return list(widget._session.answer(message))


def sent(widget, start=0):
    return [(content["kind"], content.get("panel", 0)) for content, _ in widget.front.settle().sent[start:]]


def bits_of(frame):
    return np.unpackbits(frame.arrays["bits"], bitorder="little")[: frame.message.n_points].astype(bool)


# The list.


def test_a_panel_is_added_beside_the_plot_and_the_last_one_leaves_it_alone(widget):
    panel = widget.panel(color="CD3E", cmap="magma", vmax="p99")
    assert len(widget.panels) == 2
    assert widget.panels[1] == panel
    assert widget.panels[0].look == {}
    assert (panel.color, panel.cmap, panel.vmax, panel.vmin) == ("CD3E", "magma", "p99", None)
    assert widget.panels[0].color == widget.color == "cell_type"
    panel.color = "MS4A1"
    assert widget.panels[1].color == "MS4A1"
    panel.remove()
    assert len(widget.panels) == 0
    assert "panels" not in widget.state
    with pytest.raises(UnknownName, match="was removed"):
        panel.color = "CD3E"


def test_a_grid_is_a_panel_for_each_color_of_which_the_first_is_the_plot_and_one_step(widget):
    panels = widget.grid(["CD3E", "MS4A1", ["CD3E", "DENSE"], {"color": "n_genes", "vmin": 300}])
    assert [one.color for one in panels] == ["CD3E", "MS4A1", ["CD3E", "DENSE"], "n_genes"]
    assert widget.color == "CD3E"
    assert panels[3].vmin == 300
    again = CxgWidget(small(1000), **widget.state)
    assert [one.look for one in again.panels] == [one.look for one in panels]
    again.close()
    widget.undo()
    assert widget.color == "cell_type"
    assert len(widget.panels) == 0
    widget.redo()
    widget.panels.clear()
    assert len(widget.panels) == 0


def test_a_split_is_a_panel_for_each_category_and_follows_the_colors_of_the_widget(widget):
    panels = widget.split("donor name")
    assert [one.within for one in panels] == [{"obs": "donor name", "in": [f"d{i}"]} for i in range(4)]
    widget.color = "CD3E"
    assert {one.color for one in widget.panels} == {"CD3E"}
    assert len(widget.split("donor name", ["d2", "d0"])) == 2


def test_a_split_takes_labels_as_the_legend_has_them_and_cells_without_a_value_and_names_what_says_nothing_alone():
    obs = {"batch": np.array(["1", "2", None, "1"], dtype=object), "is_in": np.array([True, False, True, True])}
    w = CxgWidget(MemoryDataset(obs, np.zeros((4, 1), np.float32), ["g"], {"umap": np.zeros((4, 2), np.float32)}))
    for asked, meant in (["1", 2, None], ["1", "2", None]), (["(missing)", np.nan, 2.0], [None, None, "2"]), (2, ["2"]):
        assert [one.within["in"] for one in w.split("batch", asked)] == [[one] for one in meant]
    assert [title_of(look, "", "cells") for look in w.split("batch", [1, None]).looks] == ["batch 1", "(missing)"]
    assert [title_of(look, "", "cells") for look in w.split("is_in").looks] == ["is_in False", "is_in True"]
    with pytest.raises(UnknownName, match=r"'3'.*obs column 'batch'.*'7'"):
        w.split("batch", ["3", "7"])
    w.annotations.new("empty")
    with pytest.raises(InvalidValue, match="'empty' has none"):
        w.split("empty")
    w.close()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda w: w.panel(color="CD3"), UnknownName, "CD3"),
        (lambda w: w.panel(colour="CD3E"), UnknownName, "'colour'"),
        (lambda w: w.panel(cmap="magma"), InvalidValue, "needs a color"),
        (lambda w: w.panel(color="CD3E", cmap=["red", "blue"]), InvalidValue, "must be a name"),
        (lambda w: w.panel(color="CD3E", vmin=3, vmax=1), InvalidValue, "vm"),
        (lambda w: w.panel(), InvalidValue, "one panel is the plot itself"),
        (lambda w: w.panel(within={"cell_typ": ["T cell"]}), UnknownName, "cell_type"),
        (lambda w: w.panel(within={"set:a": True}), InvalidValue, "within"),
        (lambda w: w.grid("CD3E"), InvalidValue, "list of colors"),
        (lambda w: w.grid(["CD3", "MS4A1"]), UnknownName, "CD3"),
        (lambda w: w.grid(["CD3E"] * (MOST_PANELS + 1)), InvalidValue, f"at most {MOST_PANELS} panels"),
        (lambda w: w.split("n_genes"), InvalidValue, "holds numbers"),
        (lambda w: w.split("donor"), UnknownName, "donor name"),
        (lambda w: w.split("donor name", ["d9"]), UnknownName, "d9"),
        (lambda w: setattr(w.panels, "x", 1) or setattr(w, "panels", "CD3E"), InvalidValue, "list"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_one_sentence_and_what_is_on_show_stays(widget, call, error, said):
    widget.panel(color="MS4A1")
    before = widget.state
    with pytest.raises(error, match=said):
        call(widget)
    assert widget.state == before


def test_a_misspelt_setting_of_a_panel_is_refused(widget):
    with pytest.raises(InvalidOption, match="Did you mean 'color'"):
        widget.panel(color="CD3E").colour = "MS4A1"


def test_a_column_of_too_many_categories_is_refused_and_some_of_them_can_be_shown():
    obs = {"clone": np.array([f"c{i:02}" for i in range(20)], dtype=object)}
    x, xy = np.zeros((20, 1), np.float32), {"umap": np.zeros((20, 2), np.float32)}
    w = CxgWidget(MemoryDataset(obs, x, ["g"], xy))
    with pytest.raises(InvalidValue, match=r"'clone' has 20\. w\.split\('clone', values="):
        w.split("clone")
    assert len(w.split("clone", [f"c{i:02}" for i in range(12)])) == 12
    w.close()


# What is sent.


def test_a_panel_is_sent_its_values_alone_positions_and_selection_are_those_of_all(widget):
    data = widget.dataset
    widget.front.ask(**MODULE)
    start = len(widget.front.sent)
    widget.grid(["cell_type", "CD3E", "MS4A1", "DENSE", "n_genes", "donor name"])
    told = sent(widget, start)
    assert not {kind for kind, _ in told} & {"points", "selection", "dataset"}
    assert sorted({panel for kind, panel in told if kind == "color"}) == [2, 3, 4, 5, 6]
    n_bytes = sum(sum(map(len, buffers)) for content, buffers in widget.front.sent[start:]
                  if content["kind"] in ("codes", "values", "nonzeros"))  # fmt: skip
    assert n_bytes <= 5 * 2 * data.n_obs + 4 * 3 * data.n_obs  # two bytes of numbers, four of what is not zero

    for panel, gene in ((2, "CD3E"), (4, "DENSE")):
        frames = answered(widget, p.AskLook(panel=panel))
        assert {frame.message.panel for frame in frames} == {panel}
        legend, values = frames[0].message, decode(frames[1:-1], data.n_obs)
        truth = data.values(gene)[widget._session.held.order.rows]
        step = (legend.hi - legend.lo) / 65534
        assert legend.name == gene
        assert np.abs(legend.lo + values * step - truth).max() <= step


def test_what_a_page_does_not_draw_yet_is_not_sent_until_it_asks(widget):
    start = len(widget.front.settle().sent)
    widget.panel(color="CD3E")
    assert "color" not in {kind for kind, _ in sent(widget, start)}


def test_only_what_changed_is_sent_anew(widget):
    widget.front.ask(**MODULE)
    widget.grid(["cell_type", "CD3E", "donor name"])
    start = len(widget.front.settle().sent)
    widget.panels[1].vmax = 3
    widget.panels[2].remove()
    assert [one for one in sent(widget, start) if one[0] != "cost"] == []
    widget.panels[1].color = "MS4A1"
    assert {one for one in sent(widget, start) if one[0] != "cost"} == {("color", 2), ("nonzeros", 2), ("filter", 2)}
    start = len(widget.front.sent)
    widget.grid(["CD3E", "donor name"])
    widget.front.settle()
    start = len(widget.front.sent)
    widget.palette = ["#ff0000", "#00ff00", "#0000ff", "#000000"]
    (content,) = [one for one, _ in widget.front.settle().sent[start:] if one["kind"] == "palette" and one["panel"]]
    assert content["colors"] == category_palette(["d0", "d1", "d2", "d3"], {}, widget.palette)


def test_a_part_is_sent_which_points_are_its_own_and_colors_none(widget):
    data = widget.dataset
    donors = data.obs(["donor name"])["donor name"].to_numpy()[widget._session.held.order.rows]
    for panel, donor in zip(widget.split("donor name"), ["d0", "d1", "d2", "d3"], strict=True):
        (frame,) = answered(widget, p.AskLook(panel=panel.number))
        np.testing.assert_array_equal(bits_of(frame), donors == donor)
        assert frame.message.n_passing == np.count_nonzero(donors == donor)


def test_what_the_legend_of_the_plot_hides_is_left_out_of_a_panel_of_another_color(widget):
    data = widget.dataset
    panel = widget.panel(color="CD3E")
    widget.hidden = ["B cell"]
    frame = answered(widget, p.AskLook(panel=panel.number))[-1]
    types = data.obs(["cell_type"])["cell_type"].astype(object).to_numpy()[widget._session.held.order.rows]
    np.testing.assert_array_equal(bits_of(frame), types != "B cell")


# Hands.


def test_a_lasso_in_a_part_selects_of_its_cells_and_all_panels_share_the_selection(widget):
    widget.panel(color="CD3E")
    part = widget.split("donor name")[1]
    corners = box(-1, 3, -1, 3)
    answered(widget, p.Lasso(corners, "replace", panel=part.number))
    xy, donors = widget._session.held.xy(), widget.dataset.obs(["donor name"])["donor name"].to_numpy()
    inside = (xy > -1).all(axis=1) & (xy < 3).all(axis=1)
    np.testing.assert_array_equal(widget.selection.mask, inside & (donors == "d1"))


def test_the_pointer_finds_cells_of_its_part_and_tells_the_value_of_its_panel(widget):
    data, xy = widget.dataset, widget._session.held.xy()
    panel = widget.grid(["cell_type", "DENSE"])[1]
    row = 7
    ask = p.Hover(float(xy[row, 0]), float(xy[row, 1]), 1e-4, 1e-4, panel=panel.number)
    (frame,) = answered(widget, ask)
    assert frame.message.row == row
    assert float(frame.message.value) == pytest.approx(data.values("DENSE")[row], rel=1e-2)
    parts = widget.split("donor name")
    found = [
        answered(widget, p.Hover(*map(float, xy[row]), 1e-4, 1e-4, panel=one.number))[0].message.row for one in parts
    ]
    assert found == [row if donor == "d3" else -1 for donor in ("d0", "d1", "d2", "d3")]


def test_an_image_of_a_panel_is_of_its_color_and_its_cells():
    w = CxgWidget(small(4000), color="cell_type", render="raster")
    parts = w.split("donor name")
    donors = w.dataset.obs(["donor name"])["donor name"].to_numpy()
    ask = {"view": [-5.0, 11.0, -5.0, 12.0], "width": 80, "height": 60, "diameter": 1.0, "highlighted": -1,
           "dark": False, "hidden": [], "density": "eq_hist", "weight": 0.0, "statistic": "auto",
           "filtered": "hide"}  # fmt: skip
    counted = []
    for panel in parts:
        (frame,) = answered(w, p.Aggregate(**ask, panel=panel.number))
        assert frame.message.kind == "image"
        assert frame.message.panel == panel.number
        counted.append(frame.message.n_inside)
    np.testing.assert_array_equal(counted, [np.count_nonzero(donors == one) for one in ("d0", "d1", "d2", "d3")])
    panel = w.grid(["cell_type", "CD3E"])[1]
    (frame,) = answered(w, p.Aggregate(**ask, panel=panel.number))
    assert frame.message.content == "numbers"
    assert frame.message.n_inside == 4000
    w.close()


@pytest.mark.usefixtures("plain_datashader")
def test_a_statistic_of_pixels_is_that_of_the_cells_and_the_gene_of_each_panel():
    w = CxgWidget(small(4000), color="n_counts", render="raster", statistic="std")
    xy, values = w._session.held.xy(), np.asarray(w.dataset.values("DENSE"), float)
    donors = w.dataset.obs(["donor name"])["donor name"].to_numpy()
    x0, x1, y0, y1 = view = [-5.0, 11.0, -5.0, 12.0]
    cells = pd.DataFrame({
        "column": ((xy[:, 0] - x0) / (x1 - x0) * 16).astype(int),
        "line": ((y1 - xy[:, 1]) / (y1 - y0) * 12).astype(int),
        "value": values,
    })  # fmt: skip
    for panel, mine in (
        (w.panel(color="DENSE"), donors != ""),
        (w.panel(color="DENSE", within={"donor name": ["d1"]}), donors == "d1"),
    ):
        (frame,) = answered(w, p.Aggregate(
            view=view, width=16, height=12, diameter=1.0, highlighted=-1, dark=False, hidden=[], density="eq_hist",
            weight=0.0, statistic="std", filtered="hide", panel=panel.number,
        ))  # fmt: skip
        assert frame.message.statistic == "standard deviation"
        image = np.asarray(Image.open(io.BytesIO(frame.arrays["png"].tobytes())).convert("RGBA")).astype(int)
        lo, hi = frame.message.scale[:2]
        shown = lo + (image[..., 0] * 256 + image[..., 1]) / 65534 * (hi - lo)
        for (column, line), found in cells[mine].groupby(["column", "line"])["value"]:
            assert shown[line, column] == pytest.approx(found.std(ddof=0), abs=1e-3 * max(hi, 1))
    w.close()


# What is held.


def test_a_panel_holds_its_coloring_alone_and_lets_go_of_it_when_it_goes():
    widget = CxgWidget(small(20_000, sparse=False), color="cell_type")
    widget._session.prepare()  # as it does by itself, soon
    memo = widget._session.loader.memo
    widget.grid(["cell_type", "CD3E", "DENSE"])
    for color in ("cell_type", "CD3E", "DENSE"):
        assert memo.held("coloring", (color, None)) is not None
    n = widget.dataset.n_obs  # a histogram and quantiles, of any n, are 8 KB
    assert memo.held("coloring", ("DENSE", None)).nbytes <= 4.5 * n
    assert memo.held("coloring", ("CD3E", None)).nbytes <= 4.5 * n
    assert [len(memo._made.get(slot, {})) for slot in ("xy", "order", "bounds")] == [1, 1, 1]
    widget.panels.clear()
    widget.color = "MS4A1"
    assert list(memo._made["coloring"]) == [("MS4A1", None)]
    widget.close()


def test_nothing_is_read_twice_as_panels_take_turns(widget):
    widget.grid(["cell_type", "CD3E", "MS4A1"])
    reads = list(widget.dataset.reads)
    for _ in range(2):
        for panel in widget.panels:
            answered(widget, p.AskLook(panel=panel.number))
    assert widget.dataset.reads == reads


def test_requests_of_which_there_is_one_are_about_panel_0_and_a_panel_that_is_gone_is_overtaken(widget):
    with pytest.raises(ProtocolError, match="panel 3; there is panel 0 alone"):
        parse({"id": 1, "kind": "count", "panel": 3})
    widget.front.ask(kind="look", panel=9)
    (content,) = [one for one, _ in widget.front.sent if one["kind"] == "error"]
    assert content["type"] == "Overtaken"


def test_cells_that_dask_holds_have_no_panels_and_that_is_said(widget, monkeypatch):
    monkeypatch.setattr(type(widget._session.loader), "is_elsewhere", property(lambda _: True))
    with pytest.raises(InvalidValue, match="Dask's workers"):
        widget.panel(color="CD3E")


def test_a_panel_of_labels_or_of_a_gene_set_goes_when_these_do(widget):
    widget.annotations.new("mine")
    widget.genes.sets = {"both": ["CD3E", "MS4A1"]}
    widget.grid(["cell_type", "mine", "both", "CD3E"])
    del widget.genes.sets["both"]
    assert [one.color for one in widget.panels] == ["cell_type", "mine", "CD3E"]
    widget.undo()
    assert len(widget.panels) == 4


def test_panels_follow_labels_that_are_renamed_joined_or_deleted_and_undo_brings_them_back(widget, tmp_path):
    mine = widget.annotations.new("m", of="cell_type")
    widget.split("m")
    kinds = mine.labels
    before = widget.state

    def parts():
        widget.save(tmp_path / "page.png", dpi=20)
        other = CxgWidget(small(1000), **widget.state)
        assert other.state == widget.state
        other.save(tmp_path / "other.png", dpi=20)
        other.close()
        return [one["within"]["in"][0] for one in widget.panels.looks]

    mine.rename(kinds[0], "x")
    assert parts() == ["x", *kinds[1:]]
    mine.merge([kinds[1], kinds[2]], "y")
    assert parts() == ["x", "y", *kinds[3:]]
    mine.delete("x")
    assert parts() == ["y", *kinds[3:]]
    widget.panel(color="m", embedding="pca")
    widget.panel(color="CD3E", within={"m": ["y"]})
    del widget.annotations["m"]
    assert [{**one, "id": 0} for one in widget.panels.looks] == [{"id": 0, "embedding": "pca"}]
    while widget.undo() and widget.state != before:
        widget.front.settle()
    assert widget.state == before


def test_a_panel_of_a_column_or_set_that_there_is_not_is_refused_in_a_state_too(widget):
    before = widget.state
    for within in ({"obs": "no such", "in": ["x"]}, {"set": "a", "of": "1"}, {"obs": "cell_type", "in": ["x"]}):
        with pytest.raises(CxgWidgetError):
            widget.state = {"panels": [{"within": within}]}
        with pytest.raises(CxgWidgetError):
            CxgWidget(small(100), panels=[{"within": within}])
        assert widget.state == before
