"""The named sets of cells as a session holds them: which cells they have, and how many of them count."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.compute.bits import count_bits, pack_mask
from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.base.values import freeze
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.named import digest_of
from cxg_widget.rules.rule import mask_of
from cxg_widget.session.exchange import told
from cxg_widget.session.on_show import OnShow
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

Bits = NDArray[np.uint8]
_MOST_BYTES = 256 << 20
"""Of sets of cells, whose rules find again what is let go."""


class SetList:
    """Answers what is asked of the sets; keeps one bit a cell of each."""

    def __init__(self, loader: Loader, on_show: OnShow) -> None:
        self._loader, self._on_show = loader, on_show
        self._bits = ByteCache(_MOST_BYTES, attrgetter("nbytes"))

    def bits_of(self, rule: Rule) -> Bits:
        """Return the cells of the rule of a set as packed bits, read-only; raises as `rules.rule.mask_of`."""
        return self._bits.get_or_load(digest_of(rule), lambda: freeze(pack_mask(mask_of(rule, self._loader.dataset))))

    def know(self, rule: Rule, bits: Bits) -> None:
        """Take note of the cells of a rule, which are known already."""
        self._bits.put(digest_of(rule), freeze(bits))

    def forget(self) -> None:
        """Find all cells anew where they are asked for: columns that rules name are others."""
        self._bits.clear()

    def counts(
        self, settings: Settings, selected: NDArray[np.bool_]
    ) -> Iterator[tuple[int, int, int] | CxgWidgetError]:
        """Yield of each set how many cells it has, how many of them pass the filters, how many are selected.

        Of one whose cells cannot be found, as rows of another dataset, why; the others are counted.
        """
        passing = self._loader.of(settings).filtered()
        passes, chosen = None if passing is None else pack_mask(passing), pack_mask(selected)
        for one in settings.sets:
            try:
                bits = self.bits_of(one["rule"])
            except CxgWidgetError as error:
                yield error
            else:
                yield count_bits(bits), count_bits(bits if passes is None else bits & passes), count_bits(bits & chosen)

    def frame(self) -> Frame:
        """Return all sets with their counts; one whose cells cannot be found has a fault and no cells."""
        settings, selected, seqs = self._on_show.now()
        listed, counts = [], np.zeros((len(settings.sets), 3), dtype=np.uint32)
        for row, one, found in zip(counts, settings.sets, self.counts(settings, selected), strict=True):
            fault = ""
            if isinstance(found, CxgWidgetError):
                fault = told(found, self._loader.dataset.uri)
            else:
                row[:] = found
            said = {"name": one["name"], "within": one.get("within") or "", "fault": fault}
            listed.append({**said, "is_rule": "rows" not in one["rule"], "of": digest_of(one["rule"])})
        return Frame(p.Sets(seqs.filter, seqs.selection, listed), {"counts": counts})
