"""Laws of the scale of colors: expected values are those of matplotlib, and held in scales.json for the front-end."""

import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import CenteredNorm, LogNorm, Normalize, TwoSlopeNorm

from cxg_widget.color.limits import ColorRule, check_center, check_rule
from cxg_widget.color.scale import Range, scale_of
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.errors import InvalidValue
from cxg_widget.wire.encoding import describe
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.quantise import LEVELS, zero_code

HELD = json.loads((Path(__file__).parent.parent / "scales.json").read_text(encoding="utf-8"))


def norm_of(rule, low, high):
    """Return matplotlib's norm of a rule whose limits are known."""
    if rule.get("scale") == "log" and "center" in rule:
        return lambda values: Normalize(np.log(low), np.log(high))(np.log(values))
    if rule.get("scale") == "log":
        return LogNorm(low, high)
    if "center" in rule and "vmin" in rule and "vmax" in rule:
        return TwoSlopeNorm(rule["center"], low, high)
    return Normalize(low, high)


@pytest.mark.parametrize("case", HELD["scales"], ids=lambda case: case["law"])
def test_numbers_lie_where_matplotlib_has_them(case):
    known = Range(case["lo"], case["hi"], np.array(case["quantiles"]), case["least"])
    scale = scale_of(ColorRule(**case["rule"]), known, case["automatic"] and tuple(case["automatic"]))
    assert (scale.low, scale.high) == pytest.approx((case["low"], case["high"]))
    values = Levels(case["lo"], case["hi"]).decode(np.array(case["codes"]))
    expected = np.clip(norm_of(case["rule"], case["low"], case["high"])(values), 0, 1)
    assert scale.places(values) == pytest.approx(np.asarray(expected), abs=1e-9)
    assert case["places"] == pytest.approx(np.asarray(expected), abs=1e-6)


@pytest.mark.parametrize(("lo", "hi"), [(-1.0, 4.0), (1.0, 4.0), (-3.0, -2.0)])
def test_around_a_centre_limits_are_as_far_as_centered_norm_puts_them(lo, hi):
    values = np.linspace(lo, hi, 7)
    norm = CenteredNorm(0.5)
    expected = norm(values)
    scale = scale_of(ColorRule(center=0.5), Range(lo, hi, np.quantile(values, np.linspace(0, 1, 1001)), 0.0))
    assert (scale.low, scale.high) == (norm.vmin, norm.vmax)
    assert scale.places(values) == pytest.approx(np.asarray(expected))


@pytest.mark.parametrize("lo", [0.0, -1e-9, -2.5])
def test_no_other_number_has_the_code_of_zero(lo):
    rng = np.random.default_rng(3)
    tiny = np.array([0.0, 1e-12, 5e-6, -5e-6 if lo < -1 else 0.0, -1e-12 if lo < 0 else 1e-30])
    values = np.concatenate([[lo, 4.0], tiny, rng.uniform(lo, 4, 5_000), np.zeros(50), [np.nan]]).astype(np.float32)
    codes = Levels(float(values[0]), 4.0).encode(values)
    zero = zero_code(float(values[0]), 4.0)
    np.testing.assert_array_equal(codes == zero, values == 0)
    known = np.isfinite(values)
    assert np.all(np.sign(codes[known].astype(int) - zero) == np.sign(values[known]))
    found = Levels(float(values[0]), 4.0).decode(codes)
    assert np.nanmax(np.abs(found - values)) <= 2.01 * (4 - lo) / LEVELS
    assert np.isnan(found[-1])
    assert np.all(found[values == 0] == 0)


@pytest.mark.parametrize("fill", [0.0, 1.5])
def test_zeros_negatives_and_logarithms_are_counted_as_numpy_counts_them(fill):
    rng = np.random.default_rng(5)
    rows = np.sort(rng.permutation(4_000)[:900])
    stored = rng.normal(1, 2, 900).astype(np.float32)
    stored[:40], stored[40:45] = 0, np.nan
    dense = np.full(4_000, fill, dtype=np.float32)
    dense[rows] = stored
    found = describe(Vector(stored, rows, fill), 4_000)
    assert (found.n_zero, found.n_negative) == (np.count_nonzero(dense == 0), np.count_nonzero(dense < 0))
    above = dense[dense > 0].astype(np.float64)
    assert found.least == pytest.approx(max(above.min(), 1.5 * (found.hi - found.lo) / LEVELS), rel=0.5)
    expected = np.histogram(np.log(np.maximum(above, found.least)), 64, (np.log(found.least), np.log(above.max())))[0]
    assert np.abs(found.log_histogram.astype(int) - expected).sum() <= 2  # a number at an edge
    assert found.log_histogram.sum() == above.size


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({"center": 2.0, "vmin": 3.0}, "center must lie between vmin and vmax; found 2.0 with vmin 3.0"),
        ({"center": 2.0, "vmax": 1.0}, "center must lie between vmin and vmax; found 2.0 with vmax 1.0"),
        ({"center": 9.0, "vmax": "p90"}, "found 9.0 with vmax 'p90' (7)"),
        ({"vmin": 0.0, "scale": "log"}, "vmin must lie above 0 where scale is 'log'; found 0.0"),
        ({"center": -1.0, "scale": "log"}, "center must lie above 0 where scale is 'log'; found -1.0"),
    ],
)
def test_what_does_not_go_together_is_said_in_one_sentence(rule, said):
    with pytest.raises(InvalidValue) as caught:
        check_rule(ColorRule(**rule), lambda _: 7.0)
    assert said in str(caught.value)


@pytest.mark.parametrize("wrong", ["p50", True, float("nan"), [0], 10**400])
def test_a_centre_is_a_number_or_none(wrong):
    with pytest.raises(InvalidValue, match="center must be a number or None"):
        check_center(wrong)
