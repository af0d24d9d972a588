"""Rules on obs and var: their columns, and the hints in `cxg_schema`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cxg_widget.datasets.cxg.validation.examined import ABSENT, Examined, Invalid, each
from cxg_widget.datasets.cxg.validation.rule import Found, Rules

RULES = Rules()
_TABLES = ["obs", "var"]
_TYPES = ("float32", "string", "int32", "boolean", "categorical")
_WIDER = ("int64", "uint64", "float64")
_STORED = {
    "boolean": "ub",
    "int32": "iu",
    "int64": "iu",
    "uint64": "iu",
    "float32": "f",
    "float64": "f",
    "string": "USO",
}


@RULES.must("annotations-shape", "obs and var are dense arrays of one dimension.")
def _shape(store: Examined) -> Iterator[Found]:
    for path, schema in each(store, _TABLES):
        if schema.sparse or schema.ndim != 1:
            what = f"a {'sparse' if schema.sparse else 'dense'} array of {schema.ndim} dimensions"
            yield path, what, "a dense array of one dimension"


@RULES.must("column-type", "A column holds numbers or text, booleans as uint8.")
def _column_type(store: Examined) -> Iterator[Found]:
    for path, attr in _columns(store):
        if np.dtype(attr.dtype).kind not in "iufUSO":
            right = "uint8 with the type hint boolean" if np.dtype(attr.dtype).kind == "b" else "a number or text"
            yield f"{path}.{attr.name}", f"values of {attr.dtype}", right
        elif attr.isnullable:
            yield f"{path}.{attr.name}", "a nullable attribute", "an attribute that is not nullable"


@RULES.should("column-32-bit", "Numbers have 32 bits.")
def _column_width(store: Examined) -> Iterator[Found]:
    for path, attr in _columns(store):
        dtype = np.dtype(attr.dtype)
        if dtype.kind in "iuf" and dtype.itemsize > 4:
            kind = "float32" if dtype.kind == "f" else "int32"
            yield f"{path}.{attr.name}", f"values of {dtype}", f"{kind}, unless that would lose values"


@RULES.must("schema-json", "`cxg_schema`, if it exists, is a JSON object.")
def _schema_json(store: Examined) -> Iterator[Found]:
    for path in _TABLES:
        found = store.meta(path, "cxg_schema")
        if isinstance(found, Invalid):
            yield f"{path} metadata cxg_schema", found.why, "a JSON object as text"
        elif found is not ABSENT and not isinstance(found, dict):
            yield f"{path} metadata cxg_schema", f"JSON of {_kind(found)}", "a JSON object"


@RULES.must("schema-index", "`index` in `cxg_schema` is the name of a column.")
def _schema_index(store: Examined) -> Iterator[Found]:
    for path in _TABLES:
        hints = store.meta(path, "cxg_schema")
        if not isinstance(hints, dict):
            continue
        names = [attr.name for attr in store.attributes(path)]
        where, index = f"{path} metadata cxg_schema", hints.get("index", ABSENT)
        if index is ABSENT:
            yield where, "no `index`", "the column that holds the names of the rows"
        elif names and index not in names:
            yield where, f"the index {index!r}, but no column of this name", "the name of a column"


@RULES.should("index-text", "The index is human-readable text.")
def _index_text(store: Examined) -> Iterator[Found]:
    for path in _TABLES:
        index = store.object(path, "cxg_schema").get("index")
        for attr in store.attributes(path):
            if attr.name == index and np.dtype(attr.dtype).kind not in "USO":
                yield f"{path}.{attr.name}", f"an index of {attr.dtype}", "text"


@RULES.should("hint-column", "Each name in `cxg_schema` is the name of a column.")
def _hint_column(store: Examined) -> Iterator[Found]:
    for path in _TABLES:
        names = [attr.name for attr in store.attributes(path)]
        for name in store.hints(path):
            if names and name not in names:
                yield (
                    f"{path} metadata cxg_schema",
                    f"a hint for {name!r}, but no column of this name",
                    "names of columns",
                )


@RULES.must("hint-object", "A hint is an object with a `type`.")
def _hint_object(store: Examined) -> Iterator[Found]:
    for path, name, hint in _hints(store):
        if not isinstance(hint, dict) or not isinstance(hint.get("type"), str):
            yield f"{path}.{name}", f"the hint {_short(hint)}", 'an object with a type, such as {"type": "boolean"}'


@RULES.must("hint-type", "The type in a hint is a known type.")
def _hint_type(store: Examined) -> Iterator[Found]:
    for path, name, type_ in _hint_types(store):
        if type_ not in (*_TYPES, *_WIDER):
            yield f"{path}.{name}", f"the type {type_!r}", ", ".join(_TYPES)


@RULES.should("hint-known", "The type in a hint is a type that CELLxGENE shows.")
def _hint_known(store: Examined) -> Iterator[Found]:
    for path, name, type_ in _hint_types(store):
        if type_ in _WIDER:
            hidden = ", which CELLxGENE hides" if path == "obs" and type_.endswith("int64") else ""
            yield f"{path}.{name}", f"the type {type_!r}{hidden}", ", ".join(_TYPES)


@RULES.must("hint-fits", "Stored types fit their hints: uint8 for booleans, codes or values for categories.")
def _hint_fits(store: Examined) -> Iterator[Found]:
    stored = {(path, attr.name): np.dtype(attr.dtype) for path, attr in _columns(store)}
    for path, name, type_ in _hint_types(store):
        dtype, listed = stored.get((path, name)), _categories(store, path, name)
        if dtype is None:
            continue
        if isinstance(listed, list):
            if dtype.kind not in "iuUSO":
                yield f"{path}.{name}", f"categories for values of {dtype}", "integer codes, or text"
        elif dtype.kind not in _STORED.get(type_, "iufUSO") or (type_ == "boolean" and dtype.itemsize != 1):
            yield f"{path}.{name}", f"values of {dtype} with the type {type_!r}", _fitting(type_)


@RULES.must("categories-list", "Categories are a list of text, numbers or booleans.")
def _categories_list(store: Examined) -> Iterator[Found]:
    for path, name, hint in _hints(store):
        listed = hint.get("categories", ABSENT) if isinstance(hint, dict) else ABSENT
        if listed is ABSENT:
            continue
        if not isinstance(listed, list):
            yield f"{path}.{name}", f"categories that are {_kind(listed)}", "a list"
        elif not all(isinstance(one, str | int | float | bool) for one in listed):
            yield f"{path}.{name}", "categories that include null, lists or objects", "text, numbers or booleans"


@RULES.should("categories-unique", "Each category is listed once.")
def _categories_unique(store: Examined) -> Iterator[Found]:
    for path, name, _ in _hints(store):
        listed = _categories(store, path, name)
        texts = [repr(one) for one in listed] if isinstance(listed, list) else []
        if len(set(texts)) < len(texts):
            twice = next(text for text in texts if texts.count(text) > 1)
            yield f"{path}.{name}", f"the category {twice[:80]} more than once", "each category once"


@RULES.must("codes-in-range", "A code is the position of a category in its list.")
def _codes_in_range(store: Examined) -> Iterator[Found]:
    for path, name, n, low, high in _codes(store):
        if low < -1 or high >= n:
            wrong = low if low < -1 else high
            yield f"{path}.{name}", f"code {wrong} with {n} categories", f"codes from 0 to {n - 1}"


@RULES.should("codes-missing", 'A missing value has the category "nan", not the code -1.')
def _codes_missing(store: Examined) -> Iterator[Found]:
    for path, name, _, low, _ in _codes(store):
        if low == -1:
            yield f"{path}.{name}", "code -1", 'the code of a category "nan"'


@RULES.must("boolean-values", "Booleans are 0 or 1.")
def _boolean_values(store: Examined) -> Iterator[Found]:
    kinds = {(path, attr.name): np.dtype(attr.dtype).kind for path, attr in _columns(store)}
    for path, name, type_ in _hint_types(store):
        found = store.column(path, name) if type_ == "boolean" and kinds.get((path, name)) in ("i", "u") else None
        if (
            found is not None
            and found.low is not None
            and found.high is not None
            and not 0 <= found.low <= found.high <= 1
        ):
            yield f"{path}.{name}", f"values from {found.low} to {found.high}", "0 and 1"


def _columns(store: Examined) -> Iterator[tuple[str, Any]]:
    for path in _TABLES:
        for attr in store.attributes(path):
            yield path, attr


def _hints(store: Examined) -> Iterator[tuple[str, str, Any]]:
    for path in _TABLES:
        for name, hint in store.hints(path).items():
            yield path, name, hint


def _hint_types(store: Examined) -> Iterator[tuple[str, str, str]]:
    for path, name, hint in _hints(store):
        if isinstance(hint, dict) and isinstance(hint.get("type"), str):
            yield path, name, hint["type"]


def _categories(store: Examined, path: str, name: str) -> Any:
    hint = store.hints(path).get(name)
    return hint.get("categories") if isinstance(hint, dict) else None


def _codes(store: Examined) -> Iterator[tuple[str, str, int, int, int]]:
    """Yield path, column, number of categories, lowest and highest code of each column of codes."""
    for path, attr in _columns(store):
        listed = _categories(store, path, attr.name)
        if isinstance(listed, list) and np.dtype(attr.dtype).kind in "iu":
            found = store.column(path, attr.name)
            if found is not None and found.low is not None and found.high is not None:
                yield path, attr.name, len(listed), int(found.low), int(found.high)


def _fitting(type_: str) -> str:
    if type_ == "boolean":
        return "uint8"
    return {"string": "text", "float32": "float32", "int32": "int32"}.get(type_, type_)


def _kind(value: Any) -> str:
    return {"dict": "an object", "list": "a list", "str": "text", "NoneType": "null"}.get(
        type(value).__name__, f"a {type(value).__name__}"
    )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
