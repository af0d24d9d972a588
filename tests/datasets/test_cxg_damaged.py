"""What a CXG says when it is damaged or contradicts itself, and that the rest of it stays readable."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import DamagedStore, InvalidStore, UnknownName
from tests.datasets.make_cxg import (
    LAYOUTS,
    create_sparse,
    make_truth,
    obs_columns,
    write_cells,
    write_dense,
    write_matrix,
)
from tests.memory import MemoryDataset
from tests.open_files import n_open_files


def lose_data(array_path) -> None:
    """Delete the data files of an array and leave its schema and commits, as a partial copy does."""
    lost = [file for file in array_path.rglob("a*.tdb") if "__fragments" in str(file)]
    assert lost
    for file in lost:
        file.unlink()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_lost_values_fail_one_gene_and_nothing_else(make, small_truth, layout):
    path = make(layout)
    lose_data(path / ("Xc" if layout == "columns" else "X"))
    with open_dataset(path) as dataset:
        with pytest.raises(DamagedStore, match=r"cannot read expression, column 0 of Xc?: data files are missing"):
            dataset.values(small_truth.var_labels[0])
        assert len(dataset.obs()) == dataset.n_obs
        assert dataset.embedding().shape == (dataset.n_obs, 2)


def test_a_truncated_file_is_damage_and_not_a_crash(make, small_truth):
    path = make("columns")
    for file in (path / "Xc").rglob("a*.tdb"):
        file.write_bytes(file.read_bytes()[:10])
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match="Xc"):
        dataset.values(small_truth.var_labels[0])


def lose_column(array_path, name) -> None:
    """Delete the data files of one column."""
    with tiledb.open(str(array_path)) as array:
        number = [array.schema.attr(i).name for i in range(array.nattr)].index(name)
    lost = [file for file in array_path.rglob(f"a{number}*.tdb") if file.stem in (f"a{number}", f"a{number}_var")]
    assert lost
    for file in lost:
        file.unlink()


def test_a_lost_column_is_left_out_with_a_warning_and_refused_by_name(make, small_truth):
    path = make()
    lose_column(path / "obs", "score")
    with open_dataset(path) as dataset:
        with pytest.warns(UserWarning, match="score"):
            frame = dataset.obs()
        assert list(frame.columns) == [name for name in small_truth.obs.columns if name != "score"]
        assert any("score" in note for note in dataset.notes)
        with pytest.raises(DamagedStore, match="obs column 'score'"):
            dataset.obs("score")


@pytest.mark.parametrize("rows", [None, [7, 2]])
def test_with_a_lost_index_rows_are_called_by_their_positions_with_a_warning(make, small_truth, rows):
    path = make()
    lose_column(path / "obs", "name_0")
    with open_dataset(path) as dataset:
        for columns in (None, ["score"]):
            with pytest.warns(UserWarning, match="obs index 'name_0'"):
                frame = dataset.obs(columns, rows=rows)
            assert frame.index.tolist() == (rows or list(range(dataset.n_obs)))
            np.testing.assert_array_equal(frame["score"], small_truth.obs["score"].to_numpy()[rows or slice(None)])
        assert any("name_0" in note for note in dataset.notes)
        with pytest.raises(DamagedStore, match="name_0"):
            dataset.obs(["name_0"], rows=rows)


def test_with_a_lost_index_of_var_the_rows_are_positions(make, small_truth):
    path = make()
    lose_column(path / "var", "name_0")
    with open_dataset(path) as dataset, pytest.warns(UserWarning, match="var index 'name_0'"):
        assert dataset.var()["feature_name"].to_dict() == dict(enumerate(small_truth.aliases))


@pytest.mark.parametrize("part", ["obs", "emb/umap", "X"])
def test_a_dense_array_without_any_data_is_damage_and_not_fill_values(make, small_truth, part):
    path = make("dense")
    shutil.rmtree(path / part / "__fragments")
    shutil.rmtree(path / part / "__commits")
    ask = {
        "obs": lambda dataset: dataset.obs(["score"]),
        "emb/umap": lambda dataset: dataset.embedding("umap"),
        "X": lambda dataset: dataset.values(small_truth.var_labels[0]),
    }
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match=f"{part} holds no data"):
        ask[part](dataset)


@pytest.mark.parametrize("folders", [("__fragments",), ("__commits",), ("__fragments", "__commits")])
@pytest.mark.parametrize(("layout", "part"), [("columns", "Xc"), ("sparse", "X"), ("dense", "X")])
def test_a_matrix_whose_files_are_lost_is_damage_and_a_note_and_never_zeros(make, small_truth, layout, part, folders):
    path = make(layout)
    for folder in folders:
        shutil.rmtree(path / part / folder)
    with open_dataset(path) as dataset:
        assert [note for note in dataset.notes if part in note and "missing" in note]
        assert len(dataset.obs()) == dataset.n_obs
        np.testing.assert_array_equal(dataset.embedding("umap"), small_truth.embeddings["umap"].astype(np.float32))
        for read in (
            lambda: dataset.values(small_truth.var_labels[0]),
            lambda: dataset.vector(small_truth.var_labels[1]),
            lambda: list(dataset.vectors(small_truth.var_labels[:3])),
            lambda: dataset.matrix_block(0, 2),
        ):
            with pytest.raises(DamagedStore, match=f"{part}.*missing"):
                read()


def lose_all_of_both(path):
    for part in ("Xr", "Xc"):
        for folder in ("__fragments", "__commits"):
            shutil.rmtree(path / part / folder)


def test_a_matrix_that_was_never_written_is_zeros_and_a_note(make, small_truth):
    path = make("columns")
    lose_all_of_both(path)
    with open_dataset(path) as dataset:
        assert [note for note in dataset.notes if note.startswith("Xr and Xc hold no values")]
        for name in small_truth.var_labels:
            assert not dataset.values(name).any()


def test_a_matrix_of_zeros_that_was_written_has_no_note(make, small_truth):
    path = make("columns")
    for part, across in (("Xr", "var"), ("Xc", "obs")):
        shutil.rmtree(path / part / "__fragments")
        shutil.rmtree(path / part / "__commits")
        with tiledb.open(str(path / part), "w") as array:
            array[np.zeros(1, np.uint32)] = {"": np.zeros(1, np.float32), across: np.zeros(1, np.uint32)}
    with open_dataset(path) as dataset:
        assert dataset.notes == ()
        assert not dataset.values(small_truth.var_labels[0]).any()


def test_without_x_everything_but_values_works(make, small_truth):
    with open_dataset(make(parts=("obs", "var", "emb"))) as dataset:
        assert len(dataset.obs()) == dataset.n_obs
        assert any("no expression matrix" in note for note in dataset.notes)
        with pytest.raises(InvalidStore, match=r"no expression matrix \(need X, or Xr and Xc\)"):
            dataset.values(small_truth.var_labels[0])
        with pytest.raises(UnknownName):
            dataset.values("no such gene")


def test_xr_without_xc_says_so(make, small_truth):
    path = make("columns")
    shutil.rmtree(path / "Xc")
    with open_dataset(path) as dataset, pytest.raises(InvalidStore, match="has Xr without Xc"):
        dataset.values(small_truth.var_labels[0])


def test_xc_without_xr_is_enough(make, small_truth):
    path = make("columns")
    shutil.rmtree(path / "Xr")
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.values(small_truth.var_labels[0]), small_truth.X[:, 0])


@pytest.mark.parametrize("part", ["cxg_group_metadata", "emb/pca"])
def test_an_array_that_lost_its_schema_is_left_out_with_a_note(make, part):
    path = make()
    with open_dataset(path) as dataset:
        assert not any("schema is missing" in note for note in dataset.notes)
    shutil.rmtree(path / part / "__schema")
    with open_dataset(path) as dataset:
        assert f"{part} is left out: it is not a TileDB array, because its schema is missing." in dataset.notes
        assert dataset.embedding("umap").shape == (40, 2)


def test_a_store_without_embeddings_opens_and_refuses_to_give_one(make):
    path = make()
    shutil.rmtree(path / "emb")
    tiledb.group_create(str(path / "emb"))
    write_dense(path / "emb" / "line", np.zeros((40, 1)))
    with open_dataset(path) as dataset:
        assert dataset.default_embedding is None
        assert len(dataset.obs()) == dataset.n_obs
        for name in (None, "umap"):
            with pytest.raises(InvalidStore, match="no usable embedding under emb/"):
                dataset.embedding(name)


def test_an_embedding_of_another_length_is_left_out_and_says_why(make):
    path = make()
    write_dense(path / "emb" / "short", np.zeros((7, 2)))
    with open_dataset(path) as dataset:
        assert "short" not in dataset.embeddings
        assert any("emb/short has 7 rows" in note for note in dataset.notes)
        with pytest.raises(InvalidStore, match="emb/short has 7 rows but obs has 40"):
            dataset.embedding("short")


@pytest.mark.parametrize("lost", ["obs", "var", "emb"])
def test_a_part_that_every_cxg_has_is_named_when_it_is_missing(make, lost):
    path = make()
    shutil.rmtree(path / lost)
    with pytest.raises(InvalidStore, match=f"not a CXG; missing {lost}"):
        open_dataset(path)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_matrix_of_another_shape_is_refused(make, layout):
    path = make(parts=("obs", "var", "emb"))
    write_matrix(path, make_truth(n_obs=39).X, layout)
    with pytest.raises(InvalidStore, match="matrix is 39x9 but obs has 40 rows and var 9"):
        open_dataset(path)


@pytest.mark.parametrize("hints", ["{not json", b"\x80\x04K\x01.", "[1, 2]", "[" * 100_000])
def test_hints_that_are_no_json_are_refused(make, hints):
    with pytest.raises(InvalidStore, match=r"obs\.cxg_schema is not (valid JSON|a JSON object)"):
        open_dataset(make(hints=hints))


def test_a_code_without_a_category_is_refused_for_that_column_only(make, small_truth):
    _, hints = obs_columns(small_truth, as_codes=True, first=False)
    with open_dataset(make(hints={**hints, "cell_type": {"type": "categorical", "categories": ["a", "b"]}})) as dataset:
        with pytest.raises(InvalidStore, match=r"obs\.cell_type holds code 4 but only 2 categories are declared"):
            dataset.codes("cell_type")
        assert dataset.codes("many").codes.shape == (dataset.n_obs,)


def test_cells_stored_twice_are_added_up(make, small_truth):
    path = make(parts=("obs", "var", "emb"))
    create_sparse(path / "Xc", {"var": 9}, {"": np.float32, "obs": np.uint32})
    cells = {"": np.array([1, 2, 4], dtype=np.float32), "obs": np.array([8, 3, 8], dtype=np.uint32)}
    write_cells(path / "Xc", (np.array([2, 2, 2]),), cells)
    with open_dataset(path) as dataset:
        vector = dataset.vector(small_truth.var_labels[2])
        assert dict(zip(vector.rows.tolist(), vector.values.tolist(), strict=True)) == {3: 2.0, 8: 5.0}


def test_a_cell_beyond_obs_is_refused(make, small_truth):
    path = make(parts=("obs", "var", "emb"))
    create_sparse(path / "Xc", {"var": 9}, {"": np.float32, "obs": np.uint32})
    write_cells(
        path / "Xc", (np.array([2]),), {"": np.ones(1, dtype=np.float32), "obs": np.array([40], dtype=np.uint32)}
    )
    with open_dataset(path) as dataset, pytest.raises(InvalidStore, match="refers to obs 40 but obs has 40 rows"):
        dataset.values(small_truth.var_labels[2])


def test_a_shift_of_another_length_is_refused(make, small_truth):
    path = make("sparse")
    write_dense(path / "X_col_shift", np.zeros(3, dtype=np.float32))
    with open_dataset(path) as dataset, pytest.raises(InvalidStore, match="X_col_shift has the shape"):
        dataset.values(small_truth.var_labels[2])


@pytest.mark.parametrize("path", ["obs", "var"])
def test_a_table_that_declares_more_rows_than_were_written_is_refused_before_memory_is_taken(make, path):
    store = make()
    shutil.rmtree(store / path)
    rows = tiledb.Dim(domain=(0, 3_000_000_000 - 1), tile=1_000, dtype=np.uint32)
    attr = tiledb.Attr(name="name_0", dtype=np.dtype("U0"))
    schema = tiledb.ArraySchema(domain=tiledb.Domain(rows), attrs=[attr], sparse=False)
    tiledb.Array.create(str(store / path), schema)
    with tiledb.open(str(store / path), "w") as array:
        array[0:10] = np.array([f"c{number}" for number in range(10)], dtype=object)
    with pytest.raises(DamagedStore, match=f"{path} declares 3,000,000,000 rows, but 10 were written"):
        open_dataset(store)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("wrong", [1 << 20, (1 << 32) - 1])
def test_a_matrix_whose_coordinates_were_damaged_gives_no_lines(make, small_truth, dim, wrong):
    store = make("sparse")
    shutil.rmtree(store / "X")
    n_obs, n_var = small_truth.X.shape
    lengths = {"o": n_obs, "v": n_var}
    dims = [tiledb.Dim(name=name, domain=(0, n - 1), tile=n, dtype=np.uint32) for name, n in lengths.items()]
    attr = tiledb.Attr(name="", dtype=np.float32)
    tiledb.Array.create(str(store / "X"), tiledb.ArraySchema(tiledb.Domain(*dims), [attr], sparse=True))
    rows, columns = np.nonzero(small_truth.X)
    with tiledb.open(str(store / "X"), "w") as array:
        array[rows, columns] = small_truth.X[rows, columns]
    with open_dataset(store) as dataset:
        n_lines = n_obs if dataset.major_axis == "obs" else n_var
        assert np.diff(dataset.matrix_block(0, n_lines).starts).sum() == len(rows)
    (file,) = store.glob(f"X/__fragments/*/d{dim}.tdb")
    data = bytearray(file.read_bytes())
    data[-8:-4] = np.uint32(wrong).tobytes()  # one coordinate of the last but one cell; nothing is filtered
    file.write_bytes(bytes(data))
    with open_dataset(store) as dataset, pytest.raises((DamagedStore, InvalidStore), match=str(store)):
        dataset.matrix_block(0, n_lines)


class _Torn(MemoryDataset):
    """Gives blocks as damaged files may give them."""

    def _read_matrix_block(self, start, stop, layer):
        whole = super()._read_matrix_block(start, stop, layer)
        return replace(whole, **self.torn(whole))


@pytest.mark.parametrize(
    "torn",
    [
        lambda block: {"positions": block.positions + 100_000},
        lambda block: {"positions": block.positions - 100_000},
        lambda block: {"starts": block.starts[:-1]},
        lambda block: {"starts": block.starts + 1},
        lambda block: {"starts": block.starts[::-1].copy()},
        lambda block: {"values": block.values[:-1]},
    ],
)
def test_lines_that_name_cells_which_do_not_exist_are_refused_for_every_store(torn):
    x = np.ones((5, 3), dtype=np.float32)
    dataset = _Torn({}, x, ["a", "b", "c"], {"umap": np.zeros((5, 2))})
    dataset.torn = lambda block: {}
    assert dataset.matrix_block(0, 3).values.tolist() == [1] * 15
    dataset.torn = torn
    with pytest.raises(DamagedStore, match="var 0 to 3 of the matrix refer to cells that do not exist"):
        dataset.matrix_block(0, 3)


@pytest.mark.parametrize(("cut", "what"), [(0, "empty"), (7, "empty"), (200, "cut"), (-3, "cut")])
@pytest.mark.parametrize("array", ["obs", "emb/umap"])
def test_an_array_whose_metadata_are_cut_off_leaves_no_file_open(make, array, cut, what):
    path = make("columns")
    for file in (path / array).rglob("__fragment_metadata.tdb"):
        file.write_bytes(file.read_bytes()[:cut])

    def refuse():
        with pytest.raises(DamagedStore, match=f"cannot read {array}: .* fragment .* is {what}"):  # noqa: SIM117
            with open_dataset(path) as dataset:
                dataset.embedding("umap")

    refuse()
    before = n_open_files()
    for _ in range(3):
        refuse()
    assert n_open_files() == before


def test_a_column_of_another_length_than_the_table_is_damaged_for_every_store():
    dataset = MemoryDataset(
        {"short": np.zeros(4)}, np.ones((5, 1), dtype=np.float32), ["a"], {"umap": np.zeros((5, 2))}
    )
    with pytest.raises(DamagedStore, match="'short': it has 4 values for 5 rows"):
        dataset.obs(["short"])
