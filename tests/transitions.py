"""How settings change, recorded: what was asked of a widget, and which settings, frames and sentences came of it.

`transitions.json` holds walks. A walk begins with a new widget and goes on step by step. Of each step it has

- `ask`: what is asked, as `ask_of` takes it,
- `after`: the settings that have other values now,
- `selected`: how many cells are selected, where that changed,
- `sends`: the kinds of frames, "color@2" for those of panel 2,
- `says`: the sentences of what was refused.

To add a step, write its `ask`, run `make record` and read the diff.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from cxg_widget import CxgWidget
from cxg_widget.display.settings import STATE
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.packed_rows import as_json
from tests.memory import small
from tests.unit.test_tissue import FACTORS, quadrants

FILE = Path(__file__).parent / "transitions.json"
BROKEN = ("X/ZERO", "emb/broken", "obs/broken")
"""A gene, an embedding and a column that cannot be read."""
N_OBS = 60
_UNTOLD = {"cost", "progress"}
"""Frames whose number depends on what was read before."""
_IDENTITY = re.compile(r"memory#[0-9a-f]+")
"""Of a dataset in memory, another one each time."""
_NOW = "2026-01-01T00:00:00+00:00"


class InTurn:
    """Stands in for `compute.jobs.Jobs`: what is submitted runs in one thread, in its order, when it is asked for."""

    def __init__(self) -> None:
        self._jobs: list[tuple[Hashable, Callable[[], object], Future[None]]] = []
        self.threads: list[Any] = []

    def submit(self, slot: Hashable, job: Callable[[], object]) -> Future[None]:
        self.drop(slot)
        return self.queue(slot, job)

    def queue(self, slot: Hashable, job: Callable[[], object]) -> Future[None]:
        future: Future[None] = Future()
        self._jobs.append((slot, job, future))
        return future

    def drop(self, slot: Hashable) -> None:
        for one in [one for one in self._jobs if one[0] == slot]:
            self._jobs.remove(one)
            one[2].cancel()

    def is_busy(self, slot: Hashable) -> bool:
        return any(one[0] == slot for one in self._jobs)

    def finish(self, slot: Hashable) -> None:
        while self.is_busy(slot):
            self._next()

    def close(self) -> None:
        self._jobs.clear()

    def settle(self) -> None:
        while self._jobs:
            self._next()

    def _next(self) -> None:
        _, job, future = self._jobs.pop(0)
        try:
            job()
            future.set_result(None)
        except Exception as error:
            future.set_exception(error)


def dataset() -> Any:
    """Return sixty cells with a section under them, a layer, and parts that cannot be read."""
    made = small(N_OBS, broken=BROKEN)
    made._xy["spatial"] = np.abs(made._xy["umap"]) * 100
    made._xy["broken"] = made._xy["umap"]
    made.embeddings |= {"spatial": 2, "broken": 2}
    made._obs["broken"] = made._obs["cell_type"]
    made.obs_columns = {**made.obs_columns, "broken": type(made.obs_columns["cell_type"])("broken", "categorical", 3)}
    made.images = {"V1/hires": (quadrants(20, 30), FACTORS)}
    made.layers = ("raw",)
    return made


class Walker:
    """One widget that walks step by step, and what of it reaches its page.

    Attributes
    ----------
    page : the synced traits as the page has them
    spelt : those that it has in words of its own
    """

    def __init__(self, begin: dict[str, Any]) -> None:
        self.widget = CxgWidget(dataset(), restore=False, **begin)
        self.page: dict[str, Any] = {}
        self.spelt: set[str] = set()
        self._sent: list[dict[str, Any]] = []
        self.widget.comm.send = self._take
        self.widget.send_state()
        self.settle()
        self._sent.clear()

    def settle(self) -> None:
        self.widget._exchange.jobs.settle()

    def _take(self, data: Any = None, **_: Any) -> None:
        if data["method"] == "update":
            self.page |= data["state"]
            self.spelt -= data["state"].keys()
        elif data["method"] == "custom":
            self._sent.append(data["content"])

    def seen(self) -> dict[str, Any]:
        """Return the settings as JSON."""
        settings = self.widget._session.settings
        text = json.dumps({name: getattr(settings, name) for name in STATE}, default=as_json, sort_keys=True)
        now: dict[str, Any] = json.loads(_IDENTITY.sub("memory", text))
        now["annotations"] = [_short(one) for one in now["annotations"]]
        return now

    def step(self, ask: list[Any]) -> dict[str, Any]:
        """Ask, and return what came of it."""
        before, n_before = self.seen(), self.widget.n_selected
        said = []
        try:
            ask_of(self, *ask)
        except CxgWidgetError as error:
            said.append(f"{type(error).__name__}: {error}")
        self.settle()
        sent, self._sent = self._sent, []
        said += [f"{one['type']}: {one['message']}" for one in sent if one["kind"] == "error"]
        after = {name: value for name, value in self.seen().items() if value != before[name]}
        kinds = sorted({_kind(one) for one in sent if one["kind"] not in _UNTOLD})
        n = self.widget.n_selected
        found: dict[str, Any] = {"after": after, "selected": n if n != n_before else None, "sends": kinds, "says": said}
        return {"ask": ask, **{name: value for name, value in found.items() if value not in (None, [], {})}}


def _short(annotation: dict[str, Any]) -> dict[str, Any]:
    """Return an annotation with the last of its steps alone, and how many there are."""
    log = annotation["log"]
    return {"name": annotation["name"], "n_steps": len(log), "last": log[-1] if log else None}


def _kind(content: dict[str, Any]) -> str:
    kind = f"error {content['of']}" if content["kind"] == "error" else content["kind"]
    return f"{kind}@{content['panel']}" if content.get("panel") else str(kind)


def ask_of(walker: Walker, how: str, *what: Any) -> None:
    """Ask a widget for something, in one of the ways in which it can be asked."""
    widget = walker.widget
    if how == "set":
        for name, value in what[0].items():
            setattr(widget, name, value)
    elif how == "hold":
        with widget.hold_trait_notifications():
            for name, value in what[0].items():
                setattr(widget, name, value)
    elif how == "state":
        widget.state = what[0]
    elif how == "page":
        walker.page |= what[0]
        walker.spelt |= what[0].keys()
        widget.set_state(what[0])
    elif how == "message":
        widget._handle_custom_msg({"id": 1, **what[0]}, [])
    elif how == "restore":
        widget.state = {**json.loads(json.dumps(widget.state)), **what[0]}
    else:
        found: Any = widget
        for part in how.split("."):
            key = part.strip("[]")
            found = getattr(found, part) if key == part else found[int(key) if key.isdigit() else key]
        found(*what)


@contextmanager
def in_turn() -> Iterator[None]:
    """Run what widgets do in threads in one, at one time of day."""
    with (
        patch("cxg_widget.session.exchange.Jobs", InTurn),
        patch("cxg_widget.widget.annotations.now", lambda: _NOW),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def replay(begin: dict[str, Any], asks: list[list[Any]]) -> Iterator[tuple[Walker, dict[str, Any]]]:
    """Yield the widget and what came of each step."""
    with in_turn():
        walker = Walker(begin)
        try:
            for ask in asks:
                yield walker, walker.step(json.loads(json.dumps(ask)))
        finally:
            walker.widget.close()


def written(walks: list[dict[str, Any]]) -> str:
    """Return walks as JSON, a line a step."""
    parts = []
    for walk in walks:
        steps = ",\n".join(f"  {json.dumps(step)}" for step in walk["steps"])
        head = f'"walk": {json.dumps(walk["walk"])}, "begin": {json.dumps(walk["begin"])}'
        parts.append(f' {{{head}, "steps": [\n{steps}\n ]}}')
    return "[\n" + ",\n".join(parts) + "\n]\n"


def main() -> None:
    """Record all walks anew."""
    walks = json.loads(FILE.read_text(encoding="utf-8"))
    for walk in walks:
        walk["steps"] = [step for _, step in replay(walk["begin"], [step["ask"] for step in walk["steps"]])]
    FILE.write_text(written(walks), encoding="utf-8")


if __name__ == "__main__":
    main()
