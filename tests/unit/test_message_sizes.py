"""Sizes of messages at a million cells: hosts refuse those of more than 5 MB, or of 16 MiB after encoding as JSON.

There a byte takes up to four characters. docs/hosts.md names the largest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.session.streams.tissue import TissueParts
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame, cut_file

N = 1_000_000
MOST_BYTES = 1_100_000


class Counted:
    """A widget without a page, and how large what it sends is, by kind."""

    def __init__(self, frame: pd.DataFrame, **settings: Any) -> None:
        self.widget = CxgWidget(frame, embedding=("x", "y"), **settings)
        self.largest: dict[str, int] = {}
        self.widget._exchange._send = self._keep
        object.__setattr__(self.widget, "send_state", self._keep_state)
        self.ask(kind="ready", version=p.VERSION)
        self.ask(kind="begun")

    def ask(self, **request: Any) -> None:
        self.widget._receive(None, {**request, "id": 1}, [])
        for job in list(self.widget._exchange.jobs._waiting.values()):
            if not job.cancelled():
                job.result()

    def _keep(self, content: dict[str, Any], buffers: list[memoryview]) -> None:
        assert content["kind"] != "error", content
        size = len(json.dumps(content)) + sum(one.nbytes for one in buffers)
        self.largest[content["kind"]] = max(size, self.largest.get(content["kind"], 0))

    def _keep_state(self, key: Any = None) -> None:
        size = len(json.dumps(self.widget.get_state(key), default=str))
        self.largest["state"] = max(size, self.largest.get("state", 0))


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    names = [f"clone {i:05}" for i in range(5_000)]
    frame = pd.DataFrame({"x": rng.normal(size=N), "y": rng.normal(size=N), "value": rng.normal(size=N)})
    return frame.assign(clone=pd.Categorical.from_codes(rng.integers(0, len(names), N), names))


@pytest.fixture(autouse=True)
def _close() -> Iterator[None]:
    from ipywidgets import Widget

    yield
    Widget.close_all()


def test_points_colors_selections_columns_and_tables_of_a_million_cells_fit(cells: pd.DataFrame) -> None:
    page = Counted(cells, color="clone")
    page.widget.color = "value"
    page.ask(kind="count", panel=0)
    page.ask(kind="lasso", panel=0, polygon=[-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0], mode="replace")
    page.widget.sets["half"] = np.arange(N) % 2 == 0
    page.widget.filters = {"value": (0.0, None)}
    page.ask(kind="columns", panel=0, columns=["obs:clone", "obs:value"], known=["", ""])
    page.ask(kind="csv", panel=0, table={}, start=0, n=10_000)
    page.ask(kind="table", panel=0, table={}, start=0, n=1_000)
    page.ask(kind="module", known=[])
    page.widget.send_state()
    expected = {
        "points",
        "color",
        "codes",
        "values",
        "selection",
        "filter",
        "column",
        "csv",
        "table",
        "module",
        "state",
    }
    assert expected <= set(page.largest)
    assert max(page.largest.values()) <= MOST_BYTES


@pytest.mark.parametrize("color", ["clone", "value", None])
def test_images_of_a_million_cells_on_a_large_screen_fit(cells: pd.DataFrame, color: str | None) -> None:
    page = Counted(cells, color=color, max_points=1_000)
    about = {"highlighted": -1, "dark": False, "diameter": 6.0}
    page.ask(kind="aggregate", panel=0, view=[-3.0, 3.0, -3.0, 3.0], width=3_840, height=2_160, **about)
    assert 0 < page.largest["image"] <= MOST_BYTES


def test_parts_of_a_file_are_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = np.random.default_rng(0).integers(0, 256, 3_500_000, dtype=np.uint8)
    parts = cut_file(file)
    assert len(parts) == 4
    assert np.array_equal(np.concatenate(parts), file)
    assert len(cut_file(b"")) == 1
    whole = Frame(p.Tissue("a", [0.0, 1.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0], 1, 0.0, 0.0), {"jpeg": file})
    monkeypatch.setattr(TissueParts, "frame", lambda *_: whole)
    frames = list(TissueParts.frames(object.__new__(TissueParts), p.AskTissue("a", [0.0, 1.0, 0.0, 1.0], 1, 1)))
    assert [replace(one.message, part=0, parts=1) for one in frames] == [whole.message] * 4
    assert np.array_equal(np.concatenate([one.arrays["jpeg"] for one in frames]), file)
