"""Names in a rule that the dataset lacks, reported in one error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cxg_widget.errors import UnknownName
from cxg_widget.rules.advice import meant_query
from cxg_widget.rules.column_names import is_column, missing_names, unknown_in
from cxg_widget.rules.grammar import parse
from cxg_widget.text.names import join_missing, not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset


class MissingNames:
    """Collects names of all kinds that a dataset lacks; `check` reports them in one error.

    sets : allowed names of {set}
    """

    def __init__(self, dataset: Dataset, sets: Iterable[str] = ()) -> None:
        self._dataset, self._sets = dataset, list(sets)
        self._columns: dict[str, None] = {}
        self._meant = ""
        self._others: dict[str, str] = {}
        """Other missing things: in a few words, and the sentence about it alone."""
        self._axes: list[tuple[Any, tuple[int, int]]] = []

    def add_obs(self, name: str) -> None:
        """Report an obs column unless it exists."""
        if name not in self._dataset.obs_columns:
            self._columns[name] = None

    def add_var(self, name: str, layer: str | None) -> None:
        """Report a gene and its layer unless they exist."""
        if not self._dataset.names_in(self._layer(layer)).has_var(name):
            self._columns[name] = None

    def add_name(self, name: str, layer: str | None) -> None:
        """Report a name unless it is an obs column or a gene; "obs:" and "var:" force one."""
        if not is_column(name, self._dataset, self._layer(layer)):
            self._columns[name] = None

    def add_layer(self, layer: str) -> None:
        """Report a layer unless it exists."""
        self._layer(layer)

    def add_query(self, text: str, layer: str | None) -> None:
        """Report unknown columns and genes of a query."""
        known_layer = self._layer(layer)
        unknown = unknown_in(parse(text), self._dataset, known_layer)
        self._columns |= dict.fromkeys(unknown)
        if unknown and (meant := meant_query(text, self._dataset, known_layer)):
            self._meant = f" Did you mean {meant!r}?"

    def add_set(self, name: str) -> None:
        """Report a set unless it exists."""
        if name not in self._sets:
            self._add("set", name, not_found("set", name, self._sets, "this widget"))

    def add_embedding(self, name: Any, axes: tuple[int, int]) -> None:
        """Report an embedding, or each of two columns, unless they exist; its axes are checked last."""
        layer = [] if isinstance(name, str) else [one for one in name[2:] if self._layer(one) is not None]
        for one in [name] if isinstance(name, str) else [[column, column, *layer] for column in name[:2]]:
            try:
                self._dataset.find_embedding(one)
            except UnknownName as error:
                is_name = isinstance(one, str)
                self._add("embedding" if is_name else "column", one if is_name else one[0], str(error))
        self._axes.append((name, axes))

    @property
    def names(self) -> list[str]:
        """All missing names: of columns and genes as they are, of other things with their kind."""
        return [*self._columns, *self._but_columns]

    @property
    def _but_columns(self) -> dict[str, str]:
        """The missing things of other kinds; a column may also be an axis of an embedding."""
        axes = {f"column {shown(name)}" for name in self._columns}
        return {name: sentence for name, sentence in self._others.items() if name not in axes}

    def check(self) -> None:
        """Raise `UnknownName` if a name is missing, and `InvalidValue` for axes that an embedding lacks."""
        if self._columns:
            sentence = missing_names(list(self._columns), self._dataset, list(self._but_columns))
            raise UnknownName(sentence + self._meant)
        if self._others:
            (_, sentence), *others = self._others.items()
            raise UnknownName(join_missing([sentence, *(name for name, _ in others)]))
        for name, axes in self._axes:
            self._dataset.check_axes(axes, self._dataset.find_embedding(name))

    def _add(self, kind: str, name: Any, sentence: str) -> None:
        self._others.setdefault(f"{kind} {shown(name)}", sentence)

    def _layer(self, layer: str | None) -> str | None:
        """Return a layer if it exists; report it and return None otherwise."""
        if layer is None or layer in self._dataset.layers:
            return layer
        self._add("layer", layer, not_found("layer", layer, self._dataset.layers))
        return None
