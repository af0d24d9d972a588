"""Reads AnnData on disk, HDF5 and zarr, as a `Dataset`; the other modules here are its parts."""
# Changes with cxg_widget/datasets/anndata/memory.py: options of AnnData.

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.anndata.frame import StoredFrame
from cxg_widget.datasets.anndata.matrices import StoredMatrix, is_matrix
from cxg_widget.datasets.anndata.node import Array, Group, Node, Store
from cxg_widget.datasets.anndata.obs_identity import are_numbers, digest_of
from cxg_widget.datasets.anndata.obsm import find_embeddings
from cxg_widget.datasets.anndata.open_stores import StorageOptions, open_hdf5, open_zarr
from cxg_widget.datasets.anndata.parts import find_part
from cxg_widget.datasets.anndata.raw import Raw
from cxg_widget.datasets.anndata.spatial import libraries_in
from cxg_widget.datasets.anndata.stored_columns import element_of, labels_of
from cxg_widget.datasets.anndata.with_matrices import WithMatrices
from cxg_widget.datasets.base.contract import RAW
from cxg_widget.datasets.base.dataset import DEFAULT_CACHE_BYTES
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.location import is_remote, name_of, without_signature
from cxg_widget.datasets.base.matrix_block import DEFAULT_MEMORY_BYTES, check_memory_bytes, size_of
from cxg_widget.datasets.base.packed import PackedStrings
from cxg_widget.datasets.base.sections import Sections, sections_of
from cxg_widget.datasets.base.values import as_plain
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore, StorageDenied
from cxg_widget.text.nouns import GENE_SET

_MOST_NODES = 10_000
_DEEPEST = 16


class AnnDataDataset(WithMatrices):
    """AnnData on disk, of any version.

    Parameters
    ----------
    uri : a path
    cache_bytes : size of the cache for data that were read
    key : path or name of the AnnData in a store with several, such as "mod/rna" or "rna" of MuData
    memory_bytes : memory for the entries of matrices stored by cell, sorted by gene (3.2 GiB); if a matrix needs more,
        each gene scans it
    storage_options : access to a remote store, see `storage.options.translate`

    Raises
    ------
    InvalidStore
        If the store is not AnnData, or its parts contradict each other.
    DamagedStore
        If its structure cannot be read. Missing data raise an error only when they are read.
    UnknownName
        If there is nothing at `key`.
    """

    what: ClassVar[str]
    _obs: StoredFrame
    _var: StoredFrame
    _matrix: StoredMatrix
    set_noun = GENE_SET

    def __init__(
        self,
        uri: str,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        key: str | None = None,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
        storage_options: StorageOptions = None,
    ) -> None:
        super().__init__(f"{uri}#{key}" if key else uri, cache_bytes=cache_bytes)
        check_options(key, memory_bytes)
        self._key = key
        self._budget = ByteCache(memory_bytes, size_of)
        self._path = uri.removeprefix("file://")
        self.is_remote = is_remote(uri)
        self._store = self._open_store(uri, storage_options)
        try:
            self._open(self._find_part(key))
        except BaseException:
            self._store.close()
            raise

    @abstractmethod
    def _open_store(self, uri: str, storage_options: StorageOptions) -> Store:
        """Open the file or folder."""

    def _find_part(self, key: str | None) -> Group:
        return find_part(self._store.root, key, self.what)

    def _open(self, part: Group) -> None:
        self._part = part
        uns = self._quietly("uns")
        self._uns = uns if isinstance(uns, Group) else None
        self._obs = self._frame("obs")
        self._var = self._frame("var")
        self._take_tables()
        self.title = self._text_in_uns("title") or name_of(self._path)
        self._matrix = self._open_matrix(self._quietly("X"), "X")
        self._layers = self._find_layers()
        self._raw = self._open_raw()
        self._name_layers()
        self._embeddings, self._unusable = find_embeddings(self._quietly("obsm"), self.n_obs)
        self.embeddings = {name: one.width for name, one in self._embeddings.items()}
        for sentence in self._unusable.values():
            self._note(sentence)
        self._choose_embedding(self._text_in_uns("default_embedding"))
        self.sections()  # read now, so that faulty images are among the notes
        if self.is_remote:
            self._tell_cost()

    # --- parts --------------------------------------------------------------------------------------------------------

    def _frame(self, name: str) -> StoredFrame:
        node = self._part.get(name)
        if node is None:
            raise InvalidStore(f"{self.uri}: not AnnData; missing {name}.")
        return StoredFrame(node, name, self._uns, self._note)

    def _open_matrix(self, node: Node | None, name: str, n_var: int | None = None) -> StoredMatrix:
        shape = (self.n_obs, self.n_var if n_var is None else n_var)
        return StoredMatrix(node, name, shape, budget=self._budget, note=self._note, progress=self._tell_progress)

    def _find_layers(self) -> dict[str, StoredMatrix]:
        group = self._quietly("layers")
        found = {}
        for name in group.names() if isinstance(group, Group) else ():
            node = self._quietly(f"layers/{name}")
            if is_matrix(node):
                found[name] = self._open_matrix(node, f"layer {name!r}")
            else:
                self._note(f"layer {name!r} is left out: it is not a numeric matrix.")
        return found

    def _open_raw(self) -> Raw | None:
        if RAW in self._layers:
            return None
        matrix, table = self._quietly("raw/X"), self._quietly("raw/var")
        if matrix is None:  # before version 0.7
            matrix, table = self._quietly("raw.X"), self._quietly("raw.var")
        if not is_matrix(matrix) or table is None:
            return None
        try:
            frame = StoredFrame(table, "raw/var", self._uns, lambda _: None)
        except (InvalidStore, DamagedStore) as error:
            self._note(f"raw is left out: {error}")
            return None
        return Raw(self._open_matrix(matrix, RAW, frame.n), frame, self.title, self.uri, self.n_obs)

    def _quietly(self, path: str) -> Node | None:
        """Return a part, None if it is missing; for a part that cannot be opened, None and a note."""
        try:
            return self._part.get(path)
        except (InvalidStore, DamagedStore) as error:
            self._note(f"{path} is left out: {error}")
            return None

    def _text_in_uns(self, name: str) -> str | None:
        """Return a string in `uns`, None if there is none."""
        return None if self._uns is None else _text_of(self._quietly(f"uns/{name}"))

    def _tell_cost(self) -> None:
        """Locate the chunks of X, and add a note if a gene is costly to read."""
        try:
            cost = self._matrix.cost_of_gene()
        except (InvalidStore, DamagedStore):
            return  # reading a gene raises it
        if cost:
            self._note(cost)

    # --- columns ------------------------------------------------------------------------------------------------------

    def _packs(self, name: str) -> bool:
        return name == self.obs_index or self.obs_columns[name].kind == "string"

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        return self._embeddings[name].read(axes, start, stop)

    # --- sections -----------------------------------------------------------------------------------------------------

    def _read_sections(self) -> Sections:
        group = self._quietly("uns/spatial") if self._uns is not None else None
        found = sections_of(libraries_in(group)) if isinstance(group, Group) else Sections()
        for sentence in found.faults.values():
            self._note(sentence)
        return found

    def _read_section_image(self, name: str, lines: slice, columns: slice) -> NDArray[Any]:
        library, _, resolution = name.rpartition("/")
        node = self._part.get(f"uns/spatial/{library}/images/{resolution}")
        if not isinstance(node, Array):
            raise DamagedStore(f"{self.uri}: the image {name!r} of the section has been removed; open the store again.")
        return node.read(lines, columns, *([slice(None)] if len(node.shape) > 2 else []))

    # --- annotations --------------------------------------------------------------------------------------------------

    def _category_colors(self, column: str) -> dict[str, str]:
        node = self._quietly(f"uns/{column}_colors") if self._uns is not None else None
        if not isinstance(node, Array) or column not in self.obs_columns:
            return {}
        return self._color_labels(column, _colors(node))

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        """Read `uns/genesets`, lists of var names by name, as `cxg-widget convert` writes them."""
        group = self._quietly("uns/genesets") if self._uns is not None else None
        nodes = (
            {name: self._quietly(f"uns/genesets/{name}") for name in group.names()} if isinstance(group, Group) else {}
        )
        return {
            name: tuple(map(str, _labels(node)))
            for name, node in nodes.items()
            if isinstance(node, Array) and node.is_text and len(node.shape) == 1
        }

    def _read_identity(self) -> str:
        return f"{self._store.state()}#{self._key or ''}"

    def _read_obs_identity(self) -> str | None:
        """Return a key made of the path and the cell names, and of the default embedding if names are row numbers.

        None if there is neither, or it cannot be read.
        """
        place = without_signature(self._path) if self.is_remote else os.path.abspath(self._path)
        where = f"{place}#{self._key or ''}#{self.n_obs}"
        try:
            names = self._names()
            if not are_numbers(names):
                return f"{where}#{digest_of(names)}"
            if self.n_obs and self.default_embedding is not None:
                return f"{where}#{digest_of(names, [self.embedding(self.default_embedding)])}"
        except (InvalidStore, DamagedStore):
            pass
        return None

    def _names(self) -> Sequence[Any]:
        """Return the names of all cells, packed if they are read packed; row numbers if they have none."""
        found = range(self.n_obs) if self.obs_index is None else self._obs_part.values(self.obs_index)
        return found if isinstance(found, range | PackedStrings) else as_plain(found).tolist()

    def _read_details(self) -> dict[str, Any]:
        obs = self._obs.node
        version = obs.attrs.get("encoding-version") if isinstance(obs, Group) else None
        found = {"encoding": f"dataframe {version}" if version else "records, as before 0.7"} | super()._read_details()
        schema = self._text_in_uns("schema_version")
        return found | ({"schema_version": schema} if schema else {})

    def _read_sizes(self) -> dict[str, int]:
        try:
            return _sizes_below(self._part) if self._store.tells_sizes else {}
        except StorageDenied:
            return {}  # most public buckets forbid listing

    def _read_traffic(self) -> Traffic:
        return self._store.traffic

    def _release(self) -> None:
        self._budget.clear()
        self._store.close()


class H5adDataset(AnnDataDataset):
    """AnnData in an HDF5 file of any name; see `AnnDataDataset`."""

    format: ClassVar[str] = "h5ad"
    what: ClassVar[str] = "HDF5 file"

    def _open_store(self, uri: str, storage_options: StorageOptions) -> Store:
        return open_hdf5(uri, storage_options)


class ZarrDataset(AnnDataDataset):
    """AnnData in a zarr folder or zip archive; see `AnnDataDataset`."""

    format: ClassVar[str] = "zarr"
    what: ClassVar[str] = "zarr store"

    def _open_store(self, uri: str, storage_options: StorageOptions) -> Store:
        return open_zarr(uri, storage_options)


def check_options(key: Any, memory_bytes: Any) -> None:
    """Raise `InvalidOption` or `InvalidValue` for an invalid option."""
    if key is not None and not isinstance(key, str):
        raise InvalidOption(f"key is {key!r}; it must be a path in the store, such as 'mod/rna'.")
    check_memory_bytes(memory_bytes)


def _labels(node: Array) -> list[Any]:
    node.check_plausible()
    return labels_of(element_of(node, node.path))


def _colors(node: Array) -> list[Any]:
    if len(node.shape) == 1:
        return _labels(node)
    node.check_plausible()
    found: list[Any] = node.read().tolist()
    return found if len(node.shape) == 2 else []


def _text_of(node: Node | None) -> str | None:
    """Return a single string; None if the node is not one or cannot be read."""
    if not isinstance(node, Array) or not node.is_text or node.size != 1:
        return None
    try:
        found = node.read().reshape(-1)[0]
    except (InvalidStore, DamagedStore):
        return None
    text = found.decode("utf-8", "replace") if isinstance(found, bytes) else found
    return str(text) if isinstance(text, str) and text else None


def _sizes_below(group: Group) -> dict[str, int]:
    """Return the bytes on disk of each array below a group, by its path; stops after 10,000 nodes."""
    found: dict[str, int] = {}
    seen = 0
    waiting: list[tuple[str, Group, int]] = [("", group, 0)]
    while waiting and seen < _MOST_NODES:
        path, parent, depth = waiting.pop()
        for name in parent.names():
            seen += 1
            try:
                node, below = parent.get(name), f"{path}/{name}" if path else name
                if isinstance(node, Array):
                    found[below] = node.stored_bytes()
                elif isinstance(node, Group) and depth < _DEEPEST:
                    waiting.append((below, node, depth + 1))
            except (InvalidStore, DamagedStore):
                continue
    return dict(sorted(found.items()))
