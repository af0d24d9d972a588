"""Budgets of bytes for each action of a user: what the kernel tells the page, and what the page asks of the kernel.

They do not depend on a clock and only go down. tests/unit/test_bytes_per_action.py has those of the session alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cxg_widget import CxgWidget
from tests.browser.served_stage import ServedStage
from tests.browser.shown import ring
from tests.memory import small

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

FEW = 6_000
"""A legend, counts, a histogram."""


def slider(stage: Any) -> Any:
    panel = stage.host.get_by_role("complementary", name="Columns")
    return panel.locator("li").filter(has_text="n_genes").get_by_role("slider")


def open_column(stage: Any) -> None:
    stage.host.get_by_role("button", name="Columns", exact=True).click()
    stage.host.locator("li").filter(has_text="n_genes").locator(".opener").click()
    slider(stage).wait_for()


def brush(stage: Any) -> None:
    box = slider(stage).bounding_box()
    y = box["y"] + box["height"] / 2
    stage.drag([(box["x"] + share * box["width"], y) for share in np.linspace(0.3, 0.6, 9)])


def lasso(stage: Any) -> None:
    stage.drag(ring(*stage.spot(0.4, 0.5), 100, 100), "Shift")


def budgets(n: int, n_expressing: int) -> dict[str, tuple[Any, int, int]]:
    """Return action -> what does it, bytes to the page and from the page that it may take."""
    return {
        "recolor by a gene": (lambda stage: stage.color_by("CD3E"), 4 * n_expressing + 2 * FEW, 300),
        "recolor by a category": (lambda stage: stage.color_by("cell_type"), n + FEW, 300),
        # Two views at most: a busy machine may take the turns of the wheel for two.
        "zoom": (lambda stage: stage.zoom_in(stage.spot(0.5, 0.5)), 2 * 200, 2 * 200),
        "lasso": (lasso, n // 8 + FEW, 800),
        "open a column": (open_column, FEW, 400),
        "brush": (brush, n + n // 8 + FEW, 1_200),
        "filter": (lambda stage: stage.set("w.filters = {'n_counts': (500, None)}"), n // 8 + FEW, 400),
    }


def told(served: Any) -> int:
    """Return the bytes that the page was told, without the second module, which it gets once, some time or other."""
    return int(served.n_bytes) - sum(n_bytes for kind, n_bytes, _ in served.said if kind == "module")


@pytest.mark.parametrize("n", [100_000, 1_000_000])
def test_no_action_takes_more_bytes_than_its_budget(chromium: Any, n: int) -> None:
    dataset = small(n)
    stage = ServedStage(chromium, CxgWidget(dataset, color="cell_type", height=600))
    served = stage.served
    try:
        assert 5 * n <= told(served) <= 5 * n + FEW
        assert served.n_heard <= 120
        for action, (act, to_page, from_page) in budgets(n, int(np.count_nonzero(dataset.values("CD3E")))).items():
            before, heard = told(served), served.n_heard
            act(stage)
            stage.settle()
            assert told(served) - before <= to_page, action
            assert served.n_heard - heard <= from_page, action
    finally:
        stage.close()
