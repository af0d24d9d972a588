"""Laws of obs: columns, rows, records, codes and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.datasets import Dataset
from cxg_widget.datasets.base.values import as_plain
from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.testing.helpers import (
    Reopen,
    few,
    labels_of,
    of_base,
)
from cxg_widget.testing.truth import Truth


class ObsLaws:
    """Laws of obs: columns, rows, records, codes and numbers."""

    def test_obs_is_the_frame_that_was_stored(self, dataset: Dataset, truth: Truth) -> None:
        pd.testing.assert_frame_equal(dataset.obs(), truth.obs)

    def test_columns_are_known_before_they_are_read(self, dataset: Dataset, truth: Truth) -> None:
        assert list(dataset.obs_columns) == list(truth.obs.columns)
        kinds = {"b": "boolean", "i": "int", "f": "float"}
        for name, column in dataset.obs_columns.items():
            dtype = truth.obs[name].dtype
            if isinstance(dtype, pd.CategoricalDtype):
                assert column.kind == "categorical"
                assert column.n_categories in (None, len(dtype.categories))
            else:
                assert column.kind == kinds.get(dtype.kind, "string")

    @few
    @given(data=st.data())
    def test_reading_rows_is_taking_them_from_the_whole(self, data: Any, dataset: Dataset, truth: Truth) -> None:
        rows = np.array(data.draw(st.lists(st.integers(0, dataset.n_obs - 1), max_size=12)), dtype=np.int64)
        columns = data.draw(st.lists(st.sampled_from(list(truth.obs.columns)), min_size=1, unique=True))
        found = dataset.obs(columns, rows)
        pd.testing.assert_frame_equal(found, truth.obs.iloc[rows][columns])
        assert dataset.obs_names(rows).tolist() == truth.obs.index[rows].astype(str).tolist()

    @of_base
    def test_a_mask_means_the_rows_it_holds(self, dataset: Dataset, truth: Truth) -> None:
        mask = np.arange(dataset.n_obs) % 3 == 1
        pd.testing.assert_frame_equal(dataset.obs(rows=mask), truth.obs[mask])

    @of_base
    def test_rows_after_a_column_is_cached_are_the_same_rows(self, reopen: Reopen, truth: Truth) -> None:
        with reopen() as dataset:
            for name, column in dataset.obs_columns.items():
                if column.kind in ("int", "float", "boolean"):
                    dataset.numbers(name)
                else:
                    dataset.codes(name)
            pd.testing.assert_frame_equal(dataset.obs(rows=[7, 3, 3]), truth.obs.iloc[[7, 3, 3]])

    @of_base
    def test_rows_that_do_not_exist_are_refused(self, dataset: Dataset) -> None:
        for rows in ([-1], [10**6], [0.5], np.zeros(3, dtype=bool), [[1, 2]], ["a"]):
            with pytest.raises(SelectionError):
                dataset.obs(rows=rows)

    def test_one_record_is_one_row(self, dataset: Dataset, truth: Truth) -> None:
        for row in (0, 2, dataset.n_obs - 1):
            record = dataset.obs_record(row)
            assert list(record) == list(truth.obs.columns)
            for name, value in record.items():
                expected = truth.obs[name].iloc[row]
                assert (value is None and pd.isna(expected)) or value == expected
                assert not isinstance(value, np.generic)

    @of_base
    def test_a_record_is_the_same_from_columns_that_are_held(self, dataset: Dataset) -> None:
        rows = (0, 2, dataset.n_obs - 1)
        before = [(dataset.obs_record(row), dataset.obs_names([row]).tolist()) for row in rows]
        dataset.hold(list(dataset.obs_columns))
        assert [(dataset.obs_record(row), dataset.obs_names([row]).tolist()) for row in rows] == before

    def test_codes_and_categories_give_the_column_back(self, dataset: Dataset, truth: Truth) -> None:
        for name, column in dataset.obs_columns.items():
            if column.kind == "float":
                continue
            codes = dataset.codes(name)
            series = truth.obs[name].astype(object)
            assert labels_of(codes) == [None if pd.isna(value) else value for value in series]
            assert codes.codes.dtype.kind == "i"
            if isinstance(truth.obs[name].dtype, pd.CategoricalDtype):
                assert list(codes.categories) == truth.obs[name].cat.categories.tolist()

    def test_numbers_keep_their_own_type(self, dataset: Dataset, truth: Truth) -> None:
        for name, column in dataset.obs_columns.items():
            if column.kind in ("int", "float", "boolean"):
                np.testing.assert_array_equal(dataset.numbers(name), truth.obs[name].to_numpy(), strict=True)
            else:
                with pytest.raises(InvalidValue):
                    dataset.numbers(name)

    @of_base
    def test_floats_have_no_codes(self, dataset: Dataset) -> None:
        for name, column in dataset.obs_columns.items():
            if column.kind == "float":
                with pytest.raises(InvalidValue, match="float"):
                    dataset.codes(name)

    def test_blocks_of_any_column_and_of_the_index_are_its_rows(self, uncached: Dataset, truth: Truth) -> None:
        index = [] if uncached.obs_index is None else [uncached.obs_index]
        rows = uncached.obs(rows=np.arange(3, 17))
        rows = rows.reset_index(names=index) if index else rows
        for name in (*truth.obs.columns, *index):
            found = as_plain(uncached.values_block(name, 3, 17)).tolist()
            assert [None if pd.isna(value) else value for value in found] == [
                None if pd.isna(value) else value for value in rows[name].astype(object)
            ]
        with pytest.raises(InvalidValue, match="not a block"):
            uncached.values_block(truth.obs.columns[0], 0, uncached.n_obs + 1)
