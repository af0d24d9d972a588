"""Selection and zoom as methods of the widget: `w.select`, `w.selection`, `w.on_selection`, `w.zoom_to`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cxg_widget.display.checks import check_mode
from cxg_widget.errors import InvalidOption, SelectionError
from cxg_widget.rules.combining import NOTHING, combined_rule
from cxg_widget.selection.pandas_query import pandas_mask
from cxg_widget.selection.selection import SelectedCells
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.session.gestures import polygon_rule
from cxg_widget.text.names import shown
from cxg_widget.widget.answering import AnsweringWidget
from cxg_widget.wire import protocol

if TYPE_CHECKING:
    from cxg_widget.rules.forms import Rule


class SelectingWidget(AnsweringWidget):
    """A widget whose cells can be selected from Python."""

    @property
    def selection(self) -> SelectedCells:
        """The currently selected cells: `.mask`, `.rows`, `len()`, `.obs(columns)`.

        Examples
        --------
        >>> len(w.selection)
        80
        """
        return self._session.selected

    def select(
        self, what: Any = None, mode: protocol.Mode = "replace", *, polygon: Any = None, query: str | None = None,
        engine: Literal["pandas"] | None = None, within: Any = None, **columns: Any,
    ) -> SelectedCells:  # fmt: skip
        """Select cells.

        Parameters
        ----------
        what : {obs column: value or list of values}, where each column must match; the name of a set; a query such as
            "n_counts > 500"; "selection"; "filter" = the cells that pass the filters; a boolean mask (n_obs,), row
            positions or obs index labels; corners as `polygon`; a rule; a set, which is found by its rule if it belongs
            to another dataset. A text is first tried as a set, then as a query, then as a label
        mode : "replace", "add", "subtract" or "intersect"
        polygon : corners (k, 2), k >= 3, in data units of the current embedding and axes; includes hidden categories
        query : as `filter` takes it
        engine : "pandas" = evaluate the query by pandas, which can call any of its methods: never use it for texts of
            other people. The selection then has no rule. None = the language of `filter`
        within : keep only the cells that are also in these, given as `what`; None = all
        **columns : a column as keyword raises an error that shows the dict to write

        Returns
        -------
        the new selection

        Raises
        ------
        SelectionError, UnknownName
            If the cells cannot be found; the selection stays as it was.
        InvalidOption
            If a column is given as a keyword.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> len(w.select({"cell_type": ["NK cell", "naive B cell"]}))
        142
        >>> len(w.select("sex == 'female'", "intersect")) < 142
        True
        """
        self._check_open()
        if columns:
            raise InvalidOption(f"select() takes columns as a dict: select({shown(columns)}).")
        mode = check_mode(mode, protocol.Mode)
        given = [one is not None for one in (what, polygon, query)]
        if sum(given) != 1:
            raise SelectionError(
                f"select() takes one of {{column: value}}, mask, rows, labels, polygon= or query=; found {sum(given)}"
            )
        if engine not in (None, "pandas") or (engine is not None and query is None):
            raise InvalidOption(f"engine= is 'pandas' or None, and goes with query=; found {shown(engine)}")
        rule: Rule | None
        what, within = with_values(what, within)
        query = query if engine == "pandas" else with_values(query)
        with self._session.costs.action("select"):
            if polygon is not None:
                mask, rule = self._session.polygon_mask(polygon), polygon_rule(polygon, self._session.settings)
            elif query is None:
                mask, rule, *_ = self._session.cells(what)
            elif engine == "pandas":
                mask, rule = pandas_mask(query, self._dataset, self.layer, level=2), None
            else:
                mask, rule, *_ = self._session.cells_of_query(query)
            population = self._session.population(within)
            if population.mask is not None:
                mask, rule = population.of(mask), combined_rule(rule, population.rule, "intersect")
        if mode != "replace":
            self._exchange.jobs.finish("lasso")  # so that waiting gestures change the selection before this does
        self._session.select(mask, mode, rule)
        self._selection_changed(self._session.streams.selection)
        return self.selection

    def clear_selection(self) -> None:
        """Clear the selection.

        Examples
        --------
        >>> w.clear_selection()
        >>> len(w.selection)
        0
        """
        self._check_open()
        self._session.select(np.zeros(self._dataset.n_obs, dtype=np.bool_), rule=NOTHING)
        self._selection_changed(self._session.streams.selection)

    def zoom_to(self, what: Any) -> None:
        """Zoom to some cells: to the smallest view that shows all of them, with a margin.

        Panels of other embeddings zoom to the same cells.

        Parameters
        ----------
        what : the name of a set; else cells as `compare` takes them: a set or a selection, {obs column: values}, a
            rule, a query, a mask, rows, a polygon, labels. A name that is both a set and a label is the set

        Raises
        ------
        SelectionError
            If there are no such cells, or none has coordinates in the current embedding.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.zoom_to({"cell_type": "NK cell"})
        >>> w.view is None
        False
        """
        self._check_open()
        mask = self._session.cells(with_values(what)).mask
        self.view, self.views = list(self._session.view_of(mask)), self._session.views_of(mask)

    def on_selection(self, callback: Callable[[SelectedCells], Any], *, remove: bool = False) -> None:
        """Call `callback(selection)` after each change of the selected cells; remove=True stops it.

        Undo and redo call it too, and override what it sets; see `undo`.

        Examples
        --------
        >>> w.on_selection(lambda selection: print(len(selection), "cells"))
        >>> found = w.select([0, 1, 2])
        3 cells
        """
        self._callbacks.register_callback(callback, remove=remove)
