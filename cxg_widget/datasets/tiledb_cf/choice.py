"""Chooses the observations from the options `observations` and `isel`, or by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from cxg_widget.datasets.tiledb_cf.cells import Cached, Observations, SparseCells
from cxg_widget.datasets.tiledb_cf.dataspace import Dataspace
from cxg_widget.datasets.tiledb_cf.grid import DenseGrid
from cxg_widget.datasets.tiledb_cf.reads import Reads
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from cxg_widget.text.names import not_found

MOST_OBSERVATIONS = 200_000_000


@dataclass(frozen=True)
class ShapeOptions:
    """Options of the caller.

    observations : dimensions of the grid; None = choose them
    isel : dimension to position
    """

    observations: tuple[str, ...] | None
    isel: Mapping[str, int]


def check_options(observations: Any, isel: Any) -> ShapeOptions:
    """Check the types of the options."""
    if isel is not None and not isinstance(isel, Mapping):
        raise InvalidOption(f"isel is {type(isel).__name__}; it must be a dict such as {{'time': 0}}.")
    cut = {}
    for dim, position in (isel or {}).items():
        if isinstance(position, bool) or not isinstance(position, int | np.integer):
            raise InvalidOption(f"isel[{dim!r}] is {position!r}; it must be one position, such as 0.")
        cut[dim] = int(position)
    if observations is None:
        return ShapeOptions(None, cut)
    names = (observations,) if isinstance(observations, str) else observations
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise InvalidOption(f"observations is {observations!r}; it must name dimensions, such as ('lat', 'lon').")
    if len(set(names)) < len(names):
        raise InvalidValue(f"observations lists a dimension twice: {', '.join(names)}.")
    return ShapeOptions(tuple(names), cut)


def choose(
    reads: Reads, space: Dataspace, options: ShapeOptions, cached: Cached
) -> tuple[Observations, Mapping[str, int]]:
    """Return the observations and `isel`, with positions counted from 0.

    By default, the observations are those of the variable with the most cells.
    """
    options = _checked(space, options)
    grids = _grids(space, options.isel)
    cells = [SparseCells(reads, space, path, cached) for path in _sparse(space, options)]
    if options.observations is None:
        found = _largest(reads, space, grids, cells)
    else:
        found = _with_wanted_dims(reads, space, grids, cells, options)
    if found.n > MOST_OBSERVATIONS:
        cut = (
            f"choose a position with isel=, such as isel={{{found.dims[0]!r}: 0}}, or "
            if isinstance(found, DenseGrid)
            else ""
        )
        raise InvalidValue(
            f"{reads.uri}: the dimensions ({', '.join(found.dims)}) give {found.n:,} observations, more than "
            f"{MOST_OBSERVATIONS:,}; {cut}choose other dimensions with observations=."
        )
    return found, options.isel


def _checked(space: Dataspace, options: ShapeOptions) -> ShapeOptions:
    """Return the options with negative positions converted to positions from 0."""
    known = [*space.dimensions, *(dim.name for dims in space.sparse.values() for dim in dims)]
    for dim in (*(options.observations or ()), *options.isel):
        if dim not in known:
            raise UnknownName(not_found("dimension", dim, dict.fromkeys(known), "this dataspace"))
    cut = {}
    for dim, position in options.isel.items():
        if dim not in space.dimensions:
            raise InvalidValue(
                f"isel: dimension {dim!r} is a coordinate of a sparse array, so it has no positions to choose."
            )
        size = space.dimensions[dim].size
        if not -size <= position < size:
            raise InvalidValue(f"isel[{dim!r}] is {position}; it must be from 0 to {size - 1:,}.")
        cut[dim] = position % size
    return ShapeOptions(options.observations, cut)


def _grids(space: Dataspace, isel: Mapping[str, int]) -> list[tuple[str, ...]]:
    """Return the dimensions of each dense variable, without those in `isel`."""
    found = (
        variable.dims[:-1] if variable.text else variable.dims
        for variable in space.variables.values()
        if not variable.sparse
    )
    return list(dict.fromkeys(tuple(dim for dim in dims if dim not in isel) for dims in found))


def _sparse(space: Dataspace, options: ShapeOptions) -> list[str]:
    """Return the paths of the sparse arrays whose cells can be the observations."""
    found = []
    for path, dims in space.sparse.items():
        names = {dim.name for dim in dims}
        if (names.isdisjoint(options.isel) and options.observations is None) or names == set(
            options.observations or ()
        ):
            found.append(path)
    return found


def _largest(
    reads: Reads, space: Dataspace, grids: Sequence[tuple[str, ...]], cells: Sequence[SparseCells]
) -> Observations:
    sizes = [prod(space.dimensions[dim].size for dim in dims) for dims in grids]
    most_cells = max(cells, key=lambda one: one.n, default=None)
    if most_cells is not None and most_cells.n > max(sizes, default=0):
        return most_cells
    return DenseGrid(reads, space.dimensions, grids[sizes.index(max(sizes))] if grids else ())


def _with_wanted_dims(
    reads: Reads,
    space: Dataspace,
    grids: Sequence[tuple[str, ...]],
    cells: Sequence[SparseCells],
    options: ShapeOptions,
) -> Observations:
    wanted = tuple(dim for dim in options.observations or () if dim not in options.isel)
    counted = all(dim in space.dimensions for dim in wanted)
    if cells and not (counted and any(set(wanted) <= set(dims) for dims in grids)):
        return max(cells, key=lambda one: one.n)
    if not counted:
        known = " or ".join(f"({', '.join(dim.name for dim in dims)})" for dims in space.sparse.values())
        raise InvalidValue(
            f"{reads.uri}: no sparse array has the dimensions ({', '.join(wanted)}); sparse arrays have {known}."
        )
    return DenseGrid(reads, space.dimensions, wanted)
