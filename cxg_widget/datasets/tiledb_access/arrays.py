"""The TileDB arrays of a store: opens them at first use, reads them as NumPy types, and closes them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import Event, Lock, RLock
from typing import Any, TypeVar

import numpy as np
import tiledb
from numpy.typing import NDArray
from tiledb.main import PyQuery

from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.tiledb_access.contexts import slow_downs, timeout_s
from cxg_widget.datasets.tiledb_access.failures import slowed_down, was_interrupted
from cxg_widget.datasets.tiledb_access.lookups import load_categories, load_metadata, load_places
from cxg_widget.datasets.tiledb_access.root import Root
from cxg_widget.datasets.tiledb_access.timeouts import unless_refused
from cxg_widget.errors import CxgWidgetError, DamagedStore, DamagedText

Ranges = Sequence[tuple[int, int]]
"""First and last row of each range, ascending."""
_ORDERED, _ANY = tiledb.libtiledb.LayoutType.ROW_MAJOR, tiledb.libtiledb.LayoutType.UNORDERED


def select(array: Any, name: str) -> list[str] | None:
    """Return the `attrs` of a query for one attribute; None if it is the only one, which arrays of 2020 cannot name."""
    return None if array.schema.nattr == 1 else [name]


def values_of(result: Any, dim: str | None = None) -> NDArray[Any]:
    """Return the only attribute in the result of a query, which may also include a dimension."""
    if not isinstance(result, dict):
        return np.asarray(result)
    return np.asarray(next(values for name, values in result.items() if name != dim))


def ranges_of(lines: NDArray[np.int64], largest_gap: int) -> list[slice]:
    """Return ascending lines as ranges of `multi_index`, ends included; a gap above `largest_gap` ends a range."""
    breaks = np.flatnonzero(np.diff(lines) > largest_gap)
    firsts, lasts = lines[np.append(0, breaks + 1)], lines[np.append(breaks, len(lines) - 1)]
    return [slice(*one) for one in zip(firsts.tolist(), lasts.tolist(), strict=True)]


def take(read: Callable[[Ranges], NDArray[Any]], rows: NDArray[np.int64], tile: int) -> NDArray[Any]:
    """Read single rows as ranges; rows at most a tile apart share one, since TileDB reads whole tiles anyway."""
    if not len(rows):
        return read([(0, 0)])[:0]
    if np.all(rows[1:] > rows[:-1]):
        wanted, back = rows, None
    else:
        # TileDB requires ranges in ascending order, without duplicates.
        wanted, back = np.unique(rows, return_inverse=True)
    breaks = np.flatnonzero(np.diff(wanted) > tile) + 1
    firsts = wanted[np.append(0, breaks)]
    lasts = wanted[np.append(breaks, len(wanted)) - 1]
    lengths = lasts - firsts + 1
    skipped = firsts - (np.cumsum(lengths) - lengths)
    of_range = np.searchsorted(firsts, wanted, side="right") - 1
    found = read(list(zip(firsts.tolist(), lasts.tolist(), strict=True)))[wanted - skipped[of_range]]
    return found if back is None else np.asarray(found[back])


Result = TypeVar("Result")
_READS_IN_A_CONTEXT = 250
"""TileDB keeps statistics of each read, about 13 KiB, until the context is freed."""
_INTERRUPTS = 20


class Arrays(Root):
    """The arrays below one root URI.

    Each array is opened once. Several threads may read it at a time, which TileDB allows. Failures are not cached, so
    that the next try may succeed.
    """

    def __init__(self, root: str, uri: str, ctx: tiledb.Ctx) -> None:
        super().__init__(root, uri, ctx)
        self._open: dict[str, Any] = {}
        self._filled: set[str] = set()
        self._with_metadata: set[str] = set()
        self._placed: set[tuple[str, str]] = set()
        self._loading: Counter[int] = Counter()
        self._closed = Event()
        self._n_reads = 0
        self._locks: dict[str, RLock] = {}
        self._lock = Lock()

    def open_ahead(self, paths: Iterable[str], *, metadata_of: Collection[str] = ()) -> None:
        """Open arrays in parallel in remote storage, and load the metadata of some; local arrays open at first use.

        A damaged array raises only when it is used.
        """
        if self.is_remote:
            wanted = list(paths)
            calls = [
                partial(self._opened_with_metadata if path in metadata_of else self._opened, path) for path in wanted
            ]
            for error in self._tried(calls, wanted):
                if isinstance(error, CxgWidgetError) and not isinstance(error, DamagedStore):
                    raise error

    def schema(self, path: str) -> Any:
        """Return the schema of one array, without opening it."""
        found = self._open.get(path)
        return super().schema(path) if found is None else found.schema

    def array(self, path: str, *names: str) -> Any:
        """Return one array, open for reading.

        names : attributes and dimensions to be read; in remote storage, their tile locations are loaded first, which
            TileDB would do while it holds the GIL

        Raises `DamagedStore` if the array cannot be opened, or is dense and empty, since TileDB would return fill
        values; `StorageError` if the storage fails.
        """
        found = self._opened(path)
        if self.is_remote and any((path, name) not in self._placed for name in names):
            self._all([partial(self._place, path, name) for name in names], [path] * len(names))
        if path in self._filled:
            return found
        with self.reading(path):
            empty = not found.schema.sparse and found.nonempty_domain() is None
        if empty:
            raise DamagedStore(f"{self.uri}: {path} holds no data; its files are missing.")
        self._filled.add(path)
        return found

    def n_written(self, path: str) -> int | None:
        """Return the number of rows of a dense 1-D array up to the last one written; None = not known."""
        try:
            with self.reading(path):
                written = self._opened(path).nonempty_domain()
        except DamagedStore:  # a read of the array raises the same error
            return None
        return None if written is None else int(written[0][1]) + 1

    def extent(self, path: str) -> tuple[tuple[Any, Any], ...] | None:
        """Return the first and the last written index along each dimension; None = nothing was written."""
        array = self._opened(path)
        with self.reading(path):
            found: tuple[tuple[Any, Any], ...] | None = array.nonempty_domain()
            return found

    def metadata(self, path: str) -> Mapping[str, Any]:
        """Return the metadata of one array; TileDB reads them at first access."""
        array = self._opened(path)
        if self.is_remote and path not in self._with_metadata:
            self._all([partial(self._opened_with_metadata, path)], [f"the metadata of {path}"])
        with self._lock_of(path), self.reading(f"the metadata of {path}"):
            meta: Mapping[str, Any] = array.meta
            return meta

    def metadata_value(self, path: str, key: str) -> Any:
        """Return one value of an array's metadata, None if the key is missing."""
        meta = self.metadata(path)
        with self._lock_of(path), self.reading(f"the metadata of {path}"):
            return meta[key] if key in meta else None  # noqa: SIM401 - `get` is not lazy in every version of TileDB

    def categories(self, path: str, label: str) -> tuple[NDArray[Any], bool]:
        """Return the values of an enumeration of an array, and whether they are ordered."""
        array = self._opened(path)
        if self.is_remote:
            # Otherwise the bindings would load them one by one while they hold the GIL.
            self._all([partial(self._load_categories, array)], [f"the categories of {path}"])
        with self._lock_of(path), self.reading(f"the categories of {path}"):
            found = array.enum(label)
            return found.values(), bool(found.ordered)

    def column(self, path: str, name: str, rows: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """Read one attribute of a dense 1-D array, in the order of `rows` (None = all)."""
        array = self.array(path, name)
        if rows is not None:
            tile = int(array.schema.domain.dim(0).tile or 1)
            return take(lambda ranges: self._ranges(array, path, name, ranges), rows, tile)
        return self._ranges(array, path, name, [(0, int(array.schema.shape[0]) - 1)])

    def column_block(self, path: str, name: str, start: int, stop: int) -> NDArray[Any]:
        """Read the rows start <= row < stop of one attribute of a dense 1-D array."""
        if start == stop:
            return self.column(path, name, np.zeros(0, dtype=np.int64))
        return self._ranges(self.array(path, name), path, name, [(start, stop - 1)])

    def packed_strings(self, path: str, name: str, block: tuple[int, int] | None = None) -> PackedStrings:
        """Read one attribute of variable-length strings of a dense 1-D array without creating Python strings.

        block : start and stop of the rows start <= row < stop, at least one; None = all rows

        `array[:]` creates n Python strings, which takes five times as long as reading them (1 M cells: 0.4 s).
        """
        array = self.array(path, name)
        start, stop = block or (0, int(array.schema.shape[0]))
        return self._text(array, path, name, [(start, stop - 1)])

    def _ranges(self, array: Any, path: str, name: str, ranges: Ranges) -> NDArray[Any]:
        attr = array.schema.attr(name)
        if attr.isvar and attr.dtype.kind in "OUS" and not attr.isnullable:
            return self._text(array, path, name, ranges).objects()

        def read() -> NDArray[Any]:
            query = array.query(attrs=select(array, name))
            if len(ranges) == 1:
                return values_of(query[ranges[0][0] : ranges[0][1] + 1])
            return values_of(query.multi_index[[slice(*one) for one in ranges]])

        return self.read(array, f"{path} column {name!r}", read)

    def _text(self, array: Any, path: str, name: str, ranges: Ranges) -> PackedStrings:
        """Read text without unpacking by TileDB's bindings, which crash the process if offsets are wrong."""
        found = self.read(array, f"{path} column {name!r}", lambda: read_buffers(array, [name], [ranges])[name])
        starts = found.starts()
        if starts is None:
            raise DamagedText(
                f"{self.uri}: cannot read {path} column {name!r}: the offsets of its strings are damaged."
            )
        n = sum(last - first + 1 for first, last in ranges)
        return PackedStrings(found.data, np.append(starts[:n], starts[-1]))

    def read(self, array: Any, what: str, query: Callable[[], Result]) -> Result:
        """Return the result of a query of an open array.

        A query of remote storage has no time limit, unless the storage keeps answering "slow down": TileDB itself
        retries a hundred times, for 150 s. An abandoned query keeps running in its thread, and its array stays open.

        Raises `DamagedStore` if `what` cannot be read, `StorageError` if the storage fails, or answers "slow down" for
        longer than the time limit for opening an array.
        """
        self._n_reads += 1

        def run() -> Result:
            with self.reading(what):
                found = despite_interrupts(query)
            if array.ctx is not vars(self).get("ctx"):  # `_renew` has replaced the context
                self._statistics.look(array.ctx)
            return found

        if not self.is_remote:
            return run()

        def run_remotely() -> Result:
            with self._asking(array):
                return run()

        seconds = timeout_s(array.ctx)
        try:
            return unless_refused(run_remotely, partial(slow_downs, array.ctx), seconds)
        except TimeoutError as error:
            if type(error) is not TimeoutError:
                raise
            raise slowed_down(self.uri, what, seconds) from None

    def close(self) -> None:
        """Close all arrays, and drop the context, whose threads live as long as anything refers to it.

        An array with a call in progress is closed when the call ends.
        """
        with self._lock:
            # Set before the arrays are closed, so that `_asking` starts no call with a closed array.
            self._closed.set()
            for array in self._open.values():
                if not self._loading[id(array)]:
                    array.close()
            self._open.clear()
            vars(self).pop("ctx", None)

    def _opened(self, path: str) -> Any:
        """Return an open array; a slow opening does not block threads that read other arrays."""
        if self._n_reads >= _READS_IN_A_CONTEXT:
            self._renew()
        found = self._open.get(path)
        if found is None:
            with self._lock_of(path):
                # Check again under the lock: another thread may have opened it meanwhile.
                found = self._open.get(path)
                if found is None:
                    self._check_fragments(path)
                    found = self._all([lambda: tiledb.open(f"{self.root}/{path}", ctx=self.ctx)], [path])[0]
                    self._open[path] = found
        return found

    def _renew(self) -> None:
        """Replace the context; running reads keep the old one alive until they end."""
        with self._lock:
            if self._closed.is_set() or self._n_reads < _READS_IN_A_CONTEXT or self.root.startswith("mem://"):
                return
            self._n_reads = 0
            self._statistics.look(self.ctx)
            self.ctx = tiledb.Ctx(self.ctx.config())
            self._open, self._with_metadata, self._placed = {}, set(), set()

    def _opened_with_metadata(self, path: str) -> Any:
        """Return an open array with its metadata loaded; other threads of this process continue meanwhile."""
        array = self._opened(path)
        with self._lock_of(path), self._asking(array) as is_open:
            if is_open and path not in self._with_metadata:
                load_metadata(array)
                self._with_metadata.add(path)
        return array

    def _load_categories(self, array: Any) -> None:
        with self._asking(array) as is_open:
            if is_open:
                load_categories(array)

    def _place(self, path: str, name: str) -> None:
        """Load the tile locations of an attribute or a dimension; if that fails, the read reports why."""
        array = self._opened(path)
        schema = array.schema
        attr = schema.attr(name) if schema.has_attr(name) else None
        with self._asking(array) as is_open:
            # TileDB has another function for nullable attributes; their read loads the locations by itself.
            if is_open and (path, name) not in self._placed and not (attr is not None and attr.isnullable):
                try:
                    with self.reading(path):
                        load_places(array, name, has_offsets=attr is not None and attr.isvar)
                except DamagedStore:
                    return
            self._placed.add((path, name))

    @contextmanager
    def _asking(self, array: Any) -> Iterator[bool]:
        """Keep an array open during a call that would not notice its closing; yield False if it is already closed."""
        with self._lock:
            is_open = not self._closed.is_set()
            self._loading[id(array)] += 1
        try:
            yield is_open
        finally:
            with self._lock:
                self._loading[id(array)] -= 1
                if self._closed.is_set() and not self._loading[id(array)]:
                    array.close()

    def _lock_of(self, path: str) -> RLock:
        with self._lock:
            return self._locks.setdefault(path, RLock())


def despite_interrupts(query: Callable[[], Result]) -> Result:
    """Return the result of a query, and ask again where TileDB cancelled it for an interrupt of another thread."""
    for _ in range(_INTERRUPTS):
        try:
            return query()
        except tiledb.TileDBError as error:
            if not was_interrupted(error):
                raise
            # TileDB cancels every query that it sees until all of them have ended. The main thread gets its
            # `KeyboardInterrupt` here.
            time.sleep(0.05)
    return query()


@dataclass(frozen=True)
class Buffers:
    """Values of one attribute or dimension.

    data : uint8, the concatenated bytes of all values; for an attribute with an enumeration, its codes
    offsets : uint64 (n,), start of each value; empty for values of fixed length
    valid : uint8 (n,), 0 = null; empty if the attribute is not nullable
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.uint64]
    valid: NDArray[np.uint8]

    @property
    def missing(self) -> NDArray[np.bool_] | None:
        """Mask of the null values; None if there are none."""
        return None if self.valid.all() else self.valid == 0

    def numbers(self, dtype: Any) -> NDArray[Any]:
        """Return values of fixed length as a NumPy dtype."""
        return self.data.view(dtype)

    def starts(self) -> NDArray[np.int64] | None:
        """Return the start of each text and the end of the last one, int64 (n + 1,); None if they are damaged."""
        n = len(self.offsets)
        found = np.empty(n + 1, dtype=np.int64)
        # Damaged offsets of 2**63 and more become negative here.
        found[:n], found[n] = self.offsets.view(np.uint64), self.data.nbytes
        in_order = found[0] >= 0 and not (found[1:] < found[:-1]).any()  # so none points beyond the text
        return found if in_order else None


def read_buffers(
    array: Any,
    names: Sequence[str],
    ranges: Sequence[Sequence[tuple[int, int]]],
    *,
    dims: Sequence[str] = (),
    ordered: bool = True,
) -> dict[str, Buffers]:
    """Read attributes and dimensions of an open array; raises `tiledb.TileDBError` if they cannot be read.

    ranges : for each dimension, first and last index of each range; no ranges = the whole dimension
    ordered : whether to sort cells by the first dimension, then the second; else in the fastest order
    """
    # `PyQuery` is undocumented, and used only here. It returns text as one buffer: 150,000 of 1 M cells become a
    # DataFrame in 0.11 s, not 0.78 s (decision 5). The documented calls crash the process if text offsets are damaged.
    query = PyQuery(array.ctx, array, tuple(names), tuple(dims), _ORDERED if ordered else _ANY, False)
    subarray = tiledb.Subarray(array)
    subarray.add_ranges([list(one) for one in ranges])
    query.set_subarray(subarray)
    query.submit()
    found = query.results()
    return {name: Buffers(*(np.asarray(part) for part in found[name][:3])) for name in (*names, *dims)}
