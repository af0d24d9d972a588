"""Colour limits as a widget goes from colouring to colouring: numbers stay with the one that they were set for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from cxg_widget.color.limits import LIMITS, OwnLimits
from cxg_widget.display.settings import Settings
from cxg_widget.display.statistic import is_of_pixels, told
from cxg_widget.display.target import coloring_key
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.session.session import Session


class LimitsByColoring:
    """The limits of the colourings of one widget.

    Attributes
    ----------
    are_held : whether limits that are being set belong to what is being shown, and have been checked
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._own = OwnLimits()
        self.are_held = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """Set limits one after the other that belong to what is being shown, and have been checked."""
        before, self.are_held = self.are_held, True
        try:
            yield
        finally:
            self.are_held = before

    def share(self, settings: Settings, names: Iterable[str] = LIMITS) -> None:
        """Take note of limits that were set."""
        for name in names:
            self._own.share(name, getattr(settings, name))

    def leave(self, settings: Settings) -> None:
        """Take note of the limits of a colouring that is on show no more."""
        self._own.leave(self._key(settings), {name: getattr(settings, name) for name in LIMITS})

    def of_change(self, before: Settings, now: Settings, changed: str) -> dict[str, Any]:
        """Return the limits that come with a change of one setting; those that were set together with it stay."""
        if self.are_held:
            return {}
        if _measured(now) == _measured(before):
            self.share(now, {changed}.intersection(LIMITS))
            return {}
        self.leave(before)
        kept = {name: getattr(now, name) for name in LIMITS if getattr(now, name) != getattr(before, name)}
        return self._uncrossed(now, {**self._own.of(self._key(now)), **kept})

    def _uncrossed(self, now: Settings, limits: dict[str, Any]) -> dict[str, Any]:
        """Leave out percentiles, which were set for other colourings, where they cross a number that is of this one."""
        try:
            self._session.check.limits(replace(now, **limits))
        except InvalidValue:
            return {name: None if isinstance(value, str) else value for name, value in limits.items()}
        return limits

    def _key(self, settings: Settings) -> tuple[Any, ...]:
        color, layer, statistic = _measured(settings)
        try:
            key = coloring_key(self._session.target(settings), layer, self._session.dataset)
        except CxgWidgetError:
            key = str(color), layer
        return *key, statistic


def _measured(settings: Settings) -> tuple[Any, str | None, str]:
    """Return what limits are of: a colouring and, where numbers are of pixels, the statistic."""
    statistic = settings.statistic
    return settings.color, settings.layer, told(statistic) if is_of_pixels(statistic) else ""
