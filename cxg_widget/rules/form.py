"""The parts of a form of a rule: all that the package must know of one, given in one place."""
# Changes with js/src/words/rule_forms.js: forms of a rule.

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.rules.missing_names import MissingNames

Mask = NDArray[np.bool_]
Rule = Mapping[str, Any]


class Cells(Protocol):
    """Evaluates the rules within a rule, over one dataset."""

    @property
    def dataset(self) -> Dataset:
        """The dataset whose cells are meant."""

    def of(self, rule: Rule) -> Mask:
        """Return the mask of a rule within."""

    def of_set(self, name: str) -> Mask:
        """Return the mask of the rule that has a name."""

    def add_unknown(self, sentence: str) -> None:
        """Take note of values that a column does not have, so that one error names all of them."""


class Words(NamedTuple):
    """A rule in words: the column or gene it is about, "" for none, and what it keeps."""

    subject: str
    kept: str


@dataclass(frozen=True, kw_only=True)
class FilterPart:
    """How a form serves as a filter.

    key : what the filter is called among the others
    can_be_negated : whether {not: rule} is a filter too
    kept : what `w.filters[key]` returns, given the rule and whether it is negated
    """

    key: Callable[[Rule], str]
    can_be_negated: bool
    kept: Callable[[Rule, bool, Dataset], list[Any] | tuple[Any, Any] | bool]


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form of a rule. No part has a default, so a form that lacks one fails at import.

    needs : keys that it has, the first of which names the form
    takes : keys that it may have beside them
    spelling : the form as errors write it
    holds_rules : whether the value of its first key is a rule, or a list of rules
    check : raises `InvalidValue` or `SelectionError` where its values are wrong, whatever the dataset
    find_missing : reports each name that the dataset lacks
    columns : names of obs columns that it reads; of a query also those that may be genes
    mask : the cells that it means
    is_row_wise : whether some rows alone tell which of them it means, so that Dask's workers can evaluate it over
        their partitions; False where in doubt, as a rule that looks at all cells would silently mean others there
    words : the rule in words, given what describes a rule within it
    twin : its key in `FORMS` of js/src/words/rule_forms.js, which has its part in the page
    as_filter : how it serves as a filter; None = it does not
    """

    needs: tuple[str, ...]
    takes: tuple[str, ...]
    spelling: str
    holds_rules: bool
    check: Callable[[Rule], None]
    find_missing: Callable[[Rule, MissingNames], None]
    columns: Callable[[Rule], Iterable[str]]
    mask: Callable[[Cells, Rule], Mask]
    is_row_wise: Callable[[Rule, Dataset], bool]
    words: Callable[[Rule, Callable[[Rule], str]], Words]
    twin: str
    as_filter: FilterPart | None

    def wrong(self, rule: Rule) -> InvalidValue:
        """Return the error for a rule whose values do not fit the form."""
        return InvalidValue(f"this rule must be {self.spelling}; found {shown(rule)}")
