"""Packed numbers mean what xarray takes them for, and dataspaces of tiledb-cf hold what xarray read of its source.

tiledb-cf needs an older tiledb, so that it runs in an environment of its own, which CXG_TILEDB_CF_PYTHON names.
"""

from __future__ import annotations

import os
import subprocess

import numpy as np
import pytest
import xarray
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cxg_widget.datasets import open_dataset
from tests.datasets.make_cf import write_dense, write_group

INTEGERS = ["int8", "int16", "int32", "uint8", "uint16", "uint32"]


@st.composite
def stored(draw):
    """Numbers as they are stored, and attributes that say what they mean."""
    dtype = np.dtype(draw(st.sampled_from([*INTEGERS, "float32", "float64"])))
    elements = {"min_value": -(2**20), "max_value": 2**20} if dtype.itemsize > 2 else {}
    if dtype.kind == "u":
        elements = elements and {"max_value": 2**20}
    values = draw(hnp.arrays(dtype, st.integers(1, 20), elements=elements or None))
    if dtype.kind == "f":
        values = np.where(np.isfinite(values), values, 1).astype(dtype)
    attributes = {}
    if dtype.kind != "f" and draw(st.booleans()):
        attributes |= {"_Unsigned": draw(st.sampled_from(["true", "false"]))} if dtype.kind == "i" else {}
    for name in ("_FillValue", "missing_value"):
        if draw(st.booleans()):
            attributes[name] = draw(st.sampled_from(values.tolist()))
    if "_FillValue" in attributes or attributes.get("_Unsigned") == "true":
        attributes.pop("missing_value", None)  # xarray takes the two with a warning, and it for signed
    if draw(st.booleans()):
        attributes["scale_factor"] = draw(st.sampled_from([0.5, 2.0, 0.1, -3.0]))
    if draw(st.booleans()):
        attributes["add_offset"] = draw(st.sampled_from([10.0, -273.15]))
    return values, attributes


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(stored())
def test_packed_numbers_mean_what_xarray_takes_them_for(tmp_path_factory, written):
    values, attributes = written
    path = tmp_path_factory.mktemp("cf") / "one"
    write_group(path, {})
    write_dense(path / "points", {"point": len(values)}, {"v": values}, attributes={"v": attributes}, group=path)
    fills = {name: values.dtype.type(attributes[name]) for name in attributes if name.endswith(("Value", "value"))}
    theirs = xarray.decode_cf(xarray.Dataset({"v": ("point", values, attributes | fills)}), decode_times=False)[
        "v"
    ].to_numpy()
    with open_dataset(path) as dataset:
        ours = dataset.numbers("v")
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs.astype(np.float64)))
    np.testing.assert_allclose(ours.astype(np.float64), theirs.astype(np.float64), rtol=1e-5, atol=1e-2)


CF_PYTHON = os.environ.get("CXG_TILEDB_CF_PYTHON", "")
WRITE = """
import sys
import netCDF4, numpy as np, tiledb.cf, xarray as xr
folder, seed = sys.argv[1], 0
rng = np.random.default_rng(seed)
sizes = {"time": 4, "lat": 6, "lon": 5}
with netCDF4.Dataset(folder + "/source.nc", "w") as file:
    for name, size in sizes.items():
        file.createDimension(name, None if name == "time" else size)
    def put(name, dims, values, fill=None, **attributes):
        variable = file.createVariable(name, values.dtype, dims, fill_value=fill)
        variable.set_auto_maskandscale(False)
        variable.setncatts(attributes)
        variable[:] = values
    put("time", ("time",), np.arange(4, dtype="i4") * 6, units="hours since 2020-01-01")
    put("lat", ("lat",), np.linspace(-75, 75, 6), units="degrees_north")
    put("lon", ("lon",), np.linspace(-180, 90, 5).astype("f4"), units="degrees_east")
    cube = tuple(sizes.values())
    put("temp", tuple(sizes), rng.normal(size=cube).astype("f4"), units="K", long_name="temperature")
    packed = rng.integers(-300, 300, cube).astype("i2")
    packed[1, 2, 3] = -999
    put("rain", tuple(sizes), packed, fill=np.int16(-999), scale_factor=0.25, add_offset=100.0)
    put("depth", ("lat", "lon"), rng.integers(0, 255, cube[1:]).astype("i1"), _Unsigned="true")
    put("flag", ("lat", "lon"), rng.integers(0, 3, cube[1:]).astype("i1"),
        flag_values=np.array([0, 1, 2], "i1"), flag_meanings="sea land ice")
tiledb.cf.from_netcdf(folder + "/source.nc", folder + "/netcdf")
tiledb.cf.from_netcdf(folder + "/source.nc", folder + "/by_variable", collect_attrs=False, unlimited_dim_size=50)
as_stored = xr.open_dataset(folder + "/source.nc", mask_and_scale=False, decode_times=False)
as_stored.encoding.clear()  # it would make room for 2**32 times
tiledb.cf.from_xarray(as_stored, folder + "/xarray")
with xr.open_dataset(folder + "/source.nc", decode_times=False) as read:
    np.savez(folder + "/meant.npz", **{name: one.broadcast_like(read["temp"]).transpose(*sizes).to_numpy().ravel()
             for name, one in read.variables.items() for one in [read[name]]})
"""


@pytest.fixture(scope="module")
def dataspaces(tmp_path_factory):
    """A folder with one netCDF file as each of the writers of tiledb-cf wrote it, and what xarray read of the file."""
    if not CF_PYTHON:
        pytest.skip("CXG_TILEDB_CF_PYTHON names no Python with tiledb-cf; `make test-peers` makes one")
    folder = tmp_path_factory.mktemp("cf")
    subprocess.run([CF_PYTHON, "-c", WRITE, str(folder)], check=True, capture_output=True, text=True)
    return folder


@pytest.mark.parametrize("writer", ["netcdf", "by_variable", "xarray"])
def test_a_dataspace_of_tiledb_cf_holds_what_xarray_read_of_its_source(dataspaces, writer):
    with np.load(dataspaces / "meant.npz") as file:
        meant = dict(file)
    with open_dataset(dataspaces / writer) as dataset:
        assert dataset.n_obs == meant["temp"].size
        for name in ("time", "lat", "lon", "temp", "rain", "depth"):
            np.testing.assert_allclose(dataset.numbers(name), meant[name], rtol=1e-6, err_msg=name)
        codes = dataset.codes("flag")
        assert [codes.categories[one] for one in codes.codes] == [
            ("sea", "land", "ice")[int(one)] for one in meant["flag"]
        ]
        expected = np.column_stack([meant["lon"], meant["lat"]]).astype(np.float32)
        np.testing.assert_array_equal(dataset.embedding("lon_lat"), expected)
        np.testing.assert_allclose(dataset.values("temp"), meant["temp"], rtol=1e-6)
