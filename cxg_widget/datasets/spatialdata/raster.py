"""Images and labels as OME-Zarr has them: the same pixels at several levels, channels, and their transformations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.errors import InvalidStore

_BLOCK = 1 << 24
"""Px of labels looked at together."""


@dataclass(frozen=True)
class Raster:
    """An image or labels.

    Attributes
    ----------
    axes : names along the arrays, such as "cyx"
    levels : the arrays by how many px of the finest become one of theirs, ascending
    channels : their names; empty where there is no such axis
    transformations : as they are stored
    """

    name: str
    axes: str
    levels: Mapping[int, Array]
    channels: tuple[str, ...]
    transformations: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Lines and columns of the finest level."""
        finest = self.levels[1].shape
        return finest[self.axes.index("y")], finest[self.axes.index("x")]

    def read(self, factor: int, lines: slice, columns: slice, channel: slice = slice(None)) -> NDArray[Any]:
        """Return a part of a level, (lines, columns) or, where there are channels, (lines, columns, channels)."""
        keys = {"y": lines, "x": columns, "c": channel}
        found = self.levels[factor].read(*(keys.get(axis, slice(0, 1)) for axis in self.axes))
        order = [self.axes.index(axis) for axis in "yxc" if axis in self.axes]
        others = [at for at in range(len(self.axes)) if at not in order]
        turned: NDArray[Any] = np.transpose(found, [*order, *others])
        return turned.reshape(turned.shape[: len(order)])  # of other axes the first place is read


def read_raster(group: Group, name: str) -> Raster:
    """Return an image or labels; of its arrays the metadata are read.

    Raises
    ------
    InvalidStore
        If it is no OME-Zarr of lines and columns.
    """
    said = group.attrs.get("ome", group.attrs)
    try:
        multiscale = said["multiscales"][0]
        axes = "".join(str(axis["name"] if isinstance(axis, Mapping) else axis) for axis in multiscale["axes"])
        arrays = [group.get(str(one["path"])) for one in multiscale["datasets"]]
        channels = tuple(str(one["label"]) for one in said.get("omero", {}).get("channels", ()))
    except (KeyError, TypeError, IndexError) as error:
        raise InvalidStore(f"{group.uri}: {group.path} is not OME-Zarr ({error!r}).") from error
    if not {"x", "y"} <= set(axes) <= set("czyx"):
        raise InvalidStore(f"{group.uri}: {group.path} has the axes {axes!r}; it needs x and y.")
    found: dict[int, Array] = {}
    for array in arrays:
        if not isinstance(array, Array) or len(array.shape) != len(axes) or 0 in array.shape:
            raise InvalidStore(f"{group.uri}: {group.path} has a level that is no array of {axes}.")
        finest = found.get(1, array)
        lengths = zip(finest.shape, array.shape, axes, strict=True)
        factors = {round(whole / own) for whole, own, axis in lengths if axis in "xy"}
        if len(factors) == 1:
            found.setdefault(factors.pop(), array)
    n_channels = found[1].shape[axes.index("c")] if "c" in axes else 0
    channels = channels if len(channels) == n_channels else tuple(map(str, range(n_channels)))
    return Raster(name, axes, found, channels, multiscale.get("coordinateTransformations"))


def label_centroids(labels: Raster, progress: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the labels but for 0, ascending, and the mean of the middles of their px, (n, 2) x and y."""
    height, width = labels.shape
    step = max(_BLOCK // width, 1)
    known = np.empty(0, np.int64)
    sums = np.empty((0, 3))
    for top in range(0, height, step):
        part = labels.read(1, slice(top, min(top + step, height)), slice(None))
        lines, columns = np.nonzero(part)
        ids, at = np.unique(part[lines, columns].astype(np.int64), return_inverse=True)
        each = (columns + 0.5, lines + top + 0.5, np.ones(len(at)))
        own = np.column_stack([np.bincount(at, one, len(ids)) for one in each])
        merged, place = np.unique(np.concatenate([known, ids]), return_inverse=True)
        both = np.concatenate([sums, own])
        sums = np.column_stack([np.bincount(place, both[:, i], len(merged)) for i in range(3)]) if len(merged) else both
        known = merged
        progress(min(top + step, height) / height)
    return known, sums[:, :2] / sums[:, 2:]
