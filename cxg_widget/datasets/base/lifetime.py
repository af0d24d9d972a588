"""The lifetime of a dataset: concurrent reads, closing, traffic, cache and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from threading import Lock, RLock, local
from typing import Any, NamedTuple, TypeVar

from cxg_widget.compute.cache import ByteCache, Memo
from cxg_widget.datasets.base.values import freeze
from cxg_widget.errors import ClosedDataset
from cxg_widget.text.names import shortened
from cxg_widget.text.redaction import redacted

_Read = TypeVar("_Read")


class Lifetime:
    """Lets several threads read a store, and any of them close it.

    Parameters
    ----------
    uri : of the store, for error messages
    cache_bytes : limit of the cache
    release : closes open files; called once, when no read is running

    Attributes
    ----------
    cache : columns and vars that were read last
    notes : what was skipped, ignored or found damaged so far, a sentence each
    closed : whether `close` was called
    """

    def __init__(self, uri: str, cache_bytes: int, release: Callable[[], None]) -> None:
        self.cache = ByteCache(cache_bytes, attrgetter("nbytes"))
        self.notes: list[str] = []
        self.closed = False
        self._uri, self._release = uri, release
        self._once = Memo()
        self._listeners: list[Callable[[float], None]] = []
        self._lock = RLock()
        self._thread = local()
        self._readers = 0

    def close(self) -> None:
        """Close the store after running reads; a second call does nothing.

        Examples
        --------
        >>> dataset.close()
        >>> dataset.closed
        True
        """
        with self._lock:
            if self.closed:
                return
            self.closed = True
            idle = self._readers == 0
        if idle:
            self._end()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold the store open for one read; a nested read continues even if `close` was called in between."""
        depth = getattr(self._thread, "depth", 0)
        with self._lock:
            # A nested read continues, or reads that started before `close` would fail half way.
            if self.closed and depth == 0:
                raise ClosedDataset(f"{self._uri} was closed; open it again with open_dataset().")
            self._readers += 1
        self._thread.depth = depth + 1
        try:
            yield
        finally:
            self._thread.depth = depth
            with self._lock:
                self._readers -= 1
                last = self.closed and self._readers == 0
            # Not under the lock, since releasing may take long. No new read can start, so only one thread gets here.
            if last:
                self._end()

    def cached(self, key: tuple[Any, ...], load: Callable[[], _Read]) -> _Read:
        """Return the value of `key`, loaded if it is not cached; read-only."""
        with self.reading():
            return self.cache.get_or_load(key, lambda: freeze(load()))

    def once(self, key: str, load: Callable[[], _Read]) -> _Read:
        """Return the result of the first call of `load`, cached until closing; a second thread waits for the first."""
        with self.reading():
            return self._once.keep(key, None, load)

    def note(self, sentence: str) -> None:
        """Add a sentence to the notes, unless it is there."""
        sentence = shortened(redacted(sentence))
        with self._lock:
            if sentence not in self.notes:
                self.notes.append(sentence)

    def tell_progress_to(self, listener: Callable[[float], None]) -> Callable[[], None]:
        """Call `listener` with 0 to 1 during slow one-time work; returns a function that stops it.

        Examples
        --------
        >>> stop = dataset.tell_progress_to(lambda done: print(f"{done:.0%}"))
        >>> stop()
        """
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell_progress(self, done: float) -> None:
        """Report the progress of slow one-time work, 0 to 1."""
        for listener in tuple(self._listeners):
            listener(done)

    def _end(self) -> None:
        self.cache.clear()
        self._once.close()
        self._release()


class Traffic(NamedTuple):
    """Bytes and reads since some moment.

    Attributes
    ----------
    n_bytes : as stored, compressed
    n_reads : reads of a file, or requests to remote storage

    Examples
    --------
    >>> dataset.traffic.n_reads > 0
    True
    """

    n_bytes: int = 0
    n_reads: int = 0

    def since(self, before: Traffic) -> Traffic:
        """Return the traffic since an earlier value, `before`.

        Examples
        --------
        >>> before = dataset.traffic
        >>> codes = dataset.codes("cell_type")
        >>> dataset.traffic.since(before).n_bytes > 0
        True
        """
        return Traffic(max(0, self.n_bytes - before.n_bytes), max(0, self.n_reads - before.n_reads))

    def with_(self, other: Traffic) -> Traffic:
        """Return the sum of both."""
        return Traffic(self.n_bytes + other.n_bytes, self.n_reads + other.n_reads)


class Meter:
    """Counts reads, thread-safe."""

    def __init__(self) -> None:
        self._so_far = Traffic()
        self._lock = Lock()

    def add(self, n_bytes: int, n_reads: int = 1) -> None:
        """Count one or several reads."""
        with self._lock:
            self._so_far = self._so_far.with_(Traffic(n_bytes, n_reads))

    @property
    def so_far(self) -> Traffic:
        """Traffic since this meter was made."""
        # Needs no lock: the tuple is replaced as a whole.
        return self._so_far
