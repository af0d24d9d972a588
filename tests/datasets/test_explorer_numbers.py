"""`compare(method="explorer")` against tables that CELLxGENE Explorer made; `tools/explorer_tables.py` wrote them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.errors import InvalidOption
from tests.memory import MemoryDataset

FOLDER = Path(__file__).parents[1] / "golden" / "compare"
NUMBERS = {"logfc": "log_fc", "p": "p", "p_adj": "p_adj"}
EXACT, IN_FLOAT32 = 1e-6, 2e-4
"""Of dense arrays Explorer sums up float32 in float32; of sparse ones in float64."""


@pytest.fixture
def widget():
    held = np.load(FOLDER / "matrix.npz")
    x = held["log1p"].astype(np.float32)
    obs = {"group": held["groups"].astype(np.int64)}
    made = CxgWidget(MemoryDataset(obs, x, [f"gene {at}" for at in range(x.shape[1])], {"umap": np.zeros((len(x), 2))}))
    yield made
    made.close()


def told_of(name):
    return pd.read_csv(FOLDER / f"explorer-{name}.csv")


@pytest.mark.parametrize(("name", "tolerance"), [("sparse-15", EXACT), ("sparse-one", EXACT), ("dense-15", IN_FLOAT32)])
def test_genes_are_listed_in_the_order_and_with_the_numbers_of_explorer(widget, name, tolerance):
    groups = widget.dataset.obs("group")["group"].to_numpy()
    a, b = (np.array([3]), "rest") if name == "sparse-one" else (groups == 0, groups == 1)
    found = widget.compare(a, b, method="explorer")
    for side, listed in zip(("positive", "negative"), found.listed(), strict=True):
        told = told_of(name)[lambda table, side=side: table["side"] == side]
        assert listed.index.tolist() == [f"gene {at}" for at in told["gene"]]
        for theirs, ours in NUMBERS.items():
            np.testing.assert_allclose(listed[ours], told[theirs], rtol=tolerance, err_msg=theirs)


def test_each_gene_has_the_numbers_of_explorer_also_where_few_are_asked_for(widget):
    groups = widget.dataset.obs("group")["group"].to_numpy()
    told = told_of("sparse-21").set_index("gene").sort_index()
    assert told.index.tolist() == list(range(42))
    found = widget.compare(groups == 0, groups == 1, method="explorer")
    frame = found.frame().loc[[f"gene {at}" for at in told.index]]
    for theirs, ours in NUMBERS.items():
        np.testing.assert_allclose(frame[ours], told[theirs], rtol=EXACT, err_msg=theirs)
    few = widget.compare(groups == 0, groups == 1, method="explorer", genes=["gene 8", "gene 2"]).frame()
    pd.testing.assert_frame_equal(few, frame.loc[few.index], check_names=False)
    assert not np.allclose(found.frame("benjamini-hochberg")["p_adj"], found.frame()["p_adj"])
    assert "Use this only to reproduce lists from CELLxGENE Explorer" in found.notes[0]
    with pytest.raises(InvalidOption, match="takes X as the store has it"):
        widget.compare(groups == 0, groups == 1, method="explorer", normalize="log1p_10k")


@pytest.mark.parametrize(
    ("name", "tolerance"), [("dataset_with_int64", EXACT), ("nan", EXACT), ("dense_no_col_shift", IN_FLOAT32)]
)
def test_explorers_own_stores_have_the_numbers_of_explorer(real_data, name, tolerance):
    widget = CxgWidget(str(real_data / "cxg" / f"{name}.cxg"))
    try:
        first = np.arange(widget.dataset.n_obs) < widget.dataset.n_obs // 3
        found = widget.compare(first, ~first, method="explorer")
        told = told_of(f"fixture-{name}")
        labels = np.asarray(list(widget.dataset.var_labels), dtype=object)
        frame = found.frame()[~found.frame().index.duplicated()].loc[labels[told["gene"]]]
        for theirs, ours in NUMBERS.items():
            np.testing.assert_allclose(frame[ours], told[theirs], rtol=tolerance, err_msg=theirs)
        if name != "nan":  # where all are tied, no order is told
            listed = [gene for side in found.listed() for gene in side.index]
            assert listed == labels[told["gene"]].tolist()
    finally:
        widget.close()
