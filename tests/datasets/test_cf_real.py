"""The dataspaces of real writers, compared with the arrays that were written."""

from __future__ import annotations

import numpy as np
import pytest
import tiledb

from cxg_widget.datasets import open_dataset


@pytest.fixture(scope="module")
def stores(real_data):
    return real_data / "tiledb_cf"


@pytest.fixture(scope="module")
def written(stores):
    with np.load(stores / "truth.npz") as file:
        return dict(file)


@pytest.mark.parametrize("name", ["a_xr", "c_legacy"])
def test_a_cube_is_one_observation_for_each_time_latitude_and_longitude(stores, written, name):
    shape = written["T"].shape
    time, lat, lon = (axis.ravel() for axis in np.indices(shape))
    with open_dataset(stores / name) as dataset:
        assert dataset.title == {"a_xr": "toy", "c_legacy": "legacy toy"}[name]
        assert dataset.n_obs == written["T"].size
        assert list(dataset.obs_columns)[:3] == ["time", "lat", "lon"]
        assert sorted(dataset.var_names) == ["mask", "temp"]
        np.testing.assert_array_equal(dataset.values("temp"), written["T"].ravel())
        np.testing.assert_array_equal(dataset.numbers("mask"), written["mask"][lat, lon], strict=True)
        for dim, place in (("time", time), ("lat", lat), ("lon", lon)):
            np.testing.assert_array_equal(dataset.numbers(dim), written[dim][place], strict=True)
        assert dataset.default_embedding == "lon_lat"
        expected = np.column_stack([written["lon"][lon], written["lat"][lat]]).astype(np.float32)
        np.testing.assert_array_equal(dataset.embedding(), expected)
        assert dataset.details["variables"]["temp"]["units"] == "degC"
        assert dataset.notes == ()


@pytest.mark.parametrize("name", ["a_xr", "c_legacy"])
def test_a_map_has_a_feature_for_each_time(stores, written, name):
    with open_dataset(stores / name, observations=("lat", "lon")) as dataset:
        assert dataset.n_obs == written["mask"].size
        for time in range(len(written["time"])):
            np.testing.assert_array_equal(dataset.values(f"temp[time={time}]"), written["T"][time].ravel())
    with open_dataset(stores / name, isel={"time": -1}) as dataset:
        np.testing.assert_array_equal(dataset.values("temp"), written["T"][-1].ravel())


def test_points_are_drawn_where_they_are(stores):
    with tiledb.open(str(stores / "d_pts" / "obs")) as array:
        stored = array[:]
    with open_dataset(stores / "d_pts") as dataset:
        assert dataset.n_obs == 5_000
        assert list(dataset.obs_columns) == ["x", "y", "value", "qc"]
        assert dataset.default_embedding == "x_y"
        expected = np.column_stack([stored["x"], stored["y"]]).astype(np.float32)
        np.testing.assert_array_equal(dataset.embedding(), expected)
        np.testing.assert_array_equal(dataset.values("value"), stored["value"])
        np.testing.assert_array_equal(dataset.codes("qc").codes, np.unique(stored["qc"], return_inverse=True)[1])
        rows = np.array([4_999, 17])
        assert dataset.obs(rows=rows)["y"].tolist() == stored["y"][rows].tolist()
