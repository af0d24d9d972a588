"""p-values adjusted for many tests, against scipy."""

import numpy as np
import pytest
from scipy.stats import false_discovery_control

from cxg_widget.compare.gene_tests import benjamini_hochberg, benjamini_hochberg_log10, bonferroni


def some_p(n, seed=0):
    rng = np.random.default_rng(seed)
    p = 10.0 ** rng.uniform(-300, 0, n)
    p[rng.random(n) < 0.3] = 1.0
    p[: n // 5] = p[-1:]  # ties
    return rng.permutation(p)


@pytest.mark.parametrize("n", [0, 1, 2, 30, 5000])
def test_the_false_discovery_rate_is_that_of_scipy(n):
    p = some_p(n)
    np.testing.assert_allclose(benjamini_hochberg(p), false_discovery_control(p), rtol=1e-12)
    np.testing.assert_allclose(10 ** benjamini_hochberg_log10(np.log10(p)), false_discovery_control(p), rtol=1e-9)


def test_a_p_value_that_is_nan_stays_so_and_counts_nowhere():
    p = some_p(40)
    holed = np.insert(p, [0, 7, 40], np.nan)
    known = ~np.isnan(holed)
    for adjust in (benjamini_hochberg, bonferroni):
        assert np.isnan(adjust(holed)[~known]).all()
        np.testing.assert_array_equal(adjust(holed)[known], adjust(p))
    assert np.isnan(benjamini_hochberg([np.nan, np.nan])).all()


def test_bonferroni_is_p_times_the_number_of_tests_and_at_most_1():
    np.testing.assert_array_equal(bonferroni([0.001, 0.2, 0.5, 1.0]), [0.004, 0.8, 1.0, 1.0])


def test_logs_are_adjusted_where_p_itself_would_be_0():
    log10_p = np.array([-5000.0, -4000.0, -1.0, 0.0])
    np.testing.assert_allclose(benjamini_hochberg_log10(log10_p), log10_p + np.log10(4 / np.arange(1, 5)))
