"""A JupyterLab, once for all end-to-end tests; the engine alone on a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import engine, panels_page


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder that JupyterLab serves, with demo CXGs in it."""
    from cxg_widget.datasets.cxg.demo import write_demo

    root = tmp_path_factory.mktemp("lab")
    write_demo(root / "small.cxg", n_obs=3000, seed=1)
    write_demo(root / "large.cxg", n_obs=150_000, seed=2)
    return root


@pytest.fixture(scope="session")
def lab(folder):
    from pathlib import Path

    from tools.lab import JupyterLab

    with JupyterLab(folder, env={"PYTHONPATH": str(Path(__file__).parent.parent.parent)}) as server:
        yield server


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return engine.bundle(tmp_path_factory.mktemp("renderer"))


@pytest.fixture(params=["gpu", "cpu"])
def drawn_by(request: pytest.FixtureRequest) -> str:
    """Who draws: both must draw the same pictures. The one with a graphics card is played by a software one."""
    return str(request.param)


@pytest.fixture
def page(chromium: Any, address: str, drawn_by: str) -> Iterator[Any]:
    """The page of the engine; fails when a script of it did."""
    opened = chromium.new_page(viewport={"width": 900, "height": 700})
    opened.add_init_script(f"globalThis.__CXG_DRAWN_BY__ = {drawn_by!r}")
    failures: list[str] = []
    opened.on("pageerror", lambda error: failures.append(str(error)))
    opened.goto(address)
    yield opened
    opened.close()
    assert failures == []


@pytest.fixture(scope="session")
def panels_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return panels_page.bundle(tmp_path_factory.mktemp("panels"))


@pytest.fixture
def panels(chromium: Any, panels_address: str) -> Iterator[Any]:
    """The page of the panels; fails when a script of it did, or complained."""
    opened = chromium.new_page(viewport={"width": 900, "height": 600})
    failures: list[str] = []
    opened.on("pageerror", lambda error: failures.append(str(error)))
    opened.on("console", lambda message: failures.append(message.text) if message.type == "error" else None)
    opened.goto(panels_address)
    yield opened
    opened.close()
    assert failures == []
