"""The mask that a rule makes over any dataset."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import pack_mask, unpack_mask
from cxg_widget.errors import CxgWidgetError, InvalidValue, SelectionError
from cxg_widget.rules.by_value import mask_of_values
from cxg_widget.rules.expression import mask_of_query, read_column
from cxg_widget.rules.forms import DEEPEST, Rule, check_rule, form_of, within
from cxg_widget.rules.grammar import parse
from cxg_widget.rules.lacking import Lacking
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.spatial.polygon import as_polygon, in_polygon

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Mask = NDArray[np.bool_]
Sets = Mapping[str, Rule]


def mask_of(rule: Rule, dataset: Dataset, *, sets: Sets | None = None) -> Mask:
    """Return which cells a rule means; it changes nothing, and asks nothing but the dataset.

    Parameters
    ----------
    rule : as `check_rule` takes it
    sets : rules by the names that {set} has

    Returns
    -------
    bool (n_obs,)

    Raises
    ------
    UnknownName
        If it names columns, genes, layers, embeddings or sets that there are not: one sentence names all of them.
    InvalidValue, SelectionError
        If it has no such form, or its values do not fit the columns: all that there are not are named.
    """
    rule, known = check_rule(rule), {name: check_rule(one) for name, one in (sets or {}).items()}
    check_names(rule, dataset, known)
    unknown: dict[str, None] = {}
    mask = _Cells(dataset, known, unknown).of(rule)
    if unknown:
        raise SelectionError(" ".join(unknown))
    return mask


def is_by_rows(rule: Rule, dataset: Dataset) -> bool:
    """Say whether some rows alone tell which of them a rule means: ranges of numbers, and categories that are known."""
    for one, _ in within(rule):
        if "in" in one:
            column = dataset.obs_columns.get(one["obs"])
            if column is None or column.kind not in ("categorical", "boolean") or one["obs"] in dataset.own_columns:
                return False
        elif form_of(one) not in ("obs", "var", "and", "or", "not", "minus"):
            return False
    return True


def packed_rule(mask: Mask, dataset: Dataset) -> Rule:
    """Return the rule of a mask that has no other: its rows, good for this very dataset alone."""
    return dict(PackedRows(pack_mask(mask), mask.size, dataset.obs_identity))


def finds(rule: Rule, mask: Mask, dataset: Dataset) -> bool:
    """Say whether a rule of some cells finds these very ones; a query that pandas answered may mean others here."""
    if not any("query" in one for one, _ in within(rule)):
        return True
    try:
        return np.array_equal(mask_of(rule, dataset), mask)
    except CxgWidgetError:
        return False


def may_change(rule: Rule, dataset: Dataset) -> bool:
    """Say whether a rule may mean other cells soon: it names a column that was put beside those of the store."""
    own = dataset.own_columns
    stored = dataset.obs_columns.keys() - own.keys()
    for one, _ in within(rule):
        names = parse(one["query"]).names.values() if "query" in one else ()
        if any(name.removeprefix("obs:") in own for name in names) or ("obs" in one and one["obs"] not in stored):
            return True
    return False


def check_names(rule: Rule, dataset: Dataset, sets: Sets = MappingProxyType({})) -> None:
    """Check that a dataset has all that a rule names; raises `UnknownName` as `mask_of`, and reads names alone."""
    rules = [one for one, _ in within(rule)]
    lacking = Lacking(dataset, sets)
    for one in rules:
        lacking.look(one)
    lacking.check()
    for one in rules:
        if "polygon" in one:
            dataset.check_axes(_axes(one), dataset.find_embedding(one["embedding"]))


def check_rows(rows: PackedRows, dataset: Dataset) -> None:
    """Raise `SelectionError` where rows are not those of a dataset."""
    if not dataset.has_rows_of(rows.n_obs, rows.identity):
        what = "these rows belong to another dataset, or to another state of this one"
        raise SelectionError(f"{what}; a rule of rows applies only to its own dataset.")


def _axes(rule: Rule) -> tuple[int, int]:
    x, y = rule.get("axes", (0, 1))
    return x, y


class _Cells:
    """The cells of a dataset that rules mean.

    unknown : takes a sentence for each column of values that it does not have, so that all of them are told at once
    """

    def __init__(self, dataset: Dataset, sets: Sets, unknown: dict[str, None], left: int = DEEPEST) -> None:
        self._dataset, self._sets, self._unknown, self._left = dataset, sets, unknown, left

    def of(self, rule: Rule) -> Mask:
        """Return the mask of a rule."""
        return _MEANINGS[form_of(rule)](self, rule)

    def of_and(self, rule: Rule) -> Mask:
        """Return the cells that all rules mean."""
        mask = np.ones(self._dataset.n_obs, dtype=np.bool_)
        for one in rule["and"]:
            mask &= self.of(one)
        return mask

    def of_or(self, rule: Rule) -> Mask:
        """Return the cells that any rule means."""
        mask = np.zeros(self._dataset.n_obs, dtype=np.bool_)
        for one in rule["or"]:
            mask |= self.of(one)
        return mask

    def of_not(self, rule: Rule) -> Mask:
        """Return the cells that a rule does not mean."""
        return ~self.of(rule["not"])

    def of_minus(self, rule: Rule) -> Mask:
        """Return the cells that the first rule means and the second does not."""
        first, second = rule["minus"]
        return self.of(first) & ~self.of(second)

    def of_set(self, rule: Rule) -> Mask:
        """Return the cells of a named rule."""
        if self._left == 0:
            raise InvalidValue(f"the set {rule['set']!r} refers to itself.")
        inner = self._sets[rule["set"]]
        check_names(inner, self._dataset, self._sets)
        return _Cells(self._dataset, self._sets, self._unknown, self._left - 1).of(inner)

    def of_query(self, rule: Rule) -> Mask:
        """Return the cells of a query."""
        return mask_of_query(parse(rule["query"]), self._dataset, rule.get("layer"))

    def of_obs(self, rule: Rule) -> Mask:
        """Return the cells with some values of an obs column, or within a range."""
        if "in" in rule:
            try:
                return mask_of_values({rule["obs"]: rule["in"]}, self._dataset)
            except SelectionError as error:
                self._unknown[str(error)] = None
                return np.zeros(self._dataset.n_obs, dtype=np.bool_)
        return self._in_range(("obs", rule["obs"]), rule)

    def of_var(self, rule: Rule) -> Mask:
        """Return the cells within a range of a gene."""
        return self._in_range(("var", rule["var"]), rule)

    def _in_range(self, column: tuple[str, str], rule: Rule) -> Mask:
        numbers = read_column(column, self._dataset, rule.get("layer"))
        if not isinstance(numbers, np.ndarray) or numbers.dtype.kind not in "iuf":
            raise SelectionError(f"obs column {column[1]!r} holds no numbers, so it has no range; list its values.")
        low, high = rule["range"]
        with np.errstate(over="ignore"):
            mask = numbers >= low if low is not None else numbers <= high
            if low is not None and high is not None:
                mask &= numbers <= high
        return np.asarray(mask)

    def of_polygon(self, rule: Rule) -> Mask:
        """Return the cells in a polygon."""
        return in_polygon(self._dataset.embedding(rule["embedding"], _axes(rule)), as_polygon(rule["polygon"]))

    def of_rows(self, rule: Rule) -> Mask:
        """Return the cells that were packed."""
        rows = PackedRows.of(rule)
        check_rows(rows, self._dataset)
        return unpack_mask(rows.bits, rows.n_obs)


_MEANINGS: dict[str, Callable[[_Cells, Rule], Mask]] = {
    "and": _Cells.of_and, "or": _Cells.of_or, "not": _Cells.of_not, "minus": _Cells.of_minus, "set": _Cells.of_set,
    "query": _Cells.of_query, "obs": _Cells.of_obs, "var": _Cells.of_var, "polygon": _Cells.of_polygon,
    "rows": _Cells.of_rows,
}  # fmt: skip
