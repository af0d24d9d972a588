"""Each rule on a store that breaks it and no other; stores of our writers break none; real ones what they do break."""

from __future__ import annotations

import json
import pickle
import shutil
from itertools import product

import numpy as np
import pytest
import tiledb

from cxg_widget.convert import convert
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.datasets.cxg.validation import RULES, validate, validate_apart
from cxg_widget.errors import DatasetNotFound
from tests.datasets.make_cxg import as_objects, attr_of, make_cxg, make_truth, write_cells, write_dense

N_OBS, N_VAR = 20, 6
COLUMNS = {
    "name_0": as_objects([f"cell {number}" for number in range(N_OBS)]),
    "kind": (np.arange(N_OBS) % 3).astype(np.int8),
    "flag": (np.arange(N_OBS) % 2).astype(np.uint8),
    "score": np.linspace(0, 1, N_OBS).astype(np.float32),
    "count": np.arange(N_OBS, dtype=np.int32),
}
HINTS = {
    "index": "name_0",
    "name_0": {"type": "string"},
    "kind": {"type": "categorical", "categories": ["a", "b", "nan"]},
    "flag": {"type": "boolean"},
    "score": {"type": "float32"},
    "count": {"type": "int32"},
}
GENES = {"name_0": as_objects([f"gene {number}" for number in range(N_VAR)])}
META = {
    "cxg_version": "0.3.0",
    "cxg_properties": {"title": "a title", "about": "https://example.org/data"},
    "cxg_category_colors": {"kind": {"a": "#ff0000", "b": "#00ff00"}},
    "corpora": {"title": "a title", "default_embedding": "X_umap"},
}
X = np.where(np.random.default_rng(0).random((N_OBS, N_VAR)) < 0.4, 2, 0).astype(np.float32)


def dims_of(shape, dtype=np.uint32, first=0):
    return [
        tiledb.Dim(f"d{number}", domain=(first, first + length - 1), tile=length, dtype=dtype)
        for number, length in enumerate(shape)
    ]


def dense(path, values, name="", dtype=np.uint32, first=0):
    shutil.rmtree(path, ignore_errors=True)
    values = np.asarray(values)
    schema = tiledb.ArraySchema(tiledb.Domain(*dims_of(values.shape, dtype, first)), [attr_of(name, values)])
    tiledb.Array.create(str(path), schema)
    with tiledb.open(str(path), "w") as array:
        array[:] = values


def table(path, columns, hints, **meta):
    shutil.rmtree(path, ignore_errors=True)
    n = len(next(iter(columns.values())))
    attrs = [attr_of(name, values) for name, values in columns.items()]
    tiledb.Array.create(str(path), tiledb.ArraySchema(tiledb.Domain(*dims_of((n,))), attrs))
    with tiledb.open(str(path), "w") as array:
        array[:] = dict(columns)
    say(path, {"cxg_schema": hints, **meta})


def say(path, meta):
    with tiledb.open(str(path), "w") as array:
        for key, value in meta.items():
            if value is None:
                del array.meta[key]
            else:
                array.meta[key] = value if isinstance(value, str | bytes | int) else json.dumps(value)


def lines(path, matrix=X, *, across=np.uint32, names=None):
    """Write `Xr` or `Xc`."""
    shutil.rmtree(path, ignore_errors=True)
    along = matrix if path.name == "Xr" else matrix.T
    other = names or ("var" if path.name == "Xr" else "obs")
    attrs = [tiledb.Attr("", dtype=np.float32), tiledb.Attr(other, dtype=across)]
    domain = tiledb.Domain(*dims_of((len(along),)))
    tiledb.Array.create(str(path), tiledb.ArraySchema(domain, attrs, sparse=True, allows_duplicates=True))
    where = np.nonzero(along)
    with tiledb.open(str(path), "w") as array:
        array[where[0].astype(np.uint32)] = {"": along[where], other: where[1].astype(across)}


def sparse(path, matrix=X, dtype=np.float32):
    attrs = [tiledb.Attr("", dtype=dtype)]
    tiledb.Array.create(str(path), tiledb.ArraySchema(tiledb.Domain(*dims_of(matrix.shape)), attrs, sparse=True))
    where = np.nonzero(matrix)
    write_cells(path, where, {"": matrix[where].astype(dtype)})


def make(path):
    """Write a store that keeps all rules."""
    tiledb.group_create(str(path))
    table(path / "obs", COLUMNS, HINTS)
    table(path / "var", GENES, {"index": "name_0", "name_0": {"type": "string"}})
    tiledb.group_create(str(path / "emb"))
    dense(path / "emb" / "umap", np.arange(2.0 * N_OBS).reshape(-1, 2).astype(np.float32))
    lines(path / "Xr")
    lines(path / "Xc")
    dense(path / "cxg_group_metadata", np.zeros(1))
    say(path / "cxg_group_metadata", META)
    return path


def no(name):
    return lambda path: shutil.rmtree(path / name)


def column(name, values, hint):
    return lambda path: table(path / "obs", {**COLUMNS, name: values}, {**HINTS, name: hint})


def hint(name, value):
    return lambda path: say(path / "obs", {"cxg_schema": {**HINTS, name: value}})


def meta(**changes):
    return lambda path: say(path / "cxg_group_metadata", changes)


def only(write):
    """Replace `Xr` and `Xc` by what `write` makes of `X`."""

    def change(path):
        shutil.rmtree(path / "Xr")
        shutil.rmtree(path / "Xc")
        write(path)

    return change


def embedding(values, name="umap"):
    return lambda path: (shutil.rmtree(path / "emb" / "umap"), dense(path / "emb" / name, values))


def both(*changes):
    return lambda path: [change(path) for change in changes]


def one_more_cell(name, across, position):
    def change(path):
        with tiledb.open(str(path / name), "w") as array:
            array[np.array([0], dtype=np.uint32)] = {
                "": np.zeros(1, np.float32),
                across: np.array([position], dtype=np.uint32),
            }

    return change


def bare_uns(path):
    dense(path / "uns", np.zeros(1))


def no_group(path):
    shutil.rmtree(path)
    path.mkdir()
    (path / "notes.txt").write_text("no store")


def lose_values(path):
    for file in (path / "emb" / "umap").rglob("a0.tdb"):
        file.unlink()


def spoil_schema(path):
    for file in (path / "emb" / "umap" / "__schema").iterdir():
        if file.is_file():
            file.write_bytes(b"spoilt")


def misplaced(path):
    dense(path / "emb" / "umap", np.ones((N_OBS, 2), np.float32), first=1)


XY = np.ones((N_OBS, 2), np.float32)


def nullable(path):
    shutil.rmtree(path / "obs")
    attrs = [attr_of(name, values) for name, values in COLUMNS.items()]
    attrs[-1] = tiledb.Attr("count", dtype=np.int32, nullable=True)
    tiledb.Array.create(str(path / "obs"), tiledb.ArraySchema(tiledb.Domain(*dims_of((N_OBS,))), attrs))
    with tiledb.open(str(path / "obs"), "w") as array:
        array[:] = COLUMNS
    say(path / "obs", {"cxg_schema": HINTS})


BROKEN = {
    "group": no_group,
    "obs-present": no("obs"),
    "var-present": no("var"),
    "emb-present": no("emb"),
    "group-metadata-present": no("cxg_group_metadata"),
    "matrix-present": no("Xc"),
    "domain-uint32": lambda path: dense(path / "emb" / "umap", XY, dtype=np.int32),
    "domain-zero": misplaced,
    "metadata-domain-uint32": lambda path: (
        dense(path / "cxg_group_metadata", np.zeros(1), dtype=np.uint64),
        say(path / "cxg_group_metadata", META),
    ),
    "schema-readable": spoil_schema,
    "data-readable": lose_values,
    "annotations-shape": lambda path: (
        shutil.rmtree(path / "var"),
        dense(path / "var", np.ones((N_VAR, 1), np.float32), name="name_0"),
    ),
    "column-type": nullable,
    "column-32-bit": column("score", np.linspace(0, 1, N_OBS), {"type": "float32"}),
    "schema-json": lambda path: say(path / "obs", {"cxg_schema": "{no json"}),
    "schema-index": lambda path: say(path / "obs", {"cxg_schema": {**HINTS, "index": "nobody"}}),
    "index-text": lambda path: say(path / "obs", {"cxg_schema": {**HINTS, "index": "count"}}),
    "hint-column": hint("nobody", {"type": "string"}),
    "hint-object": hint("count", "int32"),
    "hint-type": hint("count", {"type": "datetime"}),
    "hint-known": hint("count", {"type": "int64"}),
    "hint-fits": hint("score", {"type": "int32"}),
    "categories-list": hint("kind", {"type": "categorical", "categories": {"a": 0}}),
    "categories-unique": hint("kind", {"type": "categorical", "categories": ["a", "b", "b"]}),
    "codes-in-range": hint("kind", {"type": "categorical", "categories": ["a", "b"]}),
    "codes-missing": column("kind", (np.arange(N_OBS) % 3 - 1).astype(np.int8), HINTS["kind"]),
    "boolean-values": column("flag", np.full(N_OBS, 2, np.uint8), {"type": "boolean"}),
    "matrix-shape": only(lambda path: dense(path / "X", X[:, 1:])),
    "matrix-attribute": only(lambda path: dense(path / "X", X, name="counts")),
    "sparse-attributes": lambda path: lines(path / "Xr", names="gene"),
    "sparse-arrays": lambda path: (
        shutil.rmtree(path / "Xr"),
        tiledb.Array.create(
            str(path / "Xr"),
            tiledb.ArraySchema(
                tiledb.Domain(*dims_of((N_OBS,))),
                [tiledb.Attr("", dtype=np.float32), tiledb.Attr("var", dtype=np.uint32)],
            ),
        ),
        write_both(path / "Xr"),
    ),
    "matrix-numeric": only(lambda path: dense(path / "X", np.full(X.shape, b"x", dtype="S1"))),
    "matrix-float32": only(lambda path: dense(path / "X", X.astype(np.float64))),
    "positions-integer": lambda path: lines(path / "Xr", across=np.float32),
    "positions-in-range": one_more_cell("Xc", "obs", N_OBS),
    "sparse-agree": lambda path: lines(path / "Xc", np.where(X, 3, 0).astype(np.float32)),
    "sparse-by-lines": only(lambda path: sparse(path / "X")),
    "lines-since-0.3.0": meta(cxg_version="0.2.0"),
    "shift-sparse": lambda path: write_dense(path / "X_col_shift", np.ones(N_VAR, np.float32)),
    "shift-shape": both(
        meta(cxg_version="0.2.0"),
        only(lambda path: (sparse(path / "X"), dense(path / "X_col_shift", np.ones(N_VAR + 1, np.float32)))),
    ),
    "shift-attribute": both(
        meta(cxg_version="0.2.0"), only(lambda path: (sparse(path / "X"), dense(path / "X_col_shift", np.ones(N_VAR))))
    ),
    "embedding-array": lambda path: tiledb.group_create(str(path / "emb" / "pca")),
    "embedding-present": both(meta(corpora={"title": "a title"}), lambda path: shutil.rmtree(path / "emb" / "umap")),
    "embedding-shape": embedding(XY[:, :1]),
    "embedding-attribute": lambda path: dense(path / "emb" / "umap", XY, name="xy"),
    "embedding-numeric": embedding(np.full((N_OBS, 2), b"x", dtype="S1")),
    "embedding-float32": embedding(XY.astype(np.float64)),
    "embedding-finite": embedding(np.where(np.arange(N_OBS) > 3, np.inf, XY.T).T.astype(np.float32)),
    "embedding-number": embedding(np.full((N_OBS, 2), np.nan, np.float32)),
    "embedding-name": embedding(XY, "X_umap"),
    "version-present": meta(cxg_version=None),
    "version-semantic": meta(cxg_version="three"),
    "version-known": meta(cxg_version="0.4.0"),
    "properties-present": meta(cxg_properties=None),
    "properties-json": meta(cxg_properties="[1, 2]"),
    "properties-title": meta(cxg_properties={"title": 3}),
    "properties-about": meta(cxg_properties={"title": "a", "about": "ask Anna"}),
    "colors-json": meta(cxg_category_colors={"kind": ["#ff0000"]}),
    "colors-rgb": meta(cxg_category_colors={"kind": {"a": "reddish"}}),
    "colors-hex": meta(cxg_category_colors={"kind": {"a": "red"}}),
    "colors-column": meta(cxg_category_colors={"nobody": {"a": "#ff0000"}}),
    "corpora-json": meta(corpora="{no json"),
    "corpora-embedding": meta(corpora={"default_embedding": "X_tsne"}),
    "uns-plain": lambda path: (bare_uns(path), say(path / "uns", {"spatial": pickle.dumps({"a": 1})})),
    "uns-values": bare_uns,
}


def write_both(path):
    with tiledb.open(str(path), "w") as array:
        array[:] = {"": np.zeros(N_OBS, np.float32), "var": np.zeros(N_OBS, np.uint32)}


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return make(tmp_path_factory.mktemp("kept") / "a.cxg")


@pytest.fixture
def path(kept, tmp_path):
    """A store that keeps all rules, to be changed."""
    return shutil.copytree(kept, tmp_path / "a.cxg")


def test_a_store_that_keeps_all_rules_breaks_none(kept):
    report = validate(kept)
    assert report.violations == ()
    assert report.valid
    assert report.version == "0.3.0"


def test_each_rule_is_broken_by_a_store():
    assert set(BROKEN) == {rule.id for rule in RULES}
    assert len({rule.id for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_store_that_breaks_one_rule_breaks_no_other(rule, path):
    BROKEN[rule.id](path)
    report = validate(path)
    assert {one.rule for one in report.violations} == {rule.id}
    assert report.valid == (rule.level == "SHOULD")
    for one in report.violations:
        assert (one.level, one.text) == (rule.level, rule.text)
        assert all((one.where, one.found, one.right))


ODD = [b"\x80\x04K\x01.", 3, "[" * 100_000, "null", '"text"', '{"index": {"a": 1}}', '{"kind": 5, "index": 1}']


@pytest.mark.parametrize(
    ("array", "value"),
    [*product(["obs"], ODD), ("var", ODD[0]), ("var", ODD[6]), *product(["cxg_group_metadata"], ODD[:3])],
)
def test_metadata_of_any_kind_are_a_finding_and_no_crash(path, array, value):
    keys = ["cxg_schema"] if array != "cxg_group_metadata" else list(META)
    say(path / array, dict.fromkeys(keys, value))
    assert validate(path).violations


SPOILS = {"empty": lambda data: b"", "cut": lambda data: data[:40], "zeros": lambda data: bytes(len(data))}


@pytest.mark.parametrize(
    ("part", "spoil"),
    [*product(["obs", "cxg_group_metadata"], SPOILS), ("Xr", "empty"), ("emb", "cut"), ("var", "cut"), ("Xc", "zeros")],
)
def test_spoilt_files_are_a_finding_and_no_crash(path, part, spoil):
    spoil = SPOILS[spoil]
    for file in sorted((path / part).rglob("*")):
        if file.is_file():
            data = file.read_bytes()
            file.write_bytes(spoil(data))
            assert isinstance(validate(path).violations, tuple)
            file.write_bytes(data)
    for file in (path / part).rglob("*"):
        if file.is_file() and file.stat().st_size:
            file.write_bytes(spoil(file.read_bytes()))
    assert not validate(path).valid


def spoil_offsets(path, name):
    """Let the last text of a column begin far behind its end; written anew without filters, to get at the offsets."""
    with tiledb.open(str(path)) as array:
        schema, values, meta = array.schema, array[:], dict(array.meta)
    old = [schema.attr(number) for number in range(schema.nattr)]
    attrs = [tiledb.Attr(name=attr.name, dtype=attr.dtype, var=attr.isvar) for attr in old]
    shutil.rmtree(path)
    bare = tiledb.ArraySchema(domain=schema.domain, attrs=attrs, offsets_filters=tiledb.FilterList([]))
    tiledb.Array.create(str(path), bare)
    with tiledb.open(str(path), "w") as array:
        array[:] = values
        array.meta.update(meta)
    (file,) = path.rglob(f"a{[attr.name for attr in old].index(name)}.tdb")
    file.write_bytes(file.read_bytes()[:-8] + (2**40).to_bytes(8, "little"))


def test_text_that_ends_the_process_which_reads_it_is_a_finding_as_is_all_else(path, tmp_path):
    BROKEN["properties-title"](path)
    whole = validate_apart(str(path))
    assert whole == validate(path)
    spoil_offsets(path / "obs", "name_0")
    spoil_offsets(path / "var", "name_0")
    report = validate_apart(str(path))
    assert not report.valid
    fatal = [one for one in report.violations if one.rule == "data-readable"]
    assert [one.where for one in fatal] == ["obs column 'name_0'", "var column 'name_0'"]
    assert set(report.violations) - set(fatal) == set(whole.violations)
    with pytest.raises(DatasetNotFound, match="no such file"):
        validate_apart(str(tmp_path / "b.cxg"))


def test_quick_leaves_the_values_of_the_matrix_unread(path):
    for name in ("Xr", "Xc"):
        for file in (path / name).rglob("a*.tdb"):
            file.unlink()
    assert not validate(path).valid
    assert validate(path, quick=True).valid


def test_what_our_writers_make_breaks_no_rule(tmp_path):
    assert validate(write_demo(tmp_path / "demo.cxg", 500, 20)).violations == ()
    truth = make_truth(2000, 9)
    truth.obs = truth.obs.drop(columns=["barcode_hash", 'a/b "c".d é'])  # of 64 bits, which is a SHOULD
    truth.embeddings["pca"] = truth.embeddings["pca"][:, :3]
    source = make_cxg(tmp_path / "source.cxg", truth, "dense")
    for diffexp in (False, True):
        convert(source, tmp_path / f"{diffexp}.cxg", explorer_diffexp=diffexp)
        assert validate(tmp_path / f"{diffexp}.cxg").violations == ()
    truth.X[:, 2:] = 0
    convert(make_cxg(tmp_path / "sparse.cxg", truth, "dense"), tmp_path / "new.cxg")
    assert validate(tmp_path / "new.cxg").violations == ()


def test_the_report_is_fit_for_json(path):
    BROKEN["codes-in-range"](path)
    found = json.loads(json.dumps(validate(path).as_json()))
    assert found["valid"] is False
    assert found["path"] == str(path)
    (one,) = found["violations"]
    assert (one["rule"], one["level"], one["where"]) == ("codes-in-range", "MUST", "obs.kind")
    assert one["found"] == "code 2 with 2 categories"
    assert one["right"] == "codes from 0 to 1"


def test_nothing_is_no_store(tmp_path):
    with pytest.raises(DatasetNotFound, match="no such file"):
        validate(tmp_path / "missing.cxg")


REAL = {
    "cellguide": {"metadata-domain-uint32"},
    "dataset_with_int64": {"metadata-domain-uint32", "column-32-bit", "hint-known", "embedding-float32"},
    "dense_no_col_shift": {"metadata-domain-uint32"},
    "nan": {"metadata-domain-uint32", "embedding-float32"},
    "pbmc3k": {"data-readable", "metadata-domain-uint32", "embedding-float32", "version-known"},
    "pbmc3k_sparse": {
        "data-readable",
        "metadata-domain-uint32",
        "embedding-float32",
        "version-known",
        "lines-since-0.3.0",
    },
    "pbmc3k_v0": {"group-metadata-present", "data-readable", "embedding-float32"},
    "spatial": {"data-readable", "metadata-domain-uint32", "embedding-float32", "uns-values"},
}


@pytest.mark.parametrize("name", REAL)
def test_real_stores_break_what_they_do_break(real_data, name):
    report = validate(real_data / "cxg" / f"{name}.cxg")
    assert {one.rule for one in report.violations} == REAL[name]
    assert report.valid == ("data-readable" not in REAL[name])
