"""Comparisons against tables of scanpy 1.12; `tools/scanpy_tables.py` wrote them, and says how."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.compare.question import Question, compare
from tests.memory import MemoryDataset

FOLDER = Path(__file__).parents[1] / "golden" / "compare"
NAMES = {"scores": "statistic", "pvals": "p", "pvals_adj": "p_adj", "logfoldchanges": "log2fc"}
FLOAT32 = 2e-7
"""scanpy rounds scores and fold changes to float32, and takes the latter from means of float32."""


# Counts are normalized in float32 there: shares that are the same may differ in the last bit, and then do not tie.
@pytest.mark.parametrize(("method", "values"), [("t-test", "log1p"), ("wilcoxon", "log1p"), ("t-test", "counts")])
@pytest.mark.parametrize("reference", ["rest", "b"])
def test_scores_p_and_fold_changes_are_those_of_scanpy(method, reference, values):
    held = np.load(FOLDER / "matrix.npz")
    x, groups = held[values].astype(np.float32), held["groups"]
    dataset = MemoryDataset({}, x, [f"gene {at}" for at in range(x.shape[1])], {"umap": np.zeros((len(x), 2))})
    a, b = groups == 0, groups != 0 if reference == "rest" else groups == 1
    question = Question(method, normalize="log1p_10k" if values == "counts" else None)
    ours = compare(MatrixStats(dataset), a, b, question).frame()
    told = pd.read_csv(FOLDER / f"{method}-a-{reference}.csv").set_index("names").loc[ours.index]
    tested = ours["p"].notna()
    assert 30 < tested.sum() < len(ours)
    # What cannot be tested has a score of 0 and p of 1 there.
    assert told.loc[~tested, "pvals"].eq(1).all()
    exact = 1e-9 if values == "log1p" else 1e-5
    for theirs, name in NAMES.items():
        tolerance = max(exact, FLOAT32) if theirs in ("scores", "logfoldchanges") else exact
        np.testing.assert_allclose(ours.loc[tested, name], told.loc[tested, theirs], rtol=tolerance, err_msg=name)
