"""Selection by values of obs columns, with suggestions for wrong columns and values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import CxgWidgetError, SelectionError
from cxg_widget.text.names import as_label, join_missing, label_among, label_of, labels_meant, nearest, not_found, shown
from cxg_widget.wire.protocol import MISSING_LABEL

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

_FEW_ROWS = 200_000
"""Text columns of up to this many rows are read for suggestions."""
_LISTED = 4_000


def mask_of_values(wanted: Mapping[Any, Any], dataset: Dataset) -> NDArray[np.bool_]:
    """Return which cells have one of the given values in every given column, bool (n_obs,).

    wanted : {obs column: value or list}; None and NaN mean missing, numbers are compared exactly, and a category can be
        given by its legend label
    """
    if not wanted:
        raise SelectionError("select({}) has no column; write select({column: value})")
    mask = np.ones(dataset.n_obs, dtype=np.bool_)
    for name, values in wanted.items():
        mask &= _mask_of(_column(name, dataset), _listed(name, values), dataset)
    return mask


def meant_by(text: str, dataset: Dataset, index: Sequence[str] = ()) -> str:
    """Suggest a call for a text that is not a label of the obs index; "" if a label is nearest to it."""
    if text in dataset.obs_columns:
        return f"It is an obs column; write select({{{text!r}: value}}) with one of its values."
    known: dict[str, str] = {}
    for column, labels in _labelled(dataset):
        for label in labels:
            known.setdefault(label, column)
    if text in known:
        return f"It is a value of obs column {known[text]!r}: select({{{known[text]!r}: {text!r}}})."
    if is_var(text, dataset):
        return f"It is {dataset.var_noun.a}: {by_var(text)}."
    close = next(iter(nearest(text, [*index, *known], 1)), None)
    return f"Did you mean select({{{known[close]!r}: {close!r}}})?" if close in known else ""


def is_var(name: str, dataset: Dataset, layer: str | None = None) -> bool:
    """Return whether a gene or other feature of a layer (None = X) has that name."""
    try:
        dataset.names_in(layer).find_var(name)
    except CxgWidgetError:
        return False
    return True


def by_var(name: str) -> str:
    """Return a call that selects cells by a gene."""
    return f"select(w.dataset.values({name!r}) > 0)"


def labels_of(column: str, dataset: Dataset) -> list[str]:
    """Return the labels of an obs column, if that needs no read of many rows."""
    kind, few = dataset.obs_columns[column].kind, dataset.n_obs <= _FEW_ROWS
    with suppress(CxgWidgetError):
        if kind in ("categorical", "boolean"):
            return [label_of(one) for one in dataset.codes_block(column, 0, 0).categories]
        if kind == "string" and few:
            return [label_of(one) for one in dataset.codes(column).categories]
    return []


def _labelled(dataset: Dataset) -> Iterator[tuple[str, list[str]]]:
    for column in dataset.obs_columns:
        yield column, labels_of(column, dataset)


def _column(name: Any, dataset: Dataset) -> str:
    index = dataset.obs_index
    if index is not None and name in (index, dataset.index_name("obs")) and name not in dataset.obs_columns:
        return index
    known = list(dataset.obs_columns)
    for one in (name, name.removeprefix("obs:") if isinstance(name, str) else name):
        if one in known:
            return str(one)
    gene = isinstance(name, str) and is_var(name.removeprefix("var:"), dataset)
    if isinstance(name, str) and gene:
        how = by_var(name.removeprefix("var:"))
        raise SelectionError(f"{name!r} is {dataset.var_noun.a}, not an obs column; select by its values: {how}")
    raise SelectionError(not_found("obs column", name, dataset.obs_columns))


def _listed(column: Any, values: Any) -> list[Any]:
    """Return one value or several as a list."""
    values = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(values, Mapping | slice) or callable(values):
        raise SelectionError(f"{column!r} takes a value or a list of values; found {shown(values)}")
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        return [values]
    listed = list(values)
    if any(isinstance(one, list | tuple | dict | set) for one in listed):
        raise SelectionError(f"{column!r} takes a value or a list of values; found {shown(values)}")
    return listed


def listed_values(given: Any) -> list[Any]:
    """Return one value or several as a JSON list, with None for missing ones."""
    given = given.tolist() if hasattr(given, "tolist") else given
    values = [given] if isinstance(given, str | bytes) or not isinstance(given, Iterable) else list(given)
    plain = (one.item() if isinstance(one, np.generic) else one for one in values)
    return [None if isinstance(one, float) and math.isnan(one) else one for one in plain]


def _mask_of(column: str, wanted: list[Any], dataset: Dataset) -> NDArray[np.bool_]:
    kind = "string" if column not in dataset.obs_columns else dataset.obs_columns[column].kind
    found = [one for one in wanted if not is_missing(one)]
    missing = len(found) < len(wanted)
    if kind in ("int", "float"):
        return _of_numbers(column, dataset.numbers(column), found, missing)
    if kind == "string":
        return _of_text(column, found, missing, dataset)
    return _of_codes(column, dataset.codes(column), found, missing)


def is_missing(value: Any) -> bool:
    """Return whether a value means missing: None, NaN, NaT or pandas.NA."""
    try:
        return value is None or not bool(value == value)  # noqa: PLR0124 - NaN and NaT of any library
    except (TypeError, ValueError):  # pandas.NA cannot be compared
        return True


def _of_codes(column: str, codes: Codes, wanted: list[Any], missing: bool) -> NDArray[np.bool_]:
    by_label = {label_of(category): code for code, category in enumerate(codes.categories)}
    by_value = {(category, type(category) is bool): code for code, category in enumerate(codes.categories)}
    chosen, unknown = np.zeros(len(codes.categories) + 1, dtype=np.bool_), []
    chosen[-1] = missing
    for one in wanted:
        code = by_value.get((one, type(one) is bool)) if isinstance(one, str | bool | int | float) else None
        code = by_label.get(label_among(one, by_label)) if code is None else code
        if code is None and one != MISSING_LABEL:
            unknown.append(one)
        chosen[-1 if code is None else code] = True
    if unknown:
        sentence = not_found("value", unknown[0], by_label, f"obs column {column!r}")
        raise SelectionError(join_missing([sentence, *map(shown, unknown[1:])]))
    return np.asarray(chosen[codes.codes])


def _of_text(column: str, listed: list[Any], missing: bool, dataset: Dataset) -> NDArray[np.bool_]:
    values = dataset.obs([column], index=False)[column]
    may_be = [as_label(label) for one in listed for label in labels_meant(one)]
    known = set(values[values.isin(may_be)].unique())
    wanted = {as_label(label_among(one, known)) for one in listed}
    found = values.isin(wanted)
    unknown = sorted(wanted - known)
    if unknown:
        names = values.dropna().unique()
        sentence = not_found("value", unknown[0], names[:_LISTED].tolist(), f"obs column {column!r}", count=len(names))
        raise SelectionError(join_missing([sentence, *map(shown, unknown[1:])]))
    return np.asarray(found | values.isna() if missing else found, dtype=np.bool_)


def _of_numbers(column: str, numbers: NDArray[Any], wanted: list[Any], missing: bool) -> NDArray[np.bool_]:
    values = np.asarray(wanted) if wanted else np.empty(0, numbers.dtype)
    if values.dtype.kind not in "iufb" or values.ndim != 1:
        wrong = next((one for one in wanted if not isinstance(one, int | float)), wanted[0])
        raise SelectionError(f"obs column {column!r} holds numbers; found {shown(wrong)}")
    if numbers.dtype.kind == "f":
        with np.errstate(over="ignore"):
            values = values.astype(numbers.dtype)
    found = np.isin(numbers, values)
    unknown = values[~np.isin(values, numbers[found])]
    if unknown.size:
        sentence = f"no value {unknown[0]!s} in obs column {column!r}; {_range(column, numbers, values)}"
        raise SelectionError(join_missing([sentence, *map(str, unknown[1:])]))
    return np.asarray(found | np.isnan(numbers) if missing and numbers.dtype.kind == "f" else found)


def _range(column: str, numbers: NDArray[Any], wanted: NDArray[Any]) -> str:
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return "it holds no numbers."
    low, high, name = finite.min(), finite.max(), column if column.isidentifier() else f"`{column}`"
    if wanted.size == 2:  # two values such as [0, 1] are probably meant as a range
        low, high = np.sort(wanted)
        filters = f" or a tuple: w.filters[{column!r}] = ({low}, {high})"
    else:
        filters = ""
    ends = f"{finite.min()} to {finite.max()}"
    return f'its numbers range from {ends}. A range is a query: select(query="{low} <= {name} <= {high}"){filters}.'
