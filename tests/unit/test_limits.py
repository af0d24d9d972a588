"""Laws of color limits."""

import numpy as np
import pytest

from cxg_widget.color.limits import check_limit, percentile, resolve_limit
from cxg_widget.errors import InvalidValue


@pytest.mark.parametrize("right", [None, 0, -2.5, np.float32(3), "p0", "p1", "p99.5", "p100"])
def test_numbers_percentiles_and_none_are_limits(right):
    assert check_limit("vmax", right) == right


@pytest.mark.parametrize("wrong", ["99", "p101", "p-1", "q9", "p", True, float("nan"), float("inf"), [1], "pnan"])
def test_anything_else_is_refused_with_what_would_be_right(wrong):
    with pytest.raises(InvalidValue, match=r"vmax must be a number, a percentile like 'p99' or None"):
        check_limit("vmax", wrong)


def test_a_percentile_is_read_from_its_text():
    assert percentile("p99.5") == 99.5
    assert percentile("99") is None


def test_a_percentile_limit_is_that_quantile_of_the_data():
    values = np.random.default_rng(0).exponential(size=5000).astype(np.float32)
    table = np.quantile(values, np.linspace(0, 1, 1001)).astype(np.float32)
    for text, share in [("p1", 0.01), ("p50", 0.5), ("p99.9", 0.999)]:
        found = resolve_limit(text, values.min(), values.max(), table, 0.0)
        assert found == pytest.approx(np.quantile(values, share), rel=1e-5)
