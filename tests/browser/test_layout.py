"""Panels as words of the toolbar or a menu, and a plot that keeps its size beside what is open."""

from __future__ import annotations

from typing import Any

import pytest

from cxg_widget.display.settings import PANELS
from tests.browser.axe import violations
from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser

WORDS = ["Columns", "Genes", "Sets", "Annotations", "Table", "Compare", "Study"]
KEYS = ["C", "G", "N", "A", "T", "V", "Y"]
CUT = """(root) => [...root.querySelectorAll("select")].filter((one) => one.checkVisibility()).flatMap((one) => {
    const context = document.createElement("canvas").getContext("2d");
    context.font = getComputedStyle(one).font;
    const text = one.selectedOptions[0].text;
    return one.clientWidth < context.measureText(text).width + 16 ? [text] : [];
})"""


def open_panels(page: Any, *names: str) -> None:
    page.evaluate("(names) => store.set({ traits: { ...store.get().traits, open_panels: names } })", list(names))
    settle(page)


def resize(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    settle(page)
    settle(page)


def plot(page: Any) -> dict[str, float]:
    box: dict[str, float] = page.locator(".plot").bounding_box()
    return box


@pytest.mark.parametrize("width", [1400, 900])
def test_panels_are_words_of_the_toolbar_with_their_keys_in_tooltips(panels: Any, width: int) -> None:
    show(panels, "categories")
    resize(panels, width)
    buttons = panels.locator(".openers button:visible")
    assert [one.split("\n")[0] for one in buttons.all_inner_texts()] == WORDS
    ends = [box["x"] + box["width"] for box in (one.bounding_box() for one in buttons.all())]
    fold = panels.locator(".fold").bounding_box()
    assert ends == sorted(ends)
    assert ends[-1] <= fold["x"]
    for button, key in zip(buttons.all(), KEYS, strict=True):
        assert button.locator("kbd").get_attribute("data-text") == key
    buttons.first.hover()
    expect(buttons.first.locator(".tip")).to_be_visible()


@pytest.mark.parametrize("width", [600, 470, 420])
def test_in_little_room_panels_are_a_menu_that_names_them_and_gets_the_focus_back(panels: Any, width: int) -> None:
    show(panels, "filteredColumns")
    open_panels(panels)
    resize(panels, width)
    expect(panels.locator(".openers")).to_be_hidden()
    menu = panels.get_by_role("button", name="Analysis")
    menu.click()
    settle(panels)
    assert [one.strip() for one in panels.locator(".openers .label").all_inner_texts()] == WORDS
    assert violations(panels, "#el") == {}
    edge = panels.locator(".root").bounding_box()
    listed = panels.locator(".openers").bounding_box()
    assert listed["x"] + listed["width"] <= edge["x"] + edge["width"]
    panels.keyboard.press("Escape")
    settle(panels)
    expect(panels.locator(".openers")).to_be_hidden()
    expect(menu).to_be_focused()
    menu.press("Enter")
    panels.get_by_role("button", name="Columns", exact=True).press("Enter")
    settle(panels)
    expect(panels.locator("#columns")).to_be_visible()
    expect(panels.locator(".openers")).to_be_hidden()
    panels.get_by_role("button", name="Close columns").click()
    settle(panels)
    expect(menu).to_be_focused()


@pytest.mark.parametrize("width", [1400, 900, 470])
@pytest.mark.parametrize("name", PANELS)
def test_whatever_is_open_the_plot_keeps_its_height_and_half_of_the_width(panels: Any, name: str, width: int) -> None:
    show(panels, "filteredColumns")
    panels.evaluate("() => store.set({ traits: { ...store.get().traits, panel_width: 240, open_panels: [] } })")
    resize(panels, width)
    before = plot(panels)
    open_panels(panels, name)
    after, panel = plot(panels), panels.locator(f"#{name}").bounding_box()
    assert after["height"] >= before["height"]
    assert after["width"] > 0.5 * panels.locator(".root").bounding_box()["width"]
    if width < 1000:
        assert before["width"] - after["width"] <= 20
    beside = panel["x"] >= after["x"] + after["width"] or panel["y"] >= after["y"] + after["height"]
    assert beside, "the panel lies over the plot"
    edge = panels.locator(".root").bounding_box()
    assert panel["y"] + panel["height"] <= edge["y"] + edge["height"]
    assert panels.evaluate_handle("() => root").evaluate(CUT) == []


@pytest.mark.parametrize("width", [900, 600])
def test_a_panel_shares_the_column_of_the_legend_and_has_all_of_it_without_the_side_panel(
    panels: Any, width: int
) -> None:
    show(panels, "filteredColumns")
    resize(panels, width)
    open_panels(panels, "columns")
    legend, columns = panels.locator(".legend"), panels.locator("#columns")
    high = columns.bounding_box()["height"]
    assert legend.bounding_box()["height"] >= 80
    assert legend.bounding_box()["y"] + legend.bounding_box()["height"] <= columns.bounding_box()["y"] + 1
    panels.get_by_role("button", name="Hide side panel").click()
    settle(panels)
    expect(legend).to_be_hidden()
    assert columns.bounding_box()["height"] > 1.5 * high


def test_in_a_wide_widget_a_panel_stands_beside_the_legend(panels: Any) -> None:
    show(panels, "filteredColumns")
    resize(panels, 1400)
    open_panels(panels, "columns", "table")
    expect(panels.locator(".legend")).to_be_visible()
    expect(panels.locator("#columns")).to_be_visible()


@pytest.mark.parametrize("scene", ["twoGenes", "threeGenes"])
def test_two_or_three_genes_show_their_mean_or_a_color_each_by_a_choice_beside_their_names(
    panels: Any, scene: str
) -> None:
    show(panels, scene)
    choice = panels.get_by_role("combobox", name="Several genes")
    box = panels.get_by_role("combobox", name="Color by").bounding_box()
    assert choice.bounding_box()["y"] < box["y"] < choice.bounding_box()["y"] + 40
    assert choice.evaluate("(one) => one.selectedOptions[0].text") == "a color each"
    choice.select_option("mean")
    assert ["blend", "mean"] in calls(panels, "setTrait")
    show(panels, "categories")
    expect(choice).to_have_count(0)
