"""The legend of two and three genes, drawn by the second module: fields by pointer and keyboard."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser


def test_arrows_go_from_field_to_field_of_two_genes_and_enter_selects_with_the_keys_of_a_lasso(panels: Any) -> None:
    show(panels, "twoGenes")
    grid = panels.get_by_role("grid", name="CD3E horizontal, NKG7 vertical")
    assert grid.locator("[tabindex='0']").count() == 1
    grid.get_by_role("gridcell", name="CD3E low, NKG7 low: 0 cells").focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowUp"):
        panels.keyboard.press(key)
    field = grid.get_by_role("gridcell", name="CD3E high, NKG7 middle: 8,428 cells")
    expect(field).to_be_focused()
    expect(panels.locator(".field-words")).to_have_text("CD3E high, NKG7 middle: 8,428 cells")
    panels.keyboard.press("Enter")
    settle(panels)
    panels.keyboard.press("Shift+Enter")
    settle(panels)
    grid.get_by_role("gridcell", name="CD3E low, NKG7 high").click(modifiers=["Alt"])
    assert calls(panels, "selectField") == [[7, "replace"], [7, "add"], [2, "subtract"]]
    settle(panels)
    assert len([one for one in calls(panels, "ask") if one[0]["kind"] == "fields"]) == 4  # at first, and after each


def test_mixes_of_three_genes_are_a_list_by_which_arrows_lead_and_names_are_text(panels: Any) -> None:
    show(panels, "threeGenes")
    mixes = panels.get_by_role("listbox").get_by_role("option")
    nasty = "<b>NKG7</b>"
    high = [
        "CD3E",
        nasty,
        "MS4A1",
        f"CD3E + {nasty}",
        "CD3E + MS4A1",
        f"{nasty} + MS4A1",
        f"CD3E + {nasty} + MS4A1",
        "none",
    ]
    assert mixes.locator(".label").all_text_contents() == high
    mixes.nth(7).focus()
    panels.keyboard.press("Home")
    panels.keyboard.press("ArrowDown")
    expect(mixes.nth(1)).to_be_focused()
    expect(mixes.nth(1)).to_have_accessible_name(f"{nasty} 2,408")
    told = f"CD3E low, {nasty} high, MS4A1 low: 2,408 cells, 2,408 selected"
    expect(mixes.nth(1)).to_have_accessible_description(f"{told} Shift adds, Alt removes, Shift+Alt intersects")
    expect(panels.locator(".field-words")).to_have_text(told)
    panels.keyboard.press(" ")
    assert calls(panels, "selectField") == [[2, "replace"]]
