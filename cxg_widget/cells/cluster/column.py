"""The column that the workers hold to colour by: one at a time, read where another is wanted."""

from __future__ import annotations

from dataclasses import dataclass
from threading import RLock
from typing import Any

from cxg_widget.cells.all_cells import Shown
from cxg_widget.cells.cluster import partition as worker
from cxg_widget.cells.cluster import summary as counting
from cxg_widget.cells.cluster.partitions import Partitions
from cxg_widget.cells.cluster.waiting import must_be_anew
from cxg_widget.color.limits import ColorRule
from cxg_widget.datasets import Codes
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.target import Target
from cxg_widget.errors import Overtaken
from cxg_widget.wire.levels import Levels


@dataclass(frozen=True)
class _Column:
    """A column on the workers: one future for each partition.

    Attributes
    ----------
    labels : those of an annotation
    levels : of the codes of numbers; None = these are categories
    """

    key: tuple[Target, str | None]
    futures: list[Any]
    summary: Coloring
    labels: Codes | None = None
    levels: Levels | None = None


class LoadedColumn:
    """Holds one column on the workers of some partitions."""

    def __init__(self, parts: Partitions) -> None:
        self._parts = parts
        self._lock = RLock()
        self._held: _Column | None = None

    def forget(self) -> None:
        """Hold nothing any more."""
        self._held = None

    def hidden_by(self, shown: Shown | None) -> list[Any] | None:
        """Return the column by which some cells are hidden, one future a partition; None where none are."""
        if shown is None or shown.visible is None:
            return None
        return self.futures_of(shown.coloring.target, shown.settings.layer)

    def futures_of(self, target: Target, layer: str | None, levels: Levels | None = None) -> list[Any] | None:
        """Return a column, one future a partition; None for no column."""
        return None if target.source == "none" else self.get(target, layer, levels).futures

    def get(self, target: Target, layer: str | None, codes: ColorRule | Levels | None = None) -> _Column:
        """Return what the workers hold; codes : their levels, or the limits that these are to resolve; None = any."""
        # Held while the column loads, so that a second thread waits for it instead of loading it too.
        with self._lock:
            held = self._held
            labels = self._parts.own().get(as_column(target).name)
            is_other = held is None or held.key != (target, layer) or held.labels is not labels
            if held is not None and held.levels is not None and codes is not None:
                is_other = is_other or held.levels != _levels(held.summary, codes)
            if held is None or is_other or any(map(must_be_anew, held.futures)):
                held = self._held = self._load(target, layer, codes)
            return held

    def _load(self, target: Target, layer: str | None, codes: ColorRule | Levels | None) -> _Column:
        parts, column = self._parts, as_column(target)
        labels = parts.own().get(column.name)
        if target.source == "sets" and labels is None:
            raise Overtaken("the cells are colored by other sets by now.")
        data = parts.map("read", worker.read_column, parts.rows(column.name), target=column, layer=layer)
        if parts.waiting.result(parts.submit("kind", _holds_codes, data[0])):
            summary = counting.of_codes(parts, target, data)
            arranged = parts.map("arrange", worker.arrange_categories, parts.held, data)
            return _Column((target, layer), arranged, summary, labels)
        summary = counting.of_numbers(parts, target, data)
        levels = _levels(summary, codes)
        arranged = parts.map("arrange", worker.arrange_numbers, parts.held, data, levels=levels)
        return _Column((target, layer), arranged, summary, labels, levels)


def _levels(summary: Coloring, codes: ColorRule | Levels | None) -> Levels:
    if isinstance(codes, Levels):
        return codes
    return summary.numbers.levels if codes is None else summary.resolving(codes).numbers.levels


def as_column(target: Target) -> Target:
    """Return what workers read for a colour: sets are a column, by a name that no store has."""
    return Target("obs", f"\0sets:{target.name}") if target.source == "sets" else target


def _holds_codes(data: Any) -> bool:
    return isinstance(data, Codes)
