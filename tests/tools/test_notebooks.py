"""The notebooks run from top to bottom, and show readers on the web what they show when they are run."""

from __future__ import annotations

import ast
import base64
import io
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
import tiledb
from matplotlib import colormaps
from PIL import Image

from cxg_widget import demo
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_truth
from tools.notebooks import LIVE, NOTEBOOKS, fingerprint, run, tidy

BUNDLE = Path(__file__).parents[2] / "cxg_widget" / "static" / "widget.js"
REAL = "pbmc68k_reduced.h5ad"
MOST_BYTES = 500_000
AS_KEPT = {"01_open_and_look", "02_select_to_pandas"}
"""Those that show the same on each machine."""
IN_STEPS = {path.stem for path in NOTEBOOKS} - {"02_select_to_pandas"}
"""Those that show their widget once, and a figure of each step."""
LABELS = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf")
CLUSTERS = (
    "#023fa5", "#7d87b9", "#bec1d4", "#d6bcc0", "#bb7784", "#8e063b", "#4a6fe3", "#8595e1", "#b5bbe3", "#e6afb9",
    "#e07b91",
)  # fmt: skip
"""Colors that the file of the real cells has of `bulk_labels` and `louvain`, as h5py reads them."""
OKABE_ITO = ("#0072b2", "#e69f00", "#009e73")
PALETTE_OF = {
    "cell_type": "types", "my types": "types", "sets": "sets", "bulk_labels": "labels", "louvain": "clusters",
}  # fmt: skip
FADED = set(PALETTE_OF.values())
"""Whose points are paler where many lie on each other, and whose images are where cells are few."""
NEAR = 40
"""Two colors so near in RGB look alike."""
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
def test_a_saved_notebook_contains_what_it_shows(folder: Path, path: Path, ran: dict) -> None:
    if path.stem in IN_STEPS:
        shown = run_and_show_again(folder / path.name)
        first, *_, last = (picture for cell in shown.cells for picture in pictures(cell))
        np.testing.assert_array_equal(first, last, "all cells run, the widget shows what its first picture does")
        del shown.cells[-1]
    else:
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


def run_and_show_again(path: Path) -> nbformat.NotebookNode:
    """Run a notebook with a cell more, which shows the widget as all others left it."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_code_cell("w"))
    nbformat.write(notebook, path)
    return run(path, timeout_s=100)


@pytest.fixture(scope="module")
def palettes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    """Return the colors, float (k, 3), of what a picture may be colored by."""
    store = demo(tmp_path_factory.mktemp("demo") / "demo.cxg", cells=100, genes=20)
    with tiledb.open(f"{store}/cxg_group_metadata") as group:
        types = json.loads(group.meta["cxg_category_colors"])["cell_type"].values()
    maps = {name: colormaps[name](np.linspace(0, 1, 256))[:, :3] * 255 for name in ("viridis", "magma", "RdBu_r")}
    found = {"types": rgb(types), "sets": rgb(OKABE_ITO), "gene": maps["viridis"], "difference": maps["RdBu_r"]}
    found |= {"magma": maps["magma"], "labels": rgb(LABELS), "clusters": rgb(CLUSTERS)}
    return {**found, "panels": np.concatenate([found["types"], found["gene"], found["sets"]])}


def rgb(colors: Iterable[str]) -> np.ndarray:
    return np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in colors], float)


def assigned(source: str) -> Iterator[tuple[str, object]]:
    """Yield the settings of `w` that a cell sets to literals, and the panels it makes."""
    for node in ast.parse(re.sub(r"^%.*$", "", source, flags=re.M)).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            yield from ((one.arg, ast.literal_eval(one.value)) for one in node.value.keywords if one.arg == "color")
        for target in node.targets if isinstance(node, ast.Assign) else []:
            both = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
            for left, right in zip(target.elts, node.value.elts, strict=True) if both else [(target, node.value)]:
                is_plain = not any(isinstance(one, ast.Name) for one in ast.walk(right))
                if isinstance(left, ast.Attribute) and isinstance(right, ast.Constant | ast.List) and is_plain:
                    yield left.attr, ast.literal_eval(right)
    if found := re.search(r"w\.(grid\(|panels\.clear)", source):
        yield "panels", "grid" in found[1]


def unfaded(colors: np.ndarray) -> np.ndarray:
    """Return colors as they are before white paper shines through them."""
    ink = 255 - colors
    return 255 - 255 * ink / np.maximum(ink.max(axis=1, keepdims=True), 1)


def shares(picture: np.ndarray, palettes: dict[str, np.ndarray]) -> dict[str, float]:
    """Return which share of the vivid pixels of a picture has a color of each palette."""
    pixels = picture.reshape(-1, 3)
    colors, n = np.unique(pixels[np.ptp(pixels, axis=1) > 60], axis=0, return_counts=True)
    assert n.sum() > 500
    near = {name: np.linalg.norm(colors[:, None] - one, axis=2).min(axis=1) < NEAR for name, one in palettes.items()}
    return {name: float(n[one].sum() / n.sum()) for name, one in near.items()}


@pytest.mark.parametrize("stem", sorted(IN_STEPS))
def test_each_saved_picture_has_the_colors_that_were_set_for_it(stem: str, palettes: dict[str, np.ndarray]) -> None:
    path = next(one for one in NOTEBOOKS if one.stem == stem)
    settings: dict[str, object] = {}
    seen = set()
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        before = cell.source.partition("figure = ")[0]
        settings.update(assigned(before))
        if not re.search(r"^w$|^w\.figure|^figure$", cell.source, re.M):
            continue
        color, (picture,) = settings["color"], pictures(cell)
        found = shares(picture, palettes)
        if settings.get("panels"):
            what = "panels"
        elif settings.get("blend") == "colors" and isinstance(color, list):
            orange, blue = (shares(picture, {"hue": rgb([hue])})["hue"] for hue in ("#e67800", "#0072dc"))
            assert min(orange, blue) > 0.05, found
            assert found["gene"] < 0.2, found
            continue
        elif isinstance(color, list):
            what = settings.get("cmap", "gene")
        elif color is None:
            what = "difference"
        else:
            what = PALETTE_OF.get(color, settings.get("cmap", "gene"))
        if what in FADED:
            bright = shares(unfaded(picture.reshape(-1, 3)), {name: unfaded(one) for name, one in palettes.items()})
            found = max(found, bright, key=lambda one: one[what])
        single = {name: share for name, share in found.items() if name != "panels"}
        assert found[what] > 0.7, (cell.source, found)  # where cells of two sets mix, so do their colors
        rivals = {name for name in single if name not in FADED or what not in FADED} | {what}  # 16 hues are near all
        assert what == "panels" or max(rivals, key=found.__getitem__) == what, (cell.source, found)
        seen.add(what)
    assert "gene" in seen
    assert len(seen) > 1


@pytest.mark.parametrize("stem", sorted(IN_STEPS))
def test_a_widget_whose_settings_change_is_shown_once(stem: str) -> None:
    path = next(one for one in NOTEBOOKS if one.stem == stem)
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert sum(bool(re.search(r"^w$", cell.source, re.M)) for cell in cells) == 1


@each_notebook
def test_a_notebook_is_saved_with_the_outputs_of_its_code(path: Path) -> None:
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
    changing = [cell for cell in cells if settings.search(cell.source)]
    for at, cell in enumerate(cells):
        is_back = path.stem in IN_STEPS and cell is changing[-1]  # the widget looks again as it began
        if cell in changing and "state = w.state" not in cell.source and not is_back:
            following = "\n".join(one.source for one in cells[at : at + 3])
            assert re.search(r"^w$|w\.figure\(", following, re.M), cell.source
