"""Rules on `cxg_group_metadata`: version, properties, colors, and the Corpora schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cxg_widget.color.css_colors import to_hex
from cxg_widget.datasets.cxg.validation.examined import ABSENT, Examined, Invalid
from cxg_widget.datasets.cxg.validation.rule import Found, Rules

RULES = Rules()
_ARRAY = "cxg_group_metadata"
_KNOWN = ("0.1", "0.2.0", "0.3.0")
# Source: semver.org, "Is there a suggested regular expression to check a SemVer string?"
_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?"
    r"(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?"
)


@RULES.must("version-present", "`cxg_version` exists.")
def _version(store: Examined) -> Iterator[Found]:
    if store.has(_ARRAY) and store.meta_raw(_ARRAY, "cxg_version") is ABSENT:
        yield _where("cxg_version"), "nothing", "the version of the specification, such as 0.3.0"


@RULES.must("version-semantic", "`cxg_version` is a semantic version; 0.1, from before the specification, is known.")
def _semantic(store: Examined) -> Iterator[Found]:
    found = store.meta_raw(_ARRAY, "cxg_version")
    if found is not ABSENT and found != "0.1" and not (isinstance(found, str) and _SEMVER.fullmatch(found)):
        yield _where("cxg_version"), _short(found), "a semantic version, such as 0.3.0"


@RULES.should("version-known", "`cxg_version` is a published version, written in full.")
def _known(store: Examined) -> Iterator[Found]:
    found = store.meta_raw(_ARRAY, "cxg_version")
    if found == "0.1":
        yield _where("cxg_version"), "0.1, which is not a semantic version", "0.1.0, 0.2.0 or 0.3.0"
    elif isinstance(found, str) and _SEMVER.fullmatch(found) and found not in (*_KNOWN, "0.1.0"):
        yield _where("cxg_version"), f"{found}, which CELLxGENE does not open", "0.3.0"


@RULES.should("properties-present", "`cxg_properties` exists: CELLxGENE does not open a CXG without it.")
def _properties(store: Examined) -> Iterator[Found]:
    if store.has(_ARRAY) and store.meta_raw(_ARRAY, "cxg_properties") is ABSENT:
        yield (
            _where("cxg_properties"),
            "nothing",
            'a JSON object with a title, such as {"title": "Lung", "about": null}',
        )


@RULES.must("properties-json", "`cxg_properties` is a JSON object.")
def _properties_json(store: Examined) -> Iterator[Found]:
    yield from _no_object(store, "cxg_properties")


@RULES.should("properties-title", "`title` is text, or null.")
def _title(store: Examined) -> Iterator[Found]:
    title = store.object(_ARRAY, "cxg_properties").get("title")
    if title is not None and not isinstance(title, str):
        yield f"{_where('cxg_properties')}, title", _short(title), "text"


@RULES.should("properties-about", "`about` is an http or https link, or null.")
def _about(store: Examined) -> Iterator[Found]:
    about = store.object(_ARRAY, "cxg_properties").get("about")
    if about is not None and not (isinstance(about, str) and re.match(r"https?://[^/\s]+", about)):
        yield f"{_where('cxg_properties')}, about", _short(about), "a link such as https://example.org/data"


@RULES.must("colors-json", "`cxg_category_colors` is a JSON object of objects.")
def _colors_json(store: Examined) -> Iterator[Found]:
    yield from _no_object(store, "cxg_category_colors")
    for column, table in store.object(_ARRAY, "cxg_category_colors").items():
        if not isinstance(table, dict):
            yield _colors(column), _short(table), "an object of labels and colors"


@RULES.must("colors-rgb", "Each color is an RGB color.")
def _colors_rgb(store: Examined) -> Iterator[Found]:
    for column, label, color in _all_colors(store):
        if to_hex(color) is None:
            yield f"{_colors(column)}, label {label!r}", _short(color), "#rrggbb"


@RULES.should("colors-hex", "Each color is written as #rrggbb.")
def _colors_hex(store: Examined) -> Iterator[Found]:
    for column, label, color in _all_colors(store):
        if to_hex(color) is not None and not (isinstance(color, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", color)):
            yield f"{_colors(column)}, label {label!r}", _short(color), str(to_hex(color))


@RULES.should("colors-column", "A table of colors has the name of an obs column, with or without _colors.")
def _colors_column(store: Examined) -> Iterator[Found]:
    names = {attr.name for attr in store.attributes("obs")}
    for column in store.object(_ARRAY, "cxg_category_colors"):
        if names and column not in names and column.removesuffix("_colors") not in names:
            yield _colors(column), "colors of a column that obs does not have", "the name of an obs column"


@RULES.should("corpora-json", "`corpora`, if it exists, is a JSON object.")
def _corpora_json(store: Examined) -> Iterator[Found]:
    yield from _no_object(store, "corpora")


@RULES.should("corpora-embedding", "`default_embedding` is one of the embeddings.")
def _corpora_embedding(store: Examined) -> Iterator[Found]:
    named = store.object(_ARRAY, "corpora").get("default_embedding")
    if named is not None and store.embeddings:
        spellings = {named, named.removeprefix("X_"), f"X_{named}"} if isinstance(named, str) else set()
        if not spellings & set(store.embeddings):
            yield f"{_where('corpora')}, default_embedding", _short(named), f"one of {', '.join(store.embeddings)}"


@RULES.should("uns-plain", "Values of `uns` are JSON; reading pickled ones would run code.")
def _uns_plain(store: Examined) -> Iterator[Found]:
    for key in store.meta_keys("uns"):
        if isinstance(store.meta_raw("uns", key), bytes | bytearray):
            yield f"uns metadata {key}", "binary, perhaps pickled", "JSON"


@RULES.should("uns-values", "`uns`, if it exists, holds values in its metadata.")
def _uns_values(store: Examined) -> Iterator[Found]:
    if store.schema("uns") is not None and not store.meta_keys("uns"):
        yield "uns", "an array without metadata, which may have been lost", "values in its metadata, or no uns"


def _no_object(store: Examined, key: str) -> Iterator[Found]:
    found = store.meta(_ARRAY, key)
    if isinstance(found, Invalid):
        yield _where(key), found.why, "text that is a JSON object"
    elif found is not ABSENT and not isinstance(found, dict):
        yield _where(key), _short(found), "a JSON object"


def _all_colors(store: Examined) -> Iterator[tuple[str, str, Any]]:
    for column, table in store.object(_ARRAY, "cxg_category_colors").items():
        for label, color in table.items() if isinstance(table, dict) else ():
            yield column, label, color


def _where(key: str) -> str:
    return f"{_ARRAY} metadata {key}"


def _colors(column: str) -> str:
    return f"{_where('cxg_category_colors')}, {column!r}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
