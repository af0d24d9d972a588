"""A dataspace in the widget: shown, colored, lassoed, handed back; its identity; and the same in an object store."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget import CxgWidget
from cxg_widget.cli.main import main
from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.datasets.make_cf import WRITERS, make_cf
from tests.unit.test_encoding import decode


@pytest.fixture
def toy(tmp_path):
    truth = make_cf(tmp_path / "toy", "netcdf")
    return tmp_path / "toy", truth


@pytest.mark.parametrize(
    "color", ["var:temperature", "obs:pressure", "surface", "region", "daylight", "Air temperature"]
)
def test_a_session_shows_every_kind_of_variable(toy, color):
    path, truth = toy
    with open_dataset(path) as dataset:
        one = Session(dataset, Settings(embedding="lon_lat", color=color))
        frames = list(one.answer(p.Ready(p.VERSION)))
        assert [frame.message.kind for frame in frames][:2] == ["dataset", "color"]
        assert sum(len(frame.arrays["xy"]) for frame in frames if frame.message.kind == "points") == len(truth.obs)
        legend, *chunks = one.streams.color()
        assert legend.message.scale == ("categorical" if color in ("surface", "region", "daylight") else "continuous")
        if color == "surface":
            codes = truth.obs["surface"].cat.codes.to_numpy(int)[one.held.order.rows]
            np.testing.assert_array_equal(decode(chunks, len(codes)), np.where(codes < 0, 255, codes))


def test_a_widget_hands_lassoed_observations_back(toy):
    path, truth = toy
    w = CxgWidget(str(path), color="temperature", observations=("lat", "lon"), isel={"time": 2})
    try:
        assert (w.embedding, w.dataset.n_obs) == ("lon_lat", 20)
        w.color = "surface"
        w.select(polygon=[(-100, -50), (20, -50), (20, 50), (-100, 50)])
        expected = truth.obs[40:].reset_index(drop=True)
        inside = expected[expected["lon"].between(-100, 20) & expected["lat"].between(-50, 50)]
        assert 0 < len(inside) < 20
        columns = ["lat", "lon", "temperature", "surface", "region"]
        pd.testing.assert_frame_equal(w.selection.obs(columns), inside[columns])
    finally:
        w.close()


def test_inspect_prints_a_dataspace(toy):
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main(["inspect", str(toy[0])]) == 0
    text = printed.getvalue()
    assert "tiledb-cf" in text
    assert "60 obs x 4 var" in text
    assert "lon_lat (2) *" in text


def test_another_choice_of_observations_is_another_identity(toy):
    def identity(**options):
        with open_dataset(toy[0], **options) as dataset:
            return dataset.identity

    choices = [{}, {"isel": {"time": 0}}, {"isel": {"time": 1}}, {"observations": ("lat", "lon")},
               {"observations": ("lon", "lat")}]  # fmt: skip
    before = [identity(**options) for options in choices]
    assert len(set(before)) == len(choices)
    assert before == [identity(**options) for options in choices]
    with tiledb.open(str(toy[0] / "array4"), "w") as array:
        array[0:1, 0:1, 0:1] = {"temperature": np.zeros((1, 1, 1), "f4"), "pressure": np.zeros((1, 1, 1), "i2")}
    assert identity() not in before


@pytest.mark.parametrize("writer", WRITERS)
def test_sizes_are_those_of_the_files(tmp_path, writer):
    make_cf(tmp_path / "cf", writer)
    with open_dataset(tmp_path / "cf") as dataset:
        assert dataset.sizes
        for name, size in dataset.sizes.items():
            assert size == sum(file.stat().st_size for file in (tmp_path / "cf" / name).rglob("*") if file.is_file())


@pytest.mark.parametrize("writer", ["legacy", "sparse"])
def test_in_an_object_store_it_holds_the_same(tmp_path, object_store, writer):
    truth = make_cf(tmp_path / "cf", writer)
    uri = object_store.put(tmp_path / "cf", f"{writer}/toy é.cf")
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        assert dataset.format == "tiledb-cf"
        pd.testing.assert_frame_equal(dataset.obs(), truth.obs)
        np.testing.assert_array_equal(dataset.embedding(), truth.embeddings["lon_lat"].astype(np.float32))
        before = dataset.identity
    with open_dataset(uri, storage_options=object_store.storage_options) as dataset:
        assert dataset.identity == before
