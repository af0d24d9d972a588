"""Reads points, and centroids of polygons, from the well-known binary (WKB) in Parquet files of shapes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_POINT, _POLYGON, _MULTIPOINT, _MULTIPOLYGON = 1, 3, 4, 6
_POINT_BYTES = 21
_RECORD = np.dtype([("order", "u1"), ("kind", "<u4"), ("xy", "<f8", 2)])


def centroids(geometries: Sequence[bytes]) -> NDArray[np.float64]:
    """Return the coordinates of points and the centroids of polygons, (n, 2), as shapely does; NaN for empty ones.

    Raises
    ------
    ValueError, struct.error
        If one is cut off, or neither a point nor a polygon.
    """
    whole = b"".join(geometries)
    if len(whole) == _POINT_BYTES * len(geometries):  # in most files, all are points: 1 M take 20 ms
        found = np.frombuffer(whole, _RECORD)
        if (found["order"] == 1).all() and (found["kind"] == _POINT).all():
            return np.array(found["xy"])
    return np.array([_centroid(one) for one in geometries]).reshape(-1, 2)


def _centroid(geometry: bytes) -> tuple[float, float]:
    area, x, y, points = _sums(geometry, 0)[1:]
    if area > 0:
        return x / area, y / area
    flat = np.concatenate(points) if points else np.full((1, 2), np.nan)
    return tuple(flat.mean(axis=0))


def _sums(data: bytes, at: int) -> tuple[int, float, float, float, list[NDArray[np.float64]]]:
    """Return the offset of the end of a geometry, its area, the moments of the area, and its points."""
    order = "<" if data[at] == 1 else ">"
    (kind,) = struct.unpack_from(f"{order}I", data, at + 1)
    at += 5
    if kind & 0x20000000:
        at += 4  # skip the number of a reference system, which some writers add
    width = 3 if kind & 0x80000000 or kind & 0xFFFF > 1000 else 2
    kind = (kind & 0xFFFF) % 1000
    if kind == _POINT:
        return at + 8 * width, 0.0, 0.0, 0.0, [np.frombuffer(data, f"{order}f8", width, at)[None, :2]]
    (n,) = struct.unpack_from(f"{order}I", data, at)
    at += 4
    area, x, y = 0.0, 0.0, 0.0
    points: list[NDArray[np.float64]] = []
    if kind in (_MULTIPOLYGON, _MULTIPOINT):
        for _ in range(n):
            at, *more, inner = _sums(data, at)
            area, x, y, points = area + more[0], x + more[1], y + more[2], points + inner
        return at, area, x, y, points
    if kind != _POLYGON:
        raise ValueError(f"geometries of the kind {kind} are neither points nor polygons")
    for ring in range(n):
        (length,) = struct.unpack_from(f"{order}I", data, at)
        corners = np.frombuffer(data, f"{order}f8", length * width, at + 4).reshape(length, width)[:, :2]
        at += 4 + 8 * width * length
        points.append(corners[:-1])
        own, own_x, own_y = _ring(corners)
        sign = 1 if ring == 0 else -1  # the rings after the first are holes
        area, x, y = area + sign * own, x + sign * own_x, y + sign * own_y
    return at, area, x, y, points


def _ring(corners: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the area of a ring and its moments; computed from the first corner, to keep precision far from 0."""
    if len(corners) < 4:
        return 0.0, 0.0, 0.0
    shifted = corners - corners[0]
    one, next_ = shifted[:-1], shifted[1:]
    cross = one[:, 0] * next_[:, 1] - next_[:, 0] * one[:, 1]
    area = cross.sum() / 2
    x, y = ((one + next_) * cross[:, None]).sum(axis=0) / 6
    sign = -1.0 if area < 0 else 1.0
    return abs(area), sign * x + abs(area) * corners[0, 0], sign * y + abs(area) * corners[0, 1]
