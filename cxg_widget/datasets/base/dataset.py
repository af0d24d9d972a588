"""The contract every store fulfils: what a dataset is, and what reading from it returns.

A store subclasses `Dataset`, fills the attributes and implements the `_read_*` methods and `_release`. Names, errors,
pandas, caching and closing are handled here, once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal
from uuid import uuid4
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cxg_widget.datasets.base.by_view import ByView, RowsInView, ends_of
from cxg_widget.datasets.base.columns import as_names, as_rows, as_scalar, as_strings
from cxg_widget.datasets.base.embeddings import Embeddings
from cxg_widget.datasets.base.matrix_block import MatrixBlock, stack
from cxg_widget.datasets.base.obs_columns import MAX_LABELS, ObsColumns
from cxg_widget.datasets.base.tables import read_table
from cxg_widget.datasets.base.values import (
    Codes,
    Column,
    Kind,
    Values,
    Vector,
    as_plain,
)
from cxg_widget.datasets.base.var_names import Table, VarNames
from cxg_widget.datasets.base.vectors import Vectors
from cxg_widget.errors import DamagedStore, InvalidValue
from cxg_widget.text.nouns import CELL, Noun

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.spatial.view import Extent

DEFAULT_CACHE_BYTES = 256 * 2**20
LEFT_OUT, UNNAMED = "is left out", "cannot be read, so that the rows are called by their positions"

__all__ = ["DEFAULT_CACHE_BYTES", "MAX_LABELS", "Codes", "Column", "Dataset", "Kind", "Vector"]


class Dataset(ObsColumns, Vectors, Embeddings):
    """A store of annotated data, opened lazily: creating one reads schema and metadata, each method what it returns.

    Several threads may read one dataset at once. `close` may come from any of them: reads under way end normally, the
    last one releases the files, and everything after raises `ClosedDataset`.

    Attributes
    ----------
    uri : where the store is, as it was given
    title : the store's own title, else the last part of its path
    n_obs, n_var : the shape
    obs_columns, var_columns : the columns in the store's order, without the index columns
    obs_index, var_index : the name of the index column, None where the store has none
    embeddings : name to number of axes, at least 2
    default_embedding : the embedding to show first, None where there is none
    default_color : what to colour by where nobody says, as "obs:NAME" or "var:NAME"; None = nothing
    obs_noun, var_noun, set_noun : what the observations, the vars and sets of vars are called; None = there are no sets
    layers : names of alternatives to the main matrix
    by_view : what the store tells of an embedding before all of it is read; None = nothing
    major_axis : along which the store reads neighbouring lines of the matrix fast
    """

    format: ClassVar[str]

    uri: str
    major_axis: Literal["obs", "var"] = "var"
    default_color: str | None = None
    obs_noun: Noun = CELL
    set_noun: Noun | None = None
    by_view: ByView | None = None

    def __init__(self, uri: str, *, cache_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        super().__init__(cache_bytes)
        self.uri = uri
        self.title = uri.rstrip("/").rpartition("/")[2]

    # What a store implements.

    def _category_colors(self, column: str) -> dict[str, str]:  # noqa: ARG002
        return {}

    def _read_identity(self) -> str:
        return f"{self.uri}#{uuid4().hex}"

    def _ahead(self, read: Callable[[str], Values], names: Sequence[str]) -> Callable[[str], Values]:  # noqa: ARG002
        """Return a function like `read` for columns that will all be asked for; it may have read them side by side."""
        return read

    def _read_gene_sets(self) -> dict[str, tuple[str, ...]]:
        return {}

    def _read_matrix_block(self, start: int, stop: int, layer: str | None) -> MatrixBlock:
        """Read lines along `major_axis`; a store whose axis is "obs" implements this."""
        return stack([self._read_vector(position, layer) for position in range(start, stop)], self.n_obs)

    def _read_details(self) -> dict[str, Any]:
        return {}

    def _read_sizes(self) -> dict[str, int]:
        return {}

    # Obs and var.

    def index_name(self, table: Table) -> str | None:
        """Return what the index of the DataFrame of obs or var is called; None where it has no name."""
        return self.obs_index if table == "obs" else super().index_name(table)

    def obs(
        self, columns: str | Sequence[str] | None = None, rows: ArrayLike | None = None, *, index: bool = True
    ) -> pd.DataFrame:
        """Return obs columns as a DataFrame indexed by the obs index, by positions where that cannot be read.

        Parameters
        ----------
        columns : names, the index column among them if wanted; None = all columns, where one that cannot be read is
            left out with a warning
        rows : integer positions (k,) or bool mask (n_obs,); None = all
        index : False leaves the obs index unread; rows are then called by their positions

        Returns
        -------
        DataFrame with k rows in the order of `rows`; categoricals with the store's order of categories, missing = NaN

        Raises
        ------
        UnknownName
            If there is no such column.
        SelectionError
            If `rows` is neither a mask nor positions in range.
        InvalidStore, DamagedStore
            If a column that was asked for by name cannot be read.
        """
        with self._reading():
            picked = as_rows(rows, self.n_obs)
            names = self._checked(columns)
            wanted = list(self.obs_columns) if names is None else names
            label = self.obs_index if index else None
            return read_table(
                self._ahead(partial(self._obs_values, rows=picked), [*wanted, *([label] if label else [])]),
                wanted,
                label,
                range(self.n_obs) if picked is None else picked,
                left_out=partial(self._tell, what="obs column", instead=LEFT_OUT) if names is None else None,
                unnamed=partial(self._tell, what="obs index", instead=UNNAMED),
                called=self.index_name("obs") if index else None,
            )

    def var(self) -> pd.DataFrame:
        """Return all var columns as a DataFrame indexed by the var index; one that cannot be read is left out."""
        with self._reading():
            return read_table(
                self._read_var,
                self.var_columns,
                self.var_index,
                range(self.n_var),
                left_out=partial(self._tell, what="var column", instead=LEFT_OUT),
                unnamed=partial(self._tell, what="var index", instead=UNNAMED),
                called=self.index_name("var"),
            )

    def obs_names(self, rows: ArrayLike | None = None) -> NDArray[np.object_]:
        """Return the obs index as objects of str, in the order of `rows`; positions where the store has no index."""
        with self._reading():
            picked = as_rows(rows, self.n_obs)
            if self.obs_index is not None:
                names = as_plain(self._obs_values(self.obs_index, picked))
                return names if self._kind(self.obs_index) == "string" else as_strings(names)
            return as_strings(range(self.n_obs) if picked is None else picked.tolist())

    def obs_record(self, row: int, columns: Sequence[str] | None = None) -> dict[str, Any]:
        """Return the values of one row as Python scalars, None where missing; only this row is read."""
        with self._reading():
            picked = as_rows([row], self.n_obs)
            names = self._checked(columns)
            wanted = names or list(self.obs_columns)
            read = self._ahead(partial(self._row_values, rows=picked), wanted)
            found = {name: as_plain(read(name)) for name in wanted}
            return {name: as_scalar(values[0]) for name, values in found.items()}

    # The matrix.

    def matrix_block(self, start: int, stop: int, layer: str | None = None) -> MatrixBlock:
        """Return neighbouring lines of the matrix: rows or columns, as `major_axis` says; not kept in the cache.

        Raises
        ------
        UnknownName
            If there is no such layer.
        InvalidValue
            If there are no such lines.
        InvalidStore, DamagedStore
            If the store has no matrix, or it cannot be read.
        """
        n = self.n_obs if self.major_axis == "obs" else self.n_var
        if not 0 <= start <= stop <= n:
            raise InvalidValue(f"{self.major_axis} {start} to {stop} are no block of this dataset, which has {n:,}.")
        self._check_layer(layer)
        with self._reading():
            block = self._read_matrix_block(start, stop, layer)
        if not block.holds(stop - start, self.n_var if self.major_axis == "obs" else self.n_obs):
            lines = f"{self.major_axis} {start} to {stop} of {'the matrix' if layer is None else layer}"
            raise DamagedStore(f"{self.uri}: {lines} name cells that do not exist; the files are damaged.")
        return block

    def names_in(self, layer: str | None) -> VarNames:  # noqa: ARG002 - for stores whose layers have vars of their own
        """Return what knows the vars of a layer (None = X): this dataset, unless the layer has vars of its own."""
        return self

    # What is known before all is read.

    def viewport(
        self,
        xlim: tuple[float, float],
        ylim: tuple[float, float],
        *,
        embedding: str | None = None,
        axes: tuple[int, int] = (0, 1),
        limit: int | None = None,
    ) -> RowsInView | None:
        """Return the rows of a view; only parts of the store are read that may hold some of them.

        Parameters
        ----------
        xlim, ylim : ends in data units, in any order, both included
        embedding, axes : as in `embedding`
        limit : how many rows may be decoded for it

        Returns
        -------
        None where the store has no bounds to go by, or where these say that more than `limit` rows would be decoded

        Raises
        ------
        InvalidValue
            If a limit is no number.
        UnknownName, InvalidStore, DamagedStore
            As `embedding`.
        """
        with self._reading():
            view = (*ends_of("xlim", xlim), *ends_of("ylim", ylim))
            place = self._place(embedding, axes)
            return None if self.by_view is None else self.by_view.rows(*place, view, limit)

    def stated_extent(self, name: str | None = None, axes: tuple[int, int] = (0, 1)) -> Extent | None:
        """Return within which bounds the rows lie as float32, by what the store states; None where it does not."""
        with self._reading():
            place = self._place(name, axes)
            return None if self.by_view is None else self.by_view.extent(*place)

    def stated_values(self, column: str) -> Codes | tuple[float, float] | None:
        """Return what an obs column can hold, by what the store states: no code of all categories, or least and most.

        None where the store does not state it. All finite values lie between the two, and are as far apart.
        """
        self._kind(column)
        with self._reading():
            return None if self.by_view is None else self.by_view.values(column)

    def embedding_with(
        self, column: str, name: str | None = None, axes: tuple[int, int] = (0, 1)
    ) -> tuple[NDArray[np.float32], Values] | None:
        """Return an embedding, float32 (n_obs, 2), and a whole obs column that are read in one pass.

        None where the store gains nothing by that; errors as `embedding`. Neither is kept in the cache.
        """
        self._kind(column)
        with self._reading():
            place = self._place(name, axes)
            return None if self.by_view is None else self.by_view.embedding_with(column, *place)

    # What is known about the store.

    @property
    def details(self) -> Mapping[str, Any]:
        """What this store says of itself beyond the contract, such as its version and layout; fit for JSON."""
        with self._reading():
            return self._read_details()

    @property
    def sizes(self) -> Mapping[str, int]:
        """Bytes on disk of each array, by its path in the store; empty where that cannot be told."""
        with self._reading():
            return self._read_sizes()

    # What is known about names.

    def category_colors(self, column: str) -> dict[str, str]:
        """Return the store's colours for the labels of an obs column, label to "#rrggbb"; empty where it has none."""
        self._kind(column)
        with self._reading():
            return dict(self._category_colors(column))

    @property
    def gene_sets(self) -> Mapping[str, tuple[str, ...]]:
        """Named sets of var names that the store holds."""
        found: Mapping[str, tuple[str, ...]] = self._read_once("gene_sets", self._read_gene_sets)
        return found

    @property
    def identity(self) -> str:
        """What tells this state of this store from all others, cheap to get: the key of what is derived from it.

        After a write it is another one. A store that cannot tell gets another one each time it is opened.
        """
        identity: str = self._read_once("identity", self._read_identity)
        return identity

    def __repr__(self) -> str:
        shape = f"{self.n_obs:,} obs x {self.n_var:,} var, {len(self.obs_columns)} obs columns"
        shown = ", ".join(self.embeddings) or "no embeddings"
        return f"<{type(self).__name__} {self.title!r}: {shape}, {shown}{' (closed)' if self._closed else ''}>"

    # Steps.

    def _checked(self, columns: str | Sequence[str] | None) -> list[str] | None:
        if columns is None:
            return None
        names = as_names(columns)
        for name in names:
            self._kind(name)
        return names

    def _tell(self, name: str, error: Exception, *, what: str, instead: str) -> None:
        self._note(f"{what} {name!r} cannot be read: {error}")
        warn(f"{what} {name!r} {instead}: {error}", stacklevel=5)
