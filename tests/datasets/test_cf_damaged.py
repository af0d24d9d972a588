"""What a dataspace says when it is damaged, contradicts itself or is none, and that the rest stays readable."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import DamagedStore, DatasetNotFound, InvalidStore, UnknownFormat
from tests.datasets.make_cf import make_cf, write_dense, write_group, write_sparse
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.datasets.test_cxg_damaged import lose_data


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    make_cf(path := tmp_path_factory.mktemp("cf") / "toy", "xarray")
    return path


@pytest.fixture
def toy(written, tmp_path):
    return shutil.copytree(written, tmp_path / "toy")


def test_lost_values_fail_one_variable_and_nothing_else(toy):
    lose_data(toy / "temperature")
    with open_dataset(toy) as dataset:
        for read in (lambda: dataset.values("temperature"), lambda: dataset.obs("temperature", [3])):
            with pytest.raises(DamagedStore, match=r"cannot read temperature\.temperature: data files are missing"):
                read()
        with pytest.warns(UserWarning, match="temperature"):
            frame = dataset.obs()
        assert "temperature" not in frame
        assert "pressure" in frame
        assert dataset.embedding().shape == (60, 2)


def test_a_truncated_file_is_damage_and_not_a_crash(toy):
    for file in (toy / "temperature").rglob("a*.tdb"):
        file.write_bytes(file.read_bytes()[:10])
    with open_dataset(toy) as dataset, pytest.raises(DamagedStore, match="temperature"):
        dataset.values("temperature")


@pytest.mark.parametrize("part", ["__schema", "__fragments"])
def test_an_array_without_schema_or_fragments_is_left_out_with_a_note(toy, part):
    shutil.rmtree(toy / "temperature" / part)
    with open_dataset(toy) as dataset:
        assert "temperature" not in dataset.obs_columns
        assert any("array 'temperature' is left out" in note for note in dataset.notes)
        assert dataset.n_obs == 60


def test_a_lost_coordinate_gives_way_to_positions(toy):
    shutil.rmtree(toy / "lon" / "__schema")
    with open_dataset(toy) as dataset:
        np.testing.assert_array_equal(dataset.embedding("lon_lat")[:4, 0], [0, 1, 2, 3])
        assert dataset.obs_columns["lon"].kind == "int"


def test_metadata_that_cannot_be_read_leave_the_stored_numbers(toy):
    for file in (toy / "pressure" / "__meta").iterdir():
        file.write_bytes(b"broken")
    with open_dataset(toy) as dataset:
        assert dataset.obs_columns["pressure"].kind == "int"
        assert any("metadata of pressure" in note and "as they are stored" in note for note in dataset.notes)


def test_dimensions_of_one_name_must_agree(toy):
    write_dense(toy / "other", {"lat": 6}, {"other": np.zeros(6)}, dtype=np.uint32, group=toy)
    with pytest.raises(
        InvalidStore, match="dimension 'lat' has different domains in different arrays: 0 to 4"
    ) as caught:
        open_dataset(toy)
    assert str(caught.value).startswith(str(toy))


def test_dimensions_of_one_name_must_be_of_one_type(tmp_path):
    write_group(tmp_path, {})
    for name, dtype in (("a", np.uint32), ("b", np.uint64)):
        write_dense(tmp_path / name, {"x": 3}, {name: np.zeros(3)}, dtype=dtype, group=tmp_path)
    with pytest.raises(InvalidStore, match=r"'x' has different domains.*\(uint32\) in a.*\(uint64\) in b"):
        open_dataset(tmp_path)


def test_a_dimension_is_as_long_as_its_shortest_array(tmp_path):
    write_group(tmp_path, {})
    write_dense(tmp_path / "a", {"x": (0, 999)}, {"a": np.arange(7.0)}, group=tmp_path)
    write_dense(tmp_path / "b", {"x": (0, 999)}, {"b": np.arange(5.0)}, group=tmp_path)
    with open_dataset(tmp_path) as dataset:
        assert dataset.n_obs == 5
        assert any("dimension 'x' has 7 positions in one array and 5 in another" in note for note in dataset.notes)


def test_a_name_that_occurs_twice_is_qualified(tmp_path):
    write_group(tmp_path, {})
    for name in ("a", "b"):
        write_dense(tmp_path / name, {"x": 3}, {"v": np.zeros(3), "w": np.zeros(3)}, group=tmp_path)
    with open_dataset(tmp_path) as dataset:
        assert list(dataset.obs_columns) == ["v", "w", "b.v", "b.w"]
        assert any("'v' of array 'b' is renamed b.v" in note for note in dataset.notes)


@pytest.mark.parametrize("legacy", [False, True])
def test_a_group_without_arrays_is_no_dataspace(tmp_path, legacy):
    write_group(tmp_path / "cf", {})
    if legacy:
        write_dense(tmp_path / "cf" / "__tiledb_group", {"i": 1}, {"a": np.zeros(1)}, data=False)
    with pytest.raises(InvalidStore, match="this TileDB group has no readable arrays"):
        open_dataset(tmp_path / "cf")


def test_groups_in_a_group_are_named(tmp_path):
    write_group(tmp_path / "cf", {})
    write_group(tmp_path / "cf" / "ocean", {})
    with tiledb.Group(str(tmp_path / "cf"), "w") as group:
        group.add("ocean", name="ocean", relative=True)
    with pytest.raises(InvalidStore, match="it contains the groups ocean: open one of them"):
        open_dataset(tmp_path / "cf")
    write_dense(tmp_path / "cf" / "v", {"x": 3}, {"v": np.zeros(3)}, group=tmp_path / "cf")
    with open_dataset(tmp_path / "cf") as dataset:
        assert dataset.notes == ("it contains groups that are separate dataspaces; they are not shown: ocean.",)


def test_members_outside_of_the_store_are_not_followed(toy, tmp_path):
    write_dense(tmp_path / "outside", {"lat": 5}, {"outside": np.zeros(5)}, dtype=np.uint32)
    (toy / "linked").symlink_to(tmp_path / "outside")
    with tiledb.Group(str(toy), "w") as group:
        group.add(str(tmp_path / "outside"), name="outside")
        group.add("linked", name="linked", relative=True)
    with open_dataset(toy) as dataset:
        assert "outside" not in dataset.obs_columns
        assert [
            name for name in ("outside", "linked") for note in dataset.notes if f"'{name}' lies outside" in note
        ] == [
            "outside",
            "linked",
        ]


def test_a_store_that_was_moved_after_absolute_registration_opens(tmp_path):
    truth = make_cf(tmp_path / "before", "creator")
    (tmp_path / "before").rename(tmp_path / "after")
    with open_dataset(tmp_path / "after") as dataset:
        assert list(dataset.obs_columns) == list(truth.obs.columns)
        np.testing.assert_array_equal(dataset.numbers("temperature"), truth.obs["temperature"])


def test_an_integer_that_misses_cells_is_refused_and_others_are_missing(tmp_path):
    write_group(tmp_path, {})
    cells = {"x": np.array([0.5, 1.5, 2.5]), "y": np.array([1.0, 2.0, 3.0])}
    write_sparse(tmp_path / "base", cells, {"v": np.arange(3.0)}, group=tmp_path)
    part = {"count": np.array([4, 5]), "share": np.array([0.25, 0.5]), "label": np.array(["a", "b"], dtype=object)}
    write_sparse(tmp_path / "part", {"x": np.array([0.5, 2.5])}, part, group=tmp_path)
    with open_dataset(tmp_path) as dataset:
        np.testing.assert_array_equal(dataset.numbers("share"), [0.25, np.nan, 0.5])
        assert dataset.obs("label")["label"].tolist() == ["a", "", "b"]
        with pytest.raises(InvalidStore, match="count has no value for 1 of the 3 cells of base"):
            dataset.numbers("count")


def test_what_is_no_group_is_refused_by_name(tmp_path):
    tiledb.from_numpy(str(tmp_path / "array"), np.zeros(3)).close()
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidStore, match=r"not a TileDB group \(it is array\)"):
        open_dataset(tmp_path / "array", format="tiledb-cf")
    with pytest.raises(InvalidStore, match=r"not a TileDB group \(it is not a TileDB object\)"):
        open_dataset(tmp_path / "folder", format="tiledb-cf")
    with pytest.raises(UnknownFormat, match="a single TileDB array, not a dataset; pass its parent group"):
        open_dataset(tmp_path / "array")
    with pytest.raises(DatasetNotFound, match="no such file"):
        open_dataset(tmp_path / "none", format="tiledb-cf")


def test_a_cxg_that_lacks_its_embeddings_is_still_called_a_cxg(tmp_path):
    for name in ("obs", "var"):
        path = make_cxg(tmp_path / f"without_emb_{name}.cxg", make_truth(), parts=("obs", "var"), version="0.0")
        with pytest.raises(InvalidStore, match="not a CXG; missing emb"):
            open_dataset(path)


def test_variables_called_obs_and_var_do_not_make_a_cxg(tmp_path):
    write_group(tmp_path / "cf", {})
    for name in ("obs", "var"):
        write_dense(tmp_path / "cf" / name, {"x": 3}, {name: np.arange(3.0)}, group=tmp_path / "cf")
    with open_dataset(tmp_path / "cf") as dataset:
        assert dataset.format == "tiledb-cf"
        assert list(dataset.obs_columns) == ["obs", "var"]


@pytest.mark.parametrize("damage", [b"", b"broken", b"\x01" * 200])
def test_metadata_of_the_group_that_are_damaged_are_an_error_of_ours(tmp_path, damage):
    make_cf(tmp_path / "old", "legacy")
    files = list((tmp_path / "old" / "__tiledb_group" / "__meta").iterdir())
    assert files
    for file in files:
        file.write_bytes(damage)
    with pytest.raises(DamagedStore, match="cannot read the metadata of __tiledb_group"):
        open_dataset(tmp_path / "old")


def test_an_array_that_the_group_lost_is_told_of(tmp_path):
    make_cf(path := tmp_path / "a", "xarray")
    max((path / "__group").iterdir()).unlink()  # the newest names all, those before it one less each
    with open_dataset(path) as dataset:
        assert "'daylight' is in the folder but not a member of the group; it is left out." in dataset.notes
