"""Pictures of widgets inside the boxes of ipywidgets, which show themselves and keep none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

from ipywidgets import Box

_callbacks: WeakKeyDictionary[Any, Callable[[], None]] = WeakKeyDictionary()
"""By shell: what shows the pictures of the boxes that its running cell has shown."""


def held_in(box: Any, kind: type) -> Iterator[Any]:
    """Yield the widgets of a kind inside a box, at any depth, each once, in their order."""
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


def show_pictures_of_boxes(shell: Any, kind: type, show: Callable[[Any], None]) -> None:
    """Call `show` for each widget of a kind in a box that a cell has shown, once the cell is done.

    What a box shows of itself stays as it is: its live view comes first, and waits for no picture.
    """
    if shell in _callbacks:
        return
    waiting: list[Any] = []
    formatter = shell.display_formatter.mimebundle_formatter
    former = formatter.for_type(Box)

    def show_waiting() -> None:
        shown, waiting[:] = list(waiting), []
        for widget in {id(widget): widget for box in shown for widget in held_in(box, kind)}.values():
            show(widget)

    def bundle(box: Any) -> Any:
        waiting.append(box)
        return box._repr_mimebundle_() if former is None else former(box)

    _callbacks[shell] = show_waiting
    formatter.for_type(Box, bundle)
    shell.events.register("post_execute", show_waiting)
