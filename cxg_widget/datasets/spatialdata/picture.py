"""Converts a tissue image to RGB: up to three channels, each with contrast limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.spatialdata.raster import Raster
from cxg_widget.errors import InvalidOption, UnknownName
from cxg_widget.text.names import not_found

_MOST = 3
_PERCENTILES = (0.1, 99.9)
_LARGEST = 2048
"""Largest side, in px, of the part of the coarsest level that sets the contrast limits."""
_RGB = (("r", "g", "b"), ("red", "green", "blue"))
Limits = Mapping[str, Sequence[float]]


class Picture:
    """An image with its chosen channels and contrast limits.

    Parameters
    ----------
    channels : names, at most three; None = red, green and blue if it has them, else the first three
    limits : by channel, the values shown as black and as full color. For other channels, 0.1 % of the pixels lie beyond
        either limit. Red, green and blue share limits that start at 0; those of type uint8 are shown unchanged

    Attributes
    ----------
    is_rgb : whether its channels are red, green and blue
    """

    def __init__(self, raster: Raster, channels: Sequence[str] | None, limits: Limits) -> None:
        self.raster = raster
        names = raster.channels or ("",)
        self._given = {names.index(name): pair for name, pair in limits.items() if name in names}
        chosen = [names.index(name) for name in channels or () if name in names]
        self.is_rgb = not chosen and _is_rgb(raster)
        self._chosen = chosen or list(range(min(len(names), _MOST)))
        self._is_plain = self.is_rgb and raster.levels[1].dtype == np.uint8 and not self._given

    def read(self, factor: int, lines: slice, columns: slice) -> NDArray[np.uint8]:
        """Return a part of a level, (lines, columns) or (lines, columns, 3)."""
        shown = self._read_channels(factor, lines, columns)
        if not self._is_plain:
            shown = [_scaled(one, self.limits[channel]) for one, channel in zip(shown, self._chosen, strict=True)]
        if len(shown) == 1:
            return shown[0]
        return np.stack([*shown, *[np.zeros_like(shown[0])] * (_MOST - len(shown))], axis=-1)

    def _read_channels(self, factor: int, lines: slice, columns: slice) -> list[NDArray[Any]]:
        """Return the chosen channels, each read once; reads other channels only if they share a chunk."""
        if not self.raster.channels:
            return [self.raster.read(factor, lines, columns)]
        first, last = min(self._chosen), max(self._chosen)
        if self.raster.channels_of_chunk > 1 or last - first < len(self._chosen):
            found = self.raster.read(factor, lines, columns, slice(first, last + 1))
            return [found[..., channel - first] for channel in self._chosen]
        each = (self.raster.read(factor, lines, columns, slice(one, one + 1)) for one in self._chosen)
        return [found[..., 0] for found in each]

    @cached_property
    def limits(self) -> dict[int, tuple[float, float]]:
        """Contrast limits by channel, from the coarsest level or, if that is large, from its center."""
        factor = max(self.raster.levels)
        starts = [max((n - _LARGEST) // 2, 0) for n in self.raster.shape_of(factor)]
        ends = [min(start + _LARGEST, n) for start, n in zip(starts, self.raster.shape_of(factor), strict=True)]
        found = self._read_channels(factor, *map(slice, starts, ends))
        if self.is_rgb:
            both = (0.0, _limits_of(np.stack(found))[1])
            if found[0].dtype == np.uint8 or (found[0].dtype.kind == "f" and both[1] <= 1):
                both = (0.0, 255.0 if found[0].dtype == np.uint8 else 1.0)
            own = dict.fromkeys(self._chosen, both)
        else:
            own = {channel: _limits_of(one) for channel, one in zip(self._chosen, found, strict=True)}
        return own | {channel: (float(low), float(high)) for channel, (low, high) in self._given.items()}


def check_channels(channels: Any, limits: Any, rasters: Sequence[Raster]) -> tuple[list[str] | None, Limits]:
    """Return the options `channels` and `contrast_limits`, validated against the images.

    Raises
    ------
    InvalidOption
        If they have the wrong type, or there are more than three channels.
    UnknownName
        If no image has such a channel.
    """
    known = list(dict.fromkeys(name for raster in rasters for name in raster.channels))
    chosen = [channels] if isinstance(channels, str) else channels
    if chosen is not None:
        if not isinstance(chosen, list | tuple) or not 0 < len(chosen) <= _MOST:
            raise InvalidOption(f"channels is {channels!r}; name one to three of {', '.join(known)}.")
        chosen = [str(one) for one in chosen]
    for name in [*(chosen or ()), *(limits if isinstance(limits, Mapping) else ())]:
        if name not in known:
            raise UnknownName(not_found("channel", name, known))
    pairs = limits.values() if isinstance(limits, Mapping) else [None] if limits is not None else []
    if not all(map(_is_pair, pairs)):
        example = "write a pair for each channel, such as {'DAPI': (0, 500)}"
        raise InvalidOption(f"contrast_limits is {limits!r}; {example}.")
    return chosen, limits or {}


def _is_pair(found: Any) -> bool:
    """Return whether a value is two ascending numbers."""
    return (
        isinstance(found, Sequence | np.ndarray)
        and len(found) == 2
        and all(isinstance(one, int | float | np.number) and np.isfinite(one) for one in found)
        and bool(found[0] < found[1])
    )


def _is_rgb(raster: Raster) -> bool:
    names = tuple(name.casefold() for name in raster.channels)
    return names[:_MOST] in _RGB or (names == ("0", "1", "2") and raster.levels[1].dtype == np.uint8)


def _limits_of(values: NDArray[Any]) -> tuple[float, float]:
    """Return the percentiles for black and full color; the extremes if the percentiles are equal."""
    finite = values[np.isfinite(values)] if values.dtype.kind == "f" else values
    if not finite.size:
        return 0.0, 1.0
    low, high = np.percentile(finite, _PERCENTILES)
    return (float(low), float(high)) if low < high else (float(finite.min()), float(finite.max()))


def _scaled(values: NDArray[Any], limits: tuple[float, float]) -> NDArray[np.uint8]:
    low, high = limits
    found = (values.astype(np.float32) - low) * (255 / (high - low) if high > low else 0)
    return np.asarray(np.clip(np.nan_to_num(found), 0, 255), np.uint8)
