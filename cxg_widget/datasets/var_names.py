"""How the vars of a dataset are called: labels, readable aliases and identifiers, and the search among them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from cxg_widget.datasets.columns import as_strings
from cxg_widget.datasets.lifetime import Lifetime
from cxg_widget.datasets.values import Codes, Column, as_plain
from cxg_widget.errors import DamagedStore, InvalidStore, UnknownName
from cxg_widget.names import not_found

if TYPE_CHECKING:
    import pandas as pd


class VarNames(Lifetime):
    """The part of a `Dataset` that knows its vars by name; names are read at first use and kept."""

    alias_columns: ClassVar[tuple[str, ...]] = ("feature_name", "gene_symbols", "gene_name")
    id_columns: ClassVar[tuple[str, ...]] = ("name_0", "feature_id", "gene_ids", "gene_id")

    title: str
    n_var: int
    var_columns: Mapping[str, Column]
    var_index: str | None = None

    @abstractmethod
    def _read_var(self, name: str) -> NDArray[Any] | Codes:
        """Read one var column, as `_read_obs` does."""

    @property
    def var_labels(self) -> Sequence[str]:
        """The var index (n_var,) as strings; positions where the store has no index."""
        labels: Sequence[str] = self._read_once("var_labels", self._load_var_labels)
        return labels

    @property
    def var_names(self) -> pd.Index:
        """The var index (n_var,) as a pandas Index."""
        import pandas as pd

        return pd.Index(list(self.var_labels), name=self.var_index)

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
        for source in ("index", "aliases", "identifiers"):
            position = self._positions(source).get(name)
            if position is not None:
                return position
        known = [*self._positions("index"), *self._positions("aliases")]
        raise UnknownName(not_found("var name", name, known, self.title))

    def _load_var_labels(self) -> tuple[str, ...]:
        if self.var_index is None:
            return tuple(str(position) for position in range(self.n_var))
        return tuple(as_strings(as_plain(self._read_var(self.var_index))))

    def _load_var_aliases(self) -> tuple[str, ...] | None:
        for name in self.alias_columns:
            aliases = self._var_strings(name)
            if aliases is not None and aliases != self.var_labels:
                return aliases
        return None

    def _var_strings(self, name: str) -> tuple[str, ...] | None:
        known = self.var_columns.get(name)
        if known is None or known.kind not in ("string", "categorical"):
            return None
        try:
            return tuple(as_strings(as_plain(self._read_var(name))))
        except (InvalidStore, DamagedStore) as error:
            self._note(f"var column {name!r} cannot be read, so names in it are not found: {error}")
            return None

    def _positions(self, source: str) -> Mapping[str, int]:
        def load() -> dict[str, int]:
            found: dict[str, int] = {}
            for labels in self._name_lists(source):
                for position, label in enumerate(labels or ()):
                    found.setdefault(label, position)
            return found

        positions: Mapping[str, int] = self._read_once(f"positions of {source}", load)
        return positions

    def _name_lists(self, source: str) -> list[Sequence[str] | None]:
        if source == "index":
            return [self.var_labels]
        if source == "aliases":
            return [self.var_aliases]
        return [self._var_strings(name) for name in (*self.alias_columns, *self.id_columns)]
