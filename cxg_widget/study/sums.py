"""Sums of values by sample, type and gene: made in one pass, and adapted to other cells by reading few of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.donors.sums import sums_of_values
from cxg_widget.compare.moments import Floats
from cxg_widget.errors import InvalidValue

if TYPE_CHECKING:
    from cxg_widget.compare.matrix_statistics import MatrixStats
    from cxg_widget.compare.question import Question

Mask = NDArray[np.bool_]
Positions = NDArray[np.int64]
_MOST_UNSIGNED = 2**32
_ROUNDING = 1e-12
"""Largest error of a sum of a million float32, relative to it."""
_MOST_SUMS = 2**30
"""Maximum number of sums of a pass, 8 bytes each; usually a third of them are not 0."""


@dataclass(frozen=True)
class Groups:
    """Cells by sample and type.

    codes : int32 (n_obs,), the group of each cell, -1 = none: sample * n_types + type
    n_samples, n_types : numbers of both
    """

    codes: NDArray[np.int32]
    n_samples: int
    n_types: int

    @classmethod
    def of(cls, samples: NDArray[np.int32], types: NDArray[Any], n_samples: int, n_types: int) -> Groups:
        """Return the groups from the sample and the type of each cell, (n_obs,) each, below 0 = none."""
        has_both = (samples >= 0) & (types >= 0) & (types < n_types)
        codes = np.where(has_both, samples * np.int32(n_types) + types.astype(np.int32), -1)
        return cls(codes.astype(np.int32, copy=False), n_samples, n_types)

    def __len__(self) -> int:
        """Return the number of groups, including those without cells."""
        return self.n_samples * self.n_types

    @cached_property
    def n_cells(self) -> Positions:
        """Cells of each group, int64 (n_groups,)."""
        return self.counted(self.codes)

    def counted(self, codes: NDArray[np.int32]) -> Positions:
        """Return the number of some codes in each group, int64 (n_groups,)."""
        # Shifted by 1, so that code -1 (no group) needs no mask.
        found: Positions = np.bincount(codes + 1, minlength=len(self) + 1)[1:]
        return found

    @cached_property
    def fingerprint(self) -> str:
        """Hexadecimal digits that depend on the group of each cell."""
        return sha256(self.codes.astype("<i4", copy=False).tobytes()).hexdigest()[:40]


@dataclass(frozen=True)
class KeptSums:
    """Sums of all cells of each group.

    sums : csr_array (n_groups, n_var): uint32 or int64 of counts, float64 of other values
    """

    groups: Groups
    sums: Any

    @classmethod
    def make(cls, matrix: MatrixStats, groups: Groups, question: Question) -> KeptSums:
        """Read the matrix once.

        Raises
        ------
        InvalidValue
            If values are no counts, though a sample of them was, or there are too many groups and genes.
        """
        _check_size(matrix, groups, question)
        found = sums_of_values(matrix, Grouping.of_codes(groups.codes, len(groups)), question)
        return cls(groups, found if found.dtype.kind == "f" else _integers(found))

    @property
    def are_counts(self) -> bool:
        """Whether counts are summed; else the sums of other values make means."""
        return bool(self.sums.dtype.kind != "f")

    @property
    def n_bytes(self) -> int:
        """Size in memory, or on disk if it is mapped from there."""
        return int(self.sums.data.nbytes + self.sums.indices.nbytes + self.sums.indptr.nbytes)

    def plan(self, mask: Mask | None, known: GroupSums | None = None) -> GroupSums:
        """Return the sums of some cells, bool (n_obs,), None = all, before the missing cells are read.

        known : sums of other cells by the same groups, used for groups in which fewer cells differ from them
        """
        groups, n_all = self.groups, self.groups.n_cells
        if mask is None:
            return GroupSums(self, n_all, n_all > 0, None, _NO_CELLS, _NO_CELLS, None)
        n_cells = groups.counted(groups.codes[mask])
        # Of a group that is partly inside, only the smaller part is read; other groups need no reading.
        takes_all, base = 2 * n_cells > n_all, None
        differs = mask != takes_all[groups.codes]
        if known is not None and known.kept.sums is self.sums:
            was_in = np.ones_like(mask) if known.mask is None else known.mask
            is_near = groups.counted(groups.codes[mask != was_in]) < np.minimum(n_cells, n_all - n_cells)
            if is_near.any():
                differs = np.where(is_near[groups.codes], mask != was_in, differs)
                takes_all, base = np.where(is_near, known.takes_all, takes_all), known.only(is_near)
        rows = np.flatnonzero(differs & (groups.codes >= 0))
        is_inside = mask[rows]
        return GroupSums(self, n_cells, takes_all, base, rows[is_inside], rows[~is_inside], mask)

    def of(
        self, mask: Mask | None, matrix: MatrixStats, question: Question, known: GroupSums | None = None
    ) -> GroupSums:
        """Return the sums of some cells, bool (n_obs,), None = all; `matrix` reads what `plan` lacks."""
        return self.plan(mask, known).read(matrix, question)


@dataclass(frozen=True)
class GroupSums:
    """Sums of some cells by group: sums of whole groups, and a correction.

    n_cells : int64 (n_groups,)
    takes_all : bool (n_groups,), whether the sums of the whole group are taken
    change : csr_array float64 (n_groups, n_var), added to these sums; None = nothing
    to_add, to_subtract : int64, rows of cells that must still be read, and added to or subtracted from `change`
    mask : the cells, bool (n_obs,); None = all
    """

    kept: KeptSums
    n_cells: Positions
    takes_all: Mask
    change: Any
    to_add: Positions
    to_subtract: Positions
    mask: Mask | None

    @property
    def rows(self) -> Positions:
        """Rows of the cells that are still to be read, int64, ascending."""
        return np.sort(np.concatenate([self.to_add, self.to_subtract]))

    def read(self, matrix: MatrixStats, question: Question) -> GroupSums:
        """Return these sums after reading the missing cells."""
        if not (self.to_add.size or self.to_subtract.size):
            return self
        groups = self.kept.groups
        codes, n = np.full(len(groups.codes), -1, dtype=np.int32), len(groups)
        codes[self.to_add] = groups.codes[self.to_add]
        codes[self.to_subtract] = groups.codes[self.to_subtract] + n
        # The whole matrix has been checked for counts.
        found = matrix.sum_counts(
            Grouping.of_codes(codes, 2 * n), question, are_counts=self.kept.are_counts
        ).sums  # fmt: skip
        change = found[:n] - found[n:]
        return replace(
            self, change=change if self.change is None else self.change + change, to_add=_NO_CELLS,
            to_subtract=_NO_CELLS,
        )  # fmt: skip

    def only(self, which: Mask) -> Any:
        """Return `change` with only some groups, bool (n_groups,); other rows are 0."""
        if self.change is None:
            return None
        from scipy.sparse import diags_array

        return diags_array(which.astype(np.float64)) @ self.change

    def of(self, groups: Positions) -> Floats:
        """Return the sums of some groups, float64 (k, n_var)."""
        kept, takes_all = self.kept.sums, self.takes_all[groups]
        found = np.zeros((len(groups), kept.shape[1]))
        found[takes_all] = kept[groups[takes_all]].toarray()
        if self.change is not None:
            found += self.change[groups].toarray()
            if not self.kept.are_counts:
                # Where all cells but those with a gene are subtracted, a rounding error may remain, which is no
                # expression. NaN of some cells of a group hold for the group, whatever cells were read.
                whole = kept[groups].toarray()
                found[np.abs(found) < _ROUNDING * np.abs(whole)] = 0
                found[~np.isfinite(whole)] = np.nan
        return found


_NO_CELLS = np.zeros(0, dtype=np.int64)


def _integers(sums: Any) -> Any:
    """Return sums in the smallest type that holds them."""
    kind = np.uint32 if sums.data.max(initial=0) < _MOST_UNSIGNED else np.int64
    return sums.astype(kind)


def _check_size(matrix: MatrixStats, groups: Groups, question: Question) -> None:
    n, noun = int(np.count_nonzero(groups.n_cells)), matrix.dataset.var_noun
    n_var = len(matrix.dataset.names_in(question.layer).var_labels)
    if n * n_var > _MOST_SUMS:
        raise InvalidValue(
            f"sums of {n:,} groups (samples by types) by {noun.counted(n_var)} were requested; at most {_MOST_SUMS:,} "
            "sums are kept, so a column of fewer types would work."
        )
