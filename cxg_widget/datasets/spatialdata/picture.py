"""An image of a section as the page shows it: up to three channels, each within its limits, as red, green, blue."""

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
"""Px a side of the coarsest level at most that limits are found in."""
_RGB = ("r", "g", "b")
Limits = Mapping[str, Sequence[float]]


class Picture:
    """An image.

    Parameters
    ----------
    channels : names, at most three; None = red, green and blue as they are, of others the first three
    limits : by name of a channel the values that become black and full; of others 0.1 % of the px lie beyond each
    """

    def __init__(self, raster: Raster, channels: Sequence[str] | None, limits: Limits) -> None:
        self.raster, self._limits = raster, limits
        self._is_plain = channels is None and _is_rgb(raster)
        self._chosen = [raster.channels.index(name) for name in channels or raster.channels[:_MOST]]

    def read(self, factor: int, lines: slice, columns: slice) -> NDArray[Any]:
        """Return a part of a level, (lines, columns) or (lines, columns, 3)."""
        found = self.raster.read(factor, lines, columns)
        if self._is_plain:
            return found
        if found.ndim == 2:
            return _scaled(found, self.limits[0])
        shown = [_scaled(found[..., channel], self.limits[channel]) for channel in self._chosen]
        if len(shown) == 1:
            return shown[0]
        return np.stack([*shown, *[np.zeros_like(shown[0])] * (_MOST - len(shown))], axis=-1)

    @cached_property
    def limits(self) -> dict[int, tuple[float, float]]:
        """What becomes black and full in each channel; read from the coarsest level, of a large one from its middle."""
        factor = max(self.raster.levels)
        spans = []
        for axis in ("y", "x"):
            n = self.raster.levels[factor].shape[self.raster.axes.index(axis)]
            first = max((n - _LARGEST) // 2, 0)
            spans.append(slice(first, min(first + _LARGEST, n)))
        found = self.raster.read(factor, *spans)
        found = found[..., None] if found.ndim == 2 else found
        names = self.raster.channels
        given = {names.index(name): pair for name, pair in self._limits.items() if name in names}
        own = {channel: np.percentile(found[..., channel], _PERCENTILES) for channel in range(found.shape[-1])}
        return {channel: (float(pair[0]), float(pair[1])) for channel, pair in {**own, **given}.items()}


def check_channels(channels: Any, limits: Any, rasters: Sequence[Raster]) -> tuple[list[str] | None, Limits]:
    """Return the options `channels` and `contrast_limits`, checked by the images there are.

    Raises
    ------
    InvalidOption
        If they are of another kind, or there are more than three channels.
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
    if not all(isinstance(one, list | tuple) and len(one) == 2 and one[0] < one[1] for one in pairs):
        example = "write a pair for each channel, such as {'DAPI': (0, 500)}"
        raise InvalidOption(f"contrast_limits is {limits!r}; {example}.")
    return chosen, limits or {}


def _is_rgb(raster: Raster) -> bool:
    names = tuple(name.casefold()[:1] for name in raster.channels[:_MOST])
    return names == _RGB or (names == ("0", "1", "2") and raster.levels[1].dtype == np.uint8)


def _scaled(values: NDArray[Any], limits: tuple[float, float]) -> NDArray[np.uint8]:
    low, high = limits
    found = (values.astype(np.float32) - low) * (255 / (high - low) if high > low else 0)
    return np.asarray(np.clip(np.nan_to_num(found), 0, 255), np.uint8)
