"""Costs of actions: bytes and requests read from the store, or whether all was in memory."""
# Changes with js/src/page/parts/status.js: what an action cost.

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from cxg_widget.compute.memory import FEWER, shortage_in_words
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.lifetime import Meter, Traffic
from cxg_widget.errors import ClosedDataset
from cxg_widget.text.numbers import byte_size
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame


@dataclass(frozen=True)
class Cost:
    """What one action read from the store.

    Attributes
    ----------
    of : the action: "ready" for the first picture, "color", "points", "filter", "lasso", "columns", "aggregate", ...
    n_bytes : bytes read, as stored (compressed)
    n_reads : reads of a file, or requests to remote storage
    is_ahead : whether storage was prefetched; `n_reads` is then an upper limit

    Examples
    --------
    >>> w.color = "NKG7"
    >>> w.counts("donor")["all"].sum().item()
    1000
    >>> w.cost.of
    'counts'
    """

    of: str
    n_bytes: int
    n_reads: int
    is_ahead: bool = False

    @property
    def from_memory(self) -> bool:
        """Whether nothing was read from the store.

        Examples
        --------
        >>> w.color = "NKG7"
        >>> cost = w.cost
        >>> cost.from_memory == (cost.n_reads == 0)
        True
        """
        return self.n_reads == 0

    def __str__(self) -> str:
        if self.from_memory:
            return "from memory"
        noun = "request" if self.is_ahead else "read"
        reads = f"{'up to ' if self.is_ahead else ''}{self.n_reads:,} {noun}{'' if self.n_reads == 1 else 's'}"
        return f"{byte_size(self.n_bytes)} in {reads}"


Since = Traffic | None
"""Traffic at the start of an action; None if it is not counted. Callers only pass it on."""


class Costs:
    """Counts reads while actions run.

    Parameters
    ----------
    elsewhere : counts reads of the same store by others, such as the workers of a cluster
    announce : called with each cost that differs from the one before

    Attributes
    ----------
    last : cost of the last finished action; None before the first, and if reads are not counted
    """

    def __init__(self, dataset: Dataset, elsewhere: Meter, announce: Callable[[Frame], object]) -> None:
        self._dataset, self._elsewhere, self._announce = dataset, elsewhere, announce
        self._reported: Traffic | None = None
        self._began = self.now()
        self.last: Cost | None = None

    def now(self) -> Since:
        """Return the traffic so far; None if it is not counted."""
        try:
            here = self._dataset.traffic
        except ClosedDataset:
            return None
        return None if here is None else here.with_(self._elsewhere.so_far)

    def counted(
        self, of: str, frames: Iterable[Frame], since: Since = None, *, is_action: bool = True
    ) -> Iterator[Frame]:
        """Yield frames, and announce what was read for them at the end.

        since : traffic at the start, if reading began before
        is_action : False = not an action of a user, so nothing is announced
        """
        # Do not count if nothing is announced: TileDB's statistics take as long as a hover.
        if is_action and since is None:
            since = self._began if of == p.Ready.kind and self.last is None else self.now()
        with shortage_in_words(of, self._dataset.obs_noun, self._dataset.n_obs):
            yield from frames
        if is_action:
            self._tell(of, since, self.now())

    def from_memory(self, of: str, frames: Iterable[Frame]) -> Iterator[Frame]:
        """Yield frames that need no reads; announce that, whatever is read for others meanwhile."""
        yield from frames
        if self._began is not None:
            self._say(of, Traffic())

    @contextmanager
    def action(self, of: str, *, requested: str = "", less: str = FEWER) -> Iterator[None]:
        """Count reads within the block; turn `MemoryError` into `OutOfMemory` with the name of the action."""
        since = self.now()
        with shortage_in_words(requested or of, self._dataset.obs_noun, self._dataset.n_obs, less):
            yield
        self._tell(of, since, self.now())

    def _tell(self, of: str, since: Since, now: Since) -> None:
        if now is not None and since is not None:
            self._say(of, now.since(since))

    def _say(self, of: str, cost: Traffic) -> None:
        is_ahead = cost.n_reads > 0 and self._dataset.reads_ahead
        self.last = Cost(of, *cost, is_ahead)
        if cost != self._reported:
            self._reported = cost
            self._announce(Frame(p.CostOf(of, *cost, is_ahead)))


def progress_to(announce: Callable[[Frame], object], of: Literal["index", "reading"]) -> Callable[[float], None]:
    """Return a callback that announces the progress of building an index or of a read, 0 to 1."""
    is_index = of == "index"

    def tell(done: float) -> None:
        announce(Frame(p.Progress(of, done, "aggregate" if is_index else "", "" if is_index else "Reading")))

    return tell
