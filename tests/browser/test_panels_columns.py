"""The panel of columns, drawn by the second module: opened by button and key, searched, colored by, and left."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser

COLUMNS = {
    "cell_type": "categories", "donor_id": "categories", "cluster": "categories", "n_counts": "number",
    "percent_mito": "number", "is_doublet": "yes / no", "notes": "text",
}  # fmt: skip


def opened(page: Any, scene: str = "categories") -> Any:
    """Bring a scene, open the panel by its button, and return it."""
    show(page, scene)
    page.get_by_role("button", name="Columns", exact=True).click()
    panel = page.get_by_role("complementary", name="Columns")
    expect(panel.get_by_label("Find a column")).to_be_focused()
    return panel


def listed(panel: Any) -> dict[str, str]:
    rows = panel.locator(".opener").all()
    return {row.locator(".label").text_content(): row.locator(".kind").text_content() for row in rows}


def focused(page: Any) -> str:
    """Return the name of what has the focus within the view."""
    settle(page)
    return str(page.evaluate("() => root.activeElement?.getAttribute('aria-label') ?? root.activeElement?.textContent"))


def test_it_lists_every_column_and_what_it_holds_and_its_sign_colors_by_it(panels: Any) -> None:
    panel = opened(panels)
    assert listed(panel) == COLUMNS
    pressed = panel.get_by_role("button", pressed=True)
    expect(pressed).to_have_attribute("aria-label", "Color by cell_type")
    panel.get_by_role("button", name="Color by donor_id").click()
    assert calls(panels, "setTrait")[-1] == ["color", "donor_id"]
    expect(pressed).to_have_attribute("aria-label", "Color by donor_id")
    expect(panels.get_by_role("heading", name="donor_id")).to_be_visible()


def test_a_name_that_begins_like_a_forced_one_is_forced_itself(panels: Any) -> None:
    show(panels, "columns")
    panels.evaluate("""() => store.set({ dataset: { ...store.get().dataset,
        columns: [{ name: "var:x", kind: "int" }, { name: "a:b", kind: "int" }] } })""")
    for name in ("var:x", "a:b"):
        panels.get_by_role("button", name=f"Color by {name}").click()
    assert [value for name, value in calls(panels, "setTrait") if name == "color"] == ["obs:var:x", "a:b"]


def test_typing_narrows_the_list_whatever_the_case(panels: Any) -> None:
    panel = opened(panels)
    field = panel.get_by_label("Find a column")
    field.fill("C")
    expect(panel.locator(".caption[role=status]")).to_have_text("4 of 7 columns")
    assert list(listed(panel)) == [name for name in COLUMNS if "c" in name]
    field.fill("zzz")
    expect(panel.locator(".caption[role=status]")).to_have_text("No column matches “zzz”.")
    panels.keyboard.press("Escape")
    expect(panel.locator(".caption[role=status]")).to_have_text("7 columns")
    assert listed(panel) == COLUMNS


def test_escape_leaves_it_and_gives_the_focus_back(panels: Any) -> None:
    panel = opened(panels)
    panels.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert calls(panels, "setTrait")[-1] == ["open_panels", []]
    assert calls(panels, "clearSelection") == []
    assert focused(panels) == "Columns"
    panels.keyboard.press("Enter")
    expect(panel.get_by_label("Find a column")).to_be_focused()
    panel.get_by_role("button", name="Close columns").click()
    expect(panel).to_be_hidden()
    assert focused(panels) == "Columns"


def test_one_key_opens_and_closes_it_from_wherever_the_focus_is(panels: Any) -> None:
    show(panels, "categories")
    panels.evaluate("() => root.querySelector('canvas').focus()")
    panels.keyboard.press("c")
    panel = panels.get_by_role("complementary", name="Columns")
    field = panel.get_by_label("Find a column")
    expect(field).to_be_focused()
    panels.keyboard.press("c")
    expect(field).to_have_value("c")
    field.fill("")
    panels.keyboard.press("ArrowDown")
    panels.keyboard.press("c")
    expect(panel).to_be_hidden()
    assert focused(panels) == "Scatterplot"


def test_arrow_keys_go_through_the_rows_and_one_tab_leads_past_them(panels: Any) -> None:
    panel = opened(panels)
    where = []
    for key in ("ArrowDown", "ArrowDown", "End", "ArrowDown", "Home", "ArrowUp"):
        panels.keyboard.press(key)
        where.append(focused(panels).split()[0])
    assert where == ["cell_type", "donor_id", "notes", "notes", "cell_type", "Find"]
    assert panel.locator("[data-row][tabindex='0']").count() == 1


def test_what_python_opens_takes_no_focus(panels: Any) -> None:
    show(panels, "categories")
    panels.evaluate("() => root.querySelector('canvas').focus()")
    show(panels, "columns")
    expect(panels.get_by_role("complementary", name="Columns")).to_be_visible()
    assert focused(panels) == "Scatterplot"


def test_names_of_columns_are_text(panels: Any) -> None:
    show(panels, "manyColumns")
    names = panels.get_by_role("listitem").evaluate_all(
        "(rows) => rows.map((row) => row.querySelector('.label').textContent)"
    )
    assert len(names) == len(COLUMNS) + 6 + 600
    assert "<img src=x onerror=window.hacked=1>" in names
    assert panels.evaluate("() => window.hacked") is None


@pytest.mark.parametrize(("scene", "is_there"), [("offline", True), ("connecting", True), ("offlineBare", False)])
def test_without_a_kernel_it_cannot_be_opened(panels: Any, scene: str, is_there: bool) -> None:
    show(panels, scene)
    button = panels.get_by_role("button", name="Columns", exact=True)
    if is_there and scene == "offline":
        expect(button).to_be_disabled()
    else:
        expect(button).to_be_hidden()


@pytest.mark.parametrize("width", [1100, 760, 480])
def test_it_is_whole_at_every_width_and_lies_beside_the_plot_where_there_is_room(panels: Any, width: int) -> None:
    panels.set_viewport_size({"width": width, "height": 600})
    show(panels, "columns")
    box = panels.get_by_role("complementary", name="Columns").bounding_box()
    view = panels.evaluate(
        "() => { const { left, right } = root.querySelector('.root').getBoundingClientRect(); return [left, right]; }"
    )
    plot = panels.locator(".plot").bounding_box()
    assert view[0] <= box["x"]
    assert box["x"] + box["width"] <= view[1]
    assert box["width"] >= 250
    assert (plot["x"] + plot["width"] <= box["x"] + 1) == (width > 559)
