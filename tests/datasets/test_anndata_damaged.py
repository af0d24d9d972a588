"""What AnnData stores say when they are damaged, contradict themselves or mean harm; the rest stays readable."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import shutil
import tracemalloc
import warnings
import zipfile

import h5py
import numcodecs
import numpy as np
import pytest
import zarr

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.anndata import stored_columns
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidStore, MissingDependency
from tests.datasets.make_anndata import LAYOUTS, make_anndata, truth_of


@pytest.fixture
def truth():
    return truth_of("0.8")


@pytest.fixture
def path(tmp_path, truth):
    return make_anndata(tmp_path, truth, chunks=16)


def peak_of(read) -> int:
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def refused(read, error=CxgWidgetError, match=""):
    with pytest.raises(error, match=match):
        read()


# --- damage -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("left", [0.02, 0.3, 0.6, 0.95])
def test_a_truncated_file_is_damaged_and_said_so(path, left):
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * left)])
    refused(lambda: open_dataset(path), DamagedStore, r"small\.h5ad: the file is truncated")


@pytest.mark.parametrize("container", ["zarr2", "zarr3", "zip"])
def test_a_chunk_of_blosc_that_is_cut_anywhere_never_reads_as_other_values(tmp_path, truth, container):
    path = make_anndata(tmp_path, truth, container="zarr2" if container == "zarr2" else "zarr3")
    compressor = numcodecs.Blosc() if container == "zarr2" else zarr.codecs.BloscCodec()
    group = zarr.open_group(path, mode="a", use_consolidated=False)["obs"]
    attrs, values = dict(group["score"].attrs), np.asarray(group["score"][:])
    group.create_array("score", data=values, compressors=compressor, attributes=attrs, overwrite=True)
    zarr.consolidate_metadata(group.store)
    chunk = max((one for one in (path / "obs/score").rglob("*") if one.is_file()), key=lambda one: one.name == "0")
    whole = chunk.read_bytes()
    for length in {0, 3, 12, 15, 16, 17, len(whole) // 2, len(whole) - 9, len(whole) - 1, len(whole)}:
        chunk.write_bytes(whole[:length])
        with open_dataset(_zipped(path) if container == "zip" else path) as dataset:
            if length == len(whole):
                np.testing.assert_array_equal(dataset.obs(["score"])["score"], values)
            else:
                refused(lambda: dataset.obs(["score"]), DamagedStore, "cannot read obs/score: ")


def test_a_node_whose_name_is_no_utf_8_harms_no_other(path, truth):
    with h5py.File(path, "r+") as file:
        file["obsm"][b"X_\xff\xfe"] = np.zeros((len(truth.obs), 2))
    with open_dataset(path) as dataset:
        assert dataset.sizes
        assert "umap" in dataset.embeddings
        for name in dataset.embeddings:
            assert len(dataset.embedding(name)) == len(truth.obs)


def test_a_zip_archive_whose_list_of_members_is_damaged_is_one_sentence(tmp_path, truth):
    path = make_anndata(tmp_path, truth, container="zip")
    whole = path.read_bytes()
    first = whole.index(b"PK\1\2")
    for at in range(first, first + 46):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x94]) + whole[at + 1 :])
        with contextlib.suppress(CxgWidgetError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            open_dataset(path).close()


def _zipped(path):
    with warnings.catch_warnings(), zipfile.ZipFile(f"{path}.zip", "w") as archive:
        for file in sorted(one for one in path.rglob("*") if one.is_file()):
            archive.write(file, file.relative_to(path))
    return f"{path}.zip"


def test_a_broken_chunk_fails_one_column_and_nothing_else(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    with h5py.File(path, "r+") as file:
        values = file["obs/score"][:]
        del file["obs/score"]
        made = file["obs"].create_dataset("score", data=values, chunks=(40,), compression="gzip", shuffle=True)
        place = made.id.get_chunk_info(0)
    raw = bytearray(path.read_bytes())
    raw[place.byte_offset : place.byte_offset + place.size] = bytes(place.size)
    path.write_bytes(raw)
    with open_dataset(path) as dataset:
        refused(lambda: dataset.numbers("score"), DamagedStore, r"cannot read obs/score: data are missing or damaged")
        with pytest.warns(UserWarning, match="score"):
            assert "score" not in dataset.obs()
        np.testing.assert_array_equal(dataset.values(truth.var_labels[1]), truth.X[:, 1])


def places_of_values(path):
    """Return offset and length of what datasets hold.

    Damage to the structure, and to references to strings, is HDF5's own affair: its library may then never return.
    """
    found = []

    def settings(_, node):
        if isinstance(node, h5py.Dataset) and node.chunks and node.dtype.kind != "O":
            chunks = (node.id.get_chunk_info(number) for number in range(node.id.get_num_chunks()))
            found.extend((chunk.byte_offset, chunk.size) for chunk in chunks)
        elif isinstance(node, h5py.Dataset) and node.id.get_offset() is not None and node.dtype.kind != "O":
            found.append((node.id.get_offset(), node.id.get_storage_size()))

    with h5py.File(path) as file:
        file.visititems(settings)
    return found


def test_random_damage_of_values_never_ends_in_anything_but_a_sentence(tmp_path, truth):
    path = make_anndata(tmp_path, truth, chunks=16)
    whole = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    places = places_of_values(path)
    assert len(places) > 30
    rng = np.random.default_rng(0)
    said = 0
    for _ in range(40):
        broken = whole.copy()
        for offset, size in (places[number] for number in rng.integers(0, len(places), 10)):
            broken[offset + rng.integers(size)] = rng.integers(0, 256)
        path.write_bytes(broken.tobytes())
        with warnings.catch_warnings(action="ignore"):
            try:
                with open_dataset(path) as dataset:
                    read_all(dataset)
            except CxgWidgetError:
                said += 1
    assert said < 40


def read_all(dataset):
    for name in dataset.obs_columns:
        try:
            dataset.obs([name])
        except CxgWidgetError:
            continue
    for name in list(dataset.var_labels)[:9]:
        try:
            dataset.values(name)
        except CxgWidgetError:
            continue
    for name in dataset.embeddings:
        try:
            dataset.embedding(name)
        except CxgWidgetError:
            continue


@pytest.mark.parametrize("container", ["zarr2", "zarr3"])
def test_a_broken_zarr_chunk_is_damage(tmp_path, truth, container):
    path = make_anndata(tmp_path, truth, container=container)
    (chunk,) = [one for one in (path / "obs/score").rglob("*") if one.is_file() and one.name in ("0", "0.0")]
    chunk.write_bytes(b"no codec wrote this")
    with open_dataset(path) as dataset:
        refused(lambda: dataset.numbers("score"), DamagedStore, "obs/score")
        np.testing.assert_array_equal(dataset.numbers("n_genes"), truth.obs["n_genes"])


@pytest.mark.parametrize("container", ["zarr2", "zarr3", "zip"])
@pytest.mark.parametrize("lost", ["obs/is_doublet", "obs/cell_type/categories", "X/indices", "obsm/X_umap"])
def test_an_array_that_lost_all_of_its_files_is_damage_and_not_fill_values(tmp_path, truth, container, lost):
    path = make_anndata(tmp_path, truth, container=container)
    if container == "zip":
        with zipfile.ZipFile(path) as archive:
            kept = {name: archive.read(name) for name in archive.namelist() if not name.startswith(f"{lost}/")}
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in kept.items():
                archive.writestr(name, content)
    else:
        shutil.rmtree(path / lost)
    with open_dataset(path) as dataset:
        read = {
            "obs/is_doublet": lambda: dataset.numbers("is_doublet"),
            "obs/cell_type/categories": lambda: dataset.codes("cell_type"),
            "X/indices": lambda: dataset.values(truth.var_labels[0]),
            "obsm/X_umap": lambda: dataset.embedding("umap"),
        }
        refused(read.pop(lost), DamagedStore, f"{lost} is missing: the consolidated metadata list it")
        for other in read.values():
            other()


@pytest.mark.parametrize("text", ["{", "[]", '{"zarr_format": 9}', '{"zarr_format": 3, "node_type": "group"}'])
def test_broken_zarr_metadata_are_said_in_a_sentence(tmp_path, truth, text):
    path = make_anndata(tmp_path, truth, container="zarr3")
    (path / "zarr.json").write_text(text)
    if "group" in text:  # the same without consolidated metadata: slower, but all is there
        with open_dataset(path) as dataset:
            assert dataset.n_obs == 40
    else:
        refused(lambda: open_dataset(path), (DamagedStore, InvalidStore), "small.zarr")


def test_a_cut_archive_is_damaged(tmp_path, truth):
    path = make_anndata(tmp_path, truth, container="zip")
    path.write_bytes(path.read_bytes()[:-200])
    refused(lambda: open_dataset(path, format="zarr"), DamagedStore, "small.zarr.zip")


# --- contradictions -----------------------------------------------------------------------------------------------


def change(path, name, values):
    with h5py.File(path, "r+") as file:
        attrs = dict(file[name].attrs)
        del file[name]
        file[name] = values
        file[name].attrs.update(attrs)


@pytest.mark.parametrize(
    "wrong",
    [
        ("X/indptr", np.arange(7), "X/indptr has 7 entries; 40 lines need 41"),
        ("X/indptr", np.arange(41)[::-1].copy(), "must ascend from 0"),
        ("X/indptr", np.arange(41) * 10**9, "must ascend from 0"),
        ("X/indices", np.zeros(3, np.int32), "values but 3 indices"),
        ("X/data", np.zeros((3, 3)), "X has no usable data"),
    ],
)
@pytest.mark.parametrize("memory_bytes", [0, 10**6])
def test_sparse_parts_that_contradict_each_other_are_refused(path, truth, memory_bytes, wrong):
    name, values, sentence = wrong
    change(path, name, values)
    with open_dataset(path, memory_bytes=memory_bytes) as dataset:
        refused(lambda: dataset.values(truth.var_labels[0]), InvalidStore, sentence)
        refused(lambda: dataset.matrix_block(0, 3), InvalidStore, sentence)


@pytest.mark.parametrize("wrong", [9, 10**6, -1])
@pytest.mark.parametrize("memory_bytes", [0, 10**6])
def test_positions_out_of_range_never_reach_scipy(path, truth, memory_bytes, wrong):
    with h5py.File(path, "r+") as file:
        file["X/indices"][5] = wrong
    with open_dataset(path, memory_bytes=memory_bytes) as dataset:
        refused(lambda: dataset.values(truth.var_labels[0]), InvalidStore, rf"X/indices names position {wrong}")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_matrix_of_another_shape_is_refused(tmp_path, truth, layout):
    path = make_anndata(tmp_path, truth, layers={"odd": (truth.X[:7], layout)})
    with open_dataset(path) as dataset:
        refused(lambda: dataset.values(truth.var_labels[0], "odd"), InvalidStore, r"layer 'odd' is 7x9 but obs has 40")


@pytest.mark.parametrize("values", [3.0, h5py.Empty("f4")], ids=["a number", "nothing"])
def test_a_sparse_matrix_without_an_array_of_values_is_refused_and_described_as_nothing(path, truth, values):
    with h5py.File(path, "r+") as file:
        del file["X/data"]
        file["X/data"] = values
    with open_dataset(path) as dataset:
        assert dataset.details["X"] == {}
        refused(lambda: dataset.values(truth.var_labels[0]), InvalidStore, "X has no usable data")


def test_codes_without_a_category_are_refused(path):
    with h5py.File(path, "r+") as file:
        file["obs/cell_type/codes"][3] = 77
    with open_dataset(path) as dataset:
        sentence = "obs column 'cell_type' holds code 77 but only 4 categories are declared"
        refused(lambda: dataset.codes("cell_type"), InvalidStore, sentence)


def test_a_mask_of_another_length_leaves_the_column_out(path):
    with h5py.File(path, "r+") as file:
        group = file["obs"].create_group("masked")
        group.attrs["encoding-type"] = "nullable-integer"
        group["values"], group["mask"] = np.zeros(40, int), np.zeros(3, bool)
        file["obs"].attrs["column-order"] = [*file["obs"].attrs["column-order"], "masked"]
    with open_dataset(path) as dataset:
        assert "masked" not in dataset.obs_columns
        assert any("a mask of shape (3,)" in note for note in dataset.notes)


@pytest.mark.parametrize("part", ["obs", "var"])
def test_without_obs_or_var_it_is_no_anndata(path, part):
    with h5py.File(path, "r+") as file:
        del file[part]
    refused(lambda: open_dataset(path), InvalidStore, rf"HDF5 file but not AnnData \(no {part}; top-level keys: X")


# --- harm ---------------------------------------------------------------------------------------------------------


def test_a_tiny_file_that_declares_a_million_million_rows_takes_no_memory(tmp_path):
    path = tmp_path / "huge.h5ad"
    n = 10**12
    with h5py.File(path, "w") as file:
        for part in ("obs", "var"):
            group = file.create_group(part)
            group.attrs["_index"], group.attrs["column-order"] = "_index", np.empty(0)
            group.create_dataset("_index", (n,), h5py.string_dtype(), chunks=(1024,))
        file.create_dataset("X", (n, n), np.float32, chunks=(64, 64))
    assert path.stat().st_size < 10**5
    peak = peak_of(lambda: refused(lambda: open_dataset(path), InvalidStore, "declares 1,000,000,000,000 values but"))
    assert peak < 2**24


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_so_does_a_tiny_zarr_store(tmp_path, zarr_format):
    path = tmp_path / "huge.zarr"
    root = zarr.open_group(str(path), mode="w", zarr_format=zarr_format)
    for part in ("obs", "var"):
        group = root.create_group(part, attributes={"_index": "_index", "column-order": []})
        group.create_array("_index", shape=(10**12,), chunks=(10**6,), dtype="int64")
    peak = peak_of(lambda: refused(lambda: open_dataset(path), InvalidStore, "declares 1,000,000,000,000 values but"))
    assert peak < 2**24


def test_columns_and_matrices_of_absurd_sizes_are_refused(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    n = 10**12
    with h5py.File(path, "r+") as file:
        file["obs"].create_dataset("huge", (n,), np.int8, chunks=(1024,))
        many = file["obs"].create_group("coded")
        many.attrs["encoding-type"] = "categorical"
        many["codes"] = np.zeros(40, np.int8)
        many.create_dataset("categories", (n,), np.int64, chunks=(1024,))
        file["obs"].attrs["column-order"] = [*file["obs"].attrs["column-order"], "huge", "coded"]
        layer = file.create_group("layers/sparse")
        layer.attrs["encoding-type"], layer.attrs["shape"] = "csr_matrix", (40, 9)
        for name in ("data", "indices"):
            layer.create_dataset(name, (n,), np.int32, chunks=(1024,))
        layer["indptr"] = np.linspace(0, n, 41).astype(np.int64)

    def read():
        with open_dataset(path, memory_bytes=2**50) as dataset:
            assert not {"huge", "coded"} & set(dataset.obs_columns)
            refused(lambda: dataset.values(truth.var_labels[0], "sparse"), InvalidStore, "takes 0 bytes")
            refused(lambda: dataset.matrix_block(0, 40, "sparse"), InvalidStore, "takes 0 bytes")

    assert peak_of(read) < 2**24


def with_categories(path, **options):
    """Give the column cell_type categories of other sizes."""
    with h5py.File(path, "r+") as file:
        column = file["obs/cell_type"]
        attrs = dict(column["categories"].attrs)
        del column["categories"]
        column.create_dataset("categories", **options).attrs.update(attrs)


@pytest.mark.parametrize("options", [
    {"shape": (300,), "dtype": "S3000000", "chunks": (1,), "compression": "gzip"},
    {"shape": (300,), "dtype": "S300000", "chunks": (1,), "compression": "gzip"},
    {"shape": (2**23,), "dtype": "i8", "chunks": (2**20,), "compression": "gzip"},
    {"shape": (2**23,), "dtype": h5py.string_dtype(), "chunks": (2**20,), "compression": "gzip"},
])  # fmt: skip
def test_a_column_that_declares_more_categories_than_its_bytes_can_hold_is_left_out_with_a_note(path, options):
    with_categories(path, **options)
    with h5py.File(path, "r+") as file:  # that some bytes were written is no reason to take memory for all
        file["obs/cell_type/categories"][:2] = [b"0" * 8, b"1" * 8] if options["dtype"] != "i8" else [0, 1]
    dataset = None

    def opened():
        nonlocal dataset
        dataset = open_dataset(path)

    assert peak_of(opened) < 2**24
    with dataset:
        assert "cell_type" not in dataset.obs_columns
        assert any("'cell_type'" in note for note in dataset.notes)


def test_strings_that_lie_at_one_place_of_a_file_take_no_memory_for_each(path, monkeypatch):
    """A file may name one string a thousand times: few bytes there, 3 MB each in memory."""
    monkeypatch.setattr(stored_columns, "MAX_CATEGORY_BYTES", 2**22)
    with_categories(path, data=[f"{i:08d}" * 40_000 for i in range(100)], dtype=h5py.string_dtype())
    with open_dataset(path) as dataset:
        refused(lambda: dataset.codes("cell_type"), InvalidStore, "take more than 4,194,304 bytes of text")


@pytest.mark.parametrize("container", ["h5ad", "zarr2"])
def test_chunks_of_absurd_sizes_are_not_decoded(tmp_path, truth, container):
    path = make_anndata(tmp_path, truth, container=container)
    chunk = 2**31 // 8 + 1
    if container == "h5ad":
        with h5py.File(path, "r+") as file:
            del file["obs/score"]
            file["obs"].create_dataset(
                "score", (40,), np.float64, chunks=(chunk,), maxshape=(None,), compression="gzip"
            )
    else:
        root = zarr.open_group(str(path), zarr_format=2)
        del root["obs/score"]
        root["obs"].create_array("score", shape=(40,), chunks=(chunk,), dtype="float64")
        zarr.consolidate_metadata(str(path))
    with open_dataset(path) as dataset:
        peak = peak_of(lambda: refused(lambda: dataset.numbers("score"), InvalidStore, "too large to decode"))
        assert peak < 2**24


@pytest.mark.parametrize("where", ["obs/score", "obs", "X", "obsm/X_umap", "uns", "raw"])
def test_links_to_other_files_are_not_followed(tmp_path, truth, where):
    path = make_anndata(tmp_path, truth)
    other = make_anndata(tmp_path, truth, name="other")
    with h5py.File(path, "r+") as file:
        if where in file:
            del file[where]
        file[where] = h5py.ExternalLink(str(other), where if where != "raw" else "X")
    if where == "obs":
        refused(lambda: open_dataset(path), InvalidStore, "not AnnData")
        return
    with open_dataset(path) as dataset:
        if where == "X":
            refused(lambda: dataset.values(truth.var_labels[0]), InvalidStore, "X is a link to another file")
        assert "score" not in dataset.obs_columns or where != "obs/score"
        assert "umap" not in dataset.embeddings or where != "obsm/X_umap"
        assert any("not followed" in note for note in (*dataset.notes, *dataset._unusable.values()))


def test_links_inside_of_the_file_are_followed_but_not_in_circles(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    with h5py.File(path, "r+") as file:
        file["layers/same"] = h5py.SoftLink("/X")
        file["layers/beside"] = h5py.SoftLink("same")
        file["layers/round"] = h5py.SoftLink("/layers/around")
        file["layers/around"] = h5py.SoftLink("/layers/round")
        file["layers/nowhere"] = h5py.SoftLink("/no/such")
        file["layers/loop"] = file["layers"]
    with open_dataset(path) as dataset:
        assert dataset.layers == ("beside", "same")
        np.testing.assert_array_equal(dataset.values(truth.var_labels[1], "beside"), truth.X[:, 1])
        assert any("leads back to itself" in note for note in dataset.notes)
        assert dataset.sizes


def test_virtual_and_external_data_are_not_read(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    secret = tmp_path / "secret.bin"
    np.arange(40, dtype=np.float32).tofile(secret)
    with h5py.File(path, "r+") as file:
        del file["obs/score"], file["obs/n_genes"]
        file["obs"].create_dataset("score", (40,), np.float32, external=[(str(secret), 0, 160)])
        layout = h5py.VirtualLayout((40,), np.int32)
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", (40,))
        file["obs"].create_virtual_dataset("n_genes", layout)
    with open_dataset(path) as dataset:
        for name in ("score", "n_genes"):
            refused(lambda name=name: dataset.numbers(name), InvalidStore, f"obs/{name} lie in other files")


@pytest.mark.parametrize("container", ["zarr2", "zarr3"])
@pytest.mark.parametrize("what", ["chunk", "array"])
def test_links_out_of_a_zarr_folder_are_not_followed(tmp_path, truth, container, what):
    path = make_anndata(tmp_path, truth, container=container)
    (tmp_path / "elsewhere").mkdir()
    other = make_anndata(tmp_path / "elsewhere", truth, container=container)
    place = path / "obs/score"
    if what == "chunk":
        place = next(one for one in place.rglob("*") if one.is_file() and one.name == "0")
    target = other / place.relative_to(path)
    place.rename(tmp_path / "aside")
    os.symlink(target, place)
    with open_dataset(path) as dataset:
        refused(lambda: dataset.numbers("score"), InvalidStore, "is a link out of the store")
    whole = tmp_path / "link.zarr"
    os.symlink(other, whole)
    with open_dataset(whole) as dataset:
        np.testing.assert_array_equal(dataset.numbers("score"), truth.obs["score"])


def test_pickled_objects_are_not_decoded(tmp_path, truth):
    path = make_anndata(tmp_path, truth, container="zarr2")

    class Harm:
        def __reduce__(self):
            return (open, (str(tmp_path / "harmed"), "w"))

    score = path / "obs/score"
    values = np.empty(40, dtype=object)
    values[:] = [Harm()] * 40
    (score / "0").write_bytes(pickle.dumps(values))
    (score / ".zarray").write_text(
        '{"zarr_format": 2, "shape": [40], "chunks": [40], "dtype": "|O", "compressor": null, "fill_value": null,'
        ' "order": "C", "filters": [{"id": "pickle"}]}'
    )
    (path / ".zmetadata").unlink()
    try:
        with open_dataset(path) as dataset:
            if "score" in dataset.obs_columns:
                refused(lambda: dataset.codes("score"), (InvalidStore, DamagedStore))
    except CxgWidgetError:
        pass
    assert not (tmp_path / "harmed").exists()


def test_members_of_an_archive_that_lead_out_of_it_or_unpack_to_absurd_sizes_are_harmless(tmp_path, truth, monkeypatch):
    obsm = {"X_wide": np.random.default_rng(0).normal(size=(40, 2000)), "X_pair": np.ones((40, 2))}
    path = make_anndata(tmp_path, truth, container="zip", obsm=obsm)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../../outside.txt", "x")
    before = set(tmp_path.rglob("*"))
    monkeypatch.setattr("cxg_widget.datasets.anndata.zarr_store.MAX_CHUNK_BYTES", 300_000)
    with open_dataset(path) as dataset:
        refused(lambda: dataset.embedding("wide"), InvalidStore, "which is too large")
        assert dataset.embedding("pair").sum() == 80
    assert set(tmp_path.rglob("*")) == before


def test_a_filter_that_is_not_there_is_named_with_the_package_that_has_it(path, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.anndata.h5._is_known", lambda code: code != h5py.h5z.FILTER_DEFLATE)
    with h5py.File(path, "r+") as file:
        del file["obs/score"]
        file["obs"].create_dataset("score", data=np.zeros(40), compression="gzip")
    with open_dataset(path) as dataset:
        refused(lambda: dataset.numbers("score"), MissingDependency, r"obs/score is compressed with .*hdf5plugin")
        dataset.numbers("n_genes")


def test_names_in_other_bytes_than_utf8_are_shown_with_a_mark(path):
    with h5py.File(path, "r+") as file:
        del file["obs/donor"]
        file["obs/donor"] = np.array([b"\xff\xfe", *[b"ok"] * 39])
    with open_dataset(path) as dataset:
        assert dataset.codes("donor").categories == ("ok", "\ufffd\ufffd")


def test_a_file_that_may_not_be_read_is_said_in_a_sentence(path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    path.chmod(0)
    refused(lambda: open_dataset(path, format="h5ad"), DamagedStore, "Permission denied")


def test_bytes_behind_the_signature_of_hdf5_are_damage(tmp_path):
    for name, content in (("a.h5ad", b""), ("b.h5ad", b"\x89HDF\r\n\x1a\n"), ("c.h5ad", io.BytesIO(b"x" * 999).read())):
        (tmp_path / name).write_bytes(content)
        refused(lambda name=name: open_dataset(tmp_path / name, format="h5ad"), DamagedStore, name)
