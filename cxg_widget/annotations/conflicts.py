"""Merges labels with those of a file or an object: matches cells and resolves conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import InvalidValue, MergeConflict
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    import pandas as pd

OnConflict = Literal["error", "ours", "theirs"]
_WAYS = ("error", "ours", "theirs")


def check_way(value: Any) -> OnConflict:
    """Return the way to resolve conflicts; raises `InvalidValue` if it is unknown."""
    if value not in _WAYS:
        raise InvalidValue(f"on_conflict must be 'error', 'ours' or 'theirs'; found {shown(value)}")
    way: OnConflict = value
    return way


def aligned(ours: pd.DataFrame, index: pd.Index, where: str) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Return labels in the order of another index, and which of its rows are ours, bool (n,)."""
    if ours.index.equals(index) or ours.index.astype(str).equals(index.astype(str)):
        return ours.set_axis(index), np.ones(len(index), dtype=np.bool_)
    for names, place in ((ours.index, "here"), (index, f"in {where}")):
        if not names.is_unique:
            twice = str(names[names.duplicated()][0])
            raise InvalidValue(f"rows of {where} are matched by name, but {shown(twice)} occurs twice {place}")
    own = ours.set_axis(ours.index.astype(str))
    places = own.index.get_indexer(index.astype(str))
    missing = len(own) - int(np.count_nonzero(places >= 0))
    if missing:
        gone = own.index.difference(index.astype(str))[0]
        raise InvalidValue(f"{where} holds other rows: it lacks {missing:,} of {len(own):,}, such as {shown(gone)}")
    return own.reindex(index.astype(str)).set_axis(index), places >= 0


def to_write(
    ours: pd.DataFrame, theirs: pd.DataFrame, are_ours: NDArray[np.bool_], where: str, way: OnConflict
) -> dict[str, pd.Series]:
    """Return the columns to write by name, as `joined` returns them; equal labels are not written again.

    ours, theirs : with the same index; theirs may lack a name
    """
    found = {str(name): joined(ours[name], theirs.get(name), are_ours, where, way) for name in ours.columns}
    return {name: labels for name, labels in found.items() if labels is not None}


def joined(
    ours: pd.Series, theirs: pd.Series | None, are_ours: NDArray[np.bool_], where: str, way: OnConflict
) -> pd.Series | None:
    """Return the labels to write: ours, those of cells that we do not have, and for others as `way` says.

    None if the target has equal labels: they keep their order and unused categories.

    ours, theirs : with the same index; None = there are none
    way : "ours" overwrites theirs, "theirs" keeps theirs and fills in ours; "error" raises
    """
    if theirs is None:
        return ours
    theirs = as_categorical(theirs)
    differ = are_ours & ~_same(ours, theirs)
    if not differ.any():
        return None
    if way == "error":
        counts = int(ours.notna().sum()), int(theirs[are_ours].notna().sum()), int(differ.sum())
        raise MergeConflict(
            f"{where} already has labels {shown(str(ours.name))}: {counts[1]:,} there, {counts[0]:,} here, "
            f"{counts[2]:,} differ. Use on_conflict='ours' to overwrite them, 'theirs' to keep them and add yours "
            "where there are none, or another path or name to keep both.",
            *counts,
        )
    if way == "ours":
        return _filled(ours, theirs, ~are_ours)
    return _filled(theirs, ours, theirs.isna().to_numpy())


def as_categorical(labels: pd.Series) -> pd.Series:
    """Return a column of a file as labels: texts, in their order if it is categorical."""
    import pandas as pd

    if isinstance(labels.dtype, pd.CategoricalDtype):
        texts = [str(one) for one in labels.cat.categories]
        if len(set(texts)) == len(texts):
            return labels.cat.rename_categories(texts)
    found = labels.astype(object).where(labels.notna(), None)
    texts = sorted({str(one) for one in found if one is not None})
    values = [None if one is None else str(one) for one in found]
    return pd.Series(pd.Categorical(values, categories=pd.Index(texts, dtype=object)), labels.index, name=labels.name)


def _same(one: pd.Series, other: pd.Series) -> NDArray[np.bool_]:
    place = {label: code for code, label in enumerate(one.cat.categories)}
    target = np.array([*(place.get(label, -2) for label in other.cat.categories), -1])
    return np.asarray(target[other.cat.codes.to_numpy()] == one.cat.codes.to_numpy())


def _filled(first: pd.Series, second: pd.Series, where: NDArray[np.bool_]) -> pd.Series:
    """Return `first` with the labels of `second` in some rows; categories of `second` alone come last."""
    import pandas as pd

    used = second.cat.categories[np.unique(second.cat.codes.to_numpy()[where & second.notna().to_numpy()])]
    labels = list(dict.fromkeys([*first.cat.categories, *used]))
    place = {label: code for code, label in enumerate(labels)}
    target = np.array([*(place.get(label, -1) for label in second.cat.categories), -1])
    codes = np.where(where, target[second.cat.codes.to_numpy()], first.cat.codes.to_numpy())
    categories = pd.Index(labels, dtype=first.cat.categories.dtype)
    dtype = pd.CategoricalDtype(categories, ordered=bool(first.cat.ordered))
    return pd.Series(pd.Categorical.from_codes(codes, dtype=dtype), first.index, name=first.name)
