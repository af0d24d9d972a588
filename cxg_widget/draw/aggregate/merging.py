"""Merges reductions of disjoint rows, pixel by pixel, with NumPy only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

State = dict[str, NDArray[Any]]
"""Planes by name: counts and sums, moments, or the highest-ranked values with looked-up ones."""
_AT_ONCE = 1 << 20
Rule = Literal["count", "any", "sum", "min", "max", "mean", "var", "std", "first", "last", "largest", "smallest"]


def begun(rule: Rule, planes: State, *, has_depth: bool) -> State:
    """Return the mergeable state for datashader's result of one block; with depth, values have a last axis of n."""
    if rule == "mean":
        return {"n": planes["n"], "sum": np.where(planes["n"] > 0, planes["sum"], 0.0)}
    if rule in ("var", "std"):
        n = planes["n"].astype(np.float64)
        known = n > 0
        return {"n": n, "mean": np.where(known, planes["mean"], 0), "m2": np.where(known, planes["var"] * n, 0)}
    if "key" not in planes or has_depth:
        return planes
    return {name: plane[..., None] for name, plane in planes.items()}


def merged(rule: Rule, one: State, two: State) -> State:
    """Return the merged state of two blocks, the rows of `one` first, without changing either.

    Works on a few lines at a time, to bound memory for large pictures.
    """
    first = next(iter(one.values()))
    height, step = first.shape[0], max(_AT_ONCE // max(first[0].size, 1), 1)
    total = {name: np.empty_like(plane) for name, plane in one.items()}
    # The sum of both infinities is undefined, and large numbers overflow, as in datashader.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        for start in range(0, height, step):
            lines = slice(start, start + step)
            part = _MERGES[rule](*({name: plane[lines] for name, plane in state.items()} for state in (one, two)))
            for name, values in part.items():
                total[name][lines] = values
    return total


def finished(rule: Rule, state: State) -> NDArray[Any]:
    """Return the values of the pixels; ranked ones have a last axis of n, or of one."""
    if rule == "mean":
        return _ratio(state["sum"], state["n"])
    if rule in ("var", "std"):
        variance = _ratio(state["m2"], state["n"])
        return variance if rule == "var" else np.sqrt(variance)
    return state["value"] if "value" in state else state["key"]


def _ratio(total: NDArray[Any], n: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(n > 0, total / n, np.nan)


def _each(merge: Callable[..., NDArray[Any]]) -> Callable[[State, State], State]:
    return lambda one, two: {"value": merge(one["value"], two["value"])}


def _add_known(one: NDArray[Any], two: NDArray[Any]) -> NDArray[Any]:
    total: NDArray[Any] = one + two
    # NaN means that there was no cell, not that its value is unknown.
    np.copyto(total, two, where=np.isnan(one))
    np.copyto(total, one, where=np.isnan(two))
    return total


def _add_all(one: State, two: State) -> State:
    return {name: one[name] + two[name] for name in one}


def _add_moments(one: State, two: State) -> State:
    """Merge counts, means and sums of squared differences from the mean.

    Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances" (1979).
    """
    n, both = one["n"] + two["n"], (one["n"] > 0) & (two["n"] > 0)
    part = np.where(n > 0, two["n"] / n, 0.0)
    delta = np.where(both, two["mean"] - one["mean"], 0.0)
    # With an infinite mean the variance is NaN in every pixel, not only where 0 * inf makes it so.
    apart = np.where(np.isinf(delta), np.nan, delta * delta * one["n"] * part)
    m2 = one["m2"] + two["m2"] + apart
    return {"n": n, "mean": one["mean"] * (1 - part) + two["mean"] * part, "m2": m2}


def _rank(sort_key: Callable[[NDArray[Any]], NDArray[Any]], *, later_first: bool = False) -> Callable[..., State]:
    """Return a merge that keeps the n best of two blocks; of equal ones the earlier."""

    def merge(one: State, two: State) -> State:
        ahead, behind = (two, one) if later_first else (one, two)
        both = {name: np.concatenate([ahead[name], behind[name]], axis=-1) for name in one}
        best = np.argsort(sort_key(both["key"]), axis=-1, kind="stable")[..., : one["key"].shape[-1]]
        return {name: np.take_along_axis(values, best, axis=-1) for name, values in both.items()}

    return merge


_MERGES: dict[Rule, Callable[[State, State], State]] = {
    "count": _add_all,
    "any": _each(np.logical_or),
    "sum": _each(_add_known),
    "min": _each(np.fmin),
    "max": _each(np.fmax),
    "mean": _add_all,
    "var": _add_moments,
    "std": _add_moments,
    "first": _rank(np.isnan),
    "last": _rank(np.isnan, later_first=True),
    "largest": _rank(np.negative),  # NaN is last in any order
    "smallest": _rank(np.positive),
}
