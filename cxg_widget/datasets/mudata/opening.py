"""Opens MuData from a file, a folder or memory: all modalities, or one of them by `key`."""
# Changes with cxg_widget/datasets/anndata/memory.py: options of AnnData.

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.anndata.dataset import H5adDataset, ZarrDataset
from cxg_widget.datasets.anndata.memory import AnnDataInMemory
from cxg_widget.datasets.anndata.node import Array, Group, Store
from cxg_widget.datasets.anndata.open_stores import StorageOptions, open_hdf5
from cxg_widget.datasets.anndata.open_stores import open_zarr as open_zarr_store
from cxg_widget.datasets.anndata.parts import is_anndata
from cxg_widget.datasets.anndata.with_matrices import WithMatrices
from cxg_widget.datasets.base.contract import DEFAULT_CACHE_BYTES
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.base.matrix_block import DEFAULT_MEMORY_BYTES, check_memory_bytes, size_of
from cxg_widget.datasets.mudata.dataset import MuDataset
from cxg_widget.errors import DamagedStore, InvalidOption, InvalidStore, UnknownName
from cxg_widget.text.names import not_found

_IN_MEMORY = "MuData in memory"
_SHARED = {1: "genes", -1: "cells and genes"}


def open_h5mu(uri: str, *, key: str | None = None, **options: Any) -> Dataset:
    """Open an .h5mu file, or one modality of it as AnnData."""
    return H5MuDataset(uri, **options) if key is None else H5adDataset(uri, key=key, **options)


def open_zarr(uri: str, *, key: str | None = None, **options: Any) -> Dataset:
    """Open MuData in zarr, or one modality of it as AnnData."""
    return ZarrMuDataset(uri, **options) if key is None else ZarrDataset(uri, key=key, **options)


def open_object(source: Any, *, key: str | None = None, **options: Any) -> Dataset:
    """Open a MuData object, or one modality of it."""
    if key is None:
        return MuDataInMemory(source, **options)
    name = key.removeprefix("mod/") if isinstance(key, str) else key
    if name not in source.mod:
        raise UnknownName(not_found("part", key, list(source.mod), "this MuData"))
    return AnnDataInMemory(source.mod[name], **options)


class _Part(H5adDataset):
    """AnnData in an HDF5 or zarr store that another dataset has opened."""

    def __init__(self, of: StoredMuDataset, key: str | None, group: Group) -> None:
        # Skip `H5adDataset.__init__`, which would open the store.
        Dataset.__init__(self, f"{of.uri}#{key}" if key else of.uri, cache_bytes=0)
        self._path, self._key, self._store, self._budget = of.path, key, of.store, of.budget
        self.is_remote = of.is_remote
        self._open(group)

    def _release(self) -> None:
        """Do nothing: the dataset that opened the store closes it."""


class StoredMuDataset(MuDataset):
    """MuData on disk.

    Parameters
    ----------
    uri : a path
    cache_bytes : memory limit of the cache
    memory_bytes : memory limit of matrices stored by cell, sorted by gene, of all modalities together (3.2 GiB)
    storage_options : options of a remote store, see `storage.options.translate`

    Attributes
    ----------
    path, store : the store that the parts read
    budget : the memory that the parts share, of `memory_bytes`

    Raises
    ------
    InvalidStore
        If the modalities do not share their cells, or none of them is readable AnnData.
    DamagedStore
        If the structure of the store cannot be read.
    """

    def __init__(
        self,
        uri: str,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        memory_bytes: int = DEFAULT_MEMORY_BYTES,
        storage_options: StorageOptions = None,
    ) -> None:
        super().__init__(uri, cache_bytes=cache_bytes)
        check_memory_bytes(memory_bytes)
        self.is_remote = is_remote(uri)
        self.path = uri.removeprefix("file://")
        self.budget = ByteCache(memory_bytes, size_of)
        self.store = self._open_store(uri, storage_options)
        try:
            self._open()
        except BaseException:
            self.store.close()
            raise

    @abstractmethod
    def _open_store(self, uri: str, storage_options: StorageOptions) -> Store:
        """Open the file or folder."""

    def _open(self) -> None:
        root = self.store.root
        found = self._modalities(root)
        check_axis(root.attrs.get("axis", 0), self.uri, list(found))
        whole = _Part(self, None, root)
        parts: dict[str, WithMatrices] = {}
        for name, group in found.items():
            try:
                parts[name] = _Part(self, name, group)
            except (InvalidStore, DamagedStore) as error:
                self._note(f"modality {name!r} is left out: {error}")
        if not parts:
            raise InvalidStore(f"'{self.uri}': MuData without a readable modality.")
        var_map = partial(self._map, "varmap") if isinstance(root.get("varmap"), Group) else None
        self._join(whole, parts, partial(self._obs_map, whole, parts), var_map)

    def _modalities(self, root: Group) -> dict[str, Group]:
        """Return the groups of the modalities, in the order of `mod-order`; notes those that are not AnnData."""
        mod = root.get("mod")
        if not isinstance(mod, Group):
            raise InvalidStore(f"'{self.uri}': MuData without the group 'mod' of its modalities.")
        stated, known = mod.attrs.get("mod-order"), mod.names()
        order = [str(name) for name in np.asarray(stated if stated is not None else []).reshape(-1).tolist()]
        found: dict[str, Group] = {}
        for name in [*(one for one in order if one in known), *(one for one in known if one not in order)]:
            group = mod.get(name)
            if isinstance(group, Group) and is_anndata(group):
                found[name] = group
            else:
                self._note(f"modality {name!r} is left out: it is not AnnData.")
        return found

    def _obs_map(self, whole: Dataset, parts: Mapping[str, Dataset], name: str) -> NDArray[Any]:
        if self.store.root.get("obsmap") is None:
            return _by_names(whole, parts[name])
        return self._map("obsmap", name)

    def _map(self, table: str, name: str) -> NDArray[Any]:
        node = self.store.root.get(f"{table}/{name}")
        if not isinstance(node, Array) or node.dtype.kind not in "iu":
            raise InvalidStore(f"{self.uri}: {table}/{name} is missing or not an array of integers.")
        node.check_plausible()
        return node.read()

    def _read_identity(self) -> str:
        return self.store.state()

    def _read_obs_identity(self) -> str | None:
        return self._whole._read_obs_identity()

    def _read_sizes(self) -> dict[str, int]:
        return self._whole._read_sizes()

    def _read_traffic(self) -> Traffic:
        return self.store.traffic

    def _release(self) -> None:
        super()._release()
        self.budget.clear()
        self.store.close()


class H5MuDataset(StoredMuDataset):
    """MuData in an HDF5 file; see `StoredMuDataset`."""

    format: ClassVar[str] = "h5mu"

    def _open_store(self, uri: str, storage_options: StorageOptions) -> Store:
        return open_hdf5(uri, storage_options)


class ZarrMuDataset(StoredMuDataset):
    """MuData in a zarr folder or zip archive; see `StoredMuDataset`."""

    format: ClassVar[str] = "zarr-mudata"

    def _open_store(self, uri: str, storage_options: StorageOptions) -> Store:
        return open_zarr_store(uri, storage_options)


class MuDataInMemory(MuDataset):
    """A MuData object, or any object with mod, obs, var, obsm, obsmap and varmap.

    Parameters
    ----------
    source : the object, which is neither changed nor copied
    cache_bytes, memory_bytes : as in `AnnDataInMemory`

    Raises
    ------
    InvalidStore
        If the modalities do not share their cells.
    InvalidOption
        If no modality is AnnData, or its tables are not DataFrames.
    """

    format: ClassVar[str] = "mudata"

    def __init__(self, source: Any, *, cache_bytes: int = DEFAULT_CACHE_BYTES, memory_bytes: int = 0) -> None:
        super().__init__(_IN_MEMORY, cache_bytes=cache_bytes)
        check_axis(getattr(source, "axis", 0), _IN_MEMORY, list(source.mod))
        uns = getattr(source, "uns", None)
        level = SimpleNamespace(obs=source.obs, var=source.var, obsm=source.obsm, uns=uns, X=None, layers={}, raw=None)
        whole = AnnDataInMemory(level, cache_bytes=0)
        whole.title = whole.title if whole.title != whole.uri else _IN_MEMORY
        parts: dict[str, WithMatrices] = {}
        for name, part in source.mod.items():
            if hasattr(part, "mod"):
                self._note(f"modality {name!r} is left out: it is not AnnData.")
            else:
                parts[str(name)] = AnnDataInMemory(part, cache_bytes=0, memory_bytes=memory_bytes)
        if not parts:
            raise InvalidOption(
                "this MuData has no modality that is AnnData; open_dataset(mdata.mod['rna']) opens one."
            )
        self._join(whole, parts, source.obsmap.__getitem__, source.varmap.__getitem__)

    def _read_obs_identity(self) -> str | None:
        return self._whole._read_obs_identity()

    def _read_content_identity(self) -> str | None:
        return self._whole._read_content_identity()

    def _read_traffic(self) -> Traffic | None:
        every = [part._read_traffic() for part in self._parts.values()]
        return None if None in every else Traffic()


def check_axis(axis: Any, uri: str, names: list[str]) -> None:
    """Raise `InvalidStore` if the modalities share genes, by the axis of the MuData."""
    shared = next((what for number, what in _SHARED.items() if np.array_equal(axis, number)), None)
    if shared is not None:
        path = "mdata" if uri == _IN_MEMORY else f"'{uri}'"
        raise InvalidStore(
            f"{uri}: its modalities share {shared} (axis={axis}), not only cells, so they cannot form one dataset. "
            f"Open one: open_dataset({path}, key={names[0]!r}), or {', '.join(map(repr, names[1:])) or 'no other'}."
        )


def _by_names(whole: Dataset, part: Dataset) -> NDArray[Any]:
    """Return the map of a modality by the names of its cells; older stores have no maps."""
    place = {name: number for number, name in enumerate(part.obs_names().tolist(), 1)}
    return np.array([place.get(name, 0) for name in whole.obs_names().tolist()], dtype=np.int64)
