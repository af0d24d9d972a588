"""Numbers from one end of floating point to the other: every picture of them draws, and nothing of it is infinite."""

from __future__ import annotations

import io
import json
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image

from cxg_widget.color.limits import resolve_limit
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.display.settings import Settings
from cxg_widget.session.pictures.figure_pages import Pages
from cxg_widget.session.session import Session
from cxg_widget.spatial.view import fit_view
from cxg_widget.widget.static_picture import static_picture
from cxg_widget.wire import protocol as p
from cxg_widget.wire.encoding import describe
from cxg_widget.wire.quantise import between, bounds_of, finite_range, quantise, shares
from tests.examples import MORE
from tests.memory import MemoryDataset
from tests.stills import still_png

SINGLE, DOUBLE = (np.finfo(kind) for kind in (np.float32, np.float64))
ENDS = [
    0.0, 1.0, 1e16, 3e38, 1e300, 1.7e308, float(DOUBLE.max), float(SINGLE.max), float(SINGLE.tiny), float(DOUBLE.tiny),
    float(SINGLE.smallest_subnormal), float(DOUBLE.smallest_subnormal),
]  # fmt: skip
numbers = st.sampled_from([*ENDS, *(-end for end in ENDS)]) | st.floats(allow_nan=False, allow_infinity=False)
doubles = arrays(np.float64, st.integers(1, 30), elements=numbers)
single = st.floats(width=32, allow_nan=False, allow_infinity=False)
singles = arrays(np.float32, st.integers(1, 30), elements=single)
positions = arrays(np.float32, st.tuples(st.integers(1, 12), st.just(2)), elements=single)
some = settings(max_examples=20 * MORE, deadline=None)


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def placed(value: float, lo: float, hi: float) -> Fraction:
    """Where a value lies between two others, without rounding."""
    return (Fraction(value) - Fraction(lo)) / (Fraction(hi) - Fraction(lo)) if hi > lo else Fraction(0)


@some
@given(doubles | singles)
def test_a_code_is_where_its_value_lies_and_order_is_kept(values):
    lo, hi = finite_range(values)
    codes = quantise(values, lo, hi)
    assert codes.max(initial=0) <= 65534
    assert (np.diff(codes[np.argsort(values, kind="stable")].astype(int)) >= 0).all()
    for code, value in zip(codes.tolist(), values.tolist(), strict=True):
        assert abs(Fraction(code, 65534) - placed(value, lo, hi)) <= Fraction(0.5001) / 65534 + Fraction(1e-6)


@some
@given(numbers, numbers, st.floats(0, 1))
def test_a_share_of_the_way_is_found_there_again(one, other, share):
    lo, hi = sorted((one, other))
    found = float(between(lo, hi, share))
    assert math.isfinite(found)
    assert lo <= found <= hi or math.isclose(found, lo) or math.isclose(found, hi)
    assert abs(Fraction(found) - (Fraction(lo) + Fraction(share) * (Fraction(hi) - Fraction(lo)))) <= (
        Fraction(1e-12) * (abs(Fraction(lo)) + abs(Fraction(hi))) + Fraction(DOUBLE.smallest_subnormal)
    )
    if hi > lo:
        assert abs(float(shares(np.array([found]), lo, hi)[0]) - float(placed(found, lo, hi))) <= 1e-12


@some
@given(doubles | singles)
def test_what_a_legend_says_is_finite_and_counts_every_cell(values):
    found = describe(Vector(values), values.size)
    assert (found.lo, found.hi) == (values.min(), values.max())
    assert found.histogram.sum() == values.size
    assert np.isfinite(found.quantiles).all()
    assert (found.quantiles[0], found.quantiles[-1]) == (found.lo, found.hi)
    for text in ("p0", "p1", "p50", "p99.5", "p100"):
        assert found.lo <= resolve_limit(text, found.lo, found.hi, found.quantiles, found.lo) <= found.hi


def a_session(values, xy, **settings):
    dataset = MemoryDataset({"score": values}, np.zeros((len(xy), 1), np.float32), ["gene"], {"umap": xy})
    return Session(dataset, Settings(embedding="umap", color="score", **settings))


def drawn(session, view=None):
    return np.asarray(Image.open(io.BytesIO(still_png(session, view, (160, 120)))))


@some
@given(doubles | singles, numbers, numbers)
def test_every_column_of_finite_numbers_is_drawn(values, low, high):
    xy = np.random.default_rng(0).uniform(0, 1, (values.size, 2)).astype(np.float32)
    limits = {"vmin": min(low, high), "vmax": max(low, high)}
    for given_limits in ({}, limits, {"vmin": "p5", "vmax": "p95"}):
        picture = drawn(a_session(values, xy, **given_limits))
        assert (picture != 255).any()


@some
@given(positions)
def test_every_embedding_of_finite_numbers_is_drawn(xy):
    session = a_session(np.arange(len(xy), dtype=np.float32), xy)
    assert (drawn(session) != 255).any()
    (frame,) = session.streams.points()
    assert frame.arrays["xy"].max() <= 65534
    json.dumps(frame.message.extent, allow_nan=False)


@settings(max_examples=10 * MORE, deadline=None)
@given(positions, st.sampled_from([1.0, 3e38, 1.7e308, 5e-324]))
def test_every_image_of_all_cells_is_drawn(xy, end):
    """Images are drawn of more cells than are sent as points."""
    session = a_session(np.linspace(-end / 2, end / 2, len(xy)) * 2, xy, max_points=0)
    view = [float(one) for one in fit_view(bounds_of(xy).extent, (60, 50))]
    message = p.Aggregate(view, 60, 50, 1.0, -1, False, [], session.settings.density, 0.0)
    (frame,) = session.answer(message)
    pixels = np.asarray(Image.open(io.BytesIO(frame.arrays["png"].tobytes())))
    assert pixels[..., 2].any()  # blue is the opacity


@pytest.mark.parametrize("place", [0.0, 1e16, -1e16, 3e38, 1e-40])
def test_cells_at_one_place_are_drawn_in_the_middle(place):
    picture = drawn(a_session(np.arange(5.0), np.full((5, 2), place, np.float32)))
    assert (picture[60, 80] != 255).any()


def test_high_values_are_colored_high_and_low_ones_low():
    values, xy = np.array([-1.7e308, 1.7e308]), np.array([[0, 0], [1, 0]], np.float32)
    small = drawn(a_session(np.array([-1.0, 1.0]), xy))
    np.testing.assert_array_equal(drawn(a_session(values, xy)), small)
    np.testing.assert_array_equal(drawn(a_session(np.array([0, 5e-324]), xy)), small)


def test_a_picture_that_fails_is_logged_and_leaves_the_live_view(monkeypatch, caplog):
    session = a_session(np.arange(5.0), np.zeros((5, 2), np.float32))
    monkeypatch.setattr(Pages, "page", lambda *_, **__: 1 / 0)
    assert static_picture(session, 300, "id") == {}
    assert "ZeroDivisionError" in caplog.text
