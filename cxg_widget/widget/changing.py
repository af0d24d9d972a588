"""Changes of settings, checked and read before they apply; `w.undo` and `w.redo`."""
# Changes with cxg_widget/widget/history.py: how many steps are kept.

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from ipywidgets import CallbackDispatcher
from numpy.typing import NDArray

from cxg_widget.change.change import DRAWN, READS, Change
from cxg_widget.compute.bits import unpack_mask
from cxg_widget.compute.memory import shortage_in_words
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.settings import BY_NAME, STATE
from cxg_widget.errors import ClosedDataset, Overtaken
from cxg_widget.session.changes import ALL
from cxg_widget.session.costs import Since
from cxg_widget.session.exchange import Exchange, Stream
from cxg_widget.widget.history import UNDONE, History, Moment
from cxg_widget.widget.keeping import Keeper
from cxg_widget.widget.traits import WidgetTraits
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.rules.forms import Rule
    from cxg_widget.widget.answering import PageChanges

_READ = DRAWN.union(READS)
"""Settings whose change may read data."""


class ChangingWidget(WidgetTraits):
    """A widget whose settings are checked, shown and undone; `CxgWidget` makes the parts it uses."""

    _dataset: Dataset
    _exchange: Exchange
    _history: History
    _keeper: Keeper
    _of_page: PageChanges
    _callbacks: CallbackDispatcher
    _heard: NDArray[np.bool_] | None = None
    _shown_before: dict[str, dict[str, Any]]
    _pinned: Mapping[str, Any] = MappingProxyType({})
    _n_steps: Iterator[int]
    _open = _built = _draws_panels = False

    def _ask(
        self, requested: Mapping[str, Any], *, is_checked: bool = False, needs: Collection[str] = ALL,
        since: Since = None,
    ) -> None:  # fmt: skip
        """Change settings and all that depends on them; if that fails, nothing changes.

        Parameters
        ----------
        requested : values by name
        is_checked : whether they are as their checks return them: from the page, or from an earlier moment
        needs : which of the needed data to read first; the streams that show the change read the rest
        since : where the reading for it began; None = now
        """
        self._check_open()
        requested = {name: self._pinned.get(name, value) for name, value in requested.items()}
        is_checked = is_checked or all(name in self._pinned for name in requested)
        is_read = not _READ.isdisjoint(requested)
        since = self._session.costs.now() if is_read and since is None else since
        asker = next(iter(requested), "")
        shortage = shortage_in_words(asker, self._dataset.obs_noun, self._dataset.n_obs) if is_read else nullcontext()
        with shortage, self._history.step():
            change = self._find(requested, needs, is_checked=is_checked)
            if not is_checked:
                self._of_page.note_set(change.requested.intersection(change.names))
            self._show(change, since)
        self._notify(change.before, change.settings, change.names)

    def _find(self, requested: Mapping[str, Any], needs: Collection[str], *, is_checked: bool) -> Change:
        """Return the change for some requested settings, with the data it needs already read."""
        session = self._session
        if "annotations" not in requested:
            return session.changes.find(requested if is_checked else session.changes.checked(requested), needs)
        labels = dict(self._dataset.own_columns)
        try:  # checks and reads in here need the new labels
            return session.changes.find(requested if is_checked else session.changes.checked(requested), needs)
        except BaseException:
            session.loader.put_labels(labels)
            raise

    def _show(self, change: Change, since: Since) -> None:
        """Show a change: send the settings to the page before what is drawn by them."""
        self._session.apply(change)
        if "annotations" in change.names:
            self._exchange.send("dataset", self._session.streams.dataset)
        self._tell_page(change.names)
        for one in change.sends:
            if one.panel == 0:
                self._push(one.stream, change, since)
            elif self._draws_panels:  # a page without the panels module asks for them once it has it
                self._push_panel(one.stream, one.panel)
        if not set(UNDONE).isdisjoint(change.names):
            self._keeper.note_change()

    @contextmanager
    def _step(self) -> Iterator[None]:
        """Make all changes within the block one step of undo; none if it fails."""
        with self._history.step(), self._all_or_nothing():
            yield

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Change settings within a step; if the outermost change fails, all of them are restored."""
        before = self._session.settings
        try:
            yield
        except BaseException:
            if self._history.is_outermost:
                with suppress(Exception):  # nobody needs the failures on the way back, only the first one
                    self._ask({name: getattr(before, name) for name in STATE}, is_checked=True, needs=())
            raise

    def undo(self) -> bool:
        """Undo the last step: filters, selection, sets, labels, colors or embedding, by hand or in Python.

        Views and tools are no steps. The widget keeps 100 steps, at most 64 MiB.

        Callbacks of `on_selection` and observers run. What they set meanwhile is no step of its own, and does not
        override what undo restores.

        Returns
        -------
        True if a step was undone; False if there was none, or a change is in progress

        Raises
        ------
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.color = "CD3E"
        >>> w.undo(), w.color
        (True, 'cell_type')
        """
        self._check_open()
        return self._history.back(self._restore)

    def redo(self) -> bool:
        """Redo the last undone step; as `undo`.

        Examples
        --------
        >>> w.color = "CD3E"
        >>> w.undo(), w.redo(), w.color
        (True, True, 'CD3E')
        """
        self._check_open()
        return self._history.forth(self._restore)

    def _moment(self) -> tuple[dict[str, Any], NDArray[np.bool_], Rule | None]:
        settings = self._session.settings
        return {name: getattr(settings, name) for name in UNDONE}, *self._session.display.selected()

    def _n_calls(self) -> int:
        return self._session.display.n_calls

    def _restore(self, moment: Moment) -> None:
        """Restore a moment and notify observers; what they set of it meanwhile is discarded."""
        before, past = self._session.display.selected(), unpack_mask(moment.bits, self._dataset.n_obs)
        try:
            with self._all_or_nothing():
                self._ask(moment.values, is_checked=True, needs=())
                now = self._session.mask
                self._session.select(past, rule=moment.rule)
                if not np.array_equal(past, now):
                    self._selection_changed(self._session.streams.selection)
                self._ask(moment.values, is_checked=True, needs=())
                with self._pinned_to(moment):  # for observers that answer each change by one of their own
                    self._ask(moment.values, is_checked=True, needs=())
                    self._select_again(past, moment.rule)
        except BaseException:
            self._select_again(*before)
            raise

    @contextmanager
    def _pinned_to(self, moment: Moment) -> Iterator[None]:
        """Force settings to their values in a moment, whatever is set."""
        self._pinned = moment.values
        try:
            yield
        finally:
            self._pinned = {}

    def _select_again(self, mask: NDArray[np.bool_], rule: Rule | None) -> None:
        """Restore a selection of which callbacks were already notified."""
        now = self._session.mask
        self._session.select(mask, rule=rule)
        if not np.array_equal(now, mask):
            self._exchange.send("selection", self._session.streams.selection)
        self.set_trait("n_selected", len(self.selection))

    def _tell_steps(self, undo: str, redo: str) -> None:
        self.set_trait("steps", {"undo": undo, "redo": redo, "n": next(self._n_steps)})

    def _check_open(self) -> None:
        if not self._open:
            raise ClosedDataset(f"this widget of {self._dataset.uri} was closed; open it again: CxgWidget(path).")

    def _push(self, stream: str, change: Change, since: Since) -> None:
        """Send a stream of the plot from a thread; if it fails, set its setting back to what is shown."""
        showing = self._session.streams
        streams: dict[str, Stream] = {
            "all": showing.show, "points": showing.points, "palette": showing.recolor, "filter": showing.filter,
            "color": showing.color, "color and filter": showing.color_and_filter,
        }  # fmt: skip
        kind = {"color and filter": "color", "all": "points"}.get(stream, stream)
        requested = [name for name in change.names if name in change.requested]
        names = [name for name in requested if BY_NAME[name].cost == kind] or requested
        before = {name: getattr(change.before, name) for name in names}
        if not self._exchange.is_busy(kind):
            self._shown_before[kind] = {}
        self._shown_before[kind] = {**before, **self._shown_before[kind]}
        counted = partial(self._session.costs.counted, kind, since=since)
        again = partial(self._between_steps, lambda: counted(streams[stream]()))
        self._exchange.send_soon(kind, again, on_failure=partial(self._set_back, before))

    def _push_panel(self, stream: str, panel: int) -> None:
        """Send a stream of a panel from a thread."""
        showing = self._session.streams
        streams: dict[str, Callable[[int], Iterator[Frame]]] = {
            "place": showing.place, "look": showing.look, "color": showing.look, "palette": showing.recolor,
            "filter": showing.panel_cells,
        }  # fmt: skip
        again = partial(self._between_steps, partial(streams[stream], panel))
        self._exchange.send_soon(stream, again, panel=panel)

    def _between_steps(self, stream: Stream) -> Iterator[Frame]:
        """Yield a stream, and again if it failed because a step in progress had changed half of its settings.

        An overtaken stream ends if no step has begun since: a newer one replaces it.
        """
        # Any failure: whatever looks a name up may miss a label column that the step has just removed.
        while True:
            settings, labels = self._session.settings, dict(self._dataset.own_columns)
            n_turns = self._history.n_turns
            try:
                yield from stream()
                return
            except Exception as error:
                self._history.wait()
                is_as_before = settings is self._session.settings and self._session.loader.has_labels(labels)
                if isinstance(error, Overtaken):
                    if is_as_before:
                        return
                elif is_as_before and n_turns == self._history.n_turns:  # a step may have ended as it began
                    raise

    def _set_back(self, values: Mapping[str, Any]) -> None:
        """Set settings that could not be shown back to those before, unless the widget was closed meanwhile."""
        if self._open:
            with self._history.mended(values):
                self._ask(values, is_checked=True, needs=())

    def _selection_changed(self, stream: Stream, request_id: int = 0, tell: Callable[[], object] | None = None) -> None:
        if self._exchange.send("selection", stream, request_id):
            (tell or self._tell_selection)()

    def _tell_selection(self) -> None:
        mask = self._session.mask
        with self._history.step():
            self.set_trait("n_selected", int(np.count_nonzero(mask)))
        if not self._callbacks.callbacks:
            return
        # Only if other cells are selected: two widgets that follow each other would loop without end.
        before, self._heard = self._heard, mask
        if before is None or not np.array_equal(before, mask):
            self._callbacks(self.selection)
