"""Google's storage by its XML interface, as an emulator such as fake-gcs-server answers it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cxg_widget.cli.main import main
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.detection import detect
from cxg_widget.datasets.storage.options import translate
from cxg_widget.errors import DatasetNotFound, InvalidOption, InvalidStore, StorageDenied
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_truth
from tests.datasets.test_far_anndata import forget_consolidated
from tests.file_server import FileServer

IMPATIENT = {"connect_timeout": 0.2, "read_timeout": 0.6, "max_attempts": 1}
ACCOUNT = {"client_email": "", "private_key": "hush", "private_key_id": "", "disable_oauth": True}


@pytest.fixture(scope="module")
def google(tmp_path_factory):
    """A storage of one bucket, with stores that have no consolidated metadata."""
    server = FileServer(tmp_path_factory.mktemp("google"), lists=True)
    bucket = server.root / "bucket" / "a folder"
    for layout, container in (("csc", "zarr3"), ("csr", "zarr2"), ("csc", "h5ad"), ("dense", "zarr3")):
        path = make_anndata(bucket, make_truth(), layout=layout, container=container, name=f"{layout} é", chunks=16)
        if container != "h5ad":
            forget_consolidated(path)
            path.rename(bucket / f"{layout}-{container}")
    server.endpoint_url = server.url("").rstrip("/")
    yield server
    server.close()


@pytest.mark.parametrize("name", ["csc-zarr3", "csr-zarr2", "dense-zarr3", "csc é.h5ad", "csc-zarr3/"])
@pytest.mark.parametrize("scheme", ["gs", "gcs"])
def test_a_store_in_a_bucket_of_google_is_found_by_what_lies_there(google, name, scheme):
    truth = make_truth()
    options = {"anon": True, "endpoint_url": google.endpoint_url}
    with open_dataset(f"{scheme}://bucket/a folder/{name}", storage_options=options) as dataset:
        np.testing.assert_array_equal(dataset.values(truth.var_labels[3]), truth.X[:, 3])
        np.testing.assert_array_equal(dataset.embedding("umap"), truth.embeddings["umap"][:, :2].astype("f4"))
        assert dataset.sizes["X" if name.startswith("dense") else "X/data"] > 0


def test_tiledb_is_not_asked_for_a_store_of_anndata_in_a_bucket_of_google(google, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", google.endpoint)
    asked = []
    monkeypatch.setattr("cxg_widget.datasets.tiledb_access.detect.identify", lambda *uri: asked.append(uri) or "soma")
    assert detect("gs://bucket/a folder/csc-zarr3", {}) == "zarr"
    assert asked == []
    assert detect("gs://bucket/nothing", {}) == "soma"
    assert detect("gs://nobody/nothing", {}) == "soma"  # credentials may differ
    assert len(asked) == 2


def test_a_bucket_whose_names_may_not_be_listed_holds_consolidated_stores_alone(google, capsys, monkeypatch):
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", google.endpoint)
    truth = make_truth()
    path = make_anndata(google.root / "bucket", truth, layout="csr", container="zarr3", name="unlisted")
    uri = f"gs://bucket/{path.name}"
    google.answer_missing(403)
    try:
        with google.failing("403", at="list-type"):
            with open_dataset(uri) as dataset:
                np.testing.assert_array_equal(dataset.values(truth.var_labels[3]), truth.X[:, 3])
                assert dataset.sizes == {}
            assert main(["inspect", uri]) == 0
            path.rename(path.with_suffix(""))
            with open_dataset(uri.removesuffix(".zarr")) as dataset:
                assert dataset.format == "zarr"
            path.with_suffix("").rename(path)
            assert "unlisted.zarr" in capsys.readouterr().out
            forget_consolidated(path)
            with pytest.raises(InvalidStore, match="no consolidated metadata, and names may not be listed here"):
                open_dataset(uri)
    finally:
        google.answer_missing(404)


@pytest.mark.parametrize(
    ("uri", "sentence"),
    [
        ("gs://bucket/nothing.zarr", "there is no zarr store"),
        ("gs://bucket/nothing.h5ad", "there is no such file"),
        ("gs://bucket/nothing", "the bucket holds no store of this name"),
        ("gs://bucket", "the bucket holds no store of this name"),
        ("gs://nobody/a.h5ad", "no bucket 'nobody'"),
        ("gs://nobody/a.zarr", "no bucket 'nobody'"),
        ("gs://", "names no bucket; write gs://bucket/name.h5ad"),
    ],
)
def test_what_a_bucket_lacks_is_said_in_one_sentence(google, uri, sentence):
    with pytest.raises(DatasetNotFound, match=sentence):
        open_dataset(uri, storage_options={"anon": True, "endpoint_url": google.endpoint_url})


def test_credentials_are_a_file_a_text_or_a_dict_and_say_where_the_storage_is(google, tmp_path):
    uri = "gs://bucket/a folder/csc-zarr3"
    file = tmp_path / "account.json"
    whole = {**ACCOUNT, "gcs_base_url": google.endpoint_url}
    file.write_text(json.dumps(whole))
    for token in (str(file), json.dumps(whole), whole):
        with open_dataset(uri, storage_options={"token": token}) as dataset:
            assert dataset.n_obs == len(make_truth().obs)


def test_those_of_a_person_are_told_from_those_of_a_service(tmp_path):
    file = tmp_path / "application_default_credentials.json"
    file.write_text(json.dumps({"type": "authorized_user", "client_id": "x", "refresh_token": "hush"}))
    assert translate({"token": str(file)}, "gs://bucket/a").config == {"application_credentials": str(file)}
    assert translate({"token": "google_default"}, "gs://bucket/a").config == {}


def test_credentials_that_are_none_are_refused_and_never_repeated(google):
    options = {"endpoint_url": google.endpoint_url, **IMPATIENT}
    for token in ("hush.json", '{"type": "authorized_user", "refresh_token": "hush"}', "{hush", ["hush"]):
        with pytest.raises(InvalidOption, match="'token'") as caught:
            open_dataset("gs://bucket/a.zarr", storage_options={"token": token, **options})
        assert "hush" not in str(caught.value)
    with pytest.raises(InvalidOption, match="do not fit together") as caught:
        open_dataset("gs://bucket/a.zarr", storage_options={"token": {"private_key": ["hush"]}, **options})
    assert caught.value.__cause__ is None
    with pytest.raises(StorageDenied, match=r"pass token \(a file of credentials\)"):
        open_dataset("gs://bucket/a.zarr", storage_options=options)


def test_the_address_of_an_emulator_is_taken_from_the_environment(google, monkeypatch):
    for host in (google.endpoint_url, google.endpoint):
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", host)
        with open_dataset("gs://bucket/a folder/csc é.h5ad") as dataset:
            assert dataset.n_obs == len(make_truth().obs)
