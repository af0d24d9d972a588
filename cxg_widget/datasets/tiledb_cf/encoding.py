"""Decodes the values of a variable by the CF conventions: missing, packed and invalid numbers, and flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings, smallest_codes, tidy_categories
from cxg_widget.datasets.base.values import Kind

_NETCDF_FILL = float(np.float32(9.969209968386869e36))
"""Fill of the netCDF library for unwritten floating-point numbers; the metadata do not mention it."""
_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True)
class Encoding:
    """Encoding of one variable.

    Source: CF Conventions 1.11, sections 2.5.1, 3.5 and 8.1; NetCDF User's Guide, appendix "Attribute Conventions".

    kind : kind of the decoded values; None if they cannot be shown
    dtype : type of the decoded values; of the codes if the kind is "categorical"
    stored : unsigned type of the stored numbers if `_Unsigned` contradicts the schema; else None
    missing : stored numbers that mean missing
    scale, offset : decoded = stored * scale + offset
    valid : lowest and highest valid stored number
    valid_meant : lowest and highest valid decoded number
    flags : stored numbers of the categories, ascending
    flag_codes : signed int, the category code of each flag
    categories : labels of the categories
    unit : unit of decoded dates or time spans; for other values, see the attribute `units`
    """

    kind: Kind | None
    dtype: np.dtype[Any]
    stored: np.dtype[Any] | None = None
    missing: tuple[Any, ...] = ()
    scale: float | None = None
    offset: float | None = None
    valid: tuple[float, float] = (-np.inf, np.inf)
    valid_meant: tuple[float, float] = (-np.inf, np.inf)
    flags: NDArray[Any] = field(default_factory=lambda: np.empty(0))
    flag_codes: NDArray[Any] = field(default_factory=lambda: np.empty(0, np.int8))
    categories: tuple[str, ...] = ()
    unit: str = ""

    def decode(self, raw: NDArray[Any]) -> NDArray[Any]:
        """Return the decoded values in the shape of `raw`, whose nulls are masked.

        A missing number is NaN, a missing category -1, a missing text "".
        """
        null = np.ma.getmaskarray(raw) if isinstance(raw, np.ma.MaskedArray) else None
        values = np.asarray(raw.data if null is not None else raw)
        if self.kind == "string":
            texts = as_strings(values.ravel().tolist()).reshape(values.shape)
            if null is not None:
                texts[null] = ""
            return texts
        if values.dtype.kind in "mM":
            return _as_days(values)
        if self.stored is not None:
            values = values.view(self.stored)
        if self.kind == "categorical":
            return self._codes(values, null)
        if self.kind != "float":
            return values.astype(self.dtype, copy=False)
        return self._floats(values, null)

    def _codes(self, values: NDArray[Any], null: NDArray[np.bool_] | None) -> NDArray[Any]:
        place = np.searchsorted(self.flags, values).clip(0, len(self.flags) - 1)
        codes = np.where(self.flags[place] == values, self.flag_codes[place], self.dtype.type(-1))
        if null is not None:
            codes[null] = -1
        return np.asarray(codes)

    def _floats(self, values: NDArray[Any], null: NDArray[np.bool_] | None) -> NDArray[Any]:
        bad = np.zeros(values.shape, dtype=np.bool_) if null is None else null.copy()
        for one in self.missing:
            bad |= values == one
        if np.isfinite(self.valid).any():
            bad |= (values < self.valid[0]) | (values > self.valid[1])
        meant = values.astype(self.dtype)
        if self.scale is not None:
            meant *= self.scale
        if self.offset is not None:
            meant += self.offset
        if np.isfinite(self.valid_meant).any():
            bad |= (meant < self.valid_meant[0]) | (meant > self.valid_meant[1])
        meant[bad] = np.nan
        return meant


def encoding_of(
    dtype: np.dtype[Any], attributes: Mapping[str, Any], fill: Any, *, nullable: bool, is_var: bool, complete: bool
) -> Encoding:
    """Return the encoding of a variable from its schema and attributes.

    attributes : attributes of the variable, such as scale_factor
    fill : value that TileDB returns for unwritten cells
    nullable, is_var : whether the schema allows null, or several values per cell
    complete : whether all cells were written; then the default fill of the schema is an ordinary value
    """
    if dtype.kind in "SUO":
        return Encoding("string", np.dtype(object))
    if is_var or dtype.kind not in "iufbmM":
        return Encoding(None, dtype)
    if dtype.kind in "mM":
        return Encoding("float", np.dtype(np.float64), unit="days since 1970-01-01" if dtype.kind == "M" else "days")
    if dtype.kind == "b":
        return Encoding("float", np.dtype(np.float32)) if nullable else Encoding("boolean", dtype)
    unsigned = dtype.kind == "i" and str(attributes.get("_Unsigned", "")).lower() == "true"
    stored = np.dtype(f"u{dtype.itemsize}") if unsigned else None
    numeric = dtype if stored is None else stored
    flagged = _flags(attributes, numeric)
    if flagged is not None:
        flags, codes, categories = flagged
        return Encoding("categorical", codes.dtype, stored, flags=flags, flag_codes=codes, categories=categories)
    missing = _missing(attributes, dtype, fill, complete=complete)
    if stored is not None:
        missing = tuple(np.asarray(missing, dtype=dtype).view(stored).tolist())
    return _numeric(numeric, stored, missing, attributes, nullable=nullable)


def _numeric(
    dtype: np.dtype[Any],
    stored: np.dtype[Any] | None,
    missing: tuple[Any, ...],
    attributes: Mapping[str, Any],
    *,
    nullable: bool,
) -> Encoding:
    scale, offset = _number(attributes.get("scale_factor")), _number(attributes.get("add_offset"))
    packed = scale is not None or offset is not None
    valid, of_meant = _valid(attributes, dtype, packed=packed)
    limited = np.isfinite(valid).any() or np.isfinite(of_meant).any()
    if dtype.kind != "f" and not (packed or missing or nullable or limited):
        return Encoding("int", dtype, stored)
    small = dtype.kind == "f" or dtype.itemsize <= 2
    floats = np.result_type(dtype, np.float32) if small and not packed else np.dtype(np.float64)
    return Encoding("float", floats, stored, missing, scale, offset, valid, of_meant)


def _missing(attributes: Mapping[str, Any], dtype: np.dtype[Any], fill: Any, *, complete: bool) -> tuple[Any, ...]:
    """Return the stored numbers that mean missing, without NaN, which always does."""
    declared = [*_numbers(attributes.get("_FillValue")), *_numbers(attributes.get("missing_value"))]
    chosen = _numbers(fill)
    if dtype.kind == "f":
        declared += chosen
        if "_FillValue" not in attributes:
            declared.append(_NETCDF_FILL)
    elif chosen and (not complete or chosen[0] != _default_fill(dtype)):
        declared += chosen
    return tuple(dict.fromkeys(one for one in (_as_stored(value, dtype) for value in declared) if one is not None))


def _default_fill(dtype: np.dtype[Any]) -> int:
    """Return TileDB's default fill value of an integer type."""
    limits = np.iinfo(dtype)
    return int(limits.min if dtype.kind == "i" else limits.max)


def _as_stored(value: float, dtype: np.dtype[Any]) -> Any:
    """Return a number of the metadata as stored, such as 1e20 in float32; None if the type cannot hold it."""
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            stored = dtype.type(value)
        return None if np.isnan(stored) else stored.item()
    limits = np.iinfo(dtype)
    return int(value) if np.isfinite(value) and value == int(value) and limits.min <= value <= limits.max else None


def _valid(
    attributes: Mapping[str, Any], dtype: np.dtype[Any], *, packed: bool
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the valid ranges of stored and of decoded numbers; one of the two is infinite.

    For packed integers, a range of floating-point numbers applies to the decoded numbers.
    """
    limits = _numbers(attributes.get("valid_range"))
    low, high = limits if len(limits) == 2 else (-np.inf, np.inf)
    low = next(iter(_numbers(attributes.get("valid_min"))), low)
    high = next(iter(_numbers(attributes.get("valid_max"))), high)
    everything, found = (-np.inf, np.inf), (low, high)
    unpacked = packed and dtype.kind != "f" and any(isinstance(one, float) and np.isfinite(one) for one in found)
    return (everything, found) if unpacked else (found, everything)


def _flags(
    attributes: Mapping[str, Any], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[Any], tuple[str, ...]] | None:
    """Return flags, codes and categories of `Encoding`; None if there are no flags or they contradict each other."""
    meanings = attributes.get("flag_meanings")
    labels = meanings.split() if isinstance(meanings, str) else []
    stored = [_as_stored(value, dtype) for value in _numbers(attributes.get("flag_values"))]
    if not labels or len(labels) != len(stored) or None in stored:
        return None
    target, categories = tidy_categories(labels)
    order = np.argsort(np.array(stored, dtype=dtype), kind="stable")
    return np.array(stored, dtype=dtype)[order], smallest_codes(target[order], len(categories)), categories


def _numbers(value: Any) -> list[Any]:
    """Return the numbers in a metadata value: a number, an array, or text such as "0b, 1b, 2b"."""
    if isinstance(value, str):
        parts = value.replace(",", " ").split()
        found = [_number(part.rstrip("bBsSlLfFuU")) for part in parts]
        return [int(one) if one.is_integer() else one for one in found if one is not None]
    if isinstance(value, bytes | None):
        return []
    array = np.asarray(value)
    return array.ravel().tolist() if array.dtype.kind in "iuf" else []


def _number(value: Any) -> float | None:
    try:
        number = float(np.asarray(value).ravel()[0]) if value is not None else None
    except (TypeError, ValueError, IndexError):
        return None
    return number


def _as_days(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return dates as days since 1970-01-01 and time spans as days; NaN = missing."""
    spans = values - np.datetime64(0, "D") if values.dtype.kind == "M" else values
    return np.asarray(spans / _DAY, dtype=np.float64)
