"""A CXG in an object store: few requests, only what was asked for, and a sentence for each way it can fail."""

from __future__ import annotations

import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget.cli.main import main
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.tiledb_access.contexts import make_context, timeout_s
from cxg_widget.datasets.tiledb_access.lookups import load_metadata
from cxg_widget.display.settings import Settings
from cxg_widget.errors import (
    CxgWidgetError,
    DamagedStore,
    DatasetNotFound,
    InvalidStore,
    StorageDenied,
    StorageTimeout,
    StorageUnavailable,
    UnknownFormat,
)
from cxg_widget.session.session import Session
from cxg_widget.testing import DatasetTests
from cxg_widget.wire import protocol as p
from tests.datasets.make_cxg import make_cxg, make_truth, write_one

IMPATIENT = {"connect_timeout": 0.2, "read_timeout": 1, "max_attempts": 1}


@pytest.fixture(scope="module", params=["columns"])  # tests/cluster reads the others from a bucket
def store(request, tmp_path_factory, object_store):
    truth = make_truth()
    path = make_cxg(tmp_path_factory.mktemp("cxg") / "small.cxg", truth, request.param)
    truth.obs = truth.obs.rename_axis("cell")
    return object_store.put(path, f"{request.param}/small é#1.cxg"), truth


class TestRemoteCxg(DatasetTests):
    @pytest.fixture(scope="class")
    @classmethod
    def reopen(cls, store, object_store):
        return lambda **options: open_dataset(store[0], storage_options=object_store.storage_options, **options)

    def test_it_holds_what_the_local_one_holds(self, dataset, truth):
        assert dataset.title == truth.title
        assert dataset.default_embedding == "umap"
        assert dataset.category_colors("cell_type") == truth.colors["cell_type"]
        assert dataset.uns == {}
        assert dataset.notes == ()


@pytest.fixture(scope="module")
def uri(tmp_path_factory, object_store):
    """A store of 400 cells and 120 genes in many tiles of 64 cells."""
    truth = make_truth(n_obs=400, n_var=120)
    path = make_cxg(tmp_path_factory.mktemp("many") / "many.cxg", truth, shuffled=False, corpora={"title": "many"})
    return object_store.put(path, "many.cxg")


@pytest.fixture
def opened(uri, object_store):
    def open_(**more):
        return open_dataset(uri, storage_options={**object_store.storage_options, **more})

    while object_store.requests():  # of a call that an earlier test gave up, which goes on
        time.sleep(0.05)
    return open_


def test_opening_asks_once_for_names_and_once_for_each_array(opened, object_store):
    with opened() as dataset:
        requests = object_store.requests()
        n_arrays = len(dataset._arrays._open)
    assert n_arrays == 3 + len(dataset.embeddings)
    # TileDB takes 9 requests to open an array and 1 for its metadata; we list the root twice and emb once.
    assert len(requests) <= 3 + 9 * n_arrays + 3
    assert len([one for one in requests if one.verb == "LIST"]) <= 3 + 5 * n_arrays
    assert sum(one.n_bytes for one in requests) < 200_000
    assert not [one for one in requests if "/Xc" in one.key or "/Xr" in one.key]
    assert not [one for one in requests if one.key.endswith((".tdb",)) and "/a" in one.key.rsplit("/", 1)[-1]]


def test_opening_waits_for_few_answers_in_a_row(opened, object_store):
    object_store.requests()
    with object_store.failing("slow", seconds=0.05):
        opened().close()
    requests = object_store.requests()
    assert len(requests) > 40
    assert sum(one.begins_turn for one in requests) < len(requests) / 2


def test_one_gene_reads_its_tiles_and_opens_nothing_else(opened, object_store, uri):
    with opened() as dataset:
        dataset.find_var("ENSG0007")
        object_store.requests()
        dataset.values("ENSG0007")
        first = object_store.requests()
        dataset.values("ENSG0115")
        second = object_store.requests()
    whole = {name: _size(uri, "Xc/__fragments", name, object_store) for name in ("a0.tdb", "a1.tdb", "d0.tdb")}
    assert {one.key.split("/")[1] for one in first + second} == {"Xc"}
    assert len(first) <= 9 + 4
    assert len(second) <= 3
    assert {one.verb for one in second} <= {"GET"}
    for requests in (first, second):
        for name, size in whole.items():
            read = sum(one.n_bytes for one in requests if one.key.endswith(f"/{name}"))
            assert read <= size


def test_one_gene_of_a_large_matrix_reads_a_small_part_of_it(tmp_path, object_store):
    rng = np.random.default_rng(0)
    path = make_cxg(tmp_path / "large.cxg", make_truth(n_obs=20, n_var=3), parts=("obs", "var", "emb"))
    n_obs, n_var = 20_000, 300
    path = _with_large_matrix(path, rng, n_obs, n_var)
    uri = object_store.put(path, "large.cxg")
    with tiledb.open(str(path / "Xc")) as array:
        expected = array.multi_index[[150]][""]
    with open_dataset(uri, config=object_store.config) as dataset:
        dataset.n_obs, dataset.n_var = n_obs, n_var
        dataset._matrix._shape = (n_obs, n_var)
        dataset._matrix._look()
        object_store.requests()
        vector = dataset._matrix.vector(150)
        read = sum(one.n_bytes for one in object_store.requests() if one.key.endswith(("/a0.tdb", "/a1.tdb")))
    size = sum(file.stat().st_size for file in path.rglob("a*.tdb") if "Xc" in str(file))
    assert sorted(vector.values.tolist()) == sorted(expected.tolist())
    assert size > 5_000_000
    assert 0 < read < size / 4


def _with_large_matrix(path, rng, n_obs, n_var):
    from tests.datasets.make_cxg import write_cells

    domain = tiledb.Domain(tiledb.Dim("var", domain=(0, n_var - 1), tile=1, dtype=np.uint32))
    attrs = [tiledb.Attr("", dtype=np.float32), tiledb.Attr("obs", dtype=np.uint32)]
    schema = tiledb.ArraySchema(domain, attrs, sparse=True, allows_duplicates=True, capacity=8192)
    tiledb.Array.create(str(path / "Xc"), schema)
    per_gene = n_obs // 8
    var = np.repeat(np.arange(n_var), per_gene)
    obs = np.concatenate([np.sort(rng.choice(n_obs, per_gene, replace=False)) for _ in range(n_var)])
    write_cells(path / "Xc", (var,), {"": rng.random(len(var)).astype(np.float32), "obs": obs.astype(np.uint32)})
    return path


def _size(uri, folder, name, object_store):
    vfs = tiledb.VFS(config=tiledb.Config(object_store.config))
    [fragment] = vfs.ls(f"{uri}/{folder}")
    return vfs.file_size(f"{fragment}/{name}")


def test_one_column_and_one_embedding_read_their_own_file_only(opened, object_store):
    with opened() as dataset:
        object_store.requests()
        dataset.codes("cell_type")
        column = object_store.requests()
        dataset.embedding()
        embedding = object_store.requests()
    assert {one.verb for one in column + embedding} == {"GET"}
    assert (len(column), len(embedding)) == (2, 2)
    assert {one.key.split("/")[1] for one in column} == {"obs"}
    assert all("/emb/umap/" in one.key for one in embedding)


def test_all_columns_of_a_row_are_asked_for_side_by_side(opened, object_store):
    with opened() as dataset:
        dataset.numbers("score")
        object_store.requests()
        with object_store.failing("slow", seconds=0.1):
            record = dataset.obs_record(7)
        requests = object_store.requests()
    assert list(record) == list(dataset.obs_columns)
    assert len(requests) >= 8
    assert sum(one.begins_turn for one in requests) < len(requests) / 2


@pytest.mark.parametrize("given", ["storage_options", "config", "ctx as a dict", "ctx"])
def test_the_way_in_can_be_given_in_four_ways(uri, object_store, given):
    options = {
        "storage_options": {"storage_options": object_store.storage_options},
        "config": {"config": object_store.config},
        "ctx as a dict": {"ctx": object_store.config},
        "ctx": {"ctx": tiledb.Ctx(object_store.config)},
    }[given]
    with open_dataset(uri, format="cxg" if given == "config" else None, **options) as dataset:
        assert dataset.n_obs == 400
        assert dataset.title == "many"


def test_uns_and_genesets_come_from_far_away_too(tmp_path, object_store, small_truth):
    path = make_cxg(tmp_path / "s.cxg", small_truth, genesets={"pair": ["GENE1", "GENE2"]})
    write_one(path / "uns", {"answer": 42})
    local = open_dataset(path)
    uri = object_store.put(path, "uns.cxg")
    with local, open_dataset(uri, config=object_store.config) as dataset:
        assert dataset.uns == {"answer": 42}
        assert dict(dataset.gene_sets) == {"pair": ("GENE1", "GENE2")}
        pd.testing.assert_frame_equal(dataset.var(), local.var())
    (path / "uns").rename(path / "one")
    tiledb.group_create(str(path / "uns"))
    (path / "one").rename(path / "uns" / "one")
    with open_dataset(object_store.put(path, "grouped.cxg"), config=object_store.config) as dataset:
        assert dataset.uns == {"one": {"answer": 42}}


def test_inspect_says_what_a_bucket_holds(uri, object_store, capsys, monkeypatch):
    for name, value in {
        "AWS_ACCESS_KEY_ID": object_store.storage_options["key"],
        "AWS_SECRET_ACCESS_KEY": object_store.storage_options["secret"],
    }.items():
        monkeypatch.setenv(name, value)
    endpoint = object_store.storage_options["endpoint_url"]
    assert main(["inspect", uri, "--storage-option", f"endpoint_url={endpoint}", "--storage-option", "region=x"]) == 0
    assert "400 obs x 120 var" in capsys.readouterr().out
    assert main(["inspect", "s3://nobody/x.cxg", "--storage-option", f"endpoint_url={endpoint}"]) == 1
    assert "no bucket 'nobody'" in capsys.readouterr().err


def test_a_session_opens_colors_and_lassos_far_away_as_it_does_here(tmp_path, object_store):
    path = make_cxg(tmp_path / "s.cxg", make_truth(n_obs=200))
    local = open_dataset(path)
    distant = open_dataset(object_store.put(path, "session.cxg"), config=object_store.config)
    polygon = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], dtype=np.float64)
    with local, distant:
        found = [
            _answers(Session(one, Settings(embedding="umap", color="cell_type")), polygon) for one in (local, distant)
        ]
    assert found[0] == found[1]


def _answers(session, polygon):
    frames = [*session.streams.points(), *session.streams.color()]
    frames += session.answer(p.Lasso(polygon.ravel().tolist(), "replace"))
    frames += session.answer(p.Zoom([-0.2, 0.2, -0.2, 0.2]))
    return [(frame.message.kind, {name: array.tobytes() for name, array in frame.arrays.items()}) for frame in frames]


# Ways to fail.


def test_wrong_credentials_are_denied_without_naming_them(uri, object_store):
    options = {**object_store.storage_options, "key": "intruder", "secret": "hush-hush"}
    with pytest.raises(StorageDenied, match="check key, secret, token") as caught:
        open_dataset(uri, storage_options=options)
    assert isinstance(caught.value, PermissionError)
    assert "hush-hush" not in repr(caught.value)
    assert "intruder" not in repr(caught.value)
    with pytest.raises(StorageDenied):
        open_dataset(uri, format="cxg", storage_options={**options, "anon": True})


def test_a_bucket_or_a_name_that_does_not_exist_is_not_found(uri, object_store):
    for wrong, sentence in (
        ("s3://nobody/x.cxg", "no bucket 'nobody'"),
        (f"{uri}x", "no store of this name"),
        (f"{uri}/nothing", "no store of this name"),
    ):
        for format_ in (None, "cxg"):
            with pytest.raises(FileNotFoundError, match=sentence) as caught:
                open_dataset(wrong, format=format_, config=object_store.config)
            assert isinstance(caught.value, DatasetNotFound)
    with pytest.raises(UnknownFormat, match="single TileDB array"):
        open_dataset(f"{uri}/obs", config=object_store.config)
    with pytest.raises(InvalidStore, match="missing obs, var, emb"):
        open_dataset(f"{uri}/emb", format="cxg", config=object_store.config)


def test_an_endpoint_where_nobody_listens_is_a_connection_error(uri, object_store):
    options = {**object_store.storage_options, "endpoint_url": "http://127.0.0.1:9", **IMPATIENT}
    with pytest.raises(StorageUnavailable, match="cannot be reached: no server answers") as caught:
        open_dataset(uri, storage_options=options)
    assert isinstance(caught.value, ConnectionError)
    options["endpoint_url"] = "http://no.such.host.invalid:80"
    with pytest.raises(StorageUnavailable, match="its host name is unknown"):
        open_dataset(uri, storage_options=options)


@pytest.mark.parametrize("status", ["500", "503"])
def test_errors_of_the_server_are_tried_again_until_they_pass(opened, object_store, status):
    object_store.requests()
    with object_store.failing(status, times=1), opened() as dataset:
        assert dataset.n_obs == 400
    assert object_store.requests()[0].n_bytes == 0


def test_a_server_that_always_fails_is_given_up(opened, object_store):
    with object_store.failing("500"), pytest.raises(StorageUnavailable, match=r"returned an error \(500") as caught:
        opened(**IMPATIENT)
    assert isinstance(caught.value, ConnectionError)


@pytest.mark.usefixtures("soon")
def test_a_server_that_always_says_slow_down_is_given_up_in_time(opened, object_store):
    object_store.requests()
    with object_store.failing("503"):
        with pytest.raises(StorageTimeout, match="overloaded") as caught:
            opened(**IMPATIENT)
        assert isinstance(caught.value, TimeoutError)
    assert len(object_store.requests()) < 50  # TileDB alone asks a hundred times, which takes 150 s
    opened().close()


def test_a_server_that_does_not_answer_is_a_time_out(opened, object_store):
    with object_store.failing("slow", seconds=4), pytest.raises(TimeoutError, match="took too long"):
        opened(**IMPATIENT)


@pytest.mark.parametrize("at", ["/cxg_group_metadata/__meta/", "/obs/__meta/", "/var/__meta/"])
def test_others_go_on_while_the_server_is_silent_about_metadata(opened, object_store, at):
    """Held by TileDB, Python's lock would not let this thread end the stall, and opening would run out of time."""
    with ThreadPoolExecutor(1) as pool:
        with object_store.failing("stall", at=at):
            opening = pool.submit(opened, connect_timeout=5, read_timeout=20, max_attempts=1)
            object_store.wait_until_stalled()
            assert not opening.done()
        with opening.result() as dataset:
            assert dataset.title == "many"
            assert dataset.notes == ()


@pytest.mark.parametrize(
    ("at", "read"),
    [
        ("/obs/__fragments/", lambda dataset: dataset.numbers("score")),
        ("/obs/__fragments/", lambda dataset: dataset.codes("cell_type")),
        ("/var/__fragments/", lambda dataset: dataset.find_var("ENSG0003")),
        ("/emb/umap/__fragments/", lambda dataset: dataset.embedding("umap")),
        ("/Xc/__fragments/", lambda dataset: dataset.values("ENSG0003")),
    ],
)
def test_others_go_on_while_the_server_is_silent_about_where_tiles_lie(opened, object_store, at, read):
    with opened(connect_timeout=5, read_timeout=20, max_attempts=1) as dataset, ThreadPoolExecutor(1) as pool:
        with object_store.failing("stall", at=at):
            reading = pool.submit(read, dataset)
            object_store.wait_until_stalled()
            assert not reading.done()
        reading.result()


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize("at", ["/obs/__meta/", "/uns/__meta/"])
def test_silence_about_metadata_is_told_as_any_other(tmp_path, object_store, small_truth, at):
    path = make_cxg(tmp_path / "s.cxg", small_truth)
    write_one(path / "uns", {"answer": 42})
    uri = object_store.put(path, "silent.cxg")
    options = {**object_store.storage_options, **IMPATIENT}
    with (
        object_store.failing("stall", at=at),
        pytest.raises(StorageTimeout, match=r"took too long|no answer") as caught,
    ):
        open_dataset(uri, storage_options=options).uns  # noqa: B018 - reads it
    assert "metadata" in str(caught.value) or at.split("/")[1] in str(caught.value)
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        assert dataset.uns == {"answer": 42}


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) is not signal.default_int_handler,
    reason="SIGINT is ignored here, as of a job in the background; TileDB ends a process that ignores it and gets one",
)
def test_waiting_for_metadata_can_be_interrupted(opened, object_store):
    interrupted = threading.Event()

    def interrupt():
        object_store.wait_until_stalled()
        interrupted.set()
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    with object_store.failing("stall", at="/__meta/"):
        threading.Thread(target=interrupt, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            opened(connect_timeout=5, read_timeout=20, max_attempts=1)
    assert interrupted.is_set()
    opened().close()


def test_metadata_are_loaded_without_the_lock_where_the_library_is_found(uri, object_store):
    with tiledb.open(f"{uri}/obs", ctx=tiledb.Ctx(object_store.config)) as array:
        object_store.requests()
        load_metadata(array)
        assert [one.verb for one in object_store.requests() if "/__meta/" in one.key]
        assert "cxg_schema" in array.meta
        assert object_store.requests() == []


def test_every_wait_ends_within_a_minute_by_default(uri):
    assert timeout_s(make_context(uri)) < 60


def test_a_connection_cut_in_a_read_is_told_and_the_next_read_succeeds(opened, object_store):
    with opened(**IMPATIENT) as dataset:
        with object_store.failing("cut", at="/a"):
            for read in (lambda: dataset.codes("cell_type"), dataset.embedding, lambda: dataset.values("ENSG0000")):
                with pytest.raises(StorageUnavailable, match="the connection was lost while"):
                    read()
        assert len(dataset.codes("cell_type").codes) == 400
        assert dataset.embedding().shape == (400, 2)
        assert dataset.values("ENSG0000").shape == (400,)
        assert dataset.notes == ()


@pytest.mark.parametrize("kind", ["403", "500"])
def test_a_gene_that_failed_is_read_when_the_storage_is_back(opened, object_store, kind):
    with opened(**IMPATIENT) as dataset:
        dataset.find_var("ENSG0003")
        with object_store.failing(kind, at="/Xc"), pytest.raises(CxgWidgetError) as caught:
            dataset.values("ENSG0003")
        assert not isinstance(caught.value, DamagedStore)
        with object_store.failing(kind, at="/obs"), pytest.raises(OSError, match=r"denied|error"):
            dataset.obs()
        assert dataset.values("ENSG0003").shape == (400,)
        assert len(dataset.obs(["score"])) == 400


def test_a_slow_array_holds_up_nobody_who_reads_another(opened, object_store):
    with opened() as dataset, ThreadPoolExecutor(1) as pool:
        dataset.find_var("ENSG0001")
        with object_store.failing("stall", at="/Xc"):
            gene = pool.submit(dataset.values, "ENSG0001")
            object_store.wait_until_stalled()
            dataset.numbers("score")
            dataset.embedding("pca")
            assert not gene.done()
        assert gene.result().shape == (400,)


def test_a_missing_file_is_damage_not_weather(tmp_path, object_store, small_truth):
    path = make_cxg(tmp_path / "s.cxg", small_truth)
    for file in (path / "emb" / "umap").rglob("a0.tdb"):
        file.unlink()
    with open_dataset(object_store.put(path, "torn.cxg"), config=object_store.config) as dataset:
        with pytest.raises(DamagedStore):
            dataset.embedding("umap")
        assert dataset.embedding("pca").shape == (40, 2)
