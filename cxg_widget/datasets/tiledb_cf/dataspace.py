"""Structure of a dataspace, read without its values: dimensions, variables, sparse arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cxg_widget.datasets.tiledb_cf.dimensions import Dimension, is_index, shared_dimensions
from cxg_widget.datasets.tiledb_cf.encoding import Encoding, encoding_of
from cxg_widget.datasets.tiledb_cf.group import Group, Note
from cxg_widget.datasets.tiledb_cf.reads import Reads
from cxg_widget.datasets.tiledb_cf.variables import (
    Variable,
    attributes_of,
    is_of_xarray,
    plain,
)
from cxg_widget.errors import DamagedStore, InvalidStore

_FIXED = "__tiledb_array_fixed_dimensions."


class Dataspace:
    """The arrays of a group as variables on shared dimensions.

    A note reports each array that is left out because it cannot be opened or is empty, and each variable of an
    unsupported type.

    metadata : metadata of the group
    dimensions : dimensions that count positions, by name
    variables : variables by name, in the order of the arrays' paths and of the attributes in each array
    sparse : path of each sparse array to its dimensions, as variables: the coordinates of its cells
    """

    def __init__(self, reads: Reads, group: Group, note: Note) -> None:
        self._reads = reads
        self._group = group
        self._note = note
        self.metadata = {key: value for key, value in group.metadata.items() if not key.startswith(_FIXED)}
        self.variables: dict[str, Variable] = {}
        self.sparse: dict[str, tuple[Variable, ...]] = {}
        reads.open_ahead(group.arrays)
        opened = [(path, member, *found) for path, member in group.arrays.items() if (found := self._look(path))]
        self.dimensions: Mapping[str, Dimension] = shared_dimensions(
            reads.uri, ((path, schema, extent, self._fixed(member)) for path, member, schema, extent in opened), note
        )
        names = {path: [schema.attr(place).name for place in range(schema.nattr)] for path, _, schema, _ in opened}
        by_xarray = any(is_of_xarray(names[path], member) for path, member, *_ in opened)
        for path, member, schema, _ in opened:
            self._add(path, member, schema, after_member=by_xarray and len(names[path]) == 1)
        if not self.variables and not self.sparse:
            hint = f"; it contains the groups {', '.join(group.groups)}: open one of them" if group.groups else ""
            raise InvalidStore(f"{reads.uri}: this TileDB group has no readable arrays{hint}.")
        if group.groups:
            note(f"it contains groups that are separate dataspaces; they are not shown: {', '.join(group.groups)}.")

    def _look(self, path: str) -> tuple[Any, Any] | None:
        """Return schema and extent of an array; None, with a note, if it cannot be used."""
        try:
            extent = self._reads.extent(path)
            schema = self._reads.schema(path)
        except DamagedStore as error:
            self._note(f"array {path!r} is left out: {error}")
            return None
        if extent is None:
            self._note(f"array {path!r} is left out: it has no data.")
            return None
        if not schema.sparse and not all(is_index(schema.domain.dim(place)) for place in range(schema.ndim)):
            self._note(f"array {path!r} is left out: it is dense, but its dimensions are not integers.")
            return None
        return schema, extent

    def _fixed(self, member: str | None) -> frozenset[str]:
        """Return the dimensions that the xarray writer marks as filled to the end of their domains."""
        found = self._group.metadata.get(f"{_FIXED}{member}")
        return frozenset(found.split(";")) if isinstance(found, str) else frozenset()

    def _add(self, path: str, member: str | None, schema: Any, *, after_member: bool) -> None:
        metadata = self._attributes(path)
        attrs = [schema.attr(place) for place in range(schema.nattr)]
        attributes = attributes_of(metadata, [attr.name for attr in attrs])
        dims = tuple(plain(schema.domain.dim(place).name) for place in range(schema.ndim))
        if schema.sparse:
            self.sparse[path] = self._coordinates(path, schema, metadata)
        for attr in attrs:
            if not attr.name:
                self._note(f"an attribute of array {path!r} has no name and is left out.")
                continue
            name = member if after_member and member is not None else plain(attr.name)
            if name in self.variables:
                self._note(
                    f"variable {name!r} of array {path!r} is renamed {path}.{attr.name}, "
                    "because another variable has the name."
                )
                name = f"{path}.{attr.name}"
            encoding = self._encoding(path, schema, attr, attributes[attr.name], dims)
            if encoding.kind is None:
                self._note(f"variable {name!r} is left out: its type {attr.dtype} is not supported.")
                continue
            is_letter = np.dtype(attr.dtype) == np.dtype("S1") and not attr.isvar  # netCDF stores text this way
            text = not schema.sparse and len(dims) > 1 and is_letter
            self.variables[name] = Variable(
                name,
                dims,
                encoding,
                path,
                attr.name,
                sparse=bool(schema.sparse),
                attributes=attributes[attr.name],
                text=text,
            )

    def _attributes(self, path: str) -> Mapping[str, Any]:
        try:
            return self._reads.attributes(path)
        except DamagedStore as error:
            self._note(f"{error} Values are shown as they are stored.")
            return {}

    def _encoding(
        self, path: str, schema: Any, attr: Any, attributes: Mapping[str, Any], dims: tuple[str, ...]
    ) -> Encoding:
        dtype = np.dtype(attr.dtype)
        complete = True
        if dtype.kind in "iu" and not schema.sparse:
            box = tuple(
                (self.dimensions[dim].low, self.dimensions[dim].low + self.dimensions[dim].size) for dim in dims
            )
            complete = self._reads.covered(path, box)
        nullable = bool(attr.isnullable)
        fill = None if nullable else attr.fill
        return encoding_of(dtype, attributes, fill, nullable=nullable, is_var=bool(attr.isvar), complete=complete)

    def _coordinates(self, path: str, schema: Any, metadata: Mapping[str, Any]) -> tuple[Variable, ...]:
        dims = [schema.domain.dim(place) for place in range(schema.ndim)]
        attributes = attributes_of(metadata, [dim.name for dim in dims], dims=True)
        return tuple(
            Variable(
                plain(dim.name),
                (plain(dim.name),),
                encoding_of(np.dtype(dim.dtype), {}, None, nullable=False, is_var=False, complete=True),
                path,
                dim.name,
                is_dim=True,
                sparse=True,
                attributes=attributes[dim.name],
            )
            for dim in dims
        )
