"""Cells by any way to name them, in every call that takes cells; expected masks come from pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.errors import CxgWidgetError
from tests.memory import MemoryDataset

N = 200
LIMIT = 0.5


@pytest.fixture
def widget():
    rng = np.random.default_rng(0)
    obs = {
        "donor": Codes(rng.integers(0, 3, N).astype(np.int8), ("D1", "D2", "D3")),
        "score": rng.normal(size=N).astype(np.float32),
    }
    xy = rng.normal(size=(N, 2)).astype(np.float32)
    found = CxgWidget(MemoryDataset(obs, rng.random((N, 2)).astype(np.float32), ["CD3E", "TYMP"], {"umap": xy}))
    found.sets.add("mine", {"donor": ["D1"]})
    found.select({"donor": "D2"})
    yield found
    found.close()


def selected(widget, what):
    widget.select(what)
    return widget.selection.mask


def added(widget, what):
    return widget.sets.add("new", what).mask


def put(widget, what):
    widget.sets["put"] = what
    return widget.sets["put"].mask


def labelled(widget, what):
    labels = widget.annotations.new("labels")
    labels.assign("yes", what)
    return (labels.series() == "yes").to_numpy()


def counted(widget, what):
    """Where cells are compared, their number and their mean of a gene are known alone."""
    found = widget.compare(what, method="wilcoxon")
    return found.frame()["n_a"].iloc[0], found.frame()["mean_a"].sort_index().to_numpy()


def marked(widget, what):
    found = widget.markers(what, method="wilcoxon")
    return found.frame()["n_a"].iloc[0], found.frame()["mean_a"].sort_index().to_numpy()


def within(widget, what):
    widget.select(np.ones(N, dtype=bool), within=what)
    return widget.selection.mask


def meant(frame):
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    d1, high = frame["donor"] == "D1", frame["score"] > 0
    return {
        "mine": d1,
        "selection": frame["donor"] == "D2",
        "score > 0": high,
        "score > 0 and donor == 'D1'": high & d1,
        "score.isna()": frame["score"].isna(),
        "~(score < 0) & donor.isin(['D1', 'D3'])": ~(frame["score"] < 0) & frame["donor"].isin(["D1", "D3"]),
        "filter": frame["score"] >= -1,
        "score > @LIMIT": frame["score"] > LIMIT,
        "a label": pd.Series(np.arange(N) == 3),
        "values": d1,
        "mask": high,
        "rows": pd.Series(np.arange(N) < 5),
        "rule": d1,
        "set": d1,
        "polygon": None,
    }, {
        "a label": frame.index[3], "values": {"donor": "D1"}, "mask": high.to_numpy(), "rows": np.arange(5),
        "rule": {"obs": "donor", "in": ["D1"]}, "polygon": corners,
    }  # fmt: skip


@pytest.mark.parametrize("take", [selected, added, put, labelled, counted, marked, within])
def test_all_calls_that_take_cells_take_the_same(widget, take):
    widget.filters["score"] = (-1, None)
    frame = widget.dataset.obs()
    genes = np.column_stack([widget.dataset.values(name) for name in ("CD3E", "TYMP")])
    xy = widget.dataset.embedding("umap")
    expected, given = meant(frame)
    expected["polygon"] = pd.Series((np.abs(xy) <= 1).all(axis=1))
    given["set"] = widget.sets["mine"]
    for name, series in expected.items():
        mask = series.to_numpy()
        what = given.get(name, name)
        if take not in (counted, marked):
            found = take(widget, what)
            np.testing.assert_array_equal(found, mask, err_msg=name)
        elif mask.any():
            n, means = take(widget, what)
            assert n == mask.sum()
            np.testing.assert_allclose(means, genes[mask].mean(axis=0, dtype=float), rtol=1e-6)
        for made in ("new", "put"):
            if made in widget.sets:
                del widget.sets[made]
        if "labels" in widget.annotations:
            del widget.annotations["labels"]
        widget.select({"donor": "D2"})


def test_cells_that_are_looked_at_or_told_of_are_the_same_too(widget):
    widget.filters["score"] = (-1, None)
    frame, xy = widget.dataset.obs(), widget.dataset.embedding("umap")
    expected, given = meant(frame)
    expected["polygon"] = pd.Series((np.abs(xy) <= 1).all(axis=1))
    given["set"] = widget.sets["mine"]
    for name, series in expected.items():
        mask = series.to_numpy()
        if not mask.any():
            continue
        what = given.get(name, name)
        counted = frame.loc[mask & (frame["score"] >= -1).to_numpy(), "donor"].value_counts()
        assert widget.composition("donor", what)["n"].to_dict() == counted.to_dict(), name
        told = widget.composition("donor", mask, within=what)["n"].to_dict()
        assert told == frame.loc[mask, "donor"].value_counts().to_dict(), name
        widget.zoom_to(what)
        x0, x1, y0, y1 = widget.view
        low, high = xy[mask].min(axis=0), xy[mask].max(axis=0)
        assert x0 <= low[0], name
        assert x1 >= high[0], name
        assert y0 <= low[1], name
        assert y1 >= high[1], name
        np.testing.assert_allclose([x0 + x1, y0 + y1], low + high, atol=1e-3, err_msg=name)


@pytest.mark.parametrize("name", ["selection", "filter"])
def test_the_words_for_the_selection_and_the_filters_come_before_a_set_of_that_name(widget, name):
    widget.filters["donor"] = ["D2"]  # as is selected
    widget.sets.add(name, [0, 1, 2])
    is_d2 = (widget.dataset.obs()["donor"] == "D2").to_numpy()
    for take in (selected, within):
        np.testing.assert_array_equal(take(widget, name), is_d2)
        widget.select({"donor": "D2"})
    assert widget.select(widget.sets[name]).rows.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ({"donor": ["D1", "D3"]}, "donor D1, D3"),
        ("score > 0", "query score > 0"),
        ("mine", "mine"),
        ({"minus": [{"obs": "score", "range": [0, None]}, {"set": "mine"}]}, "score from 0 but not in mine"),
        ([(-1, -1), (1, -1), (1, 1), (-1, 1)], "a polygon"),
        (None, "the selection"),
    ],
)
def test_a_result_names_cells_as_they_were_given(widget, what, name):
    assert f"{name} (" in widget.compare(what, method="wilcoxon").description
    some = widget.compare([0, 1, 2, 3, 4], method="wilcoxon", within=what) if what is not None else None
    assert some is None or f"cells of {name}" in some.description


def test_sets_and_labels_of_queries_and_sets_keep_their_rule(widget):
    widget.sets.add("high", "score > 0")
    assert widget.sets["high"].rule == {"query": "score > 0"}
    widget.sets.add("again", "mine")
    assert widget.sets["again"].rule == {"obs": "donor", "in": ["D1"]}
    widget.select("mine")
    assert widget.selection.rule == {"obs": "donor", "in": ["D1"]}


def test_a_name_near_that_of_a_set_is_refused_with_that_set(widget):
    with pytest.raises(CxgWidgetError, match=r"does not name cells; give .*\. Did you mean 'mine'\?"):
        widget.select("my mine")
    assert len(widget.selection) == (widget.dataset.obs()["donor"] == "D2").sum()
