"""A notebook that two pages share, or whose cells the server runs: what each page shows.

Outputs that come from the server are shown only in trusted notebooks: the server saves it first, as it does new ones.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.browser.panels_page import expect
from tests.hosts.shared_documents import EXTENSIONS, only
from tests.hosts.test_life import SHOW
from tools.lab import JupyterLab, Notebook, new_page, open_notebook, write_notebook

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PROXY = (Path(__file__).parent / "slow_socket.js").read_text()
LIVE = ".cxg-widget[data-cxg-state=ready]"
AGAIN = "A picture: for the live plot, run this cell again in a trusted notebook."
TRUST = "(p, is) => { for (const cell of p.content.model.cells) cell.trusted = is; }"
LATE_MS = 1_000


@pytest.fixture(scope="module", params=EXTENSIONS)
def lab(request: pytest.FixtureRequest, folder: Path) -> Iterator[JupyterLab]:
    for name in EXTENSIONS[request.param]:
        if not name.startswith("@") and importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    env = {"PYTHONPATH": str(Path(__file__).parents[2])}
    with JupyterLab(folder, env=env, extensions=only(request.param), at_once=True) as server:
        yield server


@pytest.fixture
def pages(chromium: Any, lab: JupyterLab) -> Iterator[Callable[..., list[Notebook]]]:
    """Open a notebook, which the server trusts, in two pages."""
    opened: list[Any] = []

    def build(name: str) -> list[Notebook]:
        content = json.loads(write_notebook(lab.root / name, SHOW).read_text())
        headers = {"Authorization": f"token {lab.token}", "Content-Type": "application/json"}
        body = json.dumps({"type": "notebook", "format": "json", "content": content}).encode()
        with urlopen(Request(f"{lab.url}/api/contents/{name}", body, headers, method="PUT"), timeout=10):
            opened.extend(new_page(chromium, init_script=PROXY) for _ in range(2))
        return [open_notebook(page, lab, name) for page in opened]

    yield build
    for page in opened:
        page.context.close()


def shows_picture(notebook: Notebook) -> None:
    """Wait until a page has the picture in place of the widget, once, and the sentence."""
    expect(notebook.page.get_by_text(AGAIN)).to_be_visible()
    image = notebook.page.locator(".jp-OutputArea img").filter(visible=True)
    expect(image).to_have_count(1)
    assert image.bounding_box()["width"] > 300
    expect(notebook.page.locator(LIVE)).to_have_count(0)


def shows_widget(notebook: Notebook) -> None:
    """Wait until a page has the live widget, without the picture."""
    notebook.page.locator(LIVE).wait_for()
    expect(notebook.page.locator(LIVE)).to_have_count(1)
    expect(notebook.page.locator(".jp-OutputArea img").filter(visible=True)).to_have_count(0)
    expect(notebook.page.get_by_text(AGAIN).filter(visible=True)).to_have_count(0)


def test_each_page_shows_the_widget_or_the_picture_and_how_to_get_the_widget(pages: Any) -> None:
    first, second = pages("shared.ipynb")
    second.page.evaluate("(ms) => (cxgSlow.ms = ms)", LATE_MS)
    first.run(0)
    shows_widget(first)
    shows_widget(second)  # its output came before its comm
    second.page.evaluate("cxgSlow.ms = 0")
    second.evaluate(TRUST, False)  # as where a notebook came by mail
    shows_picture(second)
    second.evaluate(TRUST, True)  # as "Trust Notebook" does
    shows_widget(second)
    first.restart()
    second.page.reload()
    second.wait_for_kernel()
    shows_picture(second)  # below "model not found", where the page already trusts the notebook
    second.evaluate(TRUST, True)
    second.run(0)
    shows_widget(second)
    shows_widget(first)
