"""What the panels say: the line under the plot, notices, notes, why there is nothing to see."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser


@pytest.fixture
def page(panels: Any) -> Any:
    return panels


_PLACE_OF_COST = """() => {
  const text = root.querySelector(".cost span").getBoundingClientRect();
  const box = root.querySelector(".cost").getBoundingClientRect();
  return [text.left - box.left, box.right - text.right, text.top - box.bottom];
}"""
"""From the box of what was read: how far its text lies inside of it to the left and right, and how far beneath."""


def told(page: Any) -> str:
    """Return the line under the plot."""
    return " ".join(page.locator(".status").inner_text().split())


def test_the_selection_is_counted_and_cleared(page: Any) -> None:
    show(page, "selected")
    expect(page.get_by_text("1,234")).to_be_visible()
    assert "1,234 of 100,000 cells selected · 1.2\u00a0%" in page.locator(".what").text_content()
    page.get_by_role("button", name="Clear").click()
    assert calls(page, "clearSelection") == [[]]


def test_work_that_can_be_ended_has_a_button_that_the_keyboard_reaches(page: Any) -> None:
    show(page, "selected")
    stop = page.get_by_role("button", name="Stop", exact=True)
    for ends_by, n_buttons in (("aggregate", 1), ("", 0), ("color", 1)):
        page.evaluate(f"() => store.set({{ building: {{ of: 'index', done: 0.25, ends_by: '{ends_by}' }} }})")
        settle(page)
        assert "Indexing cells, 25 %" in told(page)
        expect(stop).to_have_count(n_buttons)
    page.get_by_role("button", name="Clear").focus()
    page.keyboard.press("Tab")
    expect(stop).to_be_focused()
    page.keyboard.press("Enter")
    assert calls(page, "stop") == [[]]


def test_a_gesture_that_changed_nothing_is_said_and_announced(page: Any) -> None:
    show(page, "missed")
    expect(page.locator(".spoken")).to_have_text("0 of 100,000 cells selected")
    assert told(page).startswith("PBMC atlas, 38 donors 0 of 100,000 cells selected")
    show(page, "unchanged")
    expect(page.locator(".what")).to_contain_text("1.2\u00a0% · unchanged")
    expect(page.locator(".spoken")).to_contain_text("1,234 of 100,000 cells selected, unchanged; ")


def test_what_the_last_action_read_is_said_where_there_is_room(page: Any) -> None:
    show(page, "read")
    cost = page.locator(".cost")
    expect(cost).to_have_text("1.2\u00a0MB in 3 reads")
    page.evaluate("() => store.set({ cost: { nBytes: 1_200_000, nReads: 3, isAhead: true } })")
    expect(cost).to_have_text("1.2\u00a0MB in up to 3 requests")
    page.evaluate("() => store.set({ cost: { nBytes: 0, nReads: 0 } })")
    expect(cost).to_have_text("from memory")
    for width in range(300, 700, 20):
        page.evaluate("(width) => document.body.style.setProperty('width', `${width}px`)", width)
        left, right, top = page.evaluate(_PLACE_OF_COST)
        assert (left >= 0 and right >= 0) or top >= 0, f"{width} px wide the text is cut"
    page.evaluate("() => { document.body.style.width = ''; store.set({ cost: null }); }")
    expect(cost).to_have_count(0)


def test_icons_lie_whole_in_their_boxes(page: Any) -> None:
    show(page, "selected")
    cut = page.evaluate(
        """() => [...root.querySelectorAll(".icon")]
          .filter((icon) => { const { x, y, width, height } = icon.getBBox();
            return x < 0 || y < 0 || x + width > 16 || y + height > 16; }).map((icon) => icon.innerHTML)"""
    )
    assert cut == []


def test_the_plot_is_described_in_words_that_follow_what_is_shown(page: Any) -> None:
    plot = page.get_by_label("Scatterplot")
    show(page, "filteredColumns")
    for words in (
        "PBMC atlas",
        "1,234 of 100,000 cells selected",
        "X_umap",
        "cell_type, 14 categories",
        "n_counts 120",
    ):
        expect(plot).to_have_accessible_description(re.compile(words))
    show(page, "gene")
    expect(plot).to_have_accessible_description(re.compile("Color: CD3E .*0 to 6.42.*Without a value: 214"))


@pytest.mark.parametrize(
    ("scene", "text"),
    [
        ("empty", "This dataset has no cells."),
        ("noEmbedding", "no embedding to draw"),
        ("noPlace", "No cell has coordinates"),
        ("allHidden", "All categories are hidden."),
        ("constant", "All values are 3."),
        ("noValues", "No values."),
        ("noColor", "Color the cells by any column, gene or gene set."),
    ],
)
def test_what_there_is_not_is_said(page: Any, scene: str, text: str) -> None:
    show(page, scene)
    expect(page.get_by_text(text).first).to_be_visible()


@pytest.mark.parametrize(
    ("scene", "message", "button", "action"),
    [
        ("nothingInView", "No cells in view.", "Zoom to fit", "resetView"),
        ("noSpectraInView", "No spectra in view.", "Zoom to fit", "resetView"),
        ("hiddenInView", "All cells in view are hidden.", "Show all categories", "showAll"),
    ],
)
def test_an_empty_view_says_so_and_leads_back(page: Any, scene: str, message: str, button: str, action: str) -> None:
    show(page, scene)
    expect(page.locator(".empty").get_by_text(message)).to_be_visible()
    page.get_by_role("button", name=button).focus()
    page.keyboard.press("Enter")
    assert calls(page, action) == [[]]


def test_a_failure_is_one_line_under_the_plot_and_dismissed(page: Any) -> None:
    show(page, "damaged")
    plot, line = page.locator(".plot").bounding_box(), page.locator(".notice").bounding_box()
    assert line["y"] >= plot["y"] + plot["height"]
    assert line["height"] <= 29
    expect(page.get_by_role("alert")).to_have_text(
        "Cannot read obs column 'donor_id': data files are missing or damaged."
    )
    assert "TileDB" not in page.locator(".root").text_content()
    assert "/data/" not in page.locator(".root").text_content()
    page.get_by_role("button", name="Dismiss").click()
    settle(page)
    assert page.get_by_role("alert").count() == 0
    assert told(page).startswith("PBMC atlas, 38 donors 100,000 cells")


def test_the_details_of_a_failure_are_shown_on_request_by_keyboard_too(page: Any) -> None:
    show(page, "damaged")
    line = page.get_by_role("button", name="Cannot read obs column")
    expect(line).to_have_attribute("aria-expanded", "false")
    line.focus()
    page.keyboard.press("Enter")
    details = page.get_by_role("dialog", name="Details")
    expect(details).to_contain_text("[TileDB::FragmentMetadata] Error")
    expect(details).to_contain_text("/data/projects/atlas")
    expect(line).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    expect(details).to_have_count(0)
    assert page.evaluate("() => root.activeElement.getAttribute('aria-expanded')") == "false"


def test_without_a_kernel_the_line_says_so_and_covers_nothing(page: Any) -> None:
    for scene, text in {
        "offline": "The kernel restarted. Run",
        "offlineBare": "Static picture: no kernel is running. Run",
    }.items():
        show(page, scene)
        plot, line = page.locator(".plot").bounding_box(), page.locator(".notice").bounding_box()
        assert line["y"] >= plot["y"] + plot["height"]
        expect(page.locator(".notice")).to_contain_text(text)
        page.get_by_role("button", name=text).click()
        expect(page.get_by_role("dialog", name="Details")).to_contain_text("Run this cell again.")
        page.keyboard.press("Escape")


def test_hidden_categories_count_in_the_line(page: Any) -> None:
    show(page, "hidden")
    counts = page.evaluate("() => store.get().color.counts")
    n_hidden = sum(counts[:3])
    expect(page.locator(".what")).to_have_text(f"{100_000 - n_hidden:,} of 100,000 cells shown")
    page.evaluate("""() => store.set({ traits: { ...store.get().traits, hidden: ["(missing)"] } })""")
    expect(page.locator(".what")).to_have_text("95,790 of 100,000 cells shown")
    show(page, "unchanged")
    expect(page.locator(".aside")).to_have_text(f"{n_hidden:,} hidden · 12 not drawn")
    page.evaluate("() => store.set({ traits: { ...store.get().traits, filtered: 'grey' } })")
    expect(page.locator(".aside")).to_have_text(f"{n_hidden:,} in grey · 12 not drawn")


def test_a_title_gives_way_wholly_before_a_notice_is_cut(page: Any) -> None:
    show(page, "longTitle")
    page.evaluate("() => store.set({ link: 'offline' })")
    settle(page)
    assert page.locator(".title").evaluate("(title) => title.scrollWidth > title.clientWidth")
    assert page.locator(".sentence .label").evaluate("(label) => label.scrollWidth <= label.clientWidth")


@pytest.mark.parametrize("width", [900, 640, 460, 380])
def test_counts_are_never_cut_before_the_title(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 600})
    for scene in ("longTitle", "selected", "missed"):
        show(page, scene)
        count, line = page.locator(".what").bounding_box(), page.locator(".status").bounding_box()
        assert not page.locator(".what").evaluate("(one) => one.scrollWidth > one.clientWidth")
        assert count["x"] + count["width"] <= line["x"] + line["width"]
    show(page, "longTitle")
    assert page.locator(".title").evaluate("(one) => one.scrollWidth > one.clientWidth")


def test_the_notes_say_what_is_on_show_now(page: Any) -> None:
    show(page, "categories")
    page.get_by_role("button", name="Notes on the plot").click()
    about = page.get_by_role("dialog", name="Notes on the plot")
    expect(about).to_contain_text("Each cell is drawn as a point.")
    expect(about).to_contain_text("12 cells have no coordinates in X_umap and are not drawn.")
    expect(about).to_contain_text("'raw_ids' is damaged")
    show(page, "image")
    expect(about).to_contain_text("An image shows all cells in view")
    expect(about).to_contain_text("High values are drawn on top.")
    page.evaluate("() => store.set({ crowd: { ...store.get().crowd, weight: 0, behind: 36 } })")
    expect(about).to_contain_text("Where cells share a pixel, its color shows their mean.")
    expect(about).to_contain_text("With fewer than 36 cells in a pixel, nearby cells count too.")
    page.evaluate("() => store.set({ color: { ...store.get().color, limits: [0, 9] } })")
    expect(about).to_contain_text("The colors span 99 % of the means of pixels in the whole plot, at any zoom.")
    page.evaluate("() => store.set({ traits: { ...store.get().traits, limits: 'follow' } })")
    expect(about).to_contain_text("The colors span 99 % of the displayed values.")
    page.evaluate("() => store.set({ inView: { as: 'cells', lacks: '' } })")
    expect(about).to_contain_text("Each cell in view is drawn as a point")
    page.evaluate("() => store.set({ inView: { as: 'sample', lacks: '' } })")
    expect(about).to_contain_text("The points are a random sample of 40,000 cells")
    show(page, "hidden")
    n_hidden = sum(page.evaluate("() => store.get().color.counts")[:3])
    expect(about).to_contain_text(f"Hidden: {n_hidden:,} cells in 3 categories of cell_type.")


def test_what_the_filters_leave_is_counted_and_they_can_be_cleared_where_nothing_passes(page: Any) -> None:
    show(page, "filtered")
    expect(page.locator(".what")).to_have_text("4,321 of 100,000 cells shown")
    expect(page.locator(".spoken")).to_have_text("4,321 of 100,000 cells pass the filters")
    page.get_by_role("button", name="Notes on the plot").click()
    expect(page.get_by_text("4,321 of 100,000 cells pass 2 filters; the others are not drawn.")).to_be_visible()
    show(page, "lost")
    expect(page.get_by_text("No cells pass the filters.")).to_be_visible()
    page.get_by_role("button", name="Clear filters").click()
    assert calls(page, "clearFilters") == [[]]
