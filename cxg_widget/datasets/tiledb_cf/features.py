"""Features of a dataspace: obs columns, and vars, which are numeric variables or slices of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from math import prod

from cxg_widget.datasets.tiledb_cf.cells import Observations, SparseCells
from cxg_widget.datasets.tiledb_cf.coordinates import coordinate_names
from cxg_widget.datasets.tiledb_cf.dataspace import Dataspace
from cxg_widget.datasets.tiledb_cf.grid import At
from cxg_widget.datasets.tiledb_cf.group import Note
from cxg_widget.datasets.tiledb_cf.variables import Variable

MOST_SLICES = 100


@dataclass(frozen=True, eq=False)
class Feature:
    """A variable, or its slice at one position along each dimension outside of the observation grid.

    label : "T", or "T[level=3]" for one of several slices
    at : position along each dimension outside of the grid
    """

    label: str
    variable: Variable
    at: At


class Features:
    """Obs columns and vars of one choice of observations.

    columns : features by name; for a variable with dimensions outside of the grid, its slice at `isel`, else at 0
    vars : numeric variables that are not coordinates; each slice is one var, if there are at most `MOST_SLICES`
    along : axis of each dimension of the grid
    whole : variables without dimensions outside of the grid, and axes that are not in `Dataspace.variables`
    """

    def __init__(self, space: Dataspace, observations: Observations, isel: Mapping[str, int], note: Note) -> None:
        self._space = space
        self._observations = observations
        self._isel = isel
        shown = [variable for variable in space.variables.values() if self._belongs(variable, note)]
        self.whole = [variable for variable in shown if not self._outside(variable)]
        self.along = {dim: self._axis(dim) for dim in observations.dims}
        self.whole += [axis for axis in self.along.values() if axis not in self.whole]
        coordinates = coordinate_names(space.variables.values())
        self.columns: dict[str, Feature] = {}
        for variable in (*self._axes_shown(), *shown):
            self.columns.setdefault(variable.name, Feature(variable.name, variable, self._first(variable)))
        self.vars = [
            feature
            for variable in shown
            if variable.is_numeric and variable.name not in coordinates
            for feature in self._slices(variable)
        ]
        self._tell(shown, note)

    def _belongs(self, variable: Variable, note: Note) -> bool:
        observations = self._observations
        if isinstance(observations, SparseCells):
            belongs = observations.reaches(variable)
        else:
            belongs = not variable.sparse and not set(variable.dims).isdisjoint(observations.dims)
        coordinate_of_a_cut = variable.dims == (variable.name,)
        if not belongs and not coordinate_of_a_cut:
            note(
                f"variable {variable.name!r} has dimensions ({', '.join(variable.dims)}) "
                f"that are not among the observations ({', '.join(observations.dims)}) and is left out."
            )
        return belongs

    def _outside(self, variable: Variable) -> tuple[str, ...]:
        dims = variable.dims[:-1] if variable.text else variable.dims
        return tuple(dim for dim in dims if dim not in self._observations.dims)

    def _axis(self, dim: str) -> Variable:
        named = next((one for one in self.whole if one.name == dim and one.dims == (dim,)), None)
        return named if named is not None and named.encoding.kind is not None else self._observations.positions(dim)

    def _axes_shown(self) -> Iterator[Variable]:
        """Yield the axes that become columns; along a single dimension, positions only repeat the row number."""
        for variable in self.along.values():
            if variable.attr is not None or len(self._observations.dims) > 1:
                yield variable

    def _first(self, variable: Variable) -> At:
        return {dim: self._isel.get(dim, 0) for dim in self._outside(variable)}

    def _slices(self, variable: Variable) -> Iterator[Feature]:
        free = [dim for dim in self._outside(variable) if dim not in self._isel]
        sizes = [self._space.dimensions[dim].size for dim in free]
        first = self._first(variable)
        if not free or prod(sizes) > MOST_SLICES:
            yield Feature(variable.name, variable, first)
            return
        for place in islice(product(*(range(size) for size in sizes)), MOST_SLICES):
            at = dict(zip(free, place, strict=True))
            yield Feature(f"{variable.name}[{_describe_position(at)}]", variable, {**first, **at})

    def _tell(self, shown: list[Variable], note: Note) -> None:
        """Note the position shown along each dimension outside of the grid, and the units of stored times."""
        for dim in dict.fromkeys(dim for variable in shown for dim in self._outside(variable)):
            names = [variable.name for variable in shown if dim in self._outside(variable)]
            size = self._space.dimensions[dim].size
            note(
                f"dimension {dim!r} (0 to {size - 1:,}) is not one of the observations: {', '.join(names)} "
                f"{'is' if len(names) == 1 else 'are'} shown at {dim}={self._isel.get(dim, 0)}; "
                f"isel={{{dim!r}: ...}} shows another position."
            )
        for variable in (*self.along.values(), *shown):
            units = variable.text_of("units")
            if " since " in units:
                note(f"{variable.name} is shown in its stored units, {units}.")


def _describe_position(at: At) -> str:
    return ",".join(f"{dim}={position}" for dim, position in at.items())
