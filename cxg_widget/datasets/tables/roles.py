"""Roles of the columns of a table: axes of embeddings, vars and obs; checked before any data are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cxg_widget.datasets.anndata.memory_frame import label_of
from cxg_widget.datasets.base.embedding_names import default_embedding
from cxg_widget.datasets.base.tables import as_names
from cxg_widget.datasets.base.values import Column
from cxg_widget.datasets.tables.axes import find_axes, find_pair, pair_name
from cxg_widget.datasets.tables.columns import TableColumns
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown

_NUMBERS = ("int", "float")
_SHOWN = 6


class Roles:
    """The role of each column of a table.

    Parameters
    ----------
    table : the table
    embedding, embeddings, var : options of `open_dataset`

    Attributes
    ----------
    axes : columns that are the axes of each embedding, by its name
    of_own_units : embeddings whose axes need not share a unit
    default : the embedding to show first, None if there is none
    vars : columns that are vars
    prefix : prefix of their names, "" if they were listed
    obs_columns : all others
    of_identity : two columns of numbers that identify the rows, whatever the options; None if there are none
    notes : sentences about choices that no option made
    """

    def __init__(self, table: TableColumns, embedding: Any, embeddings: Any, var: Any) -> None:
        self._table = table
        self.notes: list[str] = []
        self.prefix = var if isinstance(var, str) else ""
        self.vars = self._find_vars(var)
        listed = set(self.vars)
        self.obs_columns = {name: column for name, column in table.columns.items() if name not in listed}
        self._numbers = [name for name, column in table.columns.items() if column.kind in _NUMBERS]
        self.of_own_units: set[str] = set()
        given = self._declared(embeddings)
        found = find_axes(self._numbers)
        pairs = [axes[:2] for axes in found.values()] or [tuple(self._numbers[:2])]
        self.of_identity = pairs[0] if len(pairs[0]) == 2 else None
        self.axes: dict[str, tuple[str, ...]] = {**given, **_undeclared(found, given)}
        self.default = next(iter(given), None) or default_embedding(self.axes) or next(iter(self.axes), None)
        if embedding is not None:
            self.default = self._chosen(embedding)
        elif not self.axes:
            self.default = self._guess()

    def find_pair(self, name: str | Sequence[str]) -> str | tuple[str, ...] | None:
        """Return the embedding whose first axes are two given columns, or the two columns in a name."""
        if isinstance(name, str):
            named = find_pair(name, self._numbers)
            return None if named is None else tuple(f"{self._source(column)}:{column}" for column in named)
        pair = tuple(self._bare(one) for one in name)
        return next((one for one, axes in self.axes.items() if axes[:2] == pair), None)

    def checked(self, columns: Any) -> list[str] | None:
        """Return names of columns of the table; None = all."""
        if columns is None:
            return None
        names, known = as_names(columns), self._table.all_names()
        for name in names:
            if name not in known:
                raise UnknownName(not_found("column", name, known, self._table.kind))
        return names

    def _find_vars(self, var: Any) -> list[str]:
        columns = self._table.columns
        if var is None:
            return []
        if isinstance(var, str):
            begin = [name for name in columns if name.startswith(var)]
            found = [name for name in begin if _is_value(columns[name])]
            if not found:
                known = f"its columns begin with {_some(columns)}" if columns else "it has no columns"
                raise UnknownName(f"var={shown(var)}: no column of numbers begins with this; {known}.")
            return found
        if not isinstance(var, Iterable) or isinstance(var, Mapping | bytes):
            raise InvalidOption(
                f"var must be names of columns or the prefix of their names, var=['CD3E', 'NKG7'] or var='gene_'; "
                f"found {shown(var)}"
            )
        names = list(dict.fromkeys(map(label_of, var)))
        for name in names:
            if name not in columns:
                raise UnknownName(not_found("column", name, columns, self._table.kind))
            if not _is_value(columns[name]):
                values = [one for one in columns if _is_value(columns[one])]
                raise InvalidValue(
                    f"var: column {name!r} is {columns[name].kind}; a var needs a column of numbers, such as "
                    f"var={values[:2]!r}."
                )
        return names

    def _declared(self, embeddings: Any) -> dict[str, tuple[str, ...]]:
        if embeddings is None:
            return {}
        how = "embeddings must be columns by the name of an embedding, such as {'umap': ('UMAP1', 'UMAP2')}"
        if not isinstance(embeddings, Mapping) or not all(isinstance(name, str) and name for name in embeddings):
            raise InvalidOption(f"{how}; found {shown(embeddings)}")
        for columns in embeddings.values():
            if isinstance(columns, str) or not isinstance(columns, Sequence) or len(columns) < 2:
                raise InvalidValue(f"{how}; found {shown(columns)}")
        return {name: tuple(map(self._number, columns)) for name, columns in embeddings.items()}

    def _chosen(self, embedding: Any) -> str:
        if isinstance(embedding, str):
            for name in (embedding, embedding.removeprefix("X_"), f"X_{embedding}"):
                if name in self.axes:
                    return name
            named = find_pair(embedding, self._numbers)
            if named is None:
                raise UnknownName(not_found("embedding", embedding, self.axes, self._table.kind))
            return self._add(named)
        if not isinstance(embedding, Sequence) or len(embedding) != 2:
            raise InvalidValue(
                f"embedding must be the name of an embedding or two columns, such as ('x', 'y'); "
                f"found {shown(embedding)}"
            )
        pair = (self._number(embedding[0]), self._number(embedding[1]))
        return next((name for name, axes in self.axes.items() if axes[:2] == pair), None) or self._add(pair)

    def _guess(self) -> str | None:
        numbers = [name for name in self._numbers if name in self.obs_columns]
        if len(numbers) < 2:
            found = f"one, {numbers[0]!r}" if numbers else "none"
            self.notes.append(f"An embedding needs two columns of numbers, and there is {found}; nothing can be drawn.")
            return None
        others = f" Other candidates: {_some(numbers[2:])}." if len(numbers) > 2 else ""
        self.notes.append(
            f"No columns have names of axes, such as umap_1 and umap_2 or x and y, so the axes are the first two "
            f"columns of numbers: {_some(numbers[:2])}.{others} Choose them: embedding={(*numbers[-2:],)!r}."
        )
        return self._add((numbers[0], numbers[1]))

    def _add(self, pair: tuple[str, str]) -> str:
        name = pair_name(*pair)
        self.axes[name] = pair
        self.of_own_units.add(name)
        return name

    def _number(self, name: Any) -> str:
        """Return a column of numbers by its name (0 is "0"), with or without the prefix "obs:" or "var:"."""
        found = self._bare(label_of(name))
        if found in self._numbers:
            return found
        if found in self._table.columns:
            kind, pair = self._table.columns[found].kind, tuple(self._numbers[:2])
            how = f"; such as embedding={pair!r}" if len(pair) == 2 else ""
            raise InvalidValue(
                f"column {found!r} is {kind}; an axis needs a column of numbers: {_some(self._numbers)}{how}."
            )
        raise UnknownName(not_found("column of numbers", found, self._numbers, self._table.kind))

    def _bare(self, name: str) -> str:
        if name in self._numbers:
            return name
        bare = name.removeprefix("obs:").removeprefix("var:")
        return self.prefix + bare if self.prefix and self.prefix + bare in self.vars else bare

    def _source(self, column: str) -> str:
        return "obs" if column in self.obs_columns else "var"


def _undeclared(found: dict[str, tuple[str, ...]], given: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the found embeddings that are not declared under the same name or with the same columns."""
    return {name: axes for name, axes in found.items() if name not in given and axes not in given.values()}


def _is_value(column: Column) -> bool:
    return column.kind in (*_NUMBERS, "boolean")


def _some(names: Iterable[str]) -> str:
    listed = [repr(name) for name in names]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more or "none"
