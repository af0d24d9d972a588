"""The notebooks run from top to bottom, and show readers on the web what they show when they are run."""

from __future__ import annotations

import base64
import io
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from PIL import Image

from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_truth
from tools.notebooks import LIVE, NOTEBOOKS, fingerprint, run, tidy

BUNDLE = Path(__file__).parents[2] / "cxg_widget" / "static" / "widget.js"
REAL = "pbmc68k_reduced.h5ad"
MOST_BYTES = 400_000
AS_KEPT = {"01_open_and_look", "02_select_to_pandas"}
"""Those that show the same on each machine."""
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def pictures(cell: nbformat.NotebookNode) -> Iterator[np.ndarray]:
    for output in cell.get("outputs", []):
        if "image/png" in output.get("data", {}):
            image = Image.open(io.BytesIO(base64.b64decode(output["data"]["image/png"]))).convert("RGB")
            yield np.asarray(image).astype(float)


def kinds(notebook: nbformat.NotebookNode) -> list[list[tuple[str, ...]]]:
    """Return of what kinds the outputs of each cell are."""
    return [
        [(output.output_type, *sorted(output.get("data", ()))) for output in cell.get("outputs", [])]
        for cell in notebook.cells
    ]


def texts(cell: nbformat.NotebookNode) -> list[str]:
    found = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.get("outputs", [])]
    return [text.strip() for text in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the notebooks' folder, with the real cells beside it where the machine has them."""
    found = Path(shutil.copytree(NOTEBOOKS[0].parent, tmp_path_factory.mktemp("work") / "notebooks"))
    real = found.parent / "demo" / REAL
    real.parent.mkdir()
    scanpy = find_spec("scanpy")
    homes = [NOTEBOOKS[0].parent.parent / "demo" / REAL]
    if scanpy is not None and scanpy.origin is not None:
        homes.append(Path(scanpy.origin).parent / "datasets" / f"10x_{REAL}")
    home = next((one for one in homes if one.exists()), None)
    if home is None:
        stand_in(real)
    else:
        shutil.copy(home, real)
    return found


def stand_in(path: Path) -> None:
    """Write made-up cells with the columns and genes of the real ones, for machines without these or the internet."""
    genes = ["NKG7", "CST3", "FCER1A", "CD3E"]
    truth, rng = make_truth(60, len(genes)), np.random.default_rng(0)
    labels = pd.Categorical(rng.choice(["Dendritic", "CD14+ Monocyte", "CD56+ NK", "CD19+ B"], 60))
    columns = {
        "bulk_labels": labels,
        "louvain": pd.Categorical(rng.choice(["0", "1", "2"], 60)),
        "phase": pd.Categorical(rng.choice(["G1", "S"], 60)),
        "percent_mito": rng.random(60).astype(np.float32),
    }
    obs = pd.DataFrame(columns, index=truth.obs.index)
    truth = replace(truth, obs=obs, var_labels=genes, aliases=genes, colors={}, title="")
    made = make_anndata(path.parent, truth, raw=(truth.X, "csr", genes), name="stand_in")
    made.rename(path)


@pytest.fixture(scope="module")
def ran(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, nbformat.NotebookNode]]:
    """Return what has been run so far, by name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CXG_LARGE_CELLS", "20000")
        patch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path_factory.mktemp("caches")))
        yield {}


@each_notebook
@pytest.mark.skipif(not BUNDLE.exists(), reason="the bundle is not built: make build")
def test_what_is_kept_of_a_notebook_is_what_it_shows(folder: Path, path: Path, ran: dict) -> None:
    shown = run(folder / path.name, timeout_s=100)
    outputs = [output for cell in shown.cells for output in cell.get("outputs", [])]
    assert any(LIVE in one.get("data", {}) for one in outputs), "the notebook shows a widget"
    shown, kept = tidy(shown), nbformat.read(path, as_version=4)
    assert kinds(kept) == kinds(shown), "run `make notebooks`"
    if path.stem in AS_KEPT:
        for old, new in zip(kept.cells, shown.cells, strict=True):
            assert texts(old) == texts(new), "run `make notebooks`"
            for one, other in zip(pictures(old), pictures(new), strict=True):
                assert one.shape == other.shape, "run `make notebooks`"
                assert np.abs(one - other).mean() < 2, "run `make notebooks`"


@each_notebook
def test_a_notebook_is_kept_with_the_outputs_of_its_own_code(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.metadata["cxg_widget"]["ran"] == fingerprint(notebook), "run `make notebooks`"
    assert kinds(tidy(notebook)) == kinds(notebook)


@each_notebook
def test_readers_on_the_web_see_pictures_that_are_no_blank_paper(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    found = [picture for cell in notebook.cells for picture in pictures(cell)]
    assert len(found) >= 2
    for picture in found:
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 5
    assert path.stat().st_size < MOST_BYTES


def test_each_picture_shows_the_widget_as_its_cell_left_it() -> None:
    path = next(one for one in NOTEBOOKS if one.stem.startswith("01"))
    found = [picture for cell in nbformat.read(path, as_version=4).cells for picture in pictures(cell)]
    for at, one in enumerate(found):
        assert all(one.shape != other.shape or np.abs(one - other).mean() > 1 for other in found[:at])


@each_notebook
def test_a_notebook_tells_nothing_of_the_machine_it_was_run_on(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    told = "\n".join(text for cell in notebook.cells for text in texts(cell))
    assert not re.search(r"/(home|root|tmp|Users|work)/|[A-Z]:\\\\", told)
    assert "widgets" not in notebook.metadata
    assert all(cell.get("execution_count") is None for cell in notebook.cells)


@each_notebook
def test_a_notebook_shows_the_widget_again_after_changing_its_look(path: Path) -> None:
    settings = re.compile(
        r"^w\.(color|layer|cmap|vmin|vmax|statistic|density|render|view)\b.* = |^w\.(color|layer|view) =", re.M
    )
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    for at, cell in enumerate(cells):
        if settings.search(cell.source) and "state = w.state" not in cell.source:
            following = "\n".join(one.source for one in cells[at : at + 2])
            assert re.search(r"^w$", following, re.M), cell.source
