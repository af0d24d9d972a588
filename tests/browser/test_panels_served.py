"""Panels of a real widget, as the bundles draw them: what a hand finds in a long column, and where the focus stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from tests.browser.axe import violations
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

N, N_CLONES = 6_000, 5_000
CLONES = [f"clone {i} of patient {i % 7}" for i in range(N_CLONES)]


def clones() -> MemoryDataset:
    """Cells of many clones, some of none."""
    rng = np.random.default_rng(4)
    codes = rng.integers(-1, N_CLONES, N).astype(np.int32)
    few = Codes(rng.integers(-1, 3, N).astype(np.int8), ("<b>a</b>", "b", "\u05e9\u05dc\u05d5\u05dd"))
    xy = rng.normal(size=(N, 2)).astype(np.float32)
    return MemoryDataset(
        {"clone": Codes(codes, tuple(CLONES)), "type": few}, np.zeros((N, 1), np.float32), ["G"], {"umap": xy}
    )


@pytest.fixture(scope="module")
def served(chromium: Any) -> Iterator[ServedWidget]:
    one = ServedWidget(chromium, CxgWidget(clones(), color="type", height=620), width=1000, height=660)
    yield one
    one.close()


def show(served: ServedWidget, panel: str) -> Any:
    """Open a panel, and no other."""
    served.widget.open_panels = [panel]
    served.tell()
    served.page.locator(f"#{panel}").wait_for()
    return served.page.locator(f"#{panel}")


def focused(served: ServedWidget) -> str:
    """Return the name of what has the focus, "" where nothing has it."""
    served.settle()
    named = "() => document.querySelector('#el > *').shadowRoot.activeElement?.ariaLabel ?? ''"
    return str(served.page.evaluate(named))


def test_missing_cells_have_the_swatch_of_their_color_in_the_legend_and_in_the_bars(served: ServedWidget) -> None:
    legend = served.page.locator(".row.missing .swatch")
    color = "(one) => getComputedStyle(one).backgroundColor"
    assert legend.evaluate(color) == "rgb(205, 205, 205)"  # missing_grey of a light page, in cxg_widget.color.palettes
    panel = show(served, "columns")
    panel.get_by_role("button", name="type", exact=False).first.click()
    part = panel.locator(".count-row", has_text="(missing)").locator(".parts i")
    expect(part).to_have_count(1)
    assert part.evaluate(color) not in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    panel.locator(".opener").nth(1).click()


def test_chosen_sets_are_combined_as_numpy_does_and_counted_before(served: ServedWidget) -> None:
    rows = np.arange(N)
    a, b = rows % 2 == 0, rows % 3 == 0
    served.widget.sets.add("even", a)
    served.widget.sets.add("by three", b)
    panel = show(served, "sets")
    expect(panel.get_by_role("button", name="Union")).to_have_count(0)
    for op, wanted, of in [
        ("Union", a | b, ["even", "by three"]), ("Intersection", a & b, ["even", "by three"]),
        ("Difference", b & ~a, ["by three", "even"]),
    ]:  # fmt: skip
        known = set(served.widget.sets)
        for name in of:
            panel.get_by_role("checkbox", name=f"Combine {name}", exact=True).check()
            served.settle()
        button = panel.get_by_role("button", name=op)
        expect(button).to_contain_text(f"{np.count_nonzero(wanted):,}")
        assert violations(served.page, "#el") == {}
        button.click()
        expect(button).to_have_count(0)
        (made,) = set(served.widget.sets) - known
        np.testing.assert_array_equal(served.widget.sets[made].mask, wanted)
        expect(panel.get_by_role("button", name=made, exact=False).first).to_be_visible()
    served.widget.sets = {}


def test_a_text_finds_values_of_a_long_column_that_were_never_sent_and_keys_filter_by_them(
    served: ServedWidget,
) -> None:
    panel = show(served, "columns")
    panel.locator(".opener", has_text="clone").click()
    field = panel.get_by_role("textbox", name="Find a value of clone")
    field.fill(" PATIENT 3")
    wanted = [name for name in CLONES if name.endswith("patient 3")]
    expect(panel.get_by_text(f"{len(wanted)} of 5,000")).to_be_visible()
    assert (
        served.page.evaluate("() => document.querySelector('#el > *').shadowRoot.activeElement.value") == " PATIENT 3"
    )
    field.press("ArrowDown")
    served.page.keyboard.press("End")
    last = panel.locator(".count-row").last
    expect(last.locator(".label")).to_have_text(wanted[-1])
    n_cells = np.count_nonzero(served.widget.dataset.codes("clone").codes == CLONES.index(wanted[-1]))
    expect(last.locator(".amount")).to_have_text(str(n_cells))
    served.page.keyboard.press("Enter")
    served.settle()
    assert served.widget.filters.rules == [{"obs": "clone", "in": [wanted[-1]]}]
    served.widget.filters.clear()
    served.tell()
    panel.get_by_role("button", name="Keep matches").click()
    served.settle()
    assert served.widget.filters.rules == [{"obs": "clone", "in": wanted}]
    served.widget.undo()
    assert served.widget.filters.rules == []
    field.fill("clon")  # all: there is nothing to keep
    expect(panel.get_by_role("button", name="Keep matches")).to_have_count(0)
    field.fill("no such clone")
    expect(panel.get_by_text("No category matches “no such clone”.")).to_be_visible()
    assert violations(served.page, "#el") == {}
    field.press("Escape")
    expect(panel.get_by_text("5,000 categories")).to_be_visible()


def test_the_focus_stays_in_a_panel_when_what_had_it_goes(served: ServedWidget) -> None:
    panel = show(served, "annotations")
    field = panel.get_by_role("textbox", name="Name of the annotation")
    field.fill("mine")
    field.press("Enter")
    expect(panel.get_by_role("button", name="Save…")).to_be_visible()
    assert focused(served) == "Label"
    panel = show(served, "sets")
    for name, rows in (("a", [0, 1]), ("b", [2])):
        served.widget.sets.add(name, np.array(rows))
    served.tell()
    for left in ("b", ""):
        panel.locator(".opener").first.click()
        panel.get_by_role("button", name="Delete").click()
        expect(panel.locator(".opener")).to_have_count(len(left))
        is_row = "() => 'row' in document.querySelector('#el > *').shadowRoot.activeElement.dataset"
        assert served.page.evaluate(is_row) if left else focused(served) == "Name of the selection"


def test_keys_still_reach_the_widget_after_a_button_has_undone_the_first_step(served: ServedWidget) -> None:
    served.widget.color = "clone"
    served.tell()
    undo = served.page.get_by_role("button", name="Undo")
    while undo.is_enabled():
        undo.focus()
        served.page.keyboard.press("Enter")
        served.settle()
    served.page.keyboard.press("Control+Shift+Z")
    expect(undo).to_be_enabled()
