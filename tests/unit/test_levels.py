"""Laws of codes: whatever the numbers and the limits, none has a color that is off by more than 1 of 255."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cxg_widget.color.limits import ColorRule
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.draw.aggregate.canvas import aggregate
from cxg_widget.draw.aggregate.image_columns import arrange
from cxg_widget.draw.aggregate.shading import number_image
from cxg_widget.draw.points.crowding import shared_codes
from cxg_widget.spatial import SpatialIndex
from cxg_widget.wire.encoding import describe
from cxg_widget.wire.level_choice import levels_for
from cxg_widget.wire.levels import Levels
from tests.examples import MORE

HELD = json.loads((Path(__file__).parent.parent / "levels.json").read_text(encoding="utf-8"))
RNG = np.random.default_rng(5)
BASE = RNG.random(400)
BENT = Levels(-1.0, 1e6, 0.0, 1e-3)

COLUMNS = {
    "one of 1e4": np.append(BASE, 1e4),
    "one of 1e6": np.append(BASE, 1e6),
    "one of 1e30": np.append(BASE, 1e30),
    "one of -1e6": np.append(BASE, -1e6),
    "both": np.append(BASE - 0.5, [1e30, -1e30]),
    "float32": np.append(BASE, 3e38).astype(np.float32),
    "decades": 10 ** RNG.uniform(-15, 15, 400),
    "five decades": 10 ** RNG.uniform(0, 5, 400),
    "decades with zeros": np.append(10 ** RNG.uniform(-4, 4, 400), np.zeros(100)),
    "two clusters": np.append(1e6 + 1e-3 * BASE, RNG.random(9) - 1e9),
    "int64": np.append(RNG.integers(0, 50, 400), 2**62),
    "subnormal": np.append(5e-324 * RNG.integers(0, 4000, 400), 1.0),
    "negative": -np.append(BASE, 1e8),
    "constant": np.full(9, 3.5),
    "missing": np.append(BASE, [np.nan, np.inf, 1e9]),
}
NONE = ColorRule()


def measured(values):
    return describe(Vector(values), values.size)


def places(values, low, high, *, is_log=False):
    """Return where values lie between limits, 0 to 1, computed apart from the package and in extended precision."""
    values, low, high = (np.asarray(one, dtype=np.longdouble) for one in (values, low, high))
    if is_log:
        with np.errstate(divide="ignore", invalid="ignore"):
            values, low, high = np.log(np.maximum(values, 0)), np.log(low), np.log(high)
    return np.clip((values - low) / (high - low), 0, 1).astype(float)


def check(values, low, high, rule):
    """Compare the colors of all values with those of their codes."""
    values = values[np.isfinite(values)]
    levels = levels_for(measured(values).measures, rule)
    codes = levels.encode(values)
    found = levels.decode(codes)
    is_log = rule.scale == "log"
    is_shown = values > 0 if is_log else np.ones(values.size, dtype=bool)
    off = np.abs(places(values, low, high, is_log=is_log) - places(found, low, high, is_log=is_log))[is_shown]
    assert off.max(initial=0) <= 1.001 / 255
    assert (np.diff(codes[np.argsort(values, kind="stable")].astype(int)) >= 0).all()
    if levels.zero >= 0 and values.min() < values.max():
        np.testing.assert_array_equal(codes == levels.zero, values == 0)
    return levels


@pytest.mark.parametrize("name", COLUMNS)
def test_limits_that_are_not_set_span_all_numbers_in_their_colors(name):
    values = COLUMNS[name]
    finite = values[np.isfinite(values)].astype(float)
    if finite.min() < finite.max():
        check(values, finite.min(), finite.max(), NONE)


@pytest.mark.parametrize(
    "limits", [(0.0, 1.0), (0.25, 0.5), (0.0, 1e-3), (1e6, 1e6 + 1e-3), (0.0, 2e-320), (-3.0, 40.0)]
)
@pytest.mark.parametrize("name", COLUMNS)
def test_numbers_within_limits_have_their_colors_whatever_lies_beyond(name, limits):
    if name != "constant":
        check(COLUMNS[name], *limits, ColorRule(*limits))


@pytest.mark.parametrize("name", COLUMNS)
def test_on_a_log_scale_numbers_have_their_colors_over_any_number_of_decades(name):
    values = COLUMNS[name][np.isfinite(COLUMNS[name])].astype(float)
    above = values[values > 0]
    if above.size and above.min() < above.max() < 1e300 * above.min():
        check(values, above.min(), above.max(), ColorRule(scale="log"))


@pytest.mark.parametrize("n_decades", [1, 4, 5, 8, 15, 30, 100, 300])
def test_log_scales_are_true_from_one_decade_to_three_hundred(n_decades):
    values = 10 ** np.linspace(-n_decades / 2, n_decades / 2, 3_001)
    for low, high in ((values[0], values[-1]), (values[0], values[1_000]), (values[2_000], values[-1])):
        check(values, low, high, ColorRule(low, high, None, "log"))


FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e60, max_value=1e60)


@settings(max_examples=50 * MORE, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FINITE, min_size=2, max_size=30), st.lists(st.floats(-10, 10), min_size=2, max_size=30), FINITE, FINITE)
@example([0.0, 1.0], [2.2e-308, -1.0], 0.0, 1.1e-303)
def test_no_numbers_and_no_limits_are_off(wide, narrow, one, other):
    low, high = min(one, other), max(one, other)
    if low < high:
        check(np.array(wide + narrow), low, high, ColorRule(low, high))


@settings(max_examples=50 * MORE, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(FINITE, min_size=2, max_size=30), st.floats(-60, 60), st.floats(1e-3, 60))
def test_no_numbers_and_no_limits_of_a_log_scale_are_off(values, first, n_decades):
    low, high = 10**first, 10 ** (first + n_decades)
    check(np.array(values), low, high, ColorRule(low, high, None, "log"))


def test_ordinary_numbers_have_the_even_codes_that_they_always_had():
    values = RNG.normal(size=5_000).astype(np.float32)
    levels = levels_for(measured(values).measures, NONE)
    assert not levels.is_bent
    expected = np.rint((values - values.min()) / (np.ptp(values) / 65_534))
    assert np.abs(levels.encode(values) - expected).max() <= 1


@pytest.mark.parametrize("case", HELD["levels"], ids=lambda case: case["law"])
def test_codes_stand_for_the_numbers_of_the_formula(case):
    levels, codes = Levels(*case["levels"]), np.array(case["codes"])
    lo, hi, *bend = (np.longdouble(one) for one in case["levels"])
    share = codes.astype(np.longdouble) / 65_534
    if bend:
        center, width = bend
        low, high = np.arcsinh((lo - center) / width), np.arcsinh((hi - center) / width)
        expected = center + width * np.sinh(low + share * (high - low))
    else:
        expected = lo + share * (hi - lo)
    assert case["numbers"] == pytest.approx(expected.astype(float), rel=1e-9, abs=1e-300)
    assert levels.numbers_at(codes) == pytest.approx(expected.astype(float), rel=1e-9, abs=1e-300)
    assert levels.zero == case["zero"]
    np.testing.assert_array_equal(levels.encode(levels.numbers_at(codes)), codes)


def test_limits_that_change_little_need_no_other_codes():
    known = measured(np.append(BASE, 1e6)).measures
    found = {levels_for(known, ColorRule(vmax=float(vmax))) for vmax in np.linspace(0.04, 20, 200)}
    assert len(found) == 1


# Means.


def test_a_pixel_shows_the_mean_of_its_numbers_and_not_of_their_codes(plain_datashader):
    rng = np.random.default_rng(1)
    xy = rng.random((4_000, 2)).astype(np.float32)
    values = np.where(rng.random(4_000) < 0.5, 0, 10 ** rng.uniform(-3, 3, 4_000))
    values[:3] = np.nan, -1.0, 1e6
    index, size = SpatialIndex.build(xy), (8, 8)
    numbers = replace(measured(values), coded=BENT)
    at = np.minimum((xy * 8).astype(int), 7)
    pixel = (7 - at[:, 1]) * 8 + at[:, 0]
    is_known = np.isfinite(values)
    n = np.bincount(pixel[is_known], minlength=64)
    mean = np.bincount(pixel[is_known], values[is_known], 64) / n
    peak = np.full(64, -np.inf)
    np.maximum.at(peak, pixel[is_known], values[is_known])
    between = BENT.numbers_at((BENT.places_of(mean) + BENT.places_of(peak)) / 2)
    for aggregator in ("auto", "datashader"):
        for statistic, weight, expected in (("mean", 0.0, mean), ("max", 1.0, peak), ("both", 0.5, between)):
            planes = aggregate(
                index, arrange(index, numbers), (0, 1, 0, 1), size, statistic=statistic, aggregator=aggregator
            )
            image = number_image(planes, weight, levels=BENT)
            assert BENT.decode(image.codes).ravel() == pytest.approx(expected, rel=2e-3)


def test_points_that_share_a_pixel_show_the_mean_of_their_numbers():
    xy = np.repeat(np.array([[0, 0], [900, 900]], np.uint16), 50, axis=0)
    values = np.append(10 ** RNG.uniform(-3, 5, 50), np.zeros(50))
    codes = BENT.encode(values)
    shown = shared_codes(xy, codes, (xy, codes), (100.0, 100.0), 0.0, levels=BENT)
    assert BENT.decode(shown[:50]) == pytest.approx(values[:50].mean(), rel=2e-3)
    assert (shown[50:] == BENT.zero).all()
