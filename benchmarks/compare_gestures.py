"""Response times of gestures during a comparison, and how soon a canceled comparison ends.

A widget gets the requests of the page for a lasso of half of the cells and for a hover: first alone, then repeatedly
during a comparison that the page started.
``python -m benchmarks.compare_gestures FOLDER`` prints a table for the stores of `compare.py` in a folder; `compare.py`
appends it to its page.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

from benchmarks.compare_stores import STORES

METHODS = ("t-test", "wilcoxon")
CANCEL = "canceled after, s"
_ABOUT = """Response times of a lasso of half of the cells and of a hover, requested as by the page, 30 ms apart: alone,
and while half of the cells are compared with the others, as from the page, in a thread of low priority. "canceled
after" is the longest time from a request to cancel to the end of the comparison."""
CALLS = 40
PAUSE_S = 0.03
"""Pause between two gestures of a hand, in which an idle processor loses its caches."""
_BOX = [-9.0, -9.0, 0.0, -9.0, 0.0, 9.0, -9.0, 9.0]
REQUESTS: dict[str, dict[str, Any]] = {
    "lasso": {"kind": "lasso", "polygon": _BOX, "mode": "replace"},
    "hover": {"kind": "hover", "x": 0.1, "y": 0.1, "radius_x": 0.01, "radius_y": 0.01},
}


def measure_gestures(path: Path, method: str) -> dict[str, tuple[float, float]]:
    """Return the ms of each gesture alone and during a comparison, medians; and the s until a canceled one ended."""
    from cxg_widget import CxgWidget

    widget = CxgWidget(str(path))
    try:
        a = np.random.default_rng(3).random(widget.dataset.n_obs) < 0.5
        widget.sets.add("half", a)
        widget.compare("half", method=method, genes=[widget.dataset.var_labels[0]])
        found = {}
        for name, request in REQUESTS.items():
            alone = [_answered(widget, request) for _ in range(CALLS)]
            found[name] = statistics.median(alone), statistics.median(_while(widget, method, request))
        return {**found, CANCEL: (0.0, _given_up(widget, a, method))}
    finally:
        widget.close()


def _asked(widget: Any, number: int, request: dict[str, Any]) -> Event:
    """Send a request as the page does, and return the event that is set when it is answered."""
    done, before = Event(), widget._exchange._send

    def send(content: dict[str, Any], buffers: Any = None) -> None:
        if content.get("id") == number:
            done.set()
        before(content, buffers)

    widget._exchange._send = send
    widget._handle_custom_msg({"id": number, **request}, [])
    return done


def _answered(widget: Any, request: dict[str, Any]) -> float:
    """Return the ms until a request is answered."""
    before, began = widget._exchange._send, time.perf_counter()
    assert _asked(widget, 7, request).wait(60)
    taken = 1e3 * (time.perf_counter() - began)
    widget._exchange._send = before
    time.sleep(PAUSE_S)
    return taken


def _while(widget: Any, method: str, request: dict[str, Any]) -> list[float]:
    """Return the ms of a request, repeatedly, during a comparison."""
    before = widget._exchange._send
    done = _asked(widget, 8, {"kind": "compare", "a": "set:half", "b": "rest", "method": method, "normalize": False})
    taken = []
    while not done.is_set():
        taken.append(_answered(widget, request))
    widget._exchange._send = before
    return taken[1:-1]


def _given_up(widget: Any, a: Any, method: str) -> float:
    """Return the longest s from a request to cancel to the end, of some requests spread over a comparison."""
    from cxg_widget.compare.matrix_statistics import MatrixStats
    from cxg_widget.compare.question import Question, compare
    from cxg_widget.errors import Cancelled

    def work(cancelled: Callable[[], bool], ended: list[float]) -> None:
        try:
            compare(MatrixStats(widget.dataset, cancelled=cancelled), a, ~a, Question(method))
        except Cancelled:
            ended.append(time.perf_counter())

    longest = 0.0
    for delay in (0.05, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0):
        wish, ended = Event(), list[float]()
        thread = Thread(target=work, args=(wish.is_set, ended))
        thread.start()
        time.sleep(delay)
        began = time.perf_counter()
        wish.set()
        thread.join()
        if ended:
            longest = max(longest, ended[0] - began)
    return longest


def table(folder: Path) -> str:
    """Return the measurements of the stores in a folder as Markdown."""
    found = {
        (store, method): measure_gestures(folder / name, method) for store, name in STORES.items() for method in METHODS
    }
    heads = "".join(f" {store}: alone | during |" for store in STORES)
    lines = [f"| | |{heads}", f"| --- | --- |{' --: | --: |' * len(STORES)}"]
    for method in METHODS:
        for what in (*REQUESTS, CANCEL):
            pairs = [found[store, method][what] for store in STORES]
            cells = [f" | {later:.2f}" if what == CANCEL else f"{alone:.1f} | {later:.1f}" for alone, later in pairs]
            lines.append(f"| {method} | {what if what == CANCEL else what + ', ms'} | {' | '.join(cells)} |")
    return "\n".join(["## Gestures during a comparison", "", _ABOUT, "", *lines, ""])


def main() -> None:
    """Print the table of the folder named on the command line."""
    print(table(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
