"""Title, default embedding, colors, gene sets, uns, versions, and columns stored in odd ways."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import InvalidValue
from cxg_widget.selection.pandas_query import pandas_mask
from cxg_widget.selection.selection import mask_of
from tests.datasets.make_cxg import (
    as_objects,
    create_sparse,
    make_cxg,
    make_truth,
    write_annotations,
    write_one,
)

SETS = {"B cells": ("MS4A1", "CD79A"), "empty": ()}
LISTED = [
    {"geneset_name": name, "geneset_description": "", "genes": [{"gene_symbol": gene} for gene in genes]}
    for name, genes in SETS.items()
]
BY_NAME = {one["geneset_name"]: one for one in LISTED}


class Trap:
    """Unpickling this leaves a trace."""

    def __reduce__(self):
        return os.mkdir, (os.environ["CXG_TRAP_DIR"],)


@pytest.mark.parametrize(
    "stored",
    [BY_NAME, {"genesets": BY_NAME, "tid": 3}, {"genesets": LISTED, "tid": 3}, [LISTED, 3], [BY_NAME, 3], LISTED],
)
def test_gene_sets_are_read_in_every_shape(make, stored):
    with open_dataset(make(genesets=stored)) as dataset:
        assert dict(dataset.gene_sets) == SETS


@pytest.mark.parametrize("stored", [{}, [], None])
def test_no_gene_sets_is_no_note(make, stored):
    with open_dataset(make(genesets=stored)) as dataset:
        assert dict(dataset.gene_sets) == {}
        assert dataset.notes == ()


@pytest.mark.parametrize("stored", ["{broken", b"\x80\x04", 7, [1, 2], {"a": 5}])
def test_gene_sets_in_no_known_shape_are_ignored_with_a_note(make, stored):
    with open_dataset(make(genesets=stored)) as dataset:
        assert dict(dataset.gene_sets) == {}
        assert any("genesets" in note for note in dataset.notes)


@pytest.mark.parametrize("kind", ["array", "group"])
def test_nothing_is_ever_unpickled(make, tmp_path, monkeypatch, kind):
    monkeypatch.setenv("CXG_TRAP_DIR", str(tmp_path / "sprung"))
    trap = pickle.dumps(Trap())
    path = make(properties=trap, colors=trap, corpora=trap, genesets=trap)
    values = {"spatial": {"scale": 0.5}, "old": trap, "text": "plain text", "number": 3}
    if kind == "group":
        tiledb.group_create(str(path / "uns"))
    write_one(path / ("uns" if kind == "array" else "uns/inner"), values)
    with open_dataset(path) as dataset:
        uns = dataset.uns if kind == "array" else dataset.uns["inner"]
        assert dict(uns) == {"spatial": {"scale": 0.5}, "text": "plain text", "number": 3}
        assert dict(dataset.gene_sets) == {}
        assert dataset.category_colors("cell_type") == {}
        assert dataset.title == "small.cxg"
        for word in ("old", "cxg_properties", "cxg_category_colors", "corpora", "genesets"):
            assert any(word in note and "is never decoded" in note for note in dataset.notes)
    assert not (tmp_path / "sprung").exists()


def test_without_uns_there_is_an_empty_mapping(make):
    with open_dataset(make()) as dataset:
        assert dict(dataset.uns) == {}


@pytest.mark.parametrize(
    ("properties", "corpora", "title"),
    [
        ({"title": "pbmc_final_v2"}, {"title": "Blood of 8 donors"}, "Blood of 8 donors"),
        ({"title": "mine"}, {"title": ""}, "mine"),
        ({"title": "mine"}, None, "mine"),
        ({"title": None}, {"title": "other"}, "other"),
        ({"title": None}, None, "small.cxg"),
        (None, None, "small.cxg"),
        ("{broken", None, "small.cxg"),
        ('["list"]', None, "small.cxg"),
    ],
)
def test_the_title_of_the_dataset_comes_before_that_of_its_file_and_that_before_its_folder(
    make, properties, corpora, title
):
    with open_dataset(make(properties=properties, corpora=corpora)) as dataset:
        assert dataset.title == title


@pytest.mark.parametrize(
    ("named", "names", "expected"),
    [
        ("X_spatial", ["pca", "spatial", "umap"], "spatial"),
        ("pca", ["pca", "umap"], "pca"),
        ("X_umap", ["X_umap", "tsne"], "X_umap"),
        ("X_gone", ["pca", "tsne", "umap"], "umap"),
        (None, ["pca", "tsne"], "tsne"),
        (None, ["pca", "umap_harmony", "X_tsne"], "X_tsne"),
        (None, ["pca", "umap_harmony"], "umap_harmony"),
        (None, ["draw_graph", "pca"], "draw_graph"),
        (5, ["b", "a"], "a"),
    ],
)
def test_the_default_embedding_is_the_named_one_else_umap_tsne_first(tmp_path, named, names, expected):
    truth = make_truth()
    truth.embeddings = {name: np.zeros((40, 2)) for name in names}
    path = make_cxg(tmp_path / "s.cxg", truth, corpora={"default_embedding": named})
    with open_dataset(path) as dataset:
        assert dataset.default_embedding == expected


@pytest.mark.parametrize("key", ["cell_type", "cell_type_colors"])
def test_colors_are_found_under_both_keys_and_in_every_notation(make, key):
    stored = {"a": "#ABC", "b": "tomato", "c": [1.0, 0.5, 0.0], "d": [255, 128, 0], "e": "#11223344", "f": "nocolor"}
    with open_dataset(make(colors={key: stored, "many": ["#000000"]})) as dataset:
        expected = {"a": "#aabbcc", "b": "#ff6347", "c": "#ff8000", "d": "#ff8000", "e": "#112233"}
        assert dataset.category_colors("cell_type") == expected
        assert any("'f'" in note for note in dataset.notes)
        assert dataset.category_colors("many") == {}


def test_the_exact_key_of_colors_is_preferred(make):
    colors = {"cell_type_colors": {"a": "#000000"}, "cell_type": {"a": "#ffffff"}}
    with open_dataset(make(colors=colors)) as dataset:
        assert dataset.category_colors("cell_type") == {"a": "#ffffff"}


def test_an_unknown_version_is_noted_and_read(make):
    with open_dataset(make(named="9.9")) as dataset:
        assert dataset.version == "9.9"
        assert any("'9.9' is unknown" in note for note in dataset.notes)
        assert len(dataset.obs()) == dataset.n_obs


def test_unknown_children_and_unknown_fields_are_ignored(make, small_truth):
    path = make(corpora={"default_embedding": "X_umap", "version": {"corpora_schema_version": "1.1.0"}, "new": [1]})
    create_sparse(path / "coverage", {"chrom": 3, "bin": 9}, {"": np.float32})
    tiledb.group_create(str(path / "later"))
    (path / "README.txt").write_text("hello")
    with open_dataset(path) as dataset:
        assert dataset.notes == ()
        np.testing.assert_array_equal(dataset.values(small_truth.var_labels[0]), small_truth.X[:, 0])


def write_obs(path, columns, hints):
    return write_annotations(path / "obs", columns, hints)


def test_labels_that_the_list_lacks_are_appended(make):
    path = make(parts=("var", "emb"))
    stored = as_objects([["b", "z", "a", "nan", "y"][number % 5] for number in range(40)])
    write_obs(
        path, {"id": as_objects(range(40)), "kind": stored}, {"kind": {"type": "categorical", "categories": ["b", "a"]}}
    )
    with open_dataset(path) as dataset:
        expected = pd.Categorical(
            [None if label == "nan" else label for label in stored], categories=["b", "a", "y", "z"]
        )
        assert dataset.obs("kind")["kind"].tolist()[:3] == expected.tolist()[:3]
        assert dataset.obs("kind", rows=[0])["kind"].cat.categories.tolist() == ["b", "a", "y", "z"]
        assert dataset.obs("kind")["kind"].isna().sum() == 8


def test_numeric_categories_may_be_floats_with_nan(make):
    path = make(parts=("var", "emb"))
    stored = np.tile(np.array([2.5, np.nan, 1.0, 2.5], dtype=np.float32), 10)
    write_obs(path, {"id": as_objects(range(40)), "size": stored}, {"size": {"type": "categorical"}})
    with open_dataset(path) as dataset:
        codes = dataset.codes("size")
        assert codes.categories == (1.0, 2.5)
        assert codes.codes[:4].tolist() == [1, -1, 0, 1]
        assert dataset.obs_record(1)["size"] is None


def test_repeated_and_null_categories_are_merged(make):
    path = make(parts=("var", "emb"))
    stored = (np.arange(40) % 5).astype(np.int8)
    hint = {"type": "categorical", "categories": ["a", "b", "a", None, "nan"]}
    write_obs(path, {"id": as_objects(range(40)), "kind": stored}, {"kind": hint})
    with open_dataset(path) as dataset:
        codes = dataset.codes("kind")
        assert codes.categories == ("a", "b")
        assert codes.codes[:5].tolist() == [0, 1, 0, -1, -1]


def test_without_any_hint_the_stored_types_decide_and_the_first_strings_are_the_index(make):
    path = make(parts=("var", "emb"))
    columns = {
        "n": np.arange(40, dtype=np.uint16),
        "barcode": as_objects([b"b%d" % n for n in range(40)]),
        "s": np.ones(40),
    }
    write_obs(path, columns, None)
    with open_dataset(path) as dataset:
        assert dataset.obs_index == "barcode"
        assert {name: column.kind for name, column in dataset.obs_columns.items()} == {"n": "int", "s": "float"}
        assert dataset.obs_names([3]).tolist() == ["b3"]
        assert dataset.codes("n").categories == tuple(range(40))
        assert any("no cxg_schema" in note for note in dataset.notes)


def test_without_any_strings_rows_are_named_by_position(make):
    path = make(parts=("var", "emb"))
    write_obs(path, {"n": np.arange(40)}, {"index": "gone"})
    with open_dataset(path) as dataset:
        assert dataset.obs_index is None
        assert dataset.obs_names([7, 2]).tolist() == ["7", "2"]
        assert dataset.obs(rows=[7, 2]).index.tolist() == [7, 2]
        assert any("'gone'" in note for note in dataset.notes)


def test_a_type_that_is_not_supported_is_left_out_with_a_note(make):
    path = make(parts=("var", "emb"))
    columns = {"id": as_objects(range(40)), "when": np.arange(40).astype("datetime64[s]"), "n": np.arange(40)}
    write_obs(path, columns, {})
    with open_dataset(path) as dataset:
        assert list(dataset.obs_columns) == ["n"]
        assert any("'when' is left out" in note for note in dataset.notes)


def test_the_index_column_can_be_asked_for(make, small_truth):
    with open_dataset(make()) as dataset:
        assert dataset.obs(["name_0", "n_genes"])["name_0"].tolist() == small_truth.obs.index.tolist()


@pytest.mark.parametrize(
    ("index", "more", "called"),
    [("name_0", (), "cell"), ("name_12", (), "cell"), ("name_0", ("cell",), None), ("barcode", (), "barcode"),
     ("my_name_0", (), "my_name_0")],
)  # fmt: skip
def test_an_index_without_a_name_of_its_own_is_called_by_what_it_names(make, index, more, called):
    path = make(parts=("var", "emb"))
    labels = as_objects([f"c{i}" for i in range(40)])
    write_obs(path, {index: labels, **{name: np.arange(40) for name in more}, "n": np.arange(40)}, {"index": index})
    with open_dataset(path) as dataset:
        assert dataset.obs_index == index
        assert dataset.obs(["n"]).index.name == called
        assert dataset.obs([index])[index].tolist() == labels.tolist()
        assert dataset.var().index.name == dataset.var_names.name == "gene"
        for name in {index, called} - {None}:
            assert mask_of({name: ["c3", "c5"]}, dataset).nonzero()[0].tolist() == [3, 5]
            assert pandas_mask(f"{name} == 'c3' and n < 9", dataset).nonzero()[0].tolist() == [3]


def test_more_labels_than_codes_can_tell_are_refused(make, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.base.obs_columns.MAX_LABELS", 2)
    with open_dataset(make()) as dataset:
        with pytest.raises(InvalidValue, match="donor"):
            dataset.codes("donor")
        assert len(dataset.codes("many").categories) == 1101


def test_genes_are_found_by_identifier_when_the_index_holds_symbols(make):
    path = make(parts=("obs", "emb"))
    columns = {"name_0": as_objects(["ENSG0", "ENSG1"]), "feature_name": as_objects(["CD3E", "MS4A1"])}
    write_annotations(path / "var", columns, {"index": "feature_name"})
    with open_dataset(path) as dataset:
        assert list(dataset.var_names) == ["CD3E", "MS4A1"]
        assert dataset.var_aliases is None
        assert dataset.find_var("ENSG1") == dataset.find_var("MS4A1") == 1


def test_the_index_wins_over_an_alias_of_the_same_name_and_the_first_of_two_wins(make):
    path = make(parts=("obs", "emb"))
    columns = {"name_0": as_objects(["a", "b", "c", "d"]), "feature_name": as_objects(["b", "x", "x", "y"])}
    write_annotations(path / "var", columns, {"index": "name_0"})
    with open_dataset(path) as dataset:
        assert dataset.find_var("b") == 1
        assert dataset.find_var("x") == 1


def test_a_named_attribute_is_as_good_as_an_anonymous_one(make):
    path = make(parts=("obs", "var", "X"))
    tiledb.group_create(str(path / "emb"))
    dims = [tiledb.Dim(name, domain=(0, n - 1), tile=n, dtype=np.uint32) for name, n in (("a", 40), ("b", 3))]
    attrs = [tiledb.Attr("xy", dtype=np.float64)]
    tiledb.Array.create(str(path / "emb" / "umap"), tiledb.ArraySchema(tiledb.Domain(*dims), attrs))
    with tiledb.open(str(path / "emb" / "umap"), "w") as array:
        array[:] = np.arange(120.0).reshape(40, 3)
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.embedding(axes=(0, 2))[1], [3, 5])


def test_a_path_may_hold_any_characters(tmp_path, small_truth):
    path = make_cxg(tmp_path / "ä b#c%20d's.cxg", small_truth)
    with open_dataset(path) as dataset:
        np.testing.assert_array_equal(dataset.values(small_truth.var_labels[1]), small_truth.X[:, 1])


def test_changing_the_working_folder_does_no_harm(make, monkeypatch, tmp_path, small_truth):
    path = make()
    monkeypatch.chdir(path.parent)
    with open_dataset(path.name) as dataset:
        monkeypatch.chdir(tmp_path.parent)
        assert dataset.embedding().shape == (40, 2)


def test_wide_columns_of_an_embedding_do_not_mix(tmp_path):
    truth = make_truth()
    truth.embeddings = {"wide": np.arange(40 * 72).reshape(40, 72)}
    with open_dataset(make_cxg(tmp_path / "w.cxg", truth)) as dataset:
        np.testing.assert_array_equal(dataset.embedding(axes=(71, 3)), truth.embeddings["wide"][:, [71, 3]])


def test_rows_far_apart_are_read_as_well_as_rows_side_by_side(tmp_path):
    rng = np.random.default_rng(0)
    truth = make_truth(n_obs=9000, n_var=2)
    with open_dataset(make_cxg(tmp_path / "l.cxg", truth)) as dataset:
        far_apart = np.array([8999, 0, 4500, 4501, 0])
        for rows in (far_apart, np.arange(0, 9000, 2), rng.permutation(9000)[:300], np.arange(700, 900), []):
            pd.testing.assert_frame_equal(dataset.obs(rows=rows), truth.obs.iloc[rows].rename_axis("cell"))
