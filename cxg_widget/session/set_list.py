"""Answers the Sets panel: sets of cells with their counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.compute.bits import count_bits, pack_mask
from cxg_widget.display.by_sets import set_colors
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.named import digest_of
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import describe_failure
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame


class SetList:
    """Answers requests about the sets."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader, self._display = loader, display

    def counts(
        self, settings: Settings, selected: NDArray[np.bool_]
    ) -> Iterator[tuple[int, int, int, int] | CxgWidgetError]:
        """Yield for each set its number of cells, how many pass the filters, are selected, and both.

        If the cells of a set cannot be found, such as rows of another dataset, yields the reason instead.
        """
        passing = self._loader.of(settings).filtered()
        passes, chosen = None if passing is None else pack_mask(passing), pack_mask(selected)
        for one in settings.sets:
            try:
                bits = self._loader.set_bits.of(one["rule"])
            except CxgWidgetError as error:
                yield error
            else:
                both = bits if passes is None else bits & passes
                yield count_bits(bits), count_bits(both), count_bits(bits & chosen), count_bits(both & chosen)

    def combined(self, settings: Settings, chosen: Sequence[str]) -> list[int]:
        """Return the sizes of union, intersection and difference of some sets; [] if unknown."""
        rules = {one["name"]: one["rule"] for one in settings.sets}
        if len(chosen) < 2 or not rules.keys() >= set(chosen):
            return []
        try:
            bits = [self._loader.set_bits.of(rules[name]) for name in chosen]
        except CxgWidgetError:
            return []  # the row of the set gives the reason
        others = np.bitwise_or.reduce(bits[1:])
        return [count_bits(one) for one in (bits[0] | others, np.bitwise_and.reduce(bits), bits[0] & ~others)]

    def frame(self, chosen: Sequence[str] = ()) -> Frame:
        """Return all sets with their counts; a set whose cells cannot be found has a fault and no cells."""
        settings, selected, seqs = self._display.now()
        colors = set_colors(settings.sets)
        listed, counts = [], np.zeros((len(settings.sets), 4), dtype=np.uint32)
        for row, one, found in zip(counts, settings.sets, self.counts(settings, selected), strict=True):
            fault = ""
            if isinstance(found, CxgWidgetError):
                fault = describe_failure(found, self._loader.dataset.uri)
            else:
                row[:] = found
            fields = {"name": one["name"], "within": one.get("within") or "", "fault": fault}
            about = {"is_rule": "rows" not in one["rule"], "of": digest_of(one["rule"]), "color": colors[one["name"]]}
            listed.append({**fields, **about})
        return Frame(p.Sets(seqs.filter, seqs.selection, listed, self.combined(settings, chosen)), {"counts": counts})
