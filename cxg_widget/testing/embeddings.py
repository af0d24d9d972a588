"""Laws of embeddings: axes, their labels, views read alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets import Codes, Dataset
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.testing.helpers import (
    few,
    of_base,
)
from cxg_widget.testing.truth import Truth


class EmbeddingLaws:
    """Laws of embeddings: axes, their labels, views read alone."""

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
        wrong: tuple[Any, ...] = ((0, 10**4), (-1, 0), (0,), (0, 1, 2), 1, ("a", 1), (0.5, 1))
        for axes in wrong:
            with pytest.raises(InvalidValue):
                dataset.embedding(axes=axes)

    @of_base
    def test_no_embedding_named_means_the_default(self, dataset: Dataset) -> None:
        np.testing.assert_array_equal(dataset.embedding(), dataset.embedding(dataset.default_embedding))

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

    @settings(few, max_examples=3)
    @given(data=st.data())
    def test_a_view_read_alone_is_the_rows_that_lie_in_it(self, data: Any, dataset: Dataset, truth: Truth) -> None:
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
                expected: Any = dataset.values_block(column, 0, dataset.n_obs)
                read: Any = found.column(column)
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
            held = dataset.stated_values(name)
            if isinstance(held, Codes):
                assert held.codes.size == 0
                assert held.categories == dataset.codes(name).categories
            elif held is not None:
                assert column.kind in ("int", "float")
                values = dataset.numbers(name)
                assert held == (values.min(), values.max())

    def test_cells_have_widths_of_their_own_around_that_of_a_spot_or_none(self, dataset: Dataset) -> None:
        widths, spot = dataset.spot_widths(), dataset.sections().spot
        if widths is None:
            return
        assert widths.dtype == np.float32
        assert widths.shape == (dataset.n_obs,)
        assert not widths.flags.writeable
        assert not (widths < 0).any()
        assert not np.isinf(widths).any()
        assert spot is not None
        assert 0 < spot <= np.nanmax(widths)

    def test_what_is_read_in_one_pass_is_what_is_read_apart(self, dataset: Dataset) -> None:
        for name, width in dataset.embeddings.items():
            for column in dataset.obs_columns:
                both = dataset.embedding_with(column, name, (width - 1, 0))
                if both is None:
                    continue
                np.testing.assert_array_equal(both[0], dataset.embedding(name, (width - 1, 0)), strict=True)
                expected: Any = dataset.values_block(column, 0, dataset.n_obs)
                found: Any = both[1]
                if isinstance(expected, Codes):
                    assert found.categories == expected.categories
                    found, expected = found.codes, expected.codes
                np.testing.assert_array_equal(found, expected, strict=True)
