"""How the vars of a dataset are called: labels, readable aliases and identifiers, and the search among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Literal

from cxg_widget.datasets.base.columns import as_strings
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.positions import Positions
from cxg_widget.datasets.base.values import Column, Values, as_plain
from cxg_widget.errors import DamagedStore, InvalidStore, UnknownName
from cxg_widget.text.names import not_found
from cxg_widget.text.nouns import GENE, Noun

if TYPE_CHECKING:
    import pandas as pd


Table = Literal["obs", "var"]


class VarNames(Lifetime):
    """The part of a `Dataset` that knows its vars by name; names are read at first use and kept."""

    alias_columns: ClassVar[tuple[str, ...]] = ("feature_name", "gene_symbols", "gene_name")
    id_columns: ClassVar[tuple[str, ...]] = ("name_0", "feature_id", "gene_ids", "gene_id")

    title: str
    n_var: int = 0
    var_columns: Mapping[str, Column] = MappingProxyType({})
    var_index: str | None = None
    var_noun: Noun = GENE

    def _read_var(self, name: str) -> Values:
        """Read one var column, as `_read_obs` does; a store without vars has none."""
        raise NotImplementedError

    @property
    def var_labels(self) -> Sequence[str]:
        """The var index (n_var,) as strings; positions where the store has no index."""
        labels: Sequence[str] = self._read_once("var_labels", self._load_var_labels)
        return labels

    @property
    def var_names(self) -> pd.Index:
        """The var index (n_var,) as a pandas Index."""
        import pandas as pd

        return pd.Index(list(self.var_labels), name=self.index_name("var"))

    def index_name(self, table: Table) -> str | None:  # noqa: ARG002 - of var alone
        """Return what the index of the DataFrame of var is called; None where it has no name."""
        return self.var_index

    @property
    def var_aliases(self) -> Sequence[str] | None:
        """Readable names (n_var,) beside the var index, such as gene symbols; None where they do not differ."""
        aliases: Sequence[str] | None = self._read_once("var_aliases", self._load_var_aliases)
        return aliases

    def find_var(self, name: str) -> int:
        """Return the position of a var by its index label, else by its alias or identifier; the first that fits.

        Raises
        ------
        UnknownName
            With the nearest names.
        """
        columns = (None, *self.alias_columns, *self.id_columns)
        for column in columns if isinstance(name, str) else ():
            position = self._position(column, name)
            if position is not None:
                return position
        names = [*(self.var_aliases or ()), *self.var_labels]
        raise UnknownName(not_found("var name", name, names, self.title, count=self.n_var))

    def derived_vars(self, query: str) -> Sequence[tuple[str, str]]:  # noqa: ARG002
        """Return name and readable name of vars that the store makes on demand and that a query describes.

        `find_var` finds each of them, at a position of `n_var` or more. Most stores have none.
        """
        return ()

    def explain_name(self, name: str) -> str | None:  # noqa: ARG002
        """Say in a sentence why a name that looks like one of a derived var is none; None where it does not."""
        return None

    def read_names(self) -> None:
        """Read the index and the readable names ahead, so that the first var is found at once."""
        for column in (None, *self.alias_columns):
            self._position(column, "")

    def _position(self, column: str | None, name: str) -> int | None:
        """Return where a name stands in a column, None = in the index."""

        def load() -> Positions:
            return Positions((self.var_labels if column is None else self._var_strings(column)) or ())

        positions: Positions = self._read_once(f"positions in {'the index' if column is None else column}", load)
        return positions.get(name)

    def _load_var_labels(self) -> Sequence[str]:
        if self.var_index is None:
            return tuple(str(position) for position in range(self.n_var))
        return _as_sequence(self._read_var(self.var_index))

    def _load_var_aliases(self) -> Sequence[str] | None:
        for name in self.alias_columns:
            aliases = self._var_strings(name)
            if aliases is not None and not _same(aliases, self.var_labels):
                return aliases
        return None

    def _var_strings(self, name: str) -> Sequence[str] | None:
        known = self.var_columns.get(name)
        if known is None or known.kind not in ("string", "categorical"):
            return None
        strings: Sequence[str] | None = self._read_once(f"var column {name}", lambda: self._load_strings(name))
        return strings

    def _load_strings(self, name: str) -> Sequence[str] | None:
        try:
            return _as_sequence(self._read_var(name))
        except (InvalidStore, DamagedStore) as error:
            self._note(f"var column {name!r} cannot be read, so names in it are not found: {error}")
            return None


def _as_sequence(values: Values) -> Sequence[str]:
    return values if isinstance(values, PackedStrings) else tuple(as_strings(as_plain(values)))


def _same(one: Sequence[str], other: Sequence[str]) -> bool:
    if isinstance(one, PackedStrings) and isinstance(other, PackedStrings):
        return one.same_as(other)
    return list(one) == list(other)
