"""The laws that every store's `Dataset` obeys; a store's tests subclass `DatasetContract`."""

from __future__ import annotations

import json
import threading
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cxg_widget.datasets import Codes, Dataset, open_dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.values import as_plain
from cxg_widget.errors import ClosedDataset, InvalidOption, InvalidValue, SelectionError, UnknownName
from tests.datasets.make_cxg import Truth

few = settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)

of_base = pytest.mark.of_base
"""A law of what all stores share: two layouts of each kind of store are asked, see tests/datasets/conftest.py."""


def labels_of(codes: Codes) -> list:
    return [codes.categories[code] if code >= 0 else None for code in codes.codes.tolist()]


def check_obs_block(blocks: Dataset, whole: Dataset, column: str, start: int, stop: int) -> None:
    """Assert that a block is the rows of the whole column, in the same categories."""
    kind = whole.obs_columns[column].kind
    if kind != "float":
        part, codes = blocks.codes_block(column, start, stop), whole.codes(column)
        assert part.categories == codes.categories
        np.testing.assert_array_equal(part.codes, codes.codes[start:stop], strict=True)
    if kind in ("int", "float", "boolean"):
        numbers = blocks.numbers_block(column, start, stop)
        np.testing.assert_array_equal(numbers, whole.numbers(column)[start:stop], strict=True)
    else:
        with pytest.raises(InvalidValue):
            blocks.numbers_block(column, start, stop)


def read_everything(dataset: Dataset, truth: Truth) -> dict:
    """Return every column, gene and embedding of a dataset, by a name for the assertion's message."""
    found: dict = {f"xy {name}": dataset.embedding(name) for name in truth.embeddings}
    for name, column in dataset.obs_columns.items():
        if column.kind != "float":
            found[f"codes {name}"] = dataset.codes(name)
        if column.kind in ("int", "float", "boolean"):
            found[f"numbers {name}"] = dataset.numbers(name)
    return found | {f"gene {name}": dataset.values(name) for name in truth.var_labels}


def written_out(blocks: list[MatrixBlock], length: int) -> np.ndarray:
    """Return the lines of blocks, one after the other, by the words of `MatrixBlock` alone."""
    found = [np.empty((0, length), dtype=np.float32)]
    for block in blocks:
        lines = np.zeros((len(block.starts) - 1, length), dtype=np.float32)
        lines[:] = 0 if block.fill is None else block.fill
        for line, (first, last) in enumerate(pairwise(block.starts.tolist())):
            assert len(set(block.positions[first:last].tolist())) == last - first
            lines[line, block.positions[first:last]] = block.values[first:last]
        if block.lines is not None:
            np.testing.assert_array_equal(block.lines, lines, strict=True)
        found.append(lines)
    return np.concatenate(found)


class DatasetContract:
    """Subclasses give the fixture `store`, from which tests/datasets/conftest.py makes all others.

    `dataset` and `uncached`, which keeps nothing it has read, are open for all laws; `reopen` opens one for a law that
    begins with nothing read, or closes it.
    """

    def test_the_shape_is_that_of_the_truth(self, dataset: Dataset, truth: Truth) -> None:
        assert (dataset.n_obs, dataset.n_var) == truth.X.shape

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
    def test_reading_rows_is_taking_them_from_the_whole(self, data, dataset: Dataset, truth: Truth) -> None:
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
    def test_rows_after_a_column_is_cached_are_the_same_rows(self, reopen, truth: Truth) -> None:
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

    def test_every_var_is_its_column_of_x(self, dataset: Dataset, truth: Truth) -> None:
        for position, name in enumerate(truth.var_labels):
            values = dataset.values(name)
            assert values.dtype == np.float32
            np.testing.assert_allclose(values, truth.X[:, position], rtol=1e-6, atol=1e-6)

    def test_a_vector_lists_each_row_once(self, dataset: Dataset, truth: Truth) -> None:
        for name in truth.var_labels:
            vector = dataset.vector(name)
            if vector.rows is not None:
                assert len(np.unique(vector.rows)) == len(vector.rows) == len(vector.values)

    @few
    @given(data=st.data())
    def test_several_vars_are_what_each_is_alone(self, data, dataset, uncached, truth: Truth) -> None:
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

    @of_base
    def test_several_vars_are_the_same_where_some_are_held(self, reopen, truth: Truth) -> None:
        names = [truth.var_labels[position] for position in (-1, 0, 1, 0)]
        with reopen(cache_bytes=2**20) as dataset:
            dataset.values(names[0])
            for _ in range(2):
                for name, vector in zip(names, dataset.vectors(names), strict=True):
                    np.testing.assert_array_equal(vector.dense(dataset.n_obs), dataset.values(name), strict=True)
                for name, part in zip(names, dataset.vectors_block(names, None, 3, 17), strict=True):
                    np.testing.assert_array_equal(part.dense(14), dataset.values(name)[3:17], strict=True)

    def test_a_var_is_found_by_its_index_and_by_its_alias(self, dataset: Dataset, truth: Truth) -> None:
        assert list(dataset.var_names) == list(dataset.var_labels) == truth.var_labels
        assert list(dataset.var_aliases or ()) == truth.aliases
        for position, (label, alias) in enumerate(zip(truth.var_labels, truth.aliases, strict=True)):
            assert dataset.find_var(label) == dataset.find_var(alias) == position

    def test_embeddings_are_float32_and_keep_nan(self, dataset: Dataset, truth: Truth) -> None:
        assert dict(dataset.embeddings) == {name: values.shape[1] for name, values in truth.embeddings.items()}
        for name, values in truth.embeddings.items():
            for spelling in (name, f"X_{name}"):
                found = dataset.embedding(spelling)
                np.testing.assert_array_equal(found, values[:, :2].astype(np.float32), strict=True)
                assert found.flags.c_contiguous

    def test_axes_choose_columns_of_an_embedding(self, dataset: Dataset, truth: Truth) -> None:
        for name, values in truth.embeddings.items():
            last = values.shape[1] - 1
            found = dataset.embedding(name, (last, 0))
            np.testing.assert_array_equal(found, values[:, [last, 0]].astype(np.float32))

    @of_base
    def test_axes_that_do_not_exist_are_refused(self, dataset: Dataset) -> None:
        for axes in ((0, 10**4), (-1, 0), (0,), (0, 1, 2), 1, ("a", 1), (0.5, 1)):
            with pytest.raises(InvalidValue):
                dataset.embedding(axes=axes)

    @of_base
    def test_no_embedding_named_means_the_default(self, dataset: Dataset) -> None:
        np.testing.assert_array_equal(dataset.embedding(), dataset.embedding(dataset.default_embedding))

    @few
    @given(data=st.data())
    def test_blocks_of_rows_are_the_rows_of_the_whole(self, data, dataset, uncached, truth: Truth) -> None:
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(truth.obs))] * 2)))
        column = data.draw(st.sampled_from(list(truth.obs.columns)))
        gene = data.draw(st.sampled_from(truth.var_labels))
        name = data.draw(st.sampled_from(list(truth.embeddings)))
        axes = data.draw(st.sampled_from([(0, 1), (1, 0), (1, 1)]))
        check_obs_block(uncached, dataset, column, start, stop)
        part = uncached.vector_block(gene, None, start, stop).dense(stop - start)
        np.testing.assert_array_equal(part, dataset.values(gene)[start:stop], strict=True)
        xy = uncached.embedding_block(name, axes, start, stop)
        np.testing.assert_array_equal(xy, dataset.embedding(name, axes)[start:stop], strict=True)

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

    @of_base
    def test_blocks_are_the_same_after_the_whole_is_cached(self, reopen, truth: Truth) -> None:
        with reopen() as dataset:
            for column in truth.obs.columns:
                check_obs_block(dataset, dataset, column, 3, 17)
            gene = truth.var_labels[1]
            whole = dataset.values(gene)
            np.testing.assert_array_equal(dataset.vector_block(gene, None, 3, 17).dense(14), whole[3:17])

    @of_base
    def test_a_whole_read_in_blocks_is_the_whole(self, reopen, truth: Truth, monkeypatch) -> None:
        with reopen() as dataset:
            at_once = read_everything(dataset, truth)
        monkeypatch.setattr("cxg_widget.datasets.base.columns.ROWS_PER_BLOCK", 7)
        with reopen() as dataset:
            in_blocks = read_everything(dataset, truth)
        assert at_once.keys() == in_blocks.keys()
        for what, expected in at_once.items():
            if isinstance(expected, Codes):
                assert in_blocks[what].categories == expected.categories, what
                np.testing.assert_array_equal(in_blocks[what].codes, expected.codes, strict=True)
            else:
                np.testing.assert_array_equal(in_blocks[what], expected, strict=True)

    @of_base
    def test_blocks_that_do_not_exist_are_refused(self, dataset: Dataset, truth: Truth) -> None:
        for block in ((-1, 3), (3, 2), (0, 10**6)):
            for read in (
                partial(dataset.codes_block, truth.obs.columns[0]),
                partial(dataset.vector_block, truth.var_labels[0], None),
                partial(dataset.embedding_block, None, (0, 1)),
            ):
                with pytest.raises(InvalidValue, match="not a block"):
                    read(*block)

    @few
    @given(data=st.data())
    def test_lines_of_the_matrix_are_its_rows_or_columns(self, data, dataset: Dataset, truth: Truth) -> None:
        X = truth.X if dataset.major_axis == "obs" else truth.X.T
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(X))] * 2)))
        block = dataset.matrix_block(start, stop)
        found = np.zeros((stop - start, X.shape[1]), dtype=np.float32)
        found[np.repeat(np.arange(stop - start), np.diff(block.starts)), block.positions] = block.values
        np.testing.assert_allclose(found, X[start:stop], rtol=1e-6, atol=1e-6)
        assert len(block.starts) == stop - start + 1

    @of_base
    def test_lines_that_do_not_exist_are_refused(self, dataset: Dataset) -> None:
        for start, stop in ((-1, 1), (2, 1), (0, 10**9)):
            with pytest.raises(InvalidValue, match="not a block"):
                dataset.matrix_block(start, stop)
        with pytest.raises(UnknownName):
            dataset.matrix_block(0, 1, layer="no such layer")

    @settings(few, max_examples=3)
    @given(data=st.data())
    def test_rows_read_alone_are_those_of_x_in_blocks_of_any_size(self, data, uncached: Dataset, truth: Truth) -> None:
        n_obs, n_var = truth.X.shape
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, n_obs)] * 2)))
        scattered = sorted(data.draw(st.sets(st.integers(0, n_obs - 1), max_size=12)))
        for rows in (np.arange(start, stop), np.array(scattered, dtype=np.int64)):
            blocks = list(uncached.rows_of(rows, step_bytes=data.draw(st.sampled_from([1, 600, 2**26]))))
            np.testing.assert_allclose(written_out(blocks, n_var), truth.X[rows], rtol=1e-6, atol=1e-6)
            assert all(len(block.starts) > 1 for block in blocks)

    @settings(few, max_examples=3)
    @given(data=st.data())
    def test_vars_of_some_rows_are_those_of_x(self, data, uncached: Dataset, truth: Truth) -> None:
        n_obs, n_var = truth.X.shape
        rows = np.array(sorted(data.draw(st.sets(st.integers(0, n_obs - 1), max_size=12))), dtype=np.int64)
        positions = np.array(sorted(data.draw(st.sets(st.integers(0, n_var - 1), max_size=6))), dtype=np.int64)
        step = data.draw(st.sampled_from([1, 600, 2**26]))
        for some, X in ((None, truth.X), (rows, truth.X[rows])):
            found = written_out(list(uncached.columns_of(positions, some, step_bytes=step)), len(X))
            np.testing.assert_allclose(found, X[:, positions].T, rtol=1e-6, atol=1e-6)

    def test_all_rows_are_all_of_x_whichever_the_plan(self, uncached: Dataset, truth: Truth) -> None:
        np.testing.assert_allclose(written_out(list(uncached.rows_of()), truth.X.shape[1]), truth.X, atol=1e-6)
        for rows, positions in ((None, None), ([3], None), (None, [0]), ([3, 4], [0, 1])):
            plan = uncached.plan(rows, positions)
            assert plan.axis in ("obs", "var")
            assert plan.n_bytes >= 0
            assert plan.n_bytes <= plan.other_bytes or plan.axis == uncached.major_axis
            assert (plan.why.endswith(".") and "by row" in plan.why) or "by column" in plan.why

    @of_base
    def test_rows_that_do_not_ascend_or_do_not_exist_are_not_read(self, dataset: Dataset) -> None:
        for rows in ([-1], [2, 1], [1, 1], [0, 10**9], [0.5], [[1, 2]]):
            for read in (dataset.rows_of, partial(dataset.columns_of, [0]), dataset.plan):
                with pytest.raises(InvalidValue, match="rows"):
                    read(rows)
        with pytest.raises(UnknownName):
            dataset.rows_of([0], layer="no such layer")

    @of_base
    def test_nothing_is_held_between_two_blocks_of_rows(self, reopen) -> None:
        dataset = reopen()
        blocks = dataset.rows_of(step_bytes=1)
        next(blocks)
        dataset.close()
        with pytest.raises(ClosedDataset):
            next(blocks)

    def test_details_and_sizes_are_fit_for_json(self, dataset: Dataset) -> None:
        assert json.loads(json.dumps(dataset.details)) == dataset.details
        assert all(isinstance(size, int) and size >= 0 for size in dataset.sizes.values())

    def test_axes_have_labels_where_their_units_differ_and_else_none(self, dataset: Dataset) -> None:
        for name in dataset.embeddings:
            labels = dataset.axis_labels(name)
            assert labels is None or (len(labels) == 2 and all(isinstance(one, str) and one for one in labels))
            assert dataset.axis_labels(name, (1, 0)) == (labels and labels[::-1])
            assert dataset.axis_labels(name, (1, 1)) is None
            named = dataset.axis_names(name)
            assert labels is None or named == labels
            assert named is None or (len(named) == 2 and all(isinstance(one, str) and one for one in named))
            assert dataset.axis_names(name, (1, 0)) == (named and named[::-1])
        assert dataset.axis_labels() == dataset.axis_labels(dataset.default_embedding)
        assert dataset.axis_names() == dataset.axis_names(dataset.default_embedding)
        with pytest.raises(UnknownName):
            dataset.axis_labels("no such embedding")
        with pytest.raises(InvalidValue):
            dataset.axis_labels(None, (0, 99))
        with pytest.raises(UnknownName):
            dataset.axis_names("no such embedding")

    @settings(few, max_examples=4)
    @given(data=st.data())
    def test_a_view_read_alone_is_the_rows_that_lie_in_it(self, data, dataset: Dataset, truth: Truth) -> None:
        for name, values in truth.embeddings.items():
            axes = data.draw(st.tuples(*2 * [st.integers(0, values.shape[1] - 1)]))
            xy = np.asarray(values, dtype=np.float64)[:, list(axes)]
            share = [data.draw(st.floats(-0.1, 1.1)) for _ in range(4)]
            ends = (np.clip(share[2 * i : 2 * i + 2], 0, 1) for i in (0, 1))
            x, y = (np.nanquantile(xy[:, i], one, method="nearest") for i, one in enumerate(ends))
            found = dataset.viewport(x, y, embedding=name, axes=axes)
            if found is None:
                continue
            inside = (xy >= [x.min(), y.min()]).all(axis=1) & (xy <= [x.max(), y.max()]).all(axis=1)
            np.testing.assert_array_equal(found.rows, np.flatnonzero(inside))
            np.testing.assert_array_equal(found.xy, dataset.embedding(name, axes)[inside], strict=True)
            for column in dataset.obs_columns:
                expected = dataset.values_block(column, 0, dataset.n_obs)
                read = found.column(column)
                if isinstance(expected, Codes):
                    assert read.categories == expected.categories
                    read, expected = read.codes, expected.codes
                np.testing.assert_array_equal(read, expected[inside], strict=True)

    def test_what_is_stated_of_an_embedding_and_of_columns_is_so(self, dataset: Dataset, truth: Truth) -> None:
        for name in truth.embeddings:
            stated, xy = dataset.stated_extent(name), dataset.embedding(name)
            if stated is not None:
                assert np.isfinite(xy).all()
                (x0, y0), (x1, y1) = xy.min(axis=0), xy.max(axis=0)
                assert stated[0] <= x0 <= x1 <= stated[1]
                assert (stated[2], stated[3]) == (y0, y1)
        for name, column in dataset.obs_columns.items():
            stated = dataset.stated_values(name)
            if isinstance(stated, Codes):
                assert stated.codes.size == 0
                assert stated.categories == dataset.codes(name).categories
            elif stated is not None:
                assert column.kind in ("int", "float")
                values = dataset.numbers(name)
                assert stated == (values.min(), values.max())

    def test_what_is_read_in_one_pass_is_what_is_read_apart(self, dataset: Dataset) -> None:
        for name, width in dataset.embeddings.items():
            for column in dataset.obs_columns:
                both = dataset.embedding_with(column, name, (width - 1, 0))
                if both is None:
                    continue
                np.testing.assert_array_equal(both[0], dataset.embedding(name, (width - 1, 0)), strict=True)
                expected, found = dataset.values_block(column, 0, dataset.n_obs), both[1]
                if isinstance(expected, Codes):
                    assert found.categories == expected.categories
                    found, expected = found.codes, expected.codes
                np.testing.assert_array_equal(found, expected, strict=True)

    @of_base
    def test_unknown_names_come_with_the_nearest(self, dataset: Dataset, truth: Truth) -> None:
        column, gene = truth.obs.columns[0], truth.var_labels[0]
        for ask, near in (
            (lambda: dataset.obs([column[:-1]]), column),
            (lambda: dataset.codes(column[:-1]), column),
            (lambda: dataset.category_colors(column[:-1]), column),
            (lambda: dataset.values(gene[:-1] + "x"), gene[:-1]),
            (lambda: dataset.embedding(f"{dataset.default_embedding}s"), dataset.default_embedding),
        ):
            with pytest.raises(UnknownName, match="Did you mean") as caught:
                ask()
            assert near in str(caught.value)
        with pytest.raises(UnknownName):
            dataset.values(gene, layer="no such layer")

    def test_shared_arrays_cannot_be_written_to(self, dataset: Dataset, truth: Truth) -> None:
        with pytest.raises(ValueError, match="read-only"):
            dataset.codes(truth.obs.columns[0]).codes[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            dataset.vector(truth.var_labels[0]).values[...] = 0
        dataset.values(truth.var_labels[0])[0] = 1

    @of_base
    def test_everything_after_close_says_closed(self, reopen, truth: Truth) -> None:
        with reopen() as dataset:
            dataset.codes(truth.obs.columns[0])
        dataset.close()
        assert dataset.closed
        assert "closed" in repr(dataset)
        for ask in (
            dataset.obs,
            dataset.var,
            dataset.embedding,
            dataset.obs_names,
            lambda: dataset.codes(truth.obs.columns[0]),
            lambda: dataset.values(truth.var_labels[0]),
            lambda: dataset.var_names,
            lambda: dataset.gene_sets,
        ):
            with pytest.raises(ClosedDataset):
                ask()

    @of_base
    def test_threads_read_one_dataset_while_another_closes_it(self, reopen, truth: Truth) -> None:
        dataset = reopen(cache_bytes=0)
        wrong: list[object] = []
        reads = threading.Semaphore(0)

        def read(seed: int) -> None:
            rng = np.random.default_rng(seed)
            try:
                while True:
                    position = int(rng.integers(len(truth.var_labels)))
                    row = int(rng.integers(dataset.n_obs))
                    values = dataset.values(truth.var_labels[position])
                    if not np.allclose(values, truth.X[:, position], rtol=1e-6, atol=1e-6, equal_nan=True):
                        wrong.append(position)
                    if dataset.obs_names([row])[0] != str(truth.obs.index[row]):
                        wrong.append(row)
                    reads.release()
            except ClosedDataset:
                pass
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(40):
            assert reads.acquire(timeout=30)
        dataset.close()
        for thread in threads:
            thread.join(30)
        assert not wrong

    @of_base
    def test_an_open_dataset_is_returned_as_it_is(self, dataset: Dataset) -> None:
        assert open_dataset(dataset) is dataset
        with pytest.raises(InvalidOption):
            open_dataset(dataset, cache_bytes=1)

    @of_base
    def test_repr_is_one_short_line(self, dataset: Dataset) -> None:
        assert f"{dataset.n_obs:,} obs" in repr(dataset)
        assert len(repr(dataset)) < 200
