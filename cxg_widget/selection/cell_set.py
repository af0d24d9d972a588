"""`CellSet`: an immutable set of cells with a rule and set algebra."""
# Changes with cxg_widget/widget/sets.py: operations on sets.

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import count_bits, pack_mask, unpack_mask
from cxg_widget.datasets.base.values import freeze
from cxg_widget.display.color_target import NO_SETS, OwnSets
from cxg_widget.errors import SelectionError
from cxg_widget.rules.combining import combined_rule, complement_of
from cxg_widget.rules.forms import Rule
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.wire.protocol import Mode

Bits = NDArray[np.uint8]


class CellSet(SelectedCells):
    """An immutable set of cells of a dataset; `|`, `&`, `-` and `~` make new ones.

    Parameters
    ----------
    bits : mask packed by `pack_mask`, uint8 (ceil(n_obs / 8),)
    rule : rule that finds the cells again, here or in other data; None = only the rows are known

    Examples
    --------
    >>> w.sets["NK"] = {"cell_type": "NK cell"}
    >>> w.sets["female"] = {"sex": "female"}
    >>> both = w.sets["NK"] & w.sets["female"]
    >>> len(both) + len(w.sets["NK"] - both) == len(w.sets["NK"])
    True
    """

    def __init__(
        self, dataset: Dataset, bits: Bits, rule: Rule | None = None, layer: str | None = None,
        gene_sets: OwnSets = NO_SETS,
    ) -> None:  # fmt: skip
        self._dataset, self._layer, self._rule, self._gene_sets = dataset, layer, rule, gene_sets
        self.bits = freeze(bits)

    @classmethod
    def of(cls, cells: SelectedCells) -> CellSet:
        """Return some cells as a set."""
        if isinstance(cells, cls):
            return cells
        return cls(cells._dataset, pack_mask(cells.mask), cells._rule, cells._layer, cells._gene_sets)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Mask of the set, bool (n_obs,), read-only.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> int(w.sets["NK"].mask.sum())
        80
        """
        return freeze(unpack_mask(self.bits, self._dataset.n_obs))

    def __len__(self) -> int:
        """Return the number of cells."""
        return count_bits(self.bits)

    def __or__(self, other: Any) -> CellSet:
        """Return the union."""
        return self._with(other, np.bitwise_or, "add")

    def __and__(self, other: Any) -> CellSet:
        """Return the intersection."""
        return self._with(other, np.bitwise_and, "intersect")

    def __sub__(self, other: Any) -> CellSet:
        """Return the cells that are not in the other set."""
        return self._with(other, lambda mine, theirs: mine & ~theirs, "subtract")

    def __invert__(self) -> CellSet:
        """Return all other cells of the dataset."""
        bits = ~self.bits
        if self._dataset.n_obs % 8:
            bits[-1] &= (1 << self._dataset.n_obs % 8) - 1
        return self._like(bits, complement_of(self._rule))

    def __ror__(self, other: Any) -> CellSet:
        """Return the union."""
        return self._set_of(other) | self

    def __rand__(self, other: Any) -> CellSet:
        """Return the intersection."""
        return self._set_of(other) & self

    def __rsub__(self, other: Any) -> CellSet:
        """Return the cells of another set or selection that are not in this one."""
        return self._set_of(other) - self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CellSet) and np.array_equal(self.bits, other.bits) and self._has_obs_of(other)

    __hash__ = None  # type: ignore[assignment]

    def _with(self, other: Any, merge: Callable[[Bits, Bits], Bits], mode: Mode) -> CellSet:
        theirs = self._set_of(other)
        if not self._has_obs_of(theirs):
            many = self._dataset.obs_noun.many
            raise SelectionError(
                f"these {many} belong to two datasets; `w.sets.apply(other.rule)` finds them in this one."
            )
        theirs = CellSet.of(theirs.found_in(self._dataset))
        rule = combined_rule(self._rule, theirs._rule, mode)
        return self._like(merge(self.bits, theirs.bits), rule)

    def _has_obs_of(self, other: CellSet) -> bool:
        """Return whether another set has the same cells, although its dataset may have been opened separately."""
        theirs = other._dataset
        return other.is_of(self._dataset) or self._dataset.has_rows_of(theirs.n_obs, theirs.obs_identity)

    @staticmethod
    def _set_of(other: Any) -> CellSet:
        if not isinstance(other, SelectedCells):
            raise SelectionError(f"a set combines with another set or a selection; found {shown(other)}")
        return CellSet.of(other)

    def _like(self, bits: Bits, rule: Rule | None) -> CellSet:
        return CellSet(self._dataset, bits, rule, self._layer, self._gene_sets)

    def __repr__(self) -> str:
        return f"<set of {len(self):,} of {self._dataset.obs_noun.counted(self._dataset.n_obs)}>"
