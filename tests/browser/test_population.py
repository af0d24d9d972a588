"""One population: with a filter on, every number of the page is that of pandas for the cells that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from tests.browser.axe import violations
from tests.browser.panels_page import expect, in_short
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]

N = 4_000
TYPES = ("<b>T</b>", "B cell", "NK")
KEPT = ("<b>T</b>", "NK")


_ROOM_AND_WIDTH = """(label) => {
  const text = document.createRange();
  text.selectNodeContents(label);
  return [label.clientWidth, text.getBoundingClientRect().width];
}"""


def cells() -> MemoryDataset:
    rng = np.random.default_rng(7)
    xy = rng.normal(size=(N, 2)).astype(np.float32)
    genes = rng.poisson(1.0, (N, 3)).astype(np.float32)
    obs = {
        "type": Codes(rng.integers(-1, 3, N).astype(np.int8), TYPES),
        "donor": Codes(rng.integers(0, 4, N).astype(np.int8), ("d0", "d1", "d2", "d3")),
        "score": rng.normal(size=N),
    }
    return MemoryDataset(obs, genes, ["G0", "G1", "G2"], {"umap": xy})


@pytest.fixture(scope="module", params=[{}, {"max_points": 500, "render": "raster"}], ids=["points", "image"])
def shown(request: Any, chromium: Any) -> Iterator[tuple[ServedWidget, dict[str, Any]]]:
    """A page, and the state that its widget has."""
    widget = CxgWidget(cells(), color="donor", height=700, **request.param)
    widget.sets.add("mine", {"donor": ["d0", "d1"]})
    widget.filters["type"] = list(KEPT)
    one = ServedWidget(chromium, widget, width=1400, height=760)
    yield one, widget.state
    one.close()


@pytest.fixture
def served(shown: tuple[ServedWidget, dict[str, Any]]) -> ServedWidget:
    one, state = shown
    one.widget.state = state
    one.widget.table = None
    one.widget.select(one.widget.dataset.obs()["score"].gt(0.3).to_numpy())
    one.tell()
    return one


def masks(served: ServedWidget) -> tuple[Any, np.ndarray, np.ndarray]:
    obs = served.widget.dataset.obs()
    return obs, obs["score"].gt(0.3).to_numpy(), obs["type"].isin(KEPT).to_numpy()


def opened(served: ServedWidget, *panels: str) -> Any:
    served.widget.open_panels = list(panels)
    served.tell()
    return served.page


def test_the_footer_says_how_many_are_selected_and_how_many_of_them_pass(served: ServedWidget) -> None:
    _, selected, passes = masks(served)
    what = served.page.locator(".status .what")
    both = int((selected & passes).sum())
    expect(what).to_contain_text(f"{selected.sum():,} of 4,000 cells selected, {both:,} pass")
    served.widget.filters.clear()
    served.tell()
    expect(what).not_to_contain_text("pass")


def test_the_legend_counts_passing_cells_of_all_and_selected_ones_of_passing(served: ServedWidget) -> None:
    obs, selected, passes = masks(served)
    page = served.page
    rows = page.locator("[role=listbox][aria-label^='Categories'] .row")
    expect(page.locator(".legend .key")).to_have_text("selected / passing")
    donors = obs["donor"].astype(str)
    for i in range(4):
        is_it = (donors == f"d{i}").to_numpy()
        first, second = int((is_it & selected & passes).sum()), int((is_it & passes).sum())
        expect(rows.nth(i).locator(".counts")).to_have_text(
            re.compile(rf"^\s*{in_short(first)}\s*{in_short(second)}\s*$")
        )
    served.widget.clear_selection()
    served.tell()
    expect(page.locator(".legend .key")).to_have_text("passing / all")
    for i in range(4):
        is_it = (donors == f"d{i}").to_numpy()
        numbers = rf"^\s*{in_short((is_it & passes).sum())}\s*{in_short(is_it.sum())}\s*$"
        expect(rows.nth(i).locator(".counts")).to_have_text(re.compile(numbers))


def test_filters_are_chips_on_the_plot_that_a_key_takes_away_with_all_panels_closed(served: ServedWidget) -> None:
    served.widget.filters["score"] = (-2, None)
    served.tell()
    chips = served.page.get_by_role("list", name="Active filters")
    expect(chips.get_by_role("listitem")).to_have_count(2)
    expect(chips.get_by_role("listitem").first).to_contain_text("<b>T</b>, NK")
    assert chips.locator("li b").first.inner_text() == "type"
    assert violations(served.page, "#el") == {}
    chips.get_by_role("button", name="Remove filter: type").focus()
    served.page.keyboard.press("Enter")
    served.settle()
    assert list(served.widget.filters) == ["score"]
    expect(chips.get_by_role("listitem")).to_have_count(1)
    for i, name in enumerate(("donor", "type")):
        served.widget.filters[name] = ["d0", "d1"] if i == 0 else ["NK"]
    for query in ("score > -3",):
        served.widget.filter(query)
    served.widget.filters["set:mine"] = True
    served.tell()
    expect(chips.get_by_role("listitem")).to_have_count(5)
    chips.get_by_role("button", name="1 more").click()
    served.settle()
    assert served.widget.open_panels == ["columns"]


def test_a_chip_names_the_category_that_is_kept_where_the_legend_hides_all_others(served: ServedWidget) -> None:
    served.widget.filters.clear()
    served.tell()
    served.page.locator(".legend [role=option]").get_by_text("d2", exact=True).dblclick()
    served.settle()
    assert served.widget.hidden == ["d0", "d1", "d3"]
    chip = served.page.get_by_role("list", name="Active filters").get_by_role("listitem")
    expect(chip).to_have_text(re.compile(r"^\s*donor\s+d2\s*$"))
    served.widget.hidden = ["d0"]
    served.tell()
    expect(chip).to_have_text(re.compile(r"^\s*donor\s+not d0\s*$"))


def test_the_table_offers_the_passing_cells_or_all_of_the_selection_and_of_the_store(served: ServedWidget) -> None:
    _, selected, passes = masks(served)
    page = opened(served, "table")
    status = page.locator("#table .table-bar [role=status]")
    which = page.get_by_role("combobox", name="Cells of the table")
    expect(status).to_have_text(f"{passes.sum():,} cells")
    which.select_option("")
    expect(status).to_have_text("4,000 cells")
    page.get_by_role("button", name="Selected", exact=True).click()
    served.settle()
    expect(status).to_have_text(f"{selected.sum():,} cells")
    which.select_option("filter")
    both = int((selected & passes).sum())
    expect(status).to_have_text(f"{both:,} cells of {selected.sum():,} selected")
    assert len(served.widget.table) == selected.sum()  # Python keeps all


def test_a_comparison_by_hand_is_of_passing_cells_and_their_rest_unless_all_are_chosen(served: ServedWidget) -> None:
    _, selected, passes = masks(served)
    page = opened(served, "compare")
    panel = page.locator("#compare")
    told = panel.locator(".compared .what")
    panel.get_by_role("button", name="Compare", exact=True).click()
    both, rest = int((selected & passes).sum()), int((~selected & passes).sum())
    expect(told).to_contain_text(f"the selection ({both:,} cells) compared with the rest ({rest:,} cells)")
    expect(told).to_contain_text(f"among the {passes.sum():,} of 4,000 cells that pass the filters")
    panel.get_by_role("combobox", name="among").select_option("")
    panel.get_by_role("button", name="Compare", exact=True).click()
    expect(told).to_contain_text(f"({selected.sum():,} cells) compared with the rest ({(~selected).sum():,} cells)")
    expect(told).to_contain_text("among all 4,000 cells, whatever the filters")


def test_an_open_set_says_how_many_pass_are_selected_and_both(served: ServedWidget) -> None:
    obs, selected, passes = masks(served)
    page = opened(served, "sets")
    page.locator("#sets .opener").first.click()
    mine = obs["donor"].isin(["d0", "d1"]).to_numpy()
    said = f"{mine.sum():,} cells, {(mine & passes).sum():,} pass, {(mine & selected).sum():,} selected "
    expect(page.locator("#sets .body .caption").first).to_contain_text(
        f"{said}({(mine & selected & passes).sum():,} pass)"
    )


def test_names_of_the_legend_have_their_room_beside_two_counts_which_stand_in_full_in_the_title(chromium: Any) -> None:
    names = ("CD4+ memory T cell", "CD8+ effector T cell", "FCGR3A+ monocyte", "NK cell")
    rng = np.random.default_rng(8)
    n = 30_000
    obs = {
        "type": Codes(rng.choice(4, n, p=[0.6, 0.33, 0.05, 0.02]).astype(np.int8), names),
        "donor": Codes(rng.integers(0, 2, n).astype(np.int8), ("d0", "d1")),
    }
    xy = rng.normal(size=(n, 2)).astype(np.float32)
    widget = CxgWidget(MemoryDataset(obs, np.zeros((n, 1), np.float32), ["G0"], {"umap": xy}), color="type")
    widget.filters["donor"] = ["d0"]
    served = ServedWidget(chromium, widget, width=900, height=760)
    served.tell()
    page = served.page
    expect(page.locator(".legend .key")).to_have_text("passing / all")
    frame = widget.dataset.obs()
    for name in names:
        row = page.locator(".legend .row", has_text=name)
        label = row.locator(".label")
        room, width = label.evaluate(_ROOM_AND_WIDTH)
        assert width <= room - 10, f"{name}: a scrollbar takes 10 px"
        passing = int((frame["type"].eq(name) & frame["donor"].eq("d0")).sum())
        every = int(frame["type"].eq(name).sum())
        assert row.get_attribute("title") == f"{name}\n{every:,} cells, {passing:,} pass"
        assert row.locator(".counts").inner_text().split() == [in_short(passing), in_short(every)]
    served.close()
