"""`w.filters` as a mapping from column to kept values, and `w.filter`. Every edit is a change of the trait."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.settings import own_copy
from cxg_widget.errors import UnknownName
from cxg_widget.rules.filters import filter_of, key_of, query_filter
from cxg_widget.rules.forms import Rule, form_of, inner_of
from cxg_widget.rules.forms.column_forms import QUERY
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.widget.widget import CxgWidget


class Filters(MutableMapping[str, Any]):
    """Filters by column, and the query. A cell passes if it passes all of them.

    - `w.filters["cell_type"] = ["B cell"]` keeps categories
    - `w.filters["n_genes"] = (500, None)` keeps a range, both ends included
    - `w.filters["var:CD3E"] = (0.5, None)` keeps a range of a gene
    - `w.filters["set:mine"] = True` keeps the cells of a set, False all others
    - `del w.filters["n_genes"]` removes a filter

    Categories hidden in the legend are the filter of its column.

    Examples
    --------
    >>> w.filters["cell_type"] = ["NK cell", "naive B cell"]
    >>> w.filters["n_counts"] = (500, None)
    >>> list(w.filters)
    ['cell_type', 'n_counts']
    >>> del w.filters["n_counts"]
    """

    def __init__(self, widget: CxgWidget, rules: list[Rule]) -> None:
        self._widget = widget
        self._rules = rules

    @property
    def rules(self) -> list[Rule]:
        """A copy of each filter as JSON.

        Examples
        --------
        >>> w.filters["cell_type"] = ["NK cell"]
        >>> w.filters.rules
        [{'obs': 'cell_type', 'in': ['NK cell']}]
        """
        rules: list[Rule] = own_copy(self._rules)
        return rules

    @property
    def rule(self) -> Rule:
        """A copy of all filters as one rule: {"and": [...]}.

        Examples
        --------
        >>> w.filters["cell_type"] = ["NK cell"]
        >>> w.filters.rule
        {'and': [{'obs': 'cell_type', 'in': ['NK cell']}]}
        """
        return {"and": self.rules}

    @property
    def query(self) -> str | None:
        """The query set by `w.filter(query)`; None if there is none.

        Examples
        --------
        >>> w.filter("n_counts > 500")
        >>> w.filters.query
        'n_counts > 500'
        """
        return next((str(rule["query"]) for rule in self._rules if "query" in rule), None)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """A copy of the mask of cells that pass all filters, bool (n_obs,).

        Examples
        --------
        >>> w.filters["cell_type"] = ["NK cell"]
        >>> int(w.filters.mask.sum())
        80
        """
        mask = self._widget._session.held.filtered()
        return np.ones(self._widget.dataset.n_obs, dtype=np.bool_) if mask is None else mask.copy()

    def __getitem__(self, name: str) -> list[Any] | tuple[Any, Any] | bool:
        """Return the kept values: a list, (lowest, highest), or True or False for a set."""
        rule = self._named(name)
        if rule is None:
            raise UnknownName(not_found("filter", name, list(self), "this widget"))
        inner, is_negated = inner_of(rule)
        part = form_of(inner).as_filter
        assert part is not None
        return part.kept(inner, is_negated, self._widget.dataset)

    def __setitem__(self, name: str, kept: Any) -> None:
        """Keep values or a range of an obs column or gene; raises as `rules.filters.filter_of`."""
        widget = self._widget
        self.put(filter_of(name, kept, widget.dataset, widget.layer, widget._kept("sets")))

    def __delitem__(self, name: str) -> None:
        rule = self._named(name)
        if rule is None:
            raise UnknownName(not_found("filter", name, list(self), "this widget"))
        self._set([one for one in self._now() if key_of(one) != key_of(rule)])

    def put(self, rule: Rule) -> None:
        """Add a filter; it replaces one of the same column, or the query."""
        kept = {key_of(one): one for one in self._now()}
        self._set(list({**kept, key_of(rule): rule}.values()))

    def clear(self) -> None:
        """Remove all filters and the query.

        Examples
        --------
        >>> w.filters["sex"] = "female"
        >>> w.filters.clear()
        >>> len(w.filters)
        0
        """
        self._set([])

    def __iter__(self) -> Iterator[str]:
        return (key_of(rule) for rule in self._rules if "query" not in rule)

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __eq__(self, other: object) -> bool:
        return self._rules == (other._rules if isinstance(other, Filters) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        kept = [f"{name!r}: {shown(self[name])}" for name in self]
        return "{" + ", ".join([*kept, *([f"{QUERY}: {shown(self.query)}"] if self.query else [])]) + "}"

    def _named(self, name: str) -> Rule | None:
        known = {key_of(rule): rule for rule in self._rules if "query" not in rule}
        names = (name, f"obs:{name}", f"var:{name}", str(name).removeprefix("obs:"))
        return next((known[one] for one in names if one in known), None)

    def _now(self) -> list[Rule]:
        """Return the current filters; this object may be older than the last change."""
        rules: list[Rule] = self._widget._kept("filters")
        return rules

    def _set(self, rules: list[Rule]) -> None:
        self._widget.filters = rules
        self._rules = self._now()


class FilterMethods:
    """The `filter` method of a widget."""

    filters: Any
    layer: Any
    _dataset: Dataset
    _kept: Callable[[str], Any]
    _check_open: Callable[[], None]

    def filter(self, query: str | None) -> None:
        """Keep the cells that match a query, in addition to the other filters; replaces the previous query.

        The language is a subset of that of `pandas.DataFrame.query`, with the same meaning. It cannot run code.

        Parameters
        ----------
        query : such as "n_genes > 500 and cell_type == 'B cell'"; None removes the query. It may use names of obs
            columns and genes (other names in `backticks`), comparisons, and, or, not, in, `&`, `|`, `~`, arithmetic,
            `.isin()`, `.between()`, `.isna()`, `.notna()`, `.str.contains()`, `.str.startswith()` and
            `.str.endswith()`. @name is the value of a variable of the caller: a number, a text or a list of these

        Raises
        ------
        SelectionError, UnknownName
            If the query is invalid or uses an unknown name; the filters stay as they were.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.filter("n_counts > 500 and CD3E > 0")
        >>> w.filters.query
        'n_counts > 500 and CD3E > 0'
        """
        self._check_open()
        if query is not None:
            self.filters.put(query_filter(with_values(query), self._dataset, self.layer))
        else:
            self.filters = [rule for rule in self._kept("filters") if "query" not in rule]
