"""The apps of examples/, each served by its host, and their pages, which have no network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import tiledb
from jupyter_core.paths import jupyter_path
from numpy.typing import NDArray

from tests.browser.shown import Shown
from tests.hosts.notebooks import wait_for_server
from tools.lab import new_page
from tools.lab_server import _free_port

ROOT = Path(__file__).parents[2]
SERVE = {
    "shiny": ["shiny", "run", "--port={port}", "{app}"],
    "solara": ["solara", "run", "{app}", "--port={port}", "--no-open", "--production"],
    "panel": ["panel", "serve", "{app}", "--port={port}"],
}
"""By app, the module that serves it and its arguments."""
_PATHS = {"panel": "/panel_app"}
_FROM_NETWORK = re.compile(r"^https?://(?!127\.0\.0\.1)|/_solara/cdn/")
_PACKAGES = ROOT / "tests" / "hosts" / "node_modules"


@contextmanager
def served(name: str, folder: Path) -> Iterator[str]:
    """Serve an app of examples/, with its data in a folder, and give its address; its log must have no traceback."""
    port, app = _free_port(), ROOT / "examples" / f"{name}_app.py"
    command = [one.format(port=port, app=app) for one in SERVE[name]]
    with open(folder / "log", "wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", *command],
            env=os.environ | {"CXG_WIDGET_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT)},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for_server(server, f"http://127.0.0.1:{port}{_PATHS.get(name, '')}", folder / "log")
        yield f"http://127.0.0.1:{port}{_PATHS.get(name, '')}"
    finally:
        server.terminate()
        server.wait(20)
    assert "Traceback" not in (folder / "log").read_text()


class AppPage(Shown):
    """The page of one visitor, in a browser context of its own."""

    def __init__(self, browser: Any, address: str) -> None:
        self.complaints: list[str] = []
        self.page = new_page(browser, width=1400)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.route(_FROM_NETWORK, _answer)
        self.page.goto(address)
        self.settle()

    def rest(self) -> AppPage:
        return self

    def says(self, text: str) -> None:
        """Wait until the app shows a text."""
        self.page.get_by_text(text, exact=True).wait_for()

    def color(self, name: str) -> None:
        """Choose a color in the select of the app."""
        select = self.page.locator("select", has_text=name)
        if select.count():
            select.select_option(name)
        else:  # Solara's is none of HTML
            self.page.get_by_role("combobox", name="Color by").first.press("ArrowDown")
            self.page.get_by_role("option", name=name).click()

    def close(self) -> None:
        self.page.context.close()
        assert self.complaints == []


def _answer(route: Any) -> None:
    """Answer what a page asks of the network: packages of npm, whatever their version, and anywidget, as installed."""
    path = re.sub(r"^.*/cdn/|^https?://[^/]+/", "", route.request.url.split("?")[0])
    package, file = re.fullmatch(r"((?:@[^/]+/)?[^@/]+)(?:@[^/]+)?/?(.*)", path).groups()  # type: ignore[union-attr]
    local = _PACKAGES / package / file
    if package == "anywidget":
        (local,) = (one for place in jupyter_path("nbextensions") if (one := Path(place, package, "index.js")).exists())
    if local.is_file():
        route.fulfill(path=local, headers={"Access-Control-Allow-Origin": "*"})
    else:
        route.abort()


def read_demo(folder: Path) -> tuple[NDArray[np.float32], pd.Series]:
    """Return the positions (n_obs, 2) and the cell types of the demo that an app wrote, as TileDB reads them."""
    (store,) = folder.glob("**/*.cxg")
    with tiledb.open(str(store / "emb" / "umap")) as array:
        xy = array[:]
    with tiledb.open(str(store / "obs")) as array:
        categories = json.loads(array.meta["cxg_schema"])["cell_type"]["categories"]
        return xy, pd.Series(pd.Categorical.from_codes(array[:]["cell_type"], categories))
