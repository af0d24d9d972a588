"""Laws of vars and of the matrix: by name, in lines, by rows and by columns."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets import Dataset
from cxg_widget.errors import ClosedDataset, InvalidValue, UnknownName
from cxg_widget.testing.helpers import (
    Reopen,
    few,
    needs_vars,
    of_base,
    written_out,
)
from cxg_widget.testing.truth import Truth


class MatrixLaws:
    """Laws of vars and of the matrix: by name, in lines, by rows and by columns."""

    @needs_vars
    def test_every_var_is_its_column_of_x(self, dataset: Dataset, truth: Truth) -> None:
        for position, name in enumerate(truth.var_labels):
            values = dataset.values(name)
            assert values.dtype == np.float32
            np.testing.assert_allclose(values, truth.X[:, position], rtol=1e-6, atol=1e-6)

    @needs_vars
    def test_a_vector_lists_each_row_once(self, dataset: Dataset, truth: Truth) -> None:
        for name in truth.var_labels:
            vector = dataset.vector(name)
            if vector.rows is not None:
                assert len(np.unique(vector.rows)) == len(vector.rows) == len(vector.values)

    @needs_vars
    @few
    @given(data=st.data())
    def test_several_vars_are_what_each_is_alone(
        self, data: Any, dataset: Dataset, uncached: Dataset, truth: Truth
    ) -> None:
        n_obs, n_var = truth.X.shape
        positions = data.draw(st.lists(st.integers(0, n_var - 1), max_size=6))
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, n_obs)] * 2)))
        names = [truth.var_labels[position] for position in positions]
        found = [vector.dense(n_obs) for vector in uncached.vectors(names)]
        parts = [part.dense(stop - start) for part in uncached.vectors_block(names, None, start, stop)]
        assert len(found) == len(parts) == len(names)
        for name, position, values, part in zip(names, positions, found, parts, strict=True):
            np.testing.assert_allclose(values, truth.X[:, position], rtol=1e-6, atol=1e-6)
            np.testing.assert_array_equal(values, dataset.values(name), strict=True)
            np.testing.assert_array_equal(part, values[start:stop], strict=True)

    @needs_vars
    @of_base
    def test_several_vars_are_the_same_where_some_are_held(self, reopen: Reopen, truth: Truth) -> None:
        names = [truth.var_labels[position] for position in (-1, 0, 1, 0)]
        with reopen(cache_bytes=2**20) as dataset:
            dataset.values(names[0])
            for _ in range(2):
                for name, vector in zip(names, dataset.vectors(names), strict=True):
                    np.testing.assert_array_equal(vector.dense(dataset.n_obs), dataset.values(name), strict=True)
                for name, part in zip(names, dataset.vectors_block(names, None, 3, 17), strict=True):
                    np.testing.assert_array_equal(part.dense(14), dataset.values(name)[3:17], strict=True)

    @needs_vars
    def test_a_var_is_found_by_its_index_and_by_its_alias(self, dataset: Dataset, truth: Truth) -> None:
        assert list(dataset.var_names) == list(dataset.var_labels) == truth.var_labels
        assert list(dataset.var_aliases or ()) == truth.aliases
        for names in (truth.var_labels, truth.aliases):
            assert [dataset.find_var(name) for name in names] == list(range(len(names)))

    @needs_vars
    @few
    @given(data=st.data())
    def test_lines_of_the_matrix_are_its_rows_or_columns(self, data: Any, dataset: Dataset, truth: Truth) -> None:
        X = truth.X if dataset.major_axis == "obs" else truth.X.T
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(X))] * 2)))
        block = dataset.matrix_block(start, stop)
        found = np.zeros((stop - start, X.shape[1]), dtype=np.float32)
        found[np.repeat(np.arange(stop - start), np.diff(block.starts)), block.positions] = block.values
        np.testing.assert_allclose(found, X[start:stop], rtol=1e-6, atol=1e-6)
        assert len(block.starts) == stop - start + 1

    @needs_vars
    @of_base
    def test_lines_that_do_not_exist_are_refused(self, dataset: Dataset) -> None:
        for start, stop in ((-1, 1), (2, 1), (0, 10**9)):
            with pytest.raises(InvalidValue, match="not a block"):
                dataset.matrix_block(start, stop)
        with pytest.raises(UnknownName):
            dataset.matrix_block(0, 1, layer="no such layer")

    @needs_vars
    @settings(few, max_examples=2)
    @given(data=st.data())
    def test_rows_read_alone_are_those_of_x_in_blocks_of_any_size(
        self, data: Any, uncached: Dataset, truth: Truth
    ) -> None:
        n_obs, n_var = truth.X.shape
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, n_obs)] * 2)))
        scattered = sorted(data.draw(st.sets(st.integers(0, n_obs - 1), max_size=12)))
        for rows in (np.arange(start, stop), np.array(scattered, dtype=np.int64)):
            blocks = list(uncached.rows_of(rows, step_bytes=data.draw(st.sampled_from([1, 600, 2**26]))))
            np.testing.assert_allclose(written_out(blocks, n_var), truth.X[rows], rtol=1e-6, atol=1e-6)
            assert all(len(block.starts) > 1 for block in blocks)

    @needs_vars
    @settings(few, max_examples=2)
    @given(data=st.data())
    def test_vars_of_some_rows_are_those_of_x(self, data: Any, uncached: Dataset, truth: Truth) -> None:
        n_obs, n_var = truth.X.shape
        rows = np.array(sorted(data.draw(st.sets(st.integers(0, n_obs - 1), max_size=12))), dtype=np.int64)
        positions = np.array(sorted(data.draw(st.sets(st.integers(0, n_var - 1), max_size=6))), dtype=np.int64)
        step = data.draw(st.sampled_from([1, 600, 2**26]))
        for some, X in ((None, truth.X), (rows, truth.X[rows])):
            found = written_out(list(uncached.columns_of(positions, some, step_bytes=step)), len(X))
            np.testing.assert_allclose(found, X[:, positions].T, rtol=1e-6, atol=1e-6)

    @needs_vars
    def test_all_rows_are_all_of_x_whichever_the_plan(self, uncached: Dataset, truth: Truth) -> None:
        np.testing.assert_allclose(written_out(list(uncached.rows_of()), truth.X.shape[1]), truth.X, atol=1e-6)
        for rows, positions in ((None, None), ([3], None), (None, [0]), ([3, 4], [0, 1])):
            plan = uncached.plan(rows, positions)
            assert plan.axis in ("obs", "var")
            assert plan.n_bytes >= 0
            assert plan.n_bytes <= plan.other_bytes or plan.axis == uncached.major_axis
            assert (plan.why.endswith(".") and "by row" in plan.why) or "by column" in plan.why

    @needs_vars
    @of_base
    def test_rows_that_do_not_ascend_or_do_not_exist_are_not_read(self, dataset: Dataset) -> None:
        for rows in ([-1], [2, 1], [1, 1], [0, 10**9], [0.5], [[1, 2]]):
            for read in (dataset.rows_of, partial(dataset.columns_of, [0]), dataset.plan):
                with pytest.raises(InvalidValue, match="rows"):
                    read(rows)
        with pytest.raises(UnknownName):
            dataset.rows_of([0], layer="no such layer")

    @needs_vars
    @of_base
    def test_nothing_is_held_between_two_blocks_of_rows(self, reopen: Reopen) -> None:
        dataset = reopen()
        blocks = dataset.rows_of(step_bytes=1)
        next(blocks)
        dataset.close()
        with pytest.raises(ClosedDataset):
            next(blocks)
