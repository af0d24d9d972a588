"""Columns counted, brushed and hidden in a page; expected counts come from pandas."""

from __future__ import annotations

from typing import Any

import pytest

from cxg_widget import CxgWidget
from tests.browser.axe import violations
from tests.browser.panels_page import expect
from tests.browser.served_stage import ServedStage
from tools.picture import judge

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture
def show(chromium, folder):
    """Show the demo with settings, as the only widget."""
    shown = []

    def build(**settings):
        while shown:
            shown.pop().close()
        shown.append(ServedStage(chromium, CxgWidget(str(folder / "small.cxg"), **settings)))
        return shown[-1]

    yield build
    shown.pop().close()


@pytest.fixture
def frame(folder):
    from cxg_widget import open_dataset

    with open_dataset(str(folder / "small.cxg")) as dataset:
        return dataset.obs()


def amounts(body: Any) -> dict[str, list[int]]:
    """Return what the rows in sight say: label -> passing and all, as one number where they are the same."""
    rows = body.get_by_role("option").evaluate_all(
        "(rows) => rows.map((row) => ['.label', '.amount'].map((one) => row.querySelector(one).textContent))"
    )
    return {label: [int(one) for one in text.replace(",", "").split("/")] for label, text in rows}


def drawn(root: Any) -> float:
    """Return which part of the plot points cover."""
    return judge(root.get_by_role("application").screenshot()).colored


def counted(frame: Any, mask: Any) -> dict[str, list[int]]:
    """Return the same, by pandas."""
    everybody, passing = frame["cell_type"].value_counts(), frame["cell_type"][mask].value_counts()
    return {label: [n] if passing[label] == n else [int(passing[label]), int(n)] for label, n in everybody.items()}


def seen(found: dict[str, list[int]], truth: dict[str, list[int]]) -> bool:
    return len(found) > 2 and all(found[label] == truth[label] for label in found if label != "(missing)")


def test_counts_follow_a_brush_and_what_is_hidden_and_the_state_brings_it_back(show, frame):
    stage = show(color="cell_type", height=600)
    page, root = stage.page, stage.host
    root.get_by_role("button", name="Columns", exact=True).click()
    panel = root.get_by_role("complementary", name="Columns")
    row = lambda name: panel.locator("li").filter(has=page.locator(f".opener .label:text-is('{name}')"))  # noqa: E731
    row("cell_type").locator(".opener").click()
    body = row("cell_type").locator(".body")
    expect(body.get_by_role("option").first).to_be_visible()
    everybody = frame["n_genes"] >= 0
    stage.until(lambda: seen(amounts(body), counted(frame, everybody)))

    row("n_genes").locator(".opener").click()
    strip = row("n_genes").get_by_role("slider")
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 0.3 * box["width"], y)
    whole = drawn(root)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], y, steps=8)
    stage.until(lambda: any(len(both) == 2 for both in amounts(body).values()))
    stage.until(lambda: drawn(root) < 0.8 * whole)
    assert stage.json("len(w.filters)") == 0
    page.mouse.up()
    low, high = stage.until(lambda: stage.json("list(w.filters.get('n_genes', []))"))
    passing = frame["n_genes"].between(low, high)
    stage.until(lambda: seen(amounts(body), counted(frame, passing)))
    assert stage.json("int(w.filters.mask.sum())") == passing.sum()

    label = next(iter(amounts(body)))
    body.get_by_role("option").first.click()
    hidden = stage.until(lambda: stage.json("w.hidden"))
    assert hidden == [label]
    expect(panel.locator(".passing")).to_contain_text(
        f"{(passing & (frame['cell_type'] != label)).sum():,} of {len(frame):,}"
    )
    assert seen(amounts(body), counted(frame, passing))  # by all filters but its own
    assert violations(page, ".cxg-widget") == {}

    state = stage.json("w.state")
    again = show(**state)
    assert again.json("int(w.filters.mask.sum())") == (passing & (frame["cell_type"] != label)).sum()
    assert again.json("w.hidden") == [label]
    expect(again.host.locator(".columns .chip")).to_have_count(2)
