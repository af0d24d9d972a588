"""Two columns as an embedding: numeric obs columns or genes as axes."""
# Changes with js/src/panels/settings/two_columns.js: scales of two columns as axes.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.obs_columns import ObsColumns
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.datasets.base.vectors import Vectors
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown

EmbeddingName = str | tuple[str, ...]
"""Name of an embedding: its name in the store; or two columns, and the layer of genes if that is not X."""
LOG = "log1p:"


@dataclass(frozen=True)
class _Axis:
    """One axis: "obs" or "var", its name, and whether log(1 + x) of it is drawn."""

    source: str
    name: str
    is_log: bool

    @property
    def spec(self) -> str:
        return f"{LOG if self.is_log else ''}{self.source}:{self.name}"


class ColumnPairs:
    """Reads two columns as the axes of an embedding.

    Parameters
    ----------
    vectors, names_in : read the vars of a layer, and look them up by name
    """

    def __init__(
        self, store: Contract, columns: ObsColumns, vectors: Callable[[], Vectors],
        names_in: Callable[[str | None], VarNames],
    ) -> None:  # fmt: skip
        self._store, self._columns, self._vectors, self._names_in = store, columns, vectors, names_in

    def find(self, pair: Sequence[str]) -> tuple[str, ...]:
        """Return a pair in its full form: "obs:NAME" or "var:NAME" each, with the prefix "log1p:" for log(1 + x).

        Raises
        ------
        UnknownName
            If there is no such obs column, var or layer.
        InvalidValue
            If a column is not numeric, or these are not two names.
        """
        x, y, layer = self._axes_of(pair)
        more = () if layer is None or (x.source, y.source) == ("obs", "obs") else (layer,)
        return (x.spec, y.spec, *more)

    def labels(self, pair: Sequence[str]) -> tuple[str, str]:
        """Return the labels of both axes; a gene has its readable name."""
        x, y, layer = self._axes_of(pair)
        return self._label(x, layer), self._label(y, layer)

    def describe(self, pair: Sequence[str]) -> str:
        """Return the text of a pair, unique within this dataset."""
        x, y, layer = self._axes_of(pair)
        names = [
            f"{_axis_text(one, f'{one.source}:{one.name}' if self._is_shared(one, layer) else one.name)}"
            for one in (x, y)
        ]
        return " × ".join(names) + (f", layer {layer}" if len(pair) > 2 and layer is not None else "")

    def read(self, pair: Sequence[str], axes: tuple[int, int], rows: tuple[int, int] | None) -> NDArray[np.float32]:
        """Read the columns, float32 (n, 2), a new array; NaN if a cell has no value.

        rows : start and stop of some; None = all
        """
        *both, layer = self._axes_of(pair)
        # Read each gene once, even if it is on both axes: some stores scan the whole matrix for a gene.
        genes = list(dict.fromkeys(one.name for one in both if one.source == "var"))
        n = self._store.n_obs if rows is None else rows[1] - rows[0]
        vectors = self._vectors()
        found = vectors.vectors(genes, layer) if rows is None else vectors.vectors_block(genes, layer, *rows)
        dense = dict(zip(genes, (one.dense(n) for one in found), strict=True)) if genes else {}
        xy = np.empty((n, 2), dtype=np.float32)
        # log1p of -1 and less is not finite: such a cell has no coordinates.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            for place, axis in enumerate(both[i] for i in axes):
                values = dense[axis.name] if axis.source == "var" else self._numbers(axis.name, rows)
                xy[:, place] = np.log1p(values.astype(np.float64)) if axis.is_log else values
        return xy

    def _numbers(self, column: str, rows: tuple[int, int] | None) -> NDArray[Any]:
        return self._columns.numbers(column) if rows is None else self._columns.numbers_block(column, *rows)

    def _axes_of(self, pair: Sequence[Any]) -> tuple[_Axis, _Axis, str | None]:
        if len(pair) not in (2, 3) or not all(isinstance(one, str) or i == 2 for i, one in enumerate(pair)):
            many = self._store.var_noun.many
            wanted = f"the name of an embedding, or two obs columns or {many} and optionally the layer of the {many}"
            raise InvalidValue(f"embedding must be {wanted}; found {shown(pair)}")
        layer = pair[2] if len(pair) > 2 else None
        if layer is not None and layer not in self._store.layers:
            raise UnknownName(not_found("layer", layer, self._store.layers, self._store.title))
        return self._axis(pair[0], layer), self._axis(pair[1], layer), layer

    def _axis(self, spec: str, layer: str | None) -> _Axis:
        columns, names = self._store.obs_columns, self._names_in(layer)
        if spec.startswith(LOG) and spec not in columns:
            inner = self._axis(spec.removeprefix(LOG), layer)
            return _Axis(inner.source, inner.name, is_log=True)
        source, _, name = spec.partition(":")
        if source == "obs" and name in columns:
            return self._column(name)
        if source == "var" and names.has_var(name):
            return _Axis("var", name, is_log=False)
        if spec in columns:
            return self._column(spec)
        if names.has_var(spec):
            return _Axis("var", spec, is_log=False)
        numbers = [one.name for one in columns.values() if one.kind in ("int", "float")]
        known = [*numbers, *(names.var_aliases or ()), *names.var_labels]
        what = f"obs column of numbers or {self._store.var_noun.one}"
        bare = name if source in ("obs", "var") and name else spec
        raise UnknownName(not_found(what, bare, known, self._store.title, count=len(numbers) + self._store.n_var))

    def _column(self, name: str) -> _Axis:
        kind = self._store.obs_columns[name].kind
        if kind not in ("int", "float"):
            what = f"obs column {name!r} is {kind}"
            raise InvalidValue(f"{what}; an axis needs an obs column of numbers or {self._store.var_noun.a}.")
        return _Axis("obs", name, is_log=False)

    def _label(self, axis: _Axis, layer: str | None) -> str:
        name = axis.name
        if axis.source == "var":
            names = self._names_in(layer)
            position, aliases = names.find_var(name), names.var_aliases
            in_index = position < len(names.var_labels)
            name = (aliases[position] if aliases and in_index else "") or name
        return _axis_text(axis, name)

    def _is_shared(self, axis: _Axis, layer: str | None) -> bool:
        """Return whether an obs column and a var have the same name."""
        return axis.name in self._store.obs_columns and self._names_in(layer).has_var(axis.name)


def _axis_text(axis: _Axis, name: str) -> str:
    return f"log1p({name})" if axis.is_log else name
