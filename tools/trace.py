"""Count the files of the package that run code for each action of a user: how far a reader has to follow it.

`make trace` prints a row for each action, `python -m tools.trace color` the files of one, in their order.
"""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import cxg_widget
from cxg_widget import CxgWidget
from cxg_widget.compute import jobs
from cxg_widget.datasets.cxg.demo import write_demo

N_OBS = 3_000
_PACKAGE = str(Path(cxg_widget.__file__).parent) + "/"


class Trace:
    """Which files of the package run code while `recording`, and how many calls they take.

    Attributes
    ----------
    files : in the order in which they first run
    n_calls : of functions of the package
    """

    def __init__(self) -> None:
        self.files: dict[str, None] = {}
        self.n_calls = 0
        self._is_on = False

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Take note of what runs in this thread, and in threads that began within `threads`."""
        self._is_on = True
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            self._is_on = False

    @contextmanager
    def threads(self) -> Iterator[None]:
        """Let threads that begin meanwhile be listened to."""
        threading.setprofile(self._note)
        try:
            yield
        finally:
            threading.setprofile(None)  # type: ignore[arg-type]

    def clear(self) -> None:
        """Forget what has run so far."""
        self.files, self.n_calls = {}, 0

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        # The body of a module runs once in a process, whoever is first to import it: no part of an action.
        if self._is_on and event == "call" and code.co_filename.startswith(_PACKAGE) and code.co_name != "<module>":
            self.files[code.co_filename.removeprefix(_PACKAGE)] = None
            self.n_calls += 1


def _ask(widget: CxgWidget, **request: Any) -> None:
    widget._handle_custom_msg({"id": 1, **request}, [])


_BOX = [-99, -99, 99, -99, 99, 99, -99, 99]
ACTIONS: dict[str, Callable[[CxgWidget], object]] = {
    "color": lambda w: setattr(w, "color", "leiden"),
    "color by a gene": lambda w: setattr(w, "color", "CD3E"),
    "the same color again": lambda w: setattr(w, "color", "CD3E"),
    "point_size": lambda w: setattr(w, "point_size", 5),
    "lasso": lambda w: _ask(w, kind="lasso", polygon=_BOX, mode="replace"),
    "selection.obs": lambda w: w.selection.obs(["cell_type"]),
    "filter": lambda w: w.set_state({"filters": [{"obs": "n_genes", "range": [500, None]}]}),
    "brush": lambda w: _ask(w, kind="brush", column="obs:n_genes", columns=["obs:cell_type"], rows=[[0, 1]]),
    "hover": lambda w: _ask(w, kind="hover", x=0.0, y=0.0, radius_x=1.0, radius_y=1.0),
    "sets.add": lambda w: w.sets.add("chosen", {"cell_type": "NK cell"}),
    "undo": lambda w: w.undo(),
    "compare": lambda w: w.compare({"cell_type": "NK cell"}),
}
"""What a user does, each for the first time in a widget whose first picture is there."""


def traced(path: Path) -> dict[str, Trace]:
    """Return what runs for each action, in one widget of a dataset."""
    found, trace = {}, Trace()
    jobs.IDLE_S = 3600.0  # on a busy machine idle threads would end within an action, and their files count as its own
    with trace.threads():
        widget = CxgWidget(path, restore=False)
        widget._exchange._send = lambda *_: None
        for name, act in {"": lambda w: _ask(w, kind="ready", version=2), **ACTIONS}.items():
            _settle(widget)
            trace.clear()
            with trace.recording():
                act(widget)
                _settle(widget)
            if name:
                found[name] = Trace()
                found[name].files, found[name].n_calls = dict(trace.files), trace.n_calls
        widget.close()
    return found


def _settle(widget: CxgWidget) -> None:
    waiting = None
    while waiting != (waiting := list(widget._exchange.jobs._waiting.values())):
        for future in waiting:
            ended = threading.Event()  # not by the package's own function, which would count
            future.add_done_callback(lambda _, ended=ended: ended.set())
            ended.wait()


def main() -> None:
    """Print a row for each action, or the files of those that are named."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.cxg"
        write_demo(path, N_OBS, seed=0)
        for name, trace in traced(path).items():
            if not sys.argv[1:]:
                print(f"{name:22} {len(trace.files):3} files {trace.n_calls:6,} calls")
            elif name in sys.argv[1:]:
                print(f"{name}: {len(trace.files)} files", *trace.files, sep="\n  ")


if __name__ == "__main__":
    main()
