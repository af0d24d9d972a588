"""No serious or critical violation that axe-core knows of, whatever is open, light and dark."""

from __future__ import annotations

from typing import Any

import pytest

from cxg_widget.display.settings import PANELS
from tests.browser.axe import violations
from tests.browser.engine import run
from tests.browser.panels_page import settle, show

pytestmark = pytest.mark.browser

SCENES = (
    "categories", "selected", "hidden", "allHidden", "gene", "constant", "pca", "connecting", "error", "offline",
    "offlineBare", "empty", "nastyColumns", "noColumns", "columnsOffline", "genes", "twoGenes", "threeGenes",
    "twoColumns",
)  # fmt: skip
SAME_COLORS = ("allHidden", "constant", "pca", "offlineBare", "empty", "noColumns", "columnsOffline")
"""Scenes without colors of their own."""
OF_WIDTH = ["color-contrast", "scrollable-region-focusable"]
"""What can be otherwise in a narrow widget."""


def rules(dark: bool) -> list[str]:
    """Return what a dark page is judged by: all else is the same as on a light one."""
    return ["color-contrast", "link-in-text-block"] if dark else []


def search(page: Any, text: str) -> None:
    """Open the search, and wait for its answer."""
    box = page.get_by_role("combobox", name="Color by")
    box.click()
    box.fill(text)
    settle(page)
    page.locator(".found[aria-busy=false]").wait_for()


def choose_columns(page: Any) -> None:
    """Ask for two columns as the axes, and open the list of one."""
    page.get_by_label("Embedding", exact=True).select_option("Two columns…")
    page.get_by_role("combobox", name="Vertical column").focus()
    page.locator(".found[aria-busy=false]").wait_for()


def show_tip(page: Any) -> None:
    page.get_by_role("button", name="Reset view").hover()
    page.locator(".tool:hover .tip").wait_for()


OPENED = {
    "search": lambda page: search(page, ""),
    "no match": lambda page: search(page, "nothing like it"),
    "look": lambda page: page.get_by_role("button", name="Settings").click(),
    "notes": lambda page: page.locator("[data-popover=notes] > button").click(),
    "colormaps": lambda page: page.get_by_role("button", name="Colormap: viridis").click(),
    "two columns": choose_columns,
    "keys": lambda page: page.get_by_role("button", name="Keys and gestures").click(),
    "a tip": show_tip,
    "a limit that is none": lambda page: page.get_by_label("Upper limit: a number").fill("lots"),
}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_scene(panels: Any, dark: bool) -> None:
    panels.evaluate("(dark) => document.body.classList.toggle('dark', dark)", dark)
    panels.wait_for_function("(dark) => theme.dark === dark", arg=dark)
    found = {}
    for scene in SCENES:
        if dark and scene in SAME_COLORS:
            continue
        show(panels, scene)
        found[scene] = violations(panels, "#el", *rules(dark))
    assert {scene: what for scene, what in found.items() if what} == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_whatever_can_be_opened(panels: Any, dark: bool) -> None:
    panels.evaluate("(dark) => document.body.classList.toggle('dark', dark)", dark)
    panels.wait_for_function("(dark) => theme.dark === dark", arg=dark)
    show(panels, "gene")
    found = {}
    for name, open_it in OPENED.items():
        open_it(panels)
        if name == "a limit that is none":
            panels.keyboard.press("Enter")
        settle(panels)
        found[name] = violations(panels, "#el", *rules(dark))
        panels.keyboard.press("Escape")
        settle(panels)
    panels.set_viewport_size({"width": 420, "height": 600})
    for name in () if dark else ("look", "notes", "keys"):
        settle(panels)
        OPENED[name](panels)
        settle(panels)
        found[name, "narrow"] = violations(panels, "#el", *OF_WIDTH)
        panels.keyboard.press("Escape")
    assert {name: what for name, what in found.items() if what} == {}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_panel_beside_and_over_the_plot(panels: Any, dark: bool) -> None:
    panels.evaluate("(dark) => document.body.classList.toggle('dark', dark)", dark)
    panels.wait_for_function("(dark) => theme.dark === dark", arg=dark)
    found = {}
    for panel in PANELS:
        show(panels, "filteredColumns")
        panels.evaluate("(name) => store.set({ traits: { ...store.get().traits, open_panels: [name] } })", panel)
        panels.locator(f"aside#{panel} [role=status]").first.wait_for()
        settle(panels)
        closed = panels.locator(f"#{panel} [aria-expanded=false]:not(input)")
        for _ in range(min(6, closed.count())):
            closed.first.click()
            settle(panels)
        if panel == "annotations":
            panels.get_by_role("button", name="Save", exact=True).click()
            panels.get_by_role("alert").wait_for()  # other labels are there
        settle(panels)
        found[panel] = violations(panels, "#el", *rules(dark))
        if not dark:
            panels.set_viewport_size({"width": 420, "height": 600})
            settle(panels)
            found[panel, "narrow"] = violations(panels, "#el", *OF_WIDTH)
            panels.set_viewport_size({"width": 900, "height": 600})
    assert {which: what for which, what in found.items() if what} == {}


@pytest.mark.parametrize("drawn_by", ["cpu"], indirect=True)
@pytest.mark.parametrize("labels", [[], ["retention time", "m/z"]], ids=["no axes", "axes"])
def test_the_plot_with_and_without_names_at_its_axes(page: Any, labels: list[str]) -> None:
    body = f"""const w = open_();
        sendColor(w.model, {{ scale: "none", n: 1 }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], labels: {labels} }});
        await ready(w);"""
    run(page, body)
    assert page.locator("svg[role=img]").count() == len(labels[:1])
    assert violations(page, ".plot") == {}
