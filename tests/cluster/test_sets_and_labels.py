"""Every public call of sets, annotations and undo on Dask: as without a cluster, or refused in a sentence."""

import hashlib
import io

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.color.paper import PAPERS
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.wire.protocol import Hover
from tests.stills import still

BOX = [[-1, -1], [2, -1], [2, 1.5], [-1, 1.5]]
REGION = {"minus": [{"set": "lasso"}, {"query": "n_genes > 2000"}]}
SAME = {
    "select": lambda w: w.select(np.arange(w.dataset.n_obs) % 3 == 0),
    "name the selection": lambda w: w.sets.add("some"),
    "name by values": lambda w: w.sets.add("T", {"cell_type": "T cell"}),
    "name a gate": lambda w: w.sets.add("inner", {"is_doublet": True}, within="T"),
    "lasso": lambda w: w.select(polygon=BOX),
    "rule of a lasso": lambda w: w.selection.rule,
    "name a lasso": lambda w: w.sets.add("lasso"),
    "algebra": lambda w: ~((w.sets["lasso"] | w.sets["T"]) - w.sets["inner"] & w.sets["some"]),
    "keep": lambda w: w.sets.__setitem__("kept", w.sets["lasso"] - w.sets["T"]),
    "rule": lambda w: w.sets["kept"].rule,
    "obs": lambda w: w.sets["kept"].obs(["cell_type", "score"]),
    "frame": lambda w: w.sets.frame(),
    "apply": lambda w: w.sets.apply(REGION),
    "apply to a gene": lambda w: w.sets.apply({"var": w.dataset.var_names[0], "range": [0.5, None]}),
    "apply in vain": lambda w: w.sets.apply({"and": [{"set": "no"}, {"obs": "none", "in": [1]}]}),
    "recolor": lambda w: w.sets.recolor("T", "red"),
    "colors": lambda w: w.sets.colors,
    "rename a set": lambda w: w.sets.rename("inner", "within"),
    "filter": lambda w: w.filters.__setitem__("set:T", False),
    "what passes": lambda w: w.filters.mask,
    "zoom": lambda w: (w.zoom_to("T"), w.view)[1],
    "zoom to none": lambda w: w.zoom_to([]),
    "contours": lambda w: setattr(w, "contours", ["T", "lasso"]),
    "difference": lambda w: setattr(w, "difference", ["T", "lasso"]),
    "no filters": lambda w: w.filters.clear(),
    "new": lambda w: w.annotations.new("mine"),
    "new of a column": lambda w: w.annotations.new("types", of="cell_type"),
    "label the selection": lambda w: w.annotations["mine"].assign("a"),
    "label a set": lambda w: w.annotations["mine"].assign("b", w.sets["T"]),
    "label values": lambda w: w.annotations["mine"].assign("c", {"is_doublet": True}),
    "rename": lambda w: w.annotations["mine"].rename("c", "d"),
    "merge": lambda w: w.annotations["mine"].merge(["a", "d"], "e"),
    "series": lambda w: w.annotations["mine"].series(),
    "counts": lambda w: w.counts("mine"),
    "color": lambda w: setattr(w, "color", "mine"),
    "in the region and not labelled e": lambda w: (
        w.select(w.sets["lasso"]), w.select({"mine": ["e"]}, "subtract"), w.selection.mask,
    )[2],
    "delete": lambda w: w.annotations["mine"].delete("e"),
    "labels then": lambda w: w.annotations["mine"].series(),
    "log": lambda w: w.annotations["mine"].log().drop(columns="at"),
    "into obs": lambda w: w.annotations.save(into="obs"),
    "two columns": lambda w: setattr(w, "embedding", ("n_genes", "score")),
    "lasso there": lambda w: w.select(polygon=[[0, -1], [2500, -1], [2500, 2], [0, 2]]),
    "its rule": lambda w: w.sets.add("by columns").rule,
    "color by a set": lambda w: (setattr(w, "color", "sets:T"), legend(w)),
    "color by sets": lambda w: (setattr(w, "color", "sets"), legend(w)),
    "hide one": lambda w: (setattr(w, "hidden", ["T"]), legend(w), setattr(w, "hidden", [])),
    "other cells": lambda w: (w.sets.__setitem__("T", {"cell_type": "B cell"}), legend(w), w.undo(), legend(w)),
    "forget a set": lambda w: w.sets.__delitem__("T"),
    "what compared it": lambda w: (w.contours, w.difference),
}  # fmt: skip


def legend(w):
    """What the legend counts, what an image of all cells shows, and what the pointer tells of one in no crowd."""
    holder = w._session.loader.of(w._session.settings)
    coloring = holder.coloring()
    image = still(w._session, None, (60, 40), paper=PAPERS["white"])[0]
    counts, n_missing = coloring.counts()
    drawn = hashlib.sha256(image.tobytes()).hexdigest()
    x, y = map(float, holder.coordinates(np.array([11]))[0])
    cell = next(w._session.answer(Hover(x, y, 1e-3, 1e-3))).message
    assert cell.row == 11
    assert cell.value
    selected = holder.count_selected(w.selection.mask).tolist()
    return coloring.labels, list(map(int, counts)), n_missing, selected, drawn, cell


REFUSED = {
    "grid": lambda w: w.grid(["cell_type", "score"]),
    "split": lambda w: w.split("is_doublet"),
    "panel": lambda w: w.panel(color="score"),
}


def told(call, widget):
    """Return what a call gives, or the error, as what can be compared."""
    try:
        found = call(widget)
    except CxgWidgetError as error:
        return type(error), str(error)
    if isinstance(found, pd.DataFrame | pd.Series):
        text = io.StringIO()
        found.to_csv(text)
        return text.getvalue()
    found = getattr(found, "mask", found)
    return np.packbits(found).tobytes() if isinstance(found, np.ndarray) else repr(found)


@pytest.fixture
def both(client, store):
    widgets = CxgWidget(store, render="raster"), CxgWidget(store, dask=client)
    yield widgets
    for one in widgets:
        one.close()


def test_all_calls_of_sets_and_labels_have_the_same_results_on_dask_and_can_be_undone(both, tmp_path):
    alone, shared = both
    first = [one.state for one in both]
    for name, call in SAME.items():
        said = told(call, shared)
        assert said == told(call, alone), name
        assert not (name.startswith("color by") and "Error" in str(said)), said
        np.testing.assert_array_equal(shared.selection.mask, alone.selection.mask)
    for which, one in zip(("alone", "shared"), both, strict=True):
        one.annotations.save(tmp_path / f"{which}.csv")
    lines = [(tmp_path / f"{which}.csv").read_text("utf-8") for which in ("alone", "shared")]
    assert lines[0] == lines[1]
    names = list(shared.annotations.load(tmp_path / "alone.csv"))
    assert names == ["mine", "types"]
    for one, state in zip(both, first, strict=True):
        while one.undo():
            pass
        assert {**one.state, "view": None} == {**state, "view": None}
        assert not one.selection.mask.any()
        while one.redo():
            pass
    np.testing.assert_array_equal(shared.selection.mask, alone.selection.mask)


def test_features_that_dask_lacks_are_refused_by_name_and_change_nothing(both):
    _, shared = both
    shared.sets.add("T", {"cell_type": "T cell"})
    state, undone = shared.state, shared.steps["undo"]
    for name, call in REFUSED.items():
        with pytest.raises(InvalidValue, match="Dask"):
            call(shared)
        assert (shared.state, shared.steps["undo"]) == (state, undone), name
