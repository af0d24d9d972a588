"""The current settings, selection, calls and stream numbers of a widget, guarded by one lock."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from operator import itemgetter
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.change.change import Send
from cxg_widget.display.settings import Settings
from cxg_widget.errors import Overtaken
from cxg_widget.rules.combining import NOTHING, combined_rule
from cxg_widget.rules.forms import Rule
from cxg_widget.selection.selection import combine
from cxg_widget.session.analysis.calls import MOST_CALLS, Call
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.protocol import Mode

Slot = Literal["points", "color", "selection", "filter"]


@dataclass(frozen=True)
class Seqs:
    """Numbers of the points, coloring, selection and filters that an answer shows."""

    points: int
    color: int
    selection: int
    filter: int


class DisplayState:
    """Settings, selected cells and the number of each stream; only this class changes them or takes their lock.

    calls : the last `MOST_CALLS` calls that gave results, each with its number
    passing_calls : the newest call of each method that the page made to fill a panel
    call_numbers : numbers of the calls to come
    """

    def __init__(self, settings: Settings, n_obs: int) -> None:
        self._lock = threading.RLock()
        self.settings = settings
        self.mask: NDArray[np.bool_] = np.zeros(n_obs, dtype=np.bool_)
        self.rule: Rule | None = NOTHING
        # One step of CPython changes each of these, so they need no lock.
        self.calls: deque[tuple[int, Call]] = deque(maxlen=MOST_CALLS)
        self.passing_calls: dict[str, tuple[int, Call]] = {}
        self.call_numbers = count()
        self._seqs: Counter[tuple[Slot, Hashable]] = Counter()
        self._n_points = 0
        self._early: dict[Slot, int] = {}
        self._n_replaced = 0
        self._n_views: Counter[int] = Counter()

    def now(self, panel: int = 0) -> tuple[Settings, NDArray[np.bool_], Seqs]:
        """Return a consistent set of settings of a panel, selection and numbers; raises as `Settings.of_panel`."""
        with self._lock:
            settings = self.settings.of_panel(panel)
            color = panel if "color" in self.settings.look(panel) else 0
            points = self.number("points", self._place_of(settings))
            seqs = Seqs(points, self.number("color", color), self.number("selection"), self.number("filter"))
            return settings, self.mask, seqs

    def place(self, panel: int) -> tuple[Settings, Hashable]:
        """Return the settings for the points of a panel, and the key of their number.

        All points of a widget are the same cells in the same order, whatever a panel is colored by.
        """
        with self._lock:
            own = self.settings.of_panel(panel)
            return replace(self.settings, embedding=own.embedding, axes=own.axes), self._place_of(own)

    def _place_of(self, settings: Settings) -> Hashable:
        return 0 if settings.place_key == self.settings.place_key else settings.place_key

    def begin_view(self, panel: int) -> Callable[[], bool]:
        """Register a view request of a panel, and return a function that tells whether a newer one has come."""
        with self._lock:
            self._n_views[panel] += 1
            number = self._n_views[panel]
        return lambda: number != self._n_views[panel]

    def change(self, settings: Settings, sends: Collection[Send]) -> None:
        """Set new settings; streams that are sent again get new numbers, so that older frames are outdated."""
        with self._lock:
            self.settings = settings
            is_all = Send("all") in sends
            if is_all or Send("points") in sends:
                self.next("points")
            for slot, of in [*self._seqs]:
                if slot == "points" and of != 0 and (is_all or of not in settings.places):
                    self.next("points", of)
            for stream, panel in sends:
                self._seqs["color", panel] += stream in ("all", "color", "color and filter")

    def calls_by_number(self) -> dict[int, Call]:
        """Return all calls that are remembered by their numbers, newest last."""
        return dict(sorted([*self.calls, *self.passing_calls.values()], key=itemgetter(0)))

    @property
    def n_calls(self) -> int:
        """Number of all calls so far."""
        return max(self.calls_by_number(), default=-1) + 1

    # Selection.

    def select(self, mask: NDArray[np.bool_], mode: Mode = "replace", rule: Rule | None = None) -> None:
        """Combine a mask, bool (n_obs,), with the selection; `rule` finds the same cells, or is None."""
        with self._lock:
            self._n_replaced += mode == "replace"
            self._combine(mask, mode, rule)

    def _combine(self, mask: NDArray[np.bool_], mode: Mode, rule: Rule | None) -> None:
        self.mask, self.rule = combine(self.mask, mask, mode), combined_rule(self.rule, rule, mode)

    def selected(self) -> tuple[NDArray[np.bool_], Rule | None]:
        """Return the selection and its rule, consistently."""
        with self._lock:
            return self.mask, self.rule

    def drop_selections(self) -> None:
        """Invalidate registered selections that were not made yet."""
        with self._lock:
            self._n_replaced += 1

    def select_later(
        self, mode: Mode, mask_of: Callable[[], tuple[NDArray[np.bool_], Rule | None]],
        meaning: Callable[[Settings], object],
    ) -> Callable[[], None]:  # fmt: skip
        """Register a selection, and return a function that makes it when it is due.

        The function raises `Overtaken` if a newer selection has replaced all before it, or other cells are meant by
        now.
        """
        with self._lock:
            self._n_replaced += mode == "replace"
            requested = self._n_replaced, meaning(self.settings)

        def check() -> None:
            if (self._n_replaced, meaning(self.settings)) != requested:
                raise Overtaken("a newer selection replaced this one, or other cells are shown.")

        def select() -> None:
            check()
            mask, rule = mask_of()
            with self._lock:
                check()
                self._combine(mask, mode, rule)

        return select

    # Streams.

    def number(self, slot: Slot, of: Hashable = 0) -> int:
        """Return the number of the current stream; of : the panel, for points the embedding, 0 = that of the plot."""
        return self._seqs[slot, of]

    def next(self, slot: Slot, of: Hashable = 0) -> int:
        """Start a stream, and return its number; points of two embeddings never share a number."""
        with self._lock:
            self._n_points += slot == "points"
            self._seqs[slot, of] = self._n_points if slot == "points" else self._seqs[slot, of] + 1
            return self._seqs[slot, of]

    def next_filter(self) -> tuple[Settings, int]:
        """Start a stream of filtered cells, and return its settings and its number."""
        with self._lock:
            return self.settings, self.next("filter")

    def next_selection(self) -> tuple[int, NDArray[np.bool_]]:
        """Start a stream of the selection, and return its number and mask."""
        with self._lock:
            return self.next("selection"), self.mask

    def begin_early(self, *, can_take_up: bool) -> dict[Slot, int]:
        """Start the streams of points and colors before a front-end requests them; it takes them over if it can."""
        with self._lock:
            seqs: dict[Slot, int] = {"color": self.next("color"), "points": self.next("points")}
            if can_take_up:
                self._early = dict(seqs)
            return seqs

    @property
    def is_early(self) -> bool:
        """Whether a stream was started early, and no front-end has taken it over."""
        return bool(self._early)

    def take_up(self, slot: Slot) -> int:
        """Return the number of a stream: of the early one if it is still current, or the next."""
        with self._lock:
            early = self._early.pop(slot, None)
            return self.next(slot) if early is None or early != self.number(slot) else early

    def renumber(self, slot: Slot, seq: int) -> int:
        """Return a number for a continuation of a stream under another number, unless it was overtaken."""
        with self._lock:
            return self.next(slot) if self.number(slot) == seq else seq

    def until_newer(
        self, slot: Slot, seq: int, stream: Callable[[int], Iterator[Frame]], of: Hashable = 0
    ) -> Iterator[Frame]:
        """Yield the frames of a stream until a newer one starts."""
        for frame in stream(seq):
            if self.number(slot, of) != seq:
                return
            yield frame
