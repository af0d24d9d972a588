"""Looks up colormaps: by name, reversed, as lists of colors, and those of matplotlib if it is installed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from cxg_widget.color.colormaps import COLORMAPS
from cxg_widget.color.palettes import check_color
from cxg_widget.color.rgb import seen_in_the_dark
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown

_STEPS = 256
_REVERSED = "_r"

ON_OFFER = tuple(COLORMAPS)
"""Names that the front-end lists, in the order of its menu."""


def check_colormap(value: Any) -> str | list[str]:
    """Check the trait `cmap` and return it normalized: a name, or two or more "#rrggbb" from low to high.

    value : a name of `COLORMAPS` or of matplotlib, with "_r" to reverse it; a list of evenly spaced colors; or a
        colormap of matplotlib
    """
    if isinstance(value, str):
        if _own(value) is None and _of_matplotlib(value) is None:
            raise UnknownName(not_found("colormap", value, [*COLORMAPS, *_names_of_matplotlib()], "this version"))
        return value
    if callable(value) and hasattr(value, "N"):
        return _sampled(value)
    if isinstance(value, Mapping) or not isinstance(value, Iterable):
        raise InvalidValue(f"colormap must be a name or a list of colors; found {shown(value)}")
    colors = [check_color(one) for one in value]
    if len(colors) < 2:
        raise InvalidValue(f"colormap must have two colors or more; found {shown(value)}")
    return colors


def stops_of(cmap: str | Iterable[str], *, dark: bool = False) -> list[str]:
    """Return the evenly spaced colors, "#rrggbb", of a colormap that `check_colormap` returned.

    dark : on a dark page our own colormaps lack the colors that are too dark to be seen
    """
    if not isinstance(cmap, str):
        return list(cmap)
    own = _own(cmap)
    if own is None:
        return _of_matplotlib(cmap) or COLORMAPS["viridis"]
    return seen_in_the_dark(own) if dark else own


def as_synced(cmap: str | list[str]) -> Any:
    """Return a colormap for the front-end: a name that it knows, or {name, stops}."""
    if isinstance(cmap, str) and _own(cmap) is not None:
        return cmap
    return {"name": cmap if isinstance(cmap, str) else "own", "stops": stops_of(cmap)}


def _own(name: str) -> list[str] | None:
    if name in COLORMAPS:
        return COLORMAPS[name]
    reversed_name = name.removesuffix(_REVERSED) if name.endswith(_REVERSED) else name + _REVERSED
    return COLORMAPS[reversed_name][::-1] if reversed_name in COLORMAPS else None


def _names_of_matplotlib() -> list[str]:
    with suppress(ImportError):
        from matplotlib import colormaps

        return list(colormaps)
    return []


def _of_matplotlib(name: str) -> list[str] | None:
    with suppress(ImportError, KeyError):
        from matplotlib import colormaps

        return _sampled(colormaps[name])
    return None


def _sampled(colormap: Any) -> list[str]:
    """Return evenly spaced colors of a matplotlib colormap, or all colors of one that lists fewer."""
    steps = min(int(colormap.N), _STEPS)
    return [check_color(tuple(colormap(step / max(steps - 1, 1))[:3])) for step in range(steps)]
