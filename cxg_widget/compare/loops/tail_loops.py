"""The compiled loop over tails of hypergeometric distributions; imported at first use, since numba is slow."""

from __future__ import annotations

import math
from typing import Any

from cxg_widget.compute.compiled import compiled

_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)
_NEGLIGIBLE = 1e-18
"""Relative size of a falling term at which a sum ends: later terms do not change a float64."""


@compiled
def put_log_tails(drawn: Any, held: Any, n_drawn: Any, n_all: Any, out: Any) -> None:
    """Write float64 (k,): log of P(X >= drawn), for n_drawn of n_all cells drawn without replacement.

    The first term is computed by its logarithm, all others by their ratio to the one before, away from the mean, where
    they fall. That takes a few standard deviations of terms, whatever the numbers are.

    drawn, held : int64 (k,), number of the drawn cells, and of all cells, in each category
    """
    for i in range(drawn.size):
        a, held_i = drawn[i], held[i]
        lowest, highest = max(0, n_drawn + held_i - n_all), min(held_i, n_drawn)
        if a <= lowest:
            out[i] = 0.0
        elif a > highest:
            out[i] = -math.inf
        # Above the mean the terms fall upwards, below it downwards; summed the other way they would rise first.
        elif a > held_i * (n_drawn / n_all):
            log_first = _log_chance(a, held_i, n_drawn, n_all)
            total, term = 1.0, 1.0
            for x in range(a, highest):
                term *= ((held_i - x) / (x + 1.0)) * ((n_drawn - x) / (n_all - held_i - n_drawn + x + 1.0))
                total += term
                if term < _NEGLIGIBLE * total:
                    break
            # Rounding may leave a probability a little above 1.
            out[i] = min(0.0, log_first + math.log(total))
        else:
            log_first = _log_chance(a - 1, held_i, n_drawn, n_all)
            total, term = 1.0, 1.0
            for x in range(a - 1, lowest, -1):
                term *= (x / (held_i - x + 1.0)) * ((n_all - held_i - n_drawn + x) / (n_drawn - x + 1.0))
                total += term
                if term < _NEGLIGIBLE * total:
                    break
            out[i] = math.log1p(-min(1.0, math.exp(log_first + math.log(total))))


@compiled
def _log_chance(a: Any, held: Any, n_drawn: Any, n_all: Any) -> Any:
    """Return log of P(X = a) from three binomial ones: differences of log factorials of millions would lose digits.

    Source: Loader, "Fast and accurate computation of binomial probabilities" (2000), as in R's `dhyper`.
    """
    share = n_drawn / n_all
    others = 1 - share
    return (
        _log_binomial(a, held, share, others)
        + _log_binomial(n_drawn - a, n_all - held, share, others)
        - _log_binomial(n_drawn, n_all, share, others)
    )


@compiled
def _log_binomial(x: Any, n: Any, share: Any, others: Any) -> Any:
    if n == 0:
        return 0.0
    if x == 0:
        # n * log(1 - share) loses digits for a small share; as in R's dbinom_raw.
        return -_deviance(n, n * others) - n * share if share < 0.1 else n * math.log(others)
    if x == n:
        return -_deviance(n, n * share) - n * others if others < 0.1 else n * math.log(share)
    corrections = _stirling(n) - _stirling(x) - _stirling(n - x)
    deviances = _deviance(x, n * share) + _deviance(n - x, n * others)
    return corrections - deviances - _HALF_LOG_TAU - 0.5 * (math.log(x) + math.log1p(-x / n))


@compiled
def _stirling(n: Any) -> Any:
    """Return log(n!) minus Stirling's approximation of it."""
    if n < 16:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - _HALF_LOG_TAU
    nn = float(n) * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / nn) / nn) / nn) / nn) / n


@compiled
def _deviance(x: Any, mean: Any) -> Any:
    """Return x log(x / mean) + mean - x, which is a small difference of large numbers for x near the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * math.log(x / mean) + mean - x
    ratio = (x - mean) / (x + mean)
    found, term = (x - mean) * ratio, 2 * x * ratio
    for k in range(1, 1000):
        term *= ratio * ratio
        more = found + term / (2 * k + 1)
        if more == found:
            break
        found = more
    return found
