"""The TileDB arrays of a store: opens them at first use, reads them as NumPy types, and closes them."""

from __future__ import annotations

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
from cxg_widget.datasets.tiledb_access.failures import slowed_down
from cxg_widget.datasets.tiledb_access.lookups import load_categories, load_metadata, load_places
from cxg_widget.datasets.tiledb_access.root import Root
from cxg_widget.datasets.tiledb_access.timeouts import unless_refused
from cxg_widget.errors import CxgWidgetError, DamagedStore, DamagedText

Ranges = Sequence[tuple[int, int]]
"""The first and the last row of each, in order."""
_ORDERED, _ANY = tiledb.libtiledb.LayoutType.ROW_MAJOR, tiledb.libtiledb.LayoutType.UNORDERED


def select(array: Any, name: str) -> list[str] | None:
    """Return the `attrs` of a query for one attribute; arrays of 2020 cannot name their anonymous one."""
    return None if array.schema.nattr == 1 else [name]


def values_of(result: Any, dim: str | None = None) -> NDArray[Any]:
    """Return the one attribute in the result of a query, which may also hold a dimension."""
    if not isinstance(result, dict):
        return np.asarray(result)
    return np.asarray(next(values for name, values in result.items() if name != dim))


def ranges_of(lines: NDArray[np.int64], largest_gap: int) -> list[slice]:
    """Return lines, ascending, as ranges of `multi_index`, ends included; gaps up to `largest_gap` lie within one."""
    breaks = np.flatnonzero(np.diff(lines) > largest_gap)
    firsts, lasts = lines[np.append(0, breaks + 1)], lines[np.append(breaks, len(lines) - 1)]
    return [slice(*one) for one in zip(firsts.tolist(), lasts.tolist(), strict=True)]


def take(read: Callable[[Ranges], NDArray[Any]], rows: NDArray[np.int64], tile: int) -> NDArray[Any]:
    """Read single rows as ranges; rows less than a tile apart share one, since TileDB reads whole tiles anyway."""
    if not len(rows):
        return read([(0, 0)])[:0]
    if np.all(rows[1:] > rows[:-1]):
        wanted, back = rows, None
    else:
        # TileDB takes ranges in ascending order, each once.
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
"""TileDB keeps statistics of each read, some 13 KiB, until the context goes."""


class Arrays(Root):
    """The arrays below one root URI.

    An array is opened once and read by several threads at a time, which TileDB allows. Nothing of a failure is kept, so
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
        """Open arrays side by side where that saves time, and load the metadata of some.

        One that is damaged fails when it is used.
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
        """Return the schema of one array; it is not opened for that."""
        found = self._open.get(path)
        return super().schema(path) if found is None else found.schema

    def array(self, path: str, *names: str) -> Any:
        """Return one array, open for reading.

        names : attributes and dimensions that are going to be read; far away, their places are loaded first, which
            TileDB would do with Python's lock in hand

        Raises `DamagedStore` if it cannot be opened, or is dense and holds nothing at all: TileDB would make values up,
        `StorageError` if the storage fails.
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
        except DamagedStore:  # reading it raises the same
            return None
        return None if written is None else int(written[0][1]) + 1

    def extent(self, path: str) -> tuple[tuple[Any, Any], ...] | None:
        """Return the first and the last index along each dimension where something was written; None = nowhere."""
        array = self._opened(path)
        with self.reading(path):
            found: tuple[tuple[Any, Any], ...] | None = array.nonempty_domain()
            return found

    def metadata(self, path: str) -> Mapping[str, Any]:
        """Return the metadata of one array; TileDB reads them at the first look."""
        array = self._opened(path)
        if self.is_remote and path not in self._with_metadata:
            self._all([partial(self._opened_with_metadata, path)], [f"the metadata of {path}"])
        with self._lock_of(path), self.reading(f"the metadata of {path}"):
            meta: Mapping[str, Any] = array.meta
            return meta

    def metadata_value(self, path: str, key: str) -> Any:
        """Return one value of an array's metadata, None where there is none."""
        meta = self.metadata(path)
        with self._lock_of(path), self.reading(f"the metadata of {path}"):
            return meta[key] if key in meta else None  # noqa: SIM401 - `get` is not lazy in every version of TileDB

    def categories(self, path: str, label: str) -> tuple[NDArray[Any], bool]:
        """Return the values of an enumeration of an array, and whether their order means something."""
        array = self._opened(path)
        if self.is_remote:
            # With the interpreter's lock in hand otherwise, and one after the other.
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
        """Read one attribute of variable-length strings of a dense 1-D array without making objects of it.

        All rows, or those of a block, start <= row < stop and not empty.

        `array[:]` makes n Python strings, which takes five times as long as reading them (1 M cells: 0.4 s).
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
        """Read text without its being unpacked by TileDB's bindings, which end the process where offsets are wrong."""
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

        Far away it may take as long as it likes, but not while the storage only says "slow down": TileDB itself asks
        a hundred times, 150 s. A query that was given up goes on where nobody listens, and the array stays open for it.

        Raises `DamagedStore` if `what` cannot be read, `StorageError` if the storage fails, or says "slow down" for as
        long as opening an array may take.
        """
        self._n_reads += 1

        def run() -> Result:
            with self.reading(what):
                found = query()
            if array.ctx is not vars(self).get("ctx"):  # renewed meanwhile
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
        """Close all arrays, and let go of the context: it has threads of its own, as long as anybody holds it.

        An array whose metadata are still waited for is closed when they have come.
        """
        with self._lock:
            # Before the arrays are closed, so that `_asking` begins nothing with one of them.
            self._closed.set()
            for array in self._open.values():
                if not self._loading[id(array)]:
                    array.close()
            self._open.clear()
            vars(self).pop("ctx", None)

    def _opened(self, path: str) -> Any:
        """Return an open array; one that takes long to open holds up nobody who reads another."""
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
        """Go on in a new context; who reads in the old one holds that until it is done."""
        with self._lock:
            if self._closed.is_set() or self._n_reads < _READS_IN_A_CONTEXT or self.root.startswith("mem://"):
                return
            self._n_reads = 0
            self._statistics.look(self.ctx)
            self.ctx = tiledb.Ctx(self.ctx.config())
            self._open, self._with_metadata, self._placed = {}, set(), set()

    def _opened_with_metadata(self, path: str) -> Any:
        """Return an open array whose metadata have been loaded, meanwhile others of this process go on."""
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
        """Load where the tiles of an attribute or a dimension lie; where that fails, the read will say why."""
        array = self._opened(path)
        schema = array.schema
        attr = schema.attr(name) if schema.has_attr(name) else None
        with self._asking(array) as is_open:
            # TileDB has another function for attributes with nulls; their read asks by itself.
            if is_open and (path, name) not in self._placed and not (attr is not None and attr.isnullable):
                try:
                    with self.reading(path):
                        load_places(array, name, has_offsets=attr is not None and attr.isvar)
                except DamagedStore:
                    return
            self._placed.add((path, name))

    @contextmanager
    def _asking(self, array: Any) -> Iterator[bool]:
        """Keep an array open during a call that would not notice that it is closed; yield False if it is closed."""
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


@dataclass(frozen=True)
class Buffers:
    """Values of one attribute or dimension.

    data : uint8, the bytes of all values behind each other; codes of an attribute with an enumeration
    offsets : uint64 (n,), where each value begins; empty where all are of one length
    valid : uint8 (n,), 0 = null; empty where nothing can be null
    """

    data: NDArray[np.uint8]
    offsets: NDArray[np.uint64]
    valid: NDArray[np.uint8]

    @property
    def missing(self) -> NDArray[np.bool_] | None:
        """Which values are null; None where none is."""
        return None if self.valid.all() else self.valid == 0

    def numbers(self, dtype: Any) -> NDArray[Any]:
        """Return values of one length as a type of NumPy."""
        return self.data.view(dtype)

    def starts(self) -> NDArray[np.int64] | None:
        """Return where each text begins and the last one ends, int64 (n + 1,); None where that is damaged."""
        n = len(self.offsets)
        found = np.empty(n + 1, dtype=np.int64)
        # Damaged offsets of 2**63 and more become negative here.
        found[:n], found[n] = self.offsets.view(np.uint64), self.data.nbytes
        in_order = found[0] >= 0 and not (found[1:] < found[:-1]).any()  # then none leads beyond the text
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

    ranges : for each dimension, first and last index of each range; none = all of it
    ordered : whether cells come by the first dimension, then the second; else in the order that takes least time
    """
    # Undocumented, and used only here. It leaves text in one buffer: 150,000 of 1 M cells become a DataFrame in
    # 0.11 s, not 0.78 (decision 5); and the bindings end the process where offsets of text are damaged.
    query = PyQuery(array.ctx, array, tuple(names), tuple(dims), _ORDERED if ordered else _ANY, False)
    subarray = tiledb.Subarray(array)
    subarray.add_ranges([list(one) for one in ranges])
    query.set_subarray(subarray)
    query.submit()
    found = query.results()
    return {name: Buffers(*(np.asarray(part) for part in found[name][:3])) for name in (*names, *dims)}
