"""Cells by values of their columns; expected masks come from pandas."""

import numpy as np
import pandas as pd
import pytest

from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.errors import SelectionError
from cxg_widget.rules.rule import mask_of as mask_of_rule
from cxg_widget.selection.selection import mask_of
from tests.memory import MemoryDataset, small

N = 300


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(1)
    text = np.array([None if i % 7 == 0 else f"d{i % 4}" for i in range(N)], dtype=object)
    obs = {
        "cell_type": Codes(rng.integers(-1, 3, N).astype(np.int8), ("T cell", "B cell", "NK cell")),
        "leiden": Codes(rng.integers(0, 4, N).astype(np.int8), (0, 1, 2, 10)),
        "cluster": Codes(rng.integers(0, 3, N).astype(np.int8), ("0", "1", "2")),
        "flag": rng.random(N) < 0.3,
        "maybe": Codes(rng.integers(-1, 2, N).astype(np.int8), (False, True)),
        "donor": text,
        "n_genes": rng.integers(0, 9, N),
        "big": rng.integers(0, 3, N) + 2**60,
        "score": np.where(rng.random(N) < 0.2, np.nan, rng.integers(0, 5, N) / 10).astype(np.float32),
    }
    xy = {"umap": rng.normal(size=(N, 2)).astype(np.float32)}
    return MemoryDataset(obs, np.zeros((N, 2), np.float32), ["CD3E", "TYMP"], xy)


def test_a_value_or_several_of_a_column_select_what_isin_selects(data):
    obs = data.obs()
    for column, values in [
        ("cell_type", "B cell"),
        ("cell_type", ["B cell", "NK cell"]),
        ("cell_type", {"B cell"}),
        ("cell_type", pd.Index(["T cell"])),
        ("leiden", 10),
        ("leiden", np.int64(2)),
        ("leiden", (0, 1)),
        ("cluster", "1"),
        ("flag", True),
        ("flag", [True, False]),
        ("flag", np.True_),
        ("maybe", False),
        ("donor", "d1"),
        ("donor", np.array(["d0", "d3"])),
        ("n_genes", 3),
        ("n_genes", range(2, 5)),
        ("n_genes", 3.0),
        ("big", 2**60 + 1),
        ("score", np.float32(0.3)),
        ("cell_id", ["cell 4", "cell 9"]),
        ("cell_type", []),
    ]:
        listed = [values] if np.ndim(values) == 0 and not isinstance(values, set) else list(values)
        series = obs.index.to_series() if column == "cell_id" else obs[column]
        expected = series.isin(listed).to_numpy()
        assert expected.any() or not listed, column
        np.testing.assert_array_equal(mask_of({column: values}, data), expected, err_msg=f"{column} {values}")


def test_a_float_is_found_as_it_is_shown_though_it_is_stored_in_single_precision(data):
    expected = np.isclose(data.obs()["score"], 0.3)
    assert expected.any()
    np.testing.assert_array_equal(mask_of({"score": 0.3}, data), expected)


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA, pd.NaT])
@pytest.mark.parametrize("column", ["cell_type", "maybe", "donor", "score"])
def test_missing_is_a_value_like_others(data, column, missing):
    series = data.obs()[column]
    some = series.dropna().iloc[0]
    assert series.isna().any()
    np.testing.assert_array_equal(mask_of({column: missing}, data), series.isna())
    np.testing.assert_array_equal(mask_of({column: [some, missing]}, data), series.isna() | (series == some))


def test_what_has_no_missing_values_has_no_cell_without_one(data):
    for column in ("flag", "n_genes", "leiden"):
        assert not mask_of({column: None}, data).any()


def test_categories_are_known_by_the_label_of_the_legend_too(data):
    obs = data.obs()
    np.testing.assert_array_equal(mask_of({"leiden": ["10", "2"]}, data), obs["leiden"].isin([10, 2]))
    np.testing.assert_array_equal(mask_of({"cluster": 1}, data), obs["cluster"] == "1")
    np.testing.assert_array_equal(mask_of({"flag": "True"}, data), obs["flag"])
    np.testing.assert_array_equal(mask_of({"cell_type": "(missing)"}, data), obs["cell_type"].isna())


@pytest.mark.parametrize("kind", ["categorical", "string"])
def test_a_number_means_the_text_that_is_its_own_before_the_one_it_has_in_the_legend(kind):
    texts = np.array(["1", "1.0", "2", "10"], dtype=object)
    own = np.arange(12) % 4
    column = Codes(own.astype(np.int8), tuple(texts)) if kind == "categorical" else texts[own]
    xy = np.zeros((12, 2), np.float32)
    dataset = MemoryDataset({"num_names": column}, np.zeros((12, 1), np.float32), ["G"], {"umap": xy})
    for value, meant in ((1.0, "1.0"), (1, "1"), (2.0, "2"), (np.float64(1), "1.0")):
        np.testing.assert_array_equal(mask_of({"num_names": value}, dataset), texts[own] == meant)
        np.testing.assert_array_equal(
            mask_of({"num_names": [value, "10"]}, dataset), np.isin(texts[own], [meant, "10"])
        )
    if kind == "categorical":
        found = mask_of_rule({"query": "num_names == 1.0"}, dataset)
        np.testing.assert_array_equal(found, texts[own] == "1.0")


def test_all_columns_must_match(data):
    obs = data.obs()
    expected = (obs["cell_type"] == "B cell") & obs["donor"].isin(["d1", "d2"]) & ~obs["flag"]
    assert expected.any()
    found = mask_of({"cell_type": "B cell", "donor": ["d1", "d2"], "obs:flag": False}, data)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"cell_typ": "B cell"}, "no obs column 'cell_typ'; .* Did you mean 'cell_type'\\?$"),
        ({"cell_type": "NK"}, "no value 'NK'; obs column 'cell_type' has .* Did you mean 'NK cell'\\?"),
        ({"cell_type": ["B cell", "Bcell"]}, "no value 'Bcell'; .* Did you mean 'B cell'\\?"),
        ({"leiden": 3}, "no value 3; obs column 'leiden' has '0', '1', '2', '10'"),
        ({"donor": "d11"}, "no value 'd11'; obs column 'donor' has .* Did you mean 'd1'"),
        (
            {"n_genes": 30},
            r"no value 30 in obs column 'n_genes'; its numbers range from 0 to 8\. .*query=\"0 <= n_genes <= 8",
        ),
        ({"n_genes": "many"}, "obs column 'n_genes' holds numbers; found 'many'"),
        ({"score": 7}, "its numbers range from 0.0 to 0.4"),
        ({"CD3E": 1}, r"'CD3E' is a gene, not an obs column; .* select\(w\.dataset\.values\('CD3E'\) > 0\)"),
        ({"cell_type": {"a": 1}}, "'cell_type' takes a value or a list of values"),
        ({"cell_type": lambda one: one == "B cell"}, "'cell_type' takes a value or a list of values"),
        ({5: "B cell"}, "no obs column 5"),
        ({}, "has no column"),
    ],
)
def test_an_unknown_column_or_value_is_refused_in_one_sentence(data, wrong, sentence):
    with pytest.raises(SelectionError, match=sentence):
        mask_of(wrong, data)


HUGE = 10**6000
"""A whole number that Python does not write out, see `sys.set_int_max_str_digits`."""


@pytest.mark.parametrize(
    "wrong",
    [
        {"cell_type": HUGE},
        {"leiden": [0, -HUGE]},
        {"maybe": HUGE},
        {"donor": HUGE},
        {"n_genes": HUGE},
        {HUGE: 1},
        [HUGE],
    ],
)
def test_a_number_too_long_to_write_out_is_refused_in_one_short_sentence(data, wrong):
    with pytest.raises(SelectionError, match=r"number of 19,932 bits|holds numbers") as caught:
        mask_of(wrong, data)
    assert len(str(caught.value)) < 500


def test_only_the_columns_named_are_read():
    data = small(300)
    mask_of({"cell_type": "B cell", "is_doublet": True}, data)
    assert set(data.reads) == {"obs/cell_type", "obs/is_doublet"}
