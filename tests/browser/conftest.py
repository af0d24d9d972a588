"""A JupyterLab with a notebook, a page of the engine and one of the panels, each opened once in a run.

`show_in_lab(code)` puts cells into the one open notebook and gives its `Stage`: a module shows its widget once, and
each of its tests brings it back. `tests.browser.hosts` shows one in Notebook 7 and Voila, which are on the same server,
and in marimo. A host of another kind is started once by a fixture of its module, with `chromium` for
its pages and `folder` for its files; `with JupyterLab(folder, settings=...)` starts another JupyterLab, in which
`Stage(chromium, lab, folder)` opens a notebook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser import engine, panels_page
from tests.browser.clumps import LOOK, serve_clumps
from tests.browser.pages import Pages
from tests.browser.stage import Stage


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all files that need JupyterLab to one process (`--dist loadfile`): opening it takes longest."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # they come as `pytest_collection_modifyitems` has them

    class ByHost(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "lab" if _needs_lab(file) else file

    return ByHost(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that need JupyterLab, which take longest, then those of many tests."""
    if not all(item.path.parent == Path(__file__).parent for item in items):
        return  # other tests run as well, one after the other
    files = [item.nodeid.partition("::")[0] for item in items]
    n_tests = Counter(files)
    order = sorted(range(len(items)), key=lambda at: (not _needs_lab(files[at]), -n_tests[files[at]], at))
    items[:] = [items[at] for at in order]


@cache
def _needs_lab(file: str) -> bool:
    return "show_in_lab" in (Path(__file__).parents[2] / file).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The folder that JupyterLab serves, with a demo CXG in it."""
    from cxg_widget.datasets.cxg.demo import write_demo

    root = tmp_path_factory.mktemp("lab")
    write_demo(root / "small.cxg", n_obs=3000, seed=1)
    return root


@pytest.fixture(scope="session")
def lab(folder):
    from tools.lab import JupyterLab

    root = Path(__file__).parent.parent.parent
    with JupyterLab(folder, env={"PYTHONPATH": str(root)}, at_once=True) as server:
        yield server


@pytest.fixture(scope="session")
def show_in_lab(request: pytest.FixtureRequest, chromium: Any, lab: Any, folder: Any) -> Iterator[Any]:
    """Show cells in the one notebook of a run, see `Stage.show`; after a test that failed, in another."""
    stages: list[Stage] = []
    n_failed = 0

    def build(code: str | list[str], **how: Any) -> Stage:
        nonlocal n_failed
        if request.session.testsfailed > n_failed and stages:
            stages.pop().close()
        n_failed = request.session.testsfailed
        if not stages:
            stages.append(Stage(chromium, lab, folder))
        return stages[0].show(code, **how)

    yield build
    for stage in stages:
        stage.close()


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
