"""How long a dataset lives: reads in several threads, closing meanwhile, what is kept in memory, and notes."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from threading import RLock, local
from types import TracebackType
from typing import Any, Self

from cxg_widget.compute.cache import ByteCache
from cxg_widget.compute.memo import Memo
from cxg_widget.datasets.base.values import freeze
from cxg_widget.errors import ClosedDataset
from cxg_widget.text.names import shortened


class Lifetime(ABC):
    """Something that several threads read and any of them may close.

    `close` never waits: it lets reads under way end normally, the last of them releases the store, and every read
    that begins later raises `ClosedDataset`.
    """

    uri: str

    def __init__(self, cache_bytes: int) -> None:
        self._cache = ByteCache(cache_bytes, attrgetter("nbytes"))
        self._once = Memo()
        self._notes: list[str] = []
        self._listeners: list[Callable[[float], None]] = []
        self._lock = RLock()
        self._thread = local()
        self._readers = 0
        self._closed = False

    def _release(self) -> None:  # noqa: B027 - a store that holds nothing open has nothing to do
        """Close what is open; called once, when nobody reads any more."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped, ignored or found damaged so far, a sentence each."""
        return tuple(self._notes)

    def tell_progress_to(self, listener: Callable[[float], None]) -> Callable[[], None]:
        """Call `listener` with 0 to 1 while something is made that is made once and lasts; returns what ends that."""
        with self._lock:
            self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def close(self) -> None:
        """Release the store, after the reads under way; a second call does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle = self._readers == 0
        if idle:
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Hold the store open for one read; a read inside of another goes on even when `close` came in between."""
        depth = getattr(self._thread, "depth", 0)
        with self._lock:
            if self._closed and depth == 0:
                raise ClosedDataset(f"{self.uri} was closed; open it again with open_dataset().")
            self._readers += 1
        self._thread.depth = depth + 1
        try:
            yield
        finally:
            self._thread.depth = depth
            with self._lock:
                self._readers -= 1
                last = self._closed and self._readers == 0
            if last:
                self._end()

    def _end(self) -> None:
        self._cache.clear()
        self._once.close()
        self._release()

    def _cached(self, key: tuple[Any, ...], load: Callable[[], Any]) -> Any:
        """Return the value under `key`, loaded where the cache has let go of it; read-only."""
        with self._reading():
            return self._cache.get_or_load(key, lambda: freeze(load()))

    def _read_once(self, key: str, load: Callable[[], Any]) -> Any:
        """Return what `load` returned the first time, kept until the end; a second thread waits for the first."""
        with self._reading():
            return self._once.keep(key, None, load)

    def _tell_progress(self, done: float) -> None:
        for listener in tuple(self._listeners):
            listener(done)

    def _note(self, sentence: str) -> None:
        sentence = shortened(sentence)
        with self._lock:
            if sentence not in self._notes:
                self._notes.append(sentence)
