"""Laws of the wire forms of a coloring: decoding them gives back what the store holds."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.text.names import label_of
from cxg_widget.wire.encoding import category_counts, code_frames, describe, number_frames
from cxg_widget.wire.order import DisplayOrder
from tests.examples import MORE


def decode(frames, n_obs):
    """Rebuild the codes in display order as the schema says a reader must."""
    out = np.full(n_obs, -1, dtype=np.int64)
    for frame in frames:
        message, arrays = frame.message, frame.arrays
        if message.kind in ("codes", "values"):
            out[message.start : message.stop] = arrays[message.kind]
            continue
        out[message.start : message.stop] = message.fill
        begin, entry = message.start, 0
        for count in arrays["counts"]:
            chunk = slice(entry, entry + int(count))
            out[begin + arrays["offsets"][chunk].astype(np.int64)] = arrays["values"][chunk]
            begin, entry = begin + 65_536, entry + int(count)
    return out


def expected_codes(dense, lo, hi):
    codes = np.rint((dense.astype(np.float64) - lo) / ((hi - lo) or 1) * 65534)
    return np.where(np.isfinite(dense), codes, 65535)


@pytest.mark.parametrize("n_obs", [1, 70_000, 200_000])
@pytest.mark.parametrize("density", [0.0, 0.03, 0.9, 1.0])
@pytest.mark.parametrize("fill", [0.0, -1.5, 2.25])
def test_a_sparse_gene_decodes_to_its_dense_column(n_obs, density, fill):
    rng = np.random.default_rng(1)
    rows = rng.permutation(n_obs)[: int(density * n_obs)].astype(np.int64)
    values = rng.exponential(2, rows.size).astype(np.float32)
    if rows.size:
        values[0] = np.nan
    vector, order = Vector(values, rows, fill), DisplayOrder(n_obs)
    numbers = describe(vector, n_obs)
    dense = np.full(n_obs, fill, dtype=np.float32)
    dense[rows] = values
    found = decode(number_frames(numbers, order, 1), n_obs)
    difference = np.abs(found - expected_codes(dense, numbers.lo, numbers.hi)[order.rows])
    assert difference.max(initial=0) <= 1  # float32 arithmetic may round a half step the other way
    assert numbers.n_missing == np.isnan(dense).sum()


@settings(max_examples=20 * MORE, deadline=None)
@given(st.integers(1, 300), st.floats(0, 1), st.integers(0, 10_000))
def test_range_histogram_and_quantiles_are_those_of_the_dense_column(n_obs, density, seed):
    rng = np.random.default_rng(seed)
    rows = rng.permutation(n_obs)[: int(density * n_obs)].astype(np.int64)
    vector = Vector(rng.normal(size=rows.size).astype(np.float32), rows, 0.5)
    numbers, dense = describe(vector, n_obs), vector.dense(n_obs)
    assert (numbers.lo, numbers.hi) == (dense.min(), dense.max())
    assert numbers.histogram.sum() == n_obs
    if dense.max() > dense.min():
        np.testing.assert_array_equal(numbers.histogram, np.histogram(dense, 64)[0])
    np.testing.assert_allclose(numbers.quantiles, np.quantile(dense, np.linspace(0, 1, 1001)), rtol=1e-5, atol=1e-6)


def test_a_sparse_gene_costs_four_bytes_per_entry_and_a_dense_one_two_per_cell():
    n_obs = 300_000
    rng = np.random.default_rng(0)
    for n_entries, limit in [(15_000, 15_000 * 4 + 100), (250_000, n_obs * 2)]:
        vector = Vector(rng.random(n_entries).astype(np.float32) + 1, rng.permutation(n_obs)[:n_entries])
        frames = number_frames(describe(vector, n_obs), DisplayOrder(n_obs), 1)
        assert sum(array.nbytes for frame in frames for array in frame.arrays.values()) <= limit


def test_no_buffer_of_a_sparse_gene_exceeds_a_mebibyte_and_the_first_container_travels_alone():
    n_obs = 2_000_000
    rows = np.arange(0, n_obs, 3)
    frames = list(
        number_frames(describe(Vector(np.ones(rows.size, dtype=np.float32), rows), n_obs), DisplayOrder(n_obs), 1)
    )
    assert frames[0].message.stop == 65_536
    assert [frame.message.start for frame in frames[1:]] == [frame.message.stop for frame in frames[:-1]]
    assert frames[-1].message.stop == n_obs
    assert all(sum(a.nbytes for a in frame.arrays.values()) <= (1 << 20) + 4096 for frame in frames)


@pytest.mark.parametrize(("n_categories", "dtype"), [(1, "uint8"), (254, "uint8"), (255, "uint16"), (65_534, "uint16")])
def test_categories_take_one_byte_up_to_254_and_missing_is_the_largest_code(n_categories, dtype):
    codes = np.array([-1, 0, n_categories - 1], dtype=np.int32)
    order = DisplayOrder(3)
    (frame,) = code_frames(Codes(codes, tuple(range(n_categories))), order, 1)
    assert frame.arrays["codes"].dtype == dtype
    in_rows = frame.arrays["codes"][order.points]
    assert in_rows.tolist() == [np.iinfo(dtype).max, 0, n_categories - 1]


def test_counts_are_those_of_numpy():
    codes = np.array([2, 2, -1, 0], dtype=np.int8)
    assert category_counts(Codes(codes, ("a", "b", "c"))) == ([1, 0, 2], 1)


@pytest.mark.parametrize(
    "values",
    [
        np.array([1000, np.nextafter(np.float32(1000), np.float32(2000))], dtype=np.float32),
        np.array([2**53, 2**53 + 2], dtype=np.float64),
        np.array([-3e38, 3e38], dtype=np.float32),
    ],
)
def test_a_range_too_narrow_or_too_wide_to_cut_into_bins_still_has_a_histogram(values):
    numbers = describe(Vector(values), 2)
    assert numbers.histogram[[0, -1]].tolist() == [1, 1]
    assert decode(number_frames(numbers, DisplayOrder(2), 1), 2)[DisplayOrder(2).points].tolist() == [0, 65534]


def test_a_constant_column_lies_in_the_first_bin():
    assert describe(Vector(np.full(5, 3.5, dtype=np.float32)), 5).histogram.tolist() == [5] + [0] * 63


def test_a_column_that_is_all_missing_has_no_range_and_no_histogram():
    numbers = describe(Vector(np.full(5, np.nan, dtype=np.float32)), 5)
    assert (numbers.lo, numbers.hi, numbers.n_missing, int(numbers.histogram.sum())) == (0.0, 0.0, 5, 0)
    assert decode(number_frames(numbers, DisplayOrder(5), 1), 5).tolist() == [65535] * 5


def test_labels_are_written_as_pandas_shows_them():
    assert [label_of(one) for one in ("B cell", 3, 3.0, 2.5, True)] == ["B cell", "3", "3", "2.5", "True"]


@pytest.mark.parametrize("n", [0, 1, 10_000, 131_072, 131_073, 300_000])
def test_the_display_order_is_a_seeded_permutation(n):
    order = DisplayOrder(n)
    np.testing.assert_array_equal(np.sort(order.rows), np.arange(n))
    np.testing.assert_array_equal(order.rows, DisplayOrder(n).rows)
    np.testing.assert_array_equal(order.rows[order.points], np.arange(n))
    assert n < 2 or (order.rows != DisplayOrder(n, seed=1).rows).any()


@pytest.mark.parametrize("n", [200_000, 400_000])
def test_which_of_two_cells_lies_on_top_is_a_matter_of_chance(n):
    point = DisplayOrder(n).points.astype(np.int64)
    rng = np.random.default_rng(1)
    for apart in (1, 2, 1021, 1024, n // 2):
        below = rng.integers(0, n - apart, 20_000)
        share = np.mean(point[below] < point[below + apart])
        assert abs(share - 0.5) < 4 * np.sqrt(0.25 / 20_000), apart


@pytest.mark.parametrize("n", [100_000, 400_000])
def test_every_prefix_of_the_display_order_is_a_fair_sample(n):
    order = DisplayOrder(n)
    for prefix in (1000, 10_000, 50_000):
        share = np.mean(order.rows[:prefix] < 0.3 * n)
        assert abs(share - 0.3) < 4 * np.sqrt(0.21 / prefix)


def test_measuring_numbers_takes_no_more_than_a_copy_of_them_and_a_byte_each():
    values = np.random.default_rng(0).normal(size=400_000).astype(np.float32)
    tracemalloc.start()
    try:
        describe(Vector(values), values.size)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < values.nbytes + values.size + 200_000
