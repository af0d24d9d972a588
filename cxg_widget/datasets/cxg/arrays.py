"""The TileDB arrays of one store: listed, opened at first use, kept open, read, closed; what they mean is elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
import tiledb
from numpy.typing import NDArray
from tiledb.main import PyQuery

from cxg_widget.datasets.packed import PackedStrings
from cxg_widget.errors import DamagedStore


class Arrays:
    """The arrays below one root URI.

    An array is opened once and read by several threads at a time, which TileDB allows. Every failure of TileDB becomes
    `DamagedStore`, which names what was read.
    """

    def __init__(self, root: str, uri: str, ctx: tiledb.Ctx) -> None:
        self.root = root
        self.uri = uri
        self.ctx = ctx
        self._open: dict[str, Any] = {}
        self._filled: set[str] = set()
        self._lock = RLock()

    @property
    def opened(self) -> tuple[str, ...]:
        """The paths of the arrays that are open now."""
        return tuple(self._open)

    def children(self, path: str = "") -> dict[str, str]:
        """Return the names below a group, each with "array", "group" or another type, in TileDB's order."""
        with self.reading(path or "the store"):
            return list_children(f"{self.root}/{path}".rstrip("/"), self.ctx)

    def schema(self, path: str) -> Any:
        """Read the schema of one array, and nothing else."""
        if path in self._open:
            return self._open[path].schema
        with self.reading(path):
            return tiledb.ArraySchema.load(f"{self.root}/{path}", ctx=self.ctx)

    def array(self, path: str) -> Any:
        """Return one array, open for reading.

        Raises
        ------
        DamagedStore
            If it cannot be opened, or is dense and holds nothing at all: TileDB would make values up.
        """
        with self._lock:
            with self.reading(path):
                found = self._opened(path)
                empty = path not in self._filled and not found.schema.sparse and found.nonempty_domain() is None
            if empty:
                raise DamagedStore(f"{self.uri}: {path} holds no data; its files are missing.")
            self._filled.add(path)
            return found

    def metadata(self, path: str) -> Mapping[str, Any]:
        """Return the metadata of one array; TileDB reads them at the first look."""
        with self._lock, self.reading(f"the metadata of {path}"):
            meta: Mapping[str, Any] = self._opened(path).meta
            return meta

    def metadata_value(self, path: str, key: str) -> Any:
        """Return one value of an array's metadata, None where there is none."""
        meta = self.metadata(path)
        with self._lock, self.reading(f"the metadata of {path}"):
            return meta[key] if key in meta else None  # noqa: SIM401 - `get` is not lazy in every version of TileDB

    def column(self, path: str, name: str, rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """Read one attribute of a dense 1-D array, in the order of `rows` (None = all)."""
        array = self.array(path)
        with self.reading(f"{path} column {name!r}"):
            query = array.query(attrs=select(array, name))
            if rows is None:
                return values_of(query[:])
            return _take(query, rows, int(array.schema.domain.dim(0).tile or 1))

    def packed_strings(self, path: str, name: str) -> PackedStrings:
        """Read one attribute of variable-length strings of a dense 1-D array, whole, without making objects of it.

        `array[:]` makes n Python strings, which takes five times as long as reading them (1 M cells: 0.4 s).
        """
        array = self.array(path)
        with self.reading(f"{path} column {name!r}"):
            n = int(array.schema.shape[0])
            query = PyQuery(array.ctx, array, (name,), (), tiledb.libtiledb.LayoutType.ROW_MAJOR, False)
            subarray = tiledb.Subarray(array)
            subarray.add_ranges([[(0, n - 1)]])
            query.set_subarray(subarray)
            query.submit()
            text, offsets = query.results()[name][:2]
        starts = np.empty(n + 1, dtype=np.int64)
        starts[:n] = offsets.view(np.uint64)[:n]
        starts[n] = text.nbytes
        return PackedStrings(text.view(np.uint8), starts)

    def close(self) -> None:
        """Close all arrays."""
        with self._lock:
            for array in self._open.values():
                array.close()
            self._open.clear()

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turn failures of TileDB into `DamagedStore`, which says that `what` cannot be read and why."""
        try:
            yield
        except (tiledb.TileDBError, UnicodeDecodeError) as error:
            message = f"{self.uri}: cannot read {what}: data files are missing or damaged ({reason_of(error)})."
            raise DamagedStore(message) from error

    def _opened(self, path: str) -> Any:
        if path not in self._open:
            self._open[path] = tiledb.open(f"{self.root}/{path}", mode="r", ctx=self.ctx)
        return self._open[path]


def absolute(uri: str) -> str:
    """Return a URI that still means the same after `os.chdir`, which TileDB takes no notice of."""
    return uri.rstrip("/") if "://" in uri else str(Path(uri).absolute())


def list_children(uri: str, ctx: tiledb.Ctx) -> dict[str, str]:
    """Return the names below a URI, each with its TileDB type.

    The members of a CXG are not registered with its group, so they are listed as a directory. Object stores want and
    return a trailing slash, file systems do neither.
    """
    found: dict[str, str] = {}
    listed = f"{uri}/" if "://" in uri else uri
    tiledb.ls(listed, lambda child, kind: found.update({child.rstrip("/").rsplit("/", 1)[-1]: kind}), ctx=ctx)
    return found


def select(array: Any, name: str) -> list[str] | None:
    """Return the `attrs` of a query for one attribute; arrays of 2020 cannot be asked for their anonymous one."""
    return None if array.schema.nattr == 1 else [name]


def values_of(result: Any, dim: str | None = None) -> NDArray[Any]:
    """Return the one attribute in the result of a query, which may hold a dimension beside it."""
    if not isinstance(result, dict):
        return np.asarray(result)
    return np.asarray(next(values for name, values in result.items() if name != dim))


def _take(query: Any, rows: NDArray[np.int64], tile: int) -> NDArray[Any]:
    """Read single rows as ranges; rows less than a tile apart share one, since TileDB reads whole tiles anyway."""
    if not len(rows):
        return values_of(query[0:1])[:0]
    if np.all(rows[1:] > rows[:-1]):
        wanted, back = rows, None
    else:
        wanted, back = np.unique(rows, return_inverse=True)
    breaks = np.flatnonzero(np.diff(wanted) > tile) + 1
    if not len(breaks):
        found = values_of(query[int(wanted[0]) : int(wanted[-1]) + 1])[wanted - wanted[0]]
        return found if back is None else np.asarray(found[back])
    firsts = wanted[np.append(0, breaks)]
    lasts = wanted[np.append(breaks, len(wanted)) - 1]
    ranges = [slice(first, last) for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True)]
    lengths = lasts - firsts + 1
    skipped = firsts - (np.cumsum(lengths) - lengths)
    of_range = np.searchsorted(firsts, wanted, side="right") - 1
    found = values_of(query.multi_index[ranges])[wanted - skipped[of_range]]
    return found if back is None else np.asarray(found[back])


def reason_of(error: Exception) -> str:
    """Return what TileDB says on one line; of a failed request, only the details that a person can use."""
    text = " ".join(str(error).split()).rpartition("; Details: ")[-1].rstrip(".")
    return text if len(text) <= 300 else f"{text[:297]}..."
