"""Gestures while cells are compared, and how soon a comparison ends that nobody waits for any more.

A lasso of half of the cells, and a hover, are sent to a widget as the page sends them, and answered as it is: first
alone, then again and again while a thread compares. ``python -m benchmarks.compare_beside STORE`` prints a table.
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

CALLS = 20
_BOX = [-9.0, -9.0, 0.0, -9.0, 0.0, 9.0, -9.0, 9.0]
REQUESTS: dict[str, dict[str, Any]] = {
    "lasso": {"kind": "lasso", "polygon": _BOX, "mode": "replace"},
    "hover": {"kind": "hover", "x": 0.1, "y": 0.1, "radius_x": 0.01, "radius_y": 0.01},
}


def beside(path: Path, method: str) -> dict[str, tuple[float, float]]:
    """Return ms of each gesture alone and while cells are compared, the median of calls; and s until one gave up."""
    from cxg_widget import CxgWidget

    widget = CxgWidget(str(path))
    try:
        a = np.random.default_rng(3).random(widget.dataset.n_obs) < 0.5
        widget.compare(a, method=method, genes=[widget.dataset.var_labels[0]])
        found = {}
        for name, request in REQUESTS.items():
            alone = [_answered(widget, request) for _ in range(CALLS)]
            found[name] = statistics.median(alone), statistics.median(_while(widget, a, method, request))
        return {**found, "cancel": (0.0, _given_up(widget, a, method))}
    finally:
        widget.close()


def _answered(widget: Any, request: dict[str, Any]) -> float:
    """Return ms until a request is answered."""
    done = Event()

    def send(content: dict[str, Any], buffers: Any = None) -> None:  # noqa: ARG001
        if content.get("id") == 7:
            done.set()

    widget._exchange._send = send
    began = time.perf_counter()
    widget._handle_custom_msg({"id": 7, **request}, [])
    assert done.wait(60)
    return 1e3 * (time.perf_counter() - began)


def _while(widget: Any, a: Any, method: str, request: dict[str, Any]) -> list[float]:
    """Return ms of a request, again and again, while cells are compared."""
    thread = Thread(target=widget.compare, args=(a,), kwargs={"method": method})
    thread.start()
    taken = []
    while thread.is_alive():
        taken.append(_answered(widget, request))
        time.sleep(0.03)  # as fast as a hand
    return taken[1:-1]


def _given_up(widget: Any, a: Any, method: str) -> float:
    """Return the longest s from the wish to give up to its end, of some wishes spread over a comparison."""
    from cxg_widget.compare.matrix import Matrix
    from cxg_widget.compare.question import Question
    from cxg_widget.compare.two_sets import compare
    from cxg_widget.errors import Cancelled

    def work(cancelled: Callable[[], bool], ended: list[float]) -> None:
        try:
            compare(Matrix(widget.dataset, cancelled=cancelled), a, ~a, Question(method))
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


def main() -> None:
    """Print what was measured of the store that the command line names."""
    print("| | | alone | meanwhile |\n| --- | --- | --: | --: |")
    for method in ("t-test", "wilcoxon"):
        for what, (alone, meanwhile) in beside(Path(sys.argv[1]), method).items():
            told = ("", f"{meanwhile:.2f} s") if what == "cancel" else (f"{alone:.1f} ms", f"{meanwhile:.1f} ms")
            print(f"| {method} | {what} | {told[0]} | {told[1]} |", flush=True)


if __name__ == "__main__":
    main()
