"""A root URI for TileDB: listing, time-outs, traffic, and errors in one sentence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from os import SEEK_END
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import tiledb

from cxg_widget.compute.parallel import run_parallel
from cxg_widget.datasets.base.lifetime import Meter, Traffic
from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.tiledb_access.contexts import timeout_s
from cxg_widget.datasets.tiledb_access.failures import failure, too_late
from cxg_widget.datasets.tiledb_access.listing import child_names, list_children
from cxg_widget.datasets.tiledb_access.lookups import (
    Fragment,
    StoredGroup,
    kind_at,
    load_schema,
    read_fragments,
    read_stored_group,
)
from cxg_widget.errors import CxgWidgetError, DamagedStore

Result = TypeVar("Result")
_FOOTER_BYTES = 8
"""Bytes at the end of a fragment's metadata file, with the length of the footer before them."""
_FOOTED = 10
"""First format version, at the end of a fragment's name, whose metadata files always have these bytes."""


class Statistics:
    """Traffic of one store, summed over successive contexts.

    ctx : the first context; its earlier reads do not count
    """

    def __init__(self, ctx: tiledb.Ctx) -> None:
        self._seen: WeakKeyDictionary[tiledb.Ctx, Traffic] = WeakKeyDictionary({ctx: read_so_far(ctx)})
        self._total = Traffic()
        self._lock = Lock()

    def look(self, ctx: tiledb.Ctx) -> Traffic:
        """Add the reads of a context since the last call, and return the total."""
        with self._lock:
            # Under the lock, since otherwise two threads could add the same reads.
            now = read_so_far(ctx)
            self._total = self._total.with_(now.since(self._seen.get(ctx, Traffic())))
            self._seen[ctx] = now
            return self._total


def read_so_far(ctx: tiledb.Ctx) -> Traffic:
    """Return the traffic of a context; after hundreds of reads this takes milliseconds.

    TileDB reads ahead in remote storage: several small reads may be one request, but each is counted.
    """
    found = dict(re.findall(r'"Context\.VFS\.(read_byte_num|read_ops_num)": (\d+)', ctx.get_stats(print_out=False)))
    return Traffic(int(found.get("read_byte_num", 0)), int(found.get("read_ops_num", 0)))


class Root:
    """The objects below one root URI; none is cached or stays open.

    Every failure of TileDB becomes an exception that names what was read: `DamagedStore`, or a `StorageError` if the
    storage or the connection failed.

    is_remote : whether responses take a while, so that requests run in parallel
    reads_ahead : whether one request may also fetch the data of later reads
    """

    def __init__(self, root: str, uri: str, ctx: tiledb.Ctx) -> None:
        self.root = root
        self.uri = uri
        self.ctx = ctx
        self.is_remote = is_remote(root)
        self.reads_ahead = self.is_remote and int(ctx.config()["vfs.read_ahead_size"]) > 0
        self._calls = count()
        self._n_calls = self._looked_at = 0
        self._statistics = Statistics(ctx)
        self._read_by_tiledb = Traffic()
        self._other_reads = Meter()

    def traffic(self) -> Traffic:
        """Return the traffic so far; statistics are read again only after a call of TileDB."""
        n_calls = self._n_calls
        if self._looked_at != n_calls:
            self._read_by_tiledb, self._looked_at = self._statistics.look(self.ctx), n_calls
        return self._read_by_tiledb.with_(self._other_reads.so_far)

    def children(self, *paths: str, kind_of: Callable[[str], str] = lambda _: "unknown") -> list[dict[str, str]]:
        """Return {name: type} below each group, "" = the root, in TileDB's order; a type is "array", "group" or other.

        kind_of : returns the expected type at a path, for storage where requesting each type takes too long
        """
        return self._all([self._lister(path, kind_of) for path in paths], [path or "the store" for path in paths])

    def names(self, paths: Sequence[str]) -> list[list[str]]:
        """Return all names below each path, including TileDB's own files."""
        return self._all([partial(child_names, f"{self.root}/{path}", self.ctx) for path in paths], paths)

    def kind(self, path: str = "") -> str | None:
        """Return the kind of object at a path, "" = the root: "group" or "array"; None = no TileDB object."""
        return self._all([partial(kind_at, self._uri_of(path), self.ctx)], [path or "the store"])[0]

    def groups(self, *paths: str) -> list[StoredGroup]:
        """Return the metadata and the registered members of the group at each path, "" = the root."""
        calls = [partial(read_stored_group, self._uri_of(path), self.ctx) for path in paths]
        return self._all(calls, [path or "the group" for path in paths])

    def groups_ahead(self, *paths: str) -> dict[str, StoredGroup]:
        """Return the groups at some paths, without missing and unreadable ones; in remote storage in parallel."""
        calls = [partial(read_stored_group, self._uri_of(path), self.ctx) for path in paths]
        found = zip(paths, self._tried(calls, paths), strict=True)
        return {path: one for path, one in found if isinstance(one, StoredGroup)}

    def path_of(self, uri: str) -> str | None:
        """Return the path of a member's URI relative to the root; None if it is not below the root."""
        above, below = self.root.removeprefix("file://"), uri.removeprefix("file://").rstrip("/")
        if "://" not in above:
            above, below = str(Path(above).resolve()), str(Path(below).resolve())
        return below.removeprefix(f"{above}/") if below.startswith(f"{above}/") else None

    def sizes(self, paths: Sequence[str]) -> list[int]:
        """Return the bytes stored below each path."""
        vfs = tiledb.VFS(ctx=self.ctx)
        found = self._all([partial(vfs.dir_size, self._uri_of(path)) for path in paths], paths)
        return [int(size) for size in found]

    def state(self, paths: Iterable[str]) -> str:
        """Return a string that changes with any write to the values of these arrays.

        Each write adds a file to `__commits`, with times and a random number in its name. Arrays from before 2022 have,
        instead, a folder next to their schema for each write. One request per array, two for old ones.
        """
        wanted = sorted(paths)
        commits = self.names([f"{path}/__commits" for path in wanted])
        without = [path for path, names in zip(wanted, commits, strict=True) if not names]
        listed = zip([*wanted, *without], [*commits, *self.names(without)], strict=True)
        text = "\n".join(f"{path}\t{name}" for path, names in listed for name in sorted(names))
        return f"{self.root}#{hashlib.sha256(text.encode()).hexdigest()[:32]}"

    def schema(self, path: str) -> Any:
        """Read the schema of one array, and nothing else."""
        return self._all([partial(load_schema, self._uri_of(path), self.ctx)], [path])[0]

    def fragments(self, path: str, *, with_tiles: bool = False) -> list[Fragment]:
        """Return the fragments of an array, one for each write; see `read_fragments`."""
        self._check_fragments(path)
        schema = self.schema(path)
        what = f"the fragments of {path}"
        read = partial(read_fragments, self._uri_of(path), schema, self.ctx, with_tiles=with_tiles)
        return self._all([read], [what])[0]

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Turn failures of TileDB into exceptions that say why `what` cannot be read."""
        self._n_calls = next(self._calls)
        try:
            yield
        except (tiledb.TileDBError, UnicodeDecodeError) as error:
            raise failure(error, self.uri, what) from error
        finally:
            self._n_calls = next(self._calls)

    def _lister(self, path: str, kind_of: Callable[[str], str]) -> Callable[[], dict[str, str]]:
        below = f"{path}/" if path else ""
        return lambda: list_children(self._uri_of(path), self.ctx, lambda name: kind_of(f"{below}{name}"))

    def _check_fragments(self, path: str) -> None:
        """Raise if a fragment of a local array has damaged metadata; TileDB would leave its file open forever."""
        if self.is_remote:
            return
        folder = Path(self._uri_of(path).removeprefix("file://"))
        for pattern in ("__fragments/*/", "*/"):  # before 2022 fragments were next to the schema
            for file in folder.glob(f"{pattern}__fragment_metadata.tdb"):
                wrong = _wrong_end(file)
                self._other_reads.add(_FOOTER_BYTES)
                if wrong:
                    what = f"the file of metadata of fragment {file.parent.name} {wrong}"
                    raise DamagedStore(f"{self.uri}: cannot read {path}: data files are damaged ({what}).")

    def _uri_of(self, path: str) -> str:
        return f"{self.root}/{path}" if path else self.root

    def _all(self, calls: Sequence[Callable[[], Result]], what: Sequence[str]) -> list[Result]:
        """Return the results of calls, or raise the first failure among them."""
        found: list[Result] = []
        for one in self._tried(calls, what):
            if isinstance(one, Exception):
                raise one
            found.append(one)
        return found

    def _tried(self, calls: Sequence[Callable[[], Result]], what: Sequence[str]) -> list[Result | Exception]:
        tries = [partial(self._try, call, name) for call, name in zip(calls, what, strict=True)]
        if not self.is_remote:
            return [one() for one in tries]
        # TileDB itself retries a hundred times on "slow down": 150 s for a listing, 300 s for an array
        # (decision 12).
        seconds = timeout_s(self.ctx)
        outcomes = run_parallel(tries, seconds)
        return [
            too_late(self.uri, name, seconds) if type(one) is TimeoutError else one
            for name, one in zip(what, outcomes, strict=True)
        ]

    def _try(self, call: Callable[[], Result], what: str) -> Result | Exception:
        try:
            with self.reading(what):
                return call()
        except CxgWidgetError as error:
            return error


def _wrong_end(file: Path) -> str:
    """Describe the damage at the end of a metadata file; "" if there is none, or TileDB will report it."""
    try:
        with file.open("rb") as opened:
            size = opened.seek(0, SEEK_END)
            if size < _FOOTER_BYTES:
                return "is empty"
            opened.seek(size - _FOOTER_BYTES)
            n_footer = int.from_bytes(opened.read(), "little")
    except OSError:
        return ""
    version = file.parent.name.rpartition("_")[2]
    is_footed = len(version) < 5 and version.isdecimal() and int(version) >= _FOOTED
    return "is cut" if is_footed and n_footer > size - _FOOTER_BYTES else ""
