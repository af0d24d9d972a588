"""The laws that every store's `Dataset` obeys; a store's tests subclass `DatasetContract`."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cxg_widget.datasets import Codes, Dataset, open_dataset
from cxg_widget.errors import ClosedDataset, InvalidOption, InvalidValue, SelectionError, UnknownName
from tests.datasets.make_cxg import Truth

few = settings(
    max_examples=15,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)


def labels_of(codes: Codes) -> list:
    return [codes.categories[code] if code >= 0 else None for code in codes.codes.tolist()]


class DatasetContract:
    """Subclasses give the fixtures `dataset` (open) and `truth`, and `reopen`, a function that opens it once more."""

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
        assert dataset.obs_names(rows).tolist() == truth.obs.index[rows].tolist()

    def test_a_mask_means_the_rows_it_holds(self, dataset: Dataset, truth: Truth) -> None:
        mask = np.arange(dataset.n_obs) % 3 == 1
        pd.testing.assert_frame_equal(dataset.obs(rows=mask), truth.obs[mask])

    def test_rows_after_a_column_is_cached_are_the_same_rows(self, reopen, truth: Truth) -> None:
        with reopen() as dataset:
            for name, column in dataset.obs_columns.items():
                if column.kind in ("int", "float", "boolean"):
                    dataset.numbers(name)
                else:
                    dataset.codes(name)
            pd.testing.assert_frame_equal(dataset.obs(rows=[7, 3, 3]), truth.obs.iloc[[7, 3, 3]])

    @pytest.mark.parametrize("rows", [[-1], [10**6], [0.5], np.zeros(3, dtype=bool), [[1, 2]], ["a"]])
    def test_rows_that_do_not_exist_are_refused(self, dataset: Dataset, rows) -> None:
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

    @pytest.mark.parametrize("axes", [(0, 10**4), (-1, 0), (0,), (0, 1, 2), 1, ("a", 1), (0.5, 1)])
    def test_axes_that_do_not_exist_are_refused(self, dataset: Dataset, axes) -> None:
        with pytest.raises(InvalidValue):
            dataset.embedding(axes=axes)

    def test_no_embedding_named_means_the_default(self, dataset: Dataset) -> None:
        np.testing.assert_array_equal(dataset.embedding(), dataset.embedding(dataset.default_embedding))

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
                    if dataset.obs_names([row])[0] != truth.obs.index[row]:
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

    def test_an_open_dataset_is_returned_as_it_is(self, dataset: Dataset) -> None:
        assert open_dataset(dataset) is dataset
        with pytest.raises(InvalidOption):
            open_dataset(dataset, cache_bytes=1)

    def test_repr_is_one_short_line(self, dataset: Dataset) -> None:
        assert f"{dataset.n_obs:,} obs" in repr(dataset)
        assert len(repr(dataset)) < 200
