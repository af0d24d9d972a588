"""Reads images and labels in OME-Zarr: levels, channels and transformations."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.errors import InvalidStore


@dataclass(frozen=True)
class Raster:
    """An image or labels.

    Attributes
    ----------
    axes : names of the axes of the arrays, such as "cyx"
    levels : arrays by downsampling factor (px of the finest level per px, along a side), ascending
    channels : names of the channels; empty if there is no such axis
    transformations : transformations as stored
    """

    name: str
    axes: str
    levels: Mapping[int, Array]
    channels: tuple[str, ...]
    transformations: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Lines and columns of the finest level."""
        return self.shape_of(1)

    @property
    def planes(self) -> int:
        """Number of planes along z."""
        return self.levels[1].shape[self.axes.index("z")] if "z" in self.axes else 1

    @property
    def middle(self) -> int:
        """Index of the middle plane, which is drawn."""
        return self.planes // 2

    @property
    def channels_of_chunk(self) -> int:
        """Number of channels in a chunk, which are read together."""
        chunks = self.levels[1].chunks
        return chunks[self.axes.index("c")] if "c" in self.axes and chunks else 1

    def shape_of(self, factor: int) -> tuple[int, int]:
        """Return lines and columns of a level."""
        found = self.levels[factor].shape
        return found[self.axes.index("y")], found[self.axes.index("x")]

    def read(
        self, factor: int, lines: slice, columns: slice, channel: slice = slice(None), plane: int | None = None
    ) -> NDArray[Any]:
        """Return a part of a level, (lines, columns), or (lines, columns, channels) if there are channels.

        plane : index along z in the finest level; None = the middle plane
        """
        array = self.levels[factor]
        keys = {"y": lines, "x": columns, "c": channel}
        if "z" in self.axes:  # a coarser level may have fewer planes
            at = self.middle if plane is None else plane
            there = at * array.shape[self.axes.index("z")] // self.planes
            keys["z"] = slice(there, there + 1)
        found = array.read(*(keys[axis] for axis in self.axes))
        order = [self.axes.index(axis) for axis in "yxcz" if axis in self.axes]
        turned: NDArray[Any] = np.transpose(found, order)
        return turned[..., 0] if "z" in self.axes else turned


def read_raster(group: Group, name: str) -> Raster:
    """Return an image or labels; reads only the metadata of its arrays.

    Raises
    ------
    InvalidStore
        If it is not OME-Zarr with axes x and y.
    """
    metadata = group.attrs.get("ome", group.attrs)
    try:
        multiscale = metadata["multiscales"][0]
        axes = "".join(str(axis["name"] if isinstance(axis, Mapping) else axis) for axis in multiscale["axes"])
        arrays = [group.get(str(one["path"])) for one in multiscale["datasets"]]
        channels = tuple(str(one["label"]) for one in metadata.get("omero", {}).get("channels", ()))
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise InvalidStore(f"{group.uri}: {group.path} is not OME-Zarr ({error!r}).") from error
    if not {"x", "y"} <= set(axes) <= set("czyx"):
        raise InvalidStore(f"{group.uri}: {group.path} has the axes {axes!r}; it needs x and y.")
    found: dict[int, Array] = {}
    for array in arrays:
        if not isinstance(array, Array) or len(array.shape) != len(axes) or 0 in array.shape:
            raise InvalidStore(f"{group.uri}: {group.path} has a level that is not an array with the axes {axes}.")
        finest = found.get(1, array)
        lengths = [(finest.shape[axes.index(axis)], array.shape[axes.index(axis)]) for axis in "xy"]
        factor = next((one for one in _factors(*lengths[0]) if all(_fits(*pair, one) for pair in lengths)), None)
        if factor is not None:
            found.setdefault(factor, array)
    n_channels = found[1].shape[axes.index("c")] if "c" in axes else 0
    channels = channels if len(channels) == n_channels else tuple(map(str, range(n_channels)))
    return Raster(name, axes, found, channels, multiscale.get("coordinateTransformations"))


def _factors(whole: int, own: int) -> tuple[int, int]:
    """Return the possible downsampling factors of a level, a power of two first: images are requested by these."""
    ratio = max(whole / own, 1.0)
    return 2 ** round(math.log2(ratio)), round(ratio)


def _fits(whole: int, own: int, factor: int) -> bool:
    """Return whether a level has this downsampling factor, to within one of its px."""
    return abs(own * factor - whole) < factor
