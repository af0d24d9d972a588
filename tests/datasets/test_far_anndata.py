"""AnnData in storage far away: few journeys, only what was asked for, and a sentence for each way it can fail."""

from __future__ import annotations

import shutil
import signal
import threading
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pytest
import zarr

from cxg_widget.cli.main import main
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.storage import options as storage_options
from cxg_widget.display.settings import Settings
from cxg_widget.errors import (
    DamagedStore,
    DatasetNotFound,
    InvalidOption,
    InvalidStore,
    StorageDenied,
    StorageTimeout,
    StorageUnavailable,
    UnknownFormat,
)
from cxg_widget.session.session import Session
from cxg_widget.testing import DatasetTests
from cxg_widget.wire import protocol as p
from tests.datasets.make_anndata import make_anndata, open_writer, truth_of, write_part
from tests.datasets.make_cxg import make_truth
from tests.datasets.make_tenx import make_tenx
from tests.file_server import FileServer

IMPATIENT = {"connect_timeout": 0.2, "read_timeout": 0.6, "max_attempts": 1}
WRITTEN = Path(__file__).parent / "written" / "far.zip"
CONTAINERS = ("h5ad", "zarr2", "zarr3")
QUIET_S = 0.15
"""Answers so late that all that is asked for side by side is under way at once, on a busy machine too."""


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    server = FileServer(tmp_path_factory.mktemp("www"))
    yield server
    server.close()


def forget_consolidated(path):
    """Leave out what `zarr.consolidate_metadata` wrote."""
    (path / ".zmetadata").unlink(missing_ok=True)
    if (path / "zarr.json").exists():
        group = zarr.open_group(path, mode="r", use_consolidated=False)
        attributes = dict(group.attrs)
        (path / "zarr.json").unlink()
        zarr.open_group(path, mode="a", zarr_format=3).attrs.update(attributes)


LAYOUTS = [("csc", "h5ad"), ("csr", "zarr3")]


@pytest.fixture(scope="module", params=LAYOUTS, ids="-".join)
def store(request, web):
    layout, container = request.param
    truth = truth_of("0.8")
    path = make_anndata(web.root, truth, layout=layout, container=container, name=f"{layout} é 1", chunks=16)
    return web.url(path.name), truth


class TestFarAnnData(DatasetTests):
    def test_it_holds_what_the_local_one_holds(self, dataset, truth, store):
        assert dataset.title.endswith("é 1" + Path(store[0]).suffix)
        assert dataset.default_embedding == "umap"
        assert dataset.is_remote
        for column in truth.obs.columns:
            assert dataset.category_colors(column) == truth.colors.get(column, {})
        assert all("is stored by cell" in note for note in dataset.notes)


@pytest.fixture(scope="module")
def written(web):
    """What anndata wrote, by name, and what it holds."""
    folder = web.root / "written"
    with zipfile.ZipFile(WRITTEN) as archive:
        archive.extractall(folder)
    return np.load(folder / "truth.npz")


@pytest.mark.parametrize("name", ["csc.h5ad", "csc.v3.zarr", "csr.v2.zarr"])
def test_a_store_that_anndata_wrote_reads_as_it_was(web, written, name):
    with open_dataset(web.url(f"written/{name}")) as dataset:
        assert (dataset.n_obs, dataset.n_var) == written["X"].shape
        for gene in (0, 77, 119):
            np.testing.assert_array_equal(dataset.values(f"GENE{gene}"), written["X"][:, gene])
        np.testing.assert_array_equal(dataset.embedding("umap"), written["umap"])
        frame = dataset.obs(["cell_type", "n"])
        assert frame["cell_type"].astype(str).tolist() == written["cell_type"].tolist()
        np.testing.assert_array_equal(frame["n"], written["n"])


# Few journeys.


@pytest.fixture(scope="module", params=["h5ad", "zarr3"])
def by_gene(request, web):
    """A store by gene whose matrix lies in some 700 chunks, so that an index of HDF5 has two levels."""
    truth = make_truth(n_obs=400, n_var=120)
    return make_anndata(web.root, truth, layout="csc", container=request.param, name="genes", chunks=64), truth


def turns(requests):
    return sum(one.begins_turn for one in requests)


def test_a_gene_stored_by_gene_takes_two_journeys_at_most(web, by_gene):
    path, truth = by_gene
    with open_dataset(web.url(path.name)) as dataset:
        dataset.read_names()
        web.requests()
        for n, gene in enumerate(truth.var_labels[5::50]):
            with web.failing("quiet", seconds=QUIET_S):
                found = dataset.values(gene)
            np.testing.assert_array_equal(found, truth.X[:, truth.var_labels.index(gene)])
            requests = web.requests()
            assert turns(requests) <= 2, n
            assert len(requests) > turns(requests)
            if path.suffix == ".zarr":
                assert {one.key.split("/")[1:3][0] for one in requests} == {"X"}
        size = sum(one.stat().st_size for one in (path.rglob("*") if path.is_dir() else [path]) if one.is_file())
        assert sum(one.n_bytes for one in requests) < size / 20


def test_opening_takes_few_journeys_and_reads_no_entries(web, by_gene):
    path, _ = by_gene
    web.requests()
    with web.failing("quiet", seconds=QUIET_S), open_dataset(web.url(path.name)) as dataset:
        requests = web.requests()
        assert dataset.traffic.n_bytes == sum(one.n_bytes for one in requests)
        assert dataset.traffic.n_reads == len([one for one in requests if one.n_bytes])
    assert turns(requests) <= (12 if path.suffix == ".h5ad" else 3)
    entries = [one for one in requests if "/X/data/" in one.key or "/X/indices/" in one.key]
    assert [one for one in entries if one.n_bytes] == []


def test_an_embedding_a_column_and_the_obs_of_a_lasso_take_two_journeys_each(web, by_gene):
    path, truth = by_gene
    with open_dataset(web.url(path.name)) as dataset:
        rows = np.arange(3, dataset.n_obs, 7)
        reads = [dataset.embedding, lambda: dataset.codes("cell_type"), lambda: dataset.numbers("score")]
        if path.suffix == ".zarr":  # HDF5 reads one column after another
            reads.append(lambda: dataset.obs(rows=rows))
        for read in reads:
            web.requests()
            with web.failing("quiet", seconds=QUIET_S):
                read()
            requests = web.requests()
            assert turns(requests) <= 2
            if path.suffix == ".zarr":
                assert len({one.key for one in requests}) == len(requests)  # no object twice
        np.testing.assert_array_equal(dataset.numbers("score"), truth.obs["score"].to_numpy(np.float32))


@pytest.mark.parametrize(("layout", "container"), [("csc", "h5ad"), ("dense", "zarr2")])
def test_a_bucket_holds_what_a_folder_does(tmp_path, object_store, layout, container):
    truth = make_truth()
    path = make_anndata(tmp_path, truth, layout=layout, container=container, name="small é 1", chunks=16)
    uri = f"s3://cells/{path.name}"
    if path.is_dir():
        forget_consolidated(path)
        object_store.put(path, path.name)
    else:
        object_store.put_bytes(path.name, path.read_bytes())
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset, open_dataset(path) as local:
        pd.testing.assert_frame_equal(dataset.obs(), local.obs())
        np.testing.assert_array_equal(dataset.embedding(), local.embedding())
        np.testing.assert_array_equal(dataset.values(truth.var_labels[3]), truth.X[:, 3])
        assert dataset.sizes == local.sizes


def test_a_bucket_without_consolidated_metadata_is_opened_level_by_level(tmp_path, object_store):
    path = make_anndata(tmp_path, make_truth(n_obs=400, n_var=120), layout="csc", container="zarr3", chunks=512)
    forget_consolidated(path)
    uri = object_store.put(path, path.name)
    object_store.requests()
    with object_store.failing("slow", seconds=0.05):
        dataset = open_dataset(uri, storage_options=object_store.storage_options)
        requests = object_store.requests()
    n_levels = 5  # obs/cell_type/codes, and whether something is below
    assert turns(requests) <= 1 + 2 * n_levels + 2
    assert len(requests) > 40
    assert [one for one in requests if one.verb == "LIST" and one.key.rstrip("/").endswith("data")] == []
    with dataset:
        assert dataset.values("ENSG0001").shape == (400,)
        assert dataset.sizes["X/data"] == _stored_bytes(path, "X/data")


def test_the_cost_of_a_gene_stored_by_cell_is_told_before_it_is_paid(web):
    truth = make_truth(n_obs=400, n_var=120)
    for container in CONTAINERS:
        path = make_anndata(web.root, truth, layout="csr", container=container, name="cells", chunks=1024)
        with open_dataset(web.url(path.name)) as dataset:
            opening = dataset.traffic
            [note] = dataset.notes
            assert note.startswith("X is stored by cell: the first gene reads all of it, about ")
            assert "cxg-widget convert" in note
            told = float(note.partition("about ")[2].split("\N{NO-BREAK SPACE}")[0]) * 1000
            assert told == pytest.approx(_stored_bytes(path, "X/data") + _stored_bytes(path, "X/indices"), rel=0.1)
            np.testing.assert_array_equal(dataset.values("ENSG0007"), truth.X[:, 7])
            paid = dataset.traffic.since(opening).n_bytes
            assert paid > 0.9 * told or container == "h5ad"  # of which so small a file is read in blocks when opened
            web.requests()
            dataset.values("ENSG0008")
            assert web.requests() == []
        with open_dataset(web.url(path.name), memory_bytes=0) as dataset:
            assert "each gene reads all of it" in dataset.notes[0]


def _stored_bytes(path, array):
    if path.is_dir():
        return sum(one.stat().st_size for one in (path / array).rglob("*") if one.is_file())
    with h5py.File(path) as file:
        return file[array].id.get_storage_size()


def test_a_session_opens_and_colors_as_it_does_here_and_says_what_it_cost(web, by_gene):
    path, _ = by_gene
    settings = Settings(embedding="umap", color="ENSG0003")
    with open_dataset(path) as here, open_dataset(web.url(path.name)) as there:
        shown = []
        frames = []
        for dataset in (here, there):
            session = Session(dataset, settings, announce=shown.append)
            frames.append([*session.streams.points(), *session.streams.color()])
        assert [one.message.kind for one in frames[0]] == [one.message.kind for one in frames[1]]
        for one, other in zip(*frames, strict=True):
            assert {name: array.tobytes() for name, array in one.arrays.items()} == {
                name: array.tobytes() for name, array in other.arrays.items()
            }
        with session.costs.action("color"):
            there.vector("ENSG0119")
        assert session.costs.last.n_bytes > 0
        assert [one.message.n_bytes for one in shown if isinstance(one.message, p.CostOf)] == [
            session.costs.last.n_bytes
        ]


def test_inspect_says_what_an_address_holds(web, by_gene, capsys):
    assert main(["inspect", web.url(by_gene[0].name)]) == 0
    assert "400 obs x 120 var" in capsys.readouterr().out


# What is at an address.


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_store_is_found_by_what_lies_there_and_one_of_several_by_its_key(web, container):
    truth = make_truth()
    path = web.root / f"parts-{container}"
    out = open_writer(path, container)
    out.group("", {"encoding-type": "MuData", "encoding-version": "0.1.0"})
    out.group("mod", {})
    for name in ("rna", "prot"):
        out.group(f"mod/{name}", {})
        write_part(out, f"mod/{name}", truth, "0.8", "csc")
    out.close()
    for uri, options in ((web.url(path.name), {"key": "rna"}), (f"{web.url(path.name)}#mod/rna", {})):
        with open_dataset(uri, **options) as dataset:
            np.testing.assert_array_equal(dataset.values(truth.var_labels[2]), truth.X[:, 2])
    with pytest.raises(DatasetNotFound, match=r"opens AnnData, MuData and SpatialData.*copy other stores to a"):
        open_dataset(web.url("parts-nowhere"))


@pytest.mark.parametrize("name", ["csc.h5mu", "csr.zarr"])
def test_mudata_far_away_is_one_dataset_as_it_is_here_by_its_name_alone(web, name):
    folder = web.root / "mudata"
    with zipfile.ZipFile(WRITTEN.parent / "mudata_0.4.zip") as archive:
        archive.extractall(folder, [one for one in archive.namelist() if one.startswith(name)])
    if name.endswith("zarr"):
        zarr.consolidate_metadata(folder / name)  # which mudata leaves to who publishes it
    far = open_dataset(web.url(f"mudata/{name}"))
    with open_dataset(folder / name) as here, far as there:
        assert there.is_remote
        assert (there.n_obs, there.n_var, list(there.embeddings)) == (here.n_obs, here.n_var, list(here.embeddings))
        for gene in here.var_labels[:: here.n_var // 5]:
            np.testing.assert_array_equal(there.values(gene), here.values(gene))
        pd.testing.assert_frame_equal(there.obs(), here.obs())


def test_a_matrix_of_10x_far_away_is_to_be_downloaded(web):
    make_tenx(web.root, "h5")
    with pytest.raises(InvalidStore, match="a count matrix of Cell Ranger, which opens from a local disk: download it"):
        open_dataset(web.url("filtered_feature_bc_matrix.h5"))


def test_an_address_with_a_key_in_it_opens_and_the_key_is_never_repeated(web, by_gene):
    path, truth = by_gene
    uri = f"{web.url(path.name)}?X-Amz-Signature=hush%2Fhush&x=1"
    with open_dataset(uri) as dataset:
        assert dataset.title == path.name
        np.testing.assert_array_equal(dataset.values("ENSG0007"), truth.X[:, 7])
        with web.failing("403"), pytest.raises(StorageDenied) as caught:
            dataset.values("ENSG0009")
    assert "hush" not in str(caught.value)


def test_headers_are_sent_with_each_request(web, by_gene):
    web.requests()
    with open_dataset(web.url(by_gene[0].name), storage_options={"headers": {"Authorization": "Bearer 1"}}) as dataset:
        dataset.embedding()
        assert {one.get("authorization") for one in web.headers()} == {"Bearer 1"}


def test_google_storage_is_read_by_its_own_scheme(web):
    truth = make_truth()
    path = make_anndata(web.root / "bucket", truth, layout="csc", container="zarr3", name="google")
    options = {"anon": True, "endpoint_url": web.url("").rstrip("/")}
    with open_dataset(f"gs://bucket/{path.name}", storage_options=options) as dataset:
        np.testing.assert_array_equal(dataset.values(truth.var_labels[2]), truth.X[:, 2])


@pytest.mark.parametrize(
    ("uri", "error", "sentence"),
    [
        ("nothing.h5ad", DatasetNotFound, "there is no such file"),
        ("nothing.zarr", DatasetNotFound, "there is no zarr store"),
        ("any.zarr.zip", UnknownFormat, "is an archive"),
        ("text.h5ad", DamagedStore, "truncated, damaged or not HDF5"),
    ],
)
def test_what_is_not_there_is_said_in_one_sentence(web, uri, error, sentence):
    (web.root / "text.h5ad").write_text("no HDF5")
    with pytest.raises(error, match=sentence):
        open_dataset(web.url(uri))


def test_a_server_that_lists_nothing_needs_consolidated_metadata(web):
    path = make_anndata(web.root, make_truth(), container="zarr3", name="scattered")
    forget_consolidated(path)
    with pytest.raises(InvalidStore, match=r"no consolidated metadata.*zarr\.consolidate_metadata"):
        open_dataset(web.url(path.name))


def test_where_what_is_missing_is_denied_a_store_opens_all_the_same(web):
    """S3 answers so where names may not be listed, as of most public buckets."""
    truth = make_truth()
    truth.X[:, :] = 0
    path = make_anndata(web.root, truth, layout="dense", container="zarr2", name="denied", chunks=16)
    shutil.rmtree(path / "X", ignore_errors=True)
    zarr.open_group(path, mode="a").create_array("X", shape=truth.X.shape, dtype="f4", chunks=(16, 5), fill_value=3)
    zarr.consolidate_metadata(path)
    web.answer_missing(403)
    try:
        with open_dataset(web.url(path.name)) as dataset:
            np.testing.assert_array_equal(dataset.values(truth.var_labels[0]), np.full(dataset.n_obs, 3))
            with web.failing("403"), pytest.raises(StorageDenied):
                dataset.values(truth.var_labels[7])
    finally:
        web.answer_missing(404)


def test_an_array_that_lost_all_of_its_files_is_refused(web):
    path = make_anndata(web.root, make_truth(), layout="dense", container="zarr2", name="lost")
    shutil.rmtree(path / "obsm" / "X_umap")
    with open_dataset(web.url(path.name)) as dataset, pytest.raises(DamagedStore, match="no metadata of its own"):
        dataset.embedding("umap")


def test_a_server_that_sends_whole_files_alone_serves_zarr_and_not_h5ad(tmp_path):
    truth = make_truth()
    server = FileServer(tmp_path, ranges=False)
    for container in ("h5ad", "zarr2"):
        make_anndata(tmp_path, truth, layout="csc", container=container)
    with pytest.raises(UnknownFormat, match="only whole files"):
        open_dataset(server.url("small.h5ad"))
    with open_dataset(server.url("small.zarr")) as dataset:
        np.testing.assert_array_equal(dataset.values(truth.var_labels[2]), truth.X[:, 2])
    server.close()


# Ways to fail.


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(storage_options, "_SLACK_S", 0.0)


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    ("kind", "error", "sentence"),
    [
        ("403", StorageDenied, "access was denied"),
        ("500", StorageUnavailable, r"returned an error \(500"),
        ("503", StorageTimeout, "answered 'slow down' for 1 s"),
        ("cut", StorageUnavailable, "the connection was lost while reading"),
        ("slow", StorageTimeout, "took too long"),
    ],
)
def test_a_failure_is_told_in_time_and_the_next_read_succeeds(web, by_gene, kind, error, sentence):
    path, truth = by_gene
    with open_dataset(web.url(path.name), storage_options=IMPATIENT) as dataset:
        dataset.read_names()
        with web.failing(kind, seconds=0.75), pytest.raises(error, match=sentence):
            dataset.values("ENSG0007")
        np.testing.assert_array_equal(dataset.values("ENSG0007"), truth.X[:, 7])
        assert dataset.embedding().shape == (400, 2)
        assert dataset.notes == ()
    if kind not in ("503", "slow"):
        with web.failing(kind, seconds=0.75), pytest.raises(error, match=sentence):
            open_dataset(web.url(path.name), storage_options=IMPATIENT)


@pytest.mark.parametrize("kind", ["429", "500", "503", "cut"])
def test_a_passing_failure_is_tried_again(web, by_gene, kind):
    with web.failing(kind, times=1), open_dataset(web.url(by_gene[0].name)) as dataset:
        assert dataset.n_obs == 400


def test_a_server_where_nobody_listens_is_a_connection_error():
    for uri, sentence in (
        ("http://127.0.0.1:9/a.h5ad", "no server answers"),
        ("http://no.such.host.invalid/a.zarr", "its host name is unknown"),
    ):
        with pytest.raises(ConnectionError, match=sentence):
            open_dataset(uri, storage_options=IMPATIENT)


def test_wrong_keys_of_a_bucket_are_denied_and_one_that_does_not_exist_is_not_found(object_store):
    object_store.put_bytes("other.h5ad", b"")  # the bucket is there, whichever test comes first
    options = {**object_store.storage_options, "key": "intruder", "secret": "hush-hush"}
    for name in ("a.h5ad", "a.zarr"):
        with pytest.raises(PermissionError, match="check key, secret, token") as caught:
            open_dataset(f"s3://cells/{name}", storage_options=options)
        assert "hush" not in str(caught.value)
        with pytest.raises(FileNotFoundError, match="no bucket 'nobody'"):
            open_dataset(f"s3://nobody/{name}", storage_options=object_store.storage_options)
        with pytest.raises(DatasetNotFound, match="there is no"):
            open_dataset(f"s3://cells/{name}", storage_options=object_store.storage_options)


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is not signal.default_int_handler, reason="SIGINT is ignored here, as in background"
)
def test_waiting_can_be_interrupted(web, by_gene):
    path, truth = by_gene

    def interrupt():
        web.wait_until_stalled()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with open_dataset(web.url(path.name)) as dataset:
        dataset.read_names()
        with web.failing("stall"):
            threading.Thread(target=interrupt, daemon=True).start()
            with pytest.raises(KeyboardInterrupt):
                dataset.values("ENSG0007")
        np.testing.assert_array_equal(dataset.values("ENSG0007"), truth.X[:, 7])


def test_a_file_that_was_replaced_meanwhile_is_not_read_on(web):
    truth = make_truth(n_obs=4000, n_var=60)
    path = make_anndata(web.root, truth, layout="csc", name="replaced")
    with open_dataset(web.url(path.name)) as dataset:
        before = dataset.identity
        make_anndata(web.root, make_truth(n_obs=4000, n_var=60, seed=1), layout="csc", name="replaced")
        with pytest.raises(DamagedStore, match="was changed after it was opened; open it again"):
            dataset.values("ENSG0007")
    with open_dataset(web.url(path.name)) as dataset:
        assert dataset.identity != before


def test_options_that_do_not_fit_are_named_and_never_repeated(web):
    for options, sentence in (
        ({"headrs": {"a": "hush"}}, "Did you mean 'headers'"),
        ({"read_timeout": "hush"}, "'read_timeout' is of type str"),
        (["hush"], "must be a dict"),
    ):
        with pytest.raises(InvalidOption, match=sentence) as caught:
            open_dataset(web.url("a.h5ad"), storage_options=options)
        assert "hush" not in str(caught.value)
    with pytest.raises(UnknownFormat, match="https://, http://, s3://, gs://"):
        open_dataset("ftp://host/a.h5ad")
