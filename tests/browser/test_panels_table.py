"""The table of the cells, drawn by the second module: scrolled, sorted, pointed at, and what is done with its rows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser.axe import violations
from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser


def opened(page: Any, scene: str = "table") -> Any:
    """Bring a scene, and return the grid once its rows are there."""
    show(page, scene)
    grid = page.get_by_role("grid")
    expect(grid.locator("[data-place='0']")).to_be_visible()
    return grid


def places(grid: Any) -> list[int]:
    """Return the places of the rows that are drawn."""
    return [int(one.get_attribute("data-place")) for one in grid.locator("[data-place]").all()]


def active(page: Any) -> str:
    """Return the text of the cell that the keys are at."""
    settle(page)
    return str(
        page.evaluate(
            "() => root.getElementById(root.activeElement.getAttribute('aria-activedescendant'))?.innerText.trim()"
        )
    )


def test_it_holds_the_names_and_columns_as_text_and_says_what_it_lacks(panels: Any) -> None:
    grid = opened(panels)
    assert grid.get_attribute("aria-rowcount") == "100001"
    assert [one.inner_text().split("\n")[-1] for one in grid.get_by_role("columnheader").all()][:3] == [
        "Cell", "cell_type", "n_counts",
    ]  # fmt: skip
    row = grid.locator("[data-place='1']")
    assert row.locator("[data-column]").all_text_contents()[:3] == [
        "AAACCTGAGAAACCAT-1", "<img src=x onerror=window.hacked=1>", "0.25",
    ]  # fmt: skip
    expect(grid.get_by_role("columnheader").last).to_have_attribute(
        "title", "Cannot read obs column 'notes': its file is missing."
    )
    assert row.get_attribute("aria-selected") == "true"
    assert panels.evaluate("() => window.hacked") is None


def test_the_last_of_twenty_million_rows_is_reached_and_one_more_is_one_more(panels: Any) -> None:
    grid = opened(panels, "longTable")
    grid.evaluate("(grid) => (grid.scrollTop = grid.scrollHeight)")
    expect(grid.locator("[data-place='19999999']")).to_be_visible()
    grid.focus()
    panels.keyboard.press("Control+Home")
    settle(panels)
    for key in ("PageDown", "PageDown", "ArrowDown", "ArrowUp"):
        panels.keyboard.press(key)
    here = active(panels)
    panels.keyboard.press("ArrowDown")
    assert int(active(panels).split("-")[1]) == int(here.split("-")[1]) + 1
    assert len(places(grid)) < 30
    panels.keyboard.press("Control+End")
    expect(grid.locator("[data-place='19999999'].active")).to_be_visible()
    grid.hover()
    panels.mouse.wheel(0, -240)
    expect(grid.locator("[data-place='19999999']")).to_have_count(0)
    assert max(places(grid)) > 19_999_900


def test_heads_sort_by_click_and_key_up_then_down_then_not_at_all(panels: Any) -> None:
    grid = opened(panels)
    head = grid.get_by_role("columnheader", name="n_counts")
    for way in ("ascending", "descending", "none"):
        head.click()
        expect(head).to_have_attribute("aria-sort", way)
    panels.keyboard.press("Home")
    panels.keyboard.press("Enter")
    expect(grid.get_by_role("columnheader", name="Cell", exact=True)).to_have_attribute("aria-sort", "ascending")
    sorts = [value for name, value in calls(panels, "setTrait") if name == "table"]
    by = {"sort": "obs:n_counts"}
    assert sorts == [by, {**by, "descending": True}, None, {"sort": "index"}]


def test_keys_go_from_cell_to_cell_and_enter_selects(panels: Any) -> None:
    grid = opened(panels)
    grid.focus()
    seen = []
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "End", "Home", "ArrowUp", "ArrowUp"):
        panels.keyboard.press(key)
        seen.append(active(panels))
    name = "AAACCTGAGAAACCAT-"
    assert seen == [f"{name}0", f"{name}1", "<img src=x onerror=window.hacked=1>", "", f"{name}1", f"{name}0", "Cell"]
    panels.keyboard.press("ArrowDown")
    panels.keyboard.press("Enter")
    panels.keyboard.press("Shift+Enter")
    assert calls(panels, "selectRows") == [[[0], "replace"], [[0], "add"]]
    panels.keyboard.press("Escape")
    expect(panels.get_by_role("grid")).to_have_count(0)


def test_a_row_rings_its_cell_and_a_cell_that_is_clicked_in_the_plot_is_brought_into_sight(panels: Any) -> None:
    grid = opened(panels)
    grid.locator("[data-place='3']").hover()
    cell = calls(panels, "point")[-1][0]
    assert (cell["row"], cell["x"], cell["y"]) == (9, 3, 1)
    grid.locator("[data-place='2']").hover()
    assert calls(panels, "point")[-1] == [None]  # it has no place
    panels.evaluate("() => store.set({ cell: { row: 3, x: 0, y: 0, name: '', value: '', fields: [] } })")
    expect(grid.locator("[data-place='1'].pointed")).to_be_visible()
    panels.evaluate("() => store.set({ marked: { row: 30_000 } })")
    expect(grid.locator("[data-place='10000'].active")).to_be_visible()
    panels.evaluate("() => store.set({ marked: { row: 30_001 } })")
    expect(panels.locator(".table-bar [role=status]")).to_have_text("This cell is not in the table.")
    expect(grid.locator("[data-place='10000'].active")).to_be_visible()


def test_its_controls_keep_to_two_lines_where_the_plot_is_narrow(panels: Any) -> None:
    panels.set_viewport_size({"width": 350, "height": 600})
    show(panels, "table")
    panels.evaluate("() => store.set({ traits: { ...store.get().traits, filters: [{ query: 'score > 0' }] } })")
    expect(panels.get_by_label("Cells of the table")).to_be_visible()
    bar = panels.locator("#table button.text, #table h2, #table .small, #table select")
    boxes = [one.bounding_box() for one in bar.all()]
    assert max(box["x"] + box["width"] for box in boxes) <= 350
    middles = sorted(box["y"] + box["height"] / 2 for box in boxes)
    assert sum(after - before > 6 for before, after in pairwise(middles)) == 1


def test_a_column_beyond_the_edge_comes_into_sight_as_the_keys_go_there(panels: Any) -> None:
    panels.set_viewport_size({"width": 420, "height": 600})
    grid = opened(panels)
    specs = [f"obs:{name}" for name in ("cell_type", "donor_id", "cluster", "n_counts", "percent_mito")]
    panels.evaluate("(columns) => store.set({ traits: { ...store.get().traits, table: { columns } } })", specs)
    expect(grid.get_by_role("columnheader")).to_have_count(6)
    grid.focus()
    for key, edge in (("ArrowDown", 0), ("End", 1), ("ArrowLeft", 1), ("Home", 1)):
        panels.keyboard.press(key)
        settle(panels)
        left, end = grid.evaluate("(grid) => [grid.scrollLeft, grid.scrollWidth - grid.clientWidth]")
        assert end > 100
        assert left == edge * end
    for _ in range(2):
        panels.keyboard.press("ArrowRight")
    panels.keyboard.press("ArrowLeft")
    settle(panels)
    assert grid.evaluate("(grid) => grid.scrollLeft") == 0


def test_columns_are_chosen_from_all_that_there_are(panels: Any) -> None:
    grid = opened(panels)
    button = panels.locator("#table").get_by_role("button", name="Columns")
    button.click()
    field = panels.get_by_label("Find a column or gene")
    field.fill("cd3e")
    box = panels.get_by_role("checkbox")
    expect(box).to_have_count(1)
    box.check()
    expect(grid.get_by_role("columnheader", name="CD3E")).to_be_visible()
    field.fill("cell_t")
    expect(panels.get_by_role("checkbox", name="cell_type")).to_be_checked()
    for dark in (False, True):
        panels.evaluate("(dark) => document.body.classList.toggle('dark', dark)", dark)
        panels.wait_for_function("(dark) => theme.dark === dark", arg=dark)
        assert violations(panels, "#el") == {}
    field.press("Enter")
    expect(grid.get_by_role("columnheader", name="cell_type")).to_have_count(0)
    field.press("Escape")
    expect(field).to_have_count(0)
    expect(button).to_be_focused()
    assert calls(panels, "setTrait")[-1] == ["table", {"columns": ["obs:n_counts", "obs:notes", "var:CD3E"]}]


def test_all_rows_are_a_file_and_the_first_of_them_are_copied_and_that_is_said(panels: Any, tmp_path: Path) -> None:
    panels.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(panels)
    part = panels.locator("#table")
    with panels.expect_download() as downloading:
        part.get_by_role("button", name="CSV").click()
    downloading.value.save_as(tmp_path / "cells.csv")
    assert downloading.value.suggested_filename.endswith(".csv")
    assert (tmp_path / "cells.csv").read_text().splitlines() == [
        "cell,n_counts",
        *(f"c{i},{i}" for i in range(100_000)),
    ]
    part.get_by_role("button", name="Copy", exact=True).click()
    expect(part.get_by_role("status")).to_have_text("Copied the first 10,000 of 100,000 cells; the CSV has all.")


def test_nouns_of_other_stores_are_in_it(panels: Any) -> None:
    grid = opened(panels, "tableOfSpectra")
    expect(grid).to_have_accessible_name("Table of spectra")
    expect(grid.get_by_role("columnheader").first).to_have_text("Spectrum")
    expect(panels.locator("#table [role=status]")).to_have_text("100,000 spectra")
