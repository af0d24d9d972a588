"""Rules on the matrix: `X`, or `Xr` and `Xc`, and `X_col_shift`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cxg_widget.datasets.cxg.validation.examined import Examined, each
from cxg_widget.datasets.cxg.validation.rule import Found, Rules, not_float32, not_numeric

RULES = Rules()
_ACROSS = {"Xr": "var", "Xc": "obs"}


@RULES.must("matrix-shape", "`X` has the shape (n_obs, n_var), `Xr` (n_obs,) and `Xc` (n_var,).")
def _shape(store: Examined) -> Iterator[Found]:
    n_obs, n_var = store.n_obs, store.n_var
    if n_obs is None or n_var is None:
        return
    right = {"X": (n_obs, n_var), "Xr": (n_obs,), "Xc": (n_var,)}
    for path, schema in each(store, store.matrix_arrays()):
        if tuple(int(length) for length in schema.shape) != right[path]:
            yield path, f"the shape {schema.shape}", f"{right[path]}, by the lengths of obs and var"


@RULES.must("matrix-attribute", "`X` has a single attribute without a name.")
def _attribute(store: Examined) -> Iterator[Found]:
    names = [attr.name for attr in store.attributes("X")]
    if names and names != [""]:
        yield "X", f"the attributes {names}", "one attribute called ''"


@RULES.must("sparse-attributes", '`Xr` has the attributes "" and "var", `Xc` "" and "obs".')
def _attributes(store: Examined) -> Iterator[Found]:
    for path, across in _ACROSS.items():
        names = [attr.name for attr in store.attributes(path)]
        if names and sorted(names) != ["", across]:
            yield path, f"the attributes {names}", f"'' for the values and {across!r} for their positions"


@RULES.must("sparse-arrays", "`Xr` and `Xc` are sparse.")
def _sparse(store: Examined) -> Iterator[Found]:
    for path, schema in each(store, list(_ACROSS)):
        if not schema.sparse:
            yield path, "a dense array", "a sparse array"


@RULES.must("matrix-numeric", "The values of the matrix are numbers.")
def _numeric(store: Examined) -> Iterator[Found]:
    return not_numeric(_value_types(store))


@RULES.should("matrix-float32", "The values of the matrix are float32.")
def _float32(store: Examined) -> Iterator[Found]:
    return not_float32(_value_types(store))


@RULES.must("positions-integer", "The positions in `Xr` and `Xc` are whole numbers.")
def _positions(store: Examined) -> Iterator[Found]:
    for path, across in _ACROSS.items():
        for attr in store.attributes(path):
            if attr.name == across and np.dtype(attr.dtype).kind not in "iu":
                yield f"{path}.{across}", f"positions of {attr.dtype}", "uint32"


@RULES.must("positions-in-range", "The positions in `Xr` and `Xc` are rows of var and obs.")
def _in_range(store: Examined) -> Iterator[Found]:
    lengths = {"Xr": store.n_var, "Xc": store.n_obs}
    for path, across in _ACROSS.items():
        found, n = store.cells(path), lengths[path]
        if found is not None and n is not None and (found.highest >= n or found.lowest < 0):
            wrong = found.highest if found.highest >= n else found.lowest
            yield f"{path}.{across}", f"position {wrong}", f"positions from 0 to {n - 1}"


@RULES.must("sparse-agree", "`Xr` and `Xc` hold the same values.")
def _agree(store: Examined) -> Iterator[Found]:
    rows, columns = store.cells("Xr"), store.cells("Xc")
    if rows is None or columns is None:
        return
    if rows.n_values != columns.n_values:
        yield "Xr, Xc", f"{rows.n_values:,} values in Xr and {columns.n_values:,} in Xc", "the same values in both"
    elif rows.digest != columns.digest:
        yield "Xr, Xc", f"{rows.n_values:,} values in both, but different ones", "the same values in both"


@RULES.should("sparse-by-lines", "A sparse matrix is stored as `Xr` and `Xc`, since 0.3.0.")
def _by_lines(store: Examined) -> Iterator[Found]:
    schema = store.schema("X")
    if schema is not None and schema.sparse and store.meta_raw("cxg_group_metadata", "cxg_version") == "0.3.0":
        yield "X", "a sparse array of two dimensions, which is slow to read by gene", "Xr and Xc"


@RULES.should("lines-since-0.3.0", "`Xr` and `Xc` are part of 0.3.0 and not of earlier versions.")
def _version(store: Examined) -> Iterator[Found]:
    version = store.meta_raw("cxg_group_metadata", "cxg_version")
    if store.has("Xc") and version in ("0.1", "0.1.0", "0.2.0"):
        yield "Xr, Xc", f"a store of version {version}", "cxg_version 0.3.0"


@RULES.must("shift-sparse", "`X_col_shift` exists only next to a sparse `X`.")
def _shift_sparse(store: Examined) -> Iterator[Found]:
    schema = store.schema("X")
    if store.has("X_col_shift") and (schema is None or not schema.sparse):
        present = "no X" if schema is None else "a dense X"
        yield "X_col_shift", f"an array next to {present}", "no X_col_shift"


@RULES.must("shift-shape", "`X_col_shift` has the shape (n_var,).")
def _shift_shape(store: Examined) -> Iterator[Found]:
    for path, schema in each(store, ["X_col_shift"]):
        if store.n_var is not None and tuple(int(length) for length in schema.shape) != (store.n_var,):
            yield path, f"the shape {schema.shape}", f"({store.n_var},)"


@RULES.must("shift-attribute", "`X_col_shift` has a single attribute without a name, of the type of `X`.")
def _shift_attribute(store: Examined) -> Iterator[Found]:
    attrs, values = store.attributes("X_col_shift"), store.attributes("X")
    if attrs and [attr.name for attr in attrs] != [""]:
        yield "X_col_shift", f"the attributes {[attr.name for attr in attrs]}", "one attribute called ''"
    elif attrs and values and attrs[0].dtype != values[0].dtype:
        yield "X_col_shift", f"values of {attrs[0].dtype}", f"{values[0].dtype}, as X"


def _value_types(store: Examined) -> Iterator[tuple[str, np.dtype[np.generic]]]:
    for path in store.matrix_arrays():
        types = {attr.name: np.dtype(attr.dtype) for attr in store.attributes(path)}
        named = [name for name in types if name != _ACROSS.get(path)]
        for name in [""] if "" in types else named:
            yield path, types[name]
