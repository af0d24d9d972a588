"""The widget behind a proxy: 300 ms for a round trip, messages one at a time, 5 MB at most, a connection that drops.

Nothing here looks at a clock: round trips are counted. A message from the kernel has come after as many of them as the
page, one after the other, had to wait for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiledb
from matplotlib.path import Path as Polygon

from tests.browser.rest import WATCH
from tests.browser.shown import ring
from tests.hosts.stage import Stage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PROXY = (Path(__file__).parent / "slow_socket.js").read_text()
SHOW = "from cxg_widget import CxgWidget\nw = CxgWidget('small.cxg', color='cell_type'{more})\nw"
FRAME = """import numpy as np, pandas as pd
from cxg_widget import CxgWidget
x, y = np.random.default_rng(0).normal(size=(2, 2000))
frame = pd.DataFrame({"x": x, "y": y, "u": 10 * y, "v": x, "h": x + y, "k": x - y})
w = CxgWidget(frame, embedding=("x", "y"), embeddings={"turned": ("u", "v")}, color="h")
w"""
MOST_BYTES = 5_000_000
MOST_BYTES_OF_GESTURE = 2_000
"""To the kernel, with the headers of its messages: about 430 bytes each."""
LOST = "Connection lost. Waiting for the kernel."
LATER = """
import os, threading, time
def change_later():
    while not os.path.exists({go!r}):
        time.sleep(0.02)
    {change}
threading.Thread(target=change_later, daemon=True).start()
"""


@pytest.fixture(scope="module")
def opened(chromium: Any, lab: Any, folder: Path) -> Iterator[Stage]:
    one = Stage(chromium, lab, folder, "slow.ipynb", init_script=PROXY + ";" + WATCH)
    one.page.evaluate("(most) => Object.assign(cxgSlow, { ms: 150, most })", MOST_BYTES)
    yield one
    one.close()


@pytest.fixture
def stage(opened: Stage) -> Iterator[Stage]:
    """A notebook behind the proxy, which refuses no message while a test uses it."""
    yield opened
    assert opened.page.evaluate("cxgSlow.refused") == []
    assert opened.complaints == []


@pytest.fixture(scope="module")
def xy(folder: Path) -> np.ndarray:
    with tiledb.open(str(folder / "small.cxg" / "emb" / "umap")) as store:
        return np.asarray(store[:], dtype=np.float64)


def show(stage: Stage, more: str = "") -> None:
    stage.page.evaluate("cxgSlow.reset()")
    stage.show(SHOW.format(more=more))


def come(stage: Stage, *kinds: str) -> int:
    """Return after how many round trips the last answer of some kinds has come, once there is one."""

    def depths() -> list[int]:
        return [depth for kind, _, depth in stage.page.evaluate("cxgSlow.received") if kind in kinds and depth > 0]

    stage.until(depths)
    stage.settle()
    return max(depths())


NOTE_WAITING = """(plot) => {
    globalThis.cxgSaid = new Set();
    const note = () => {
        const one = plot.getRootNode().querySelector(".late");
        if (one?.checkVisibility({ visibilityProperty: true })) cxgSaid.add(one.textContent);
    };
    setInterval(note, 20);
}"""
"""Notes what the page says to wait for; to be run with the plot."""


def sent(stage: Stage) -> int:
    """Return how many bytes went to the kernel, without the picture for readers who have none."""
    return sum(n for kind, n in stage.page.evaluate("cxgSlow.sent") if kind != "still")


def lose(stage: Stage, kind: str) -> None:
    """Lose the connection with the next message of a kind."""
    stage.page.evaluate("(kind) => (cxgSlow.dropAt = kind)", kind)


def lose_at(stage: Stage, kind: str, change: str) -> None:
    """Let the kernel change something by itself, and lose the connection with the message of a kind that says so."""
    go = stage.lab.root / "go"
    go.unlink(missing_ok=True)
    stage.ask(LATER.format(go=str(go), change=change))
    lose(stage, kind)
    go.touch()


def come_back(stage: Stage) -> None:
    """Wait until the page says that the connection is lost, and bring it back."""
    stage.shows(LOST)
    stage.page.evaluate("cxgSlow.isDown = false")
    stage.shows_no(LOST)


def choose_color(stage: Stage, name: str) -> None:
    """Find a color and press Enter on it; messages are counted from there."""
    box = stage.host.get_by_role("combobox", name="Color by")
    box.click()
    box.fill(name)
    stage.host.get_by_role("option").get_by_text(name, exact=True).first.wait_for()
    stage.settle()
    stage.page.evaluate("cxgSlow.reset()")
    stage.page.keyboard.press("Enter")


def lasso(stage: Stage) -> np.ndarray:
    px = ring(*stage.spot(0.4, 0.5), 150, 110)
    corners = stage.to_data(px)
    stage.page.evaluate("cxgSlow.reset()")
    stage.drag(px, "Shift")
    return corners


def selected(stage: Stage) -> list[int]:
    return sorted(stage.json("w.selection.rows.tolist()"))


def rows_in(xy: np.ndarray, corners: np.ndarray) -> list[int]:
    return list(np.flatnonzero(Polygon(corners).contains_points(xy)).tolist())


def test_the_first_picture_a_color_a_lasso_and_a_filter_take_one_round_trip_each_and_two_kilobytes_at_most(
    stage: Stage, xy: np.ndarray, folder: Path
) -> None:
    with tiledb.open(str(folder / "small.cxg" / "obs")) as store:
        n_counts = store[:]["n_counts"]
    show(stage)
    assert come(stage, "points", "color", "codes") == 1
    stage.canvas.evaluate(NOTE_WAITING)
    choose_color(stage, "CD3E")
    assert come(stage, "color", "nonzeros", "values") == 1
    assert 0 < sent(stage) < MOST_BYTES_OF_GESTURE
    corners = lasso(stage)
    assert come(stage, "selection") == 1
    assert 0 < sent(stage) < MOST_BYTES_OF_GESTURE
    assert selected(stage) == rows_in(xy, corners) != []
    stage.host.get_by_role("button", name="Columns", exact=True).click()
    query = stage.host.get_by_placeholder("e.g. n_counts > 0")
    query.fill("n_counts > 2000")
    stage.settle()
    stage.page.evaluate("cxgSlow.reset()")
    query.press("Enter")
    assert come(stage, "filter") == 1
    assert 0 < sent(stage) < MOST_BYTES_OF_GESTURE
    stage.shows(f"{(n_counts > 2000).sum():,} of 3,000 cells pass")
    said = set(stage.page.evaluate("[...cxgSaid]"))
    assert said == {f"Waiting for the {what}" for what in ("color", "selection", "filter")}
    assert stage.host.locator(".late").count() == 0


def test_a_picture_as_an_image_takes_two_round_trips_and_a_zoom_one(stage: Stage) -> None:
    show(stage, ", max_points=500")
    assert come(stage, "image", "cells") <= 2
    stage.page.evaluate("cxgSlow.reset()")
    stage.page.mouse.move(*stage.spot(0.4, 0.4))
    stage.page.mouse.wheel(0, -240)
    assert come(stage, "image", "cells") == 1
    assert 0 < sent(stage) < MOST_BYTES_OF_GESTURE


@pytest.mark.parametrize("lost", ["lasso", "selection"], ids=["the request", "the answer"])
def test_a_lasso_whose_request_or_answer_is_lost_is_there_once_the_connection_is_back(
    stage: Stage, xy: np.ndarray, lost: str
) -> None:
    show(stage)
    lose(stage, lost)
    corners = lasso(stage)
    stage.shows(LOST)
    assert len(stage.colors()) > 100
    come_back(stage)
    rows = rows_in(xy, corners)
    stage.shows(f"{len(rows):,} of 3,000 cells selected")
    assert selected(stage) == rows != []


def test_a_color_that_python_sets_while_the_connection_is_lost_is_drawn_once_it_is_back(stage: Stage) -> None:
    show(stage)
    lose_at(stage, "color", "w.color = 'leiden'")
    come_back(stage)
    stage.host.locator(".legend").get_by_text("leiden", exact=True).wait_for()
    stage.settle()
    assert stage.json("w.color") == "leiden"


def test_a_color_chosen_as_the_connection_is_lost_and_the_next_one_reach_the_kernel(stage: Stage) -> None:
    show(stage)
    lose(stage, "update")
    choose_color(stage, "CD3E")
    come_back(stage)
    stage.until(lambda: stage.json("w.color") == "CD3E")
    choose_color(stage, "MS4A1")
    stage.until(lambda: stage.json("w.color") == "MS4A1")
    stage.host.locator(".legend").get_by_text("MS4A1", exact=True).wait_for()


def test_panels_whose_positions_are_lost_are_drawn_as_always_once_the_connection_is_back(stage: Stage) -> None:
    stage.show(FRAME)
    canvases = stage.host.locator("canvas.cxg-plot")
    show_panels = "w.grid(['h', {'embedding': 'turned', 'color': 'k'}])"

    def both() -> list[np.ndarray]:
        stage.until(lambda: canvases.count() == 2)
        stage.settle()
        return [stage.pixels(canvases.nth(i)) for i in range(2)]

    stage.ask(show_panels)
    stage.until(lambda: all(len(np.unique(one.reshape(-1, 3), axis=0)) > 500 for one in both()))
    expected = both()
    stage.set("w.panels = []")
    lose_at(stage, "points", show_panels)
    come_back(stage)
    stage.until(lambda: all(np.array_equal(now, one) for now, one in zip(both(), expected, strict=True)))
