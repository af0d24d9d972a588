"""What stored numbers mean by the CF conventions."""

from __future__ import annotations

import numpy as np
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from tests.datasets.make_cf import write_dense, write_group


def column(path, values, attributes=None, **options):
    """Store one variable, and return what the dataset makes of it: kind and values."""
    write_group(path, {})
    write_dense(path / "points", {"point": len(values)}, {"v": values}, attributes={"v": attributes or {}},
                group=path, **options)  # fmt: skip
    with open_dataset(path) as dataset:
        kind = dataset.obs_columns["v"].kind
        if kind in ("categorical", "string"):
            return kind, dataset.obs("v")["v"].astype(object).where(lambda one: one.notna(), None).tolist()
        return kind, dataset.numbers("v")


NAN = np.nan
CASES = {
    "fill": (np.array([1, -9, 3], np.int32), {"_FillValue": -9}, [1, NAN, 3]),
    "missing value": (np.array([1, -9, 3], np.int16), {"missing_value": -9}, [1, NAN, 3]),
    "several missing values": (np.array([1, -9, -8], np.int64), {"missing_value": (-9, -8)}, [1, NAN, NAN]),
    "fill of float32 as double": (np.array([1, 1e20], np.float32), {"_FillValue": 1e20}, [1, NAN]),
    "fill of netCDF": (np.array([1, 9.969209968386869e36], np.float32), {}, [1, NAN]),
    "fill of netCDF in double": (np.array([1, 9.969209968386869e36]), {}, [1, NAN]),
    "scale and offset": (np.array([0, 1, -9], np.int16), {"scale_factor": 0.5, "add_offset": 10.0}, [10, 10.5, 5.5]),
    "scale and fill": (np.array([0, 1, -9], np.int16), {"scale_factor": 2.0, "_FillValue": -9}, [0, 2, NAN]),
    "valid range": (np.array([-5, 0, 5, 99], np.int32), {"valid_range": (0, 5)}, [NAN, 0, 5, NAN]),
    "valid min": (np.array([-5.0, 0.5]), {"valid_min": 0.0}, [NAN, 0.5]),
    "valid max, packed": (np.array([1, 9], np.int16), {"valid_max": 5, "scale_factor": 10.0}, [10, NAN]),
    "valid max, meant": (np.array([1, 9], np.int16), {"valid_max": 50.0, "scale_factor": 10.0}, [10, NAN]),
    "unsigned": (np.array([1, -1], np.int8), {"_Unsigned": "true", "scale_factor": 1.0}, [1, 255]),
    "unsigned fill": (np.array([1, -1], np.int8), {"_Unsigned": "true", "_FillValue": -1}, [1, NAN]),
    "fill that cannot be stored": (np.array([1.0, 2.0]), {"_FillValue": "none"}, [1, 2]),
    "days": (np.array(["1970-01-02", "NaT"], "datetime64[D]"), {}, [1, NAN]),
    "dates to the second": (np.array(["1970-01-02T12", "1969-12-31"], "datetime64[s]"), {}, [1.5, -1]),
    "spans": (np.array([36, -24], "timedelta64[h]"), {}, [1.5, -1]),
}


@pytest.mark.parametrize("name", CASES)
def test_stored_numbers_become_what_they_mean(tmp_path, name):
    values, attributes, expected = CASES[name]
    kind, found = column(tmp_path / "cf", values, attributes)
    assert kind == "float"
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers_without_missing_values_stay_what_they_are(tmp_path, dtype):
    limits = np.iinfo(dtype)
    values = np.array([0, 1, limits.min, limits.max], dtype=dtype)
    kind, found = column(tmp_path / "cf", values, {"_FillValue": 10**6} if dtype == "int8" else {})
    assert kind == "int"
    np.testing.assert_array_equal(found, values, strict=True)


def test_integers_that_were_not_written_are_missing(tmp_path):
    write_group(tmp_path, {})
    write_dense(tmp_path / "a", {"point": 6}, {"v": np.arange(6, dtype=np.int32)}, data=False, group=tmp_path)
    with tiledb.open(str(tmp_path / "a"), "w") as array:
        array[0:2] = np.array([7, 8], dtype=np.int32)
    with tiledb.open(str(tmp_path / "a"), "w") as array:
        array[4:6] = np.array([9, 10], dtype=np.int32)
    with open_dataset(tmp_path) as dataset:
        np.testing.assert_array_equal(dataset.numbers("v"), [7, 8, NAN, NAN, 9, 10])


def test_a_fill_that_somebody_chose_means_missing(tmp_path):
    kind, found = column(tmp_path / "cf", np.array([1, -7, 3], np.int32), fills={"v": -7})
    assert kind == "float"
    np.testing.assert_array_equal(found, [1, NAN, 3])


@pytest.mark.parametrize("dtype", ["int32", "float32", "bool"])
def test_null_is_missing(tmp_path, dtype):
    values = np.array([1, 0, 1], dtype=dtype)
    write_group(tmp_path, {})
    write_dense(tmp_path / "a", {"point": 3}, {"v": values}, nullable=("v",), data=False, group=tmp_path)
    with tiledb.open(str(tmp_path / "a"), "w") as array:
        array[:] = {"v": np.ma.masked_array(values, [False, True, False])}
    with open_dataset(tmp_path) as dataset:
        assert dataset.obs_columns["v"].kind == "float"
        np.testing.assert_array_equal(dataset.numbers("v"), [1, NAN, 1])
        np.testing.assert_array_equal(dataset.obs("v", [1, 2])["v"], [NAN, 1])


FLAGS = {
    "numbers": {"flag_values": (4, 1, 2), "flag_meanings": "good bad ugly"},
    "an array": {"flag_values": np.array([4, 1, 2], np.int8), "flag_meanings": "good  bad ugly "},
    "text": {"flag_values": "4b, 1b, 2b", "flag_meanings": "good bad ugly"},
}


@pytest.mark.parametrize("name", FLAGS)
def test_flags_are_categories_in_the_order_of_their_meanings(tmp_path, name):
    values = np.array([1, 4, 2, 3, 4, -1], dtype=np.int8)
    assert column(tmp_path / "cf", values, FLAGS[name]) == ("categorical", ["bad", "good", "ugly", None, "good", None])
    with open_dataset(tmp_path / "cf") as dataset:
        assert dataset.codes("v").categories == ("good", "bad", "ugly")
        assert dataset.obs_columns["v"].n_categories == 3
        assert dataset.n_var == 0


@pytest.mark.parametrize(
    "attributes",
    [
        {"flag_values": (0, 1), "flag_meanings": "one_only"},
        {"flag_values": (0, 1)},
        {"flag_meanings": "a b"},
        {"flag_values": b"x", "flag_meanings": "a b"},
        {"flag_values": (0, 10**9), "flag_meanings": "a b"},
    ],
)
def test_flags_that_do_not_fit_leave_the_numbers(tmp_path, attributes):
    kind, found = column(tmp_path / "cf", np.array([0, 1, 1], np.int8), attributes)
    assert kind == "int"
    np.testing.assert_array_equal(found, [0, 1, 1])


@pytest.mark.parametrize(
    "values", [np.array([b"ab", b"c"]), np.array(["ab", "c"]), np.array(["ab", "c"], dtype=object)]
)
def test_text_of_any_type_is_text(tmp_path, values):
    assert column(tmp_path / "cf", values) == ("string", ["ab", "c"])


def test_types_that_cannot_be_shown_are_left_out_with_a_note(tmp_path):
    write_group(tmp_path, {})
    columns = {"z": np.array([1j, 2j]), "v": np.array([1.0, 2.0])}
    write_dense(tmp_path / "a", {"point": 2}, columns, group=tmp_path)
    with open_dataset(tmp_path) as dataset:
        assert list(dataset.obs_columns) == ["v"]
        assert dataset.notes == ("variable 'z' is left out: its type complex128 is not supported.",)


def test_names_of_attributes_may_hold_dots(tmp_path):
    write_group(tmp_path, {})
    columns = {"lat": np.array([1, 2], np.int16), "lat.sd": np.array([3, 4], np.int16)}
    said = {"lat": {"scale_factor": 10.0}, "lat.sd": {"scale_factor": 100.0}}
    write_dense(tmp_path / "a", {"point": 2}, columns, attributes=said, group=tmp_path)
    with open_dataset(tmp_path) as dataset:
        np.testing.assert_array_equal(dataset.numbers("lat"), [10, 20])
        np.testing.assert_array_equal(dataset.numbers("lat.sd"), [300, 400])
