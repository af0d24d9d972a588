"""A JupyterLab, once for all end-to-end tests."""

from __future__ import annotations

import pytest


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
