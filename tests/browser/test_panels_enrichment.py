"""Open columns and pinned genes in the mode of enrichment: without a selection, sorted, told, by pointer and keys."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.axe import violations
from tests.browser.panels_page import expect, settle, show
from tests.browser.test_panels_counts import open_column

pytestmark = pytest.mark.browser


def enrichment(page: Any, panel: str = "Columns") -> None:
    page.get_by_role("complementary", name=panel).get_by_role("radio", name="Enrichment").click()
    settle(page)


def select(page: Any, n: int) -> None:
    page.evaluate("(n) => store.set({ selection: { seq: store.get().selection.seq + 1, n } })", n)
    settle(page)


def labels(body: Any) -> list[str]:
    return body.locator(".count-row .label").all_text_contents()


def test_without_a_selection_rows_are_as_they_were_and_one_line_says_what_to_do(panels: Any) -> None:
    show(panels, "columns")
    select(panels, 0)
    body = open_column(panels, "cell_type")
    before = labels(body), body.locator(".amount").all_text_contents()
    enrichment(panels)
    assert (labels(body), body.locator(".amount").all_text_contents()) == before
    expect(body.get_by_role("status")).to_have_text("14 categories")
    expect(panels.get_by_text("Select cells to see what is enriched.")).to_be_visible()
    assert body.locator(".enrichment").count() == 0


def test_after_a_lasso_rows_come_by_their_chance_with_odds_and_shares_and_the_table_is_of_the_one_pointed_at(
    panels: Any,
) -> None:
    show(panels, "columns")
    body = open_column(panels, "cell_type")
    enrichment(panels)
    select(panels, 5)
    expect(panels.get_by_text("to see what is enriched")).to_be_hidden()
    expect(body.get_by_role("status")).to_have_text("9 of 15 enriched; strongest: (missing)")
    known = panels.evaluate("() => store.get().columns['obs:cell_type']")
    odds, chances = (known["arrays"][name] for name in ("odds", "log10_p"))
    assert labels(body)[0] == "(missing)"
    assert labels(body)[1] == known["categories"][min(range(14), key=lambda i: chances[i])]
    first = body.get_by_role("option").first
    expect(first.locator(".odds")).to_have_text(f"▲{odds[14]:.1f}")
    table = body.locator(".enrichment")
    expect(table).to_contain_text("p, adjusted5e-401")
    body.get_by_role("option").nth(1).hover()
    expect(table.locator(".label")).to_have_text(labels(body)[1])
    share = first.locator(".taken").bounding_box()["width"] / first.locator(".all").bounding_box()["width"]
    chosen, held = (known["arrays"][name] for name in ("chosen", "held"))
    most = max(max(some) / sum(some) for some in (chosen, held))
    assert share == pytest.approx(chosen[14] / sum(chosen) / most, abs=0.02)
    body.get_by_role("button", name="Sort cell_type by enrichment").click()
    expect(body.get_by_role("option").first.locator(".label")).to_have_text(known["categories"][0])
    select(panels, 0)
    expect(body.get_by_role("status")).to_have_text("14 categories")


def test_keys_lead_through_the_rows_which_say_all_and_hide_and_show_as_ever(panels: Any) -> None:
    show(panels, "columns")
    select(panels, 5)
    body = open_column(panels, "cell_type")
    panels.get_by_role("radio", name="Counts").focus()
    panels.keyboard.press("ArrowRight")
    settle(panels)
    expect(panels.get_by_role("radio", name="Enrichment")).to_be_focused()
    panels.mouse.move(2, 2)  # a row below the pointer would be the one that is told of
    body.get_by_role("listbox").focus()
    panels.keyboard.press("ArrowDown")
    settle(panels)
    active = body.locator(f"[id='{body.get_by_role('listbox').get_attribute('aria-activedescendant')}']")
    name = active.locator(".label").text_content()
    expect(body.locator(".enrichment .label")).to_have_text(name)
    assert all(one in active.text_content() for one in ("enriched; selected", "expected", "odds ratio", "p, adjusted"))
    assert violations(panels, "#el") == {}
    panels.keyboard.press("Space")
    assert panels.evaluate("() => store.get().traits.filters") == [
        {"not": {"obs": "cell_type", "in": [None if name == "(missing)" else name]}}
    ]


def test_of_a_long_list_the_rows_that_the_kernel_names_are_asked_for_and_come_first(panels: Any) -> None:
    show(panels, "columns")
    body = open_column(panels, "cluster")
    enrichment(panels)
    select(panels, 5)
    settle(panels)
    assert labels(body)[:3] == ["(missing)", "cluster 900", "cluster 30"]
    expect(body.get_by_role("status")).to_have_text("Most enriched: (missing)")


def test_numbers_show_two_outlines_of_shares_and_the_brush_stays(panels: Any) -> None:
    show(panels, "columns")
    body = open_column(panels, "n_counts")
    enrichment(panels)
    assert body.locator("path.all").count() == 1
    select(panels, 5)
    expect(body.get_by_role("img")).to_have_accessible_name(
        "Histogram of n_counts: shares of the selection and of the rest"
    )
    assert body.locator("path.chosen, path.rest").count() == 2
    body.get_by_role("slider").focus()
    panels.keyboard.press("ArrowRight")
    assert panels.evaluate("() => store.get().traits.filters.length") == 1
