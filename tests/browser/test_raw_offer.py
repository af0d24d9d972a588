"""Where X is scaled, one click colors by raw, or compares in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cxg_widget import CxgWidget
from tests.browser.axe import violations
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget
from tests.unit.test_raw_offer import scaled

pytestmark = [pytest.mark.browser, pytest.mark.timeout(180)]


@pytest.fixture
def served(chromium: Any) -> Iterator[ServedWidget]:
    one = ServedWidget(chromium, CxgWidget(scaled()[0], color="g1", height=600, restore=False), width=1400, height=700)
    one.tell()
    yield one
    one.close()


def test_a_click_in_the_legend_colors_by_raw_in_one_step_and_the_offer_goes(served: ServedWidget) -> None:
    legend = served.page.get_by_role("region", name="Legend")
    expect(legend.locator(".detail").first).to_contain_text("X is scaled")
    assert violations(served.page, "#el") == {}
    use = legend.get_by_role("button", name="Use raw")
    use.click()
    expect(legend.locator(".detail").first).to_contain_text("layer raw")
    expect(use).to_have_count(0)
    assert served.widget.layer == "raw"
    served.widget.undo()
    served.tell()
    assert served.widget.layer is None
    expect(use).to_be_visible()


def test_a_click_compares_the_same_cells_in_raw_and_leaves_the_plot_as_it_is(served: ServedWidget) -> None:
    _, truth = scaled()
    is_a = served.widget.dataset.obs()["type"].eq("a").to_numpy()
    served.widget.select(is_a)
    served.widget.open_panels = ["compare"]
    served.tell()
    panel = served.page.locator("#compare")
    panel.get_by_role("button", name="Compare", exact=True).click()
    again = panel.get_by_role("button", name="Compare in raw")
    again.click()
    expect(again).to_have_count(0)
    means = truth.loc[is_a, "only in raw"].mean(), truth.loc[~is_a, "only in raw"].mean()
    panel.get_by_role("button", name="Show all").click()
    row = panel.locator(".line", has_text="only in raw")
    for mean in means:
        expect(row).to_contain_text(np.format_float_positional(mean, precision=2))
    assert served.widget.layer is None
