"""The notebooks run from top to bottom, and are kept without outputs."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))
BUNDLE = Path(__file__).parent.parent / "cxg_widget" / "static" / "widget.js"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the notebooks' folder, so that the demo store is written beside it and not in the work tree."""
    return Path(shutil.copytree(NOTEBOOKS[0].parent, tmp_path_factory.mktemp("work") / "notebooks"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.skipif(not BUNDLE.exists(), reason="the bundle is not built: make build")
def test_notebook_runs_without_an_error(folder: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXG_DEMO_CELLS", "5000")
    monkeypatch.setenv("CXG_LARGE_CELLS", "20000")
    monkeypatch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
    notebook = nbformat.read(folder / path.name, as_version=4)
    NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(folder)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    views = [one for one in outputs if "application/vnd.jupyter.widget-view+json" in one.get("data", {})]
    assert views, "the notebook shows a widget"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_kept_without_outputs(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        assert not cell.get("outputs"), cell["id"]
        assert cell.get("execution_count") is None, cell["id"]
    assert "widgets" not in notebook.metadata
