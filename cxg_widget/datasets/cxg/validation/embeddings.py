"""Rules on embeddings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from cxg_widget.datasets.cxg.validation.examined import Examined
from cxg_widget.datasets.cxg.validation.rule import Found, Rules, not_float32, not_numeric

RULES = Rules()


@RULES.must("embedding-array", "Everything in `emb` is a TileDB array.")
def _array(store: Examined) -> Iterator[Found]:
    for name, kind in store.embeddings.items():
        if not store.has(f"emb/{name}"):
            yield f"emb/{name}", f"a TileDB {kind}", "a TileDB array"


@RULES.should("embedding-present", "The store has an embedding: CELLxGENE does not open a CXG without one.")
def _present(store: Examined) -> Iterator[Found]:
    if store.children.get("emb") == "group" and not store.embeddings:
        yield "emb", "no embedding", "at least one embedding"


@RULES.must("embedding-shape", "An embedding is a dense array of the shape (n_obs, N), N at least 2.")
def _shape(store: Examined) -> Iterator[Found]:
    for path, schema in _schemas(store):
        right = f"a dense array of ({'n_obs' if store.n_obs is None else store.n_obs}, 2 or more)"
        if schema.sparse:
            yield path, "a sparse array", right
        elif schema.ndim != 2 or schema.shape[1] < 2 or store.n_obs not in (None, schema.shape[0]):
            yield path, f"the shape {schema.shape}", right


@RULES.must("embedding-attribute", "An embedding has a single attribute without a name.")
def _attribute(store: Examined) -> Iterator[Found]:
    for path, _ in _schemas(store):
        names = [attr.name for attr in store.attributes(path)]
        if names != [""]:
            yield path, f"the attributes {names}", "one attribute called ''"


@RULES.must("embedding-numeric", "Coordinates are numbers.")
def _numeric(store: Examined) -> Iterator[Found]:
    return not_numeric(_types(store))


@RULES.should("embedding-float32", "Coordinates are float32.")
def _float32(store: Examined) -> Iterator[Found]:
    return not_float32(_types(store))


@RULES.must("embedding-finite", "No coordinate is infinite.")
def _finite(store: Examined) -> Iterator[Found]:
    for name in store.embeddings:
        found = store.embedding(name)
        if found is not None and found.n_infinite:
            yield f"emb/{name}", f"{found.n_infinite:,} infinite values", "numbers, or NaN if missing"


@RULES.must("embedding-number", "At least one coordinate is not NaN.")
def _number(store: Examined) -> Iterator[Found]:
    for path, dtype in _types(store):
        found = store.embedding(path.removeprefix("emb/"))
        if dtype.kind in "iuf" and found is not None and found.low is None and not found.n_infinite:
            yield path, "only NaN", "at least one number"


@RULES.should("embedding-name", 'Names of embeddings do not begin with "X_".')
def _name(store: Examined) -> Iterator[Found]:
    for name in store.embeddings:
        if name.startswith("X_"):
            yield f"emb/{name}", "a name as in AnnData", name.removeprefix("X_")


def _schemas(store: Examined) -> Iterator[tuple[str, Any]]:
    for name in store.embeddings:
        schema = store.schema(f"emb/{name}")
        if schema is not None:
            yield f"emb/{name}", schema


def _types(store: Examined) -> Iterator[tuple[str, np.dtype[np.generic]]]:
    for path, _ in _schemas(store):
        for attr in store.attributes(path)[:1]:
            yield path, np.dtype(attr.dtype)
