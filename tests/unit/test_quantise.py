"""Laws of 16-bit codes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from cxg_widget.wire.quantise import Bounds, bounds_of, finite_range, quantise, quantise_positions

reals = arrays(np.float32, st.integers(1, 200), elements=st.floats(-1e6, 1e6, width=32) | st.just(np.nan))


@settings(deadline=None)
@given(reals)
def test_a_code_is_within_half_a_step_of_its_value(values):
    lo, hi = finite_range(values)
    codes = quantise(values, lo, hi)
    finite = np.isfinite(values)
    decoded = lo + codes[finite] / 65534 * (hi - lo)
    slack = (hi - lo) * 1e-6 + 1e-9
    assert np.all(np.abs(decoded - values[finite]) <= (hi - lo) / 65534 / 2 + slack)


@settings(deadline=None)
@given(reals)
def test_only_what_is_not_finite_is_missing(values):
    lo, hi = finite_range(values)
    np.testing.assert_array_equal(quantise(values, lo, hi) == 65535, ~np.isfinite(values))


def test_the_ends_of_the_range_are_the_ends_of_the_codes():
    assert quantise(np.array([-2.0, 6.0, 2.0]), -2, 6).tolist() == [0, 65534, 32767]


def test_infinity_does_not_stretch_the_range():
    values = np.array([1, np.inf, -np.inf, 3], dtype=np.float32)
    assert finite_range(values) == (1.0, 3.0)
    assert quantise(values, 1, 3).tolist() == [0, 65535, 65535, 65534]


def test_a_constant_column_is_code_zero():
    assert quantise(np.full(3, 7.5), 7.5, 7.5).tolist() == [0, 0, 0]


def test_nothing_finite_has_range_zero():
    assert finite_range(np.array([np.nan, np.inf])) == (0.0, 0.0)
    assert finite_range(np.array([])) == (0.0, 0.0)


def test_large_integers_keep_their_order():
    values = np.array([0, 2**62, 2**62 + 2**50], dtype=np.int64)
    codes = quantise(values, 0, 2**62 + 2**50)
    assert codes[0] == 0
    assert codes[2] == 65534


def test_a_point_missing_one_coordinate_is_missing_both_and_counted():
    xy = np.array([[0, 0], [10, 5], [np.nan, 1], [3, np.inf]], dtype=np.float32)
    bounds = bounds_of(xy)
    assert bounds.n_missing == 2
    assert bounds.extent == (0.0, 10.0, 0.0, 5.0)
    assert quantise_positions(xy, bounds).tolist() == [[0, 0], [65534, 65534], [65535, 65535], [65535, 65535]]


def test_a_finite_coordinate_beside_a_missing_one_does_not_stretch_the_extent():
    xy = np.array([[0, 0], [1, 1], [1e9, np.nan]], dtype=np.float32)
    assert bounds_of(xy).extent == (0.0, 1.0, 0.0, 1.0)


@pytest.mark.parametrize("n", [1, 2, 63, 64, 65, 127, 128, 1000, 4099])
@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_bounds_are_those_of_the_points_that_have_both_coordinates(n, share_missing):
    rng = np.random.default_rng(n)
    xy = rng.normal(size=(n, 2)).astype(np.float32)
    xy[rng.random(xy.shape) < share_missing] = np.nan
    kept = xy[np.isfinite(xy).all(axis=1)]
    x, y = kept[:, 0], kept[:, 1]
    extent = (x.min(), x.max(), y.min(), y.max()) if len(kept) else (0, 0, 0, 0)
    assert bounds_of(xy) == Bounds(tuple(float(end) for end in extent), n - len(kept))
