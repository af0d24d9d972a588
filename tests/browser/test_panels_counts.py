"""Columns that are open: what is asked, what a click, a key and a brush make of the filters, and what is said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.axe import violations
from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser


def open_column(page: Any, name: str) -> Any:
    """Open a column, and return what lies below its name."""
    row = page.get_by_role("complementary", name="Columns").locator("li").filter(
        has=page.locator(".opener", has_text=name)
    )  # fmt: skip
    row.locator(".opener").click()
    settle(page)
    return row.locator(".body")


def asked(page: Any) -> list[dict[str, Any]]:
    return [request for (request,) in calls(page, "ask") if request["kind"] == "columns"]


def filters(page: Any) -> Any:
    return page.evaluate("() => store.get().traits.filters")


def drag(page: Any, strip: Any, start: float, stop: float, *, drop: bool = True) -> None:
    """Drag over a histogram, by shares of its width."""
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    y = box["y"] + box["height"] / 3
    page.mouse.move(box["x"] + start * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + (start + stop) / 2 * box["width"], y, steps=3)
    page.mouse.move(box["x"] + stop * box["width"], y, steps=3)
    if drop:
        page.mouse.up()
    settle(page)


def test_nothing_is_asked_before_a_column_is_open_and_its_closing_is_told(panels: Any) -> None:
    show(panels, "columns")
    assert asked(panels) == []
    open_column(panels, "donor_id")
    assert [(one["columns"], one["known"]) for one in asked(panels)] == [(["obs:donor_id"], [])]
    open_column(panels, "n_counts")
    assert (asked(panels)[-1]["columns"], asked(panels)[-1]["known"]) == (
        ["obs:donor_id", "obs:n_counts"],
        ["obs:donor_id"],
    )
    panels.keyboard.press("Escape")
    settle(panels)
    assert calls(panels, "tell")[-1][0]["columns"] == []


def test_counts_are_asked_for_anew_after_each_change_of_filters_selection_and_colors(panels: Any) -> None:
    show(panels, "columns")
    open_column(panels, "donor_id")
    changes = [
        "{ traits: { ...store.get().traits, filters: [{ obs: 'n_counts', range: [1, 2] }] } }",
        "{ selection: { seq: 9, n: 3 } }",
        "{ filter: { seq: 9, n: 3, nShown: 3 } }",
        "{ color: { ...store.get().color, seq: 99 } }",
    ]
    for n, change in enumerate(changes, 2):
        panels.evaluate(f"() => store.set({change})")
        settle(panels)
        assert len(asked(panels)) == n
    panels.evaluate("() => store.set({ inView: null })")
    settle(panels)
    assert len(asked(panels)) == len(changes) + 1


def test_a_click_hides_a_category_and_a_double_click_shows_only_it(panels: Any) -> None:
    show(panels, "columns")
    body = open_column(panels, "cell_type")
    options = body.get_by_role("option")
    options.nth(1).click()
    assert filters(panels) == [{"not": {"obs": "cell_type", "in": ["CD8 T cell"]}}]
    expect(options.nth(1)).to_have_attribute("aria-selected", "false")
    options.nth(1).click()
    assert filters(panels) == []
    box = options.nth(2).bounding_box()
    panels.mouse.move(box["x"] + 20, box["y"] + 8)
    for nth in (1, 2):
        panels.mouse.down(click_count=nth)
        panels.mouse.up(click_count=nth)
        settle(panels)  # a hand is slower than a drawing, which may move the rows
    assert filters(panels) == [{"obs": "cell_type", "in": ["CD14+ monocyte"]}]
    body.get_by_role("button", name="Show all").click()
    assert filters(panels) == []


def test_keys_move_hide_and_show_only_and_missing_cells_are_null(panels: Any) -> None:
    show(panels, "columns")
    body = open_column(panels, "cell_type")
    body.get_by_role("listbox").focus()
    for key in ("End", "Space"):
        panels.keyboard.press(key)
        settle(panels)
    assert filters(panels) == [{"not": {"obs": "cell_type", "in": [None]}}]
    active = body.get_by_role("listbox").get_attribute("aria-activedescendant")
    expect(body.locator(f"[id='{active}'] .label")).to_have_text("(missing)")
    assert " " not in active
    for key in ("Home", "ArrowDown", "Enter"):
        panels.keyboard.press(key)
        settle(panels)
    assert filters(panels) == [{"obs": "cell_type", "in": ["CD8 T cell"]}]
    assert violations(panels, "#el") == {}


def test_of_a_long_list_only_the_rows_in_sight_are_in_the_document(panels: Any) -> None:
    show(panels, "columns")
    body = open_column(panels, "cluster")
    assert body.get_by_role("option").count() < 30
    body.get_by_role("listbox").focus()
    panels.keyboard.press("End")
    settle(panels)
    expect(body.get_by_role("option").last).to_contain_text("(missing)")
    body.get_by_role("listbox").hover()
    body.get_by_role("button", name="Sort cluster by count").click()
    settle(panels)
    assert body.get_by_role("option").first.locator(".label").text_content() == "cluster 0"


def test_labels_of_a_long_list_come_as_they_are_scrolled_to_and_a_click_names_that_one_alone(panels: Any) -> None:
    show(panels, "columns")
    body = open_column(panels, "cluster")
    assert asked(panels)[-1]["rows"] == [[]]
    assert panels.evaluate("() => store.get().columns['obs:cluster'].categories.filter(() => true).length") == 128
    expect(body.locator(".grow").first).to_have_text("1,101 categories")
    body.get_by_role("listbox").evaluate("(list) => list.scrollTo(0, 500 * 24)")
    settle(panels)
    rows = asked(panels)[-1]["rows"][0]
    assert {500, 508} <= set(rows)
    assert len(rows) <= 256
    option = body.get_by_role("option").filter(has_text="cluster 505")
    option.click()
    assert filters(panels) == [{"not": {"obs": "cluster", "in": ["cluster 505"]}}]
    expect(option).to_have_attribute("aria-selected", "false")
    option.click(modifiers=["Alt"])
    assert filters(panels) == [{"obs": "cluster", "in": ["cluster 505"]}]
    option.click(modifiers=["Alt"])
    assert filters(panels) == []


def test_a_brush_is_asked_for_once_counts_and_points_follow_it_and_on_release_it_is_a_filter(panels: Any) -> None:
    show(panels, "columns")
    amount = open_column(panels, "donor_id").locator(".amount").first
    strip = open_column(panels, "n_counts").get_by_role("slider")
    before = len(asked(panels))
    drag(panels, strip, 0.25, 0.5, drop=False)
    half = int(amount.locator("b").inner_text().replace(",", ""))
    box = strip.bounding_box()
    panels.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 3, steps=3)
    settle(panels)
    assert int(amount.locator("b").inner_text().replace(",", "")) == pytest.approx(2 * half, abs=2)
    low, high, n = panels.evaluate("() => [...store.get().brush.ends, store.get().brush.n]")
    assert (low, high) == (16, 48)
    expect(panels.locator(".passing b")).to_have_text(f"{n:,}")
    expect(panels.locator(".what")).to_contain_text(f"{n:,} of 100,000 cells shown")
    brushes = [one for (one,) in calls(panels, "ask") if one["kind"] == "brush"]
    assert [(one["column"], one["columns"]) for one in brushes] == [("obs:n_counts", ["obs:donor_id"])]
    assert 0 < len(brushes[0]["rows"][0]) < 38
    assert len(asked(panels)) == before
    assert filters(panels) == []
    panels.mouse.up()
    settle(panels)
    ((low, high),) = [one["range"] for one in filters(panels)]
    assert (abs(low - 160) < 4, abs(high - 480) < 4) == (True, True)
    assert len(asked(panels)) == before + 1
    drag(panels, strip, 0.5, 0.6)
    ((after_low, after_high),) = [one["range"] for one in filters(panels)]
    assert abs(after_high - after_low - (high - low)) < 1
    assert abs(after_low - low - 64) < 4
    drag(panels, strip, after_high / 640, 1)
    assert filters(panels) == [{"obs": "n_counts", "range": [after_low, None]}]


def test_arrows_move_the_range_shift_grows_it_and_escape_clears_it(panels: Any) -> None:
    show(panels, "columns")
    panels.evaluate(
        "() => store.set({ traits: { ...store.get().traits, filters: [{ obs: 'n_counts', range: [100, 200] }] } })"
    )
    strip = open_column(panels, "n_counts").get_by_role("slider")
    strip.focus()
    seen = []
    for key in ("ArrowRight", "Shift+ArrowRight", "ArrowLeft", "Shift+ArrowLeft"):
        panels.keyboard.press(key)
        seen.append(filters(panels)[0]["range"])
    assert seen == [[110, 210], [110, 220], [100, 210], [100, 200]]
    assert violations(panels, "#el") == {}
    panels.keyboard.press("Escape")
    assert filters(panels) == []
    expect(strip).to_be_visible()


def test_ends_can_be_typed_and_crossed_ones_are_refused_in_a_sentence(panels: Any) -> None:
    show(panels, "columns")
    body = open_column(panels, "n_counts")
    lower, upper = body.get_by_label("Lower limit of n_counts"), body.get_by_label("Upper limit of n_counts")
    lower.fill("1,200.5")
    lower.press("Enter")
    assert filters(panels) == [{"obs": "n_counts", "range": [1200.5, None]}]
    upper.fill("7")
    upper.press("Enter")
    expect(body.get_by_role("alert")).to_contain_text("must not exceed the upper limit")
    upper.fill("lots")
    upper.press("Enter")
    expect(body.get_by_role("alert")).to_contain_text("Enter a number")
    lower.fill("")
    lower.press("Enter")
    assert filters(panels) == []
    expect(body.get_by_role("alert")).to_have_count(0)


def test_the_overview_tells_how_many_pass_and_each_filter_can_be_taken_away(panels: Any) -> None:
    show(panels, "filteredColumns")
    panel = panels.get_by_role("complementary", name="Columns")
    expect(panel.locator(".passing p")).to_have_text("41,203 of 100,000 cells pass")
    expect(panel.locator(".chips .chip")).to_have_count(3)
    panel.get_by_role("button", name="Remove filter on n_counts").click()
    assert [next(iter(one)) for one in filters(panels)] == ["not", "query"]
    field = panel.get_by_label("Filter by query")
    expect(field).to_have_value("n_counts > 10 and CD3E > 0")
    field.fill("")
    field.press("Enter")
    assert filters(panels) == [{"not": {"obs": "cell_type", "in": ["platelet", None]}}]


def test_a_query_that_the_kernel_refuses_stays_with_its_sentence(panels: Any) -> None:
    show(panels, "columns")
    panel = panels.get_by_role("complementary", name="Columns")
    field = panel.get_by_label("Filter by query")
    field.fill("nosuch > 1")
    field.press("Enter")
    panels.evaluate("""() => store.set({ traits: { ...store.get().traits, filters: [] },
        error: { of: "filter", message: "<b>nosuch</b> is no column." } })""")
    settle(panels)
    expect(panel.get_by_role("alert")).to_have_text("<b>nosuch</b> is no column.")
    expect(field).to_have_value("nosuch > 1")


def test_a_damaged_column_says_so_in_its_row_and_the_others_are_counted(panels: Any) -> None:
    show(panels, "columns")
    expect(open_column(panels, "notes").get_by_role("alert")).to_contain_text("its file is missing")
    assert open_column(panels, "is_doublet").get_by_role("option").count() == 3


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_open_columns_are_accessible(panels: Any, dark: bool) -> None:
    panels.evaluate("(dark) => document.body.classList.toggle('dark', dark)", dark)
    panels.wait_for_function("(dark) => theme.dark === dark", arg=dark)
    show(panels, "filteredColumns")
    for name in ("cell_type", "n_counts", "notes"):
        open_column(panels, name)
    assert violations(panels, "#el") == {}


def test_sorting_by_name_changes_the_order_and_back(panels: Any) -> None:
    show(panels, "columns")
    labels = panels.get_by_role("complementary", name="Columns").locator(".opener .label")
    given = labels.all_text_contents()
    button = panels.get_by_role("button", name="Sort by name")
    button.click()
    expect(labels).to_have_text(sorted(given))
    button.click()
    expect(labels).to_have_text(given)
