"""What an atlas says when it is damaged, hostile or contradicts itself, and that the rest of it stays readable."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tracemalloc
from pathlib import Path

import lance
import numcodecs
import numpy as np
import pyarrow as pa
import pytest
import zarr

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidStore
from tests.datasets.make_atlas import GENES, SPACE, SPARSE, make_atlas, make_truth

GROUP = "zarr_store/a/genes"


@pytest.fixture(scope="module")
def truth():
    return make_truth()


@pytest.fixture
def make(tmp_path, truth):
    return lambda *args, **options: make_atlas(tmp_path / "atlas", truth, *args, **options)


def edit(path: Path, **changes) -> None:
    """Change members of a JSON file, `a__b` meaning b within a."""
    found = json.loads(path.read_text())
    for name, value in changes.items():
        *outer, last = name.split("__")
        at = found
        for part in outer:
            at = at[part]
        at[last] = value
    path.write_text(json.dumps(found))


def rewrite(path: Path, name: str, change) -> None:
    """Replace an array by what `change` makes of it."""
    root = zarr.open_group(path / "zarr_store", mode="a")
    values = change(root[name][:])
    del root[name]
    root.create_array(name, data=values, chunks=(128,), shards=(256,))


def point(path: Path, **members) -> None:
    """Write the obs table anew, its first pointer changed."""
    uri = str(path / "lance_db" / "cells.lance")
    table = lance.dataset(uri).to_table()
    pointers = table.column("genes").to_pylist()
    pointers[0] = {**pointers[0], **members}
    field = pa.field("genes", SPARSE, metadata={SPACE: GENES.encode()})
    place = table.schema.get_field_index("genes")
    changed = table.set_column(place, field, pa.array(pointers, SPARSE))
    version = lance.write_dataset(changed, uri, mode="overwrite").version
    record(path, obs_table_versions=json.dumps({"cells": version}))


def record(path: Path, **fields) -> None:
    """Add a snapshot like the last one with other fields."""
    uri = str(path / "lance_db" / "atlas_versions.lance")
    rows = lance.dataset(uri).to_table().to_pylist()
    rows.append({**rows[-1], "version": 2, **fields})
    lance.write_dataset(pa.Table.from_pylist(rows), uri, mode="overwrite")


def fails(path, error, sentence, ask=lambda dataset: dataset.values("ENSG0005"), **options):
    """Assert that asking raises one sentence about a path, and that obs and embeddings stay readable."""
    with open_dataset(path, **options) as dataset:
        with pytest.raises(error, match=sentence) as caught:
            ask(dataset)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
        assert len(dataset.obs(["score"])) == dataset.n_obs
        assert len(dataset.embedding("umap")) == dataset.n_obs


# What is missing.


def test_a_folder_without_tables_is_no_atlas(tmp_path):
    with pytest.raises(InvalidStore, match=r"not a RaggedAtlas; no lance_db/"):
        open_dataset(tmp_path, format="atlas")
    with pytest.raises(InvalidStore, match="copy it to this machine first"):
        open_dataset("s3://bucket/atlas", format="atlas")


def test_an_atlas_without_a_snapshot_says_what_to_call(make):
    path = make(snapshots=False)
    with pytest.raises(InvalidStore, match=r"has no snapshot yet .*call atlas.snapshot\(\)"):
        open_dataset(path)
    empty = pa.schema([("version", pa.int64()), ("registry_table_names", pa.string())])
    empty = empty.append(pa.field("feature_layouts_table_version", pa.int64()))
    lance.write_dataset(empty.empty_table(), str(path / "lance_db" / "atlas_versions.lance"))
    with pytest.raises(InvalidStore, match="has no snapshot yet"):
        open_dataset(path)


def test_a_record_under_another_name_is_found(make, truth):
    path = make()
    (path / "lance_db/atlas_versions.lance").rename(path / "lance_db/my_versions.lance")
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.values("ENSG0001"), truth.X[:, 1])


@pytest.mark.parametrize("table", ["cells", "datasets", "gene_registry", "_feature_layouts"])
def test_a_table_that_is_missing_is_named(make, table):
    path = make()
    shutil.rmtree(path / "lance_db" / f"{table}.lance")
    with pytest.raises(InvalidStore, match=f"no table '{table}'"):
        open_dataset(path)


def test_a_version_that_was_cleaned_up_is_damage(make):
    path = make()
    record(path, obs_table_versions='{"cells": 99}')
    with pytest.raises(DamagedStore, match=r"table 'cells' cannot be opened: .*99\.manifest was not found"):
        open_dataset(path)


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"obs_table_versions": "{nope"}, "obs_table_versions of the snapshot is not a JSON"),
        ({"obs_table_versions": "[" * 100_000}, "is not a JSON object of names"),
        ({"obs_table_versions": "[1]"}, "is not a JSON object of names"),
        ({"obs_table_versions": "{}"}, "lists no obs table"),
        ({"obs_table_versions": '{"cells": "1"}'}, "'1' as the version of 'cells'"),
        ({"obs_table_versions": '{"../cells": 1}'}, r"no table '\.\./cells'"),
        ({"dataset_table_name": ""}, "as dataset_table_name"),
        ({"registry_table_versions": "{}"}, "registries without a version"),
        ({"registry_table_names": '{"gene_expression": 3}'}, "registries without a version"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(make, fields, sentence):
    path = make()
    record(path, **fields)
    with pytest.raises(InvalidStore, match=sentence):
        open_dataset(path)


@pytest.mark.parametrize("layout", ["csr", "csc", "bitpacked"])
@pytest.mark.parametrize("array", ["indices", "layers/counts"])
def test_a_lost_data_file_is_damage_and_not_zeros(make, layout, array):
    path = make(layout)
    shutil.rmtree(path / GROUP / ("csc" if layout == "csc" else "csr") / array / "c")
    fails(path, DamagedStore, f"{array}.*the data file .* is missing|the data file .*{array}.* is missing")


@pytest.mark.parametrize("layout", ["csr", "bitpacked", "dense"])
def test_a_truncated_data_file_is_damage(make, layout):
    path = make(layout)
    (file,) = [one for one in (path / GROUP).rglob("0") if "counts" in str(one) and one.is_file()]
    file.write_bytes(file.read_bytes()[:40])
    fails(path, DamagedStore, "cannot be read")


def test_a_truncated_table_is_damage(make):
    path = make()
    for file in (path / "lance_db/cells.lance/data").iterdir():
        file.write_bytes(file.read_bytes()[:100])
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match="table 'cells' cannot be read"):
        dataset.numbers("n_genes")


# What contradicts itself.


def test_entries_that_belong_to_no_cell_of_the_group_are_refused(make):
    path = make("csc")
    rewrite(path, "a/genes/csc/indices", lambda lines: np.where(lines == lines.max(), 99, lines))
    fails(path, InvalidStore, r"csc/indices' names line 99, but the group has 25 cells")


@pytest.mark.parametrize(
    "change",
    [
        lambda indptr: indptr[::-1].copy(),
        lambda indptr: indptr + 1,
        lambda indptr: np.where(np.arange(len(indptr)) == 5, 2**40, indptr),
    ],
)
def test_an_indptr_that_does_not_ascend_is_refused(make, change):
    path = make("csc")
    rewrite(path, "a/genes/csc/indptr", change)
    fails(path, InvalidStore, r"csc/indptr' does not ascend from 0 to the \d+ entries")


def test_an_indptr_shorter_than_its_layout_is_refused(make):
    path = make("csc")
    rewrite(path, "a/genes/csc/indptr", lambda indptr: np.array([0, indptr[-1]]))
    fails(path, InvalidStore, r"csc/indptr' has 1 features, but its layout places one at 5")


def test_fewer_values_than_indices_are_refused(make):
    path = make("csr")
    rewrite(path, "a/genes/csr/layers/counts", lambda values: values[:7])
    fails(path, InvalidStore, "has .* indices but 7 values in layers/counts")


@pytest.mark.parametrize("members", [{"end": 10**6}, {"start": -4}, {"start": 9, "end": 3}, {"end": None}])
def test_pointers_beyond_the_entries_are_refused(make, members):
    path = make("csr")
    point(path, **members)
    fails(path, InvalidStore, r"a cell refers to entries .* of 'a/genes/csr', which has")
    fails(path, InvalidStore, r"a cell refers to entries", lambda dataset: dataset.matrix_block(0, 4))


@pytest.mark.parametrize("name", ["../../secret", "/..", "a/../../b", "a\\b", ".", "a//b"])
def test_a_group_outside_of_the_store_is_refused(make, name):
    path = make("csr")
    point(path, zarr_group=name)
    fails(path, InvalidStore, "is not a path within the Zarr store")
    fails(path, InvalidStore, "is not a path within", lambda dataset: dataset.matrix_block(0, 4))


def test_a_group_that_no_dataset_has_is_named(make):
    path = make("csr")
    point(path, zarr_group="elsewhere")
    fails(path, InvalidStore, "cells refer to 'elsewhere', which belongs to no dataset of this snapshot")


def test_a_cell_with_more_entries_than_features_is_refused(make):
    path = make("csr")
    point(path, start=0, end=60)
    fails(path, InvalidStore, "a cell has 60 entries", lambda dataset: dataset.matrix_block(0, 4))


def test_indices_beyond_the_layout_are_refused(make):
    path = make("csr")
    rewrite(path, "a/genes/csr/indices", lambda places: np.where(places == 8, 77, places).astype(np.uint32))
    fails(path, InvalidStore, "csr/indices' holds 77, but its layout has 9", lambda data: data.matrix_block(0, 25))


@pytest.mark.parametrize("place", [-1, 10**12])
def test_places_that_no_layout_can_have_are_refused(make, place):
    path = make("csr")
    uri = str(path / "lance_db" / "_feature_layouts.lance")
    rows = lance.dataset(uri).to_table().to_pylist()
    rows[5]["local_index"] = place
    version = lance.write_dataset(pa.Table.from_pylist(rows), uri, mode="overwrite").version
    record(path, feature_layouts_table_version=version)
    fails(path, InvalidStore, f"the local_index {place}")
    fails(path, InvalidStore, f"the local_index {place}", lambda dataset: dataset.matrix_block(0, 4))


def test_entries_that_a_cell_has_twice_are_added_up(make, truth):
    path = make("csr")
    with open_dataset(path) as dataset:
        block = dataset.matrix_block(0, 1)
        place = int(block.positions[np.flatnonzero(block.values > 0)][0])
    rewrite(path, "a/genes/csr/indices", lambda places: np.where(np.arange(len(places)) == 1, places[0], places))
    with open_dataset(path) as dataset:
        root = zarr.open_group(path / "zarr_store", mode="r")
        total = float(root["a/genes/csr/layers/counts"][:2].sum())
        assert dataset.values(f"ENSG000{place}")[0] == total
        block = dataset.matrix_block(0, 1)
        assert len(np.unique(block.positions)) == len(block.positions)
        assert block.values[block.positions == place].tolist() == [total]


# What would take all memory, run code, or leave the store.


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"zarr_format": 2}, "not a Zarr array of format 3"),
        ({"data_type": "string"}, "holds|lacks a shape, chunks or type"),
        ({"shape": [-1]}, "lacks a shape, chunks or type"),
        ({"codecs": []}, "lists no codecs"),
        ({"codecs": [{"name": "bytes"}, {"name": "numcodecs.pickle"}]}, "uses the codec 'numcodecs.pickle'"),
        ({"codecs": [{"name": "python.eval", "configuration": {}}]}, "uses the codec 'python.eval'"),
        ({"chunk_grid__configuration__chunk_shape": [2**40]}, "chunks per shard"),
        ({"codecs": [{"name": "bytes"}], "chunk_grid__configuration__chunk_shape": [2**40]}, "chunks of .* bytes"),
        ({"storage_transformers": [{"name": "x"}]}, "storage transformers"),
        ({"shape": [3, 3], "chunk_grid__configuration__chunk_shape": [3, 3]}, "chunks .* do not fill"),
    ],
)
def test_metadata_that_cannot_be_read_safely_are_refused(make, changes, sentence):
    path = make("csr")
    edit(path / GROUP / "csr/indices/zarr.json", **changes)
    fails(path, InvalidStore, sentence)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '"x"', "null"])
def test_metadata_that_are_no_metadata_are_refused(make, text):
    path = make("csr")
    (path / GROUP / "csr/indices/zarr.json").write_text(text)
    fails(path, InvalidStore, "csr/indices' cannot be read")


def bare(path: Path, codec: dict, chunk: bytes) -> None:
    """Give an atlas an array of indices that is one chunk, with a codec and bytes of its own."""
    array = path / GROUP / "csr/indices"
    n = json.loads((array / "zarr.json").read_text())["shape"][0]
    codecs = [{"name": "bytes", "configuration": {"endian": "little"}}, codec]
    edit(array / "zarr.json", codecs=codecs, chunk_grid__configuration__chunk_shape=[n])
    (array / "c/0").write_bytes(chunk)


ZEROS = bytes(200 * 2**20)
BOMBS = {
    "gzip": lambda: gzip.compress(ZEROS, 9),
    "zstd": lambda: numcodecs.Zstd().encode(ZEROS),
    "blosc": lambda: numcodecs.Blosc().encode(ZEROS),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_chunk_that_grows_beyond_its_size_is_refused(make, name):
    path = make("csr")
    configuration = {
        "gzip": {"level": 9},
        "zstd": {"level": 0, "checksum": False},
        "blosc": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 1, "blocksize": 0},
    }[name]
    bare(path, {"name": name, "configuration": configuration}, BOMBS[name]())
    tracemalloc.start()
    fails(path, DamagedStore, "csr/indices' cannot be read")
    assert tracemalloc.get_traced_memory()[1] < 30 * 2**20
    tracemalloc.stop()


def test_a_chunk_of_blosc_that_is_cut_is_refused(make):
    path = make("csr")
    described = json.loads((path / GROUP / "csr/indices/zarr.json").read_text())
    values = np.random.default_rng(0).bytes(described["shape"][0] * np.dtype(described["data_type"]).itemsize)
    codec = {"cname": "lz4", "clevel": 5, "shuffle": "noshuffle", "typesize": 1, "blocksize": 0}
    bare(path, {"name": "blosc", "configuration": codec}, numcodecs.Blosc(shuffle=0).encode(values)[:-9])
    fails(path, DamagedStore, "csr/indices' cannot be read: a chunk is cut off after")


@pytest.mark.parametrize("chunk", [b"", b"\0", b"\1\xff\xff\xff\xff" + bytes(99), b"\1\0\0\0\0", bytes([9] * 300)])
def test_bit_packed_chunks_that_are_damaged_are_refused(make, chunk):
    path = make("csr")
    bare(path, {"name": "homeobox.bitpacking", "configuration": {"transform": "delta", "element_size": 4}}, chunk)
    fails(path, DamagedStore, "csr/indices' cannot be read: a bit-packed chunk")


@pytest.mark.parametrize("name", ["csr/indices/c/0", "csr/indices/zarr.json", "csr/indices"])
def test_links_out_of_the_store_are_not_followed(make, tmp_path, name):
    path = make("csr")
    target = path / GROUP / name
    moved = tmp_path / "outside"
    target.rename(moved)
    os.symlink(moved, target)
    fails(path, CxgWidgetError, "lies outside the store")


def test_a_pipe_in_place_of_a_file_does_not_hang(make):
    path = make("csr")
    file = path / GROUP / "csr/indices/c/0"
    file.unlink()
    os.mkfifo(file)
    fails(path, DamagedStore, "is missing")


def test_tables_that_are_links_are_not_followed(make, tmp_path):
    path = make()
    table = path / "lance_db/gene_registry.lance"
    table.rename(tmp_path / "outside.lance")
    os.symlink(tmp_path / "outside.lance", table)
    with pytest.raises(InvalidStore, match="no table 'gene_registry'"):
        open_dataset(path)
    table.unlink()
    (tmp_path / "outside.lance").rename(table)
    (file,) = (table / "data").iterdir()
    file.rename(tmp_path / "data.lance")
    os.symlink(tmp_path / "data.lance", file)
    with pytest.raises(InvalidStore, match="refers to a file outside its folder"):
        open_dataset(path)


def test_quotes_in_names_of_features_are_text(make, truth):
    path = make()
    uri = str(path / "lance_db" / "_feature_layouts.lance")
    wild = "x' OR '1'='1"
    rows = lance.dataset(uri).to_table().to_pylist()
    for row in rows:
        row["feature_uid"] = wild if row["feature_uid"] == "ENSG0005" else row["feature_uid"]
    layouts = lance.write_dataset(pa.Table.from_pylist(rows), uri, mode="overwrite").version
    uri = str(path / "lance_db" / "gene_registry.lance")
    rows = lance.dataset(uri).to_table().to_pylist()
    rows[5]["uid"] = wild
    genes = lance.write_dataset(pa.Table.from_pylist(rows), uri, mode="overwrite").version
    record(path, feature_layouts_table_version=layouts, registry_table_versions=json.dumps({GENES: genes}))
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.values(wild), truth.X[:, 5])
