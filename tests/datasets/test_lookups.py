"""What is read through TileDB's C interface is what its bindings read, and they read it where there is none."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import tiledb

from cxg_widget.datasets.tiledb_access import c_library
from cxg_widget.datasets.tiledb_access.contexts import make_context
from cxg_widget.datasets.tiledb_access.lookups import kind_at, load_schema, read_fragments, read_stored_group

METADATA = {
    "title": "Grüße",
    "empty": "",
    "bytes": b"\x00\xff",
    "no_bytes": b"",
    "int": -3,
    "float": 2.5,
    "ints": (1, 2, 3),
    "floats": (0.5, -1.0),
    "none": (),
    "half": np.float32(1.5),
    "byte": np.uint8(200),
    "line": np.arange(3, dtype=np.int16),
    "table": np.arange(6, dtype=np.float32).reshape(2, 3),
}


@pytest.fixture(params=["library", "bindings"])
def ctx(request, monkeypatch):
    if request.param == "bindings":
        monkeypatch.setattr(c_library, "_library", lambda: None)
    else:
        assert c_library._library() is not None
    return tiledb.Ctx()


@pytest.fixture(scope="module")
def group(tmp_path_factory):
    path = tmp_path_factory.mktemp("lookups") / "gruppe é"
    tiledb.Group.create(str(path))
    tiledb.Group.create(str(path / "below"))
    tiledb.from_numpy(str(path / "dense"), np.arange(6, dtype=np.int32).reshape(2, 3))
    with tiledb.open(str(path / "dense"), "w") as array:
        array[1:2, 0:2] = np.array([[7, 8]], dtype=np.int32)
    dim = tiledb.Dim("x", domain=(0.0, 9.0), tile=1.0, dtype=np.float64)
    schema = tiledb.ArraySchema(tiledb.Domain(dim), [tiledb.Attr("v", dtype=np.int8)], sparse=True)
    tiledb.Array.create(str(path / "sparse"), schema)
    with tiledb.open(str(path / "sparse"), "w") as array:
        array[np.array([0.5, 1.5, 8.0])] = np.array([1, 2, 3], dtype=np.int8)
    with tiledb.Group(str(path), "w") as opened:
        opened.add("dense", name="dénse", relative=True)
        opened.add("sparse", relative=True)
        opened.add("below", name="below", relative=True)
        for key, value in METADATA.items():
            opened.meta[key] = value
    return str(path)


def test_a_group_says_what_the_bindings_say(group, ctx):
    found = read_stored_group(group, ctx)
    assert set(found.metadata) == set(METADATA)
    with tiledb.Group(group) as expected:
        for key in METADATA:
            np.testing.assert_array_equal(found.metadata[key], expected.meta[key])
            assert type(found.metadata[key]) is type(expected.meta[key]) or key == "byte"
        assert found.metadata["table"].dtype == np.float32
        kinds = {tiledb.Group: "group", tiledb.Array: "array"}
        assert found.members == [(one.name, one.uri, kinds[one.type]) for one in expected]
    assert {name for name, *_ in found.members} == {"dénse", None, "below"}


@pytest.mark.parametrize("name", ["", "/below", "/dense", "/absent"])
def test_the_kind_of_an_object_is_what_the_bindings_say(group, ctx, name):
    assert kind_at(group + name, ctx) == tiledb.object_type(group + name)


@pytest.mark.parametrize("name", ["dense", "sparse"])
def test_a_schema_and_fragments_are_what_the_bindings_say(group, ctx, name):
    uri = f"{group}/{name}"
    schema, expected = load_schema(uri, ctx), tiledb.array_fragments(uri)
    assert schema == tiledb.ArraySchema.load(uri)
    found = read_fragments(uri, schema, ctx)
    assert [one.n_cells for one in found] == list(expected.cell_num)
    if name == "dense":
        assert [one.domain for one in found] == list(expected.nonempty_domain)


def test_what_fails_is_the_error_of_the_bindings(group, ctx):
    for call in (lambda: read_stored_group(f"{group}/dense", ctx), lambda: load_schema(f"{group}/absent", ctx)):
        with pytest.raises(tiledb.TileDBError):
            call()


def test_a_schema_outlives_its_context_and_is_freed_once(group):
    schemas = [load_schema(f"{group}/dense", make_context(group)) for _ in range(50)]
    gc.collect()
    assert {schema.shape for schema in schemas} == {(2, 3)}
    del schemas
    gc.collect()
