"""The panel of annotations: what a hand asks of the kernel, and how what it tells is shown."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.panels_page import calls, edits_of, expect, settle, show

pytestmark = pytest.mark.browser


@pytest.fixture
def panel(panels: Any) -> Any:
    show(panels, "selected")
    panels.evaluate("store.set({ traits: { ...store.get().traits, open_panels: ['annotations'] } })")
    panel = panels.get_by_role("complementary", name="Annotations")
    expect(panel.get_by_role("listitem")).to_have_count(4)
    return panel


def edits(page: Any) -> list[dict[str, Any]]:
    return edits_of(page, "annotation")


def filters(page: Any) -> Any:
    settle(page)
    return page.evaluate("store.get().traits.filters")


def test_labels_are_text_with_their_colors_and_counts(panel: Any, panels: Any) -> None:
    rows = panel.get_by_role("listitem").all()
    assert [row.locator(".label").inner_text()[:11] for row in rows] == [
        "T cell", "<b>mine</b>", "long long l", "(missing)",
    ]  # fmt: skip
    colors = [row.locator(".swatch").evaluate("(one) => getComputedStyle(one).backgroundColor") for row in rows]
    assert colors[0] == "rgb(68, 119, 170)"
    assert "url" not in "".join(row.locator(".swatch").get_attribute("style") for row in rows)
    rows[0].locator(".opener").click()
    expect(rows[0].locator(".caption")).to_have_text("9,000 cells, 12 selected.")
    expect(panel.locator(".labeler .caption")).to_contain_text("hide 34 of the 1,234 cells")


def test_a_name_and_enter_label_the_selection_and_narrow_the_list(panel: Any, panels: Any) -> None:
    field = panel.get_by_role("textbox", name="Label", exact=True)
    field.fill("t c")
    expect(panel.get_by_role("listitem")).to_have_count(2)
    field.press("Escape")
    expect(panel.get_by_role("listitem")).to_have_count(4)
    field.fill(" NK ")
    field.press("Enter")
    expect(field).to_have_value("")
    field.press("ArrowDown")
    panels.keyboard.press("Tab")
    panels.keyboard.press("Enter")
    assert edits(panels) == [
        {"op": "assign", "name": "my types", "label": "NK"},
        {"op": "assign", "name": "my types", "label": "T cell"},
    ]


def test_a_hand_selects_renames_merges_deletes_and_takes_away(panel: Any, panels: Any) -> None:
    row = panel.get_by_role("listitem").first
    row.get_by_role("button", name="Select T cell").click(modifiers=["Alt"])
    row.locator(".opener").click()
    row.get_by_role("button", name="Deselect these").click()
    name = row.get_by_role("textbox", name="Rename T cell")
    name.fill("T")
    panels.evaluate("store.set({})")  # whatever is drawn anew meanwhile, what is being typed stays
    settle(panels)
    name.press("Enter")
    row.locator(".opener").click()  # opens with its new name
    row.get_by_role("combobox", name="Merge T cell into").fill("<b>mine</b>")
    panels.keyboard.press("Enter")
    row.locator(".opener").click()
    row.get_by_role("button", name="Delete label").click()
    panel.get_by_role("button", name="Remove the label from the selection").click()
    of = {"name": "my types", "label": "T cell"}
    assert edits(panels) == [
        {"op": "select", **of, "mode": "subtract"}, {"op": "select", **of, "mode": "subtract"},
        {"op": "rename", **of, "to": "T"}, {"op": "merge", **of, "to": "<b>mine</b>"}, {"op": "delete", **of},
        {"op": "assign", "name": "my types", "label": ""},
    ]  # fmt: skip


def test_cells_of_a_label_are_kept_alone_or_left_out_by_one_filter_and_color(panel: Any, panels: Any) -> None:
    first, last = panel.get_by_role("listitem").first, panel.get_by_role("listitem").last
    first.locator(".opener").click()
    only, without = (first.get_by_role("button", name=name) for name in ("Only these", "Exclude these"))
    only.click()
    assert filters(panels) == [{"obs": "my types", "in": ["T cell"]}]
    expect(only).to_have_attribute("aria-pressed", "true")
    without.click()
    last.locator(".opener").click()
    last.get_by_role("button", name="Exclude these").click()
    assert filters(panels) == [{"not": {"obs": "my types", "in": ["T cell", None]}}]
    without.click()
    last.get_by_role("button", name="Exclude these").click()
    assert filters(panels) == []
    panel.get_by_role("button", name="Color by my types").click()
    assert calls(panels, "setTrait")[-1] == ["color", "obs:my types"]


def test_other_labels_in_a_file_are_told_with_both_counts_and_three_ways_out(panel: Any, panels: Any) -> None:
    panel.get_by_role("button", name="Save…").click()
    file = panel.get_by_role("textbox", name="File")
    expect(file).to_have_value("my_types.parquet")
    file.fill("mine.csv")
    file.press("Enter")
    told = panel.get_by_role("alert")
    expect(told).to_contain_text("1,234 cells there, 900 here, 34 differ")
    panel.get_by_role("button", name="Choose another file").click()
    expect(told).to_have_count(0)
    expect(file).to_be_focused()
    file.press("Enter")
    panel.get_by_role("button", name="Overwrite with mine").click()
    expect(panel.get_by_text("to 'mine.csv'")).to_be_visible()
    panel.get_by_role("button", name="Save to adata.obs").click()
    panel.get_by_role("button", name="Keep existing, add mine").click()
    expect(told).to_have_count(0)
    ways = [(one["to"], one["on_conflict"]) for one in edits(panels)]
    assert ways == [("mine.csv", "error"), ("mine.csv", "error"), ("mine.csv", "ours"), ("", "error"), ("", "theirs")]


def test_the_first_annotation_is_made_by_its_name_and_all_rest_waits_for_it(panel: Any, panels: Any) -> None:
    panels.evaluate("window.noAnnotations = true; store.set({ selection: { seq: 9, n: 0 } })")
    field = panel.get_by_role("textbox", name="Name of the annotation")
    field.fill("mine")
    panel.get_by_role("combobox", name="Start from").select_option("cell_type")
    field.press("Enter")
    assert edits(panels) == [{"op": "new", "name": "mine", "to": "cell_type"}]
    panels.evaluate("window.noAnnotations = false; store.set({ selection: { seq: 10, n: 0 } })")
    expect(panel.get_by_role("button", name="Label selection", exact=True)).to_be_disabled()
    expect(panel.get_by_role("button", name="Label the selection as T cell")).to_be_disabled()


def test_of_more_labels_than_are_told_the_rest_is_counted(panel: Any, panels: Any) -> None:
    panels.evaluate("window.nLabels = 10_000; store.set({ selection: { seq: 9, n: 5 } })")
    expect(panel.get_by_text("9,997 more. Type to narrow down.")).to_be_visible()


def test_who_opens_the_panel_types_at_once(panels: Any) -> None:
    panels.evaluate("window.noAnnotations = true")
    panels.get_by_role("button", name="Annotations").click()
    field = panels.get_by_role("textbox", name="Name of the annotation")
    expect(field).to_be_focused()
    panels.keyboard.type("mine")
    expect(field).to_have_value("mine")
