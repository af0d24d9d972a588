"""Reads a store for validation, and records damage instead of raising."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from cxg_widget.datasets.cxg.layouts import MATRIX, SHIFT, kind_of
from cxg_widget.datasets.cxg.validation.values import (
    CellSummary,
    NumberSummary,
    summarize_cells,
    summarize_column,
    summarize_dense,
)
from cxg_widget.datasets.tiledb_access.arrays import Arrays
from cxg_widget.errors import DamagedStore

T = TypeVar("T")

METADATA_ARRAYS = ("cxg_group_metadata", "uns")
ABSENT = object()
"""The value of a metadata key that does not exist."""


class Invalid:
    """A metadata value that is not JSON.

    why : the reason, as a clause of a sentence
    """

    def __init__(self, why: str) -> None:
        self.why = why


class Examined:
    """Schemas, metadata and summaries of values, each read once.

    Parameters
    ----------
    values : whether to read the values of the matrix
    tell : called with the name of each part before it is read
    fatal : {part that must not be read: reason}

    Attributes
    ----------
    children : {name at the root: TileDB type}; empty if the root is not a group
    problems : {path or column that could not be read: reason}
    """

    def __init__(
        self,
        arrays: Arrays,
        *,
        values: bool = True,
        tell: Callable[[str], object] | None = None,
        fatal: Mapping[str, str] | None = None,
    ) -> None:
        self.arrays = arrays
        self.values = values
        self._tell = tell or (lambda _: None)
        self._fatal = fatal or {}
        self.problems: dict[str, str] = {}
        self._known: dict[tuple[str, ...], Any] = {}
        self.is_group = arrays.kind() == "group"
        self.children: dict[str, str] = (
            (self._try("", lambda: arrays.children("", kind_of=kind_of)[0]) or {}) if self.is_group else {}
        )
        in_group = self.children.get("emb") == "group"
        self.embeddings: dict[str, str] = (
            (self._try("emb", lambda: arrays.children("emb", kind_of=kind_of)[0]) or {}) if in_group else {}
        )

    @property
    def n_obs(self) -> int | None:
        """Number of rows of obs; None = not known."""
        return self._length("obs")

    @property
    def n_var(self) -> int | None:
        """Number of rows of var; None = not known."""
        return self._length("var")

    def has(self, path: str) -> bool:
        """Return whether there is an array at this path."""
        parent, _, name = path.rpartition("/")
        return (self.embeddings if parent == "emb" else self.children).get(name) in ("array", "unknown")

    def matrix_arrays(self) -> list[str]:
        """Return the names of those of `X`, `Xr` and `Xc` that exist."""
        return [path for path in MATRIX if self.has(path)]

    def data_arrays(self) -> list[str]:
        """Return the paths of the arrays that the specification names, except those with only metadata."""
        found = [path for path in ("obs", "var", *MATRIX, SHIFT) if self.has(path)]
        return [*found, *(f"emb/{name}" for name in self.embeddings if self.has(f"emb/{name}"))]

    def schema(self, path: str) -> Any:
        """Return the schema of an array, None if there is none or it cannot be read."""
        if not self.has(path):
            return None
        return self._once(("schema", path), lambda: self._try(path, lambda: self.arrays.schema(path)))

    def attributes(self, path: str) -> list[Any]:
        """Return the attributes of an array; an empty list if its schema cannot be read."""
        schema = self.schema(path)
        return [] if schema is None else [schema.attr(number) for number in range(schema.nattr)]

    def meta(self, path: str, key: str) -> Any:
        """Return a metadata value decoded from JSON, `ABSENT`, or `Invalid` if it is not JSON text."""
        return self._once(("meta", path, key), lambda: self._meta(path, key))

    def meta_keys(self, path: str) -> list[str]:
        """Return the metadata keys of an array."""
        if not self.has(path):
            return []
        return self._once(
            ("keys", path), lambda: self._try(path, lambda: list(self.arrays.metadata(path).keys())) or []
        )

    def meta_raw(self, path: str, key: str) -> Any:
        """Return a metadata value as stored, `ABSENT` if there is none."""
        if key not in self.meta_keys(path):
            return ABSENT
        found = self._try(f"{path} metadata {key}", lambda: (self.arrays.metadata_value(path, key),))
        return ABSENT if found is None else found[0]

    def object(self, path: str, key: str) -> dict[str, Any]:
        """Return a metadata value if it is a JSON object, else an empty dict."""
        found = self.meta(path, key)
        return found if isinstance(found, dict) else {}

    def hints(self, path: str) -> dict[str, Any]:
        """Return the schema hints of the columns of obs or var, without the index."""
        return {name: hint for name, hint in self.object(path, "cxg_schema").items() if name != "index"}

    def column(self, path: str, name: str) -> NumberSummary | None:
        """Return a summary of all values of a column of numbers; None if they cannot be read."""
        where = f"{path} column {name!r}"
        return self._once(
            ("column", path, name),
            lambda: self._try(where, lambda: summarize_column(self.arrays, path, name)),
        )

    def embedding(self, name: str) -> NumberSummary | None:
        """Return a summary of all values of an embedding; None if they cannot be read."""
        return self._dense(f"emb/{name}")

    def cells(self, path: str) -> CellSummary | None:
        """Return a summary of all cells of a sparse matrix; None if they cannot be read, or `values` is False."""
        schema = self.schema(path)
        if schema is None or not schema.sparse or not self.values:
            return None
        return self._once(("cells", path), lambda: self._try(path, lambda: summarize_cells(self.arrays, path)))

    def read_everything(self) -> None:
        """Read all values once, so that `problems` is complete."""
        for path in self.data_arrays():
            schema = self.schema(path)
            if schema is None:
                continue
            if path in ("obs", "var"):
                for attr in self.attributes(path):
                    self.column(path, attr.name)
            elif schema.sparse:
                self.cells(path)
            elif self.values or path != "X":
                self._dense(path)
        for path in METADATA_ARRAYS:
            self.meta_keys(path)

    def _dense(self, path: str) -> NumberSummary | None:
        schema = self.schema(path)
        if schema is None or schema.sparse:
            return None
        return self._once(("dense", path), lambda: self._try(path, lambda: summarize_dense(self.arrays, path)))

    def _length(self, path: str) -> int | None:
        schema = self.schema(path)
        return int(schema.shape[0]) if schema is not None and schema.ndim == 1 else None

    def _meta(self, path: str, key: str) -> Any:
        raw = self.meta_raw(path, key)
        if raw is ABSENT:
            return ABSENT
        if not isinstance(raw, str):
            return Invalid(f"it is {type(raw).__name__}, not text")
        try:
            return json.loads(raw)
        except (ValueError, RecursionError) as error:
            return Invalid(f"it is not valid JSON ({error})")

    def _once(self, key: tuple[str, ...], load: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = load()
        found: T = self._known[key]
        return found

    def _try(self, what: str, read: Callable[[], T]) -> T | None:
        """Read something that may be damaged in any way; if it is, record the problem and return None."""
        try:
            with self.arrays.reading(what or "the store"):
                if what in self._fatal:
                    raise DamagedStore(self._fatal[what])
                self._tell(what)
                return read()
        except (DamagedStore, ValueError, TypeError, IndexError, OverflowError, MemoryError) as error:
            self.problems.setdefault(what, _clause(str(error).removeprefix(f"{self.arrays.uri}: ")))
            return None


def each(store: Examined, paths: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield path and schema of each array whose schema can be read."""
    for path in paths:
        schema = store.schema(path)
        if schema is not None:
            yield path, schema


def _clause(sentence: str) -> str:
    text = " ".join(sentence.split()).removesuffix(".")
    return text if len(text) <= 300 else f"{text[:297]}..."
