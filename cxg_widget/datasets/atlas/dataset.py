"""Reads RaggedAtlas, homeobox's format of many datasets, as a `Dataset`; the other modules here are its parts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.arrays import Arrays
from cxg_widget.datasets.atlas.blocks import RowReader
from cxg_widget.datasets.atlas.coordinates import Coordinates, choose_default, supplied, vector_columns
from cxg_widget.datasets.atlas.groups import ZarrGroups
from cxg_widget.datasets.atlas.lance_tables import LanceTable
from cxg_widget.datasets.atlas.snapshot import read_snapshot
from cxg_widget.datasets.atlas.spaces import USUAL, Space, Spaces
from cxg_widget.datasets.atlas.table_columns import AtlasColumns
from cxg_widget.datasets.base.dataset import DEFAULT_CACHE_BYTES, Dataset, Vector
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Values, take_rows
from cxg_widget.errors import InvalidOption, InvalidStore
from cxg_widget.text.nouns import GENE, Noun


class AtlasDataset(Dataset):
    """One snapshot of a RaggedAtlas.

    Parameters
    ----------
    uri : the folder that holds `lance_db`, or `lance_db` itself
    cache_bytes : memory limit of the cache
    version : the number of the snapshot; None = the newest
    zarr_store : the folder of the arrays; None = `zarr_store` next to `lance_db`
    obs_table : the table of observations; required if the snapshot has several
    feature_space : the space whose features are the vars, by its name or its pointer column; None = gene expression,
        else the space with the most features
    coordinates : embeddings to add: numbers (n_obs, 2 or more) in row order; or a mapping or DataFrame of uid to x, y;
        or a dict of name to any of these

    Raises
    ------
    InvalidStore
        If the atlas lacks a required part, or its parts contradict each other.
    DamagedStore
        If a table cannot be read at its pinned version.
    UnknownName
        If there is no such snapshot, table or feature space.
    InvalidOption, InvalidValue
        If an option has a wrong type, does not fit the atlas, or is required and missing.
    """

    format: ClassVar[str] = "atlas"
    alias_columns: ClassVar[tuple[str, ...]] = (*Dataset.alias_columns, "protein_name", "protein", "name")
    _no_embedding: ClassVar[str] = (
        "no 2-D embedding column; pass coordinates=, an array (n_obs, 2) or a mapping or DataFrame of uid to x, y"
    )
    major_axis: Literal["obs", "var"] = "obs"

    def __init__(
        self,
        uri: str,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        version: int | None = None,
        zarr_store: str | os.PathLike[str] | None = None,
        obs_table: str | None = None,
        feature_space: str | None = None,
        coordinates: Any = None,
    ) -> None:
        super().__init__(uri, cache_bytes=cache_bytes)
        _check_types(version, zarr_store, obs_table, feature_space)
        self._folder, parent = _find_tables(uri)
        self.title = parent.name or uri
        self._arrays = Arrays(_find_arrays(uri, parent, zarr_store))
        self._groups = ZarrGroups(self._arrays, self._lifetime)
        self._snapshot = read_snapshot(self._folder, version, uri, self._arrays.meter)
        self._tables: dict[tuple[str, int], LanceTable] = {}
        self._obs_table = self._table(*self._snapshot.choose_obs_table(obs_table, uri))
        self.n_obs = self._obs_table.n_rows
        self._spaces = Spaces(self._table, self._snapshot, self._obs_table, self._groups, self._lifetime)
        self._space = self._spaces.choose(feature_space)
        self._open_var()
        self._open_obs()
        self._open_embeddings(coordinates)

    @property
    def snapshot(self) -> int:
        """The number of the open snapshot."""
        return self._snapshot.version

    def _table(self, name: str, version: int) -> LanceTable:
        if (name, version) not in self._tables:
            self._tables[name, version] = LanceTable(self._folder, name, version, self.uri)
        return self._tables[name, version]

    def _open_var(self) -> None:
        self.var_columns, self.n_var = {}, 0
        if self._space is None or self._space.registry is None:
            self._note("no feature space has a registry and layers, so there are no features to color by.")
            return
        registry = self._space.registry
        self.var_noun = GENE if self._space.pointer.space == USUAL else Noun("feature", "features")
        self._var = AtlasColumns(registry, (), self._lifetime)
        if self._var.index is None:
            raise InvalidStore(f"{self.uri}: registry {registry.name!r} has no column 'uid' of strings.")
        self.var_columns, self.var_index, self.n_var = self._var.columns, self._var.index, registry.n_rows
        self.layers = self._space.layers if len(self._space.layers) > 1 else ()

    def _open_obs(self) -> None:
        self._vectors = vector_columns(self._obs_table.schema)
        hidden = [*self._spaces.hidden, *(vector.column for vector in self._vectors.values())]
        self._obs = AtlasColumns(self._obs_table, hidden, self._lifetime)
        self.obs_columns, self.obs_index = self._obs.columns, self._obs.index

    def _open_embeddings(self, coordinates: Any) -> None:
        self._supplied: dict[str, Coordinates] = supplied(coordinates, self.n_obs)
        if self.obs_index is None and any(one.uids is not None for one in self._supplied.values()):
            raise InvalidOption(f"{self.uri}: obs has no uid; coordinates must be an array in the order of its rows.")
        self._dense: dict[str, tuple[Space, int]] = self._spaces.dense(self._groups)
        found = {name: vector.n_axes for name, vector in self._vectors.items()}
        last = [name for name, (space, _) in self._dense.items() if name not in found and space is not self._space]
        if not (found or last or self._supplied):
            last = list(self._dense)  # with no other embedding, draw the features themselves
        found |= {name: self._dense[name][1] for name in last}
        self.embeddings = found | {name: one.n_axes for name, one in self._supplied.items()}
        self.default_embedding = choose_default(self.embeddings, self._supplied, last)
        if not self.embeddings:
            self._note(f"{self._no_embedding}.")

    # Methods of the `Dataset` contract.

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._read_column(name, rows)

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        return self._read_column(name, (start, stop))

    def _read_column(self, name: str, rows: NDArray[np.int64] | tuple[int, int] | None) -> Values:
        if not self._obs.is_dictionary(name):
            return self._obs.read(name, rows)
        whole = self._cached(("obs", name), lambda: self._obs.read(name))
        return take_rows(whole, slice(*rows) if isinstance(rows, tuple) else rows)

    def _read_var(self, name: str) -> Values:
        return self._var.read(name)

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        space = self._space
        assert space is not None  # without a space there are no vars
        yield from space.matrix.columns([self.var_labels[one] for one in positions], layer or space.layers[0])

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        return self._read_rows(np.arange(start, stop), layer).written_out(self.n_var)

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:
        return self._rows().read(rows, layer or self._space_of_matrix().layers[0])

    def _read_grain(self, layer: str | None) -> Grain:
        return self._rows().grain(layer or self._space_of_matrix().layers[0])

    def _rows(self) -> RowReader:
        features: dict[str, int] = self._read_once("positions of features", self._positions)
        return RowReader(self._space_of_matrix().matrix, features)

    def _space_of_matrix(self) -> Space:
        if self._space is None:
            raise InvalidStore(f"{self.uri}: no feature space has a registry and layers, so there is no matrix.")
        return self._space

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        if name in self._supplied:
            one = self._supplied[name]
            if one.uids is None:
                return one.values[start:stop][:, axes]
            at = self._cached(("rows", name), lambda: one.rows_of(self.obs_names().tolist()))[start:stop]
            found = one.values[at][:, axes]
            found[at < 0] = np.nan
            return found
        if name in self._vectors:
            return self._vectors[name].read(self._obs_table, axes, start, stop)
        space = self._dense[name][0]
        columns = [self._cached(("axis", name, axis), partial(space.axis, axis)) for axis in axes]
        return np.column_stack([column[start:stop] for column in columns])

    def _read_identity(self) -> str:
        """Return a digest of the snapshot and its data files, which have unique names and never change."""
        parts = [repr(self._snapshot), str(self._arrays.root.absolute())]
        parts += [
            repr((name, table.version, sorted(table.files()))) for (name, _), table in sorted(self._tables.items())
        ]
        parts += [one.digest() for one in self._supplied.values()]
        parts += [self._obs_table.name, self._space.pointer.name if self._space else ""]
        return f"{self._folder.absolute()}#{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}"

    def _read_details(self) -> dict[str, Any]:
        space = self._space
        return {
            "version": self._snapshot.version,
            "snapshots": list(self._snapshot.available),
            "created_at": self._snapshot.created_at,
            "obs_table": self._obs_table.name,
            "feature_space": space.pointer.space if space else None,
            "feature_spaces": {one.pointer.space: one.pointer.kind for one in self._spaces.all},
            "layer": space.layers[0] if space else None,
            "layout": space.pointer.kind if space else None,
            "zarr_groups": len(space.matrix.known_layouts) if space else 0,
            "zarr_groups_by_feature": self._n_by_feature(space) if space else 0,
        }

    def _read_sizes(self) -> dict[str, int]:
        found = {f"lance_db/{name}": sum(table.files().values()) for (name, _), table in self._tables.items()}
        for one in self._spaces.all:
            for group in one.matrix.known_layouts:
                found |= self._arrays.sizes(group)
        return found

    def _read_traffic(self) -> Traffic:
        found = self._arrays.meter.so_far
        for table in list(self._tables.values()):
            found = found.with_(table.traffic)
        return found

    def _release(self) -> None:
        self._arrays.close()
        self._tables.clear()

    def _positions(self) -> dict[str, int]:
        labels = list(self.var_labels)
        return {label: position for position, label in reversed(list(enumerate(labels)))}

    def _n_by_feature(self, space: Space) -> int:
        if space.pointer.kind == "dense":
            return 0
        return sum(self._groups.has_csc(group, f"layers/{space.layers[0]}") for group in space.matrix.known_layouts)


def _find_tables(uri: str) -> tuple[Path, Path]:
    """Return the folder of the tables and its parent."""
    if "://" in uri and not uri.startswith("file://"):
        raise InvalidStore(f"{uri}: an atlas opens only from a local folder; copy it to this machine first.")
    path = Path(uri.removeprefix("file://"))
    if (path / "lance_db").is_dir():
        return path / "lance_db", path.absolute()
    if (path / "_feature_layouts.lance").is_dir():
        return path, path.absolute().parent
    raise InvalidStore(f"{uri}: not a RaggedAtlas; no lance_db/.")


def _find_arrays(uri: str, parent: Path, given: str | os.PathLike[str] | None) -> Path:
    path = parent / "zarr_store" if given is None else Path(os.path.expanduser(given))
    if not path.is_dir():
        if given is None:
            raise InvalidStore(f"{uri}: no zarr_store/ next to lance_db/; pass zarr_store=, the folder of the arrays.")
        raise InvalidStore(f"{uri}: zarr_store= is '{path}', which is not a folder.")
    return path


def _check_types(version: object, zarr_store: object, obs_table: object, feature_space: object) -> None:
    if version is not None and (isinstance(version, bool) or not isinstance(version, int)):
        raise InvalidOption(f"version is {version!r}; it must be the number of a snapshot, such as 3.")
    if zarr_store is not None and not isinstance(zarr_store, str | os.PathLike):
        raise InvalidOption(f"zarr_store is {zarr_store!r}; it must be the path of a folder.")
    for name, value in (("obs_table", obs_table), ("feature_space", feature_space)):
        if value is not None and not isinstance(value, str):
            raise InvalidOption(f"{name} is {value!r}; it must be a name.")
