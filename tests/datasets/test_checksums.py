"""Laws of checksums: where a store has them, one changed bit of a value is damage, and never another value."""

import shutil
import zipfile

import h5py
import numpy as np
import pytest
import tiledb
import zarr
from zarr.codecs import Crc32cCodec

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import DamagedStore
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.datasets.make_cxg import make_cxg, make_truth


def flip(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("checksum", [tiledb.ChecksumSHA256Filter, tiledb.ChecksumMD5Filter])
def test_of_tiledb(tmp_path, checksum):
    truth = make_truth()
    path = make_cxg(tmp_path / "a.cxg", truth)
    umap = path / "emb" / "umap"
    with tiledb.open(str(umap)) as array:
        domain, values, attr = array.schema.domain, array[:], array.schema.attr(0)
    shutil.rmtree(umap)
    attrs = [tiledb.Attr(name=attr.name, dtype=attr.dtype, filters=[checksum()])]
    tiledb.Array.create(str(umap), tiledb.ArraySchema(domain=domain, attrs=attrs))
    with tiledb.open(str(umap), "w") as array:
        array[:] = values
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.embedding("umap"), truth.embeddings["umap"])
    (file,) = umap.rglob("a0.tdb")
    at = file.read_bytes().index(truth.embeddings["umap"][7].tobytes())
    flip(file, at)
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match="umap"):
        dataset.embedding("umap")


def test_of_hdf5(tmp_path):
    truth = truth_of("0.8")
    path = make_anndata(tmp_path, truth)
    values = truth.obs["score"].to_numpy()
    with h5py.File(path, "r+") as file:
        attrs = dict(file["obs/score"].attrs)
        del file["obs/score"]
        file.create_dataset("obs/score", data=values, chunks=values.shape, fletcher32=True).attrs.update(attrs)
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.numbers("score"), values)
    flip(path, path.read_bytes().rindex(values.tobytes()) + 40)
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match="score"):
        dataset.numbers("score")


def test_of_zarr(tmp_path):
    truth = truth_of("0.8")
    path = make_anndata(tmp_path, truth, container="zarr3")
    values = truth.obs["score"].to_numpy()
    root = zarr.open_group(str(path), zarr_format=3)
    attrs = dict(root["obs/score"].attrs)
    del root["obs/score"]
    made = root.create_array(
        "obs/score", shape=values.shape, chunks=values.shape, dtype=values.dtype, compressors=[Crc32cCodec()]
    )
    made[...] = values
    made.attrs.update(attrs)
    zarr.consolidate_metadata(root.store)
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.numbers("score"), values)
    flip(path / "obs/score/c/0", 40)
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match="score"):
        dataset.numbers("score")


def test_of_a_zip_archive(tmp_path):
    path = make_anndata(tmp_path, truth_of("0.8"), container="zip")
    with zipfile.ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    chunk = "obs/score/c/0"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in kept.items():
            archive.writestr(name, content)
    flip(path, path.read_bytes().index(kept[chunk]) + len(kept[chunk]) - 1)
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match="score"):
        dataset.numbers("score")
