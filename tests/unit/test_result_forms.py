"""Results as frames of polars and tables of Arrow: the same numbers, in the form of the table that is shown."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import InvalidValue, MissingDependency
from cxg_widget.table import forms
from tests.memory import MemoryDataset

N = 120
RNG = np.random.default_rng(6)
FRAME = pd.DataFrame(
    {
        "x": RNG.normal(size=N), "y": RNG.normal(size=N), "all": np.array(["a", "b", "c"])[np.arange(N) % 3],
        "score": RNG.normal(size=N), "gene_A": RNG.poisson(2.0, N) / 2, "gene_B": RNG.poisson(1.0, N) / 2,
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def widget():
    obs = {
        "all": Codes((np.arange(N) % 3).astype(np.int8), ("a", "b", "c")),
        "cluster": np.arange(N) % 4,
        "score": FRAME["score"].to_numpy(),
    }
    x = FRAME[["gene_A", "gene_B"]].to_numpy(np.float32)
    shown = CxgWidget(MemoryDataset(obs, x, ["A", "B"], {"umap": FRAME[["x", "y"]].to_numpy(np.float32)}))
    shown.select(np.arange(40))
    yield shown
    shown.close()


CALLS = {
    "counts": lambda w, **form: w.counts("all", **form),
    "counts of numbers": lambda w, **form: w.counts("score", **form),
    "counts of integers": lambda w, **form: w.counts("cluster", **form),
    "composition": lambda w, **form: w.composition("all", np.arange(50), **form),
    "compare": lambda w, **form: w.compare(np.arange(50)).frame(**form),
    "explorer": lambda w, **form: w.compare(np.arange(50), method="explorer").frame(**form),
    "markers": lambda w, **form: w.markers(by="all", method="wilcoxon").frame(**form),
}


@pytest.mark.parametrize("name", CALLS)
def test_polars_and_arrow_have_the_rows_of_pandas_with_their_index_as_columns(name, widget):
    expected = CALLS[name](widget)
    assert isinstance(expected, pd.DataFrame)
    levels = [expected.index.get_level_values(at).astype(str) for at in range(expected.index.nlevels)]
    for form, kind in (("polars", pl.DataFrame), ("arrow", pa.Table)):
        found = CALLS[name](widget, form=form)
        assert isinstance(found, kind)
        columns = found.to_dict(as_series=False) if form == "polars" else found.to_pydict()
        values = list(columns.values())
        for level, column in zip(levels, values[: len(levels)], strict=True):
            assert [str(one) for one in column] == level.tolist()
        assert list(columns)[len(levels) :] == list(expected.columns)
        for column, of_pandas in zip(values[len(levels) :], expected.columns, strict=True):
            np.testing.assert_array_equal(np.array(column, dtype=float), expected[of_pandas].to_numpy(float))


def test_a_level_that_is_called_as_a_column_gets_a_name_of_its_own(widget):
    assert widget.counts("all", form="polars").columns == ["all_", "all", "filtered", "selected"]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (FRAME, pd.DataFrame),
        (pl.from_pandas(FRAME), pl.DataFrame),
        (pa.Table.from_pandas(FRAME), pa.Table),
        ({name: column.to_numpy() for name, column in FRAME.items()}, pd.DataFrame),
    ],
    ids=["pandas", "polars", "arrow", "dict"],
)
def test_results_have_the_form_of_the_table_that_is_shown(source, kind, tmp_path):
    widget = CxgWidget(source, var="gene_")
    assert isinstance(widget.counts("all"), kind)
    assert isinstance(widget.composition("all", np.arange(20)), kind)
    found, markers = widget.compare(np.arange(20)), widget.markers(by="all")
    for one in (found, markers, markers["a"]):
        assert isinstance(one.frame(), kind)
        assert isinstance(one.frame(form="pandas"), pd.DataFrame)
    markers.to_csv(tmp_path / "markers.csv")
    read = pd.read_csv(tmp_path / "markers.csv").drop(columns=["group"]).iloc[:, 1:]
    np.testing.assert_allclose(read, markers.frame(form="pandas").to_numpy(), rtol=1e-12)
    widget.close()


def test_a_form_that_there_is_not_is_one_sentence_before_anything_is_read(widget, monkeypatch):
    widget.dataset.reads.clear()
    with pytest.raises(InvalidValue, match=r"no form 'polar'.*Did you mean 'polars'"):
        widget.counts("score", form="polar")
    monkeypatch.setattr(forms, "find_spec", lambda name: None if name == "polars" else name)
    with pytest.raises(MissingDependency, match="form='polars' needs polars: pip install polars"):
        widget.composition("score", form="polars")
    assert widget.dataset.reads == []
