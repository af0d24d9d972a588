"""The interface of a form of a rule: everything that the package needs to know about it."""
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
    """Evaluates the rules nested in a rule, over one dataset."""

    @property
    def dataset(self) -> Dataset:
        """The dataset of the cells."""

    def of(self, rule: Rule) -> Mask:
        """Return the mask of a nested rule."""

    def of_set(self, name: str) -> Mask:
        """Return the mask of a named rule."""

    def add_unknown(self, sentence: str) -> None:
        """Record values that a column lacks, so that one error names all of them."""


class Words(NamedTuple):
    """A rule in words: its column or gene, or "", and what it keeps."""

    subject: str
    kept: str


@dataclass(frozen=True, kw_only=True)
class FilterPart:
    """How a form works as a filter.

    key : key of the filter
    can_be_negated : whether {not: rule} is a filter too
    kept : returns `w.filters[key]`, given the rule and whether it is negated
    """

    key: Callable[[Rule], str]
    can_be_negated: bool
    kept: Callable[[Rule, bool, Dataset], list[Any] | tuple[Any, Any] | bool]


@dataclass(frozen=True, kw_only=True)
class Form:
    """A form of a rule. No field has a default, so an incomplete form fails at import.

    needs : required keys, the first of which identifies the form
    takes : optional keys
    spelling : the form as errors write it
    holds_rules : whether the value of its first key is a rule, or a list of rules
    check : raises `InvalidValue` or `SelectionError` if its values are wrong for any dataset
    find_missing : reports each name that the dataset lacks
    columns : names of obs columns that it reads; for a query also those that may be genes
    mask : returns its cells
    is_row_wise : whether it can be evaluated on some rows alone, so that Dask workers can evaluate it over their
        partitions; False if in doubt, since a rule that needs all cells would silently give others there
    words : the rule in words, given a function that describes nested rules
    twin : its key in `FORMS` of js/src/words/rule_forms.js, the counterpart in the page
    as_filter : how it works as a filter; None = it does not
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
