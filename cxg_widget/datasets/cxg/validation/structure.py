"""Rules on the parts of a CXG."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cxg_widget.datasets.cxg.validation.examined import METADATA_ARRAYS, Examined, each
from cxg_widget.datasets.cxg.validation.rule import Found, Rules

RULES = Rules()


@RULES.must("group", "A CXG is a TileDB group.")
def _group(store: Examined) -> Iterator[Found]:
    if not store.is_group:
        yield "", "not a TileDB group", "a TileDB group that holds obs, var, X or Xr and Xc, emb and cxg_group_metadata"


@RULES.must("obs-present", "The store has a TileDB array `obs`.")
def _obs(store: Examined) -> Iterator[Found]:
    yield from _missing(store, "obs", "array")


@RULES.must("var-present", "The store has a TileDB array `var`.")
def _var(store: Examined) -> Iterator[Found]:
    yield from _missing(store, "var", "array")


@RULES.must("emb-present", "The store has a group `emb`, which holds all embeddings.")
def _emb(store: Examined) -> Iterator[Found]:
    yield from _missing(store, "emb", "group")


@RULES.must("group-metadata-present", "The store has a TileDB array `cxg_group_metadata`.")
def _metadata(store: Examined) -> Iterator[Found]:
    yield from _missing(store, "cxg_group_metadata", "array")


@RULES.must("matrix-present", "The store has an array `X`, or arrays `Xr` and `Xc`.")
def _matrix(store: Examined) -> Iterator[Found]:
    found = store.matrix_arrays()
    if store.is_group and found not in (["X"], ["Xr", "Xc"], ["X", "Xr", "Xc"]):
        yield "X", f"only {found[0]}" if found else "no matrix", "X, or both Xr and Xc"


@RULES.must("domain-uint32", "Every TileDB array has a domain of uint32.")
def _domain_type(store: Examined) -> Iterator[Found]:
    for path in store.data_arrays():
        yield from _other_types(store, path)


@RULES.must("domain-zero", "Every domain begins at 0.")
def _domain_origin(store: Examined) -> Iterator[Found]:
    for path, schema in each(store, store.data_arrays()):
        for number in range(schema.ndim):
            dim = schema.domain.dim(number)
            if np.dtype(dim.dtype).kind in "iuf" and dim.domain[0] != 0:
                yield path, f"dimension {number} begins at {dim.domain[0]}", "a domain that begins at 0"


@RULES.should("metadata-domain-uint32", "Arrays that hold only metadata have a domain of uint32 too.")
def _metadata_domain(store: Examined) -> Iterator[Found]:
    # The specification says "all arrays", but the official writer uses uint64 for these, and no reader checks it.
    for path in METADATA_ARRAYS:
        yield from _other_types(store, path)


@RULES.must("schema-readable", "The schema of every array can be read.")
def _schemas(store: Examined) -> Iterator[Found]:
    for path in [*store.data_arrays(), *METADATA_ARRAYS]:
        if store.has(path) and store.schema(path) is None:
            yield path, store.problems.get(path, "no schema"), "a complete array"


@RULES.must("data-readable", "The values and metadata of every array can be read.")
def _data(store: Examined) -> Iterator[Found]:
    store.read_everything()
    for where, why in store.problems.items():
        if not (store.has(where) and store.schema(where) is None):
            yield where, why, "complete data files"


def _missing(store: Examined, name: str, kind: str) -> Iterator[Found]:
    found = store.children.get(name)
    if store.is_group and found not in (kind, "unknown"):
        yield name, "nothing" if found is None else f"a TileDB {found}", f"a TileDB {kind} called {name}"


def _other_types(store: Examined, path: str) -> Iterator[Found]:
    for _, schema in each(store, [path]):
        types = [str(schema.domain.dim(number).dtype) for number in range(schema.ndim)]
        if any(type_ != "uint32" for type_ in types):
            yield path, f"a domain of {', '.join(types)}", "uint32"
