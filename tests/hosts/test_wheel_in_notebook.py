"""Scroll moves a notebook of widgets to its end, and zooms where the pointer rests."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

CELL = "from cxg_widget import CxgWidget\nw{0} = CxgWidget('small.cxg', color='cell_type', height=380)\nw{0}"
HOST = ".cxg-widget[data-cxg-state=ready]"
SCROLL = """() => {
    const box = document.querySelector('.jp-WindowedPanel-outer');
    return [box.scrollTop, box.scrollHeight - box.clientHeight];
}"""


def test_a_notebook_of_three_widgets_scrolls_to_its_end_and_the_wheel_zooms_where_the_pointer_rests(
    show_in_lab: Any,
) -> None:
    stage = show_in_lab([*(CELL.format(i) for i in range(3)), *["\n" * 12] * 3], wait=False)  # it may be scrolled away
    page, notebook = stage.page, stage.notebook
    notebook.cell(0)
    page.locator(HOST).first.wait_for()
    before = json.loads(page.locator(HOST).first.get_attribute("data-cxg-view"))
    first = page.locator(HOST).first.bounding_box()
    page.mouse.move(first["x"] + 100, first["y"] - 12)  # on the code above it: the plots come to the pointer
    seen = set()
    at, end = page.evaluate(SCROLL)
    for _ in range(100):
        if at >= end - 1:
            break
        page.mouse.wheel(0, 240)
        # One turn may move nothing: JupyterLab puts the place right again where cells above turn out to be lower.
        page.wait_for_timeout(60)
        seen |= set(page.locator(HOST).evaluate_all("all => all.map((one) => one.dataset.cxgView)"))
        at, end = page.evaluate(SCROLL)
    assert at >= end - 1 > 900
    assert [json.loads(one) for one in seen] == [before]
    assert notebook.ask("print([w0.view, w1.view, w2.view])") == "[None, None, None]"
    notebook.cell(1)
    plot = page.locator(HOST).nth(1).locator("canvas.cxg-plot").last
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.move(box["x"] + 150, box["y"] + 150)
    page.wait_for_timeout(300)  # the scroll above was another one
    page.mouse.wheel(0, -240)
    stage.until(lambda: stage.json("w1.view"))
    assert notebook.ask("print(sum(w.view is not None for w in (w0, w1, w2)))") == "1"
