"""What `open_dataset` makes of a path, without the libraries of other stores."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.detection import detect
from cxg_widget.errors import (
    DamagedStore,
    DatasetNotFound,
    InvalidOption,
    InvalidStore,
    InvalidValue,
    MissingDependency,
    UnknownFormat,
)


def zipped(path: Path, member: str) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, "x")


def folder(path: Path, *names: str) -> None:
    for name in names or ("",):
        (path / name).mkdir(parents=True)


FOREIGN = {
    "array": (lambda path: tiledb.from_numpy(str(path), np.zeros(3)), "single TileDB array"),
    "b.zip": (lambda path: zipped(path, "hello"), r"not a CXG.*found: a file"),
    "text.cxg": (lambda path: path.write_text("hello"), r"not a CXG.*found: a file"),
    "empty.cxg": (lambda path: path.touch(), r"found: an empty file"),
    "nothing": (folder, r"found: an empty folder"),
    "other": (lambda path: folder(path, "b", "a"), r"found: a, b"),
    "cut.zip": (lambda path: path.write_bytes(b"PK\x03\x04abc"), r"not a CXG"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_another_store_is_refused_by_its_own_name(tmp_path, name):
    write, sentence = FOREIGN[name]
    write(tmp_path / name)
    with pytest.raises(UnknownFormat, match=sentence):
        open_dataset(tmp_path / name)


def test_a_soma_is_known_by_its_metadata_and_an_empty_one_lacks_its_parts(tmp_path):
    tiledb.group_create(str(tmp_path / "a.soma"))
    with tiledb.Group(str(tmp_path / "a.soma"), "w") as group:
        group.meta["soma_object_type"] = "SOMAExperiment"
    with pytest.raises(InvalidStore, match="not a SOMA experiment; obs is missing"):
        open_dataset(tmp_path / "a.soma")


def test_a_cxg_is_known_whatever_its_name(make):
    path = make()
    renamed = path.rename(path.with_name("anything.h5ad"))
    for uri in (renamed, str(renamed), f"{renamed}/", f"file://{renamed}"):
        with open_dataset(uri) as dataset:
            assert dataset.format == "cxg"
            assert dataset.n_obs == 40


HDF5 = b"\x89HDF\r\n\x1a\n" + bytes(64)
ANNDATA = {
    "a.h5ad": lambda path: path.write_bytes(HDF5),
    "a.loom": lambda path: path.write_bytes(HDF5),
    "no suffix": lambda path: path.write_bytes(HDF5),
    "a.zarr": lambda path: (folder(path), (path / "zarr.json").write_text("{}")),
    "old.zarr": lambda path: (folder(path), (path / ".zattrs").write_text("{}")),
    "named": lambda path: (folder(path), (path / ".zgroup").write_text("{}")),
    "a.zarr.zip": lambda path: zipped(path, ".zgroup"),
    "b.zip": lambda path: zipped(path, "zarr.json"),
}


@pytest.mark.parametrize("name", ANNDATA)
def test_hdf5_and_zarr_of_any_name_go_to_the_reader_of_anndata(tmp_path, name):
    ANNDATA[name](tmp_path / name)
    with pytest.raises((InvalidStore, DamagedStore), match=name):
        open_dataset(tmp_path / name)


@pytest.mark.parametrize(("name", "library"), [("a.h5ad", "h5py"), ("a.zarr", "zarr")])
def test_a_library_that_is_missing_is_named_with_the_command_that_installs_it(tmp_path, monkeypatch, name, library):
    ANNDATA[name](tmp_path / name)
    monkeypatch.setattr("cxg_widget.datasets.readers.find_spec", lambda asked: None if asked == library else object())
    with pytest.raises(MissingDependency, match=rf"{name}.* needs {library}: pip install 'cxg-widget\["):
        open_dataset(tmp_path / name)


@pytest.mark.parametrize(("name", "module"), [("a.h5ad", "anndata.h5"), ("a.zarr", "anndata.zarr_store")])
def test_a_library_that_is_too_old_is_named_with_the_command_that_installs_another(tmp_path, monkeypatch, name, module):
    ANNDATA[name](tmp_path / name)
    monkeypatch.setitem(sys.modules, f"cxg_widget.datasets.{module}", None)  # as where it cannot import what it needs
    with pytest.raises(MissingDependency, match=r"as installed cannot read it .*: pip install --upgrade 'cxg-widget\["):
        open_dataset(tmp_path / name)


def test_format_forces_the_reader(make, tmp_path):
    open_dataset(make(), format="cxg").close()
    folder(tmp_path / "empty")
    with pytest.raises(InvalidStore, match="not a CXG; missing obs, var, emb"):
        open_dataset(tmp_path / "empty", format="cxg")
    with pytest.raises(DatasetNotFound):
        open_dataset(tmp_path / "none", format="cxg")
    with pytest.raises(UnknownFormat, match="this version opens the formats cxg"):
        open_dataset(tmp_path / "an.array", format="tiledb-array")
    with pytest.raises(InvalidValue, match="Did you mean 'cxg'"):
        open_dataset(tmp_path, format="cxgg")


def test_an_mzpeak_is_known_by_its_members_and_a_broken_one_by_its_name(tmp_path):
    zipped(tmp_path / "run.zip", "mzpeak_index.json")
    folder(tmp_path / "unpacked", "mzpeak_index.json")
    (tmp_path / "cut.mzpeak").write_bytes(b"PK\x03\x04abc")
    for name in ("run.zip", "unpacked", "cut.mzpeak"):
        assert detect(str(tmp_path / name), {}) == "mzpeak"
    with pytest.raises(DamagedStore, match=r"cut\.mzpeak: the ZIP archive is truncated"):
        open_dataset(tmp_path / "cut.mzpeak")
    with pytest.raises(InvalidStore, match=r"s3://bucket/a\.mzpeak: mzPeak opens only from local files"):
        open_dataset("s3://bucket/a.mzpeak")


def test_a_path_with_nothing_is_not_found(tmp_path):
    with pytest.raises(DatasetNotFound, match="no such file or directory") as caught:
        open_dataset(tmp_path / "no.cxg")
    assert isinstance(caught.value, FileNotFoundError)
    assert str(tmp_path) in str(caught.value)


def test_a_file_of_r_names_the_call_that_converts_it(tmp_path):
    (tmp_path / "blood.rds").write_bytes(b"\x1f\x8b")
    call = r"anndataR::write_h5ad\(anndataR::as_AnnData\(readRDS\('blood.rds'\)\), 'blood.h5ad'\)"
    with pytest.raises(UnknownFormat, match=f"Convert it in R: {call}"):
        open_dataset(tmp_path / "blood.rds")


def test_a_remote_store_of_another_kind_is_known_by_its_suffix():
    with pytest.raises(UnknownFormat, match=r"remote AnnData is read from .*s3://"):
        open_dataset("ftp://bucket/a.h5ad")


def test_a_remote_uri_that_cannot_be_asked_is_not_found():
    with pytest.raises(DatasetNotFound, match="nofs://x"):
        open_dataset("nofs://x/a.cxg")


def test_schemes_other_than_file_are_remote():
    assert [is_remote(uri) for uri in ("s3://b/x", "tiledb://n/a", "file:///x", "/x", "C:\\x")] == [
        True,
        True,
        *[False] * 3,
    ]


@pytest.mark.parametrize("uri", [5, None, b"/x", ["a"]])
def test_what_is_no_path_is_refused(uri):
    with pytest.raises(InvalidOption):
        open_dataset(uri)


def test_an_unknown_option_comes_with_the_nearest(make):
    path = make()
    with pytest.raises(InvalidOption, match="Did you mean 'cache_bytes'") as caught:
        open_dataset(path, cache_byte=3)
    assert isinstance(caught.value, TypeError)
    for options, error in (
        ({"cache_bytes": "many"}, InvalidOption),
        ({"cache_bytes": True}, InvalidOption),
        ({"cache_bytes": -1}, InvalidValue),
        ({"ctx": 3}, InvalidOption),
        ({"config": 3}, InvalidOption),
        ({"config": {"no.such": {}, "sm.memory_budget": "many"}}, InvalidOption),
        ({"ctx": tiledb.Ctx(), "config": {}}, InvalidOption),
    ):
        with pytest.raises(error):
            open_dataset(path, **options)


def test_the_home_folder_is_expanded(make, monkeypatch):
    path = make()
    monkeypatch.setenv("HOME", str(path.parent))
    open_dataset("~/small.cxg").close()


def test_a_bucket_that_cannot_be_reached_is_said_in_one_sentence():
    nowhere = {"vfs.s3.endpoint_override": "127.0.0.1:9", "vfs.s3.scheme": "http", "vfs.s3.connect_max_tries": 1}
    with pytest.raises(ConnectionError) as caught:
        open_dataset("s3://bucket/data.cxg", config=nowhere)
    sentence = str(caught.value)
    assert sentence.startswith("s3://bucket/data.cxg: the storage cannot be reached: no server answers")
    assert "127.0.0.1 port 9" in sentence
