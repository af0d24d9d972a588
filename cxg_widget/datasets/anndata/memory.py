"""AnnData in memory as a `Dataset`: any object with its attributes; only requested parts are copied."""
# Changes with cxg_widget/datasets/anndata/dataset.py and cxg_widget/datasets/mudata/opening.py: options of AnnData.

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.anndata.matrices import StoredMatrix, is_matrix
from cxg_widget.datasets.anndata.memory_frame import MemoryFrame
from cxg_widget.datasets.anndata.memory_nodes import AnyMatrix, MatrixOfView, is_in_memory, node_of, x_of
from cxg_widget.datasets.anndata.obs_identity import are_numbers, digest_of
from cxg_widget.datasets.anndata.raw import Raw
from cxg_widget.datasets.anndata.spatial import libraries_of
from cxg_widget.datasets.anndata.with_matrices import WithMatrices
from cxg_widget.datasets.base.column_values import row_blocks
from cxg_widget.datasets.base.contract import DEFAULT_CACHE_BYTES, RAW, Table
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.matrix_block import check_memory_bytes, size_of
from cxg_widget.datasets.base.sections import Sections, sections_of
from cxg_widget.errors import InvalidOption, InvalidStore
from cxg_widget.spatial.fingerprint import fingerprint
from cxg_widget.text.half_characters import repaired


class AnnDataInMemory(WithMatrices):
    """An AnnData object, or any other object with obs, var, obsm, X, layers, raw and uns.

    Later changes of the object may or may not appear; open it again to be sure.

    Parameters
    ----------
    source : the object, which is neither changed nor copied
    cache_bytes : size of the cache for data that were read
    memory_bytes : memory for a copy of the matrix, sorted by gene; 0 = each gene scans the matrix

    Raises
    ------
    InvalidStore
        If its parts contradict each other.
    InvalidOption
        If its tables are not DataFrames.
    """

    format: ClassVar[str] = "anndata"

    def __init__(self, source: Any, *, cache_bytes: int = DEFAULT_CACHE_BYTES, memory_bytes: int = 0) -> None:
        super().__init__("AnnData in memory", cache_bytes=cache_bytes)
        check_memory_bytes(memory_bytes)
        self.source: Any = source
        self._budget = ByteCache(memory_bytes, size_of)
        for part in ("obs", "var"):
            _check_table(getattr(source, part), part)
        self._uns = source.uns if isinstance(getattr(source, "uns", None), Mapping) else {}
        self._obs = MemoryFrame(source.obs, "obs", self._note)
        self._var = MemoryFrame(source.var, "var", self._note)
        self._take_tables()
        title = self._uns.get("title")
        self.title = title if isinstance(title, str) and title else self.uri
        self._is_view = bool(getattr(source, "is_view", False))
        self._matrix = self._open_matrix("X", None)
        self._layer_keys = self._find_layers()
        self._layers = {name: self._open_matrix(f"layer {name!r}", key) for name, key in self._layer_keys.items()}
        self._raw = self._open_raw()
        self._name_layers()
        self.embeddings = self._find_embeddings()
        wanted = self._uns.get("default_embedding")
        self._choose_embedding(wanted if isinstance(wanted, str) else None)
        self.sections()

    def cut(self, mask: NDArray[np.bool_]) -> Any:
        """Return the cells of a mask as a view of the object."""
        with self._reading():
            return self.source[mask]

    def _find_layers(self) -> dict[str, Any]:
        """Return the keys of layers by name; `repaired` replaces lone surrogates in the names."""
        layers = getattr(self.source, "layers", None) or {}
        named = [name for name in layers if name is not None]  # anndata 0.13 and later list X as None
        usable = [name for name in named if self._is_view or self._is_usable(repaired(str(name)), layers[name])]
        return {repaired(str(name)): name for name in usable}

    def _is_usable(self, name: str, values: Any) -> bool:
        if is_matrix(node_of(values, name)):
            return True
        self._note(f"layer {name!r} is left out: it is not a numeric matrix.")
        return False

    def _open_matrix(self, what: str, layer: str | None) -> AnyMatrix:
        if self._is_view:
            return MatrixOfView(self.source, layer)
        values = x_of(self.source) if layer is None else self.source.layers[layer]
        return self._as_matrix(values, what, self.n_var)

    def _as_matrix(self, values: Any, what: str, n_var: int) -> StoredMatrix:
        node = None if values is None else node_of(values, what)
        # Without the note that a gene scans the whole matrix: in memory a scan is fast.
        return StoredMatrix(
            node, what, (self.n_obs, n_var), budget=self._budget, note=lambda _: None, progress=self._tell_progress
        )

    def _open_raw(self) -> Raw | None:
        raw = getattr(self.source, "raw", None)
        if raw is None or RAW in self._layers:
            return None
        frame = MemoryFrame(raw.var, "raw/var", lambda _: None)
        return Raw(self._as_matrix(raw.X, RAW, frame.n), frame, self.title, self.uri, self.n_obs)

    def _find_embeddings(self) -> dict[str, int]:
        found: dict[str, int] = {}
        self._keys: dict[str, str] = {}
        for key in self.source.obsm:
            columns, called = _axes_of(self.source.obsm[key]), repaired(str(key))
            shape: tuple[int, ...] = getattr(columns, "shape", ())
            if columns is None or len(shape) != 2 or shape[0] != self.n_obs or shape[1] < 2:
                self._unusable[called] = (
                    f"obsm/{called} is not an array of numbers with {self.n_obs:,} rows and 2 or more axes."
                )
                self._note(self._unusable[called])
                continue
            short = called.removeprefix("X_")
            name = short if short and (short == key or short not in self.source.obsm) else called
            found[name], self._keys[name] = int(shape[1]), key
        return found

    def _read_traffic(self) -> Traffic | None:
        """Return zero traffic; None if a part of the object is not in memory, since its reads are not counted."""
        return Traffic() if self._read_once("is in memory", self._is_in_memory) else None

    def _is_in_memory(self) -> bool:
        source = self.source[:1, :1] if self._is_view else self.source
        raw = getattr(source, "raw", None)
        values = [x_of(source), *(source.layers[key] for key in self._layer_keys.values())]
        values += [*(source.obsm[key] for key in self._keys.values()), None if raw is None else raw.X]
        return all(is_in_memory(one) for one in values if one is not None)

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        values = _axes_of(self.source.obsm[self._keys[name]])
        if values is None or values.shape[0] != self.n_obs:
            raise InvalidStore(
                f"{self.uri}: obsm/{self._keys[name]} was changed after it was opened; open the AnnData again."
            )
        if hasattr(values, "iloc"):
            return np.column_stack([values.iloc[start:stop, axis].to_numpy() for axis in axes])
        return np.column_stack([np.asarray(values[start:stop, axis]) for axis in axes])

    def _read_sections(self) -> Sections:
        found = sections_of(libraries_of(self._uns.get("spatial")))
        for sentence in found.faults.values():
            self._note(sentence)
        return found

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        library, _, resolution = name.rpartition("/")
        found: NDArray[Any] = np.asarray(self._uns["spatial"][library]["images"][resolution][lines, columns])
        return found

    def index_name(self, table: Table) -> str | None:
        """Return the name of the index in the object's DataFrame."""
        name = (self.source.obs if table == "obs" else self.source.var).index.name
        return None if name is None else repaired(str(name))

    def _read_obs_identity(self) -> str | None:
        """Return a key made of the cell names; None if they are row numbers, which other datasets have too."""
        names = self.source.obs.index
        if are_numbers(names):
            return None
        digest = sha256()
        for start, stop in row_blocks(self.n_obs):
            digest.update("\0".join(map(str, names[start:stop].tolist())).encode(errors="surrogatepass"))
        return f"{self.uri}#{self.n_obs}#{digest.hexdigest()}"

    def _read_content_identity(self) -> str | None:
        """Return a digest of the names of cells and genes, and of the positions of cells in each embedding."""
        if are_numbers(self.source.obs.index):
            return None
        digest = sha256(repr((self.n_obs, self.n_var, sorted(self.embeddings))).encode())
        for names in (self.source.obs.index, self.source.var.index):
            digest.update(digest_of(names).encode())
        for name in sorted(self.embeddings):
            digest.update(fingerprint(self.embedding(name)).encode())
        return digest.hexdigest()

    def _category_colors(self, column: str) -> dict[str, str]:
        stored = self._uns.get(f"{column}_colors")
        if stored is None or isinstance(stored, str | Mapping):
            return {}
        return self._color_labels(column, np.asarray(stored).tolist())

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        """Return `uns["genesets"]`, lists of var names by name; skips everything else."""
        stored = self._uns.get("genesets")
        lists = stored if isinstance(stored, Mapping) else {}
        return {
            str(name): tuple(map(str, genes))
            for name, genes in lists.items()
            if isinstance(genes, list | tuple | np.ndarray) and all(isinstance(gene, str) for gene in genes)
        }

    def _release(self) -> None:
        self._budget.clear()
        self.source = None


def _check_table(table: Any, part: str) -> None:
    if not hasattr(getattr(table, "dtypes", None), "iloc"):
        raise InvalidOption(
            f"{part} of this AnnData is a {type(table).__name__}, not a DataFrame, as after read_lazy(); "
            "pass the path of the store, which is read lazily too, or adata.to_memory()."
        )


def _axes_of(values: Any) -> Any:
    """Return the array of an embedding; None if it is not numeric."""
    if hasattr(values, "iloc"):
        return values.select_dtypes("number")
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    return values if kind in "iuf" and kind and not hasattr(values, "tocsr") else None
