"""Handles messages of the page, requests and changed settings, and sends answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import traitlets

from cxg_widget.color.limits import LIMITS
from cxg_widget.compute.jobs import AT_REST, Jobs, on_this_loop
from cxg_widget.display.settings import STATE, Settings, check
from cxg_widget.errors import (
    CxgWidgetError,
    ProtocolError,
)
from cxg_widget.session.analysis.meant import MeantCells, note_call
from cxg_widget.session.answers import needs_no_reading, select_later
from cxg_widget.session.changes import FIRST
from cxg_widget.session.costs import Since
from cxg_widget.session.routes import ROUTES
from cxg_widget.widget.annotation_edits import edited
from cxg_widget.widget.changing import ChangingWidget
from cxg_widget.widget.keeping import merged
from cxg_widget.wire import protocol
from cxg_widget.wire.frames import Frame, cut_file
from cxg_widget.wire.parsing import check_envelope, parse

if TYPE_CHECKING:
    from cxg_widget.widget.kept_states import KeptState


class PageChanges:
    """Queue of settings that the page changed. A thread validates them in order; then they are applied.

    Parameters
    ----------
    jobs : threads
    judge : reads what a change, {trait: value}, needs, and raises where it does not fit
    take : applies a change, without the traits that Python has set meanwhile; also takes what had been read before the
        request, and the error that `judge` raised, or None
    """

    def __init__(
        self,
        jobs: Jobs,
        judge: Callable[[dict[str, Any]], object],
        take: Callable[[dict[str, Any], Since, BaseException | None], object],
    ) -> None:
        self._jobs, self._judge, self._take = jobs, judge, take
        self._n_set: Counter[str] = Counter()
        self._n_waiting = 0

    @property
    def are_waiting(self) -> bool:
        """Whether changes are queued; a new one then waits behind them."""
        return self._n_waiting > 0

    def note_set(self, traits: Iterable[str]) -> None:
        """Note that Python has set traits: queued values of the page for them are dropped."""
        self._n_set.update(traits)

    def queue(self, change: dict[str, Any], since: Since) -> None:
        """Queue a change; since : what had been read before the request."""
        self._n_waiting += 1
        known, judged = {name: self._n_set[name] for name in change}, Future[None]()

        def finish() -> None:
            self._n_waiting -= 1
            kept = {name: value for name, value in change.items() if self._n_set[name] == known[name]}
            self._take(kept, since, judged.exception())

        finish_here = on_this_loop(finish)

        def job() -> None:
            try:
                self._judge(change)
            except Exception as error:  # whatever the error, the next change is due
                judged.set_exception(error)
            else:
                judged.set_result(None)
            finish_here()

        self._jobs.queue("page", job)


_OF_KERNEL = ("n_selected", "steps")
"""Traits that the page only reads; hosts that send back the whole state send these too."""


class AnsweringWidget(ChangingWidget):
    """A widget that answers its page."""

    _picture: Hashable
    open_panels: Any
    _call_in_session: Callable[[Callable[[], object]], object] | None
    _color_of_itself: str | None
    _given: dict[str, Any]
    state: Any
    _text_of: Callable[[str], str]

    def _edit_set(self, message: protocol.EditSet) -> Iterator[Frame]:
        with self._step():
            self.sets.edit(message)
        yield self._session.sets.frame()

    def _edit_annotation(self, message: protocol.EditAnnotation) -> Iterator[Frame]:
        with self._step():
            answer = edited(self, message)
        yield Frame(answer)

    def _go(self, message: protocol.Undo) -> Iterator[Frame]:
        if message.redo:
            self.redo()
        else:
            self.undo()
        yield from ()  # its effects are sent as those of any change

    def _note(self, method: str, within: Any, /, *cells: Mapping[str, MeantCells], **options: Any) -> None:
        """Remember a call with a result; parameters as of `note_call`, within : as `population_of` takes it."""
        note_call(self._session.display, method, self._session.population(within), *cells, **options)

    def _code(self, message: protocol.AskCode) -> Iterator[Frame]:
        parts = cut_file(self._text_of(message.part).encode())
        for at, part in enumerate(parts):
            yield Frame(protocol.FigurePart(at, len(parts)), {"file": part})

    def _offer_kept(self) -> None:
        """Offer the page the states that earlier widgets of this dataset saved."""
        if (frame := self._keeper.offer()) is not None and self._open:
            self._exchange.send("kept", lambda: iter([frame]))

    def _restore_offered(self, message: protocol.Restore) -> Iterator[Frame]:
        kept = self._keeper.answer(message.name)
        if kept is not None:
            self._restore_kept(kept)
        yield self._keeper.end_offer()

    def _restore_kept(self, kept: KeptState) -> None:
        """Restore a saved state as one step; raises as `state`, and then changes nothing."""
        self.state = merged(self._keeper.read(kept), self._session.settings, self._given)

    def _announce(self, frame: Frame) -> None:
        message = frame.message
        if isinstance(message, protocol.Progress) and (message.of, message.ends_by) == ("reading", ""):
            frame = Frame(replace(message, ends_by="color" if self._exchange.is_busy("color") else ""))
        if self._built and self._open:
            self._exchange.send(message.kind, lambda: iter([frame]))

    def _cancel(self, message: protocol.Cancel) -> Iterator[Frame]:
        """Cancel requested work; a setting still in progress is set back to what is shown."""
        if message.of not in ("points", "color"):
            self._exchange.cancel(message.of, message.panel)
            yield from self._session.answer(message)
        elif self._exchange.is_busy(message.of, message.panel):
            self._set_back(self._shown_before[message.of])

    def _send(self, msg: Any, buffers: Any = None) -> None:
        """Send to the front-end; does nothing if another thread closes the widget meanwhile."""
        send = super()._send

        def send_while_open() -> None:
            try:
                send(msg, buffers)
            except Exception:
                if self._open or not self._built:
                    raise

        if self._call_in_session is None:
            send_while_open()
        else:
            self._call_in_session(send_while_open)

    def _handle_msg(self, msg: Any) -> None:
        """Handle a message of the comm; show an unknown one, for which ipywidgets would print a traceback."""
        try:
            check_envelope(msg)
        except ProtocolError as error:
            self._exchange.fail("message", error)
            return
        try:
            super()._handle_msg(msg)
        except CxgWidgetError as error:
            self._exchange.fail("message", error)

    def _receive(self, _: Any, content: Any, buffers: list[Any]) -> None:  # noqa: ARG002
        """Answer a request: gestures at once, slow work in a thread. Does nothing after `close`."""
        if not self._open:
            return
        try:
            request_id, message = parse(content)
        except Exception as error:  # whatever the error, the kernel goes on
            self._exchange.fail("message", error)
            return
        lane, kind = ROUTES[type(message)].lane, message.kind
        if lane == "gesture":
            self._select(message, request_id)
        elif lane == "widget":
            self._exchange.send(kind, partial(_OWN[type(message)], self, message), request_id)
        else:
            panel = message.panel if isinstance(message, protocol.OfPanel) else 0
            kind = message.slot if isinstance(message, protocol.AskStudy) else kind
            self._exchange.send_soon(kind, lambda: self._session.answer(message), request_id, panel=panel)
        if isinstance(message, protocol.Ready):
            AT_REST.drop(self._picture)  # a page sends one of all cells
        elif isinstance(message, protocol.Begun):  # the first points are sent, so there is time now
            self._exchange.jobs.submit("names", self._dataset.read_names)
            self._exchange.jobs.submit("kept", self._offer_kept)
        elif isinstance(message, protocol.AskModule):
            self._draws_panels = True
            self._prepare_panels()
        elif isinstance(message, protocol.Hover):
            self._exchange.jobs.submit("held", self._session.pointer.prepare)

    @traitlets.observe("open_panels")
    def _prepare_panels(self, _: object = None) -> None:
        """Load the loops of panels, 170 MB, once a page that has their module opens one."""
        if self._draws_panels and self.open_panels:
            self._exchange.jobs.submit("loops", self._session.prepare_columns)

    def _select(self, message: Any, request_id: int) -> None:
        """Answer a gesture at once, or in a thread, after earlier gestures, if data must be read first."""
        if isinstance(message, protocol.Clear):
            self._selection_changed(lambda: self._session.answer(message), request_id)
            return
        if not self._exchange.jobs.is_busy("lasso") and needs_no_reading(self._session, message):
            self._selection_changed(lambda: self._session.answer(message, is_from_memory=True), request_id)
            return
        answer, tell = select_later(self._session, message), on_this_loop(self._tell_selection)
        self._exchange.jobs.queue("lasso", lambda: self._selection_changed(answer, request_id, tell))

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Apply changes of the front-end; an invalid one is reported there and set back."""
        if not self._open:
            return
        since, valid = self._session.costs.now(), self._valid(sync_data)
        self._refuse(("hidden",), self._session.check.hidden, valid)
        if "color" not in valid and "layer" not in valid:
            self._refuse((*LIMITS, "scale"), self._session.check.limits, valid)
        self._refuse(("filters",), self._session.check.named, valid)
        if self._of_page.are_waiting or not self._session.loader.crossfilter.holds(valid.get("filters", ())):
            self._of_page.queue(valid, since)
        else:
            self._take(valid, since)

    def _valid(self, sync_data: dict[str, Any]) -> dict[str, Any]:
        """Return the values of the front-end that are valid, each checked by itself."""
        valid: dict[str, Any] = {}
        sync_data = {name: value for name, value in sync_data.items() if name not in _OF_KERNEL}
        for name, value in sorted(sync_data.items(), key=lambda one: one[0] not in FIRST):  # others may name these
            try:
                valid[name] = self._checked(name, value, self._having(valid)) if name in STATE else value
            except Exception as error:  # whatever the error, the kernel goes on
                self._leave_out((name,), error, valid)
        return valid if self._of_page.are_waiting else self._new(valid)  # queued changes may alter what is current

    def _checked(self, name: str, value: Any, settings: Settings) -> Any:
        """Return a value of the page as its check does; the page knows some objects by a name or by colors alone."""
        of_page = self.trait_metadata(name, "from_json", lambda value, _: value)
        return check(name, of_page(value, self), self._dataset, settings)

    def _new(self, valid: dict[str, Any]) -> dict[str, Any]:
        """Return the values that changed: some hosts send the whole state of the page with each change."""
        return {name: one for name, one in valid.items() if name not in STATE or one != self._kept(name)}

    def _having(self, valid: dict[str, Any]) -> Settings:
        return self._session.settings.having({name: value for name, value in valid.items() if name in STATE})

    def _judge_filters(self, change: dict[str, Any]) -> None:
        if "filters" in change:
            self._session.loader.of(self._having(change)).filtered()

    def _take(self, valid: dict[str, Any], since: Since, refused: BaseException | None = None) -> None:
        """Apply changes of the front-end, without its filters if they do not fit the data."""
        if not self._open:
            return
        if isinstance(refused, Exception):
            self._leave_out(("filters",), refused, valid)
        for name in ("contours", "difference"):
            self._refuse((name,), self._session.check.on_plot, valid)
        try:
            with self._step():
                with self._hold_back() as requested:
                    super().set_state(valid)
                with self._lock_property(**{name: valid[name] for name in requested}):
                    self._ask(self._new(requested), is_checked=True, needs=(), since=since)
        except CxgWidgetError as error:  # Overtaken too, if other cells are shown by now
            self._exchange.fail("setting", error)
            self.send_state([name for name in valid if name in self.keys])
        except traitlets.TraitError as error:  # of what ipywidgets and anywidget sync
            self._exchange.fail("setting", ProtocolError(f"a setting does not fit: {error}"))
            self.send_state([name for name in valid if name in self.keys])

    def _refuse(self, names: Iterable[str], judge: Callable[[Settings], object], valid: dict[str, Any]) -> None:
        """Drop settings of the front-end that do not fit the data or each other, and report them there."""
        if requested := [name for name in names if name in valid]:
            try:
                judge(self._having(valid))
            except CxgWidgetError as error:
                self._leave_out(requested, error, valid)

    def _leave_out(self, names: Collection[str], error: Exception, valid: dict[str, Any]) -> None:
        self._exchange.fail("filter" if "filters" in names else "setting", error)  # the page takes back the stream
        for name in names:
            valid.pop(name, None)
            if name in self.keys:
                self.send_state(name)

    def _drop_unreadable(self, prepared: Future[None]) -> None:
        """Drop the default color if the dataset cannot read it: nobody requested it."""
        if prepared.cancelled() or prepared.exception() is None or not self._open:
            return
        try:
            self._session.coloring()
        except CxgWidgetError as error:
            if self.color == self._color_of_itself:
                self._set_back({"color": None})
                self._exchange.fail("color", error)


_OWN: Mapping[type[protocol.Message], Callable[[Any, Any], Iterator[Frame]]] = {
    protocol.Restore: AnsweringWidget._restore_offered,
    protocol.Undo: AnsweringWidget._go,
    protocol.Cancel: AnsweringWidget._cancel,
    protocol.EditSet: AnsweringWidget._edit_set,
    protocol.EditAnnotation: AnsweringWidget._edit_annotation,
    protocol.AskCode: AnsweringWidget._code,
}
"""Requests that the widget answers itself, since they change what Python sees."""

if set(_OWN) != {one for one, route in ROUTES.items() if route.lane == "widget"}:
    raise TypeError("each request whose lane is the widget needs an answer of the widget, and no other has one")
