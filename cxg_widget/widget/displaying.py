"""Displays a widget: its live view, and a picture for readers without a kernel, also inside boxes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import traitlets
from ipywidgets import Box

from cxg_widget.compute.jobs import AT_REST, wait_for
from cxg_widget.widget.answering import AnsweringWidget
from cxg_widget.widget.static_picture import NotebookPicture

_NO_PAGE_S = 3.0
"""A page has greeted by then: it sends a picture of its own once it rests, and needs the processor meanwhile."""
_callbacks: WeakKeyDictionary[Any, Callable[[], None]] = WeakKeyDictionary()
"""Per shell, the callback that shows pictures of widgets in boxes that the running cell displayed."""


class DisplayingWidget(AnsweringWidget):
    """Displays itself, and keeps the picture that the notebook saves."""

    _picture: NotebookPicture
    _is_shown = False

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        if data is not None:
            data.update(self._picture.drawn(html=False))
        return bundle

    def _ipython_display_(self, **kwargs: Any) -> None:
        """Display the live view and, for readers without a kernel, a picture that the live view hides."""
        from IPython.display import display

        if not self._open:
            display({"text/plain": repr(self)}, raw=True)  # type: ignore[no-untyped-call]
            return
        live = super()._repr_mimebundle_(**kwargs)
        data, metadata = live if isinstance(live, tuple) else (live, {})
        display(data, metadata=metadata, raw=True)  # type: ignore[no-untyped-call]
        self._display_still()

    def _display_still(self) -> None:
        """Display the picture for readers without a kernel; one of the front-end replaces it later."""
        if not self._open:
            return
        self._send_early()
        self._picture.display()
        AT_REST.call(self._picture, _NO_PAGE_S, lambda: self._exchange.jobs.submit("still", self._picture.complete))

    @traitlets.observe("_snapshot")
    def _keep_still(self, change: Any) -> None:
        """Replace the kernel's picture by the one that the front-end took."""
        if self._open:
            self._picture.replace(change["new"])

    def _send_early(self) -> None:
        """Send the first points; the picture for readers without a kernel then waits for the same data."""
        if not self._is_shown:
            self._is_shown = True
            wait_for(self._exchange.send_soon("early", self._session.streams.early))


def held_in(box: Any, kind: type) -> Iterator[Any]:
    """Yield the widgets of a kind inside a box, at any depth, each once, in order."""
    seen, todo = set(), [box]
    while todo:
        widget = todo.pop()
        if id(widget) in seen:
            continue
        seen.add(id(widget))
        if isinstance(widget, kind):
            yield widget
        elif isinstance(widget, Box):
            todo.extend(reversed(widget.children))


def watch_boxes(kind: type[DisplayingWidget]) -> None:
    """In a notebook, also show pictures of widgets inside boxes, which keep none by themselves.

    They are shown after the cell is done, so the live view of the box never waits for a picture.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None or shell in _callbacks or not hasattr(shell, "display_formatter"):  # Solara's shell has none
        return
    waiting: list[Any] = []
    formatter = shell.display_formatter.mimebundle_formatter
    former = formatter.for_type(Box)

    def show_waiting() -> None:
        shown, waiting[:] = list(waiting), []
        for widget in {id(widget): widget for box in shown for widget in held_in(box, kind)}.values():
            widget._display_still()

    def bundle(box: Any) -> Any:
        waiting.append(box)
        return box._repr_mimebundle_() if former is None else former(box)

    _callbacks[shell] = show_waiting
    formatter.for_type(Box, bundle)
    shell.events.register("post_execute", show_waiting)
