"""A dataset of arrays in memory: what tests of everything above the stores use."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from cxg_widget.datasets.base.dataset import Codes, Column, Dataset, Vector
from cxg_widget.datasets.base.sections import Library, sections_of
from cxg_widget.errors import DamagedStore
from cxg_widget.text.nouns import GENE_SET


class MemoryDataset(Dataset):
    """Holds obs as {name: array or Codes}, X as float32 (n_obs, n_var), embeddings as {name: (n_obs, k)}."""

    format = "memory"
    set_noun = GENE_SET

    def __init__(
        self, obs, x, var_labels, embeddings, *, sparse=True, colors=None, gene_sets=None, broken=(), aliases=()
    ):
        super().__init__("memory")
        self.title = "memory"
        self.n_obs, self.n_var = x.shape
        self._obs = {"cell_id": _names("cell ", self.n_obs, self.n_obs).copy(), **obs}
        self._x, self._genes = x, np.array(var_labels, dtype=object)
        self._xy, self._sparse, self._colors, self._sets = embeddings, sparse, colors or {}, gene_sets or {}
        self._broken = set(broken)
        self.obs_index, self.var_index = "cell_id", "gene"
        self.obs_columns = {name: _column(name, values) for name, values in obs.items()}
        self.var_columns = {"feature_name": Column("feature_name", "string")} if aliases else {}
        self._aliases = np.array(aliases, dtype=object)
        self.embeddings = {name: xy.shape[1] for name, xy in embeddings.items()}
        self.default_embedding = next(iter(embeddings), None)
        self.reads: list[str] = []
        self.images: dict[str, tuple[np.ndarray, dict[str, float]]] = {}
        """Of sections: by "library/resolution", with the scale factors of the library."""

    def _touch(self, what):
        self.reads.append(what)
        if what in self._broken:
            raise DamagedStore(f"{what} cannot be read: its file is missing")

    def _read_obs(self, name, rows):
        self._touch(f"obs/{name}")
        values = self._obs[name]
        if rows is None:
            return values
        if isinstance(values, Codes):
            return Codes(values.codes[rows], values.categories, values.ordered)
        return values[rows]

    def _read_sections(self):
        libraries = [
            Library(name.rpartition("/")[0], {name.rpartition("/")[2]: (image.shape, image.dtype.kind)}, factors)
            for name, (image, factors) in self.images.items()
        ]
        return sections_of(libraries)

    def _read_section_image(self, name, lines, columns):
        self._touch(f"image {name} {lines.start}:{lines.stop} {columns.start}:{columns.stop}")
        return self.images[name][0][lines, columns]

    def _read_var(self, name):
        return self._aliases if name == "feature_name" else self._genes

    def _read_embedding(self, name, axes):
        self._touch(f"emb/{name}")
        return self._xy[name][:, list(axes)]

    def _read_vector(self, position, layer):
        self._touch(f"X/{self._genes[position]}")
        column = self._x[:, position]
        if not self._sparse:
            return Vector(column.astype(np.float32))
        rows = np.flatnonzero(column != 0)[::-1].astype(np.int64)
        return Vector(column[rows].astype(np.float32), rows)

    def _category_colors(self, column):
        return self._colors.get(column, {})

    def _read_gene_sets(self):
        return self._sets

    def _release(self):
        self._touch("release")


def _column(name, values):
    if isinstance(values, Codes):
        return Column(name, "categorical", len(values.categories))
    kinds = {"b": "boolean", "i": "int", "u": "int", "f": "float", "O": "string"}
    return Column(name, kinds[values.dtype.kind])


@lru_cache(4)
def _names(kind, n_different, n_obs):
    """Return texts that end in the number of their row; of a million cells they take most of the time."""
    return np.array([f"{kind}{i % n_different}" for i in range(n_obs)], dtype=object)


def small(n_obs=1000, *, seed=0, **options):
    """Three clusters, a category with missing cells, numbers with NaN, a boolean, text, two genes and a constant."""
    rng = np.random.default_rng(seed)
    cluster = rng.integers(0, 3, n_obs)
    xy = (rng.normal(size=(n_obs, 2)) + np.array([[0, 0], [6, 1], [2, 7]])[cluster]).astype(np.float32)
    codes = np.where(rng.random(n_obs) < 0.1, -1, cluster).astype(np.int8)
    counts = rng.exponential(1000, n_obs)
    counts[rng.random(n_obs) < 0.05] = np.nan
    obs = {
        "cell_type": Codes(codes, ("T cell", "B cell", "<img src=x onerror=alert(1)>")),
        "n_counts": counts,
        "is_doublet": rng.random(n_obs) < 0.2,
        "n_genes": rng.integers(200, 5000, n_obs),
        "donor name": _names("d", 4, n_obs).copy(),
    }
    x = np.zeros((n_obs, 4), dtype=np.float32)
    x[:, 0] = np.where(rng.random(n_obs) < 0.08, rng.exponential(2, n_obs), 0)
    x[:, 1] = np.where(cluster == 1, rng.exponential(1, n_obs), 0)
    x[:, 3] = rng.normal(size=n_obs)
    pca = rng.normal(size=(n_obs, 5))
    options = {"colors": {"cell_type": {"B cell": "#123456"}}, "gene_sets": {"pair": ("CD3E", "MS4A1")}, **options}
    return MemoryDataset(obs, x, ["CD3E", "MS4A1", "ZERO", "DENSE"], {"umap": xy, "pca": pca}, **options)
