"""A page of the engine and one of the panels, each opened once in a run, and one that shows linked panels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser import engine, panels_page
from tests.browser.clumps import LOOK, serve_clumps
from tests.browser.pages import Pages


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return engine.bundle(tmp_path_factory.mktemp("renderer"))


@pytest.fixture(params=["gpu", "cpu"])
def drawn_by(request: pytest.FixtureRequest) -> str:
    """Who draws: both must draw the same pictures. The one with a graphics card is played by a software one."""
    return str(request.param)


@pytest.fixture(scope="session")
def pages(chromium: Any) -> Pages:
    return Pages(chromium)


@pytest.fixture
def page(request: pytest.FixtureRequest, pages: Pages, address: str, drawn_by: str) -> Iterator[Any]:
    """The page of the engine, as it was loaded; fails when a script of it did."""
    script = f"globalThis.__CXG_DRAWN_BY__ = {drawn_by!r}"
    with pages.loaded(request, address, width=900, height=700, init_script=script) as loaded:
        yield loaded


@pytest.fixture(scope="module")
def served_clumps(chromium: Any) -> Iterator[Any]:
    one = serve_clumps(chromium)
    yield one
    one.close()


@pytest.fixture
def linked(served_clumps: Any) -> Iterator[Any]:
    """A page of clumps, to be shown in panels; after the test it has none."""
    yield served_clumps
    served_clumps.widget.state = dict(LOOK)
    served_clumps.widget.clear_selection()
    served_clumps.tell()


@pytest.fixture(scope="session")
def panels_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return panels_page.bundle(tmp_path_factory.mktemp("panels"))


@pytest.fixture
def panels(request: pytest.FixtureRequest, pages: Pages, panels_address: str) -> Iterator[Any]:
    """The page of the panels, as it was loaded; fails when a script of it did, or complained."""
    with pages.loaded(request, panels_address, width=900, height=600, may_complain=False) as loaded:
        yield loaded
