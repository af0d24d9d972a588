"""The synthetic store: valid CXG, the same for the same seed, and like the real thing where it matters."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
import tiledb

import cxg_widget
from cxg_widget import open_dataset
from cxg_widget.datasets.cxg import demo_store
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.errors import InvalidOption, InvalidValue

N_OBS, N_VAR = 3_000, 60


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_demo(tmp_path_factory.mktemp("demo") / "demo.cxg", N_OBS, N_VAR)


def read_matrix(path: Path, dim: str, other: str) -> np.ndarray:
    """Return `Xr` or `Xc` as a dense (n_obs, n_var)."""
    out = np.zeros((N_OBS, N_VAR), np.float32)
    with tiledb.open(str(path)) as array:
        cells = array[:]
    at = {dim: cells[dim], other: cells[other]}
    out[at["obs"], at["var"]] = cells[""]
    return out


def digest(path: Path) -> str:
    """Return a hash of all data in a store, whatever its fragments are called."""
    found = hashlib.sha256()
    for name in ("obs", "var", "emb/umap", "emb/pca"):
        with tiledb.open(str(path / name)) as array:
            values = array[:]
        for column in values.values() if isinstance(values, dict) else [values]:
            found.update(column.astype(str).tobytes() if column.dtype == object else column.tobytes())
    found.update(read_matrix(path / "Xc", "var", "obs").tobytes())
    return found.hexdigest()


def test_rows_and_columns_of_the_matrix_hold_the_same_values(store: Path) -> None:
    by_cell, by_gene = read_matrix(store / "Xr", "obs", "var"), read_matrix(store / "Xc", "var", "obs")
    np.testing.assert_array_equal(by_cell, by_gene)
    assert np.isfinite(by_gene).all()
    assert (by_gene >= 0).all()


def test_the_store_says_that_it_is_synthetic(store: Path) -> None:
    with tiledb.open(str(store / "cxg_group_metadata")) as array:
        assert array.meta["cxg_version"] == "0.3.0"
        properties = json.loads(array.meta["cxg_properties"])
    assert properties["title"].startswith("SYNTHETIC")
    assert properties["description"].startswith("SYNTHETIC")


def test_every_kind_of_column_is_there(store: Path) -> None:
    with open_dataset(store) as dataset:
        kinds = {name: column.kind for name, column in dataset.obs_columns.items()}
        obs = dataset.obs()
        colors = dataset.category_colors("cell_type")
    assert set(kinds.values()) == {"categorical", "boolean", "int", "float"}
    assert obs.index.is_unique
    assert obs["tcr_expansion"].isna().any()
    assert obs["pct_mito"].isna().any()
    assert 0 < obs["is_doublet"].mean() < 0.1
    assert set(obs["cell_type"].unique()) <= set(colors)


def test_cell_types_differ_in_size_by_an_order_of_magnitude(store: Path) -> None:
    with open_dataset(store) as dataset:
        counts = dataset.obs(["cell_type"])["cell_type"].value_counts()
    assert counts.max() > 10 * counts[counts > 0].min()


@pytest.mark.parametrize(
    ("gene", "cell_type"),
    [("CD3E", "CD4+ naive T cell"), ("MS4A1", "naive B cell"), ("CD14", "CD14+ monocyte"), ("NKG7", "NK cell")],
)
def test_markers_are_high_in_their_cell_type(store: Path, gene: str, cell_type: str) -> None:
    with open_dataset(store) as dataset:
        inside = (dataset.obs(["cell_type"])["cell_type"] == cell_type).to_numpy()
        values = dataset.values(gene)
        lymphoid = dataset.obs(["cell_type"])["cell_type"].isin(["platelet", "plasma cell"]).to_numpy()
    assert values[inside].mean() > 5 * values[lymphoid].mean()


def test_gene_sets_name_genes_that_the_store_has(store: Path) -> None:
    with open_dataset(store) as dataset:
        assert "T cell markers" in dataset.gene_sets
        for genes in dataset.gene_sets.values():
            for gene in genes:
                dataset.find_var(gene)


def test_the_recorded_means_and_counts_of_genes_are_those_of_the_matrix(store: Path) -> None:
    matrix = read_matrix(store / "Xc", "var", "obs")
    with open_dataset(store) as dataset:
        var = dataset.var()
    np.testing.assert_array_equal(var["n_cells"], (matrix > 0).sum(axis=0))
    np.testing.assert_allclose(var["mean"], matrix.mean(axis=0, dtype=np.float64), rtol=1e-5)


def test_the_same_seed_gives_the_same_data_and_another_seed_does_not(store: Path, tmp_path: Path) -> None:
    again = write_demo(tmp_path / "again.cxg", N_OBS, N_VAR)
    other = write_demo(tmp_path / "other.cxg", N_OBS, N_VAR, seed=1)
    assert digest(again) == digest(store)
    assert digest(other) != digest(store)


@pytest.mark.parametrize(("n_obs", "n_var"), [(1, 1), (2, 700), (140_000, 2)])
def test_any_size_can_be_written_and_read(tmp_path: Path, n_obs: int, n_var: int) -> None:
    path = write_demo(tmp_path / "any.cxg", n_obs, n_var)
    with open_dataset(path) as dataset:
        assert (dataset.n_obs, dataset.n_var) == (n_obs, n_var)
        assert dataset.embedding("umap").shape == (n_obs, 2)
        assert np.isfinite(dataset.embedding("umap")).all()
        assert len(dataset.obs_names([0, n_obs - 1])) == 2
        assert dataset.values(dataset.var_labels[-1]).shape == (n_obs,)
        assert len(set(dataset.var_labels)) == n_var


def test_an_existing_store_is_not_replaced_unless_force_is_set(tmp_path: Path) -> None:
    path = write_demo(tmp_path / "one.cxg", 10, 2)
    with pytest.raises(FileExistsError, match="already exists"):
        write_demo(path, 20, 2)
    with open_dataset(path) as dataset:
        assert dataset.n_obs == 10
    write_demo(path, 20, 2, force=True)
    with open_dataset(path) as dataset:
        assert dataset.n_obs == 20


def test_force_replaces_nothing_but_a_store(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("kept")
    with pytest.raises(FileExistsError, match="is not a CXG"):
        write_demo(tmp_path / "letters", 10, 2, force=True)
    assert (tmp_path / "letters" / "dear.txt").read_text() == "kept"


def test_a_writing_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail(what: str, part: float) -> None:
        raise RuntimeError(what)

    with pytest.raises(RuntimeError):
        write_demo(tmp_path / "one.cxg", 10, 2, progress=fail)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("n_obs", "n_var"), [(0, 5), (5, 0), (-1, 5), (2**32, 1)])
def test_impossible_sizes_are_refused(tmp_path: Path, n_obs: int, n_var: int) -> None:
    with pytest.raises(InvalidValue, match="cannot write"):
        write_demo(tmp_path / "none.cxg", n_obs, n_var)


def test_progress_runs_up_to_one(tmp_path: Path) -> None:
    parts: list[float] = []
    write_demo(tmp_path / "one.cxg", 500, 5, progress=lambda _, part: parts.append(part))
    assert parts == sorted(parts)
    assert parts[-1] == 1


def test_a_demo_is_written_once_into_the_folder_of_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path))
    path = cxg_widget.demo(cells=50)
    written = {one: one.stat().st_mtime_ns for one in path.rglob("*")}
    assert path.is_relative_to(tmp_path)
    assert cxg_widget.demo(cells=50) == path
    assert {one: one.stat().st_mtime_ns for one in path.rglob("*")} == written
    with open_dataset(path) as dataset:
        assert dataset.n_obs == 50
    other = cxg_widget.demo(cells=60.0)
    assert other != path
    assert sorted(one.name for one in path.parent.iterdir()) == sorted([path.name, other.name])


def test_a_demo_has_the_requested_path_and_cells_or_an_error_says_why_not(tmp_path: Path) -> None:
    path = cxg_widget.demo(tmp_path / "deep" / "mine.cxg", 40)
    assert path == tmp_path / "deep" / "mine.cxg"
    with pytest.raises(ValueError, match=r"mine.cxg' has 40 cells and 300 genes, not 100,000 and 300; .*cells=40"):
        cxg_widget.demo(path)
    for wrong in (2.5, "many", True, None, 0):
        with pytest.raises(InvalidValue, match="must be"):
            cxg_widget.demo(tmp_path / "none.cxg", wrong)  # type: ignore[arg-type]
    (tmp_path / "letters").mkdir()
    with pytest.raises(cxg_widget.CxgWidgetError):
        cxg_widget.demo(tmp_path / "letters", 40)
    with pytest.raises(InvalidOption, match=r"demo\(cells=1000\)"):
        cxg_widget.demo(1000)  # type: ignore[arg-type]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["deep", "letters"]


def test_two_who_ask_for_a_demo_at_once_get_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_twice(path: Path, cells: int, genes: int) -> Path:
        monkeypatch.setattr(demo_store, "write_demo", write_demo)
        cxg_widget.demo(tmp_path / "mine.cxg", cells)  # another one, who is done first
        return write_demo(path, cells, genes)

    monkeypatch.setattr(demo_store, "write_demo", write_twice)
    assert cxg_widget.demo(tmp_path / "mine.cxg", 30) == tmp_path / "mine.cxg"
    assert [one.name for one in tmp_path.iterdir()] == ["mine.cxg"]
