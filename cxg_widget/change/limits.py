"""Color limits follow the coloring: numbers stay with the one that they were set for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cxg_widget.change.known import Known
from cxg_widget.color.limits import LIMITS, OwnLimits
from cxg_widget.display.settings import Settings
from cxg_widget.display.statistic import describe_statistic
from cxg_widget.display.target import coloring_key
from cxg_widget.errors import CxgWidgetError

OF_COLORING = frozenset({*LIMITS, "color", "layer", "statistic"})


def follow_coloring(
    before: Settings, now: Settings, requested: frozenset[str], known: Known
) -> tuple[dict[str, Any], OwnLimits]:
    """Return the limits that come with another coloring, and those of all colorings from now on.

    Limits that were requested together with the coloring stay.
    """
    given = {name: getattr(now, name) for name in LIMITS if name in requested}
    if _measured(now) == _measured(before):
        return {}, known.limits.sharing(given)
    limits = known.limits.leaving(_key(before, known), {name: getattr(before, name) for name in LIMITS})
    return {**_uncrossed(now, limits.of(_key(now, known)), given, known), **given}, limits.sharing(given)


def _uncrossed(now: Settings, own: dict[str, Any], given: dict[str, Any], known: Known) -> dict[str, Any]:
    """Leave out percentiles, which were set for other colorings, where they cross a number, else all."""
    numbers = {name: None if isinstance(value, str) else value for name, value in own.items()}
    fitting = (limits for limits in (own, numbers) if known.fits(replace(now, **{**limits, **given})))
    return next(fitting, dict.fromkeys(LIMITS))


def _key(settings: Settings, known: Known) -> tuple[Any, ...]:
    color, layer, statistic = _measured(settings)
    try:
        key = coloring_key(known.target(settings), layer, known.dataset)
    except CxgWidgetError:
        key = str(color), layer
    return *key, statistic


def _measured(settings: Settings) -> tuple[Any, str | None, str]:
    """Return what limits are of: a coloring and, where numbers are of pixels, the statistic."""
    statistic = settings.statistic
    return settings.color, settings.layer, describe_statistic(statistic) if settings.is_of_pixels else ""
