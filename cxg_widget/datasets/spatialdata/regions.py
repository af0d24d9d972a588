"""Reads the coordinates of the circles, polygons or labels that the rows of a table annotate."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.node import Array, Group
from cxg_widget.datasets.spatialdata.labels import label_centroids
from cxg_widget.datasets.spatialdata.raster import Raster
from cxg_widget.datasets.spatialdata.transforms import Matrix, stretch_of
from cxg_widget.datasets.spatialdata.wkb import centroids
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidStore

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.datasets.anndata.zarr_store import ZarrStore

_FILE = "shapes.parquet"
_WIDEST = 1e9


@dataclass(frozen=True)
class Region:
    """An element that rows of a table describe.

    Attributes
    ----------
    source : a group of shapes, or labels
    matrix : transformation into the current coordinate system
    """

    name: str
    source: Group | Raster
    matrix: Matrix


@dataclass(frozen=True)
class Instances:
    """Instances of an element: their ids, and their coordinates (n, 2) in the element's own units."""

    ids: pd.Index
    xy: NDArray[np.float64]


def read_instances(region: Region, store: ZarrStore, progress: Callable[[float], None]) -> Instances:
    """Return the instances of an element.

    Raises
    ------
    InvalidStore, DamagedStore
        If it has no usable geometries, or cannot be read.
    """
    import pandas as pd

    if isinstance(region.source, Raster):
        ids, xy = label_centroids(region.source, progress)
        return Instances(pd.Index(ids), xy)
    group = region.source
    file = store.file(f"{group.path}/{_FILE}")
    if file is None:
        return Instances(*_arrays_of(group)[:2])
    found = _read_column(file, group, "geometry")
    if found is None:
        raise InvalidStore(f"{store.uri}: {group.path}/{_FILE} has no column 'geometry'.")
    if len(found) and not isinstance(found.iloc[0], bytes):
        raise InvalidStore(
            f"{store.uri}: the geometries of {group.path} are not WKB; write them with shapes_geometry_encoding='WKB'."
        )
    try:
        xy = centroids([bytes(one) for one in found])
    except (ValueError, TypeError, struct.error, IndexError) as error:
        raise DamagedStore(f"{store.uri}: a geometry of {group.path} cannot be read ({error}).") from error
    return Instances(found.index, xy)


def read_widths(region: Region, store: ZarrStore) -> NDArray[np.float64] | None:
    """Return the diameters of circles in the coordinate system, in the order of the instances; None for polygons.

    0 = the radius is unusable: missing, not above 0, or too large. Raises the errors of `read_instances`.
    """
    import pandas as pd

    assert isinstance(region.source, Group), "labels have no radii"
    group = region.source
    file = store.file(f"{group.path}/{_FILE}")
    if file is None:
        radii: NDArray[np.float64] | None = _arrays_of(group)[2]
    else:
        column = _read_column(file, group, "radius")
        radii = None if column is None else pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    if radii is None:
        return None
    # If a transformation stretches the axes unequally, this is a circle of the same area.
    widths = 2 * radii * stretch_of(region.matrix)
    return np.where((widths > 0) & (widths < _WIDEST), widths, 0.0)


def _read_column(file: BinaryIO, group: Group, name: str) -> pd.Series | None:
    """Return a column of a shapes file, indexed by id; None if there is no such column."""
    import pandas as pd

    with file:
        try:
            return pd.read_parquet(file, columns=[name])[name]
        except CxgWidgetError:  # an error of remote storage is raised unchanged
            raise
        except (OSError, ValueError, KeyError) as error:
            if isinstance(error, KeyError) or "FieldRef" in str(error):  # pyarrow's error for a missing column
                return None
            raise DamagedStore(f"{group.uri}: {group.path}/{_FILE} cannot be read ({error}).") from error


def _arrays_of(group: Group) -> tuple[pd.Index, NDArray[np.float64], NDArray[np.float64]]:
    """Return ids, coordinates and radii of circles in the layout of spatialdata before version 0.2."""
    import pandas as pd

    nodes = [group.get(name) for name in ("Index", "coords", "radius")]
    ids, places, radii = (node.read() if isinstance(node, Array) else None for node in nodes)
    if ids is None or places is None or radii is None or places.ndim != 2 or not len(ids) == len(places) == len(radii):
        raise InvalidStore(f"{group.uri}: {group.path} holds neither {_FILE} nor circles.")
    index = pd.Index([_plain(one) for one in ids.tolist()])
    return index, places[:, :2].astype(np.float64), radii.astype(np.float64)


def _plain(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def located(
    rows: pd.Series, instances: pd.Series, ids: Mapping[str, pd.Index]
) -> Iterator[tuple[str, NDArray[np.int64], NDArray[np.int64]]]:
    """Yield each region with the rows that have an instance in it, and the position of each row's instance.

    Of instances with equal ids, the first counts.

    rows, instances : region and instance id of each row
    ids : ids of the instances by region
    """
    import pandas as pd

    for name, every in ids.items():
        own, first = np.flatnonzero((rows == name).to_numpy()), np.flatnonzero(~every.duplicated())
        wanted = instances.iloc[own]
        wanted = pd.to_numeric(wanted, errors="coerce") if every.dtype.kind in "iuf" else wanted.astype(str)
        at = every[first].get_indexer(pd.Index(wanted))
        yield name, own[at >= 0], first[at[at >= 0]]
