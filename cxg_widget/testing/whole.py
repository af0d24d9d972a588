"""Laws of a dataset as a whole: blocks, names, threads and closing."""

from __future__ import annotations

import json
import pickle
import threading
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cxg_widget.datasets import Codes, Dataset, open_dataset
from cxg_widget.errors import ClosedDataset, InvalidOption, InvalidValue, UnknownName
from cxg_widget.testing.helpers import (
    Reopen,
    check_obs_block,
    coded,
    few,
    of_base,
    read_everything,
)
from cxg_widget.testing.truth import Truth


class WholeLaws:
    """Laws of a dataset as a whole: blocks, names, threads and closing."""

    def test_the_shape_is_that_of_the_truth(self, dataset: Dataset, truth: Truth) -> None:
        assert (dataset.n_obs, dataset.n_var) == truth.X.shape

    @few
    @given(data=st.data())
    def test_blocks_of_rows_are_the_rows_of_the_whole(
        self, data: Any, dataset: Dataset, uncached: Dataset, truth: Truth
    ) -> None:
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(truth.obs))] * 2)))
        column = data.draw(st.sampled_from(list(truth.obs.columns)))
        name = data.draw(st.sampled_from(list(truth.embeddings)))
        axes = data.draw(st.sampled_from([(0, 1), (1, 0), (1, 1)]))
        check_obs_block(uncached, dataset, column, start, stop)
        if truth.var_labels:
            gene = data.draw(st.sampled_from(truth.var_labels))
            part = uncached.vector_block(gene, None, start, stop).dense(stop - start)
            np.testing.assert_array_equal(part, dataset.values(gene)[start:stop], strict=True)
        xy = uncached.embedding_block(name, axes, start, stop)
        np.testing.assert_array_equal(xy, dataset.embedding(name, axes)[start:stop], strict=True)

    @of_base
    def test_blocks_are_the_same_after_the_whole_is_cached(self, reopen: Reopen, truth: Truth) -> None:
        with reopen() as dataset:
            for column in truth.obs.columns:
                check_obs_block(dataset, dataset, column, 3, 17)
            for gene in truth.var_labels[:2]:
                whole = dataset.values(gene)
                np.testing.assert_array_equal(dataset.vector_block(gene, None, 3, 17).dense(14), whole[3:17])

    @of_base
    def test_a_whole_read_in_blocks_is_the_whole(
        self, reopen: Reopen, truth: Truth, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with reopen() as dataset:
            at_once = read_everything(dataset, truth)
        monkeypatch.setattr("cxg_widget.datasets.base.column_values.ROWS_PER_BLOCK", 7)
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
        reads: list[Callable[[int, int], object]] = [partial(dataset.embedding_block, None, (0, 1))]
        reads += [partial(dataset.codes_block, name) for name in coded(dataset)[:1]]
        reads += [partial(dataset.vector_block, name, None) for name in truth.var_labels[:1]]
        for block in ((-1, 3), (3, 2), (0, 10**6)):
            for read in reads:
                with pytest.raises(InvalidValue, match="not a block"):
                    read(*block)

    def test_details_and_sizes_are_fit_for_json(self, dataset: Dataset) -> None:
        assert json.loads(json.dumps(dataset.details)) == dataset.details
        assert all(isinstance(size, int) and size >= 0 for size in dataset.sizes.values())

    @of_base
    def test_unknown_names_come_with_the_nearest(self, dataset: Dataset, truth: Truth) -> None:
        column, embedding = truth.obs.columns[0], str(dataset.default_embedding)
        calls: list[tuple[Callable[[], object], str]] = [
            (lambda: dataset.obs([f"{column}s"]), column),
            (lambda: dataset.codes(f"{column}s"), column),
            (lambda: dataset.category_colors(f"{column}s"), column),
            (lambda: dataset.embedding(f"{embedding}s"), embedding),
        ]
        if truth.var_labels:
            calls.append((lambda: dataset.values(f"{truth.var_labels[0]}s"), truth.var_labels[0]))
        for ask, near in calls:
            with pytest.raises(UnknownName, match="Did you mean") as caught:
                ask()
            assert near in str(caught.value)
        if truth.var_labels:
            with pytest.raises(UnknownName):
                dataset.values(truth.var_labels[0], layer="no such layer")

    def test_shared_arrays_cannot_be_written_to(self, dataset: Dataset, truth: Truth) -> None:
        for column in coded(dataset)[:1]:
            with pytest.raises(ValueError, match="read-only"):
                dataset.codes(column).codes[0] = 0
        for name in truth.var_labels[:1]:
            with pytest.raises(ValueError, match="read-only"):
                dataset.vector(name).values[...] = 0
            dataset.values(name)[0] = 1

    @of_base
    def test_everything_after_close_says_closed(self, reopen: Reopen, truth: Truth) -> None:
        with reopen() as dataset:
            dataset.obs(rows=[0])
        dataset.close()
        assert dataset.closed
        assert "closed" in repr(dataset)
        calls: list[Callable[[], object]] = [
            dataset.obs,
            dataset.var,
            dataset.embedding,
            dataset.obs_names,
            lambda: dataset.codes(truth.obs.columns[0]),
            lambda: dataset.var_names,
            lambda: dataset.gene_sets,
        ]
        calls += [partial(dataset.values, name) for name in truth.var_labels[:1]]
        for ask in calls:
            with pytest.raises(ClosedDataset):
                ask()

    @of_base
    def test_threads_read_one_dataset_while_another_closes_it(self, reopen: Reopen, truth: Truth) -> None:
        dataset = reopen(cache_bytes=0)
        wrong: list[object] = []
        reads = threading.Semaphore(0)

        def read(seed: int) -> None:
            rng = np.random.default_rng(seed)
            try:
                while True:
                    row = int(rng.integers(dataset.n_obs))
                    if truth.var_labels:
                        position = int(rng.integers(len(truth.var_labels)))
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
    def test_a_dataset_that_is_pickled_or_copied_says_what_to_pass(self, dataset: Dataset) -> None:
        for copied in (pickle.dumps, deepcopy):
            with pytest.raises(TypeError, match=r"cannot be pickled or copied; pass its source .* open_dataset\(\)"):
                copied(dataset)

    @of_base
    def test_repr_is_one_short_line(self, dataset: Dataset) -> None:
        assert f"{dataset.n_obs:,} obs" in repr(dataset)
        assert len(repr(dataset)) < 200
