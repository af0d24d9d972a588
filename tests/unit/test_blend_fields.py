"""Laws of the fields of a map of two or three genes; expected values come from numpy and pandas."""

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, errors
from cxg_widget.rules.rule import mask_of
from cxg_widget.wire import protocol as p
from tests.memory import small

GENES = ["CD3E", "MS4A1", "DENSE"]
N_OBS = 3_000


def parts_of(dataset, genes, top, *, log=False):
    """The part of each gene by equal steps from 0 (log: the least number above 0) to a quantile."""
    n_parts, found = 5 - len(genes), []
    for gene in genes:
        values = dataset.vector(gene).dense(N_OBS).astype(float)
        low, high = values[values > 0].min() if log else 0.0, np.quantile(values, top)
        bounds = (np.geomspace if log else np.linspace)(low, high, n_parts + 1)[1:-1]
        found.append(np.searchsorted(bounds, values, side="left"))
    return found


def truth(parts, words, mask):
    frame = pd.DataFrame({i: pd.Categorical.from_codes(one, words) for i, one in enumerate(parts)})
    return frame[mask].groupby(list(frame), observed=False).size().tolist()


@pytest.mark.parametrize(("genes", "scale"), [(GENES[:2], "linear"), (GENES[:2], "log"), (GENES, "linear")])
def test_fields_are_counted_as_pandas_counts_equal_parts_of_the_limits_of_each_gene(genes, scale):
    dataset = small(N_OBS)
    vmin = 0 if scale == "linear" else None
    w = CxgWidget(dataset, color=genes, blend="colors", vmin=vmin, vmax="p99", scale=scale)
    numbers = dataset.numbers("n_genes")
    middle = np.quantile(numbers, 0.6)
    w.filters["n_genes"] = (None, middle)
    w.select({"cell_type": "B cell"})
    words = ["low", "middle", "high"] if len(genes) == 2 else ["low", "high"]
    parts = parts_of(dataset, genes, 0.99, log=scale == "log")
    found = w.counts(genes)
    assert found.index.names == genes
    assert found["all"].tolist() == truth(parts, words, np.full(N_OBS, True))
    assert found["filtered"].tolist() == truth(parts, words, numbers <= middle)
    assert found["selected"].tolist() == truth(parts, words, w.selection.mask)
    assert found["selected"].sum() > 0
    told = next(w._session.answer(p.AskFields(panel=0)))
    assert told.arrays["filtered"].tolist() == found["filtered"].tolist()
    assert told.arrays["selected"].tolist() == found["selected"].tolist()


def test_genes_that_are_not_on_show_are_counted_and_what_is_on_show_is_kept():
    w = CxgWidget(small(N_OBS), color="cell_type")
    coloring = w._session.coloring()
    found = w.counts(GENES[:2])
    assert w._session.coloring() is coloring
    with pytest.raises(errors.InvalidValue, match="the plot shows another color"):
        next(w._session.answer(p.AskFields(panel=0)))
    w.color, w.blend = GENES[:2], "colors"
    pd.testing.assert_frame_equal(found, w.counts(GENES[:2]))
    assert found["all"].sum() == N_OBS
    with pytest.raises(errors.InvalidValue, match=r"a list of two or three genes; found \['CD3E'\]"):
        w.counts(["CD3E"])


def test_each_cell_is_of_one_field_which_selects_by_a_rule_of_ranges_and_combines_with_filters():
    dataset, genes = small(N_OBS), ["MS4A1", "DENSE"]
    w = CxgWidget(dataset, color=genes, blend="colors", vmin=0, vmax="p99")
    first, second = parts_of(dataset, genes, 0.99)
    seen = np.zeros(N_OBS, dtype=int)

    def select(code):
        list(w._session.answer(p.Category(color="blend:MS4A1,DENSE", code=code, mode="replace")))

    for code in range(9):
        select(code)
        expected = (first == code // 3) & (second == code % 3)
        np.testing.assert_array_equal(w.selection.mask, expected)
        assert [one["var"] for one in w.selection.rule["and"]] == genes
        np.testing.assert_array_equal(mask_of(w.selection.rule, dataset), expected)
        seen += expected
    assert (seen == 1).all()
    w.filters["cell_type"] = ["B cell"]
    select(0)
    passing = dataset.obs(["cell_type"], index=False)["cell_type"].to_numpy() == "B cell"
    np.testing.assert_array_equal(w.selection.mask, (first == 0) & (second == 0) & passing)
    with pytest.raises(errors.SelectionError):
        select(9)


def test_cells_without_a_number_of_any_gene_are_of_no_field_and_come_last():
    dataset = small(N_OBS)
    dataset._x[5:9, 3] = [np.nan, np.inf, -np.inf, np.nan]
    w = CxgWidget(dataset, color=["MS4A1", "DENSE"], blend="colors")
    found = w.counts(["MS4A1", "DENSE"])["all"]
    assert found.size == 10
    assert (found.iloc[-1], found.sum()) == (4, N_OBS)
    assert found.index[-1] == (np.nan, np.nan) or found.index[-1:].isna().all()
    list(w._session.answer(p.Category(color="blend:MS4A1,DENSE", code=-1, mode="replace")))
    assert np.flatnonzero(w.selection.mask).tolist() == [5, 6, 7, 8]
