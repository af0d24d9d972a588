"""The query of the panel of columns, of a real widget: what is typed, what is refused, and when that is past."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

N = 600
SCORE = np.random.default_rng(3).normal(size=N).astype(np.float32)
TYPE = np.arange(N) % 3
GENES = ["CD3E", "CD3D", "HLA-A"]


def cells() -> MemoryDataset:
    rng = np.random.default_rng(5)
    obs = {
        "score": SCORE,
        "score 2": SCORE * 2,
        "cell_type": Codes(TYPE.astype(np.int8), ("B cell", "T cell", "it's odd")),
        "leiden": Codes((np.arange(N) % 30).astype(np.int8), tuple(map(str, range(30)))),
    }
    xy = rng.normal(size=(N, 2)).astype(np.float32)
    return MemoryDataset(obs, rng.poisson(1.0, (N, len(GENES))).astype(np.float32), GENES, {"umap": xy})


@pytest.fixture(scope="module")
def served(chromium: Any) -> Iterator[ServedWidget]:
    one = ServedWidget(chromium, CxgWidget(cells(), color="cell_type", height=620), width=1000, height=660)
    one.widget.open_panels = ["columns"]
    one.tell()
    yield one
    one.close()


@pytest.fixture
def field(served: ServedWidget) -> Any:
    served.widget.filters.clear()
    served.tell()
    return served.page.get_by_label("Filter by query")


def enter(served: ServedWidget, field: Any, query: str) -> None:
    """Apply a query."""
    field.fill(query)
    field.press("Enter")
    served.settle()


def refuse(served: ServedWidget, field: Any) -> Any:
    """Apply a query that is refused; return where that is said: in the panel, and under the plot."""
    enter(served, field, "nosuch > 1")
    alerts = served.page.get_by_role("alert")
    expect(alerts).to_have_count(2)
    return alerts


def clear_all(served: ServedWidget, field: Any) -> None:
    served.page.get_by_role("button", name="Clear all").click()


def remove_one(served: ServedWidget, field: Any) -> None:
    served.page.get_by_role("button", name="Remove filter on cell_type").click()


def in_python(served: ServedWidget, field: Any) -> None:
    served.widget.filters["score"] = (0, None)
    served.tell()


@pytest.mark.parametrize(
    "mend",
    [
        lambda served, field: enter(served, field, "score > 0.5"),
        lambda served, field: enter(served, field, "score > 0"),  # the one that holds
        lambda served, field: enter(served, field, ""),
        clear_all, remove_one, in_python,
        lambda served, field: served.page.get_by_role("button", name="Undo").click(),
    ],
    ids=["mended", "as before", "emptied", "cleared", "another removed", "in Python", "undone"],
)  # fmt: skip
def test_an_error_of_a_query_goes_when_it_is_mended_or_filters_change(
    mend: Any, served: ServedWidget, field: Any
) -> None:
    served.widget.filters["cell_type"] = ["T cell"]
    served.widget.filter("score > 0")
    served.tell()
    alerts = refuse(served, field)
    mend(served, field)
    served.settle()
    expect(alerts).to_have_count(0)
    query = served.widget.filters.query
    expect(field).to_have_value(query or "")


def test_an_error_of_the_only_query_goes_when_the_field_is_emptied(served: ServedWidget, field: Any) -> None:
    alerts = refuse(served, field)
    enter(served, field, "")
    expect(alerts).to_have_count(0)
    expect(field).to_have_value("")


def test_a_query_that_is_left_half_typed_is_not_applied_and_waits_in_its_field(
    served: ServedWidget, field: Any
) -> None:
    panel = served.page.get_by_role("button", name="Columns", exact=True)
    waiting = served.page.get_by_text("Not applied yet: press Enter in the field.")
    served.widget.filter("score > 0")
    served.tell()
    field.fill("score > ")
    expect(waiting).to_have_count(0)
    panel.click()
    served.settle()
    expect(field).to_have_count(0)
    expect(served.page.get_by_role("alert")).to_have_count(0)
    assert served.widget.filters.query == "score > 0"
    panel.click()
    expect(field).to_have_value("score > ")
    expect(waiting).to_be_visible()
    field.focus()
    expect(waiting).to_have_count(0)
    enter(served, field, "score > 1")
    np.testing.assert_array_equal(served.widget.filters.mask, SCORE > 1)
    field.press_sequentially(" and")
    served.widget.filter("score > 2")  # what holds from elsewhere is what the field shows
    served.tell()
    expect(field).to_have_value("score > 2")


def test_a_refused_query_stays_in_its_field_with_its_error_while_the_table_asks_too(
    served: ServedWidget, field: Any
) -> None:
    served.widget.open_panels = ["columns", "table"]
    served.widget.filter("score > 0")
    served.tell()
    expect(served.page.get_by_role("grid")).to_be_visible()
    alerts = refuse(served, field)
    expect(field).to_have_value("nosuch > 1")
    expect(alerts.first).to_contain_text("nosuch")
    enter(served, field, "score > 1")
    expect(alerts).to_have_count(0)
    np.testing.assert_array_equal(served.widget.filters.mask, SCORE > 1)
    served.widget.open_panels = ["columns"]
    enter(served, field, "")


def test_histograms_say_their_scale_and_counts_and_share_a_switch(served: ServedWidget, field: Any) -> None:
    served.widget.select(SCORE > 1)
    served.tell()
    panel = served.page.locator("#columns")
    for name in ("score", "score 2"):
        panel.locator(".opener .label").get_by_text(name, exact=True).click()
    charts = panel.locator("svg.counted")
    expect(charts).to_have_count(2)
    counts = served.widget.counts("score")
    top = int(counts["all"].max())
    expect(panel.locator(".strip .axis small").first).to_have_text(str(top))
    bars, highest, zero = (
        panel.locator(f".strip {part}").first.bounding_box()
        for part in (".counted", ".axis small:first-child", ".axis small:last-child")
    )
    assert highest["y"] + highest["height"] <= bars["y"]
    assert zero["x"] + zero["width"] <= bars["x"]
    expect(charts.first).to_have_attribute(
        "aria-label", f"Histogram of score, linear heights, highest {top}: all cells, those that pass, those selected"
    )
    at = int(counts["selected"].to_numpy().argmax())
    box = panel.locator(".strip").first.bounding_box()
    assert box is not None
    n_bins = int(charts.first.get_attribute("viewBox").split()[2])
    served.page.mouse.move(box["x"] + (at + 0.5) / n_bins * box["width"], box["y"] + 30)
    n_all, n_selected = counts["all"].iloc[at], counts["selected"].iloc[at]
    expect(panel.locator(".reading .caption").first).to_contain_text(
        f": {n_all} cells, {n_all} pass, {n_selected} selected"
    )
    panel.get_by_role("button", name="Cube root").first.click()
    for i in range(2):
        expect(charts.nth(i)).to_have_attribute("aria-label", re.compile("heights by cube root"))


@pytest.mark.parametrize(
    ("typed", "downs", "wanted"),
    [
        ("scor", 1, ("score ", None)),
        ("scor", 2, ("`score 2` ", None)),
        ("score > 0 and cell_type == ", 2, ("score > 0 and cell_type == 'T cell' ", (SCORE > 0) & (TYPE == 1))),
        ("cell_type == 'odd", 1, ('cell_type == "it\'s odd" ', TYPE == 2)),
        ("cell_type in ['B cell', T", 1, ("cell_type in ['B cell', 'T cell' ", None)),
        ("hla", 1, ("`HLA-A` ", None)),
    ],
)
def test_names_and_categories_complete_while_a_query_is_typed(
    typed: str, downs: int, wanted: tuple[str, Any], served: ServedWidget, field: Any
) -> None:
    written, mask = wanted
    field.fill("")
    field.press_sequentially(typed)
    options = served.page.get_by_role("listbox", name="Completions").get_by_role("option")
    expect(options.first).to_be_visible()
    expect(field).to_have_attribute("aria-expanded", "true")
    assert field.get_attribute("aria-activedescendant") is None, "Enter applies what is typed until an arrow chooses"
    for _ in range(downs):
        field.press("ArrowDown")
    chosen = options.nth(downs - 1)
    expect(chosen).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", chosen.get_attribute("id"))
    field.press("Enter")
    expect(field).to_have_value(written)
    expect(options).to_have_count(0)
    if mask is not None:
        field.press("Enter")
        served.settle()
        assert served.widget.filters.query == written.strip()
        np.testing.assert_array_equal(served.widget.filters.mask, mask)
    enter(served, field, "")


def test_escape_closes_the_completions_and_keeps_what_is_typed(served: ServedWidget, field: Any) -> None:
    field.fill("")
    field.press_sequentially("scor")
    options = served.page.get_by_role("listbox", name="Completions").get_by_role("option")
    expect(options).to_have_count(2)
    field.press("Escape")
    expect(options).to_have_count(0)
    expect(field).to_have_value("scor")
    expect(served.page.locator("#columns")).to_be_visible()
    enter(served, field, "")


def test_many_completions_scroll_in_their_list_and_cover_nothing_below_it(served: ServedWidget, field: Any) -> None:
    field.fill("")
    field.press_sequentially("leiden == ")
    listbox = served.page.get_by_role("listbox", name="Completions")
    options = listbox.get_by_role("option")
    expect(options).to_have_count(30)
    frame = listbox.locator("xpath=..")
    assert frame.evaluate("(list) => [list.scrollHeight > list.clientHeight, getComputedStyle(list).overflowY]") == [
        True, "auto",
    ]  # fmt: skip
    for _ in range(30):
        field.press("ArrowDown")
    expect(options.last).to_have_attribute("aria-selected", "true")
    expect(options.last).to_be_in_viewport(ratio=1)
    edge, last = frame.bounding_box(), options.last.bounding_box()
    assert edge["y"] <= last["y"]
    assert last["y"] + last["height"] <= edge["y"] + edge["height"]
    enter(served, field, "")


def test_a_click_inserts_a_completion_and_the_field_keeps_the_focus(served: ServedWidget, field: Any) -> None:
    field.fill("")
    field.press("ArrowDown")
    options = served.page.get_by_role("listbox", name="Completions").get_by_role("option")
    expect(options.first).to_have_attribute("aria-selected", "true")
    options.filter(has_text="cell_type").click()
    expect(field).to_have_value("cell_type ")
    expect(field).to_be_focused()
    enter(served, field, "")
