"""`Dataset`: the interface for users, made of the contract of a store and of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, Self

from cxg_widget.compute.memory import delegate
from cxg_widget.compute.shared import SharedValues
from cxg_widget.datasets.base.column_pairs import ColumnPairs
from cxg_widget.datasets.base.contract import DEFAULT_CACHE_BYTES, Contract
from cxg_widget.datasets.base.embeddings import Embeddings
from cxg_widget.datasets.base.lifetime import Lifetime, Traffic
from cxg_widget.datasets.base.obs_columns import MAX_LABELS, ObsColumns
from cxg_widget.datasets.base.rows import Rows
from cxg_widget.datasets.base.sections import SectionImages
from cxg_widget.datasets.base.tables import Tables
from cxg_widget.datasets.base.values import Codes, Column, Kind, Vector
from cxg_widget.datasets.base.var_names import VarNames
from cxg_widget.datasets.base.vectors import Vectors
from cxg_widget.errors import InvalidOption

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

__all__ = ["DEFAULT_CACHE_BYTES", "MAX_LABELS", "Codes", "Column", "Dataset", "Kind", "Vector"]


class Dataset(Contract):
    """A store of annotated data. Opening reads schema and metadata; each method reads only what it returns.

    Several threads may read one dataset at once, and any of them may call `close`: running reads end normally, the last
    one releases the files, and later calls raise `ClosedDataset`. Its attributes are those of `Contract`.

    Examples
    --------
    >>> dataset = open_dataset(demo())
    >>> list(dataset.obs_columns)[:3]
    ['cell_type', 'leiden', 'donor']
    >>> dataset.n_obs == len(dataset.values("CD3E"))
    True
    """

    def __init__(self, uri: str, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        super().__init__(uri, cache_bytes=cache_bytes)
        self._shared = SharedValues()
        self._make_obs_parts()
        self._var_part = VarNames(self)
        self._matrix_part = Vectors(self, self.names_in)
        self._row_part = Rows(self)
        self._section_part = SectionImages(self)

    def _make_obs_parts(self) -> None:
        self._obs_part = ObsColumns(self)
        self._table_part = Tables(self, self._obs_part)
        pairs = ColumnPairs(self, self._obs_part, lambda: self._matrix_part, self.names_in)
        self._embedding_part = Embeddings(self, self._obs_part, pairs)

    def with_own_columns(self) -> Self:
        """Return a copy of this open dataset that can have columns of its own.

        Both share their cache and are closed together.
        """
        # A shallow copy: lifetime, cache, shared values, names and matrix are shared.
        found = object.__new__(type(self))
        vars(found).update(vars(self))
        found._make_obs_parts()
        found._obs_part.own = self._obs_part.own
        found.put_columns({})
        return found

    # Tables and obs columns.

    obs = delegate("_table_part", Tables.obs)
    var = delegate("_table_part", Tables.var)

    def frame(self, rows: NDArray[np.int64], columns: Sequence[str] | str | None = None) -> Any:
        """Return obs of some rows in the type of the store's source, by default a DataFrame, as `obs`."""
        with self._reading():
            found = self._read_frame(rows, columns)
        return self.obs(columns, rows) if found is None else found

    obs_names = delegate("_table_part", Tables.obs_names)
    obs_record = delegate("_table_part", Tables.obs_record)

    codes = delegate("_obs_part", ObsColumns.codes)
    numbers = delegate("_obs_part", ObsColumns.numbers)
    codes_block = delegate("_obs_part", ObsColumns.codes_block)
    numbers_block = delegate("_obs_part", ObsColumns.numbers_block)
    values_block = delegate("_obs_part", ObsColumns.values_block)
    hold = delegate("_obs_part", ObsColumns.hold)
    is_constant = delegate("_obs_part", ObsColumns.is_constant)
    stated_values = delegate("_obs_part", ObsColumns.stated_values)
    put_columns = delegate("_obs_part", ObsColumns.put_columns)

    @property
    def own_columns(self) -> Mapping[str, Codes]:
        """Obs columns of annotations, which are not in the store, by name."""
        return MappingProxyType(self._obs_part.own)

    def category_colors(self, column: str) -> dict[str, str]:
        """Return the colors that the store states for an obs column, {label: "#rrggbb"}; empty if it states none.

        Examples
        --------
        >>> "NK cell" in dataset.category_colors("cell_type")
        True
        """
        self._obs_part.kind(column)
        with self._reading():
            return {} if column in self._obs_part.own else dict(self._category_colors(column))

    # Tissue images.

    sections = delegate("_section_part", SectionImages.sections)
    spot_widths = delegate("_section_part", SectionImages.spot_widths)
    section_image = delegate("_section_part", SectionImages.section_image)
    find_image = delegate("_section_part", SectionImages.find_image)

    # Names of vars.

    find_var = delegate("_var_part", VarNames.find_var)
    read_names = delegate("_var_part", VarNames.read_names)
    derived_vars = delegate("_var_part", VarNames.derived_vars)
    explain_name = delegate("_var_part", VarNames.explain_name)

    @property
    def var_labels(self) -> Sequence[str]:
        """The var index (n_var,) as strings; positions if the store has no index.

        Examples
        --------
        >>> len(dataset.var_labels) == dataset.n_var
        True
        """
        return self._var_part.var_labels

    @property
    def var_names(self) -> pd.Index:
        """The var index (n_var,) as a pandas Index.

        Examples
        --------
        >>> dataset.var_names[:2].tolist()
        ['SYNG00000000001', 'SYNG00000000002']
        """
        import pandas as pd

        return pd.Index(list(self.var_labels), name=self.index_name("var"))

    @property
    def var_aliases(self) -> Sequence[str] | None:
        """Readable names (n_var,), such as gene symbols; None if they equal the var index.

        Examples
        --------
        >>> "CD3E" in dataset.var_aliases
        True
        """
        return self._var_part.var_aliases

    @property
    def gene_sets(self) -> Mapping[str, tuple[str, ...]]:
        """Gene sets of the store, {name: var names}.

        Examples
        --------
        >>> list(dataset.gene_sets)[:2]
        ['T cell markers', 'B cell markers']
        """
        return self._read_once("gene_sets", self._read_gene_sets)

    def names_in(self, layer: str | None) -> VarNames:  # noqa: ARG002 - for stores whose layers have vars of their own
        """Return the index of the vars of a layer (None = X).

        Examples
        --------
        >>> names = dataset.names_in(None)
        >>> names.var_labels == dataset.var_labels
        True
        """
        return self._var_part

    # The matrix.

    vector = delegate("_matrix_part", Vectors.vector)
    vectors = delegate("_matrix_part", Vectors.vectors)
    values = delegate("_matrix_part", Vectors.values)
    vector_block = delegate("_matrix_part", Vectors.vector_block)
    vectors_block = delegate("_matrix_part", Vectors.vectors_block)
    matrix_block = delegate("_matrix_part", Vectors.matrix_block)
    rows_of = delegate("_row_part", Rows.rows_of)
    columns_of = delegate("_row_part", Rows.columns_of)
    gather = delegate("_row_part", Rows.gather)
    plan = delegate("_row_part", Rows.plan)

    # Embeddings, and what the store states about them.

    embedding = delegate("_embedding_part", Embeddings.embedding)
    embedding_block = delegate("_embedding_part", Embeddings.embedding_block)
    axis_labels = delegate("_embedding_part", Embeddings.axis_labels)
    axis_names = delegate("_embedding_part", Embeddings.axis_names)
    find_embedding = delegate("_embedding_part", Embeddings.find_embedding)
    describe_embedding = delegate("_embedding_part", Embeddings.describe_embedding)
    n_axes = delegate("_embedding_part", Embeddings.n_axes)
    check_axes = delegate("_embedding_part", Embeddings.check_axes)

    viewport = delegate("_embedding_part", Embeddings.viewport)
    stated_extent = delegate("_embedding_part", Embeddings.stated_extent)
    embedding_with = delegate("_embedding_part", Embeddings.embedding_with)

    # The store.

    close = delegate("_lifetime", Lifetime.close)
    tell_progress_to = delegate("_lifetime", Lifetime.tell_progress_to)

    @property
    def closed(self) -> bool:
        """Whether `close` was called.

        Examples
        --------
        >>> dataset.closed
        False
        """
        return self._lifetime.closed

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on everything that was skipped, ignored or found damaged so far.

        Examples
        --------
        >>> dataset.notes
        ()
        """
        return tuple(self._lifetime.notes)

    @property
    def details(self) -> Mapping[str, Any]:
        """Further details of this store, such as its version and layout, as JSON.

        Examples
        --------
        >>> "schema_version" in dataset.details
        True
        """
        with self._reading():
            return self._read_details()

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes on disk of each array, by its path in the store; empty if unknown.

        Examples
        --------
        >>> sum(dataset.sizes.values()) > 100_000
        True
        """
        with self._reading():
            return self._read_sizes()

    @property
    def traffic(self) -> Traffic | None:
        """Bytes and reads of the store since it was opened; None if they are not counted.

        Examples
        --------
        >>> before = dataset.traffic
        >>> values = dataset.values("GNLY")
        >>> dataset.traffic.since(before).n_reads > 0
        True
        """
        with self._reading():
            return self._read_traffic()

    @property
    def identity(self) -> str:
        """Key of the state of this store, fast to get, for caches of derived values.

        It changes after a write. A store that cannot detect writes gets a new key each time it is opened.

        Examples
        --------
        >>> open_dataset(dataset.uri).identity == dataset.identity
        True
        """
        return self._read_once("identity", self._read_identity)

    @property
    def obs_identity(self) -> str:
        """Key of these cells in their order; row numbers are only valid with the same key.

        A store with names of cells keeps it when other columns change, but reads the names at the first access; for
        other stores it is `identity`.

        Examples
        --------
        >>> open_dataset(dataset.uri).obs_identity == dataset.obs_identity
        True
        """
        return self._read_once("obs_identity", self._read_obs_identity) or self.identity

    @property
    def content_identity(self) -> str:
        """Key of the data that stays valid between sessions: `identity`, or a digest of an object in memory.

        The digest stays the same for the same cells in the same order with the same embeddings.
        """
        return self._read_once("content_identity", self._read_content_identity) or self.identity

    def has_rows_of(self, n_obs: int, identity: str) -> bool:
        """Return whether packed rows of `n_obs` cells with an identity belong to this dataset.

        `identity` is accepted too, for rows that were packed before cells were identified by their names.
        """
        if n_obs != self.n_obs or identity == self.identity:
            return n_obs == self.n_obs
        return identity == self.obs_identity  # may read the names

    def is_open_as(self, other: Dataset) -> bool:
        """Return whether both are the same dataset, opened once, so that data read by one are valid for both."""
        return other._lifetime is self._lifetime

    def __reduce__(self) -> NoReturn:
        # Its files, threads and locks belong to this process.
        raise InvalidOption(
            f"an open dataset cannot be pickled or copied; pass its source ({self.uri}) to the other process, "
            "and call open_dataset() there."
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        shape = f"{self.n_obs:,} obs x {self.n_var:,} var, {len(self.obs_columns)} obs columns"
        shown = ", ".join(self.embeddings) or "no embeddings"
        return f"<{type(self).__name__} {self.title!r}: {shape}, {shown}{' (closed)' if self.closed else ''}>"
