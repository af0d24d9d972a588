"""The apps of examples/ in Shiny, Solara and Panel, as two visitors use them at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.apps import SERVE, AppPage, read_demo, served
from tests.hosts.notebooks import needs
from tools.picture import judge

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]


@pytest.fixture(params=SERVE)
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    needs(request.param)
    with served(request.param, tmp_path) as address:
        yield address


def lasso(page: AppPage, left: float, top: float, right: float, bottom: float) -> Any:
    """Draw a rectangle, given in shares of the plot; return its corners in data units."""
    corners = [page.spot(*one) for one in ((left, top), (right, top), (right, bottom), (left, bottom))]
    corners = [(round(x), round(y)) for x, y in corners]
    page.drag([*corners, corners[0]], "Shift")
    return page.to_data(corners)


def test_each_visitor_of_an_app_sees_colors_and_lassos_cells_of_one_dataset_for_themselves(
    app: str, chromium: Any, tmp_path: Path
) -> None:
    pages = [AppPage(chromium, app) for _ in range(2)]
    xy, cell_type = read_demo(tmp_path)
    found = []
    for page, shares in zip(pages, [(0.1, 0.05, 0.5, 0.95), (0.55, 0.1, 0.95, 0.6)], strict=True):
        assert judge(page.canvas.screenshot()).is_scatterplot
        page.says("Selected: 0 of 20,000")
        corners = lasso(page, *shares)
        inside = ((xy > corners.min(axis=0)) & (xy < corners.max(axis=0))).all(axis=1)
        found.append(inside)
        page.says(f"Selected: {inside.sum():,} of 20,000")
    assert found[0].sum() != found[1].sum()
    pages[0].color("CD3E")
    pages[0].shows("High values are drawn on top.")
    for page, inside in zip(pages, found, strict=True):
        page.says(f"Selected: {inside.sum():,} of 20,000")
        most = cell_type[inside].value_counts()
        row = page.page.locator("tr", has_text=most.index[0]).first
        assert str(most.iloc[0]) in row.inner_text().replace(",", "").split()
    assert pages[1].host.get_by_text("High values are drawn on top.").count() == 0
    assert judge(pages[1].canvas.screenshot()).colored > 0.02
    for page in pages:
        page.close()
