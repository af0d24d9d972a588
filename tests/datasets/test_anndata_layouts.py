"""What AnnData stores besides the plain case: raw, layers, odd columns, odd matrices, several in one file."""

from __future__ import annotations

from dataclasses import replace

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import zarr
from traitlets import TraitError

from cxg_widget import CxgWidget
from cxg_widget.cli.main import main
from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.errors import (
    CxgWidgetError,
    DamagedStore,
    InvalidOption,
    InvalidStore,
    InvalidValue,
    UnknownName,
)
from cxg_widget.session.session import Session
from tests.datasets.make_anndata import (
    CONTAINERS,
    LAYOUTS,
    make_anndata,
    open_writer,
    truth_of,
    write_column,
    write_matrix,
    write_part,
)

RAW_LABELS = ["only in raw", *[f"ENSG{number:04d}" for number in reversed(range(9))]]


@pytest.fixture
def truth():
    return truth_of("0.8")


def raw_values(truth):
    return np.column_stack([np.arange(40), truth.X[:, ::-1] * 2]).astype(np.float32)


def dense_of(block, width):
    found = np.zeros((len(block.starts) - 1, width), dtype=np.float32)
    found[np.repeat(np.arange(len(found)), np.diff(block.starts)), block.positions] = block.values
    return found


# --- matrices -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("main", LAYOUTS)
@pytest.mark.parametrize(("container", "memory_bytes"), [("h5ad", 0), ("zarr3", 10**6)])
def test_every_layer_is_read_along_the_axis_of_x_whatever_its_own(tmp_path, truth, main, container, memory_bytes):
    layers = {f"in {layout}": (truth.X * (2 + number), layout) for number, layout in enumerate(LAYOUTS)}
    path = make_anndata(tmp_path, truth, layout=main, container=container, layers=layers, chunks=16)
    with open_dataset(path, memory_bytes=memory_bytes) as dataset:
        assert dataset.layers == tuple(sorted(layers))
        for name, (values, _) in layers.items():
            for position, gene in enumerate(truth.var_labels):
                np.testing.assert_array_equal(dataset.values(gene, name), values[:, position])
            lines = values if dataset.major_axis == "obs" else values.T
            for start, stop in ((0, len(lines)), (3, 8), (5, 5)):
                found = dense_of(dataset.matrix_block(start, stop, name), lines.shape[1])
                np.testing.assert_array_equal(found, lines[start:stop])


@pytest.mark.parametrize("writer", ["0.5", "0.7", "0.13"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_raw_is_a_layer_whose_genes_are_found_by_their_names(tmp_path, writer, layout):
    truth = truth_of(writer)
    values = raw_values(truth)
    with open_dataset(make_anndata(tmp_path, truth, writer=writer, raw=(values, layout, RAW_LABELS))) as dataset:
        assert dataset.layers == ("raw",)
        for position, gene in enumerate(RAW_LABELS):
            np.testing.assert_array_equal(dataset.values(gene, "raw"), values[:, position])
            np.testing.assert_array_equal(dataset.vector_block(gene, "raw", 3, 20).dense(17), values[3:20, position])
        with pytest.raises(UnknownName, match=r"'only in raw' is in raw only.*layer='raw'"):
            dataset.values("only in raw")
        with pytest.raises(UnknownName, match="Did you mean 'only in raw'"):
            dataset.values("only in ra", "raw")


def test_a_gene_of_raw_alone_is_refused_with_the_step_that_finds_it(tmp_path):
    truth = truth_of("0.13")
    values = raw_values(truth)
    w = CxgWidget(make_anndata(tmp_path, truth, raw=(values, "csr", RAW_LABELS)))
    of_raw = values[:, RAW_LABELS.index("only in raw")]
    for refused in (
        lambda: setattr(w, "color", "only in raw"),
        lambda: w.filter("`only in raw` > 0"),
        lambda: w.select("`only in raw` > 0"),
    ):
        with pytest.raises((CxgWidgetError, TraitError), match=r"'only in raw' is .*; set w\.layer = 'raw'"):
            refused()
    w.layer = "raw"
    w.color = "only in raw"
    w.filter("`only in raw` > 0")
    np.testing.assert_array_equal(w.filters.mask, of_raw > 0)
    np.testing.assert_array_equal(w.select("`only in raw` > 0").mask, of_raw > 0)


@pytest.mark.parametrize("main", LAYOUTS)
def test_lines_of_raw_are_cut_to_the_genes_of_var(tmp_path, truth, main):
    labels = ["missing" if label == truth.var_labels[3] else label for label in RAW_LABELS]
    path = make_anndata(tmp_path, truth, layout=main, raw=(raw_values(truth), "csr", labels))
    expected = truth.X * 2
    expected[:, 3] = np.nan
    with open_dataset(path) as dataset:
        lines = expected if dataset.major_axis == "obs" else expected.T
        found = dense_of(dataset.matrix_block(2, 9, "raw"), lines.shape[1])
        np.testing.assert_array_equal(found, lines[2:9])


def test_a_gene_that_only_raw_has_colors_the_picture_in_that_layer(tmp_path, truth):
    values = raw_values(truth)
    with open_dataset(make_anndata(tmp_path, truth, raw=(values, "csr", RAW_LABELS))) as dataset:
        session = Session(dataset, Settings(embedding="umap", color="only in raw", layer="raw"))
        legend = next(session.streams.color())
        assert (legend.message.lo, legend.message.hi) == (0, 39)
        assert legend.message.name == "only in raw"
        with pytest.raises(UnknownName, match=r"of the layer 'raw', not of X; set w\.layer = 'raw'"):
            Session(dataset, Settings(embedding="umap", color="only in raw")).coloring()


def test_the_widget_takes_a_gene_of_raw_together_with_its_layer(tmp_path, truth):
    path = make_anndata(tmp_path, truth, raw=(raw_values(truth), "csr", RAW_LABELS))
    widget = CxgWidget(path, color="only in raw", layer="raw")
    try:
        with pytest.raises(UnknownName, match=r"set w\.layer = 'raw'"):
            widget.layer = None
        widget.color = "cell_type"
        widget.layer = None
        with pytest.raises(UnknownName, match=r"set w\.layer = 'raw'"):
            widget.color = "only in raw"
        assert widget.color == "cell_type"
    finally:
        widget.close()


@pytest.mark.parametrize("container", ["h5ad", "zarr2"])
def test_cells_named_twice_or_out_of_order_are_added_up_as_scipy_does(tmp_path, truth, container):
    rng = np.random.default_rng(3)
    rows, columns = rng.integers(0, 40, 900), rng.integers(0, 9, 900)
    messy = sp.csr_array(sp.coo_array((np.ones(900, np.float32), (rows, columns)), shape=(40, 9)))
    order = np.sort(rows, kind="stable")
    starts = np.searchsorted(order, np.arange(41))
    messy = sp.csr_array((np.ones(900, np.float32), columns[np.argsort(rows, kind="stable")], starts), shape=(40, 9))
    expected = np.zeros((40, 9), np.float32)
    np.add.at(expected, (rows, columns), 1)
    path = make_anndata(tmp_path, truth, container=container, layers={"messy": (messy, "csr")}, chunks=100)
    for memory_bytes in (0, 10**6):
        with open_dataset(path, memory_bytes=memory_bytes) as dataset:
            for position, gene in enumerate(truth.var_labels):
                vector = dataset.vector(gene, "messy")
                assert len(np.unique(vector.rows)) == len(vector.rows)
                np.testing.assert_array_equal(vector.dense(40), expected[:, position])
                part = dataset.vector_block(gene, "messy", 7, 31)
                np.testing.assert_array_equal(part.dense(24), expected[7:31, position])
            found = dense_of(dataset.matrix_block(4, 30, "messy"), 9)
            np.testing.assert_array_equal(found, expected[4:30])


@pytest.mark.parametrize("container", ["h5ad", "zarr3"])
def test_without_x_everything_else_opens(tmp_path, truth, container):
    path = make_anndata(tmp_path, truth, container=container, X=None, layers={"counts": (truth.X, "csc")})
    with open_dataset(path) as dataset:
        assert dataset.embedding().shape == (40, 2)
        np.testing.assert_array_equal(dataset.values(truth.var_labels[2], "counts"), truth.X[:, 2])
        with pytest.raises(InvalidStore, match="has no X; layers: counts"):
            dataset.values(truth.var_labels[2])


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float64, np.float16, bool])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_of_any_type_come_as_float32(tmp_path, truth, dtype, layout):
    values = np.nan_to_num(truth.X).astype(dtype)
    if layout != "dense" and dtype is np.float16:
        pytest.skip("SciPy has no sparse matrices of float16")
    with open_dataset(make_anndata(tmp_path, truth, layers={"other": (values, layout)})) as dataset:
        found = dataset.values(truth.var_labels[1], "other")
        np.testing.assert_array_equal(found, values[:, 1].astype(np.float32), strict=True)


# --- columns ------------------------------------------------------------------------------------------------------


def write_more(path, columns, writer="0.8"):
    with h5py.File(path, "r+") as file:
        out = open_writer.__globals__["H5Writer"].__new__(open_writer.__globals__["H5Writer"])
        out.file = file
        order = [*file["obs"].attrs["column-order"], *columns]
        for name, series in columns.items():
            write_column(out, "obs", name, series, writer)
        file["obs"].attrs["column-order"] = order


def test_masked_columns_keep_what_is_missing(tmp_path, truth):
    n = len(truth.obs)
    path = make_anndata(tmp_path, truth)
    columns = {
        "count": pd.Series(pd.array([None, *range(1, n)], dtype="Int64")),
        "full": pd.Series(pd.array([1] * n, dtype="UInt8")),
        "flag": pd.Series(pd.array([True, None, *[False] * (n - 2)], dtype="boolean")),
        "sure": pd.Series(pd.array([True] * n, dtype="boolean")),
    }
    write_more(path, columns)
    write_more(path, {"text": pd.Series([None, "b", *"a" * (n - 2)], dtype=object)}, "0.13")
    with open_dataset(path) as dataset:
        kinds = [dataset.obs_columns[name].kind for name in (*columns, "text")]
        assert kinds == ["int", "int", "boolean", "boolean", "string"]
        np.testing.assert_array_equal(dataset.numbers("count"), [np.nan, *range(1, n)])
        assert dataset.numbers("full").dtype == np.uint8
        assert dataset.codes("flag").codes[:3].tolist() == [1, -1, 0]
        assert dataset.codes("flag").categories == (False, True)
        np.testing.assert_array_equal(dataset.numbers("flag")[:3], np.array([1, np.nan, 0], np.float32), strict=True)
        assert dataset.numbers("sure").dtype == bool
        text = dataset.codes("text")
        assert text.codes[:3].tolist() == [-1, 1, 0]
        assert text.categories == ("a", "b")
        frame = dataset.obs(["flag", "text", "count"], rows=[1, 0])
        assert frame.isna().to_numpy().tolist() == [[True, False, False], [False, True, True]]
        assert dataset.obs_record(0, ["count", "text", "flag"]) == {"count": None, "text": None, "flag": True}


def test_a_session_colors_by_columns_with_missing_values(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    write_more(path, {"flag": pd.Series(pd.array([None, *[True, False, False] * 13], dtype="boolean"))})
    with open_dataset(path) as dataset:
        legend = next(Session(dataset, Settings(embedding="umap", color="flag")).streams.color()).message
        assert (legend.n_missing, legend.counts) == (1, [26, 13])


def test_columns_that_cannot_be_shown_are_left_out_and_noted(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    with h5py.File(path, "r+") as file:
        obs = file["obs"]
        obs["complex"] = np.zeros(40, complex)
        obs["wide"] = np.zeros((40, 2))
        obs["short"] = np.zeros(3)
        obs.create_group("odd").attrs["encoding-type"] = "awkward-array"
        obs.create_group("half").attrs["encoding-type"] = "categorical"
        obs["half/codes"] = np.zeros(40, np.int8)
        obs.attrs["column-order"] = [*obs.attrs["column-order"], "complex", "wide", "short", "odd", "half", "gone"]
    with open_dataset(path) as dataset:
        pd.testing.assert_frame_equal(dataset.obs(), truth.obs)
        for name in ("complex", "wide", "short", "odd", "half", "gone"):
            assert sum(f"'{name}' is left out" in note for note in dataset.notes) == 1
        with pytest.raises(UnknownName):
            dataset.obs("gone")


@pytest.mark.parametrize("stored", ["categories", "text"])
def test_a_category_called_nan_is_a_category_of_anndata(tmp_path, truth, stored):
    """As `pandas.read_hdf` and anndata have it: what is missing there has the code -1."""
    path = make_anndata(tmp_path, truth)
    codes = np.arange(len(truth.obs)) % 3 - 1
    with h5py.File(path, "r+") as file:
        if stored == "categories":
            found = file["obs"].create_group("called")
            found.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0", "ordered": False})
            found["codes"] = codes.astype(np.int8)
            found.create_dataset("categories", data=["nan", "b"], dtype=h5py.string_dtype())
        else:
            codes = np.maximum(codes, 0)
            texts = np.array(["nan", "b"], dtype=object)[codes]
            found = file["obs"].create_dataset("called", data=texts, dtype=h5py.string_dtype())
            found.attrs.update({"encoding-type": "string-array", "encoding-version": "0.2.0"})
        order = [*file["obs"].attrs["column-order"], "called"]
        file["obs"].attrs["column-order"] = np.array(order, dtype=h5py.string_dtype())
    with open_dataset(path) as dataset:
        found = dataset.codes("called")
        labels = np.array([*found.categories, None], dtype=object)[found.codes]
        assert labels.tolist() == np.array(["nan", "b", None], dtype=object)[codes].tolist()
        assert rule_mask(dataset, "nan").tolist() == (codes == 0).tolist()


def rule_mask(dataset, label):
    widget = CxgWidget(dataset)
    widget.select({"called": label})
    return widget.selection.mask


def test_without_a_column_order_all_columns_are_shown(tmp_path, truth):
    path = make_anndata(tmp_path, truth, writer="0.7")
    with h5py.File(path, "r+") as file:
        del file["obs"].attrs["column-order"]
        del file["var"].attrs["_index"]
        file["var"].attrs["column-order"] = np.empty(0)
    with open_dataset(path) as dataset:
        assert set(truth.obs.columns) - {'a/b "c".d é'} <= set(dataset.obs_columns)
        assert dataset.var_columns == {}
        assert list(dataset.var_labels) == truth.var_labels


def test_names_of_cells_may_repeat_or_be_missing(tmp_path, truth):
    twice = replace(truth, obs=truth.obs.set_axis(["same"] * 40).rename_axis("name_0"))
    with open_dataset(make_anndata(tmp_path, twice)) as dataset:
        pd.testing.assert_frame_equal(dataset.obs(), twice.obs)
        assert Session(dataset).selected.obs().empty
    path = make_anndata(tmp_path, truth, name="no index")
    with h5py.File(path, "r+") as file:
        del file["obs/name_0"]
    with open_dataset(path) as dataset:
        assert dataset.obs_index is None
        assert dataset.obs_names([3]).tolist() == ["3"]
        assert dataset.n_obs == 40
        assert any("no index" in note for note in dataset.notes)


def test_colors_are_paired_with_categories_as_they_are_stored(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    with h5py.File(path, "r+") as file:
        uns = file["uns"]
        uns["many_colors"] = np.array([b"#010203", b"red"])
        uns["size_colors"] = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
        uns["donor_colors"] = np.array([b"#000000"])
    with open_dataset(path) as dataset:
        first, second = truth.obs["many"].cat.categories[:2]
        assert dataset.category_colors("many") == {first: "#010203", second: "#ff0000"}
        assert dataset.category_colors("size") == {"1": "#ff0000", "20": "#00ff00", "300": "#0000ff"}
        assert dataset.category_colors("donor") == {}


def test_embeddings_that_are_no_planes_are_left_out_with_a_reason(tmp_path, truth):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=40), "label": ["a"] * 40, "y": rng.integers(0, 9, 40)})
    obsm = {
        "X_tsne": rng.normal(size=(40, 2)), "tsne": rng.normal(size=(40, 3)), "X_frame": frame, "one": np.ones((40, 1)),
        "cube": np.ones((40, 2, 2)), "sparse": sp.csr_array(np.eye(40)), "flags": np.ones((40, 2), bool),
        "short": np.ones((7, 2)), "a_umap_b": rng.normal(size=(40, 2)),
    }  # fmt: skip
    with open_dataset(make_anndata(tmp_path, truth, obsm=obsm)) as dataset:
        assert dict(dataset.embeddings) == {"frame": 2, "X_tsne": 2, "a_umap_b": 2, "tsne": 3}
        assert dataset.default_embedding == "tsne"
        np.testing.assert_array_equal(dataset.embedding("X_tsne"), obsm["X_tsne"].astype(np.float32))
        np.testing.assert_array_equal(dataset.embedding("frame"), frame[["x", "y"]].to_numpy(np.float32))
        for name, why in (("one", "1 axis"), ("cube", "3 dimensions"), ("sparse", "csr_matrix"), ("short", "7 rows")):
            with pytest.raises(InvalidStore, match=rf"obsm/{name} .*{why}"):
                dataset.embedding(name)


def test_title_and_default_embedding_come_from_uns(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    with h5py.File(path, "r+") as file:
        file["uns/title"], file["uns/default_embedding"] = "Lung", "X_pca"
    with open_dataset(path) as dataset:
        assert (dataset.title, dataset.default_embedding) == ("Lung", "pca")


# --- several in one -----------------------------------------------------------------------------------------------


@pytest.fixture(params=CONTAINERS[:3])
def mudata(request, tmp_path, truth):
    path = tmp_path / ("m.h5mu" if request.param == "h5ad" else "m.zarr")
    out = open_writer(path, request.param)
    for name in ("rna", "prot"):
        write_part(out, f"mod/{name}", replace(truth, title=name), "0.8", "csr")
    write_part(out, "", truth, "0.8", "csr", X=None)
    out.group("", {"encoding-type": "MuData", "encoding-version": "0.1.0"})
    write_matrix(out, "mod/rna/layers/times", truth.X * 5, "csc", "0.8")
    out.close()
    return path


def test_one_modality_of_mudata_opens_alone(mudata, truth):
    with pytest.raises(InvalidStore, match=r"is MuData.*key=: 'mod/prot', 'mod/rna'"):
        open_dataset(mudata, format="zarr" if mudata.is_dir() else "h5ad")
    with pytest.raises(UnknownName, match="Did you mean 'mod/rna'"):
        open_dataset(mudata, key="mod/rn")
    with pytest.raises(InvalidStore, match="mod is not AnnData"):
        open_dataset(mudata, key="mod")
    for opened in (
        lambda: open_dataset(mudata, key="rna"),
        lambda: open_dataset(mudata, key="mod/rna"),
        lambda: open_dataset(f"{mudata}#mod/rna"),
        lambda: open_dataset(f"{mudata}#rna"),
    ):
        with opened() as dataset:
            pd.testing.assert_frame_equal(dataset.obs(), truth.obs)
            np.testing.assert_array_equal(dataset.values(truth.var_labels[1], "times"), truth.X[:, 1] * 5)
            uri, identity = dataset.uri, dataset.identity
        with open_dataset(uri) as again:
            assert again.identity.partition("#")[0] == identity.partition("#")[0]
    with open_dataset(mudata, key="prot") as other:
        assert other.identity != identity
        assert other.layers == ()


def test_mudata_is_known_behind_the_bytes_that_its_writer_puts_before_hdf5(mudata, truth, tmp_path):
    path = tmp_path / "as_muon_writes.h5mu"
    if mudata.is_dir():
        pytest.skip("zarr has nothing before it")
    with h5py.File(mudata) as source, h5py.File(path, "w", userblock_size=512) as target:
        for name in source:
            source.copy(name, target)
        target.attrs.update(source.attrs)
    with path.open("r+b") as file:
        file.write(b"MuData (format-version=0.1.0;creator=muon;creator-version=0.4.1)")
    with open_dataset(f"{path}#mod/rna") as dataset:
        pd.testing.assert_frame_equal(dataset.obs(), truth.obs)
    with open_dataset(path) as both:
        assert both.modalities == ("prot", "rna")


def test_spatialdata_names_its_tables(tmp_path, truth):
    path = tmp_path / "s.zarr"
    out = open_writer(path, "zarr3")
    out.group("", {"spatialdata_attrs": {"version": "0.5"}})
    out.group("images", {})
    write_part(out, "tables/cells", truth, "0.8", "csr")
    out.close()
    with open_dataset(path, format="zarr", key="cells") as dataset:
        assert dataset.n_obs == 40
    with pytest.raises(InvalidStore, match=r"is SpatialData.*'tables/cells'"):
        open_dataset(path, format="zarr")


@pytest.mark.parametrize("container", ["h5ad", "zarr2", "zarr3"])
def test_what_is_no_anndata_is_refused_with_what_is_there(tmp_path, container):
    path = tmp_path / "x.loom"
    out = open_writer(path, container)
    for name in ("matrix", "row_attrs", "col_attrs"):
        out.group(name, {})
    out.close()
    what = "HDF5 file" if container == "h5ad" else "zarr store"
    sentence = rf"x\.loom.*{what} but not AnnData \(no obs/var; .*row_attrs; perhaps a loom file, .*io.read_loom"
    with pytest.raises(InvalidStore, match=sentence):
        open_dataset(path)


def test_an_array_alone_is_refused(tmp_path):
    zarr.save_array(str(tmp_path / "a.zarr"), np.arange(5))
    with pytest.raises(InvalidStore, match=r"a\.zarr.*single array"):
        open_dataset(tmp_path / "a.zarr")


# --- options, identity, the command line --------------------------------------------------------------------------


def test_options_are_checked(tmp_path, truth):
    path = make_anndata(tmp_path, truth)
    for options, error in (
        ({"memory_bytes": "many"}, InvalidOption),
        ({"memory_bytes": True}, InvalidOption),
        ({"memory_bytes": -1}, InvalidValue),
        ({"key": 3}, InvalidOption),
        ({"ctx": {}}, InvalidOption),
        ({"format": "zarr"}, DamagedStore),
    ):
        with pytest.raises(error):
            open_dataset(path, **options)


@pytest.mark.parametrize("container", CONTAINERS)
def test_identity_is_the_same_until_something_is_written(tmp_path, truth, container):
    path = make_anndata(tmp_path, truth, container=container)

    def identity():
        with open_dataset(path) as dataset:
            return dataset.identity

    first = identity()
    assert identity() == first
    if container == "h5ad":
        with h5py.File(path, "r+") as file:
            file["obs/score"][3] = 5
    elif container == "zip":
        make_anndata(tmp_path, replace(truth, X=truth.X + 1), container=container)
    else:
        zarr.open_group(str(path))["obs/score"][3] = 5
    assert identity() != first


def test_inspect_says_what_a_store_holds(tmp_path, truth, capsys):
    path = make_anndata(tmp_path, truth)
    assert main(["inspect", str(path)]) == 0
    said = capsys.readouterr().out
    assert "h5ad" in said
    assert "40 obs x 9 var" in said


@pytest.mark.parametrize("container", CONTAINERS)
def test_sizes_are_those_of_the_arrays(tmp_path, truth, container):
    with open_dataset(make_anndata(tmp_path, truth, container=container)) as dataset:
        sizes = dataset.sizes
    assert {"X/data", "X/indices", "X/indptr", "obs/score", "obsm/X_umap"} <= set(sizes)
    if container == "h5ad":
        assert sizes["X/data"] == np.count_nonzero(truth.X) * 4
