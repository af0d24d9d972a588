"""The embeddings of a dataset: lookup by name, and reading two axes at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.by_view import RowsInView
from cxg_widget.datasets.base.column_pairs import ColumnPairs, EmbeddingName
from cxg_widget.datasets.base.column_values import check_block, row_blocks
from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.base.obs_columns import ObsColumns
from cxg_widget.datasets.base.values import Values
from cxg_widget.errors import InvalidStore, InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    from cxg_widget.spatial.view import Extent


class Embeddings:
    """The embeddings of a store."""

    def __init__(self, store: Contract, columns: ObsColumns, pairs: ColumnPairs) -> None:
        self._store, self._columns, self._pairs = store, columns, pairs

    def embedding(self, name: EmbeddingName | None = None, axes: tuple[int, int] = (0, 1)) -> NDArray[np.float32]:
        """Return two axes of an embedding, with NaN and infinite values.

        Parameters
        ----------
        name : one of `embeddings`, also as "X_name"; or two numeric obs columns or genes, ("n_genes", "CD3E"), with the
            prefix "log1p:" for log(1 + x), and a third entry for the layer of genes; None = `default_embedding`
        axes : two axes of the embedding, counted from 0

        Returns
        -------
        float32 (n_obs, 2), C-contiguous, a new array

        Raises
        ------
        UnknownName
            If there is no such embedding.
        InvalidValue
            If `axes` are not two whole numbers below its number of axes.
        InvalidStore, DamagedStore
            If the store has no embedding at all, or this one cannot be shown or read.

        Examples
        --------
        >>> dataset.embedding("umap").shape == (dataset.n_obs, 2)
        True
        """
        store = self._store
        with store._reading():
            found, pair = self.place(name, axes)
            if not isinstance(found, str):
                return self._pairs.read(found, pair, None)
            xy = np.empty((store.n_obs, 2), dtype=np.float32)
            # In blocks: the peak for 20 M cells of a CXG falls from 311 to 228 MiB (decision 12).
            for start, stop in row_blocks(store.n_obs):
                xy[start:stop] = store._read_embedding_block(found, pair, start, stop)
            return xy

    def embedding_block(
        self, name: EmbeddingName | None, axes: tuple[int, int], start: int, stop: int
    ) -> NDArray[np.float32]:
        """Return rows of two axes of an embedding, float32 (stop - start, 2), a new array.

        Other parameters and errors as `embedding`.

        Examples
        --------
        >>> dataset.embedding_block("umap", (0, 1), 0, 100).shape
        (100, 2)
        """
        check_block(start, stop, self._store.n_obs)
        with self._store._reading():
            found, pair = self.place(name, axes)
            if not isinstance(found, str):
                return self._pairs.read(found, pair, (start, stop))
            values = self._store._read_embedding_block(found, pair, start, stop)
            # A copy: the store may have returned a view of its cache.
            return np.array(values, dtype=np.float32, order="C")

    def axis_labels(self, name: EmbeddingName | None = None, axes: tuple[int, int] = (0, 1)) -> tuple[str, str] | None:
        """Return the labels of the axes of an embedding with their units, if these differ.

        None if both have the same unit, as in a UMAP or a map; both axes are then drawn at the same scale. Parameters
        and errors as `embedding`.

        Examples
        --------
        >>> dataset.axis_labels("umap") is None
        True
        """
        with self._store._reading():
            found, pair = self.place(name, axes)
            if isinstance(found, str):
                return self._store._axis_labels(found, pair)
            labels = self._pairs.labels(found)
            return labels[pair[0]], labels[pair[1]]

    def axis_names(self, name: EmbeddingName | None = None, axes: tuple[int, int] = (0, 1)) -> tuple[str, str] | None:
        """Return the names of the axes of an embedding; parameters and errors as `embedding`.

        Returns
        -------
        `axis_labels` if the axes have different units; else names such as "PC 1" and "PC 2" of a PCA, or longitude and
        latitude of a map; None if an axis alone means nothing, as in a UMAP

        Examples
        --------
        >>> dataset.axis_names("pca") is None
        False
        """
        with self._store._reading():
            found, pair = self.place(name, axes)
            named = self._store._axis_names(found, pair) if isinstance(found, str) else None
            return self.axis_labels(found, pair) or named

    def viewport(
        self,
        xlim: tuple[float, float],
        ylim: tuple[float, float],
        *,
        embedding: EmbeddingName | None = None,
        axes: tuple[int, int] = (0, 1),
        limit: int | None = None,
    ) -> RowsInView | None:
        """Return the rows of a view, reading only the parts of the store that may contain them.

        Parameters
        ----------
        xlim, ylim : limits in data units, in any order, inclusive
        embedding, axes : as in `embedding`
        limit : most rows to decode

        Returns
        -------
        the rows; None if the store has no bounds, or if more than `limit` rows would be decoded. Errors as `embedding`,
        and `InvalidValue` if a limit is not a number

        Examples
        --------
        >>> dataset.viewport((0, 5), (0, 5), embedding="umap") is None
        True
        """
        with self._store._reading():
            view = (*_ends_of("xlim", xlim), *_ends_of("ylim", ylim))
            found, pair = self.place(embedding, axes)
            return self._store.by_view.rows(found, pair, view, limit) if isinstance(found, str) else None

    def stated_extent(self, name: EmbeddingName | None = None, axes: tuple[int, int] = (0, 1)) -> Extent | None:
        """Return the bounds of the rows as float32 that the store states; None if it states none.

        Parameters and errors as `embedding`.

        Examples
        --------
        >>> dataset.stated_extent("umap") is None
        True
        """
        with self._store._reading():
            found, pair = self.place(name, axes)
            return self._store.by_view.extent(found, pair) if isinstance(found, str) else None

    def embedding_with(
        self, column: str, name: EmbeddingName | None = None, axes: tuple[int, int] = (0, 1)
    ) -> tuple[NDArray[np.float32], Values] | None:
        """Return an embedding, float32 (n_obs, 2), and a whole obs column, read in one pass.

        None if that saves nothing; other parameters and errors as `embedding`. Neither is cached.

        Examples
        --------
        >>> dataset.embedding_with("n_counts", "umap") is None
        True
        """
        self._columns.kind(column)
        with self._store._reading():
            found, pair = self.place(name, axes)
            if column in self._columns.own or not isinstance(found, str):
                return None
            return self._store.by_view.embedding_with(column, found, pair)

    def place(self, name: EmbeddingName | None, axes: Any) -> tuple[EmbeddingName, tuple[int, int]]:
        """Resolve the name of an embedding and its axes; errors as `embedding`."""
        found = self.find_embedding(name)
        return found, self.check_axes(axes, found)

    def find_embedding(self, name: EmbeddingName | list[str] | None = None) -> EmbeddingName:
        """Return the name in `embeddings` for a name with or without "X_"; None = the default.

        For two columns, return both in full, ("obs:n_genes", "var:CD3E").

        Examples
        --------
        >>> dataset.find_embedding("X_umap")
        'umap'
        """
        if not isinstance(name, str) and isinstance(name, list | tuple):
            with self._store._reading():
                pair = self._pairs.find(name)
                return self._store._find_pair(pair) or pair
        store, known, unusable = self._store, self._store.embeddings, self._store._unusable
        if not known:
            raise InvalidStore(" ".join([f"{store.uri}: {store._no_embedding}.", *unusable.values()]))
        if name is None:
            return store.default_embedding or next(iter(known))
        # muon calls that of one modality "rna:X_umap".
        spellings = (
            (name, name.removeprefix("X_"), f"X_{name}", name.replace(":X_", ":")) if isinstance(name, str) else ()
        )
        for spelling in spellings:
            if spelling in known:
                return spelling
        for spelling in spellings:
            if spelling in unusable:
                raise InvalidStore(f"{store.uri}: {unusable[spelling]}")
        columns = store._find_pair(name) if isinstance(name, str) else None
        if isinstance(columns, tuple):
            return self._pairs.find(columns)
        raise UnknownName(not_found("embedding", name, known, store.title))

    def describe_embedding(self, name: EmbeddingName | None = None) -> str:
        """Return the name of an embedding as text; errors as `find_embedding`."""
        found = self.find_embedding(name)
        return found if isinstance(found, str) else self._pairs.describe(found)

    def n_axes(self, name: Any) -> int:
        """Return the number of axes of an embedding; 2 for a pair of columns, and for an unknown name.

        Examples
        --------
        >>> dataset.n_axes("umap")
        2
        """
        return self._store.embeddings.get(name, 2) if isinstance(name, str) else 2

    def check_axes(self, axes: Any, name: Any) -> tuple[int, int]:
        """Return two axes of the embedding `name` (None: one with two axes) as integers; errors as `embedding`."""
        width = self.n_axes(name)
        try:
            few = axes if len(axes) == 2 else ()
            found = [int(axis) for axis in few if isinstance(axis, int | np.integer) and not isinstance(axis, bool)]
            fits = len(found) == 2 and all(0 <= axis < width for axis in found)
        except (TypeError, OverflowError):  # OverflowError: of a range too long to have a length
            fits = False
        if not fits:
            raise InvalidValue(
                f"axes must be two numbers from 0 to {width - 1}, the axes of {name!r}; found {shown(axes)}"
            )
        return found[0], found[1]


def _ends_of(name: str, limits: Any) -> tuple[float, float]:
    """Return two limits in ascending order."""
    try:
        low, high = sorted(float(one) for one in limits)
    except (TypeError, ValueError):
        low = high = np.nan
    if np.isnan(low) or np.isnan(high):
        raise InvalidValue(f"{name} must be two numbers; found {shown(limits)}")
    return low, high
