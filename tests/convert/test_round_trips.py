"""What was converted holds what its source held; expected values are those that the source was made from."""

from __future__ import annotations

import json
from dataclasses import replace

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import tiledb

from cxg_widget.convert import convert
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.cxg.validation import validate
from tests.convert.conftest import N_OBS, N_VAR, SETS, assert_holds, genesets, truth_with
from tests.datasets.make_anndata import CONTAINERS, make_anndata
from tests.datasets.make_anndata import LAYOUTS as ANNDATA_LAYOUTS
from tests.datasets.make_cxg import LAYOUTS, VERSIONS, make_cxg


@pytest.mark.parametrize(("layout", "share"), [*zip(LAYOUTS, (0.1, 0.7, 0.1), strict=True)])
def test_a_cxg_becomes_the_same_cxg(layout, share, tmp_path):
    truth = truth_with(share)
    source = make_cxg(tmp_path / "source.cxg", truth, layout, genesets=genesets())
    done = convert(source, tmp_path / "new.cxg")
    assert (done.n_obs, done.n_var, done.n_values) == (N_OBS, N_VAR, np.count_nonzero(truth.X))
    assert done.dense == (np.count_nonzero(truth.X) >= 0.25 * truth.X.size)
    assert done.left_out == ()
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert_holds(dataset, truth)
        assert dict(dataset.gene_sets) == SETS
        assert dataset.title == truth.title
        assert dataset.details["schema_version"] == "3.1.0"
        assert dataset.notes == ()
    assert validate(tmp_path / "new.cxg").valid


@pytest.mark.parametrize(("layout", "share"), [*zip(LAYOUTS, (0.7, 0.1, 0.7), strict=True)])
def test_a_cxg_becomes_an_h5ad_and_the_same_cxg_again(layout, share, tmp_path):
    truth = truth_with(share)
    source = make_cxg(tmp_path / "source.cxg", truth, layout, genesets=genesets())
    assert convert(source, tmp_path / "new.h5ad").left_out == ()
    with open_dataset(tmp_path / "new.h5ad") as dataset:
        assert_holds(dataset, truth)
        assert dict(dataset.gene_sets) == SETS
    assert convert(tmp_path / "new.h5ad", tmp_path / "again.cxg").left_out == ()
    with open_dataset(tmp_path / "again.cxg") as dataset:
        assert_holds(dataset, truth)
        assert dict(dataset.gene_sets) == SETS
        assert dataset.title == truth.title
        assert dataset.details["schema_version"] == "3.1.0"


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_is_carried(version, tmp_path):
    truth = truth_with(0.1)
    source = make_cxg(tmp_path / "source.cxg", truth, "sparse", version)
    convert(source, tmp_path / "new.cxg")
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert_holds(dataset, truth if version != "0.0" else replace(truth, colors={}))


OF_ANNDATA = [(layout, "h5ad") for layout in ANNDATA_LAYOUTS]
OF_ANNDATA += [(ANNDATA_LAYOUTS[turn % len(ANNDATA_LAYOUTS)], one) for turn, one in enumerate(CONTAINERS[1:])]


@pytest.mark.parametrize(("layout", "container"), OF_ANNDATA)
def test_anndata_becomes_a_cxg_and_the_same_anndata_again(layout, container, tmp_path):
    truth = truth_with(0.7 if layout == "dense" else 0.1)
    source = make_anndata(tmp_path, truth, layout=layout, container=container, writer="0.13", chunks=400)
    assert convert(source, tmp_path / "new.cxg", progress=False).left_out == ()
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert_holds(dataset, truth)
    assert validate(tmp_path / "new.cxg").valid
    convert(tmp_path / "new.cxg", tmp_path / "again.h5ad")
    with open_dataset(tmp_path / "again.h5ad") as dataset:
        assert_holds(dataset, truth)


def test_xr_and_xc_are_two_orders_of_the_same_values(tmp_path):
    truth = truth_with(0.1)
    convert(make_cxg(tmp_path / "source.cxg", truth), tmp_path / "new.cxg")
    for name, along, across in (("Xr", "obs", "var"), ("Xc", "var", "obs")):
        with tiledb.open(str(tmp_path / "new.cxg" / name)) as array:
            cells = array[:]
            assert array.schema.capacity == 131_072
            assert array.schema.attr("").dtype == np.float32
        X = np.zeros_like(truth.X)
        X[tuple(cells[axis] for axis in ("obs", "var"))] = cells[""]
        np.testing.assert_array_equal(X, truth.X)
        assert len(cells[along]) == len(cells[across]) == np.count_nonzero(truth.X)


@pytest.mark.parametrize(("diffexp", "tile"), [(False, (N_OBS, 12)), (True, (256, 12))])
def test_tiles_of_a_dense_matrix_are_for_genes_or_for_differential_expression(diffexp, tile, tmp_path):
    truth = truth_with(0.7)
    source = make_cxg(tmp_path / "source.cxg", truth, "dense")
    convert(source, tmp_path / "new.cxg", explorer_diffexp=diffexp, best=diffexp)
    with tiledb.open(str(tmp_path / "new.cxg" / "X")) as array:
        assert tuple(array.schema.domain.dim(number).tile for number in (0, 1)) == tile
        np.testing.assert_array_equal(array[:], truth.X)


def test_a_quarter_of_the_cells_is_where_sparse_ends(tmp_path):
    truth = truth_with(0.0)
    X = np.zeros((N_OBS, N_VAR), dtype=np.float32)
    X[: N_OBS // 4] = 1
    for more, dense in ((0, True), (-1, False)):
        X[N_OBS // 4 - 1, 0] = 1 + more
        source = make_cxg(tmp_path / f"source{more}.cxg", replace(truth, X=X), "sparse")
        assert convert(source, tmp_path / f"new{more}.cxg").dense == dense


def test_a_column_shift_is_added_before_and_not_stored(tmp_path):
    truth = truth_with(0.1)
    shift = np.linspace(-1, 1, N_VAR).astype(np.float32)
    truth.X[:] = np.where(np.isnan(truth.X), 0, truth.X)
    source = make_cxg(tmp_path / "source.cxg", truth, "sparse", "0.2.0", shift=shift)
    convert(source, tmp_path / "new.cxg")
    assert not (tmp_path / "new.cxg" / "X_col_shift").exists()
    with open_dataset(tmp_path / "new.cxg") as dataset:
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_allclose(dataset.values(name), truth.X[:, position], atol=1e-6)


def test_the_types_of_columns_are_those_that_the_specification_names(tmp_path):
    truth = truth_with(0.1)
    convert(make_cxg(tmp_path / "source.cxg", truth), tmp_path / "new.cxg")
    with tiledb.open(str(tmp_path / "new.cxg" / "obs")) as array:
        hints = json.loads(array.meta["cxg_schema"])
        stored = {name: str(array.schema.attr(name).dtype) for name in hints if name != "index"}
    assert hints["index"] == "name_0"
    kept = truth.obs["cell_type"].cat.categories.tolist()
    assert hints["cell_type"] == {"type": "categorical", "categories": [*kept, "nan"]}
    assert hints["size"] == {"type": "categorical", "categories": [1, 20, 300]}
    assert hints["many"]["categories"] == truth.obs["many"].cat.categories.tolist()
    plain = {name: (hint["type"], stored[name]) for name, hint in hints.items() if name != "index"}
    assert plain["is_primary"] == ("boolean", "uint8")
    assert plain["n_genes"] == ("int32", "int32")
    assert plain["barcode_hash"] == ("int64", "int64")
    assert plain["score"] == ("float32", "float32")
    assert plain['a/b "c".d é'] == ("float64", "float64")
    assert plain["donor"] == ("string", "<U0")
    assert (stored["cell_type"], stored["many"], stored["size"]) == ("int8", "int16", "int8")


def test_too_many_categories_become_text(tmp_path):
    truth = truth_with(0.1)
    few = replace(
        truth,
        X=truth.X[:40],
        obs=truth.obs.iloc[:40],
        embeddings={name: values[:40] for name, values in truth.embeddings.items()},
    )
    done = convert(make_cxg(tmp_path / "source.cxg", few), tmp_path / "new.cxg")
    assert any("many" in sentence and "text" in sentence for sentence in done.left_out)
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert dataset.obs_columns["many"].kind == "string"
        assert dataset.obs(["many"])["many"].tolist() == few.obs["many"].astype(str).tolist()


def test_floats_that_fit_take_32_bits_and_no_value_is_lost(tmp_path):
    truth = truth_with(0.1)
    obs = truth.obs.assign(halves=np.arange(N_OBS) / 2, thirds=np.arange(N_OBS) / 3, byte=np.uint8(7))
    source = make_anndata(tmp_path, replace(truth, obs=obs))
    convert(source, tmp_path / "new.cxg")
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert dataset.numbers("halves").dtype == np.float32
        assert dataset.numbers("thirds").dtype == np.float64
        assert dataset.numbers("byte").dtype == np.int32
        for name in ("halves", "thirds", "byte"):
            np.testing.assert_array_equal(dataset.numbers(name), obs[name])


def test_infinite_coordinates_become_nan_and_are_told(tmp_path):
    truth = truth_with(0.1)
    truth.embeddings["umap"][3] = np.inf, 2
    truth.embeddings["nothing"] = np.full((N_OBS, 2), np.nan, dtype=np.float32)
    done = convert(make_cxg(tmp_path / "source.cxg", truth), tmp_path / "new.cxg")
    told = {sentence.partition(":")[0] for sentence in done.left_out}
    assert told == {"embedding 'umap'", "embedding 'nothing'"}
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert "nothing" not in dataset.embeddings
        np.testing.assert_array_equal(dataset.embedding("umap")[3], [np.nan, 2])
    assert validate(tmp_path / "new.cxg").valid


@pytest.fixture
def with_missing(tmp_path):
    truth = truth_with(0.1)
    text = np.array([f"t{row}" for row in range(N_OBS)], dtype=object)
    text[::5] = None
    obs = truth.obs.assign(
        flag=pd.array([True, False, None, True] * (N_OBS // 4), dtype="boolean"),
        count=pd.array([None, 2**40 + 1, -3, 0] * (N_OBS // 4), dtype="Int64"),
        few=pd.array([None, 1, 200, 0] * (N_OBS // 4), dtype="UInt8"),
        text=pd.Series(text, index=truth.obs.index, dtype="str"),
    )
    return make_anndata(tmp_path, replace(truth, obs=obs), writer="0.13"), obs


def test_missing_values_of_every_type_are_masked_in_an_h5ad_and_nothing_is_rounded(with_missing, tmp_path):
    source, obs = with_missing
    assert convert(source, tmp_path / "new.h5ad").left_out == ()
    encodings = {
        "flag": "nullable-boolean", "count": "nullable-integer", "few": "nullable-integer",
        "text": "nullable-string-array",
    }  # fmt: skip
    with h5py.File(tmp_path / "new.h5ad") as file:
        for name, encoding in encodings.items():
            column, missing = file[f"obs/{name}"], obs[name].isna().to_numpy()
            assert column.attrs["encoding-type"] == encoding
            np.testing.assert_array_equal(column["mask"][:], missing)
            values = column["values"].asstr()[:] if name == "text" else column["values"][:]
            assert values[~missing].tolist() == obs[name][~missing].tolist()


def test_missing_values_of_every_type_are_told_where_a_cxg_cannot_say_them(with_missing, tmp_path):
    source, obs = with_missing
    done = convert(source, tmp_path / "new.cxg")
    for name in ("flag", "count", "few", "text"):
        assert sum(f"obs column {name!r}" in sentence for sentence in done.left_out) == 1
    with tiledb.open(str(tmp_path / "new.cxg" / "obs")) as array:
        stored, hints = array[:], json.loads(array.meta["cxg_schema"])
    assert stored["text"].tolist() == ["nan" if row % 5 == 0 else f"t{row}" for row in range(N_OBS)]
    for name in ("count", "few"):
        np.testing.assert_array_equal(stored[name], obs[name].to_numpy(float, na_value=np.nan))
    assert [hints["flag"]["categories"][code] for code in stored["flag"][:4]] == [True, False, "nan", True]


@pytest.mark.parametrize("target", ["new.cxg", "new.h5ad"])
@pytest.mark.parametrize(("dtype", "said"), [("float64", "7 digits"), ("int64", "16,777,216"), ("float32", None)])
def test_what_float32_may_round_is_told(tmp_path, target, dtype, said):
    truth = truth_with(0.1)
    X = np.nan_to_num(truth.X).astype(dtype)
    source = make_anndata(tmp_path, truth, layers={"counts": (X, "csc")})
    found = [one for one in convert(source, tmp_path / target, layer="counts").left_out if "float32" in one]
    assert len(found) == (said is not None)
    assert all(said in one and "counts" in one for one in found)
    with open_dataset(source) as dataset:
        assert dataset.details["layers"]["counts"]["dtype"] == dtype


def test_a_layer_takes_the_place_of_the_matrix(tmp_path):
    truth = truth_with(0.1)
    counts = np.round(np.nan_to_num(truth.X) * 3).astype(np.float32)
    source = make_anndata(tmp_path, truth, layers={"counts": (counts, "csr"), "other": (truth.X, "csc")})
    done = convert(source, tmp_path / "new.cxg", layer="counts")
    assert any("main matrix" in sentence for sentence in done.left_out)
    assert any("'other'" in sentence for sentence in done.left_out)
    with open_dataset(tmp_path / "new.cxg") as dataset:
        np.testing.assert_array_equal(dataset.values(truth.var_labels[1]), counts[:, 1])
    convert(source, tmp_path / "new.h5ad")
    with open_dataset(tmp_path / "new.h5ad") as dataset:
        assert set(dataset.layers) == {"counts", "other"}
        np.testing.assert_array_equal(dataset.values(truth.var_labels[1], layer="counts"), counts[:, 1])
        np.testing.assert_array_equal(dataset.values(truth.var_labels[1]), truth.X[:, 1])


def test_values_that_were_not_measured_stay_so(tmp_path):
    truth = truth_with(0.1)
    source = make_anndata(tmp_path, truth, raw=(truth.X[:, 2:], "csr", truth.var_labels[2:]))
    convert(source, tmp_path / "new.cxg", layer="raw")
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert np.isnan(dataset.values(truth.var_labels[0])).all()
        np.testing.assert_array_equal(dataset.values(truth.var_labels[3]), truth.X[:, 3])


def test_an_h5ad_is_encoded_as_anndata_encodes_it(tmp_path):
    truth = truth_with(0.1)
    convert(make_cxg(tmp_path / "source.cxg", truth, genesets=genesets()), tmp_path / "new.h5ad")
    with h5py.File(tmp_path / "new.h5ad") as file:
        kinds = {name: (node.attrs["encoding-type"], node.attrs["encoding-version"]) for name, node in file.items()}
        assert file.attrs["encoding-type"] == "anndata"
        assert kinds["obs"] == kinds["var"] == ("dataframe", "0.2.0")
        assert kinds["X"] == ("csr_matrix", "0.1.0")
        assert {kinds[name] for name in ("layers", "obsm", "obsp", "uns", "varm", "varp")} == {("dict", "0.1.0")}
        assert list(file["obs"].attrs["column-order"]) == list(truth.obs.columns)
        assert (
            file["obs"].attrs["_index"] == file["var"].attrs["_index"] == "_index"
        )  # as anndata writes one of no name
        assert file["obs/_index"].asstr()[:].tolist() == truth.obs.index.tolist()
        column = file["obs/cell_type"]
        assert column.attrs["encoding-type"] == "categorical"
        assert not column.attrs["ordered"]
        assert column["categories"].asstr()[:].tolist() == truth.obs["cell_type"].cat.categories.tolist()
        np.testing.assert_array_equal(column["codes"][:], truth.obs["cell_type"].cat.codes)
        assert file["obs/is_doublet"].dtype == bool
        assert list(file["obsm"]) == ["X_pca", "X_umap", "spatial"]
        parts = [file["X"][name][:] for name in ("data", "indices", "indptr")]
        X = sp.csr_array(tuple(parts), shape=tuple(file["X"].attrs["shape"]))
        assert X.has_canonical_format
        np.testing.assert_array_equal(X.toarray(), truth.X)
        assert file["uns/title"].asstr()[()] == truth.title
        assert file["uns/cell_type_colors"].asstr()[:].tolist() == list(truth.colors["cell_type"].values())


def test_categories_without_a_color_are_told(tmp_path):
    truth = truth_with(0.1)
    truth.colors["cell_type"].pop("B cell")
    done = convert(make_cxg(tmp_path / "source.cxg", truth), tmp_path / "new.h5ad")
    assert any("without a color" in sentence for sentence in done.left_out)


def test_unreadable_columns_are_left_out_and_told(tmp_path):
    truth = truth_with(0.1)
    source = make_cxg(tmp_path / "source.cxg", truth)
    with tiledb.open(str(source / "obs")) as array:
        number = [array.schema.attr(i).name for i in range(array.nattr)].index("score")
    for file in (source / "obs").rglob(f"a{number}.tdb"):
        file.unlink()
    for target in ("new.cxg", "new.h5ad"):
        done = convert(source, tmp_path / target)
        assert any("'score' cannot be read" in sentence for sentence in done.left_out)
        with open_dataset(tmp_path / target) as dataset:
            called = "cell" if dataset.format == "cxg" else None
            pd.testing.assert_frame_equal(dataset.obs(), truth.obs.drop(columns="score").rename_axis(called))


def test_an_open_dataset_is_converted_and_stays_open(tmp_path):
    truth = truth_with(0.1)
    with open_dataset(make_cxg(tmp_path / "source.cxg", truth)) as dataset:
        convert(dataset, tmp_path / "new.cxg")
        assert not dataset.closed


@pytest.mark.parametrize(
    ("name", "suffix"),
    [
        ("cellguide", "cxg"),
        ("dense_no_col_shift", "cxg"),
        ("dense_no_col_shift", "h5ad"),
        ("nan", "h5ad"),
    ],
)
def test_real_stores_are_carried(real_data, tmp_path, name, suffix):
    source, target = real_data / "cxg" / f"{name}.cxg", tmp_path / f"new.{suffix}"
    convert(source, target)
    with open_dataset(source) as expected, open_dataset(target) as found:
        for one, other in ((found.obs(), expected.obs()), (found.var(), expected.var())):
            has_name = found.format == "cxg" or other.index.name not in ("cell", "gene")
            called = other.index.name if has_name else None  # AnnData leaves it unnamed
            pd.testing.assert_frame_equal(one, other.rename_axis(called), check_dtype=False)
        assert dict(found.embeddings) == dict(expected.embeddings)
        for label in list(expected.var_labels)[:: expected.n_var // 15]:
            np.testing.assert_array_equal(found.values(label), expected.values(label), strict=True)
        assert dict(found.gene_sets) == dict(expected.gene_sets)
    assert suffix == "h5ad" or validate(target).valid
