"""What the options of an atlas choose, and what its columns, layers and embeddings become."""

from __future__ import annotations

import datetime
import sys

import lance
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.errors import InvalidOption, InvalidStore, InvalidValue, MissingDependency, UnknownName
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.datasets.make_atlas import DENSE, GENES, N_MEASURED, PROTEINS, SPACE, make_atlas, make_truth, write_array


@pytest.fixture(scope="module")
def truth():
    return make_truth()


@pytest.fixture
def make(tmp_path, truth):
    return lambda *args, **options: make_atlas(tmp_path / "atlas", truth, *args, **options)


def add_table(path, name, rows):
    lance.write_dataset(pa.Table.from_pylist(rows), str(path / "lance_db" / f"{name}.lance"), mode="append")


def add_proteins(path, truth, record=True):
    """Give an atlas of `extra=proteins(...)` the arrays and tables of a dense space of three features."""
    import zarr

    values = np.random.default_rng(5).normal(size=(len(truth.obs), 3)).astype(np.float32)
    write_array(zarr.open_group(path / "zarr_store", mode="a"), "p/prot/data", values[::2], "zstd")
    add_table(path, "datasets", [{"dataset_uid": "p", "zarr_group": "p/prot", "feature_space": PROTEINS}])
    return values


def protein_column(n_obs):
    rows = [{"zarr_group": "p/prot", "position": row // 2} if row % 2 == 0 else None for row in range(n_obs)]
    field = pa.field("prot", DENSE, metadata={SPACE: PROTEINS.encode()})
    return pa.table([pa.array(rows, DENSE)], schema=pa.schema([field]))


def test_a_pinned_snapshot_does_not_see_what_was_written_later(make, truth):
    path = make(later=True)
    with open_dataset(path, version=0) as first, open_dataset(path) as newest:
        assert (first.n_obs, newest.n_obs) == (N_MEASURED, 60)
        assert first.details["snapshots"] == [0, 1]
        pd.testing.assert_frame_equal(first.obs(), truth.obs[:N_MEASURED])
        assert first.identity != newest.identity


def test_rows_that_were_deleted_are_gone_from_everything(make, truth):
    for layout in ("csc",):
        path = make(layout)
        table = lance.dataset(str(path / "lance_db" / "cells.lance"))
        table.delete("uid IN ('cell003', 'cell024', 'cell030')")
        record = lance.dataset(str(path / "lance_db" / "atlas_versions.lance")).to_table().to_pylist()[-1]
        newest = lance.dataset(str(path / "lance_db" / "cells.lance")).version
        add_table(path, "atlas_versions", [{**record, "version": 2, "obs_table_versions": f'{{"cells": {newest}}}'}])
        kept = np.setdiff1d(np.arange(60), [3, 24, 30])
        with open_dataset(path) as dataset:
            assert dataset.obs_names().tolist() == truth.obs.index[kept].tolist()
            assert dataset.obs_names([3, 0]).tolist() == truth.obs.index[kept[[3, 0]]].tolist()
            for position, gene in enumerate(truth.var_labels):
                np.testing.assert_array_equal(dataset.values(gene), truth.X[kept, position])


@pytest.mark.parametrize("layout", ["csr", "csc", "dense"])
def test_layers_are_the_arrays_beside_the_counts(make, truth, layout):
    with open_dataset(make(layout, layers=("log_normalized", "tpm"))) as dataset:
        assert dataset.layers == ("counts", "log_normalized", "tpm")
        for position, gene in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(gene), truth.X[:, position])
            np.testing.assert_array_equal(dataset.values(gene, layer="counts"), truth.X[:, position])
            np.testing.assert_allclose(dataset.values(gene, layer="tpm"), truth.X[:, position] * 3)
        block = dataset.matrix_block(3, 9, layer="tpm")
        lines = np.zeros((6, 9), dtype=np.float32)
        lines[np.repeat(np.arange(6), np.diff(block.starts)), block.positions] = block.values
        np.testing.assert_allclose(lines, truth.X[3:9] * 3)


def test_a_layer_that_some_groups_lack_is_missing_in_their_cells(make, truth):
    import shutil

    path = make("csr", layers=("tpm",))
    shutil.rmtree(path / "zarr_store/b/genes/csr/layers/tpm")
    with open_dataset(path) as dataset:
        values = dataset.values("ENSG0005", layer="tpm")
        expected = truth.X[:, 5] * 3
        expected[25:45] = np.nan
        np.testing.assert_allclose(values, expected)
        assert any("layer 'tpm' is not in 'b/genes'" in note and "counts" in note for note in dataset.notes)


def test_a_group_whose_csc_lacks_a_layer_is_searched_by_cell(make, truth):
    import shutil

    path = make("csc", layers=("tpm",))
    shutil.rmtree(path / "zarr_store/a/genes/csc/layers/tpm")
    with open_dataset(path) as dataset:
        np.testing.assert_allclose(dataset.values("ENSG0005", layer="tpm"), truth.X[:, 5] * 3)


def test_a_gene_that_no_dataset_measured_says_so(make):
    with open_dataset(make(unmeasured=["ENSG9999"])) as dataset:
        assert dataset.n_var == 10
        with pytest.raises(InvalidStore, match="feature 'ENSG9999' is in no layout of this snapshot"):
            dataset.values("ENSG9999")
        block = dataset.matrix_block(0, 1)
        assert np.isnan(block.values[block.positions == 9]).all()


def test_one_of_several_obs_tables_must_be_chosen(make):
    path = make(obs_tables=("cells", "nuclei"))
    with pytest.raises(InvalidValue, match=r"several obs tables \['cells', 'nuclei'\]; choose one with obs_table="):
        open_dataset(path)
    with open_dataset(path, obs_table="nuclei") as dataset:
        assert dataset.details["obs_table"] == "nuclei"
    with pytest.raises(UnknownName, match="no obs table 'cell'"):
        open_dataset(path, obs_table="cell")


def test_the_arrays_may_lie_elsewhere(make, truth, tmp_path):
    path = make()
    elsewhere = (path / "zarr_store").rename(tmp_path / "arrays")
    with pytest.raises(InvalidStore, match=r"no zarr_store/ next to lance_db/; pass zarr_store="):
        open_dataset(path)
    for given in (elsewhere, str(elsewhere)):
        with open_dataset(path, zarr_store=given) as dataset:
            np.testing.assert_array_equal(dataset.values("ENSG0001"), truth.X[:, 1])
    with pytest.raises(InvalidStore, match="which is not a folder"):
        open_dataset(path, zarr_store=tmp_path / "none")


@pytest.mark.parametrize(
    "options", [{"version": "1"}, {"version": True}, {"zarr_store": 3}, {"obs_table": 3}, {"feature_space": ["a"]}]
)
def test_options_of_another_type_are_refused(make, options):
    with pytest.raises(InvalidOption, match=next(iter(options))):
        open_dataset(make(), **options)


def test_an_unknown_feature_space_comes_with_those_there_are(make, truth):
    path = make(extra=protein_column(60))
    add_proteins(path, truth)
    for name in (GENES, "genes"):
        with open_dataset(path, feature_space=name) as dataset:
            assert dataset.details["feature_space"] == GENES
    with pytest.raises(UnknownName, match=r"no sparse/dense pointer column.*'gene_expresion'.*Did you mean"):
        open_dataset(path, feature_space="gene_expresion")


def test_a_dense_space_without_names_of_features_is_an_embedding_only(make, truth):
    path = make(embeddings=False, extra=protein_column(60))
    values = add_proteins(path, truth)
    record = lance.dataset(str(path / "lance_db" / "atlas_versions.lance")).to_table().to_pylist()[-1]
    newest = lance.dataset(str(path / "lance_db" / "datasets.lance")).version
    add_table(path, "atlas_versions", [{**record, "version": 2, "dataset_table_version": newest}])
    with open_dataset(path) as dataset:
        assert dict(dataset.embeddings) == {PROTEINS: 3}
        assert dataset.default_embedding == PROTEINS
        xy = dataset.embedding(axes=(2, 0))
        np.testing.assert_array_equal(xy[::2], values[::2][:, [2, 0]])
        assert np.isnan(xy[1::2]).all()
        with pytest.raises(InvalidStore, match="has no registry"):
            open_dataset(path, feature_space=PROTEINS)


def test_without_vectors_drawing_says_what_to_pass(make, truth):
    with open_dataset(make(embeddings=False)) as dataset:
        assert dataset.default_embedding is None
        np.testing.assert_array_equal(dataset.values("ENSG0001"), truth.X[:, 1])
        with pytest.raises(InvalidStore, match=r"no 2-D embedding column; pass coordinates=, an array"):
            dataset.embedding()


def forms(xy, uids):
    frame = pd.DataFrame(xy, index=uids, columns=["x", "y"])
    return {
        "array": xy,
        "list": xy.tolist(),
        "mapping": dict(zip(uids, xy.tolist(), strict=True)),
        "frame by uid": frame,
        "frame with a column uid": frame.rename_axis("uid").reset_index(),
        "frame in order": frame.reset_index(drop=True),
        "named": {"map": xy, "other": frame},
    }


@pytest.mark.parametrize("form", forms(np.zeros((1, 2)), ["a"]))
def test_coordinates_are_taken_in_every_form(make, truth, form):
    xy = np.random.default_rng(2).normal(size=(60, 2)).astype(np.float32)
    given = forms(xy, truth.obs.index.tolist())[form]
    with open_dataset(make(embeddings=False), coordinates=given) as dataset:
        assert dataset.default_embedding == ("map" if form == "named" else "coordinates")
        for name in dataset.embeddings:
            np.testing.assert_array_equal(dataset.embedding(name), xy)
            np.testing.assert_array_equal(dataset.embedding_block(name, (1, 0), 3, 9), xy[3:9, ::-1])


def test_coordinates_by_uid_leave_other_cells_out(make, truth):
    path = make(embeddings=False)
    some = {truth.obs.index[row]: (row, -row) for row in (5, 3)} | {"no such cell": (1, 1)}
    with open_dataset(path, coordinates=some) as dataset:
        xy = dataset.embedding()
        np.testing.assert_array_equal(xy[[3, 5]], [[3, -3], [5, -5]])
        assert np.isnan(np.delete(xy, [3, 5], axis=0)).all()
        with open_dataset(path, coordinates={**some, truth.obs.index[5]: (6, 6)}) as other:
            assert other.identity != dataset.identity
    with (
        open_dataset(path, coordinates={"other": (1, 2)}) as dataset,
        pytest.raises(InvalidValue, match="none of their 1 uids"),
    ):
        dataset.embedding()


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        (np.zeros((59, 2)), InvalidValue, "have 59 rows; this snapshot has 60 obs"),
        (np.zeros((60, 1)), InvalidValue, "are 60 x 1"),
        (np.zeros(60), InvalidValue, "coordinates 'coordinates' are 60;"),
        ("umap.csv", InvalidOption, "type str"),
        ({"a": "b"}, InvalidOption, "type str"),
        ({"cell001": (1, 2), "cell002": (1, 2, 3)}, InvalidOption, "type dict"),
        ({3: np.zeros((60, 2))}, InvalidOption, "the name 3"),
    ],
)
def test_coordinates_that_do_not_fit_are_refused(make, given, error, sentence):
    with pytest.raises(error, match=sentence):
        open_dataset(make(), coordinates=given)


def test_each_type_of_arrow_becomes_a_column_or_a_note(make, truth):
    n = 60
    when = datetime.datetime(2026, 1, 2, 3)
    holes = [None if row % 5 == 0 else row for row in range(n)]
    columns = {
        "holes": pa.array(holes, pa.int64()),
        "whole": pa.array(range(n), pa.uint8()),
        "half": pa.array([1.5] * n, pa.float16()),
        "money": pa.array(range(n), pa.decimal128(7, 2)),
        "maybe": pa.array([None if row % 3 == 0 else row % 2 == 0 for row in range(n)]),
        "surely": pa.array([True] * n),
        "when": pa.array([when] * n, pa.timestamp("s")),
        "scores": pa.array([[1, 2]] * (n - 1) + [None], pa.list_(pa.int32())),
        "empty": pa.nulls(n),
        "raw": pa.array([b"x"] * n),
        "both": pa.array([{"a": 1}] * n),
        "box": pa.array([{"zarr_group": "g", "min_corner": [0], "max_corner": [1]}] * n),
    }
    with open_dataset(make(extra=pa.table(columns))) as dataset:
        kinds = {name: column.kind for name, column in dataset.obs_columns.items() if name in columns}
        assert kinds == {
            **{"holes": "int", "whole": "int", "half": "float", "money": "float", "maybe": "categorical"},
            **{"surely": "boolean", "when": "string", "scores": "string"},
        }
        for name in ("empty", "raw", "both", "box"):
            assert any(repr(name) in note for note in dataset.notes), name
        np.testing.assert_array_equal(dataset.numbers("holes"), np.array(holes, dtype=float), strict=True)
        np.testing.assert_array_equal(dataset.numbers_block("holes", 1, 4), [1.0, 2.0, 3.0], strict=True)
        assert dataset.codes("holes").codes[:6].tolist() == [-1, 0, 1, 2, 3, -1]
        assert dataset.numbers("whole").dtype == np.uint8
        assert dataset.numbers("half")[0] == 1.5
        assert dataset.numbers("money")[3] == 3.0
        assert dataset.codes("maybe").codes.tolist() == [-1 if r % 3 == 0 else int(r % 2 == 0) for r in range(n)]
        assert dataset.codes("maybe").categories == (False, True)
        frame = dataset.obs(["when", "scores", "holes"])
        assert frame["when"].iloc[0] == "2026-01-02 03:00:00"
        assert frame["scores"].iloc[0] == "1; 2"
        assert pd.isna(frame["scores"].iloc[-1])
        assert dataset.obs_record(0)["holes"] is None


def test_missing_strings_are_missing_categories(make, truth):
    with open_dataset(make()) as dataset:
        codes = dataset.codes("donor")
        missing = truth.obs["donor"].isna().to_numpy()
        assert missing.any()
        np.testing.assert_array_equal(codes.codes == -1, missing)
        assert codes.categories == ("d0 ü", "d1 ü", "d2 ü")


def test_a_session_colors_and_selects_in_an_atlas(make, truth):
    session = Session(open_dataset(make("mixed")), Settings(embedding="umap", color="ENSG0005"))
    legend, *_ = session.streams.color()
    assert legend.message.n_missing == np.isnan(truth.X[:, 5]).sum()
    assert legend.message.hi == np.nanmax(truth.X[:, 5])
    session = Session(open_dataset(session.dataset), Settings(embedding="umap", color="cell_type"))
    legend, *_ = session.streams.color()
    assert legend.message.categories == truth.obs["cell_type"].cat.categories.tolist()
    assert legend.message.n_missing == truth.obs["cell_type"].isna().sum()
    assert session.answer(p.Ready(p.VERSION))


def test_the_widget_hands_a_lasso_back_as_rows_of_obs(make, truth):
    from cxg_widget import CxgWidget

    widget = CxgWidget(make("csc"), color="GENE5")
    umap = truth.embeddings["umap"]
    inside = (umap[:, 0] > 0) & (umap[:, 1] > 0) & np.isfinite(umap).all(axis=1)
    widget.select(polygon=[(0, 0), (0, 50), (50, 50), (50, 0)])
    pd.testing.assert_frame_equal(widget.selection.obs(), truth.obs[inside])


def test_without_its_library_the_sentence_says_how_to_install_it(make, monkeypatch):
    path = make()
    monkeypatch.setitem(sys.modules, "lance", None)
    monkeypatch.setattr("cxg_widget.datasets.readers.find_spec", lambda name: None if name == "lance" else object())
    with pytest.raises(MissingDependency, match=r"is a RaggedAtlas, and reading it needs lance: .*cxg-widget\[atlas\]"):
        open_dataset(path)
