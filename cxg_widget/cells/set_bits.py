"""The cells of sets, one bit a cell; a rule is evaluated again where its bits were evicted."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import pack_mask
from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.base.values import freeze
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.forms.cells import check_rows
from cxg_widget.rules.named import digest_of
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.rules.rule import mask_of

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Bits = NDArray[np.uint8]
_MOST_BYTES = 256 << 20


class SetBits:
    """The cells of sets of one dataset, by the digests of their rules."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._bits = ByteCache(_MOST_BYTES, attrgetter("nbytes"))

    def of(self, rule: Rule) -> Bits:
        """Return the cells of the rule of a set as packed bits, read-only; raises as `rules.rule.mask_of`."""
        if isinstance(rule, PackedRows):
            check_rows(rule, self._dataset)
            return rule.bits
        return self._bits.get_or_load(digest_of(rule), lambda: freeze(pack_mask(mask_of(rule, self._dataset))))

    def know(self, rule: Rule, bits: Bits) -> None:
        """Cache the cells of a rule that are known already; a rule of rows holds its own."""
        if not isinstance(rule, PackedRows):
            self._bits.put(digest_of(rule), freeze(bits))

    def forget(self) -> None:
        """Forget all cells, since columns that rules name have changed."""
        self._bits.clear()
