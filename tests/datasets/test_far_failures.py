"""What servers, connections and people do to a read far away: a sentence each, and no secret in any."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
import traceback
from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest

from cxg_widget.compute.parallel import Call
from cxg_widget.convert.to_cxg import read_embedding
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.cxg.validation.validate import validate
from cxg_widget.datasets.storage.failures import failure
from cxg_widget.datasets.storage.objects import Objects
from cxg_widget.datasets.storage.options import translate
from cxg_widget.datasets.storage.range_file import RangeFile
from cxg_widget.errors import (
    DamagedStore,
    DatasetNotFound,
    InvalidOption,
    StorageDenied,
    StorageUnavailable,
    UnknownFormat,
)
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_truth
from tests.file_server import FileServer

SIGNED = "?X-Amz-Signature=hush%2Fhush&X-Amz-Credential=hush"
USER = "me:hush"
IMPATIENT = {"connect_timeout": 0.2, "read_timeout": 0.6, "max_attempts": 1}


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    server = FileServer(tmp_path_factory.mktemp("www"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def truth():
    return make_truth(n_obs=400, n_var=120)


@pytest.fixture(scope="module", params=["h5ad", "zarr3"])
def store(request, web, truth):
    return make_anndata(web.root, truth, layout="csc", container=request.param, name="far é 1", chunks=64)


# Secrets.


@pytest.mark.parametrize("kind", ["403", "418", "500", "503", "cut", "slow", "missing"])
def test_nothing_that_is_signed_is_in_a_traceback(web, store, kind, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.storage.options._SLACK_S", 0.0)
    uri = f"{web.url(store.name if kind != 'missing' else f'nothing{store.suffix}', user=USER)}{SIGNED}"
    with web.failing(kind, seconds=0.75), pytest.raises(Exception, match=r"far|nothing") as caught:
        open_dataset(uri, storage_options=IMPATIENT)
    assert "hush" not in "".join(traceback.format_exception(caught.value))


def test_a_name_and_a_password_before_a_host_are_sent_with_each_request(web, store):
    server = FileServer(web.root)
    with open_dataset(server.url(store.name, user="me:a%2Fb")) as dataset:
        dataset.embedding()
        expected = f"Basic {b64encode(b'me:a/b').decode()}"
        assert {one.get("authorization") for one in server.headers()} == {expected}
        assert "a%2Fb" not in dataset.title
    server.close()
    given = {"headers": {"authorization": "Bearer 1"}}
    assert translate(given, "https://me:hush@host/a").client["default_headers"] == {"authorization": "Bearer 1"}


# Servers.


def test_a_redirect_to_another_server_is_followed(web, store, truth, tmp_path):
    other = FileServer(web.root)
    with (
        web.failing(f"redirect {other.url('').rstrip('/')}"),
        open_dataset(f"{web.url(store.name)}{SIGNED}") as dataset,
    ):
        np.testing.assert_array_equal(dataset.values("ENSG0007"), truth.X[:, 7])
        assert other.requests()
    other.close()


def test_a_redirect_in_a_circle_is_one_sentence(web, store):
    with (
        web.failing(f"redirect {web.url('').rstrip('/')}"),
        pytest.raises(StorageUnavailable, match="redirects in a loop"),
    ):
        open_dataset(web.url(store.name), storage_options=IMPATIENT)


def test_a_file_of_no_bytes_is_said_to_be_empty(web):
    (web.root / "empty.h5ad").write_bytes(b"")
    with pytest.raises(DamagedStore, match="a file is empty"):
        open_dataset(web.url("empty.h5ad"))


@pytest.mark.parametrize(
    ("said", "error", "sentence"),
    [
        (
            "kind: Connect ... InvalidCertificate(Other(OtherError(CaUsedAsEndEntity)))",
            StorageUnavailable,
            "not trusted",
        ),
        ("kind: Connect ... InvalidCertificate(UnknownIssuer)", StorageUnavailable, "not trusted"),
        ("kind: Connect ... InvalidCertificate(NotValidForNameContext {", StorageUnavailable, "for another name"),
        ("kind: Connect ... InvalidCertificate(ExpiredContext {", StorageUnavailable, "has expired"),
        ("Generic HTTP error: Content-Length Header missing from response", UnknownFormat, "the size of its files"),
        ('Failed to parse value for CONTENT_RANGE header: "bytes 0-9/*"', UnknownFormat, "the size of its files"),
        ("HTTP error: error following redirect ... kind: Redirect", StorageUnavailable, "from https:// to http://"),
        ("Server returned non-2xx status code: 410 Gone: <html>hush</html>", StorageDenied, r"the request \(410\)"),
    ],
)
def test_what_obstore_says_is_said_for_a_person(said, error, sentence):
    found = failure(OSError(said), "https://host/a.h5ad", "the file")
    assert isinstance(found, error)
    with pytest.raises(error, match=sentence):
        raise found


# A file that changes, and the end of reading.


def test_ranges_that_hdf5_itself_asks_for_are_of_the_file_that_was_opened(web):
    path = web.root / "blocks.bin"
    path.write_bytes(bytes(2**22))
    file = RangeFile(Objects(web.url(path.name)))
    path.write_bytes(bytes([1]) * 2**22)
    for places in ([(2**20, 2**20 + 8)], [(2**20, 2**20 + 8), (2**21, 2**21 + 8)]):
        with pytest.raises(DamagedStore, match="was changed after it was opened"):
            file._get(places)


def test_a_server_that_sends_too_little_is_said_to_be_at_fault(web, truth):
    path = make_anndata(web.root, truth, layout="csc", container="h5ad", name="short", chunks=64)
    with web.failing("none"), pytest.raises(DamagedStore, match="a different number of bytes than requested"):
        open_dataset(web.url(path.name))


def test_the_process_ends_well_after_hdf5_could_not_open_a_file(web, truth):
    path = make_anndata(web.root, truth, layout="csc", container="h5ad", name="ends", chunks=64)
    program = f"""
import cxg_widget
try:
    cxg_widget.open_dataset({web.url(path.name)!r})
except cxg_widget.errors.DamagedStore:
    print("damaged")
"""
    with web.failing("none"):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "damaged\n")


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is not signal.default_int_handler, reason="SIGINT is ignored here, as in background"
)
def test_a_read_of_hdf5_itself_can_be_interrupted(web):
    path = web.root / "long.bin"
    path.write_bytes(bytes(2**22))
    file = RangeFile(Objects(web.url(path.name)))

    def interrupt():
        web.wait_until_stalled()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    file.seek(2**21)
    with web.failing("stall"):
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            file.read(10)
        assert [one for one in threading.enumerate() if isinstance(one, Call)] != []  # it waits on where nobody listens
    assert gc.isenabled()
    assert file.read(10) == bytes(10)


# Names.


def test_a_bucket_is_in_the_path_of_an_endpoint_unless_it_is_to_be_its_host():
    uri = "s3://cells/a.zarr"
    for endpoint in ("https://s3.eu-west-1.amazonaws.com", "http://127.0.0.1:9000"):
        config = translate({"endpoint_url": endpoint}, uri).config
        assert config["endpoint"] == endpoint
        assert not config.get("virtual_hosted_style_request")
        virtual = translate({"endpoint_url": endpoint, "addressing_style": "virtual"}, uri).config
        scheme, _, host = endpoint.partition("://")
        assert virtual["endpoint"] == f"{scheme}://cells.{host}"  # obstore sends requests there as they are


def test_an_endpoint_of_the_environment_or_a_profile_may_be_without_encryption(object_store, monkeypatch, tmp_path):
    body = make_anndata(tmp_path, make_truth(), layout="csc", container="h5ad")
    object_store.put_bytes("environment.h5ad", body.read_bytes())
    options = {name: value for name, value in object_store.storage_options.items() if name != "endpoint_url"}
    endpoint = object_store.storage_options["endpoint_url"]
    profile = tmp_path / "config"
    profile.write_text(f"[default]\nendpoint_url = {endpoint}\n")
    for name, value in (("AWS_ENDPOINT_URL", endpoint), ("AWS_CONFIG_FILE", str(profile))):
        with monkeypatch.context() as context:
            context.setenv(name, value)
            with open_dataset("s3://cells/environment.h5ad", storage_options=options) as dataset:
                assert dataset.n_obs == len(make_truth().obs)


def test_a_bucket_alone_is_no_file(object_store):
    object_store.put_bytes("alone.h5ad", b"")
    for uri in ("s3://cells", "s3://cells/"):
        with pytest.raises(DatasetNotFound, match="the bucket holds no store of this name"):
            open_dataset(uri, storage_options=object_store.storage_options)


@pytest.mark.parametrize("name", ["a.zarr", "a.cxg", "a.h5ad", "a"])
@pytest.mark.parametrize("options", [{}, {"format": "zarr"}])
def test_keys_before_a_bucket_are_refused_and_never_repeated(object_store, name, options):
    with pytest.raises(InvalidOption, match="pass key and secret in storage_options= instead") as caught:
        open_dataset(f"s3://{USER}@cells/{name}", storage_options=object_store.storage_options, **options)
    assert "hush" not in str(caught.value)


def test_a_file_of_certificates_that_is_not_there_is_named_as_such():
    with pytest.raises(InvalidOption, match="'verify' is a file of certificates that cannot be read: No such file"):
        translate({"verify": "/nowhere/ca.pem"}, "https://host/a.zarr")


def test_a_file_address_is_read_as_python_quotes_it(tmp_path):
    path = make_anndata(tmp_path, make_truth(), layout="csc", container="h5ad", name="a b é")
    for uri in (path.as_uri(), path.as_uri().replace("file://", "file://localhost"), f"file://{path}"):
        with open_dataset(uri) as dataset:
            assert (dataset.n_obs, dataset.title) == (len(make_truth().obs), Path(path).name)


# What is not to change, or to be read, twice.


def test_what_a_store_is_known_by_holds_no_secret_and_outlives_a_signature(web, store):
    signed = [
        f"{web.url(store.name, user=f'me:{word}')}?version=2&X-Amz-Signature={word}" for word in ("hush", "hush2")
    ]
    known = []
    for uri in signed:
        with open_dataset(uri) as dataset:
            known.append((dataset.identity, dataset.obs_identity))
    assert known[0] == known[1]
    assert "hush" not in str(known)
    with open_dataset(signed[0].replace("version=2", "version=3")) as dataset:
        assert dataset.identity != known[0][0]


@pytest.mark.parametrize("container", ["h5ad", "zarr3"])
def test_all_axes_of_an_embedding_are_read_twice_at_most(web, container):
    truth = make_truth(n_obs=3000, n_var=5)
    path = make_anndata(web.root, truth, layout="csc", container=container, name="wide", chunks=20_000)
    with open_dataset(path) as dataset:
        size = dataset.sizes["obsm/X_pca"]
    with open_dataset(web.url(path.name)) as dataset:
        web.requests()
        found = read_embedding(dataset, "pca", dataset.embeddings["pca"], 0, dataset.n_obs)
        np.testing.assert_array_equal(found, truth.embeddings["pca"].astype("f4"))
        assert sum(one.n_bytes for one in web.requests()) < 2.2 * size


def test_an_address_that_no_cxg_has_is_not_checked():
    with pytest.raises(UnknownFormat, match="validation reads from a local disk or a bucket"):
        validate("https://host/a.cxg")
