"""A JupyterLab with a notebook, opened once in a run; its server is that of Notebook 7 and Voila too.

`show_in_lab(code)` puts cells into the one open notebook and gives its `Stage`: a module shows its widget once, and
each of its tests brings it back. `tests.hosts.notebooks` shows one in Notebook 7 and Voila, and in marimo. A host of
another kind is started once by a fixture of its module, with `chromium` for its pages and `folder` for its files;
`with JupyterLab(folder, settings=...)` starts another JupyterLab, in which `Stage(chromium, lab, folder)` opens a
notebook.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import drawn_by  # noqa: F401 - a fixture
from tests.hosts.shared_documents import only
from tests.hosts.stage import Stage


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all files that need JupyterLab to one process (`--dist loadfile`), and each host of a file to any."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    config.option.loadscopereorder = False  # they come as `pytest_collection_modifyitems` has them

    class ByHost(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            if _needs_lab(file):
                return "lab"  # opening it takes longest
            return nodeid if _starts_hosts(file) else file

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
    return "show_in_lab" in _text(file)


def _starts_hosts(file: str) -> bool:
    """Say whether each test of a file has a host of its own, which a fixture with `params=` starts."""
    return "params=" in _text(file)


def _text(file: str) -> str:
    return (Path(__file__).parents[2] / file).read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def lab(folder):
    from tools.lab import JupyterLab

    root = Path(__file__).parent.parent.parent
    with JupyterLab(folder, env={"PYTHONPATH": str(root)}, extensions=only(None), at_once=True) as server:
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
