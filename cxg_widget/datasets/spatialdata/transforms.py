"""Transformations of elements into coordinate systems, as matrices over x, y and z."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidStore

Matrix = NDArray[np.float64]
"""(2, 4): x and y of a coordinate system from x, y, z and 1 of the element."""


def systems_of(transformations: Any, uri: str) -> dict[str, Matrix]:
    """Return the matrix of an element for each coordinate system that its transformations name.

    Raises
    ------
    InvalidStore
        If one is of an unknown kind or contradicts itself.
    """
    found = {}
    for one in transformations if isinstance(transformations, list) else ():
        try:
            found[str(one["output"]["name"])] = _matrix_of(one)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
            raise InvalidStore(f"{uri}: a coordinate transformation cannot be understood ({error!r}).") from error
    return found


def units_of(transformations: Any) -> dict[str, str]:
    """Return the unit of each coordinate system that states one."""
    found = {}
    for one in transformations if isinstance(transformations, list) else ():
        output = one.get("output") if isinstance(one, Mapping) else None
        axes = output.get("axes") if isinstance(output, Mapping) else None
        known = [axis for axis in axes if isinstance(axis, Mapping)] if isinstance(axes, list) else []
        units = {str(axis.get("unit", "unit")) for axis in known if axis.get("name") in ("x", "y")}
        if isinstance(output, Mapping) and len(units) == 1 and (unit := units.pop()) != "unit":
            found[str(output.get("name"))] = unit
    return found


def _matrix_of(transformation: Mapping[str, Any]) -> Matrix:
    axes = _axes(transformation["input"])
    rows = {axis: np.eye(len(axes) + 1)[at] for at, axis in enumerate(axes)}
    done = _apply(transformation, rows, len(axes))
    columns = [axes.index(axis) if axis in axes else None for axis in "xyz"]
    found: Matrix = np.array(
        [[0.0 if at is None else row[at] for at in (*columns, -1)] for row in (done["x"], done["y"])]
    )
    if not np.isfinite(found).all():
        raise ValueError("a number is not finite")
    return found


def _apply(one: Mapping[str, Any], rows: Mapping[str, Matrix], constant: int) -> dict[str, Matrix]:
    """Return each axis after a transformation, as a row of coefficients of the element's axes and of 1."""
    kind = one["type"]
    if kind == "identity":
        return dict(rows)
    if kind == "sequence":
        for inner in one["transformations"]:
            rows = _apply(inner, rows, constant)
        return dict(rows)
    if kind == "mapAxis":
        return {**rows, **{str(to): rows[str(source)] for to, source in one["mapAxis"].items()}}
    axes = _axes(one["input"])
    if kind == "scale":
        factors = [float(factor) for factor in one["scale"]]
        return {**rows, **{axis: rows[axis] * factor for axis, factor in zip(axes, factors, strict=True)}}
    if kind == "translation":
        shift = np.eye(constant + 1)[constant]
        steps = [float(step) for step in one["translation"]]
        return {**rows, **{axis: rows[axis] + step * shift for axis, step in zip(axes, steps, strict=True)}}
    if kind == "affine":
        matrix = np.asarray(one["affine"], np.float64)
        before = np.array([*(rows[axis] for axis in axes), np.eye(constant + 1)[constant]])
        after = matrix[: len(_axes(one["output"]))] @ before
        return {**rows, **dict(zip(_axes(one["output"]), after, strict=True))}
    raise ValueError(f"the kind {kind!r} is not known")


def _axes(system: Mapping[str, Any]) -> Sequence[str]:
    return [str(axis["name"]) for axis in system["axes"]]


def placed(matrix: Matrix, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return coordinates (n, 2) in the coordinate system from coordinates on 2 or 3 axes of the element."""
    found: NDArray[np.float64] = places @ matrix[:, : places.shape[1]].T + matrix[:, 3]
    return found


def plane_of(matrix: Matrix, z: float) -> Matrix:
    """Return the matrix (2, 3) over x, y and 1 of the element's plane at `z`."""
    return np.column_stack([matrix[:, :2], matrix[:, 3] + z * matrix[:, 2]])


def scale_of(plane: Matrix) -> float | None:
    """Return the scale factor; None if it differs between the axes, or there is a rotation, reflection or shear."""
    (a, b), (c, d) = plane[:, :2]
    return float(a) if a > 0 and np.isclose(a, d) and np.allclose((b, c), 0, atol=1e-9 * a) else None


def stretch_of(matrix: Matrix) -> float:
    """Return the mean scale factor: the square root of that of areas."""
    return float(np.sqrt(abs(np.linalg.det(matrix[:, :2]))))
