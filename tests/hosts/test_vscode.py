"""The widget in VS Code: its own widget manager, a webview's rules, a real kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import tiledb
from matplotlib.path import Path as Polygon

from tests.browser.shown import ring
from tests.hosts.vscode import THEMES, VsCode, bundle

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SHOW = "from cxg_widget import CxgWidget\nw = CxgWidget('small.cxg', color='cell_type')\nw"


@pytest.fixture(scope="module")
def obs(folder: Path) -> pd.DataFrame:
    """Cell type, x and y of each cell, as TileDB has them."""
    cxg = folder / "small.cxg"
    with tiledb.open(str(cxg / "obs")) as store, tiledb.open(str(cxg / "emb" / "umap")) as xy:
        (schema,) = (json.loads(one) for name, one in store.meta.items() if "schema" in name)
        names = schema["cell_type"]["categories"]
        obs = pd.DataFrame({"cell_type": np.array(names)[store[:]["cell_type"]]})
        obs[["x", "y"]] = xy[:]
    return obs


@pytest.fixture(scope="module")
def opened(chromium: Any, lab: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VsCode]:
    one = VsCode(chromium, lab, bundle(tmp_path_factory.mktemp("webview")))
    one.open()
    one.run(SHOW)
    yield one
    one.close()


@pytest.fixture
def notebook(opened: VsCode) -> Iterator[VsCode]:
    """The notebook, whose scripts do not complain while a test uses it."""
    opened.complaints.clear()
    yield opened
    assert opened.complaints == []
    assert not opened.page.evaluate("isStuck"), "a message to the kernel had buffers"


def rows_in(obs: pd.DataFrame, corners: np.ndarray) -> list[int]:
    inside = Polygon(corners).contains_points(obs[["x", "y"]].to_numpy(np.float64))
    return list(np.flatnonzero(inside).tolist())


def lasso(notebook: VsCode) -> np.ndarray:
    """Draw a lasso through the middle of the plot, and return its corners in data units."""
    px = ring(*notebook.spot(0.4, 0.5), 150, 110)
    corners = notebook.to_data(px)
    notebook.drag(px, "Shift")
    notebook.settle()
    return corners


def selected(notebook: VsCode) -> list[int]:
    return sorted(notebook.json("w.selection.rows.tolist()"))


def test_a_widget_is_drawn_counted_colored_and_lassoed_in_a_window_of_20000_px(
    notebook: VsCode, obs: pd.DataFrame
) -> None:
    assert notebook.webview.evaluate("innerHeight") == 20_000
    assert len(notebook.colors()) > 100
    assert notebook.host.bounding_box()["height"] < 800
    rows = [text.split("\n") for text in notebook.host.locator(".legend .row").all_inner_texts()]
    assert {name: int(n) for name, n in rows} == obs["cell_type"].value_counts().to_dict()
    corners = lasso(notebook)
    assert selected(notebook) == rows_in(obs, corners) != []
    before = notebook.colors()
    notebook.color_by("CD3E")
    notebook.settle()
    assert notebook.json("w.color") == "CD3E"
    assert notebook.colors() != before


def test_panels_load_under_the_policy_the_list_of_keys_is_in_sight_and_a_link_in_the_page_saves(
    notebook: VsCode,
) -> None:
    notebook.host.get_by_role("button", name="Columns", exact=True).click()
    notebook.host.get_by_text("n_counts").first.wait_for()
    notebook.host.get_by_role("button", name="Keys and gestures").click()
    box = notebook.host.get_by_role("dialog", name="Keys and gestures").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= notebook.page.viewport_size["height"]
    notebook.page.keyboard.press("Escape")
    notebook.host.get_by_role("button", name="Save picture").click()
    notebook.host.get_by_text("PNG 1×").click()
    notebook.until(lambda: notebook.webview.evaluate("saved.length === 1 && saved[0].endsWith('.png')"))
    notebook.host.get_by_role("button", name="Columns", exact=True).click()


def test_the_background_is_that_of_the_editor_and_follows_its_theme(notebook: VsCode) -> None:
    assert notebook.background() == (255, 255, 255)
    notebook.webview.evaluate(
        """(variables) => {
            document.documentElement.style.cssText = Object.entries(variables).map((one) => one.join(": ")).join("; ");
            document.body.className = "vscode-dark";
        }""",
        THEMES["dark"],
    )
    notebook.until(lambda: notebook.background() == (0x1F, 0x1F, 0x1F))
    behind = notebook.webview.locator(".cell-output-ipywidget-background").first
    assert behind.evaluate("(one) => getComputedStyle(one).backgroundColor") == "rgba(0, 0, 0, 0)"


def test_an_editor_opened_again_shows_color_and_selection_of_the_kernel_in_its_theme(notebook: VsCode) -> None:
    rows = selected(notebook)
    n_cells = notebook.json("len(w.selection.rows)")
    notebook.reopen("dark")
    notebook.settle()
    assert notebook.background() == (0x1F, 0x1F, 0x1F)
    assert len(notebook.colors()) > 100
    notebook.shows(f"{n_cells:,} of 3,000 cells selected")
    assert selected(notebook) == rows
    assert notebook.json("w.color") == "CD3E"


def test_a_widget_out_of_sight_is_drawn_once_scrolled_to_as_python_has_left_it_though_all_pushes_were_lost(
    notebook: VsCode, obs: pd.DataFrame
) -> None:
    notebook.page.evaluate("isDeaf = true; nextTop = 3000")
    notebook.run(
        SHOW.replace("color='cell_type'", "color=None") + "\nw.color = 'cell_type'; w.select(range(100))\nw", wait=False
    )
    assert notebook.webview.locator(".cxg-widget").count() == 1
    notebook.scroll_to(2800)
    notebook.until(lambda: notebook.webview.locator(".cxg-widget").count() == 2)
    notebook.settle()
    assert notebook.log()["refused"] > 0
    assert len(notebook.colors()) > 100
    notebook.shows("100 of 3,000 cells selected")
    notebook.shows("CD14+ monocyte")


def test_after_a_restart_the_picture_stays_and_the_next_gesture_says_to_run_the_cell_again(notebook: VsCode) -> None:
    notebook.restart()
    notebook.drag(ring(*notebook.spot(0.4, 0.5), 150, 110), "Shift")
    notebook.shows("Run this cell again")
    assert len(notebook.colors()) > 100
    notebook.complaints[:] = [one for one in notebook.complaints if not one.startswith("Could not send widget sync")]
