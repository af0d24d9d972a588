"""AnnData objects in memory: the contract, and that nothing of theirs is copied or changed."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from cxg_widget import CxgWidget
from cxg_widget.datasets import open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.errors import ClosedDataset, InvalidOption, InvalidStore, InvalidValue, MissingDependency, UnknownName
from cxg_widget.session.session import Session
from cxg_widget.testing import DatasetTests
from tests.datasets.make_anndata import make_anndata, truth_of
from tests.datasets.make_cxg import make_cxg, make_truth

MAKE = {"csr": sp.csr_matrix, "csc": sp.csc_array, "dense": np.array, "backed": sp.csr_matrix, "view": sp.csr_matrix}


class StandIn:
    """What is used of an AnnData object, made of pandas and SciPy alone."""

    def __init__(self, X, obs, var, obsm, *, layers=None, raw=None, uns=None, is_view=False):
        self._X, self.obs, self.var, self.obsm = X, obs, var, obsm
        self.layers, self.raw, self.uns, self.is_view = layers or {}, raw, uns or {}, is_view
        self.n_obs = len(obs)
        self.whole_x_asked = 0

    @property
    def X(self):
        self.whole_x_asked += 1
        return self._X

    def __getitem__(self, key):
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        return StandIn(
            self._X[rows][:, columns],
            self.obs.iloc[rows],
            self.var.iloc[columns],
            {name: values[rows] for name, values in self.obsm.items()},
            layers={name: values[rows][:, columns] for name, values in self.layers.items()},
        )


class Backed:
    """A sparse matrix in a file as AnnData hands it out: it knows its format and a group of arrays."""

    def __init__(self, matrix):
        self.format, self.shape = "csr", matrix.shape
        self.group = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}


def stand_in(truth, layout="csr", **options):
    var = pd.DataFrame({"feature_name": truth.aliases}, index=truth.var_labels)
    obsm = {f"X_{name}": xy for name, xy in truth.embeddings.items()}
    X = MAKE[layout](truth.X)
    colors = {"cell_type_colors": ["#1f77b4", "#ff6347", "none"]}
    X = Backed(X) if layout == "backed" else X
    return StandIn(X, truth.obs.copy(), var, obsm, uns=colors, is_view=layout == "view", **options)


@pytest.fixture(scope="module", params=MAKE)
def adata(request):
    return stand_in(make_truth(), request.param)


@pytest.mark.parametrize(
    "column",
    ["feature_name", "gene_symbols", "gene_symbol", "gene_name", "gene_names", "gene_short_name", "symbol"],
)
def test_a_gene_is_found_by_its_symbol_in_each_column_that_the_page_of_colors_names(column):
    truth = make_truth()
    adata = stand_in(truth)
    adata.var = adata.var.rename(columns={"feature_name": column})
    with open_dataset(adata) as dataset:
        np.testing.assert_array_equal(dataset.values(truth.aliases[3]), truth.X[:, 3])
    page = Path(__file__).parents[2] / "docs" / "how_to" / "color_by_a_gene.md"
    assert not page.exists() or f"`{column}`" in page.read_text(encoding="utf-8")


class TestAnnDataInMemory(DatasetTests):
    @pytest.fixture(scope="class")
    @classmethod
    def store(cls, adata):
        return adata, make_truth()

    def test_it_has_colors_a_default_embedding_and_its_own_axis(self, dataset, adata):
        assert dataset.format == "anndata"
        assert dataset.default_embedding == "umap"
        assert dataset.category_colors("cell_type") == {"T cell": "#1f77b4", "B cell": "#ff6347"}
        assert dataset.major_axis == ("var" if getattr(adata._X, "format", "") == "csc" else "obs")
        assert dataset.notes == ()


def test_arrays_of_the_object_are_used_and_not_copied_or_locked():
    truth = make_truth()
    adata = stand_in(truth, "dense")
    before = adata._X.copy()
    with open_dataset(adata) as dataset:
        node = dataset._matrix.node
        assert node._values is adata._X
        dataset.values(truth.var_labels[0])
        dataset.numbers("n_genes")
        dataset.codes("cell_type")
        dataset.embedding()
    adata._X[0, 0] += 1
    adata.obs.loc[adata.obs.index[0], "n_genes"] = 7
    adata.obsm["X_umap"][0] = 3
    assert not np.array_equal(before, adata._X, equal_nan=True)


def test_x_of_a_view_is_never_asked_for_as_a_whole():
    truth = make_truth()
    adata = stand_in(truth, "view", layers={"twice": sp.csr_matrix(truth.X * 2)})
    with open_dataset(adata) as dataset:
        np.testing.assert_array_equal(dataset.values(truth.var_labels[2]), truth.X[:, 2])
        np.testing.assert_array_equal(dataset.values(truth.var_labels[2], "twice"), truth.X[:, 2] * 2)
        np.testing.assert_array_equal(dataset.vector_block(truth.var_labels[1], None, 3, 9).dense(6), truth.X[3:9, 1])
        assert adata.whole_x_asked == 0


def test_layers_and_raw_are_read_by_name():
    truth = make_truth()
    labels = [*reversed(truth.var_labels), "only in raw"]
    raw_x = np.column_stack([truth.X[:, ::-1] * 3, np.arange(40)]).astype(np.float32)
    raw = SimpleNamespace(X=sp.csc_matrix(raw_x), var=pd.DataFrame(index=labels))
    adata = stand_in(truth, layers={"counts": sp.csc_matrix(truth.X), "odd": object()}, raw=raw)
    with open_dataset(adata) as dataset:
        assert dataset.layers == ("counts", "raw")
        assert any("'odd'" in note for note in dataset.notes)
        np.testing.assert_array_equal(dataset.values(truth.var_labels[1], "raw"), truth.X[:, 1] * 3)
        np.testing.assert_array_equal(dataset.values("only in raw", "raw"), np.arange(40))
        with pytest.raises(UnknownName, match="layer='raw'"):
            dataset.values("only in raw")


def test_columns_of_pandas_own_types_keep_what_is_missing():
    truth = make_truth()
    adata = stand_in(truth)
    n = len(adata.obs)
    adata.obs["whole"] = pd.array([None, *range(1, n)], dtype="Int64")
    adata.obs["full"] = pd.array(range(n), dtype="UInt8")
    adata.obs["part"] = pd.array([None, 0.5, *range(2, n)], dtype="Float64")
    adata.obs["flag"] = pd.array([None, True, *[False] * (n - 2)], dtype="boolean")
    adata.obs["text"] = pd.Series([None, "b", *"c" * (n - 2)], index=adata.obs.index, dtype="str")
    adata.obs["mixed"] = [1, "a", *[2.5] * (n - 2)]
    adata.obs["when"] = pd.date_range("2020", periods=n)
    adata.obs[5] = 1
    with open_dataset(adata) as dataset:
        kinds = {
            name: dataset.obs_columns[name].kind for name in ("whole", "full", "part", "flag", "text", "mixed", "5")
        }
        assert list(kinds.values()) == ["int", "int", "float", "boolean", "string", "string", "int"]
        assert dataset.codes("when").categories[:2] == ("2020-01-01", "2020-01-02")
        np.testing.assert_array_equal(dataset.numbers("whole"), [np.nan, *range(1, n)])
        assert dataset.numbers("full").dtype == np.uint8
        np.testing.assert_array_equal(dataset.numbers("part")[:2], [np.nan, 0.5])
        assert dataset.codes("flag").codes[:3].tolist() == [-1, 1, 0]
        np.testing.assert_array_equal(dataset.numbers("flag")[:3], np.array([np.nan, 1, 0], np.float32))
        codes = dataset.codes("text")
        assert codes.codes[:3].tolist() == [-1, 0, 1]
        assert codes.categories == ("b", "c")
        assert dataset.obs(["text"])["text"].isna().tolist() == [True] + [False] * (n - 1)
        assert dataset.obs_record(0, ["whole", "flag", "text", "mixed"]) == {
            "whole": None, "flag": None, "text": None, "mixed": "1",
        }  # fmt: skip
        assert dataset.codes_block("flag", 0, 2).codes.tolist() == [-1, 1]
        np.testing.assert_array_equal(dataset.numbers_block("whole", 1, 3), np.array([1.0, 2.0]), strict=True)


def test_gene_sets_are_those_of_uns_and_what_is_none_is_passed_over():
    obs = pd.DataFrame(index=["a", "b", "c"])
    var = pd.DataFrame(index=["CD3E", "NKG7"])
    sets = {
        "T": ["CD3E"],
        "NK": np.array(["NKG7", "CD3E"], dtype=object),
        "numbers": [1, 2],
        "none": {"a": 1},
        "ragged": [[1], [2, 3]],
    }
    source = StandIn(np.ones((3, 2)), obs, var, {"X_umap": np.zeros((3, 2))}, uns={"genesets": sets})
    with open_dataset(source) as dataset:
        assert dataset.gene_sets == {"T": ("CD3E",), "NK": ("NKG7", "CD3E")}
    for other in ("CD3E", ["CD3E"], None):
        source.uns = {"genesets": other}
        with open_dataset(source) as dataset:
            assert dataset.gene_sets == {}


def test_parts_that_contradict_each_other_are_refused():
    truth = make_truth()
    adata = stand_in(truth)
    adata._X = sp.csr_matrix(truth.X[:7])
    with open_dataset(adata) as dataset, pytest.raises(InvalidStore, match="X is 7x9 but obs has 40 rows"):
        dataset.values(truth.var_labels[0])
    adata._X = None
    with open_dataset(adata) as dataset, pytest.raises(InvalidStore, match="has no X; layers: none"):
        dataset.values(truth.var_labels[0])
    adata._X = sp.coo_matrix(truth.X)
    with open_dataset(adata) as dataset, pytest.raises(InvalidStore, match="X has an unsupported encoding"):
        dataset.values(truth.var_labels[0])


@pytest.mark.parametrize("layout", ["csr", "view"])
def test_x_is_no_layer_though_anndata_lists_it_among_them_as_none(layout):
    truth = make_truth()
    layers = {None: MAKE[layout](truth.X), "twice": MAKE[layout](truth.X * 2)}
    with open_dataset(stand_in(truth, layout, layers=layers)) as dataset:
        assert dataset.layers == ("twice",)
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(name), truth.X[:, position])
            np.testing.assert_array_equal(dataset.values(name, "twice"), truth.X[:, position] * 2)


@pytest.mark.parametrize("block", [np.asarray, sp.csr_matrix], ids=["dense", "sparse"])
def test_a_matrix_of_dask_blocks_is_read_in_parts(block):
    da = pytest.importorskip("dask.array")
    truth = make_truth()
    adata = stand_in(truth, "dense")
    adata._X = da.from_array(truth.X, chunks=(16, -1)).map_blocks(block, dtype=np.float32, meta=block(truth.X[:0]))
    with open_dataset(adata) as dataset:
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(name), truth.X[:, position])


@pytest.mark.parametrize("part", ["obs", "var"])
def test_tables_that_are_no_dataframes_are_refused_with_what_to_pass_instead(part):
    adata = stand_in(make_truth())
    setattr(adata, part, SimpleNamespace(columns=[], index=[], dtypes={}))
    with pytest.raises(InvalidOption, match=rf"{part} of this AnnData is a SimpleNamespace.*pass the path"):
        open_dataset(adata)


def test_options_of_paths_do_not_apply_to_objects():
    adata = stand_in(make_truth())
    for options, error in (
        ({"format": "h5ad"}, InvalidOption),
        ({"key": "mod/rna"}, InvalidOption),
        ({"ctx": {}}, InvalidOption),
        ({"memory_bytes": -1}, InvalidValue),
    ):
        with pytest.raises(error):
            open_dataset(adata, **options)


def test_with_memory_bytes_genes_are_sorted_once():
    truth = make_truth()
    with open_dataset(stand_in(truth), memory_bytes=10**6) as dataset:
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(name), truth.X[:, position])
        assert dataset._budget.get(dataset._matrix._open()) is not None


def test_the_session_colors_and_selects_an_object():
    truth = make_truth()
    with open_dataset(stand_in(truth)) as dataset:
        session = Session(dataset, Settings(embedding="umap", color=truth.aliases[1]))
        legend = next(session.streams.color())
        assert legend.message.hi == pytest.approx(np.nanmax(truth.X[:, 1]))
        inside = session.polygon_mask([[-9, -9], [9, -9], [9, 0], [-9, 0]])
        xy = truth.embeddings["umap"]
        np.testing.assert_array_equal(inside, np.isfinite(xy).all(1) & (np.abs(xy[:, 0]) < 9) & (xy[:, 1] < 0))
        session.select(inside)
        pd.testing.assert_frame_equal(session.selected.obs(), truth.obs[inside])


def test_the_widget_shows_an_object_and_hands_cells_back_as_a_part_of_it():
    truth = make_truth()
    adata = stand_in(truth)
    widget = CxgWidget(adata, color="cell_type")
    try:
        widget.select([2, 5, 7])
        found = widget.selection.to_anndata()
        assert isinstance(found, StandIn)
        pd.testing.assert_frame_equal(found.obs, truth.obs.iloc[[2, 5, 7]])
        np.testing.assert_array_equal(found.X.toarray(), truth.X[[2, 5, 7]])
        selection = widget.selection
    finally:
        widget.close()
    with pytest.raises(ClosedDataset):
        selection.to_anndata()


def test_rows_of_cells_with_names_are_found_in_another_process_and_nowhere_else():
    truth = make_truth()
    named, mask = stand_in(truth), np.arange(len(truth.obs)) % 3 == 0
    widget = CxgWidget(named)
    widget.sets["mine"] = mask
    widget.annotations.new("label")
    widget.annotations["label"].assign("x", mask)
    state = widget.state
    widget.close()
    again = CxgWidget(stand_in(truth), **state)  # another object, of the same cells
    np.testing.assert_array_equal(again.sets["mine"].mask, mask)
    np.testing.assert_array_equal(again.annotations["label"].series().notna(), mask)
    again.close()
    turned, numbered = stand_in(truth), stand_in(truth)
    turned.obs.index = turned.obs.index[::-1]
    numbered.obs.index = pd.Index([str(row) for row in range(len(truth.obs))], dtype=object)
    identities = [open_dataset(one).obs_identity for one in (named, turned, numbered, numbered)]
    assert len(set(identities)) == 4  # what is called 0, 1, ... may be any cells


def test_an_object_cannot_be_sent_to_dask_workers():
    with pytest.raises(InvalidOption, match="in memory"):
        CxgWidget(stand_in(make_truth()), dask=True)


def test_of_a_store_on_disk_to_anndata_needs_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.anndata.export.find_spec", lambda name: None)
    widget = CxgWidget(make_anndata(tmp_path))
    try:
        with pytest.raises(MissingDependency, match="pip install anndata"):
            widget.selection.to_anndata()
    finally:
        widget.close()


@pytest.mark.parametrize("layout", ["csr", "csc", "dense"])
def test_of_a_store_on_disk_to_anndata_has_the_selected_rows(tmp_path, monkeypatch, layout):
    made = SimpleNamespace(AnnData=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "anndata", made)
    monkeypatch.setattr("cxg_widget.datasets.anndata.export.find_spec", lambda name: made)
    truth = truth_of("0.8")
    rows = [1, 5, 17, 39]
    with open_dataset(make_anndata(tmp_path, truth, layout=layout)) as dataset:
        session = Session(dataset)
        session.select(np.isin(np.arange(40), rows))
        found = session.selected.to_anndata()
        assert session.select(np.zeros(40, dtype=bool)) is None
        assert session.selected.to_anndata().X.shape == (0, truth.X.shape[1])
    pd.testing.assert_frame_equal(found.obs, truth.obs.iloc[rows])
    assert found.var.index.tolist() == truth.var_labels
    np.testing.assert_array_equal(found.X.toarray(), truth.X[rows])
    for name, xy in truth.embeddings.items():
        np.testing.assert_array_equal(
            found.obsm[name if name == "spatial" else f"X_{name}"], xy[rows].astype(np.float32)
        )


@pytest.mark.parametrize("layers", [None, False, True, ["counts"]])
def test_to_anndata_takes_the_layers_that_are_wanted_and_names_those_left_out(tmp_path, monkeypatch, layers):
    made = SimpleNamespace(AnnData=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "anndata", made)
    monkeypatch.setattr("cxg_widget.datasets.anndata.export.find_spec", lambda name: made)
    truth = truth_of("0.8")
    counts, others = truth.X * 3, np.hstack([truth.X, truth.X[:, :2]])
    labels = [*truth.var_labels, "only raw", "raw alone"]
    path = make_anndata(tmp_path, truth, layers={"counts": (counts, "csr")}, raw=(others, "csr", labels))
    rows = [1, 5, 17]
    with open_dataset(path) as dataset:
        session = Session(dataset)
        session.select(np.isin(np.arange(40), rows))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = session.selected.to_anndata(layers=layers)
        if layers is None:
            (one,) = said
            assert str(one.message) == (
                "to_anndata() leaves out layers 'counts', 'raw'; to_anndata(layers=True) includes them"
            )
            assert one.filename == __file__
        else:
            assert said == []
        with pytest.raises(UnknownName, match="no layer 'count'"):
            session.selected.to_anndata(layers=["count"])
        with pytest.raises(InvalidValue, match="layers must be True, False or a list of names; found 'counts'"):
            session.selected.to_anndata(layers="counts")
    assert list(found.layers) == (["counts"] if layers else [])
    if layers:
        np.testing.assert_array_equal(found.layers["counts"].toarray(), counts[rows])
    assert hasattr(found, "raw") == (layers is True)
    if layers is True:
        np.testing.assert_array_equal(found.raw["X"].toarray(), others[rows])
        assert found.raw["var"].index.tolist() == labels


def test_an_index_without_a_name_of_its_own_has_none_in_an_anndata_either(tmp_path, monkeypatch):
    made = SimpleNamespace(AnnData=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "anndata", made)
    monkeypatch.setattr("cxg_widget.datasets.anndata.export.find_spec", lambda name: made)
    with open_dataset(make_cxg(tmp_path / "small.cxg", truth_of("0.8"))) as dataset:
        assert dataset.obs([]).index.name == "cell"
        found = Session(dataset).selected.to_anndata()
    assert found.obs.index.name is None
    assert found.var.index.name is None


def test_opening_an_object_imports_neither_anndata_nor_h5py_nor_zarr():
    code = """
import sys, numpy as np, pandas as pd, scipy.sparse as sp
from types import SimpleNamespace as N
from cxg_widget.datasets import open_dataset
a = N(obs=pd.DataFrame(index=list("abc")), var=pd.DataFrame(index=["g"]), obsm={}, X=np.ones((3, 1)), n_obs=3)
print(open_dataset(a).values("g").tolist(), [m for m in ("anndata", "h5py", "zarr", "tiledb") if m in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[1.0, 1.0, 1.0] []"


def test_a_real_anndata_is_shown_and_cut():
    anndata = pytest.importorskip("anndata")
    truth = make_truth()
    like = stand_in(truth)
    layers = {"twice": like._X * 2}
    adata = anndata.AnnData(X=like._X, obs=like.obs, var=like.var, obsm=like.obsm, layers=layers)
    for source in (adata, adata[5:30]):
        with open_dataset(source) as dataset:
            assert dataset.layers == ("twice",)
            for position, name in enumerate(truth.var_labels):
                expected = truth.X[:, position] if source is adata else truth.X[5:30, position]
                np.testing.assert_array_equal(dataset.values(name), expected)


class Empty(StandIn):
    """An AnnData without X; what is cut from it has none either."""

    def __getitem__(self, key):
        return self


class EmptyFile(Empty):
    """One that is backed by a file, in which it looks for X when it is asked."""

    @property
    def X(self):
        raise KeyError("Unable to synchronously open object (object 'X' doesn't exist)")


@pytest.mark.parametrize("is_view", [False, True])
@pytest.mark.parametrize("kind", [Empty, EmptyFile])
def test_without_x_the_rest_is_there_and_genes_are_refused(kind, is_view):
    truth = make_truth()
    var = pd.DataFrame(index=truth.var_labels)
    layers = {"counts": sp.csr_matrix(truth.X)}
    adata = kind(None, truth.obs, var, {"X_umap": truth.embeddings["umap"]}, layers=layers, is_view=is_view)
    with open_dataset(adata) as dataset:
        assert dataset.layers == ("counts",)
        np.testing.assert_array_equal(dataset.embedding(), truth.embeddings["umap"].astype(np.float32))
        for ask in (lambda: dataset.values(truth.var_labels[0]), lambda: dataset.matrix_block(0, 3)):
            with pytest.raises(InvalidStore, match="this AnnData has no X; layers: counts"):
                ask()
