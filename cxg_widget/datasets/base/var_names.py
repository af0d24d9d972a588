"""Names of vars: labels, readable aliases and identifiers, and lookup."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from cxg_widget.datasets.base.column_values import as_strings
from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.values import Values, as_plain
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidStore, UnknownName
from cxg_widget.text.names import not_found

_FEW = 32


class VarNames:
    """The vars of a store by name; names are read at first use and cached.

    Examples
    --------
    >>> names = dataset.names_in(None)
    >>> names.has_var("CD3E"), names.has_var("CD3Z")
    (True, False)
    """

    def __init__(self, store: Contract) -> None:
        self._store = store

    @property
    def var_labels(self) -> Sequence[str]:
        """The var index (n_var,) as strings; positions if the store has no index.

        Examples
        --------
        >>> dataset.names_in(None).var_labels == dataset.var_labels
        True
        """
        return self._store._read_once("var_labels", self._load_var_labels)

    @property
    def var_aliases(self) -> Sequence[str] | None:
        """Readable names (n_var,), such as gene symbols; None if they equal the var index.

        Examples
        --------
        >>> dataset.names_in(None).var_aliases[dataset.find_var("CD3E")]
        'CD3E'
        """
        return self._store._read_once("var_aliases", self._load_var_aliases)

    def find_var(self, name: str) -> int:
        """Return the position of the first var with this index label, else with this alias or identifier.

        Raises
        ------
        UnknownName
            With the nearest names, or with the place where the name belongs.

        Examples
        --------
        >>> dataset.var_aliases[dataset.find_var("CD3E")]
        'CD3E'
        """
        position = self._sought(name)
        if position is not None:
            return position
        if isinstance(name, str) and (explanation := self.explain_name(name)):
            raise UnknownName(explanation)
        names = [*(self.var_aliases or ()), *self.var_labels]
        raise UnknownName(not_found("var name", name, names, self._store.title, count=self._store.n_var))

    def has_var(self, name: str) -> bool:
        """Return whether `find_var` finds a name; fast for unknown names too, since it looks up no nearest ones.

        Examples
        --------
        >>> dataset.names_in(None).has_var("CD3E")
        True
        """
        return self._sought(name) is not None

    def _sought(self, name: str) -> int | None:
        columns = (None, *self._store.alias_columns, *self._store.id_columns)
        found = (self._position(column, name) for column in columns if isinstance(name, str))
        return next((position for position in found if position is not None), None)

    def derived_vars(self, query: str) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Return name and readable name of vars that the store computes on demand and that match a query.

        `find_var` finds each of them, at a position of `n_var` or more. Most stores have none.
        """
        return ()

    def explain_name(self, name: str) -> str | None:  # noqa: ARG002
        """Return a sentence on where a name belongs that is not a var here; None if unknown."""
        return None

    def read_names(self) -> None:
        """Read the index and the readable names ahead, and open the matrix of remote storage.

        The first gene is then found and read fast. Failures are raised where it is read.

        Examples
        --------
        >>> dataset.read_names()
        >>> position = dataset.find_var("CD3E")
        """
        for column in (None, *self._store.alias_columns):
            self._position(column, "")
        with suppress(CxgWidgetError):
            self._store._prepare_vectors()

    def _position(self, column: str | None, name: str) -> int | None:
        """Return the position of a name in a column, None = the index."""

        def load() -> Positions:
            return Positions((self.var_labels if column is None else self._strings(column)) or ())

        slot = f"positions in {'the index' if column is None else column}"
        positions: Positions = self._store._read_once(slot, load)
        return positions.get(name)

    def _load_var_labels(self) -> Sequence[str]:
        if self._store.var_index is None:
            return tuple(str(position) for position in range(self._store.n_var))
        return _as_sequence(self._store._read_var(self._store.var_index))

    def _load_var_aliases(self) -> Sequence[str] | None:
        for name in self._store.alias_columns:
            aliases = self._strings(name)
            if aliases is not None and not _same(aliases, self.var_labels):
                return aliases
        return None

    def _strings(self, name: str) -> Sequence[str] | None:
        known = self._store.var_columns.get(name)
        if known is None or known.kind not in ("string", "categorical"):
            return None
        return self._store._read_once(f"var column {name}", lambda: self._load_strings(name))

    def _load_strings(self, name: str) -> Sequence[str] | None:
        try:
            return _as_sequence(self._store._read_var(name))
        except (InvalidStore, DamagedStore) as error:
            self._store._note(f"var column {name!r} cannot be read, so names in it are not found: {error}")
            return None


class Positions:
    """The first position of each name in a list.

    A dictionary of 60,000 names takes longer than reading them, so the first 32 lookups search the bytes.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._searched = 0
        self._positions: dict[str, int] | None = None

    def get(self, name: str) -> int | None:
        """Return the position of a name, None if it is not in the list."""
        if self._positions is None and isinstance(self._names, PackedStrings) and self._searched < _FEW:
            self._searched += 1
            return self._names.find(name)
        if self._positions is None:
            found: dict[str, int] = {}
            for position, label in enumerate(self._names):
                # A name may occur twice; the first one counts.
                found.setdefault(label, position)
            self._positions = found
        return self._positions.get(name)


def _as_sequence(values: Values) -> Sequence[str]:
    return values if isinstance(values, PackedStrings) else tuple(as_strings(as_plain(values)))


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    if isinstance(one, PackedStrings) and isinstance(other, PackedStrings):
        return one.same_as(other)
    return list(one) == list(other)
