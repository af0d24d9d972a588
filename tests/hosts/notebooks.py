"""Hosts other than JupyterLab, each showing the same notebook: Notebook 7 and Voila on its server, and marimo."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tools.lab import new_page, write_notebook
from tools.lab_server import JupyterLab, _free_port

_START_S = 60
_APP = """import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo
{code}
    mo.ui.anywidget(w)
    return
"""


def open_in(host: str, browser: Any, lab: JupyterLab, code: str) -> Any:
    """Return a page of its own on which a host shows the widget `w` that some code makes; close its context after use.

    host : "notebook" or "voila"; for marimo see `marimo_of`
    """
    page = new_page(browser)
    write_notebook(lab.root / "host.ipynb", f"{code}\nw")
    if host == "voila":
        page.goto(f"{lab.url}/voila/render/host.ipynb?token={lab.token}")
    else:
        page.goto(f"{lab.url}/notebooks/host.ipynb?token={lab.token}")
        _run_all_cells(page)
    page.locator(".cxg-widget[data-cxg-state=ready]").first.wait_for()
    return page


def _run_all_cells(page: Any) -> None:
    """Run all cells in Notebook 7; what is run before the kernel is connected is lost, and asked for again.

    The indicator may say idle before. The prompt of a cell that runs has a star, of one that has run a number.
    """
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    prompt = page.locator(".jp-CodeCell .jp-InputPrompt").first
    end = time.monotonic() + _START_S
    while not re.search(r"\d", text := prompt.inner_text()):
        assert time.monotonic() < end, "the kernel ran no cell"
        if "*" not in text:
            page.keyboard.press("Escape")  # a menu that is still open
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_text("Run All Cells", exact=True).click()
        page.wait_for_timeout(500)


def needs(host: str) -> None:
    """Skip where a host is not installed."""
    if importlib.util.find_spec(host) is None:
        pytest.skip(f"{host} is not installed")


@contextmanager
def marimo_of(folder: Path, code: str) -> Iterator[str]:
    """Run marimo's editor on an app that shows the widget `w` that some code makes, and give its address."""
    own = folder / "marimo"
    own.mkdir(exist_ok=True)
    app = own / "app.py"
    app.write_text(_APP.format(code="\n".join(f"    {line}" for line in code.splitlines())))
    port = _free_port()
    places = {name: str(own) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}
    root = str(Path(__file__).parents[2])
    command = [sys.executable, "-m", "marimo", "edit", str(app), "--headless", "--no-token", "--host=127.0.0.1"]
    with open(own / "log", "wb") as log:
        server = subprocess.Popen(
            [*command, f"--port={port}"],
            cwd=folder,
            env={**os.environ, **places, "PYTHONPATH": root},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_for_server(server, f"http://127.0.0.1:{port}/health", own / "log")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(20)


def wait_for_server(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        assert server.poll() is None, log.read_text()
        try:
            with urlopen(address, timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"the server did not start within {_START_S} s: {log.read_text()}")
