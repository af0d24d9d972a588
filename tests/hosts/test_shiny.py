"""The widget in an app of Shiny, the one of docs/listing: its colors come from an input, its lasso goes to outputs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hosts.notebooks import needs, wait_for_server
from tools.lab import new_page
from tools.lab_server import _free_port

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

APP = Path(__file__).parents[2] / "docs" / "listing" / "shinywidgets" / "app.py"


def test_inputs_color_the_cells_and_a_lasso_reaches_the_outputs(chromium: Any, tmp_path: Path) -> None:
    needs("shinywidgets")
    port = _free_port()
    with open(tmp_path / "log", "wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "shiny", "run", "--port", str(port), str(APP)],
            env=os.environ | {"CXG_WIDGET_CACHE_DIR": str(tmp_path)},
            cwd=APP.parents[3],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for_server(server, f"http://127.0.0.1:{port}", tmp_path / "log")
        page = new_page(chromium)
        page.goto(f"http://127.0.0.1:{port}")
        page.locator(".cxg-widget[data-cxg-state=ready]").wait_for()
        assert "0 of 20,000" in page.locator("#selected").inner_text()
        canvas = max((one.bounding_box() for one in page.locator("canvas:visible").all()), key=lambda box: box["width"])
        page.keyboard.down("Shift")
        for number, (x, y) in enumerate([(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9), (0.1, 0.1)]):
            page.mouse.move(canvas["x"] + x * canvas["width"], canvas["y"] + y * canvas["height"], steps=5)
            if number == 0:
                page.mouse.down()
        page.mouse.up()
        page.keyboard.up("Shift")
        selected = page.locator("#selected", has_text=re.compile(r"^1?\d,\d{3} of 20,000"))
        selected.wait_for()
        page.select_option("#color", "CD3E")
        page.locator(".cxg-widget").get_by_text("High values are drawn on top.").wait_for()
        page.context.close()
    finally:
        server.terminate()
        server.wait(20)
    assert "Traceback" not in (tmp_path / "log").read_text()
