"""Selection of cells and genes to convert: a query, a list of names, and additional embeddings."""
# Changes with cxg_widget/convert/conversion.py: options of a conversion.

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError, UnknownName
from cxg_widget.rules.expression import mask_of_query
from cxg_widget.rules.grammar import parse
from cxg_widget.text.names import not_found, shown

Genes = str | os.PathLike[str] | Sequence[str]
Axes = tuple[str, str] | str | os.PathLike[str]


@dataclass(frozen=True)
class Choice:
    """Cells and genes of a dataset.

    Attributes
    ----------
    rows, positions : of obs and of var, ascending
    embeddings : additional ones by name, float32 (len(rows), k)
    notes : what did not fit, a sentence each
    """

    rows: NDArray[np.int64]
    positions: NDArray[np.int64]
    embeddings: Mapping[str, NDArray[np.float32]]
    notes: tuple[str, ...] = ()

    def key(self, dataset: Dataset) -> str:
        """Return a key of the values to read, which differs for other cells, genes or data."""
        digest = sha256(self.rows.tobytes())
        digest.update(self.positions.tobytes())
        return f"{dataset.content_identity} {digest.hexdigest()}"


def choose(
    dataset: Dataset,
    where: str | None = None,
    genes: Genes | None = None,
    embeddings: Mapping[str, Axes] | None = None,
    layer: str | None = None,
) -> Choice:
    """Return the selection; reads only the columns it uses.

    Parameters
    ----------
    where : a query over obs columns and genes, as for filters; None = all cells
    genes : names, or the path of a file with one per line; None = all
    embeddings : {name: two numeric columns or genes, or a .csv with the names of cells first, then the axes}
    layer : layer of the genes in a query

    Raises
    ------
    SelectionError
        If the query is invalid, or no cell matches it.
    UnknownName
        If there are no such columns or genes.
    InvalidOption, InvalidValue
        If a file cannot be read, or an embedding is invalid.
    """
    rows = np.arange(dataset.n_obs)
    if where is not None:
        rows = np.flatnonzero(mask_of_query(parse(where), dataset, layer))
        if not len(rows):
            raise SelectionError(f"no {dataset.obs_noun.one} of {dataset.title} meets {shown(where)}.")
    positions = np.arange(dataset.n_var) if genes is None else _positions(dataset, genes)
    notes: list[str] = []
    found = {name: _embedding(dataset, name, axes, rows, notes) for name, axes in (embeddings or {}).items()}
    return Choice(rows, positions, found, tuple(notes))


def _positions(dataset: Dataset, genes: Genes) -> NDArray[np.int64]:
    names = _names(genes)
    found: set[int] = set()
    missing: list[str] = []
    for name in names:
        try:
            found.add(dataset.find_var(name))
        except UnknownName:
            missing.append(name)
    noun = dataset.var_noun
    if missing:
        known = [*(dataset.var_aliases or ()), *dataset.var_labels]
        nearest = not_found(f"{noun.one}", missing[0], known, dataset.title, count=dataset.n_var)
        others = f" {len(missing):,} of {len(names):,} names are none: {', '.join(missing[:8])}" if missing[1:] else ""
        raise UnknownName(f"{nearest}{others}{', ...' if len(missing) > 8 else ''}")
    if not found:
        raise InvalidValue(f"genes names no {noun.one}; pass names such as ['CD3E'], or a file with one per line.")
    return np.array(sorted(found), dtype=np.int64)


def _names(genes: Genes) -> list[str]:
    if isinstance(genes, str | os.PathLike):
        path = Path(os.path.expanduser(genes))
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise InvalidOption(
                f"genes is {shown(str(genes))}, which cannot be read as a file with one name per line "
                f"({getattr(error, 'strerror', None) or error}); pass names as a list: genes=[{str(genes)!r}]."
            ) from error
        return list(dict.fromkeys(name for line in lines if (name := line.strip())))
    names = list(genes)
    if wrong := [one for one in names if not isinstance(one, str)]:
        raise InvalidOption(f"genes holds {shown(wrong[0])}; it must be a list of names, or the path of a file.")
    return list(dict.fromkeys(names))


def _embedding(
    dataset: Dataset, name: str, axes: Axes, rows: NDArray[np.int64], notes: list[str]
) -> NDArray[np.float32]:
    if name in dataset.embeddings:
        raise InvalidValue(f"{dataset.title} has an embedding {name!r}; choose another name.")
    if isinstance(axes, str | os.PathLike):
        return _of_file(dataset, name, Path(os.path.expanduser(axes)), rows, notes)
    pair = tuple(axes)
    if len(pair) != 2:
        raise InvalidOption(f"embedding {name!r} is {shown(axes)}; it must be two names, or the path of a .csv.")
    return dataset.embedding((pair[0], pair[1]))[rows]


def _of_file(dataset: Dataset, name: str, path: Path, rows: NDArray[np.int64], notes: list[str]) -> NDArray[np.float32]:
    """Read coordinates by the cell names in the first column; cells that are not in the file have none."""
    import pandas as pd

    try:
        table = pd.read_csv(path, index_col=0)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidOption(f"embedding {name!r}: '{path}' cannot be read as a .csv ({reason}).") from error
    numbers = table.select_dtypes("number")
    if numbers.shape[1] < 2:
        raise InvalidValue(
            f"embedding {name!r}: '{path}' has {numbers.shape[1]} columns of numbers after the names of "
            f"{dataset.obs_noun.many}; it needs 2."
        )
    if table.index.has_duplicates:
        twice = table.index[table.index.duplicated()][0]
        raise InvalidValue(f"embedding {name!r}: '{path}' names {shown(twice)} twice.")
    places = pd.Index(table.index.astype(str)).get_indexer(pd.Index(dataset.obs_names(rows)))
    n_missing = int((places < 0).sum())
    if n_missing == len(rows):
        first: Any = table.index[0] if len(table) else None
        raise InvalidValue(
            f"embedding {name!r}: '{path}' names none of the {len(rows):,} {dataset.obs_noun.many}; its first is "
            f"{shown(first)}, theirs {shown(str(dataset.obs_names(rows[:1])[0]))}."
        )
    if n_missing:
        notes.append(f"embedding {name!r}: {n_missing:,} {dataset.obs_noun.many} are not in '{path.name}'")
    values = numbers.to_numpy(dtype=np.float32)
    return np.where(places[:, None] < 0, np.float32(np.nan), values[places])
