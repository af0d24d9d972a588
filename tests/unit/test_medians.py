"""Medians of a gene in groups, against pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.compare.gene_by_group import medians
from cxg_widget.compare.plotted_groups import CellGroups
from cxg_widget.datasets.base.values import Codes, Vector

numbers = st.sampled_from([0.0, 6.0, -1.0, 0.03, 2.5, np.nan, np.inf, -np.inf, 1e30])
cells = st.lists(st.tuples(numbers, st.integers(-1, 3)), min_size=1, max_size=30)


@given(cells, st.booleans(), st.sampled_from([0.0, 2.5, -3.0, np.nan]), st.data())
def test_medians_of_groups_are_those_of_pandas(cells, is_sparse, fill, data):
    values = np.array([value for value, _ in cells], np.float32)
    codes = np.array([code for _, code in cells], np.int8)
    vector = Vector(values)
    if is_sparse:
        rows = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=len(cells), max_size=len(cells))))
        order = data.draw(st.permutations(rows.tolist()))
        vector = Vector(values[order], np.array(order, np.int64), fill)
        values = np.full(len(cells), fill, np.float32)
        values[order] = vector.values
    groups = CellGroups.of([Codes(codes, ("a", "b", "c", "d"))], None)
    inside = codes >= 0
    expected = pd.Series(values[inside].astype(float)).groupby(codes[inside]).median()
    np.testing.assert_array_equal(medians(vector, groups), expected.to_numpy())
