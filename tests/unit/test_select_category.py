"""Laws of selecting in the legend: a category is all its cells, and the selection is counted as all cells are."""

import numpy as np
import pandas as pd
import pytest

from cxg_widget.display.settings import Settings
from cxg_widget.errors import SelectionError
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import small
from tests.unit.test_early_lassos import recorded


def session(color, *, n_obs=1000, **settings):
    return Session(small(n_obs), Settings(embedding="umap", color=color, **settings))


def choose(one, code, mode="replace"):
    (frame,) = one.answer(p.Category("obs:cell_type", code, mode))
    return frame.message.n_selected


def binned(values, chosen):
    """The chosen of these numbers in 64 equal bins of all, and in 64 of those above 0, equal by logarithm."""
    positive, finite = values > 0, np.isfinite(values)
    whole, logs = values[finite], np.log(values[positive])
    return [
        *np.histogram(values[chosen & finite], bins=64, range=(whole.min(), whole.max()))[0],
        *np.histogram(np.log(values[chosen & positive]), bins=64, range=(logs.min(), logs.max()))[0],
    ]


def counted(one):
    (frame,) = one.answer(p.Count())
    return frame.message, frame.arrays["counts"].tolist()


@pytest.mark.parametrize("settings", [{}, {"max_points": 100}, {"hidden": ("T cell", p.MISSING_LABEL)}])
def test_every_category_and_the_missing_one_is_all_its_cells_sent_or_not_hidden_or_not(settings):
    one = session("cell_type", **settings)
    column = one.dataset.obs(["cell_type"])["cell_type"]
    for code, category in [(-1, None), *enumerate(column.cat.categories)]:
        truth = column.isna() if category is None else column == category
        assert choose(one, code) == truth.sum() > 0
        np.testing.assert_array_equal(one.mask, truth)


def test_categories_add_subtract_and_intersect():
    one = session("cell_type")
    codes = one.dataset.obs(["cell_type"])["cell_type"].cat.codes.to_numpy()
    choose(one, 0)
    assert choose(one, -1, "add") == np.isin(codes, [0, -1]).sum()
    assert choose(one, 0, "subtract") == (codes == -1).sum()
    one.select(np.arange(codes.size) < 300)
    assert choose(one, 1, "intersect") == (codes[:300] == 1).sum()


@pytest.mark.parametrize(("color", "code"), [("obs:donor", 0), ("obs:cell_type", 99), ("obs:cell_type", -2)])
def test_a_category_of_another_legend_is_refused_and_the_selection_stays(color, code):
    one = session("cell_type")
    choose(one, 1)
    before = one.mask.copy()
    with pytest.raises(SelectionError, match="choose the category again"):
        list(one.answer(p.Category(color, code, "replace")))
    np.testing.assert_array_equal(one.mask, before)


def test_who_observes_the_selection_is_told_of_a_category(monkeypatch):
    widget = recorded(small(), monkeypatch, color="cell_type")
    seen = []
    widget.on_selection(lambda selection: seen.append(len(selection)))
    widget.front.ask(kind="category", color="obs:cell_type", code=0, mode="replace")
    truth = (widget.dataset.obs(["cell_type"])["cell_type"].cat.codes == 0).sum()
    assert (seen, widget.n_selected, len(widget.selection)) == ([truth], truth, truth)
    assert widget.front.kinds == ["selection"]
    widget.close()


@pytest.mark.parametrize("settings", [{}, {"max_points": 100}])
def test_the_selection_is_counted_by_category(settings):
    one = session("cell_type", **settings)
    mask = np.arange(1000) % 3 == 0
    one.select(mask)
    list(one.streams.selection())
    message, counts = counted(one)
    column = one.dataset.obs(["cell_type"])["cell_type"][mask]
    assert counts == column.value_counts(sort=False).tolist()
    assert message.n_missing == column.isna().sum()
    assert (message.seq, message.selection_seq) == (
        one.display.number("color"),
        one.display.number("selection"),
    )


@pytest.mark.parametrize("sparse", [True, False])
def test_the_selection_of_a_gene_is_counted_in_the_bins_of_all(sparse):
    dataset = small(3000, sparse=sparse)
    one = Session(dataset, Settings(embedding="umap", color="CD3E"))
    values = dataset.values("CD3E")
    for mask in (np.arange(3000) % 7 == 2, values > 0, values == 0, np.zeros(3000, bool)):
        one.select(mask)
        message, counts = counted(one)
        assert counts == binned(values, mask)
        assert message.n_missing == 0


def test_numbers_that_are_missing_are_counted_apart():
    dataset = small(1000)
    column = next(one.name for one in dataset.obs_columns.values() if one.kind == "float")
    one = Session(dataset, Settings(embedding="umap", color=column))
    values = dataset.obs([column])[column].to_numpy(float)
    mask = np.arange(1000) % 2 == 0
    one.select(mask)
    message, counts = counted(one)
    assert counts == binned(values, mask)
    assert message.n_missing == (mask & np.isnan(values)).sum()


def test_without_a_coloring_there_is_nothing_to_count():
    one = session(None)
    one.select(np.ones(1000, bool))
    message, counts = counted(one)
    assert (counts, message.n_missing) == ([], 0)


def test_counting_reads_no_more_than_the_legend_did():
    one = session("cell_type")
    list(one.streams.color())
    before = list(one.dataset.reads)
    one.select(np.ones(1000, bool))
    counted(one)
    choose(one, 0)
    assert one.dataset.reads == before
    assert pd.Series(one.dataset.reads).value_counts()["obs/cell_type"] == 1
