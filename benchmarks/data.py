"""The stores of the benchmarks, made once, and the genes and columns to read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tiledb
from numpy.typing import NDArray

HERE = Path(__file__).parent
RAW = HERE / "raw"
SHAPES = {
    "100k": (100_000, 300),
    "1m": (1_000_000, 300),
    "5m": (5_000_000, 30),
    "10m": (10_000_000, 40),
    "30m": (30_000_000, 3),
    "100m": (100_000_000, 3),
}
SPARSE_SHARE = 0.05
N_GENES = 6
CATEGORIES = ("donor", "sample")
FIRST_CATEGORY = "cell_type"
CLUSTERS = "leiden"


@dataclass(frozen=True)
class Store:
    """A store and the genes to color by.

    Attributes
    ----------
    genes : the genes whose share of non-zeros is nearest to 5 %, the nearest first
    shares : share of cells in which each gene of `genes` and `dense_gene` is not zero
    dense_gene : the gene that is not zero in the most cells
    """

    path: Path
    n_obs: int
    n_var: int
    genes: tuple[str, ...]
    dense_gene: str
    shares: dict[str, float]

    def read_files(self) -> None:
        """Read all files except those of X, so that no disk is measured: the other contenders have data in memory."""
        for file in self.path.rglob("*"):
            if file.is_file() and not file.relative_to(self.path).parts[0].startswith("X"):
                file.read_bytes()


def open_store(size: str) -> Store:
    """Make the store of a size if it does not exist, and choose the genes."""
    n_obs, n_var = SHAPES[size]
    path = RAW / f"{size}.cxg"
    if not path.exists():
        from cxg_widget.datasets.cxg.demo import write_demo

        print(f"writing {path.name}: {n_obs:,} cells by {n_var} genes", flush=True)
        write_demo(path, n_obs, n_var)
    chosen = path.with_suffix(".json")
    if not chosen.exists():
        chosen.write_text(json.dumps(_choose_genes(path, n_obs)))
    return Store(path, n_obs, n_var, **_as_tuples(json.loads(chosen.read_text())))


def _as_tuples(chosen: dict[str, object]) -> dict[str, object]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in chosen.items()}


def _choose_genes(path: Path, n_obs: int) -> dict[str, object]:
    shares = count_cells(path) / n_obs
    names = gene_names(path)
    nearest = np.argsort(np.abs(shares - SPARSE_SHARE), kind="stable")[:N_GENES]
    densest = int(np.argmax(shares))
    wanted = {names[at]: float(shares[at]) for at in [*nearest.tolist(), densest]}
    return {"genes": [names[at] for at in nearest], "dense_gene": names[densest], "shares": wanted}


def count_cells(path: Path) -> NDArray[np.int64]:
    """Count with plain tiledb in how many cells each gene is not zero, in bands so that memory stays small."""
    with tiledb.open(str(path / "Xc")) as array:
        n_var = array.shape[0]
        query = array.query(attrs=[], dims=["var"], order="U")
        bands = [query.multi_index[first : min(first + 9, n_var - 1)]["var"] for first in range(0, n_var, 10)]
        return sum(np.bincount(band, minlength=n_var) for band in bands)


def gene_names(path: Path) -> list[str]:
    """Return the labels of var."""
    with tiledb.open(str(path / "var")) as array:
        index = json.loads(array.meta["cxg_schema"])["index"]
        return [str(name) for name in array.query(attrs=[index])[:][index]]


def read_xy(path: Path) -> NDArray[np.float32]:
    """Return the first embedding, float32 (n_obs, 2), data units."""
    with tiledb.open(str(path / "emb" / "umap")) as array:
        return np.asarray(array[:], dtype=np.float32)


def read_codes(path: Path, column: str) -> tuple[NDArray[np.integer], list[str]]:
    """Return the codes of a categorical column and its categories."""
    with tiledb.open(str(path / "obs")) as array:
        categories = json.loads(array.meta["cxg_schema"])[column].get("categories")
        values = array.query(attrs=[column])[:][column]
    if categories is None or values.dtype.kind not in "iu" or len(categories) <= values.max():
        categories, values = np.unique(values, return_inverse=True)
    return values, [str(one) for one in categories]


def read_numbers(path: Path, column: str) -> NDArray[np.float64]:
    """Return a numeric obs column, float64 (n_obs,)."""
    with tiledb.open(str(path / "obs")) as array:
        return np.asarray(array.query(attrs=[column])[:][column], dtype=np.float64)


def read_gene(path: Path, gene: str) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """Return the rows where a gene is not zero, ascending, and its values there."""
    with tiledb.open(str(path / "Xc")) as array:
        found = array.query(order="U", dims=False).multi_index[[gene_names(path).index(gene)]]
    order = np.argsort(found["obs"], kind="stable")
    return found["obs"][order], found[""][order]


def polygon_around(xy: NDArray[np.float32], share: float = 0.1, corners: int = 24) -> NDArray[np.float64]:
    """Return a regular polygon around the middle of the points that holds about `share` of them.

    Parameters
    ----------
    xy : float32 (n_obs, 2), data units; NaN is left out
    share : 0 to 1

    Returns
    -------
    float64 (corners, 2), data units
    """
    finite = xy[np.isfinite(xy).all(axis=1)].astype(np.float64)
    middle = np.median(finite, axis=0)
    distance = np.hypot(*(finite - middle).T)
    # A regular polygon contains as many points as a disc of the same area.
    turn = 2 * np.pi / corners
    radius = np.quantile(distance, share) * np.sqrt(turn / np.sin(turn))
    angles = np.arange(corners) * turn
    return middle + radius * np.column_stack([np.cos(angles), np.sin(angles)])
