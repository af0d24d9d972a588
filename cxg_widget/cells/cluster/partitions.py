"""Splits the rows of a dataset over Dask workers; submits work to them, waits for it and merges the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from threading import RLock, Thread
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.cluster import partition as worker
from cxg_widget.cells.cluster.partition import Rows
from cxg_widget.cells.cluster.source import Source, leave, unreported_traffic
from cxg_widget.cells.cluster.waiting import Waiting, must_be_anew
from cxg_widget.compute.bits import pack_mask, unpack_mask
from cxg_widget.datasets import Codes
from cxg_widget.datasets.base.column_pairs import EmbeddingName
from cxg_widget.datasets.base.lifetime import Meter, Traffic
from cxg_widget.errors import Overtaken

# Partitions of 32 M rows would answer sooner, for 0.65 GB more a thread at the peak (decision 13).
_LARGEST_PARTITION = 8_000_000
_TILE = 65_536
# Merging all 13 partitions of 100 M cells in one step would gain little (decision 13).
_FAN_IN = 8
_SPREAD = 4
"""Number of arrays, a byte a cell each, that stay on the workers."""
_LEAVE_S = 3.0
"""Longest wait for workers when releasing data; one that hangs gets the message later."""


class Partitions:
    """Ranges of rows; a worker reads each one and keeps it with a `SpatialIndex`.

    Dask recomputes a partition that is lost with its worker; all errors are those of `ClusterCells`.

    Parameters
    ----------
    client : a `distributed.Client`, see `find_client`
    place : embedding and axes, as in `Dataset.embedding`
    own : returns the current columns that are not in the store
    read, rows_per_partition, patience_s : as in `ClusterCells`

    Attributes
    ----------
    blocks : start and stop of the rows of each partition
    held : future of each partition
    waiting : results of the client
    """

    def __init__(
        self,
        client: Any,
        source: Source,
        n_obs: int,
        place: tuple[EmbeddingName | None, tuple[int, int]],
        *,
        own: Callable[[], Mapping[str, Codes]],
        read: Meter,
        rows_per_partition: int | None,
        patience_s: float,
    ) -> None:
        self.waiting = Waiting(client, patience_s)
        self._client = client
        self._source = source
        self._user = uuid4().hex
        self._n_obs = n_obs
        self.own = own
        self._place = place
        self._is_closed = False
        self._mask: NDArray[np.bool_] | None = None
        self._lock = RLock()
        self._spread: list[tuple[NDArray[np.uint8], list[Any]]] = []
        self.held: list[Any] = []
        self.blocks = self.waiting.submitted(lambda: _cut(n_obs, rows_per_partition, client))
        self.waiting.submitted(lambda: listen(client, self._user, read))

    def load(self) -> None:
        """Have all partitions read."""
        self.held = self._load(self.rows())

    def only(self, mask: NDArray[np.bool_]) -> Partitions:
        """Return the same partitions with only the rows of a mask, bool (n_obs,), on the same workers."""
        kept = copy(self)
        kept._lock, kept._mask = RLock(), mask
        kept.held = self.map("keep", worker.keep, self.held, self.packed(mask))
        return kept

    def whole(self, forget: Callable[[], None]) -> list[Any]:
        """Return the partitions; those lost by `client.restart()`, or that failed, are loaded again.

        Only once per request: a partition that kills its workers must not kill all of them.

        forget : called if some are loaded again, since data derived from them are lost too
        """
        with self._lock:
            are_gone = [must_be_anew(part) for part in self.held]
            if any(are_gone):
                forget()
                anew = iter(self._load([rows for rows, gone in zip(self.rows(), are_gone, strict=True) if gone]))
                self.held = [next(anew) if gone else part for part, gone in zip(self.held, are_gone, strict=True)]
            return self.held

    def _load(self, rows: list[Rows]) -> list[Any]:
        embedding, axes = self._place
        loaded = self.map("load", worker.load_partition, rows, embedding=embedding, axes=axes)
        if self._mask is None:
            return loaded
        packed = [pack_mask(self._mask[own.start : own.stop]) for own in rows]
        return self.map("keep", worker.keep, loaded, packed)

    def rows(self, *columns: str) -> list[Rows]:
        """Return the rows of each partition with their own columns; a label takes a byte or two on the wire."""
        own = {name: codes for name, codes in self.own().items() if name in columns}
        return [
            Rows(
                self._source, self._user, start, stop, {name: one.take(slice(start, stop)) for name, one in own.items()}
            )
            for start, stop in self.blocks
        ]

    # Work.

    def map(self, what: str, function: Callable[..., Any], *lists: Sequence[Any] | None, **same: Any) -> list[Any]:
        """Submit one task per partition, or per entry of the lists, with its entries (None: with None)."""

        def submit() -> list[Any]:
            if self._is_closed:
                raise Overtaken("these cells are no longer on show.")
            n_tasks = len(next(one for one in lists if one is not None))
            tasks = zip(*(one if one is not None else [None] * n_tasks for one in lists), strict=True)
            return [self.submit(what, function, *own, **same) for own in tasks]

        futures: list[Any] = self.waiting.submitted(submit)
        return futures

    def submit(self, what: str, function: Callable[..., Any], *args: Any, **same: Any) -> Any:
        """Submit one task; one that takes rows reports its reads."""
        if args and isinstance(args[0], Rows):
            same, function = {**same, "function": function}, report_reads
        # A random key: one made of the arguments would contain a hash of secrets, and take time.
        return self._client.submit(function, *args, **same, key=f"cxg-{what}-{uuid4().hex}", pure=False)

    def reduced(self, futures: list[Any], merge: Callable[..., Any]) -> Any:
        """Merge results on the workers, a few at a time and as soon as they are ready; return the last future."""
        while len(futures) > 1:
            groups = [futures[first : first + _FAN_IN] for first in range(0, len(futures), _FAN_IN)]
            # With priority over new tasks, so that workers release planes before they make more.
            futures = [
                self.submit("merge", merge, *group, priority=1) if len(group) > 1 else group[0] for group in groups
            ]
        return futures[0]

    def gathered(self, futures: Iterable[Any]) -> list[Any]:
        """Wait for results."""
        return [self.waiting.result(future) for future in futures]

    # Masks are sent as one bit per cell.

    def packed(self, mask: NDArray[np.bool_]) -> list[NDArray[np.uint8]]:
        """Split a mask, bool (n_obs,), into packed bits per partition."""
        return [pack_mask(mask[start:stop]) for start, stop in self.blocks]

    def mask_of(self, bits: list[Any]) -> NDArray[np.bool_]:
        """Join the packed bits of the partitions, bool (n_obs,)."""
        mask = np.zeros(self._n_obs, dtype=np.bool_)
        for (start, stop), packed in zip(self.blocks, self.gathered(bits), strict=True):
            mask[start:stop] = unpack_mask(packed, stop - start)
        return mask

    # Bytes of all cells, and rows of some.

    def spread(self, of_cells: NDArray[np.uint8]) -> list[Any]:
        """Return futures of each partition's part of an array of bytes, (n_obs,), which is sent once."""
        with self._lock:
            for known, futures in self._spread:
                if known is of_cells and not any(map(must_be_anew, futures)):
                    return futures
            cut = [of_cells[start:stop] for start, stop in self.blocks]
            # Hashing would read all bytes, and no two arrays are equal.
            sent: list[Any] = self.waiting.submitted(lambda: self._client.scatter(cut, hash=False))
            self._spread = [*self._spread[1 - _SPREAD :], (of_cells, sent)]
            return sent

    def local(self, rows: NDArray[np.integer[Any]]) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """Return rows of the dataset as rows of each partition, and the order that restores their order."""
        order = np.argsort(rows, kind="stable")
        ends = np.searchsorted(rows[order], [stop for _, stop in self.blocks])
        back = np.empty(rows.size, dtype=np.int64)
        back[order] = np.arange(rows.size)
        cut = zip(np.split(order, ends[:-1]), self.blocks, strict=True)
        return [rows[own].astype(np.int64) - start for own, (start, _) in cut], back

    def drop(self) -> None:
        """Refuse further work."""
        self._is_closed = True
        self.held, self._spread = [], []

    def close(self) -> None:
        """Release everything on the workers; closing the client does so too."""
        self.drop()
        self.waiting.is_over = True
        if self._client.status == "running":
            unlisten(self._client, self._user)
            # In a thread, since a worker that hangs would block closing the widget.
            leaving = Thread(target=self._tell_workers, name="cxg-widget-leave", daemon=True)
            leaving.start()
            leaving.join(_LEAVE_S)

    def _tell_workers(self) -> None:
        with suppress(Exception):  # the client may be closed meanwhile
            self._client.run(leave, self._source.token, self._user, on_error="ignore")


def _cut(n_obs: int, rows_per_partition: int | None, client: Any) -> list[tuple[int, int]]:
    """Split the rows into partitions aligned to tiles, if they are large enough."""
    if rows_per_partition is None:
        n_threads = max(1, sum(client.ncores().values()))
        rows_per_partition = min(_LARGEST_PARTITION, -(-n_obs // n_threads))
        if rows_per_partition > _TILE:
            rows_per_partition = -(-rows_per_partition // _TILE) * _TILE
    size = max(1, rows_per_partition)
    return [(start, min(start + size, n_obs)) for start in range(0, max(n_obs, 1), size)]


def listen(client: Any, user: str, meter: Meter) -> None:
    """Have a meter count the reads of workers for a user of a store.

    Events of a worker and ends of its tasks reach a client in order, so reads are counted when their result arrives.
    """
    client.subscribe_topic(_topic(user), lambda event: meter.add(*event[1]))


def unlisten(client: Any, user: str) -> None:
    """Stop counting."""
    client.unsubscribe_topic(_topic(user))


def report_reads(rows: Rows, *args: Any, function: Callable[..., Any], **same: Any) -> Any:
    """Return the result of a function of rows, and report its reads; runs on a worker."""
    try:
        return function(rows, *args, **same)
    # Bytes read before a failure count too.
    finally:
        _tell(rows)


def _tell(rows: Rows) -> None:
    from distributed import get_worker

    read = unreported_traffic(rows.source.token)
    if read != Traffic():
        get_worker().log_event(_topic(rows.user), list(read))


def _topic(user: str) -> str:
    return f"cxg-widget-read-{user}"
