"""Laws of selections; expected values come from numpy and pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cxg_widget.compute.bits import pack_mask
from cxg_widget.datasets.base.dataset import Column
from cxg_widget.errors import SelectionError, UnknownName
from cxg_widget.rules.advice import named_columns
from cxg_widget.selection.pandas_query import pandas_mask
from cxg_widget.selection.selection import SelectedCells, combine, mask_of
from tests.memory import small

masks = arrays(np.bool_, 37)


@given(masks, masks)
def test_modes_are_set_operations(old, new):
    as_set = lambda mask: set(np.flatnonzero(mask))  # noqa: E731
    assert as_set(combine(old, new, "replace")) == as_set(new)
    assert as_set(combine(old, new, "add")) == as_set(old) | as_set(new)
    assert as_set(combine(old, new, "subtract")) == as_set(old) - as_set(new)
    assert as_set(combine(old, new, "intersect")) == as_set(old) & as_set(new)


def test_combining_leaves_both_masks_alone():
    old, new = np.array([True, False]), np.array([True, True])
    for mode in ("replace", "add", "subtract", "intersect"):
        combine(old, new, mode)[:] = False
    assert (old.tolist(), new.tolist()) == ([True, False], [True, True])


@given(arrays(np.bool_, st.integers(0, 100)))
def test_packed_bits_are_read_back_bit_by_bit(mask):
    packed = pack_mask(mask)
    assert packed.size == -(-mask.size // 8)
    assert [bool(packed[i >> 3] >> (i & 7) & 1) for i in range(mask.size)] == mask.tolist()


def test_rows_are_sorted_distinct_int64():
    data = small(50)
    cells = SelectedCells(data, mask_of([7, 3, 7], data))
    assert cells.rows.dtype == np.int64
    assert cells.rows.tolist() == [3, 7]
    assert len(cells) == 2
    with pytest.raises(ValueError, match="read-only"):
        cells.mask[0] = True


def test_selected_cells_are_called_by_their_rows_where_the_index_cannot_be_read():
    data = small(40, broken={"obs/cell_id"})
    with pytest.warns(UserWarning, match="obs index 'cell_id'"):
        frame = SelectedCells(data, mask_of([7, 3], data)).obs(["n_genes"])
    assert frame.index.tolist() == [3, 7]
    assert frame["n_genes"].tolist() == small(40).numbers("n_genes")[[3, 7]].tolist()


def test_masks_rows_and_labels_name_the_same_cells():
    data = small(50)
    expected = np.isin(np.arange(50), [1, 5, 49])
    for what in (
        expected,
        expected.tolist(),
        pd.Series(expected),
        [1, 5, 49],
        np.array([49, 1, 5], dtype=np.uint8),
        {1, 5, 49},
        ["cell 1", "cell 5", "cell 49"],
        pd.Index(["cell 49", "cell 1", "cell 5"]),
        SelectedCells(data, expected),
    ):
        np.testing.assert_array_equal(mask_of(what, data), expected)
    assert mask_of("cell 3", data).nonzero()[0].tolist() == [3]


def test_a_boolean_series_is_matched_by_its_labels_not_by_its_order():
    data = small(50)
    series = pd.Series(False, index=[f"cell {i}" for i in range(50)])
    series["cell 7"] = True
    np.testing.assert_array_equal(mask_of(series.iloc[::-1], data).nonzero()[0], [7])


@pytest.mark.parametrize("dtype", ["str", object, "string[python]", "category"])
def test_a_boolean_series_is_matched_by_labels_of_every_type(dtype):
    data, rng = small(60), np.random.default_rng(3)
    labels = pd.Index([f"cell {i}" for i in range(60)]).astype(dtype)
    series = pd.Series(rng.random(60) < 0.5, index=labels)
    for order in (np.arange(60), rng.permutation(60)):
        np.testing.assert_array_equal(mask_of(series.iloc[order], data), series.to_numpy())
    wrong = series.set_axis(labels.astype(object).where(labels != "cell 9", "cell 99")) | True
    with pytest.raises(SelectionError, match="no cell 'cell 99'"):
        mask_of(wrong, data)


def test_a_boolean_series_without_labels_is_matched_by_its_order():
    series = pd.Series([False, True, False], index=[2, 1, 0])
    assert mask_of(series, small(3)).tolist() == [False, True, False]


def test_nothing_selects_nothing():
    data = small(50)
    for nothing in ([], np.zeros(50, dtype=bool), np.array([], dtype=int)):
        assert not mask_of(nothing, data).any()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([True] * 49, "mask has 49 values, but the dataset has 50 cells"),
        ([50], "row 50 is not in the dataset"),
        ([-1], "row -1 is not in the dataset"),
        (["cell 5", "cell x"], "no cell 'cell x'"),
        ([1.5], "cannot select by float64"),
        ([[1, 2], [3]], "several lengths"),
        (np.zeros((2, 2, 2), dtype=bool), "one-dimensional"),
    ],
)
def test_what_names_no_cells_is_refused_in_one_sentence(wrong, sentence):
    with pytest.raises(SelectionError, match=sentence):
        mask_of(wrong, small(50))


@pytest.mark.parametrize(
    "query",
    [
        "n_counts > 500",
        "n_counts > 500 and is_doublet",
        "cell_type == 'B cell' or n_genes < 1000",
        "cell_type in ['T cell', 'B cell']",
        "`donor name` == 'd1'",
        "is_doublet",
        "n_counts.isna()",
        "cell_id == 'cell 3'",
        "index == 'cell 3'",
    ],
)
def test_a_query_selects_what_pandas_selects(query):
    data = small(300)
    frame = data.obs()
    expected = frame.index.isin(frame.query(query, engine="python").index)
    assert expected.any()
    np.testing.assert_array_equal(pandas_mask(query, data), expected)


def test_a_query_reads_only_the_columns_it_names():
    data = small(300)
    pandas_mask("n_counts > 500 and `donor name` != 'n_genes'", data)
    assert set(data.reads) == {"obs/n_counts", "obs/donor name"}
    assert named_columns("a == 'b' and `c d` > 1", ["a", "b", "c d", "c"]) == ["a", "c d"]


def test_quotes_in_a_name_and_backticks_in_a_string_are_told_apart():
    columns = ["it's", 'a/b "c".d é', "x", "z"]
    query = """`it's` > 0 and `a/b "c".d é` == 'z' or x == "`z`" """
    assert named_columns(query, columns) == ["it's", 'a/b "c".d é', "x"]


def test_a_query_knows_the_variables_of_its_caller():
    data, limit = small(50), 500
    expected = data.obs()["n_counts"].to_numpy() > limit
    np.testing.assert_array_equal(pandas_mask("n_counts > @limit", data), expected)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ("n_count > 5", "Did you mean 'n_counts'"),
        ("`donor nam` == 'd1'", "no obs column 'donor nam'; .*Did you mean 'donor name'"),
        ("n_counts > @limit", "local variable 'limit' is not defined"),
        ("n_counts >", "is no complete expression, such as"),
        ("n_counts", "true or false for each cell"),
        ("", "pandas query string"),
        (5, "pandas query string"),
    ],
)
def test_a_query_that_cannot_be_answered_is_refused_in_one_sentence(wrong, sentence):
    with pytest.raises(SelectionError, match=sentence):
        pandas_mask(wrong, small(50))


def test_labels_that_are_not_there_are_counted_and_so_are_all_cells():
    dataset = small(5000)
    with pytest.raises(SelectionError, match=r"\(5,000 in all\)\. .*2 more are missing too\."):
        mask_of(["cell 1", "cell x", "cell y", "cell z"], dataset)


def test_a_query_that_another_language_would_take_is_answered_with_that_of_pandas():
    for wrong, meant in [
        ("cell_type = 'B cell'", "cell_type == 'B cell'"),
        ("cell_type == B cell", "cell_type == 'B cell'"),
        ("n_counts > 500 && is_doublet", "n_counts > 500 and is_doublet"),
        ("n_counts > 500 AND NOT is_doublet", "n_counts > 500 and not is_doublet"),
        ("!is_doublet || n_counts > 500", "not is_doublet or n_counts > 500"),
        ("donor name == 'd1'", "`donor name` == 'd1'"),
        ("`donor name` == d1", "`donor name` == 'd1'"),
        ("cell_type == 'T = B' and n_genes = 3", "cell_type == 'T = B' and n_genes == 3"),
    ]:
        with pytest.raises(SelectionError) as said:
            pandas_mask(wrong, small(50))
        assert f"Did you mean query={meant!r}?" in str(said.value), said.value
        pandas_mask(meant.replace("not is", "~is"), small(50))


def test_keywords_of_a_call_are_no_assignments():
    data = small(300)
    found = pandas_mask("cell_type.str.contains('b', case=False) == True", data)
    np.testing.assert_array_equal(found, data.obs()["cell_type"].str.contains("b", case=False).eq(True).to_numpy())


def test_a_query_knows_genes_by_their_names_beside_obs_columns():
    data = small(300)
    cd3e, counts = data.vector("CD3E").dense(300), data.numbers("n_counts")
    np.testing.assert_array_equal(pandas_mask("CD3E > 0.5 and n_counts > 300", data), (cd3e > 0.5) & (counts > 300))
    CD3E = 5.0  # noqa: N806, F841 - a variable of the caller with the name of a gene
    np.testing.assert_array_equal(pandas_mask("n_counts > @CD3E", data), counts > 5)


@pytest.mark.parametrize(
    ("what", "meant"),
    [
        ("B cell", "It is a value of obs column 'cell_type': select({'cell_type': 'B cell'})."),
        ("d1", "It is a value of obs column 'donor name': select({'donor name': 'd1'})."),
        ("Bcell", "Did you mean select({'cell_type': 'B cell'})?"),
        ("cell_type", "It is an obs column; write select({'cell_type': value}) with one of its values."),
        ("CD3E", "It is a gene: select(w.dataset.values('CD3E') > 0)."),
    ],
)
def test_a_text_that_is_no_label_is_answered_with_what_would_select(what, meant):
    with pytest.raises(SelectionError) as said:
        mask_of(what, small(50))
    assert str(said.value) == f"no cell {what!r}. {meant}"


def test_a_text_most_like_a_label_or_one_of_several_is_answered_with_labels():
    for what in ("cell x", ["cell 1", "B cell"]):
        with pytest.raises(SelectionError, match="the obs index has 'cell 0'"):
            mask_of(what, small(50))


def test_a_frame_is_answered_with_its_index():
    with pytest.raises(SelectionError, match=r"select\(frame\.index\)"):
        mask_of(small(5).obs(), small(5))


def test_genes_come_beside_obs_columns_as_float32_in_the_order_asked_for():
    data = small(50)
    rows = [7, 3, 12, 40]
    cells = SelectedCells(data, mask_of(rows, data))
    found = cells.obs(["MS4A1", "n_counts", "CD3E", "var:DENSE", "obs:n_genes", "pair"])
    assert list(found.columns) == ["MS4A1", "n_counts", "CD3E", "var:DENSE", "obs:n_genes", "pair"]
    assert found.index.equals(data.obs().index[sorted(rows)])
    for column, gene in [("MS4A1", "MS4A1"), ("CD3E", "CD3E"), ("var:DENSE", "DENSE")]:
        expected = data._x[sorted(rows), data._genes.tolist().index(gene)]
        np.testing.assert_array_equal(found[column], expected)
        assert found[column].dtype == np.float32
    np.testing.assert_allclose(found["pair"], data._x[sorted(rows), :2].mean(axis=1), rtol=1e-6)
    pd.testing.assert_frame_equal(found[["n_counts"]], data.obs().iloc[sorted(rows)][["n_counts"]])
    assert SelectedCells(data, np.zeros(50, dtype=bool)).obs(["CD3E"]).shape == (0, 1)


def test_an_obs_column_comes_before_a_gene_of_its_name():
    data = small(50)
    data.obs_columns["CD3E"] = Column("CD3E", "int")
    data._obs["CD3E"] = np.arange(50)
    cells = SelectedCells(data, mask_of([3, 7], data))
    assert cells.obs("CD3E")["CD3E"].tolist() == cells.obs("obs:CD3E")["obs:CD3E"].tolist() == [3, 7]
    assert cells.obs("var:CD3E")["var:CD3E"].tolist() == data._x[[3, 7], 0].tolist()


@pytest.mark.parametrize(("wrong", "sentence"), [("CD3", "'CD3E'"), ("n_gene", "'n_genes'"), (3, "no obs column 3")])
def test_what_is_neither_column_nor_gene_is_answered_with_the_nearest(wrong, sentence):
    data = small(50)
    with pytest.raises(UnknownName, match=sentence):
        SelectedCells(data, mask_of([3], data)).obs([wrong])


def test_a_row_of_a_dataset_without_rows_is_refused_in_a_sentence_that_is_true():
    with pytest.raises(SelectionError, match="row 0 is not in the dataset; it has no rows"):
        mask_of([0], small(0))
