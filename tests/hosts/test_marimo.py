"""The widget in marimo's editor, whose outputs end at 610 px; its panels are those of test_second_module.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.hosts.notebooks import marimo_of, needs
from tests.hosts.test_second_module import SHOW, columns_of, open_and_color
from tools.lab import new_page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

BELOW = """(widget) => {
  const area = widget.getRootNode().host.closest(".output-area");
  return widget.getBoundingClientRect().bottom - area.getBoundingClientRect().bottom;
}"""


def test_the_lower_edge_is_seen_also_when_the_cell_runs_again_and_the_columns_open_and_color_without_a_fetch(
    chromium: Any, folder: Path
) -> None:
    needs("marimo")
    code = SHOW.format(path=str(folder / "small.cxg")).removesuffix("\nw")
    with marimo_of(folder, code) as address:
        page = new_page(chromium)
        page.goto(address)
        page.locator(".cm-content").first.wait_for()
        widget = page.locator(".cxg-widget[data-cxg-state=ready]")
        for _ in range(30):  # what is pressed before the kernel is there is lost
            page.keyboard.press("Control+Shift+r")
            page.wait_for_timeout(1000)
            if widget.count():
                break
        for _ in range(2):
            assert widget.bounding_box()["height"] >= 600
            assert widget.evaluate(BELOW) < 0
            page.locator(".cm-content").first.click()
            page.keyboard.press("Control+End")
            page.keyboard.type(" ")
            page.keyboard.press("Control+Enter")
            page.wait_for_timeout(3000)
            widget.wait_for()
        open_and_color(page, columns_of(folder))
        page.context.close()
