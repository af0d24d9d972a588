"""Finds coordinate variables, and the pairs of variables that become embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from cxg_widget.datasets.tiledb_cf.variables import Variable

Role = Literal["lon", "lat", "x", "y", "time"]
Pair = tuple[Variable, Variable]

_MOST_DIMS = 5
_MOST_PROFILES = 8
UNIT_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("degrees_east", "degree_east", "degree_e", "degrees_e", "degreee", "degreese"), "lon"),
    **dict.fromkeys(("degrees_north", "degree_north", "degree_n", "degrees_n", "degreen", "degreesn"), "lat"),
}
_STANDARD_NAMES: Mapping[str, Role] = {
    "longitude": "lon",
    "latitude": "lat",
    "time": "time",
    **dict.fromkeys(("projection_x_coordinate", "grid_longitude", "projection_x_angular_coordinate"), "x"),
    **dict.fromkeys(("projection_y_coordinate", "grid_latitude", "projection_y_angular_coordinate"), "y"),
}
_AXES: Mapping[str, Role] = {"X": "x", "Y": "y", "T": "time"}
_NAMES: Mapping[str, Role] = {
    **dict.fromkeys(("lon", "lons", "long", "longitude", "longitudes", "nav_lon", "xlong", "lng"), "lon"),
    **dict.fromkeys(("lat", "lats", "latitude", "latitudes", "nav_lat", "xlat"), "lat"),
    **dict.fromkeys(("x", "xc", "easting", "rlon"), "x"),
    **dict.fromkeys(("y", "yc", "northing", "rlat"), "y"),
    **dict.fromkeys(("time", "times", "datetime", "ocean_time"), "time"),
}


def role_of(variable: Variable) -> tuple[Role | None, int]:
    """Return the role of a coordinate and its certainty: 4 by standard name, 3 by units, 2 by axis, 1 by name; else 0.

    Source: CF Conventions 1.11, chapter 4 and appendix F.
    """
    units = variable.text_of("units").casefold()
    if not variable.is_numeric:
        return None, 0
    hints: tuple[tuple[Role | None, int], ...] = (
        (_STANDARD_NAMES.get(variable.text_of("standard_name")), 4),
        ("time" if " since " in units else UNIT_ROLES.get(units), 3),
        (_AXES.get(variable.text_of("axis").upper()), 2),
        (_NAMES.get(variable.name.casefold()), 1),
    )
    return next((hint for hint in hints if hint[0] is not None), (None, 0))


def coordinate_names(variables: Iterable[Variable]) -> frozenset[str]:
    """Return the names of the coordinate variables.

    A variable is a coordinate if it has the name of its only dimension, if another variable lists it under
    `coordinates` or `bounds`, or if its attributes or its name give it a role.
    """
    known = list(variables)
    listed = {name for variable in known for name in variable.text_of("coordinates").split()}
    bounds = {variable.text_of("bounds") for variable in known}
    return frozenset(
        variable.name
        for variable in known
        if variable.dims == (variable.name,) or variable.name in listed | bounds or role_of(variable)[0] is not None
    )


class Axes:
    """The coordinates of an observation grid.

    dims : dimensions of the grid
    along : axis of each dimension: its coordinate variable, or its positions
    variables : variables whose dimensions are all dimensions of the grid
    """

    def __init__(self, dims: Sequence[str], along: Mapping[str, Variable], variables: Sequence[Variable]) -> None:
        self._dims = tuple(dims)
        self._along = along
        self._variables = [variable for variable in variables if variable.is_numeric]
        self._coordinates = coordinate_names(self._variables)
        self._roles = {role: self._best(role) for role in ("lon", "lat", "x", "y", "time")}

    def pairs(self) -> dict[str, Pair]:
        """Return the embeddings by name; the first is the default."""
        found: dict[str, Pair] = {}
        for x, y in self._candidates():
            if x is not y and {x.name, y.name} not in ({one.name, other.name} for one, other in found.values()):
                found[f"{x.name}_{y.name}"] = x, y
        return found

    def _candidates(self) -> Iterator[Pair]:
        for one, other in (("lon", "lat"), ("x", "y")):
            x, y = self._roles[one], self._roles[other]
            if x is not None and y is not None:
                yield x, y
        if len(self._dims) == 1:
            yield from self._profiles()
        elif len(self._dims) <= _MOST_DIMS:
            axes = [self._along[dim] for dim in self._dims if self._along[dim].is_numeric]
            for place, earlier in enumerate(axes):
                for later in axes[place + 1 :]:
                    yield (earlier, later) if role_of(earlier)[0] == "time" else (later, earlier)

    def _profiles(self) -> Iterator[Pair]:
        """Yield pairs for points along one dimension: time, else the coordinate, with other coordinates and values.

        Without either, yield the first two values. Last, yield the axis of the dimension with the first value.
        """
        dim = self._dims[0]
        along = self._along[dim]
        values = [one for one in self._variables if one.name not in self._coordinates and one is not along]
        floats = [one for one in values if one.encoding.kind == "float"] or values
        base = self._roles["time"] or (along if along.attr is not None and along.is_numeric else None)
        if base is not None:
            others = [one for one in self._variables if one.name in self._coordinates and one not in (base, along)]
            yield from ((base, one) for one in [*others, *floats][:_MOST_PROFILES])
        elif len(floats) > 1:
            yield floats[0], floats[1]
        if along.is_numeric:
            yield from ((along, one) for one in floats[:1])

    def _best(self, role: str) -> Variable | None:
        """Return the most certain coordinate of a role; of equals, prefer one with the name of its dimension."""
        bounds = {variable.text_of("bounds") for variable in self._variables}
        found = [one for one in self._variables if role_of(one)[0] == role and one.name not in bounds]
        return max(found, key=lambda one: (role_of(one)[1], one.dims == (one.name,)), default=None)
