"""Reads CXG, the TileDB-based format of CELLxGENE, as a `Dataset`; the other modules here are its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import tiledb
from numpy.typing import NDArray

from cxg_widget.datasets.base.contract import DEFAULT_CACHE_BYTES, PLACEHOLDER, Table
from cxg_widget.datasets.base.dataset import Dataset, Vector
from cxg_widget.datasets.base.embedding_names import default_embedding
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.sections import Sections, sections_of
from cxg_widget.datasets.base.values import Values, take_rows
from cxg_widget.datasets.cxg.description import describe, measure
from cxg_widget.datasets.cxg.layouts import kind_of
from cxg_widget.datasets.cxg.matrix import CxgMatrix
from cxg_widget.datasets.cxg.metadata import GroupMetadata, libraries_with_factors, read_gene_sets, read_uns
from cxg_widget.datasets.cxg.parts import check_written, find_embeddings, lost_arrays
from cxg_widget.datasets.cxg.table_columns import MISSING_TEXT, CxgColumns
from cxg_widget.datasets.tiledb_access.arrays import Arrays, select, values_of
from cxg_widget.datasets.tiledb_access.contexts import make_context
from cxg_widget.datasets.tiledb_access.listing import absolute, lists_in_one, name_of
from cxg_widget.errors import DamagedStore, DatasetNotFound, InvalidStore
from cxg_widget.text.nouns import GENE_SET

_FIRST = ("cxg_group_metadata", "obs", "var")
_REQUIRED = {"obs": "array", "var": "array", "emb": "group"}


class CxgDataset(Dataset):
    """A CXG of any version and layout.

    Parameters
    ----------
    uri : a directory, or a URI that TileDB reads, such as s3://bucket/name.cxg
    cache_bytes : maximum size of the cache of data that were read
    ctx, config : a TileDB context to read with, or settings for one, such as {"vfs.s3.region": "eu-central-1"}
    storage_options : the same settings under fsspec's names, such as {"key": ..., "secret": ..., "endpoint_url": ...}

    Raises
    ------
    InvalidStore
        If a required part is missing, or the parts contradict each other.
    DamagedStore
        If schemas or metadata cannot be read. Missing data raise it only when they are read.
    StorageError
        If the storage refuses, fails or does not answer in time. Failures are not cached.
    """

    format: ClassVar[str] = "cxg"
    set_noun = GENE_SET
    missing_text: ClassVar[str | None] = MISSING_TEXT
    _holds_text: ClassVar[bool] = True
    _no_embedding: ClassVar[str] = "no usable embedding under emb/"

    def __init__(
        self,
        uri: str,
        *,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        ctx: tiledb.Ctx | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | tiledb.Config | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(uri, cache_bytes=cache_bytes)
        self._arrays = Arrays(absolute(uri), uri, make_context(uri, ctx, config, storage_options))
        self.is_remote = self._arrays.is_remote
        try:
            self._open()
        except BaseException:
            self._arrays.close()
            raise

    @property
    def version(self) -> str:
        """Version that the store declares; "0.0" if it declares none."""
        return self._metadata.version

    def index_name(self, table: Table) -> str | None:
        """Return the stored name of the index; "cell" or "gene" in place of a placeholder such as name_0.

        None if the store has no index, or if a column already has the name that replaces a placeholder.
        """
        is_obs = table == "obs"
        name, columns = (self.obs_index, self.obs_columns) if is_obs else (self.var_index, self.var_columns)
        if not (name and PLACEHOLDER.fullmatch(name)):
            return name
        noun = self.obs_noun.one if is_obs else self.var_noun.one
        return None if noun in columns else noun

    @property
    def uns(self) -> Mapping[str, Any]:
        """Unstructured values of the store, by name; pickled ones are left out with a note.

        Raises
        ------
        DamagedStore
            If they cannot be read.
        """
        return self._read_once("uns", lambda: read_uns(self._arrays, self._children, self._note))

    def _open(self) -> None:
        self._children, members = self._find_parts()
        self._members = list(members)
        missing = [name for name, kind in _REQUIRED.items() if self._children.get(name) != kind]
        if missing:
            raise InvalidStore(f"{self.uri}: not a CXG; missing {', '.join(missing)}.")
        self._arrays.open_ahead(
            [*(name for name in _FIRST if name in self._children), *(f"emb/{name}" for name in members)],
            metadata_of=_FIRST,
        )
        self._metadata = GroupMetadata(self._arrays, self._children, self._note)
        self._obs = CxgColumns(self._arrays, "obs", self._note)
        self._var = CxgColumns(self._arrays, "var", self._note)
        self.n_obs, self.n_var = self._obs.n, self._var.n
        if not self.is_remote:
            for path in lost_arrays(self._arrays, self._children, members):
                self._note(f"{path} is left out: it is not a TileDB array, because its schema is missing.")
            for path, n_rows in (("obs", self.n_obs), ("var", self.n_var)):
                check_written(self._arrays, path, n_rows)
        self.obs_columns, self.obs_index = self._obs.columns, self._obs.index
        self.var_columns, self.var_index = self._var.columns, self._var.index
        self.title = self._metadata.title or name_of(self.uri)
        self._matrix = CxgMatrix(
            self._arrays, self._children, (self.n_obs, self.n_var), self._note, self._lifetime.cache
        )
        self.major_axis = self._matrix.axis
        if self._matrix.problem is not None:
            self._note(str(self._matrix.problem))
        self.embeddings, self._unusable = find_embeddings(self._arrays, members, self.n_obs)
        for problem in self._unusable.values():
            self._note(problem)
        if not self.embeddings:
            self._note(f"{self._no_embedding}, so there is nothing to draw.")
        named = default_embedding(self.embeddings, self._metadata.default_embedding)
        self.default_embedding = named or next(iter(self.embeddings), None)

    def _find_parts(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the parts of the store, and its embeddings."""
        if self.is_remote:
            children, members = self._arrays.children("", "emb", kind_of=kind_of)
            if not children:
                raise DatasetNotFound(f"'{self.uri}': there is no store of this name; check the path.")
            return children, members
        children = self._arrays.children("", kind_of=kind_of)[0]
        return children, self._arrays.children("emb", kind_of=kind_of)[0] if children.get("emb") == "group" else {}

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        if rows is None and self._packs(name):
            return self._arrays.packed_strings("obs", name)
        if rows is not None and self._obs.known_by_value(name):
            return take_rows(self._obs_part.whole(name), rows)
        return self._obs.read(name, rows)

    def _read_obs_alone(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        return self._obs.read_alone(name, rows) if self._obs.known_by_value(name) else self._obs.read(name, rows)

    def _packs(self, name: str) -> bool:
        return name in self._obs.texts

    def _read_var(self, name: str) -> Values:
        return self._arrays.packed_strings("var", name) if name in self._var.texts else self._var.read(name)

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        if self._packs(name) and stop > start:
            return self._arrays.packed_strings("obs", name, (start, stop))
        return self._obs.read_block(name, start, stop)

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        path = f"emb/{name}"
        name = self._arrays.schema(path).attr(0).name
        array = self._arrays.array(path, name)
        if start == stop:
            return np.empty((0, 2))

        def read() -> NDArray[Any]:
            query = array.query(attrs=select(array, name))
            if axes == (0, 1):
                return values_of(query[start:stop, 0:2])
            return np.column_stack([values_of(query[start:stop, axis]) for axis in axes])

        return self._arrays.read(array, path, read)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:
        found = self._matrix.block(position, start, stop)
        return super()._read_vector_block(position, layer, start, stop) if found is None else found

    def _prepare_vectors(self) -> None:
        if self.is_remote and self.n_var:
            with self._reading():
                self._matrix.prepare()

    def _read_vector(self, position: int, layer: str | None) -> Vector:  # noqa: ARG002 - a CXG has no layers
        return self._matrix.vector(position)

    def _read_vectors(self, positions: Sequence[int], layer: str | None) -> Iterator[Vector]:
        if len(positions) > 1 and self.n_obs and self._matrix.is_by_row:
            return self._matrix.several(positions, 0, self.n_obs)
        return super()._read_vectors(positions, layer)

    def _read_vectors_block(
        self, positions: Sequence[int], layer: str | None, start: int, stop: int
    ) -> Iterator[Vector]:
        if len(positions) > 1 and start < stop and self._matrix.is_by_row:
            return self._matrix.several(positions, start, stop)
        return super()._read_vectors_block(positions, layer, start, stop)

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:  # noqa: ARG002 - no layers
        return self._matrix.lines(start, stop)

    def _read_grain(self, layer: str | None) -> Grain:  # noqa: ARG002 - no layers
        return self._matrix.grain()

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:  # noqa: ARG002
        return self._matrix.rows(rows)

    def _read_columns(
        self,
        positions: NDArray[np.int64],
        rows: NDArray[np.int64] | None,
        layer: str | None,  # noqa: ARG002
    ) -> MatrixBlock:
        return self._matrix.columns(positions, rows)

    def _read_details(self) -> dict[str, Any]:
        return describe(self._children, self._metadata, self._matrix)

    def _read_sizes(self) -> dict[str, int]:
        return measure(self._arrays, self._children, self._members)

    def _category_colors(self, column: str) -> dict[str, str]:
        tables: Mapping[str, dict[str, str]] = self._read_once("colors", self._metadata.colors)
        return tables.get(column) or tables.get(f"{column}_colors") or {}

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        return read_gene_sets(self._arrays, self._note)

    def _read_sections(self) -> Sections:
        """Return the width of spots, from the scale factors in `uns`; a CXG has no image."""
        try:
            spatial = self.uns.get("spatial")
        except DamagedStore as error:
            self._note(str(error))
            return Sections()
        return sections_of(libraries_with_factors(spatial))

    def _read_identity(self) -> str:
        if self.is_remote and not lists_in_one(self.uri):
            return super()._read_identity()
        arrays = [name for name, kind in self._children.items() if kind == "array"]
        return self._arrays.state([*arrays, *(f"emb/{name}" for name in self._members)])

    @property
    def reads_ahead(self) -> bool:
        """Whether TileDB may combine several reads into one request."""
        return self._arrays.reads_ahead

    def _read_traffic(self) -> Traffic:
        return self._arrays.traffic()

    def _release(self) -> None:
        self._arrays.close()
