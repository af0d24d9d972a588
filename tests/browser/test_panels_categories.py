"""The legend of categories, driven by keyboard and pointer on a page with a made-up model (panels.js)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.panels_page import calls, expect, in_short, row, settle, show

pytestmark = pytest.mark.browser


@pytest.fixture
def page(panels: Any) -> Any:
    return panels


def test_a_click_toggles_alt_or_only_or_double_click_shows_one(page: Any) -> None:
    show(page, "categories")
    row(page, 2).click()
    row(page, 3).click(modifiers=["Alt"])
    row(page, 4).hover()
    row(page, 4).locator(".only").click()
    row(page, 4).locator(".only").dblclick()
    assert calls(page, "toggleCategory") == [[2]]
    assert calls(page, "onlyCategory") == [[3], [4], [4]]
    row(page, 5).dblclick()
    settle(page)
    hidden = page.evaluate("() => store.get().traits.hidden")
    assert len(hidden) == 13
    assert "memory B cell" not in hidden


def test_hovering_highlights_and_leaving_stops(page: Any) -> None:
    row(page, 1).hover()
    page.mouse.move(200, 300)
    assert [call[0] for call in calls(page, "highlight")] == [1, -1]


def test_hidden_rows_say_so_and_show_all_brings_them_back(page: Any) -> None:
    show(page, "hidden")
    assert [row(page, i).get_attribute("aria-selected") for i in (0, 3)] == ["false", "true"]
    page.get_by_role("button", name="Show all").click()
    settle(page)
    assert calls(page, "showAll") == [[]]
    assert page.get_by_role("button", name="Show all").count() == 0


def test_the_legend_works_from_the_keyboard(page: Any) -> None:
    show(page, "many")
    page.get_by_role("textbox", name="Filter categories").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    settle(page)
    for key in ("ArrowDown", " ", "End", "Enter"):
        page.keyboard.press(key)
        settle(page)
    assert calls(page, "toggleCategory") == [[1]]
    assert calls(page, "onlyCategory") == [[1100]]
    assert calls(page, "highlight")[-1] == [1100]
    active = page.get_by_role("listbox", name=re.compile("Categories")).get_attribute("aria-activedescendant")
    assert page.evaluate("(id) => root.getElementById(id)?.textContent", active).strip().startswith("cluster 1100")


def test_1101_categories_scroll_and_filter_with_few_elements(page: Any) -> None:
    show(page, "many")
    rows = page.locator(".rows .row")
    assert rows.count() < 60
    page.evaluate("() => { root.querySelector('.rows').scrollTop = 1e6; }")
    expect(row(page, 1100)).to_be_visible()
    assert rows.count() < 60
    page.get_by_role("textbox", name="Filter categories").fill("cluster 77")
    expect(row(page, 770)).to_be_visible()
    assert rows.count() == 11
    page.get_by_role("textbox", name="Filter categories").fill("nothing like it")
    expect(page.get_by_text("No category matches")).to_be_visible()


def test_sorting_by_count_puts_the_largest_first(page: Any) -> None:
    page.get_by_role("button", name="Sort by count").click()
    settle(page)
    counts = [int(text.replace(",", "")) for text in page.locator(".rows .count").all_inner_texts()]
    assert counts == sorted(counts, reverse=True)


def test_missing_is_a_row_of_its_own_that_can_be_hidden(page: Any) -> None:
    page.get_by_role("button", name="(missing) 4,210").click()
    assert calls(page, "toggleCategory") == [[14]]
    missing = page.get_by_role("button", name="(missing) 4,210")
    expect(missing).to_have_attribute("aria-pressed", "false")
    missing.hover()
    missing.locator(".only").click()
    assert calls(page, "onlyCategory") == [[14]]


def test_names_from_data_are_text(page: Any) -> None:
    show(page, "nasty")
    expect(page.get_by_text("<img src=x onerror=window.hacked=1>").first).to_be_visible()
    expect(page.get_by_role("heading", name="<b>nasty</b>")).to_be_visible()
    assert page.evaluate("() => root.querySelectorAll('img, script, b:not(.status b)').length") == 0
    assert page.evaluate("() => window.hacked") is None
    assert "url" not in page.evaluate('() => root.querySelector(\'.rows\').innerHTML.match(/style="[^"]*"/g).join()')


MODES = {(): "replace", ("Shift",): "add", ("Alt",): "subtract", ("Shift", "Alt"): "intersect"}


@pytest.mark.parametrize(("keys", "mode"), MODES.items(), ids=list(MODES.values()))
def test_a_row_selects_by_its_sign_with_the_keys_of_a_lasso(page: Any, keys: tuple[str, ...], mode: str) -> None:
    for one in (row(page, 3), page.get_by_role("button", name="(missing) 4,210")):
        one.hover()
        one.locator(".select").click(modifiers=list(keys))
    assert calls(page, "selectCategory") == [[3, mode], [14, mode]]
    assert calls(page, "toggleCategory") == calls(page, "onlyCategory") == []


@pytest.mark.parametrize(("keys", "mode"), MODES.items(), ids=list(MODES.values()))
def test_a_row_selects_by_the_key_s(page: Any, keys: tuple[str, ...], mode: str) -> None:
    page.get_by_role("button", name="Sort by count").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("+".join([*keys, "s"]))
    page.keyboard.press("Tab")
    page.keyboard.press("+".join([*keys, "s"]))
    assert calls(page, "selectCategory") == [[1, mode], [14, mode]]
    assert calls(page, "setTrait") == calls(page, "toggleCategory") == []


def test_selecting_twice_in_a_row_is_no_double_click_on_the_row(page: Any) -> None:
    row(page, 3).hover()
    row(page, 3).locator(".select").dblclick()
    assert calls(page, "selectCategory") == [[3, "replace"], [3, "replace"]]
    assert calls(page, "onlyCategory") == calls(page, "toggleCategory") == []


def test_the_label_under_the_pointer_keeps_its_width_whatever_is_shown_beside_it(page: Any) -> None:
    for scene in ("categories", "counted", "clusters"):
        show(page, scene)
        page.mouse.move(200, 300)
        for i in (0, 3, 5):
            before = row(page, i).locator(".label").bounding_box()
            row(page, i).hover()
            expect(row(page, i).locator(".select")).to_be_visible()
            expect(row(page, i).locator(".only")).to_be_visible()
            assert row(page, i).locator(".label").bounding_box() == before
            act = row(page, i).locator(".select").bounding_box()
            assert before["x"] + before["width"] <= act["x"]


def test_rows_tell_how_many_of_their_cells_are_selected_beside_how_many_there_are(page: Any) -> None:
    show(page, "counted")
    totals = page.evaluate("() => store.get().color.counts")
    selected = page.evaluate("() => [...store.get().counted.counts]")
    for i in (0, 1, 2):
        assert row(page, i).locator(".counts").inner_text().split() == [in_short(selected[i]), in_short(totals[i])]
        title = row(page, i).get_attribute("title")
        assert title.endswith(f"{totals[i]:,} cells, {selected[i]:,} selected")
    assert page.locator(".row.missing .counts").inner_text().split() == ["7", "4.2K"]
    rights = [row(page, i).locator(".counts b").bounding_box() for i in range(8)]
    assert len({round(box["x"] + box["width"]) for box in rights}) == 1
    page.evaluate("() => store.set({ selection: { seq: 2, n: 0 } })")
    settle(page)
    assert page.locator(".counts b").count() == 0


def test_without_a_kernel_rows_offer_nothing(page: Any) -> None:
    show(page, "offline")
    row(page, 2).hover()
    assert page.locator(".act").count() == 0
    row(page, 2).click()
    page.get_by_role("button", name="Sort by count").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("s")
    assert calls(page, "toggleCategory") == calls(page, "selectCategory") == []
