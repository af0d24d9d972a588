"""Tables: what their columns serve as, what they give back, and frames that are odd."""

from __future__ import annotations

import datetime
import decimal
import gzip
from functools import partial

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
import xarray as xr

from cxg_widget import CxgWidget
from cxg_widget.cli.main import main
from cxg_widget.convert.conversion import convert
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.tables.axes import find_axes
from cxg_widget.errors import (
    DamagedStore,
    DatasetNotFound,
    InvalidOption,
    InvalidStore,
    InvalidValue,
    MissingDependency,
    UnknownFormat,
    UnknownName,
)
from tests.datasets.make_tables import MAKE, make_frame, named

FRAME = make_frame()
ROWS = np.array([1, 3, 17, 30])


def of_pandas(frame, source):
    pd.testing.assert_frame_equal(frame, source.iloc[ROWS])


def of_polars(frame, source):
    assert frame.equals(source[ROWS.tolist()])
    assert frame.schema == source.schema


def of_arrow(frame, source):
    assert frame.equals(source.take(ROWS.tolist()))
    assert frame.schema.equals(source.schema, check_metadata=True)


def of_dict(frame, source):
    assert list(frame) == list(source)
    for name, values in frame.items():
        assert type(values) is type(source[name])
        pd.testing.assert_series_equal(pd.Series(values), pd.Series(source[name][ROWS]))


def of_file(frame, path):
    assert isinstance(frame, pa.Table)
    stored = pq.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()
    assert pl.from_arrow(frame).equals(pl.from_arrow(stored)[ROWS.tolist()])
    without = frame.drop_columns(["sample"]).schema  # whose text may come in another layout
    assert without.equals(stored.drop_columns(["sample"]).schema)


GIVES = {
    "pandas": of_pandas, "polars": of_polars, "pyarrow": of_arrow, "dict": of_dict, "parquet": of_file,
    "parquet by polars": of_file, "feather": of_file, "arrow": of_file,
}  # fmt: skip


@pytest.mark.parametrize("kind", GIVES)
def test_rows_come_back_in_the_type_that_was_given(kind, tmp_path):
    source = MAKE[kind](named(FRAME) if kind == "pandas" else FRAME, tmp_path)
    with open_dataset(source) as dataset:
        GIVES[kind](dataset.frame(ROWS), source)
        some = dataset.frame(ROWS, ["score", "cell_type"])
        assert list(some if isinstance(some, dict) else pa.table(some).select(["score", "cell_type"]).column_names) == [
            "score", "cell_type",
        ]  # fmt: skip
        with pytest.raises(UnknownName, match=r"'scor'.*score"):
            dataset.frame(ROWS, ["scor"])


def test_a_relation_of_duckdb_a_batch_and_a_reader_are_tables_too():
    table = pa.Table.from_pandas(FRAME)
    relation = duckdb.from_arrow(table).filter("n_counts > 100")
    with open_dataset(relation, var="gene_") as dataset:
        expected = FRAME[FRAME["n_counts"] > 100].reset_index(drop=True)
        assert dataset.n_obs == len(expected)
        np.testing.assert_allclose(dataset.values("CD3E"), expected["gene_CD3E"], rtol=1e-6)
        assert isinstance(dataset.frame(np.array([0, 2])), pa.Table)
    for source in (table.to_batches()[0], table.to_reader()):
        with open_dataset(source) as dataset:
            np.testing.assert_array_equal(dataset.numbers("n_counts"), FRAME["n_counts"])


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("x y", {"x, y": "x y"}),
        ("Y X", {"X, Y": "X Y"}),
        ("umap_1 umap_2", {"umap": "umap_1 umap_2"}),
        ("UMAP1 UMAP2 n", {"UMAP": "UMAP1 UMAP2"}),
        ("X_umap-0 X_umap-1", {"umap": "X_umap-0 X_umap-1"}),
        ("tsne_1 tsne_2", {"tsne": "tsne_1 tsne_2"}),
        ("tSNE1 tSNE2", {"tSNE": "tSNE1 tSNE2"}),
        ("umap_x umap_y", {"umap": "umap_x umap_y"}),
        ("PC1 PC2 PC3 PC5", {"PC": "PC1 PC2 PC3"}),
        ("pca_01 pca_02", {"pca": "pca_01 pca_02"}),
        ("wnnUMAP_1 wnnUMAP_2", {"wnnUMAP": "wnnUMAP_1 wnnUMAP_2"}),
        ("lon lat", {"lon, lat": "lon lat"}),
        ("Longitude Latitude", {"Longitude, Latitude": "Longitude Latitude"}),
        ("x_centroid y_centroid", {"centroid": "x_centroid y_centroid"}),
        ("spatial_x spatial_y", {"spatial": "spatial_x spatial_y"}),
        ("umap,x umap,y", {"umap": "umap,x umap,y"}),
        ("gene1 gene2 umap_1 x max_y", {}),
        ("cluster_1 cluster_2 PC2 PC3 lat", {}),
    ],
)
def test_columns_named_as_axes_are_found(columns, expected):
    names = columns.split()
    assert find_axes(names) == {name: tuple(axes.split()) for name, axes in expected.items()}
    frame = pd.DataFrame(np.arange(3.0 * len(names)).reshape(3, -1), columns=names)
    with open_dataset(frame) as dataset:
        for name, axes in expected.items():
            np.testing.assert_array_equal(dataset.embedding(name), frame[axes.split()[:2]])


def test_levels_of_the_names_of_columns_are_read_as_one_name_and_an_empty_name_is_no_axis():
    assert find_axes(["umap, 1", "umap, 2", "e, x", "e, y"]) == {
        "umap": ("umap, 1", "umap, 2"), "e": ("e, x", "e, y"),
    }  # fmt: skip
    assert find_axes(["x", "y", ""]) == {"x, y": ("x", "y")}


def test_a_umap_comes_before_a_place_and_what_is_declared_before_both():
    frame = pd.DataFrame(np.ones((4, 6)), columns=["x", "y", "UMAP1", "UMAP2", "a", "b"])
    with open_dataset(frame) as dataset:
        assert dataset.default_embedding == "UMAP"
        assert dataset.axis_labels() is None  # both axes share their unit
    with open_dataset(frame, embeddings={"mine": ("b", "a"), "three": ["a", "b", "x"]}) as dataset:
        assert dataset.embeddings == {"mine": 2, "three": 3, "x, y": 2, "UMAP": 2}
        assert dataset.default_embedding == "mine"
    with open_dataset(frame, embeddings={"umap": ("UMAP1", "UMAP2")}) as dataset:
        assert dataset.embeddings == {"umap": 2, "x, y": 2}  # the pair that was declared is not found once more
    with open_dataset(frame, embedding=("x", "y")) as dataset:
        assert (dataset.default_embedding, dataset.find_embedding(("x", "y"))) == ("x, y", "x, y")


def test_two_columns_that_are_chosen_are_an_embedding_with_units_of_its_own():
    with open_dataset(FRAME, embedding=("score", "n_counts")) as dataset:
        assert dataset.default_embedding == "score, n_counts"
        assert dataset.axis_labels() == ("score", "n_counts")
        np.testing.assert_array_equal(dataset.embedding(), FRAME[["score", "n_counts"]].to_numpy(np.float32))


def test_columns_named_by_numbers_are_chosen_by_them():
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 4)))
    widget = CxgWidget(frame, embedding=(2, 1), embeddings={"third": (3, 0)}, var=[0], restore=False)
    assert (widget.embedding, widget.dataset.embeddings) == ("2, 1", {"third": 2, "2, 1": 2})
    np.testing.assert_array_equal(widget.dataset.embedding("2, 1"), frame[[2, 1]].to_numpy(np.float32))
    np.testing.assert_array_equal(widget.dataset.embedding("third"), frame[[3, 0]].to_numpy(np.float32))
    np.testing.assert_array_equal(widget.dataset.values("0"), frame[0].to_numpy(np.float32))
    widget.close()
    frame.columns = pd.MultiIndex.from_product([["umap", "score"], [1, 2]])
    with open_dataset(frame, embedding=(("score", 1), ("score", 2))) as dataset:
        np.testing.assert_array_equal(dataset.embedding(), frame["score"].to_numpy(np.float32))
    with pytest.raises(UnknownName, match=r"no column of numbers '7'; pandas DataFrame has 'umap, 1'"):
        CxgWidget(frame, embedding=(7, 8), restore=False)


def test_without_names_of_axes_the_first_two_numbers_are_shown_and_a_note_lists_the_others():
    frame = pd.DataFrame(
        {"id": ["a", "b"], "mass": [1.5, 2], "speed": [3, 4], "force": [5, 6], "is_new": [True, False]}
    )
    with open_dataset(frame) as dataset:
        assert dataset.default_embedding == "mass, speed"
        (note,) = dataset.notes
        assert "the axes are the first two columns of numbers: 'mass', 'speed'. Other candidates: 'force'." in note
        assert "embedding=('speed', 'force')" in note
    with open_dataset(frame, embedding=("speed", "force")) as dataset:
        assert dataset.notes == ()


WRONG = {
    "no column": (UnknownName, {"embedding": ("mas", "speed")}, "'mas'.*mass"),
    "text": (InvalidValue, {"embedding": ("mass", "kind")}, r"'kind' is string; .*embedding=\('mass', 'speed'\)"),
    "one": (InvalidValue, {"embedding": ("mass",)}, r"two columns, such as \('x', 'y'\)"),
    "no embedding": (UnknownName, {"embedding": "umap"}, "no embedding 'umap'"),
    "no mapping": (InvalidOption, {"embeddings": ("mass", "speed")}, r"such as \{'umap': \('UMAP1', 'UMAP2'\)\}"),
    "no pair": (InvalidValue, {"embeddings": {"a": "mass"}}, r"such as \{'umap'"),
    "no prefix": (
        UnknownName,
        {"var": "gene_"},
        "no column of numbers begins with this; its columns begin with 'mass'",
    ),
    "no var": (UnknownName, {"var": ["sped"]}, "'sped'.*speed"),
    "var of text": (InvalidValue, {"var": ["kind"]}, r"'kind' is string; a var needs .*var=\['mass', 'speed'\]"),
    "var as number": (InvalidOption, {"var": 3}, r"var='gene_'; found 3"),
    "foreign": (InvalidOption, {"key": "rna"}, "'key' applies only when you open a path; this is a table"),
    "format": (InvalidOption, {"format": "parquet"}, "a table in memory has no format"),
}


@pytest.mark.parametrize("case", WRONG)
def test_an_option_that_does_not_fit_is_one_sentence(case):
    error, options, sentence = WRONG[case]
    frame = pd.DataFrame({"mass": [1.0, 2], "speed": [1, 2], "kind": ["a", "b"]})
    with pytest.raises(error, match=sentence):
        open_dataset(frame, **options)


def closed_relation():
    with duckdb.connect() as connection:
        return connection.sql("select 1.0 x, 2.0 y")


REFUSED = {
    "matrix": (np.ones((3, 2)), r"ndarray is not a path; .*\{'x': x, 'y': y\}"),
    "series": (pl.Series("a", [1, 2]), r"a polars Series is one column; pass a table, such as \{'x': x, 'y': y\}"),
    "series of pandas": (pd.Series([1, 2]), "a pandas Series is one column"),
    "foreign type": (pl.DataFrame({"x": pl.Series([1], dtype=pl.Int128)}), r"i128.*CxgWidget\(frame.cast\("),
    "closed connection": (closed_relation(), "DuckDBPyRelation cannot be read as a table: .*closed; convert it to "),
    "lazy": (pl.DataFrame({"x": [1]}).lazy(), r"LazyFrame has no rows yet; pass frame.collect\(\)"),
    "lengths": ({"x": [1, 2], "y": [1]}, "'x' has 2, 'y' has 1"),
    "two axes": ({"umap": np.ones((3, 2))}, r"'umap' has the shape \(3, 2\).*'umap_1': umap\[:, 0\]"),
    "scalar": ({"x": 3}, "'x' must be an array with a value for each row"),
    "text": ({"x": "abc"}, "'x' must be an array"),
    "names": ({1: [1]}, "must be strings; found 1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_is_refused_in_one_sentence(case):
    source, sentence = REFUSED[case]
    with pytest.raises((InvalidOption, InvalidValue), match=sentence):
        open_dataset(source)


def test_arrays_of_numpy_and_polars_are_neither_copied_nor_locked():
    arrays = {"x": np.arange(5.0), "y": np.arange(5.0), "n": np.arange(5)}
    frame, columns = pd.DataFrame(arrays), pl.DataFrame(arrays)
    blocks = {name: frame[name].to_numpy() for name in arrays}
    for source, held in (
        (arrays, arrays),
        (frame, blocks),
        (columns, {one: columns[one].to_numpy() for one in arrays}),
    ):
        with open_dataset(source) as dataset:
            for name in arrays:
                assert np.shares_memory(dataset.numbers(name), held[name])
            dataset.embedding()
    arrays["x"][0] = 7
    frame.loc[0, "x"] = 7
    assert list(frame.columns) == ["x", "y", "n"]


def test_columns_of_more_rows_than_a_block_are_not_copied_either(monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.base.column_values.ROWS_PER_BLOCK", 2)
    arrays = {"x": np.arange(5.0), "y": np.arange(5.0)}
    with open_dataset(arrays) as dataset:
        assert np.shares_memory(dataset.numbers("x"), arrays["x"])


def test_rows_are_named_as_the_frame_names_them():
    frame = pd.DataFrame({"x": [1.0, 2, 3], "y": [1.0, 2, 3]}, index=[10, 5, 7])
    with open_dataset(frame) as dataset:
        assert dataset.obs(rows=[2]).index.tolist() == [7]
        assert dataset.obs_names().tolist() == ["10", "5", "7"]
    with open_dataset(frame.reset_index(drop=True)) as dataset:
        assert dataset.obs(rows=[2]).index.tolist() == [2]
        assert dataset.obs_index is None
    with open_dataset(pa.Table.from_pandas(frame)) as dataset:
        assert dataset.obs(rows=[2]).index.tolist() == [7]
        assert list(dataset.obs_columns) == ["x", "y"]


def test_levels_of_an_index_are_columns_and_all_of_them_name_a_row():
    index = pd.MultiIndex.from_product([["d1", "d2"], [1, 2]], names=["donor", None])
    frame = pd.DataFrame({("pos", "x"): [1.0, 2, 3, 4], ("pos", "y"): [1.0, 2, 3, 4]}, index=index)
    before = frame.copy()
    with open_dataset(frame) as dataset:
        assert list(dataset.obs_columns) == ["donor", "level 1", "pos, x", "pos, y"]
        assert dataset.obs_names().tolist() == ["d1, 1", "d1, 2", "d2, 1", "d2, 2"]
        assert dataset.codes("donor").categories == ("d1", "d2")
        pd.testing.assert_frame_equal(dataset.frame(np.array([0, 3])), frame.iloc[[0, 3]])
    pd.testing.assert_frame_equal(frame, before)


def test_of_two_columns_of_one_name_the_first_is_shown_and_both_are_given_back(tmp_path):
    frame = pd.DataFrame([[1.0, 2, 3], [4, 5, 6]], columns=["x", "y", "x"])
    table = pa.Table.from_arrays([pa.array(frame.iloc[:, one]) for one in range(3)], ["x", "y", "x"])
    pq.write_table(table, tmp_path / "twice.parquet")
    for source in (frame, table, tmp_path / "twice.parquet"):
        with open_dataset(source) as dataset:
            assert list(dataset.obs_columns) == ["x", "y"]
            np.testing.assert_array_equal(dataset.embedding(), [[1, 2], [4, 5]])
            assert any("'x' occurs twice; the first one is shown" in note for note in dataset.notes)
            found = dataset.frame(np.array([1]))
            assert found.shape == (1, 3)
            if isinstance(found, pa.Table):
                assert [column.to_pylist() for column in found.columns] == [[4], [5], [6]]


def test_columns_of_xarray_are_columns_of_a_dict():
    source = xr.Dataset({"x": ("cell", [1.0, 2, 3]), "y": ("cell", [3.0, 4, 5])})
    with open_dataset(source) as dataset:
        np.testing.assert_array_equal(dataset.embedding(), [[1, 3], [2, 4], [3, 5]])
        found = dataset.frame(np.array([2, 0]))
        assert {name: values.values.tolist() for name, values in found.items()} == {"x": [3, 1], "y": [5, 3]}


def test_columns_of_objects_are_what_their_values_are():
    frame = pd.DataFrame({"x": [1.0, 2, 3], "y": [1.0, 2, 3]})
    columns = {
        "mixed": [1, "a", True],
        "lists": [[1], [2, 3], None],
        "whole": [1, None, 3],
        "flag": [True, None, False],
        "flags": [True, False, False],
        "price": [decimal.Decimal("1.5"), None, decimal.Decimal("2")],
        "nothing": [None, None, None],
    }
    for name, values in columns.items():
        frame[name] = pd.Series(values, dtype=object)
    with open_dataset(frame) as dataset:
        kinds = {name: dataset.obs_columns[name].kind for name in columns}
        assert kinds == {
            "mixed": "string", "lists": "string", "whole": "float", "flag": "boolean", "flags": "boolean",
            "price": "float", "nothing": "string",
        }  # fmt: skip
        assert [note.removeprefix("obs column ") for note in dataset.notes] == [
            "'mixed' holds values of several types; they are shown as text.",
            "'lists' holds values of type list; they are shown as text.",
        ]
        assert dataset.codes("mixed").categories == ("1", "True", "a")
        assert dataset.obs_record(0, ["mixed", "lists"]) == {"mixed": "1", "lists": "[1]"}
        assert dataset.codes("lists").codes.tolist() == [0, 1, -1]
        np.testing.assert_array_equal(dataset.numbers("whole"), [1, np.nan, 3])
        np.testing.assert_array_equal(dataset.numbers("price"), [1.5, np.nan, 2])
        assert dataset.codes("flag").codes.tolist() == [1, -1, 0]
        assert dataset.numbers("flags").tolist() == [True, False, False]
        assert dataset.codes("nothing").codes.tolist() == [-1, -1, -1]


BERLIN = datetime.timezone(datetime.timedelta(hours=2))
TYPES = {
    "int with nulls": (pa.array([1, None, 3]), "int", [1.0, None, 3.0]),
    "bool with nulls": (pa.array([True, None, False]), "boolean", [True, None, False]),
    "decimal": (pa.array([decimal.Decimal("1.50"), None, decimal.Decimal("2.25")]), "float", [1.5, None, 2.25]),
    "half": (pa.array(np.array([1.5, 2, 3], np.float16)), "float", [1.5, 2, 3]),
    "large": (pa.array(["a", None, "c"], pa.large_string()), "string", ["a", None, "c"]),
    "view": (pa.array(["a", None, "c"], pa.string_view()), "string", ["a", None, "c"]),
    "date": (pa.array([datetime.date(2024, 1, 31), None, datetime.date(2023, 5, 1)]), "string",
             ["2024-01-31", None, "2023-05-01"]),
    "zone": (pa.array([datetime.datetime(2024, 7, 1, 10, tzinfo=BERLIN), None,
                       datetime.datetime(2024, 1, 1, 10, 0, 0, 5, tzinfo=BERLIN)], pa.timestamp("us", "Europe/Berlin")),
             "string", ["2024-07-01 10:00:00+02:00", None, "2024-01-01 09:00:00.000005+01:00"]),
    "nanoseconds": (pa.array([0, None, 1], pa.timestamp("ns")), "string",
                    ["1970-01-01", None, "1970-01-01 00:00:00.000000001"]),
    "time": (pa.array([datetime.time(9, 30), None, datetime.time(8)]), "string", ["09:30:00", None, "08:00:00"]),
    "duration": (pa.array([1500, None, 0], pa.duration("ms")), "float", [1.5, None, 0]),
    "dictionary": (pa.DictionaryArray.from_arrays([1, None, 0], ["b", "a"]), "categorical", ["a", None, "b"]),
    "dictionary of numbers": (pa.DictionaryArray.from_arrays([1, None, 0], [5, 3]), "categorical", [3, None, 5]),
}  # fmt: skip


OF_MEMORY = ("view", "dictionary of numbers")
"""What comes back from Parquet as another type."""


@pytest.mark.parametrize("in_file", [False, True], ids=["memory", "Parquet"])
def test_types_of_arrow_are_shown(in_file, tmp_path):
    columns = {name: values for name, (values, _, _) in TYPES.items() if not (in_file and name in OF_MEMORY)}
    source = pa.table({"x": [1.0, 2, 3], "y": [1.0, 2, 3], **columns})
    if in_file:
        pq.write_table(source, tmp_path / "types.parquet", row_group_size=2)
    with open_dataset(tmp_path / "types.parquet" if in_file else source) as dataset:
        assert dataset.notes == ()
        for name in columns:
            _, kind, expected = TYPES[name]
            assert dataset.obs_columns[name].kind == kind, name
            read = [dataset.obs_record(row, [name])[name] for row in range(3)]
            assert read == expected, name
            if kind == "string":
                codes = dataset.codes(name)
                assert list(codes.categories) == sorted(one for one in expected if one is not None), name
        assert dataset.obs_columns["duration"].unit == "second"
        assert dataset.codes("dictionary").categories == ("b", "a")


def test_the_same_types_of_pandas_are_the_same():
    stamps = pd.Series(pd.to_datetime(["2024-07-01 10:00", None, "2024-01-31 00:00"]))
    frame = pd.DataFrame({
        "x": [1.0, 2, 3], "y": [1.0, 2, 3],
        "when": stamps, "zone": stamps.dt.tz_localize("Europe/Berlin"),
        "span": pd.to_timedelta([1.5, None, 0], unit="s"),
        "month": pd.period_range("2024-01", periods=3, freq="M"),
        "bins": pd.cut([1, 2, 3], [0, 2, 4]),
        "arrow": pd.array([1, None, 3], dtype="int64[pyarrow]"),
        "complex": np.array([1j, 2, 3]),
    })  # fmt: skip
    with open_dataset(frame) as dataset:
        assert dataset.notes == ("obs column 'complex' is left out: its type complex128 is not supported.",)
        assert list(dataset.obs(["when"])["when"].astype(object).fillna("-")) == [
            "2024-07-01 10:00:00",
            "-",
            "2024-01-31",
        ]
        assert dataset.obs_record(0, ["zone", "month", "bins"]) == {
            "zone": "2024-07-01 10:00:00+02:00", "month": "2024-01", "bins": "(0, 2]",
        }  # fmt: skip
        assert dataset.codes("bins").ordered
        assert dataset.codes("when").categories == ("2024-01-31", "2024-07-01 10:00:00")
        np.testing.assert_array_equal(dataset.numbers("span"), [1.5, np.nan, 0])
        np.testing.assert_array_equal(dataset.numbers("arrow"), [1, np.nan, 3])


def test_types_of_arrow_within_pandas_are_those_of_arrow():
    columns = {
        "price": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal("2.25")]),
        "kind": pa.DictionaryArray.from_arrays(pa.array([0, None, 2], pa.int8()), ["b", "c", "a"]),
        "lists": pa.array([[1], None, [2]]),
        "structs": pa.array([{"a": 1}, None, {"a": 2}]),
        "raw": pa.array([b"a", None, b"b"]),
    }
    frame = pd.DataFrame({"x": [1.0, 2, 3], "y": [1.0, 2, 3]})
    for name, values in columns.items():
        frame[name] = pd.Series(values, dtype=pd.ArrowDtype(values.type))
    with open_dataset(frame) as dataset:
        np.testing.assert_array_equal(dataset.numbers("price"), [1.5, np.nan, 2.25])
        assert dataset.codes("kind").categories == ("b", "c", "a")
        assert dataset.codes("kind").codes.tolist() == [0, -1, 2]
        assert [note.split(":")[0] for note in dataset.notes] == [
            f"obs column {name!r} is left out" for name in ("lists", "structs", "raw")
        ]
        pd.testing.assert_frame_equal(dataset.frame(np.arange(3)), frame)


def test_a_dictionary_may_have_more_words_than_there_are_rows(tmp_path):
    words = [f"word {i}" for i in range(50)]
    table = pa.table({
        "x": [1.0, 2], "y": [1.0, 2], "kind": pa.DictionaryArray.from_arrays([7, 0], words),
        "ordered": pa.array(["low", "high"]),
    })  # fmt: skip
    enum = pl.DataFrame({"x": [1.0, 2], "y": [1.0, 2], "kind": pl.Series(["word 7", "word 0"], dtype=pl.Enum(words))})
    pq.write_table(table, tmp_path / "words.parquet")
    for source in (table, table.slice(0, 1), table.slice(0, 0), enum, tmp_path / "words.parquet"):
        with open_dataset(source) as dataset:
            expected = ["word 7", "word 0"][: dataset.n_obs]
            assert dataset.obs(["kind"])["kind"].tolist() == expected
            if dataset.n_obs and not isinstance(source, type(tmp_path)):
                assert dataset.codes("kind").categories == tuple(words)


def test_what_cannot_be_shown_is_left_out_with_a_note_and_given_back():
    table = pa.table({"x": [1.0], "y": [2.0], "list": [[1, 2]], "struct": [{"a": 1}], "raw": [b"ab"]})
    with open_dataset(table) as dataset:
        assert list(dataset.obs_columns) == ["x", "y"]
        assert [note.split(":")[0] for note in dataset.notes] == [
            f"column {name!r} is left out" for name in ("list", "struct", "raw")
        ]
        assert dataset.frame(np.array([0])).equals(table)
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array([1.5, 2.5]))
    with open_dataset(pa.table({"x": [1.0, 2, 3], "y": [1.0, 2, 3], "runs": runs})) as dataset:
        assert dataset.frame(np.array([0, 2]))["runs"].to_pylist() == [1.5, 2.5]


def test_categories_of_polars_are_sorted_and_those_of_an_enum_in_their_order():
    frame = pl.DataFrame(
        {"x": [1.0, 2, 3], "y": [1.0, 2, 3], "met": ["b", None, "a"], "enum": ["low", "high", "low"]},
        schema_overrides={"met": pl.Categorical, "enum": pl.Enum(["low", "mid", "high"])},
    )
    with open_dataset(frame) as dataset:
        assert dataset.codes("met").categories == ("a", "b")
        assert dataset.codes("met").codes.tolist() == [1, -1, 0]
        assert dataset.codes("enum").categories == ("low", "mid", "high")
        assert dataset.codes("enum").ordered


@pytest.mark.parametrize("kind", ["pandas", "polars", "dict", "parquet", "csv"])
def test_a_table_without_rows_or_columns_opens(kind, tmp_path):
    for frame in (pd.DataFrame({"x": np.empty(0), "y": np.empty(0), "t": np.empty(0, str)}), pd.DataFrame()):
        source = {
            "pandas": frame,
            "polars": pl.from_pandas(frame),
            "dict": {one: frame[one].to_numpy() for one in frame},
        }
        if kind == "parquet":
            frame.to_parquet(tmp_path / "none.parquet")
        elif kind == "csv":
            frame.to_csv(tmp_path / "none.csv", index=False)
        if kind == "csv" and not len(frame.columns):
            continue  # it would hold an empty line
        path = tmp_path / f"none.{kind}"
        widget = CxgWidget(source.get(kind, path), restore=False)
        assert widget.dataset.n_obs == 0
        assert len(widget.selection) == 0
        assert "0 rows" in widget.summary
        widget.selection.frame()
        widget.close()


def test_a_table_of_text_alone_opens_and_says_that_nothing_can_be_drawn():
    widget = CxgWidget({"kind": ["a", "b"], "n": [1, 2]}, restore=False)
    assert widget.embedding is None
    assert widget.dataset.notes == (
        "An embedding needs two columns of numbers, and there is one, 'n'; nothing can be drawn.",
    )
    with pytest.raises(InvalidStore, match="it has no two columns of numbers to be axes"):
        widget.dataset.embedding()
    widget.close()


def test_infinite_and_missing_coordinates_have_no_place_and_are_no_error():
    frame = pl.DataFrame({"x": [1.0, np.inf, None, 1e300], "y": [1.0, 2, 3, 4]})
    widget = CxgWidget(frame, restore=False)
    widget.select(polygon=[(-9, -9), (9, -9), (9, 9), (-9, 9)])
    assert widget.selection.rows.tolist() == [0]
    widget.close()


def test_a_table_that_equals_another_has_its_identity_and_one_with_another_place_has_not():
    def identities(frame, **options):
        with open_dataset(frame, **options) as dataset:
            return dataset.content_identity, dataset.obs_identity

    assert identities(FRAME) == identities(FRAME.copy())
    assert identities(FRAME) == identities(FRAME, embedding=("PC2", "score"), var="gene_")
    assert identities(named(FRAME))[0] != identities(FRAME)[0]
    moved = FRAME.assign(UMAP_1=FRAME["UMAP_1"] + 1)
    assert identities(moved)[0] != identities(FRAME)[0]
    assert identities(moved)[1] != identities(FRAME)[1]
    assert identities(FRAME.assign(score=0.5))[1] == identities(FRAME)[1]


def test_a_file_that_was_written_anew_has_another_identity(tmp_path):
    path = MAKE["parquet"](FRAME, tmp_path)
    with open_dataset(path) as one, open_dataset(path) as other:
        assert one.identity == other.identity
        before, rows_before = one.identity, one.obs_identity
    with open_dataset(path, embeddings={"UMAP": ("PC1", "PC2")}) as other:
        assert other.identity != before
        assert other.obs_identity == rows_before
    MAKE["parquet"](FRAME[:30], tmp_path)
    with open_dataset(path) as other:
        assert other.identity != before


def test_a_csv_is_read_with_its_separator_its_index_and_in_gzip(tmp_path):
    frame = FRAME[["UMAP_1", "UMAP_2", "sample", "n_counts"]]
    frame.to_csv(tmp_path / "plain.csv")  # with the index in front, which has no name
    frame.to_csv(tmp_path / "semicolon.csv", sep=";", index=False, encoding="utf-8-sig")
    with gzip.open(tmp_path / "tabs.tsv.gz", "wt", encoding="utf-8") as file:
        frame.to_csv(file, sep="\t", index=False)
    for path in tmp_path.iterdir():
        with open_dataset(path) as dataset:
            assert dataset.format == "csv"
            assert list(dataset.obs_columns) == list(frame.columns)
            np.testing.assert_allclose(dataset.embedding(), frame[["UMAP_1", "UMAP_2"]], rtol=1e-6)
            assert dataset.codes("sample").categories == tuple(sorted(set(frame["sample"])))
            found = dataset.frame(ROWS)
            assert isinstance(found, pd.DataFrame)
            assert found["n_counts"].tolist() == frame["n_counts"].iloc[ROWS].tolist()


CSVS = {
    "decimal commas": "x;y;name\n1,5;-2,25;a\n3,5;4;b\n",
    "commas in a name": '"a, b, c, d";x;y\n1;1.5;-2.25\n2;3.5;4\n',
    "lines within text": 'x,y,"na\nme"\n1.5,-2.25,"a\nb"\n3.5,4,"c;d"\n',
    "old Macintosh": "x,y\r1.5,-2.25\r3.5,4\r",
}


@pytest.mark.parametrize("case", CSVS)
def test_a_csv_of_another_habit_is_read_as_it_was_meant(case, tmp_path):
    (tmp_path / "cells.csv").write_bytes(CSVS[case].encode())
    with open_dataset(tmp_path / "cells.csv") as dataset:
        np.testing.assert_array_equal(dataset.embedding("x, y"), [[1.5, -2.25], [3.5, 4]])


def feather_1(path):
    pyarrow.feather.write_feather(pa.table({"x": [1.0], "y": [2.0]}), path, version=1)


DAMAGED = {
    "cut.parquet": (DamagedStore, lambda path: path.write_bytes(b"PAR1" + bytes(40)), "cannot be read as Parquet"),
    "cut.arrow": (DamagedStore, lambda path: path.write_bytes(b"ARROW1" + bytes(40)), "cannot be read as Arrow"),
    "old.feather": (InvalidStore, feather_1, "Feather of version 1; rewrite it"),
    "empty.csv": (DamagedStore, lambda path: path.touch(), "its first line is empty; that line must name the columns"),
    "blank.csv": (DamagedStore, lambda path: path.write_text("\nx,y\n1,2\n"), "its first line is empty"),
    "cut.csv.gz": (
        DamagedStore,
        lambda path: path.write_bytes(gzip.compress(b"x,y\n1,2")[:-6]),
        "before the end[^;]*$",
    ),
    "ragged.csv": (DamagedStore, lambda path: path.write_text("x,y\n1,2\n1,2,3,4\n"), "cannot be read as CSV.*line 3"),
    "latin.csv": (DamagedStore, lambda path: path.write_bytes(b"x,y\n\xe9,2\n"), r"read_csv\(.*encoding='latin"),
    "text.parquet": (UnknownFormat, lambda path: path.write_text("hello"), "found: a file"),
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.filterwarnings("ignore:.*[Ff]eather")
def test_a_file_that_is_damaged_is_one_sentence(name, tmp_path):
    error, write, sentence = DAMAGED[name]
    write(tmp_path / name)
    with pytest.raises(error, match=f"{name}.*{sentence}"):
        open_dataset(tmp_path / name)


def test_a_folder_and_a_pattern_of_parquet_files_name_the_call_that_opens_them(tmp_path):
    for name, of in (("part-0", slice(0, 20)), ("part-1", slice(20, None))):
        FRAME.iloc[of].to_parquet(tmp_path / f"{name}.parquet", index=False)
    for path, error in ((tmp_path, UnknownFormat), (tmp_path / "*.parquet", DatasetNotFound)):
        with pytest.raises(error, match=r"CxgWidget\(duckdb.sql\(") as raised:
            open_dataset(path)
        query = str(raised.value).split('duckdb.sql("')[1].split('"')[0]
        with open_dataset(duckdb.sql(query)) as dataset:
            np.testing.assert_array_equal(dataset.numbers("n_counts"), FRAME["n_counts"])


def test_a_page_that_was_changed_is_found_where_it_is_read(tmp_path):
    path = tmp_path / "pages.parquet"
    table = pa.table({"x": np.arange(100.0), "y": np.arange(100.0), "z": np.arange(100.0)})
    pq.write_table(table, path, write_page_checksum=True, compression="none", use_dictionary=False)
    raw = bytearray(path.read_bytes())
    at = raw.rfind(np.arange(100.0).tobytes()) + 60
    raw[at] ^= 0xFF
    path.write_bytes(raw)
    with open_dataset(path) as dataset:
        dataset.embedding()
        with pytest.raises(DamagedStore, match="cannot be read"):
            dataset.numbers("z")


def test_a_table_far_away_and_one_without_pyarrow_are_one_sentence(monkeypatch, tmp_path):
    with pytest.raises(InvalidStore, match=r"here, or .*CxgWidget\(pandas.read_parquet\('s3://bucket/cells.parquet'"):
        open_dataset("s3://bucket/cells.parquet")
    with pytest.raises(InvalidStore, match=r"CxgWidget\(pandas.read_csv\('https://x.org/cells.csv.gz'\)\)"):
        open_dataset("https://x.org/cells.csv.gz")
    monkeypatch.setattr("cxg_widget.datasets.tables.given.find_spec", lambda name: None)
    monkeypatch.setattr("cxg_widget.datasets.readers.find_spec", lambda name: None)
    for source in (pl.DataFrame({"x": [1]}), MAKE["parquet"](FRAME, tmp_path)):
        with pytest.raises(MissingDependency, match=r"needs pyarrow: pip install 'cxg-widget\[parquet\]'"):
            open_dataset(source)
    with open_dataset(FRAME) as dataset:
        assert dataset.n_obs == len(FRAME)


def test_only_wanted_columns_of_wanted_row_groups_are_read(tmp_path):
    n = 20_000
    rng = np.random.default_rng(1)
    table = pa.table({"x": rng.random(n), "y": rng.random(n), **{f"c{one}": rng.random(n) for one in range(20)}})
    pq.write_table(table, tmp_path / "wide.parquet", row_group_size=n // 10, compression="none", use_dictionary=False)
    column = n * 8

    def read(call):
        before = dataset.traffic.n_bytes
        call()
        return dataset.traffic.n_bytes - before

    with open_dataset(tmp_path / "wide.parquet") as dataset:
        assert dataset.traffic.n_bytes < 0.5 * column  # the footer
        assert 2 * column <= read(dataset.embedding) < 2.1 * column
        assert column <= read(partial(dataset.numbers, "c3")) < 1.1 * column
        assert read(partial(dataset.numbers, "c3")) == 0
        assert column // 10 <= read(partial(dataset.obs, ["c4"], [5, 7])) < 0.15 * column
        assert column // 10 <= read(partial(dataset.numbers_block, "c5", n // 10, n // 5)) < 0.15 * column
        assert sum(dataset.sizes.values()) == pytest.approx(22 * column, rel=0.05)


def test_a_user_colors_selects_gets_rows_and_compares_by_columns_that_serve_as_genes():
    source = pl.from_pandas(FRAME)
    widget = CxgWidget(source, embedding=("PC1", "PC2"), var="gene_", color="cell_type", restore=False)
    assert widget.embedding == "PC"
    assert widget.dataset.notes == ()
    widget.color = "CD3E"
    widget.genes.pin("NKG7", "gene_LYZ")
    widget.select({"sample": "s1"})
    chosen = source.filter(pl.col("sample") == "s1")
    assert widget.selection.frame().equals(chosen)
    assert widget.selection.frame("score").equals(chosen.select("score"))
    widget.sets.add("mine")
    assert widget.sets["mine"].frame().equals(chosen)
    found = widget.compare("mine").frame(form="pandas")
    inside = (FRAME["sample"] == "s1").to_numpy()
    assert found.loc["gene_CD3E", "mean_a"] == pytest.approx(FRAME["gene_CD3E"][inside].mean(), rel=1e-6)
    means = widget.dotplot(["CD3E"], "sample").frame()
    assert means["mean"]["CD3E"]["s1"] == pytest.approx(FRAME["gene_CD3E"][inside].mean(), rel=1e-6)
    again = CxgWidget(source, var="gene_", **widget.state, restore=False)
    assert again.embedding == "PC"
    widget.close()
    again.close()


def test_a_pair_that_is_chosen_comes_back_with_the_state():
    widget = CxgWidget(FRAME, embedding=("score", "n_counts"), restore=False)
    assert widget.embedding == "score, n_counts"
    again = CxgWidget(FRAME, **widget.state, restore=False)
    np.testing.assert_array_equal(again.dataset.embedding(again.embedding), FRAME[["score", "n_counts"]].astype("f4"))
    widget.close()
    again.close()


def test_dask_needs_a_file_and_says_so():
    with pytest.raises(InvalidOption, match="found an object in memory"):
        CxgWidget(FRAME, dask=True, restore=False)


@pytest.mark.parametrize("suffix", ["cxg", "h5ad"])
def test_a_table_is_converted_with_its_genes_and_embeddings(suffix, tmp_path):
    path = MAKE["parquet"](named(FRAME), tmp_path)
    convert(path, tmp_path / f"out.{suffix}", var="gene_", progress=False)
    with open_dataset(tmp_path / f"out.{suffix}") as dataset:
        np.testing.assert_array_equal(dataset.embedding("UMAP"), FRAME[["UMAP_1", "UMAP_2"]])
        np.testing.assert_allclose(dataset.values("gene_NKG7"), FRAME["gene_NKG7"], rtol=1e-6)
        assert dataset.obs_names().tolist() == named(FRAME).index.tolist()
        assert dataset.codes("cell_type").categories == ("NK cell", "T cell", "B cell")


def test_inspect_says_what_a_file_holds(tmp_path, capsys):
    assert main(["inspect", str(MAKE["parquet"](FRAME, tmp_path)), "--option", "var=gene_"]) in (0, None)
    told = capsys.readouterr().out
    for words in ("parquet", "40 obs x 3 var", "UMAP (2) *", "row groups", "PC (3)", "on disk"):
        assert words in told
