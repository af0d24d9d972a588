"""`w.replay`: the state of a widget on other data."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.widget.answering import AnsweringWidget

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.replay.report import ReplayReport


class ReplayingWidget(AnsweringWidget):
    """A widget whose state can be applied to other data."""

    _read_with: Callable[..., Loader]
    state: Any

    def replay(
        self, state: Mapping[str, Any], dataset: Any = None, *, report: str | os.PathLike[str] | None = None
    ) -> ReplayReport:
        """Apply the parts of a state that fit to other data, and report the parts that do not.

        Sets, filters, labels, gene sets, pins, panels, colors and other settings are applied one by one, each by its
        rule. A part that names a column, gene, layer, embedding or value that the data lack is left out. Views are left
        out too, since they are places in one dataset, and packed rows apply to their own dataset alone.

        Parameters
        ----------
        state : `w.state` of this or another widget
        dataset : other data, as `CxgWidget` opens them or an open `Dataset`. This widget stays as it is, and its
            dataset is the source of the numbers before. None = apply the state to this widget, as one step that `undo`
            takes back
        report : .html file, which is replaced: what fits, the numbers of cells and the plots, live and side by side;
            each plot takes at most 5 million bytes. None = no file

        Returns
        -------
        result with `.summary`, `.missing`, `.parts`, `.frame()` and `.state`, the part of the state that fits

        Raises
        ------
        InvalidValue, InvalidOption
            If the state is no dict, has unknown settings or takes too much work, or `report` is no .html file.
        DatasetNotFound, UnknownFormat, InvalidStore, DamagedStore
            If the other data cannot be opened or read.
        TargetNotWritten
            If the report cannot be written. After any error, the widget is as it was.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> found = w.replay(w.state, demo(), report="replay.html")
        >>> found.frame().loc[("set", "NK"), ["before", "after"]].tolist()
        [80, 80]
        """
        from cxg_widget.replay.fitting import check_state
        from cxg_widget.replay.replay import replay, report_path, save_report, session_on

        self._check_open()
        state, path = check_state(state), report_path(report)
        with ExitStack() as stack, self._session.costs.action("replay"):
            session, source = stack.enter_context(session_on(self._dataset, read_with=self._read_with)), None
            if dataset is not None:
                other = dataset if isinstance(dataset, Dataset) else stack.enter_context(open_dataset(dataset))
                session, source = stack.enter_context(session_on(other)), session
            found = replay(state, session, source)
            if path is not None:
                save_report(path, found, session, source)
        if dataset is None:
            self.state = found.state
        return found
