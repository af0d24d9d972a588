"""Undo and redo: what a widget was at each step."""
# Changes with cxg_widget/widget/changing.py: how many steps are kept.

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import pack_mask
from cxg_widget.display.settings import BY_NAME, SETTINGS
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.packed_rows import PackedRows

MOST_STEPS = 100
MOST_BYTES = 64 << 20
UNDONE = tuple(one.name for one in SETTINGS if one.step is not None)
"""Settings whose change is a step; views and the frame of the plot are not."""
Now = tuple[Mapping[str, Any], NDArray[np.bool_], Rule | None]


@dataclass(frozen=True, eq=False)
class Moment:
    """State of a widget at one time.

    Attributes
    ----------
    values : of the settings `UNDONE`
    mask : array of the selection, kept for identity checks only; None in older moments
    bits : the selection as packed bits, uint8 (ceil(n_obs / 8),)
    rule : rule of the selection, None if it has none
    n_bytes : bytes that it holds and the moment before does not
    calls : numbers of the calls that were made in it
    """

    values: Mapping[str, Any]
    mask: NDArray[np.bool_] | None
    bits: NDArray[np.uint8]
    rule: Rule | None
    n_bytes: int
    calls: tuple[int, ...] = ()

    def differs(self, other: Moment) -> str:
        """Return one word for what differs; "" = nothing."""
        words = [
            BY_NAME[name].step or name.replace("_", " ") for name in UNDONE if self.values[name] != other.values[name]
        ]
        if self.bits is not other.bits and not np.array_equal(self.bits, other.bits):
            words.append("selection")
        return next(iter(words), "")


class History:
    """Steps of one widget. Each outermost change is a step, unless nothing changed.

    Parameters
    ----------
    now : returns the values of the settings `UNDONE`, the mask and its rule
    tell : called with the words of the next undo and redo, "" = none, whenever they change
    n_calls : returns the number of calls with results so far

    Attributes
    ----------
    n_turns : number of outermost changes begun plus ended; odd while one is in progress
    """

    def __init__(
        self, now: Callable[[], Now], tell: Callable[[str, str], object], n_calls: Callable[[], int]
    ) -> None:  # fmt: skip
        self._read, self._tell, self._count_calls = now, tell, n_calls
        self._lock = threading.RLock()
        self._depth = self.n_turns = self._n_calls = 0
        self._past: list[Moment] = []
        self._future: list[Moment] = []
        self._now = self._take(None)

    @contextmanager
    def step(self) -> Iterator[None]:
        """Make all changes within the block one step."""
        with self._lock:
            with self._within():
                yield
            self._note()

    @property
    def is_outermost(self) -> bool:
        """Whether the current step is not nested in another."""
        return self._depth == 1

    def moments(self) -> list[Moment]:
        """Return the states of all steps that can be undone, oldest first, and the present one."""
        with self._lock:
            self._note()
            return [*self._past, self._now]

    def wait(self) -> None:
        """Wait until no other thread is in a step."""
        with self._lock:
            pass

    @contextmanager
    def mended(self, values: Mapping[str, Any]) -> Iterator[None]:
        """Set back settings that could not be shown, without a step of their own."""
        with self._lock:
            failed = self._read()[0]
            with self._within():
                yield
            for name, value in values.items():
                if name in UNDONE:
                    past = self._past
                    self._past = [_with(one, name, value) if one.values[name] == failed[name] else one for one in past]
            before = self._with_calls()
            self._now = replace(self._take(before), calls=before.calls)
            while self._past and not self._past[-1].differs(self._now):
                self._now = replace(self._now, calls=self._past.pop().calls + self._now.calls)
            self._tell_steps()

    def back(self, restore: Callable[[Moment], object]) -> bool:
        """Undo a step by a function that restores a moment; False if there is none, or one is in progress."""
        return self._go(self._past, self._future, restore)

    def forth(self, restore: Callable[[Moment], object]) -> bool:
        """Redo an undone step; False if there is none."""
        return self._go(self._future, self._past, restore)

    def _go(self, taken: list[Moment], left: list[Moment], restore: Callable[[Moment], object]) -> bool:
        with self._lock:
            self._note()
            if not taken or self._depth:
                return False
            before = self._now
            with self._within():
                restore(taken[-1])
            left.append(replace(before, mask=None))
            self._now = replace(self._take(self._now), calls=taken.pop().calls)
            self._tell_steps()
            return True

    @contextmanager
    def _within(self) -> Iterator[None]:
        self.n_turns += self._depth == 0
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            self.n_turns += self._depth == 0

    def _note(self) -> None:
        """Record the changes since the last step as a new one."""
        if self._depth:
            return
        before, self._now = self._with_calls(), self._take(self._now)
        if before.differs(self._now):
            self._past.append(replace(before, mask=None))
            self._future.clear()
            self._forget()
            self._tell_steps()
        else:
            self._now = replace(self._now, calls=before.calls)

    def _with_calls(self) -> Moment:
        """Return the present moment with the calls that were made since the last look."""
        n, self._n_calls = self._n_calls, self._count_calls()
        return replace(self._now, calls=(*self._now.calls, *range(n, self._n_calls)))

    def _take(self, before: Moment | None) -> Moment:
        values, mask, rule = self._read()
        now = dict(values)
        if before is None:
            return Moment(now, mask, pack_mask(mask), rule, 0)
        held = {name: before.values[name] if before.values[name] == one else one for name, one in now.items()}
        rule = before.rule if before.rule == rule else rule
        bits = before.bits if before.mask is mask else pack_mask(mask)
        bits = before.bits if np.array_equal(before.bits, bits) else bits
        new: list[Any] = [
            _new(one, before.values[name]) for name, one in held.items() if one is not before.values[name]
        ]
        new += [rule] if rule is not before.rule else []
        packed = sum(one.nbytes for one in new if isinstance(one, PackedRows))
        n_bytes = len(json.dumps(new, default=repr)) + packed + (bits.nbytes if bits is not before.bits else 0)
        return Moment(held, mask, bits, rule, n_bytes)

    def _forget(self) -> None:
        """Drop the oldest steps beyond the limits."""
        del self._past[:-MOST_STEPS]
        while self._past and sum(one.n_bytes for one in (*self._past, self._now)) > MOST_BYTES:
            del self._past[0]

    def _tell_steps(self) -> None:
        undo = self._past[-1].differs(self._now) if self._past else ""
        redo = self._future[-1].differs(self._now) if self._future else ""
        self._tell(undo, redo)


def _new(value: Any, before: Any) -> list[Any]:
    """Return the parts of a value that the one before lacks; annotations share steps, sets share rules."""
    known = {id(part) for part in _parts(before)}
    return [part for part in _parts(value) if id(part) not in known]


def _parts(value: Any) -> Iterator[Any]:
    """Yield the rules of sets, the steps of annotations, or a value itself."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _parts(one)
    elif isinstance(value, Mapping) and "name" in value:
        yield from _parts(list(value.values()))
    else:
        yield value


def _with(one: Moment, name: str, value: Any) -> Moment:
    return replace(one, values={**one.values, name: value})
