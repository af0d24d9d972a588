"""The embeddings of a dataset: found by name in any spelling, two axes at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.columns import check_block, row_blocks
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.errors import InvalidStore, InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown

_INITIALS = {"pca": "PC", "diffmap": "DC", "lsi": "LSI"}
"""What scanpy and its kin call the axes of embeddings whose axes mean something one by one."""


class Embeddings(Lifetime):
    """The part of a `Dataset` that knows its embeddings."""

    _no_embedding: ClassVar[str] = "no usable embedding"

    title: str
    n_obs: int
    embeddings: Mapping[str, int]
    default_embedding: str | None = None

    def __init__(self, cache_bytes: int) -> None:
        super().__init__(cache_bytes)
        self._unusable: dict[str, str] = {}

    def _read_embedding(self, name: str, axes: tuple[int, int]) -> NDArray[Any]:
        """Read two axes of an embedding: any numeric (n_obs, 2). A store implements this or `_read_embedding_block`."""
        raise NotImplementedError

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:  # noqa: ARG002
        """Say what two axes measure; a store whose axes may have units of their own implements this."""
        return None

    def _axis_names(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        """Say what two axes that share their units are called; a store that has names for them implements this."""
        initials = next((_INITIALS[word] for word in re.split(r"[^a-z]+", name.casefold()) if word in _INITIALS), None)
        return None if initials is None else (f"{initials} {axes[0] + 1}", f"{initials} {axes[1] + 1}")

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        """Read rows of two axes; a store that can, reads these alone."""
        return self._read_embedding(name, axes)[start:stop]

    def embedding(self, name: str | None = None, axes: tuple[int, int] = (0, 1)) -> NDArray[np.float32]:
        """Return two axes of an embedding, NaN and Inf kept.

        Parameters
        ----------
        name : one of `embeddings`, also as "X_name"; None = `default_embedding`
        axes : two positions below the embedding's number of axes

        Returns
        -------
        float32 (n_obs, 2), C-contiguous, a new array

        Raises
        ------
        UnknownName
            If there is no such embedding.
        InvalidValue
            If `axes` are not two axes of it.
        InvalidStore, DamagedStore
            If the store has no embedding at all, or this one cannot be read.
        """
        with self._reading():
            found, pair = self._place(name, axes)
            xy = np.empty((self.n_obs, 2), dtype=np.float32)
            for start, stop in row_blocks(self.n_obs):
                xy[start:stop] = self._read_embedding_block(found, pair, start, stop)
            return xy

    def embedding_block(self, name: str | None, axes: tuple[int, int], start: int, stop: int) -> NDArray[np.float32]:
        """Return rows of two axes of an embedding, float32 (stop - start, 2), a new array; errors as `embedding`."""
        check_block(start, stop, self.n_obs)
        with self._reading():
            values = self._read_embedding_block(*self._place(name, axes), start, stop)
            return np.array(values, dtype=np.float32, order="C")

    def axis_labels(self, name: str | None = None, axes: tuple[int, int] = (0, 1)) -> tuple[str, str] | None:
        """Return what the axes of an embedding measure, with the unit, where each has a unit of its own.

        Parameters
        ----------
        name, axes : as in `embedding`

        Returns
        -------
        labels of x and y; None where both share one unit, as in a UMAP or a map: as much on either axis is then drawn
        as long

        Raises
        ------
        UnknownName, InvalidValue, InvalidStore
            As `embedding`.
        """
        with self._reading():
            return self._axis_labels(*self._place(name, axes))

    def axis_names(self, name: str | None = None, axes: tuple[int, int] = (0, 1)) -> tuple[str, str] | None:
        """Return what is written at the axes of an embedding.

        Parameters
        ----------
        name, axes : as in `embedding`

        Returns
        -------
        `axis_labels` where each axis has a unit of its own; else the names that two axes go by, "PC 1" and "PC 2" of a
        PCA, longitude and latitude of a map; None where an axis by itself means nothing, as in a UMAP

        Raises
        ------
        UnknownName, InvalidValue, InvalidStore
            As `embedding`.
        """
        with self._reading():
            found, pair = self._place(name, axes)
            return self._axis_labels(found, pair) or self._axis_names(found, pair)

    def _place(self, name: str | None, axes: Any) -> tuple[str, tuple[int, int]]:
        found = self.find_embedding(name)
        return found, self.check_axes(axes, found)

    def find_embedding(self, name: str | None = None) -> str:
        """Return the name in `embeddings` that `name` means: itself, or without or with "X_"; None = the default.

        Raises
        ------
        UnknownName
            If there is no such embedding.
        InvalidStore
            If the store has no embedding at all, or cannot show this one.
        """
        if not self.embeddings:
            raise InvalidStore(" ".join([f"{self.uri}: {self._no_embedding}.", *self._unusable.values()]))
        if name is None:
            return self.default_embedding or next(iter(self.embeddings))
        spellings = (name, name.removeprefix("X_"), f"X_{name}") if isinstance(name, str) else ()
        for spelling in spellings:
            if spelling in self.embeddings:
                return spelling
        for spelling in spellings:
            if spelling in self._unusable:
                raise InvalidStore(f"{self.uri}: {self._unusable[spelling]}")
        raise UnknownName(not_found("embedding", name, self.embeddings, self.title))

    def check_axes(self, axes: Any, name: str | None) -> tuple[int, int]:
        """Return two axes of the embedding `name` (None: one of two axes) as integers.

        Raises
        ------
        InvalidValue
            If they are not two whole numbers below its number of axes.
        """
        width = 2 if name is None else self.embeddings[name]
        try:
            found = [int(axis) for axis in axes if isinstance(axis, int | np.integer) and not isinstance(axis, bool)]
            fits = len(found) == len(axes) == 2 and all(0 <= axis < width for axis in found)
        except TypeError:
            fits = False
        if not fits:
            raise InvalidValue(
                f"axes must be two numbers from 0 to {width - 1}, the axes of {name!r}; found {shown(axes)}"
            )
        return found[0], found[1]
