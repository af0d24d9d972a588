"""`w.code` and `w.methods`: the analysis as code, and as text for a paper."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Literal, get_args

from cxg_widget.code.analysis import Step, state_as_code, steps_as_code
from cxg_widget.code.records import Records
from cxg_widget.code.scanpy_script import scanpy_code
from cxg_widget.errors import InvalidOption, InvalidValue
from cxg_widget.methods.text import methods_text
from cxg_widget.session.analysis.calls import CallCells
from cxg_widget.text.names import not_found, shown
from cxg_widget.widget.answering import AnsweringWidget
from cxg_widget.widget.history import Moment

Flavor = Literal["cxg_widget", "scanpy"]


class CodingWidget(AnsweringWidget):
    """A widget that writes down what was done."""

    _opening: Mapping[str, Any]
    _given_path: str

    def code(self, flavor: Flavor = "cxg_widget", since: int | None = None) -> str:
        """Return Python code that rebuilds the present state: sets, labels, filters, colors, panels and results.

        Names are those that you gave. Settings at their default are left out. Polygons have the fewest digits that give
        the same cells.

        Parameters
        ----------
        flavor : "cxg_widget" = with this package; "scanpy" = with anndata, pandas, scipy, matplotlib and scanpy, which
            give equal masks and numbers; comments state what they cannot do
        since : repeat the steps of `undo` from this one on, in order, each with the comparisons and plots made
            after it: 0 = from the oldest, -3 = the last three; None = the present state, then all results. Only for
            flavor "cxg_widget"

        Raises
        ------
        InvalidValue, InvalidOption
            If there is no such flavor or step, or steps are requested for another flavor.
        InvalidStore, DamagedStore
            If data that rules need cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.clear_selection()
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> print(w.code().splitlines()[-1])
        w.sets.add("NK", {"cell_type": "NK cell"})
        """
        self._check_open()
        if flavor not in get_args(Flavor):
            raise InvalidValue(not_found("flavor", flavor, get_args(Flavor), "code()"))
        records = self._records()
        if flavor == "scanpy":
            if since is not None:
                raise InvalidOption(f"steps are written for this package; leave out flavor=: code(since={since!r})")
            return scanpy_code(records)
        if since is None:
            return state_as_code(records)
        first, *steps = self._steps_since(records, since)
        return steps_as_code(records, first, steps)

    def methods(self) -> str:
        """Describe the analysis in sentences for the methods of a paper.

        The text names the data, versions of packages, filters, sets and labels, and each comparison, composition and
        plot that was made, by hand or in Python, with numbers of cells, definitions and references. A call that was
        made twice counts once; the last 50 calls are kept until the widget is closed. Read it before you use it: it
        has the numbers, not your reasons.

        Raises
        ------
        InvalidStore, DamagedStore
            If the columns of sets or labels cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> found = w.compare({"cell_type": "NK cell"}, method="wilcoxon")
        >>> "two-sided, by the normal approximation, with ties corrected" in w.methods()
        True
        """
        self._check_open()
        return methods_text(self._records())

    def _text_of(self, what: str) -> str:
        """Return what a button copies: code of everything, "", of a panel, or "methods"."""
        return self.methods() if what == "methods" else state_as_code(self._records(), what)

    def _records(self) -> Records:
        return Records(self._session, self._opening, self._given_path)

    def _steps_since(self, records: Records, since: int) -> list[Step]:
        """Return the states from a step on, the present one last."""
        moments = self._history.moments()
        n = len(moments) - 1
        if isinstance(since, bool) or not isinstance(since, int) or not -n <= since <= n:
            known = f"a step from 0 to {n} or from -{n}, of the {n} that undo knows" if n else "0: undo knows no step"
            raise InvalidValue(f"since= takes {known}; found {shown(since)}")
        chosen = moments[since + n if since < 0 else since :]
        words = ["", *(later.differs(one) for one, later in pairwise(chosen))]
        return [self._step_at(records, moment, word) for moment, word in zip(chosen, words, strict=True)]

    def _step_at(self, records: Records, moment: Moment, word: str) -> Step:
        selected = records.cells_of(CallCells(None, moment.rule, moment.bits))
        rule = selected.rule if selected.n else {"or": []}
        return Step(word, self._session.settings.having(moment.values), rule, records.calls_of(moment.calls))
