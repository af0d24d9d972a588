"""Evaluates a rule to a mask over any dataset."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from cxg_widget.compute.bits import pack_mask
from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.rules.column_names import is_column
from cxg_widget.rules.form import Mask
from cxg_widget.rules.forms import DEEPEST, Rule, check_rule, form_of, within
from cxg_widget.rules.missing_names import MissingNames
from cxg_widget.rules.packed_rows import PackedRows

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Sets = Mapping[str, Rule]


def mask_of(rule: Rule, dataset: Dataset, *, sets: Sets | None = None) -> Mask:
    """Return the cells of a rule, bool (n_obs,), without side effects.

    rule : as `check_rule` takes it
    """
    rule, known = check_rule(rule), {name: check_rule(one) for name, one in (sets or {}).items()}
    check_names(rule, dataset, known)
    unknown: dict[str, None] = {}
    mask = _Evaluation(dataset, known, unknown).of(rule)
    if unknown:
        raise SelectionError(" ".join(unknown))
    return mask


def is_by_rows(rule: Rule, dataset: Dataset) -> bool:
    """Return whether a rule can be evaluated on some rows alone, so that workers can evaluate it over theirs."""
    return all(form_of(one).is_row_wise(one, dataset) for one, _ in within(rule))


def packed_rule(mask: Mask, dataset: Dataset) -> Rule:
    """Return the rule of a mask without another rule: its rows, valid only for this dataset."""
    return dict(PackedRows(pack_mask(mask), mask.size, dataset.obs_identity))


def may_change(rule: Rule, dataset: Dataset) -> bool:
    """Return whether the cells of a rule may change: it uses a column of the user, or a deleted one."""
    own = dataset.own_columns
    for one, _ in within(rule):
        for name in form_of(one).columns(one):
            is_gone = name not in dataset.obs_columns and not is_column(name, dataset, one.get("layer"))
            if name in own or is_gone:
                return True
    return False


def check_names(rule: Rule, dataset: Dataset, sets: Sets = MappingProxyType({})) -> None:
    """Check that a dataset has all names of a rule; raises `UnknownName` as `mask_of`; reads names only."""
    missing = MissingNames(dataset, sets)
    for one, _ in within(rule):
        form_of(one).find_missing(one, missing)
    missing.check()


class _Evaluation:
    """Evaluates rules over the cells of a dataset; see `form.Cells`.

    unknown : collects a sentence per column with unknown values, so that one error names all of them
    left : how deep named rules may still refer to others
    """

    def __init__(self, dataset: Dataset, sets: Sets, unknown: dict[str, None], left: int = DEEPEST) -> None:
        self.dataset, self._sets, self._unknown, self._left = dataset, sets, unknown, left

    def of(self, rule: Rule) -> Mask:
        """Return the mask of a rule."""
        return form_of(rule).mask(self, rule)

    def of_set(self, name: str) -> Mask:
        """Return the mask of a named rule."""
        if self._left == 0:
            raise InvalidValue(f"the set {name!r} refers to itself.")
        inner = self._sets[name]
        check_names(inner, self.dataset, self._sets)
        return _Evaluation(self.dataset, self._sets, self._unknown, self._left - 1).of(inner)

    def add_unknown(self, sentence: str) -> None:
        """Record values that a column lacks."""
        self._unknown[sentence] = None
