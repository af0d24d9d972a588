"""The panel of sets: what a hand asks of the kernel, and how what it tells is shown."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.panels_page import asked, calls, edits_of, expect, settle, show

pytestmark = pytest.mark.browser


@pytest.fixture
def panel(panels: Any) -> Any:
    show(panels, "selected")
    panels.evaluate("store.set({ traits: { ...store.get().traits, open_panels: ['sets'] } })")
    panel = panels.get_by_role("complementary", name="Sets of cells")
    expect(panel.get_by_role("listitem")).to_have_count(3)
    return panel


def edits(page: Any) -> list[dict[str, Any]]:
    return edits_of(page, "set")


def test_names_are_text_and_stand_below_the_set_that_they_were_made_in(panel: Any) -> None:
    rows = panel.get_by_role("listitem")
    assert [row.locator(".label").inner_text() for row in rows.all()][:2] == ["T cells", "<b>mine</b>"]
    left = [row.locator(".label").bounding_box()["x"] for row in rows.all()]
    assert left[1] > left[0] == left[2]
    rows.nth(1).locator(".opener").click()
    told = rows.nth(1).locator(".caption")
    expect(told.first).to_contain_text("2,000 cells, 4.9 % of T cells, 12 selected")
    expect(rows.nth(1).locator(".kind")).to_have_text("2,000")
    expect(told.first).to_contain_text("no rule")


def test_a_set_whose_cells_cannot_be_found_says_why_and_can_be_deleted_and_nothing_else(panel: Any) -> None:
    row = panel.get_by_role("listitem").last
    row.locator(".opener").click()
    expect(row.locator(".caption").first).to_have_text("these rows belong to another dataset.")
    for name in ("Select a set", "Only these", "Zoom to"):
        expect(row.get_by_role("button", name=name)).to_be_disabled()
    expect(row.get_by_role("button", name="Delete")).to_be_enabled()


def test_a_hand_puts_contours_around_sets_and_compares_two(panel: Any, panels: Any) -> None:
    row = panel.get_by_role("listitem").first
    row.locator(".opener").click()
    row.get_by_role("button", name="Contours").click()
    expect(row.get_by_role("button", name="Contours")).to_have_attribute("aria-pressed", "true")
    other = row.get_by_role("combobox", name="Difference of T cells from")
    assert other.locator("option").all_inner_texts() == ["none", "from <b>mine</b>"]  # not what cannot be found
    other.select_option("<b>mine</b>")
    expect(other).to_have_value("<b>mine</b>")
    row.get_by_role("button", name="Contours").click()
    other.select_option("")
    set_ = [one for one in calls(panels, "setTrait") if one[0] in ("contours", "difference")]
    assert set_ == [
        ["contours", ["T cells"]], ["difference", ["T cells", "<b>mine</b>"]], ["contours", None], ["difference", None],
    ]  # fmt: skip


def test_a_hand_names_selects_filters_zooms_renames_and_deletes(panel: Any, panels: Any) -> None:
    field = panel.get_by_role("textbox", name="Name of the selection")
    field.fill("new one")
    panel.get_by_role("combobox", name="Within").select_option("T cells")
    field.press("Enter")
    expect(field).to_have_value("")
    panel.get_by_role("button", name="Select T cells").click(modifiers=["Alt"])
    row = panel.get_by_role("listitem").first
    row.locator(".opener").click()
    for name in ("Zoom to", "Replace with selection", "Delete"):
        row.get_by_role("button", name=name).click()
    name = row.get_by_role("textbox", name="Name of T cells")
    name.fill("T")
    panels.evaluate("store.set({})")  # whatever is drawn anew meanwhile, what is being typed stays
    settle(panels)
    name.press("Enter")
    assert edits(panels) == [
        {"op": "add", "name": "new one", "within": "T cells"},
        {"op": "select", "name": "T cells", "mode": "subtract"},
        {"op": "zoom", "name": "T cells"}, {"op": "put", "name": "T cells"}, {"op": "delete", "name": "T cells"},
        {"op": "rename", "name": "T cells", "to": "T"},
    ]  # fmt: skip


def test_how_many_cells_will_be_named_is_said_before_and_the_next_name_is_of_all_cells(panel: Any, panels: Any) -> None:
    field = panel.get_by_role("textbox", name="Name of the selection")
    within = panel.get_by_role("combobox", name="Within")
    all_selected = panel.locator(".namer .text").first.inner_text()
    assert all_selected.startswith("Name ")
    assert " within " not in all_selected
    for gate, n in (("<b>mine</b>", "12"), ("a set with a long name that the panel has to cut somewhere", "0")):
        within.select_option(gate)
        expect(panel.get_by_role("button", name=f"Name {n} of")).to_contain_text(f"within {gate}")
        expect(field).to_have_attribute("placeholder", re.compile(f"^Name for {n} of .* within {re.escape(gate)}$"))
    expect(panel.get_by_role("button", name="Name 0 of")).to_be_disabled()
    within.select_option("<b>mine</b>")
    field.fill("gate")
    field.press("Enter")
    expect(within).to_have_value("")
    field.fill("next")
    field.press("Enter")
    expect(field).to_have_value("")
    assert [(one["name"], one["within"]) for one in edits(panels)] == [("gate", "<b>mine</b>"), ("next", "")]


def test_only_these_is_a_filter_that_names_the_set_and_a_second_click_takes_it_away(panel: Any, panels: Any) -> None:
    row = panel.get_by_role("listitem").first
    row.locator(".opener").click()
    only = row.get_by_role("button", name="Only these")
    only.click()
    settle(panels)
    assert calls(panels, "setTrait")[-1] == ["filters", [{"set": "T cells", "of": "of 0"}]]
    expect(only).to_have_attribute("aria-pressed", "true")
    only.click()
    settle(panels)
    assert calls(panels, "setTrait")[-1] == ["filters", []]


def test_a_hand_colors_by_sets_gives_one_a_color_and_saves_its_cells(panel: Any, panels: Any) -> None:
    panel.get_by_role("button", name="Color by all sets of cells").click()
    panel.get_by_role("button", name="Color by T cells").click()
    row = panel.get_by_role("listitem").first
    row.locator(".opener").click()
    row.get_by_label("Color of T cells").fill("#aa00bb")
    with panels.expect_download() as download:
        row.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "PBMC_atlas_38_donors-T_cells.csv"
    assert [value for name, value in calls(panels, "setTrait") if name == "color"] == ["sets:", "sets:T cells"]
    assert edits(panels)[-1] == {"op": "color", "name": "T cells", "to": "#aa00bb"}
    (csv, *_) = asked(panels, "csv")
    assert csv["filters"] == [{"set": "T cells", "of": "of 0"}]
    assert csv["table"]["of"] == "filter"


def test_arrows_go_from_the_field_through_the_rows_of_which_one_is_a_tab_stop(panel: Any, panels: Any) -> None:
    openers = panel.locator(".opener:enabled")
    field = panel.get_by_role("textbox", name="Name of the selection")
    field.focus()
    for key, at in (("ArrowDown", 0), ("ArrowDown", 1), ("End", 2), ("Home", 0)):
        panels.keyboard.press(key)
        expect(openers.nth(at)).to_be_focused()
        expect(panel.locator(".opener[tabindex='0']")).to_have_count(1)
    panels.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
