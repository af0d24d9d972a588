"""MuData as one dataset: names, layers, comparisons of one modality, what is refused, what becomes of it elsewhere."""

from __future__ import annotations

import json
import shutil

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.cli.main import main
from cxg_widget.convert.conversion import convert
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.anndata.h5 import H5Array
from cxg_widget.display.search import Catalogue
from cxg_widget.errors import InvalidOption, InvalidStore, UnknownName
from tests.datasets.test_mudata_contract import in_memory, truth_of, unpacked


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path, stored = unpacked(tmp_path_factory.mktemp("written"), "0.4 csr.h5mu")
    return path, stored, truth_of(stored)


@pytest.fixture(scope="module")
def dataset(written):
    with open_dataset(written[0]) as dataset:
        yield dataset


@pytest.fixture
def widget(written):
    widget = CxgWidget(written[0], restore=False)
    yield widget
    widget.close()


@pytest.fixture
def damaged(written, tmp_path):
    return shutil.copy(written[0], tmp_path / "damaged.h5mu")


@pytest.mark.parametrize("name", ["rna:CD3E", "CD3E", "rna:ENSG00012", "ENSG00012"])
def test_a_gene_is_found_by_label_and_identifier_with_its_modality_and_without(dataset, name):
    assert dataset.var_labels[dataset.find_var(name)] == "rna:CD3E"


def test_a_bare_name_of_two_modalities_is_refused_with_both(dataset, widget):
    for refused in (lambda: dataset.values("CD4"), lambda: setattr(widget, "color", "CD4")):
        with pytest.raises(UnknownName, match="'CD4' is in the modalities rna and adt; name one: 'rna:CD4'"):
            refused()


def test_search_finds_a_gene_by_either_form(dataset):
    for query, color in (("rna:CD3E", "CD3E"), ("cd3e", "CD3E"), ("adt:CD4", "adt:CD4"), ("CD19", "CD19")):
        catalogue = Catalogue(dataset)
        assert color in [catalogue.describe(one)["color"] for one in catalogue.find(query)[0]]


def test_raw_of_a_modality_is_a_layer_with_its_own_genes(dataset, written):
    stored = written[1]
    names = stored["raw_names"].tolist()
    assert [*dataset.names_in("rna:raw").var_labels] == [f"rna:{name}" for name in names]
    np.testing.assert_allclose(
        dataset.values("rna:GENE1", "rna:raw"), stored["raw"][:, names.index("GENE1")], rtol=1e-6
    )
    with pytest.raises(UnknownName, match="GENE1"):
        dataset.find_var("rna:GENE1")


def test_colors_and_the_first_coloring_are_those_of_a_modality(dataset, widget):
    assert dataset.category_colors("rna:cell_type") == {"T cell": "#ff0000", "B cell": "#00ff00", "NK cell": "#0000ff"}
    assert widget.color == "rna:cell_type"
    assert widget.embedding == "rna:umap"
    np.testing.assert_array_equal(dataset.embedding("rna:X_umap"), dataset.embedding("rna:umap"))


@pytest.mark.parametrize("layer", [None, "counts", "adt:counts"])
@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
def test_comparing_one_modality_tests_its_genes_in_the_cells_that_have_it(widget, written, layer, method):
    found = widget.compare({"rna:cell_type": "NK cell"}, modality="adt", layer=layer, method=method).frame()
    values = written[1]["X"][:, written[1]["modality"] == "adt"] if layer is None else written[1]["layer adt:counts"]
    in_a = (written[2].obs["rna:cell_type"] == "NK cell").to_numpy()
    has = ~np.isnan(values[:, 0])
    sentence = str(widget.compare({"rna:cell_type": "NK cell"}, modality="adt").description)
    assert sentence.endswith("among the 36 of 48 cells that have adt")
    assert sorted(found.index) == ["adt:CD19", "adt:CD3", "adt:CD4", "adt:CD8", "adt:IgG"]
    for position, name in enumerate(["adt:CD3", "adt:CD4", "adt:CD8", "adt:CD19", "adt:IgG"]):
        a, b = (values[mask & has, position].astype(np.float32) for mask in (in_a, ~in_a))
        assert (found.n_a[name], found.n_b[name]) == (len(a), len(b))
        expected = (
            stats.ttest_ind(a, b, equal_var=False).pvalue
            if method == "t-test"
            else stats.mannwhitneyu(a, b, use_continuity=False, method="asymptotic").pvalue
        )
        np.testing.assert_allclose(found.p[name], expected, rtol=1e-5)


def test_markers_of_one_modality_are_what_its_own_dataset_gives_without_cells_that_it_lacks(widget, written):
    found = widget.markers(by="rna:cell_type", modality="rna").frame()
    alone = CxgWidget(written[0], key="rna", restore=False)
    expected = alone.markers(by="cell_type").frame()
    alone.close()
    expected.index = pd.MultiIndex.from_tuples([(group, f"rna:{gene}") for group, gene in expected.index])
    pd.testing.assert_frame_equal(found.loc[expected.index], expected, check_names=False)


def test_of_all_modalities_only_scaled_ones_have_no_fold_change(widget):
    found = widget.compare({"rna:cell_type": "NK cell"})
    frame = found.frame()
    assert len(frame) == 17
    assert frame.log2fc.isna().tolist() == frame.index.str.startswith("adt:").tolist()
    assert any("in rna log1p values" in note and "in adt scaled values" in note for note in found.notes)
    assert "log2fc is NaN for 5 genes whose values are scaled." in found.notes
    one = widget.compare({"rna:cell_type": "NK cell"}, modality="rna").frame()
    pd.testing.assert_series_equal(frame.log2fc.loc[one.index], one.log2fc)


def test_the_cells_that_count_are_those_meant_which_have_the_modality(widget, written):
    widget.filter("order > 60")
    noted = widget.compare({"rna:cell_type": "NK cell"}, modality="adt")
    assert any("Filters do not apply here" in note for note in noted.notes)
    found = widget.compare({"rna:cell_type": "NK cell"}, modality="adt", within="filter")
    counting = (written[2].obs["order"] > 60).to_numpy() & ~np.isnan(written[2].X[:, -1])
    assert found.description.endswith(f"the {counting.sum()} of 48 cells that pass the filters and have adt")
    in_a = (written[2].obs["rna:cell_type"] == "NK cell").to_numpy()
    assert set(found.frame().n_a) == {(in_a & counting).sum()}


def test_donors_count_the_cells_that_have_the_modality(widget, written):
    found = widget.compare(
        {"rna:cell_type": "NK cell"}, modality="rna", layer="counts", method="pseudobulk", by="donor", min_cells=1,
        min_donors=2,
    )  # fmt: skip
    counts, obs = written[1]["layer rna:counts"], written[2].obs
    has = ~np.isnan(counts[:, 0])
    side = np.where(obs["rna:cell_type"] == "NK cell", "a", "b")[has]
    expected = pd.Series(counts[has].sum(axis=1)).groupby([obs["donor"].astype(str).to_numpy()[has], side])
    for row in found.donors.itertuples():
        assert row.n_cells == expected.size()[row.donor, row.side]
        assert row.total == expected.sum()[row.donor, row.side]


def test_genes_of_one_modality_are_compared_in_it(widget):
    named = widget.compare({"rna:cell_type": "NK cell"}, genes=["CD3E", "rna:CD4"])
    whole = widget.compare({"rna:cell_type": "NK cell"}, modality="rna", genes=["CD3E", "rna:CD4"])
    pd.testing.assert_frame_equal(named.frame(), whole.frame())
    assert named.notes == whole.notes


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"normalize": "log1p_10k"}, InvalidOption, "modality='rna', or 'adt'"),
        ({"modality": "atac"}, UnknownName, "no modality 'atac'.*'rna', 'adt'"),
        ({"modality": "rna", "layer": "spliced"}, UnknownName, "no layer 'rna:spliced'"),
    ],
)
def test_a_modality_that_is_not_there_or_not_named_is_refused(widget, options, error, match):
    with pytest.raises(error, match=match):
        widget.compare({"rna:cell_type": "NK cell"}, **options)


def test_modality_is_for_mudata_alone(written):
    widget = CxgWidget(written[0], key="rna", restore=False)
    with pytest.raises(InvalidOption, match="modality='rna' is for MuData"):
        widget.compare({"cell_type": "NK cell"}, modality="rna")
    widget.close()


def test_a_dot_plot_takes_genes_of_several_modalities(widget, written):
    found = widget.dotplot(["CD3E", "CD3"], "rna:cell_type").frame()["mean"]
    truth = written[2]
    values = pd.DataFrame({name: truth.X[:, truth.aliases.index(name)] for name in ("CD3E", "CD3")}, truth.obs.index)
    expected = values.groupby(truth.obs["rna:cell_type"].to_numpy()).mean()
    np.testing.assert_allclose(found.loc[expected.index], expected, rtol=1e-6)


def test_modalities_that_share_genes_are_refused_with_the_call_that_opens_one(tmp_path):
    path, _ = unpacked(tmp_path, "0.4 axis1.h5mu")
    with pytest.raises(InvalidStore, match=r"share genes \(axis=1\).*open_dataset\('.*', key='early'\), or 'late'"):
        open_dataset(path)
    with open_dataset(path, key="late") as late:
        assert late.n_obs == 20


def test_a_map_that_names_a_row_twice_is_refused_when_it_is_read(damaged):
    with h5py.File(damaged, "r+") as file:
        file["obsmap/adt"][-1] = file["obsmap/adt"][-2]
    with open_dataset(damaged) as dataset:
        dataset.values("rna:CD3E")
        with pytest.raises(InvalidStore, match="obsmap/adt does not name each of 36 rows exactly once"):
            dataset.values("adt:CD3")


def test_without_maps_cells_are_found_by_their_names(damaged, written):
    with h5py.File(damaged, "r+") as file:
        del file["obsmap"], file["varmap"]
    with open_dataset(damaged) as dataset:
        for name in ("rna:CD3E", "adt:CD3"):
            expected = written[2].X[:, written[2].var_labels.index(name)]
            np.testing.assert_array_equal(dataset.values(name), expected)


def test_a_modality_that_cannot_be_opened_is_left_out_with_a_note(damaged):
    with h5py.File(damaged, "r+") as file:
        del file["mod/adt/var"]
    with open_dataset(damaged) as dataset:
        assert dataset.modalities == ("rna",)
        assert any("modality 'adt' is left out" in note for note in dataset.notes)


def test_one_modality_of_an_object_opens_by_its_name(written):
    mdata = in_memory(written[1])
    with open_dataset(mdata, key="adt") as alone:
        assert alone.n_var == 5
    with pytest.raises(UnknownName, match="'rna', 'adt'"):
        open_dataset(mdata, key="atac")
    mdata.axis = -1
    with pytest.raises(InvalidStore, match=r"open_dataset\(mdata, key='rna'\)"):
        open_dataset(mdata)


def test_names_of_modalities_may_have_a_colon_and_begin_with_one_another(written, damaged):
    def renamed(parts):
        return {"rna:v3" if name == "adt" else name: part for name, part in parts.items()}

    mdata = in_memory(written[1])
    mdata.mod, mdata.obsmap, mdata.varmap = map(renamed, (mdata.mod, mdata.obsmap, mdata.varmap))
    with h5py.File(damaged, "r+") as file:
        for group in ("mod", "obsmap", "varmap", "obsm", "varm"):
            file.move(f"{group}/adt", f"{group}/rna:v3")
    for source in (mdata, damaged):
        widget = CxgWidget(source, restore=False)
        dataset, truth = widget.dataset, written[2]
        for number, label in enumerate(truth.var_labels):
            name = label.replace("adt:", "rna:v3:")
            assert dataset.find_var(name) == dataset.var_labels.index(name)
            np.testing.assert_allclose(dataset.values(name), truth.X[:, number], rtol=1e-6)
        found = widget.compare({"rna:cell_type": "T cell"}, genes=["rna:v3:CD3", "rna:v3:CD8"]).frame()
        assert sorted(found.index) == ["rna:v3:CD3", "rna:v3:CD8"]
        widget.close()


def test_mudata_within_mudata_is_left_out_with_a_note(written):
    mdata = in_memory(written[1])
    mdata.mod["both"] = in_memory(written[1])
    with open_dataset(mdata) as dataset:
        assert dataset.modalities == ("rna", "adt")
        assert "modality 'both' is left out: it is not AnnData." in dataset.notes
    mdata.mod = {"both": mdata.mod["both"]}
    with pytest.raises(InvalidOption, match=r"no modality that is AnnData; open_dataset\(mdata.mod\['rna'\]\)"):
        open_dataset(mdata)


@pytest.mark.parametrize("suffix", ["cxg", "h5ad"])
def test_converted_it_has_the_genes_of_all_modalities_side_by_side(written, tmp_path, suffix):
    path, _, truth = written
    made = convert(path, tmp_path / f"joint.{suffix}")
    assert any("rna lacks 8 of 48 cells" in one for one in made.left_out)
    assert not any("rna:X" in one for one in made.left_out)
    with open_dataset(made.target) as dataset:
        assert list(dataset.var_labels) == truth.var_labels
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(name), truth.X[:, position])
        np.testing.assert_array_equal(dataset.embedding("adt:umap"), truth.embeddings["adt:umap"][:, :2].astype("f4"))
        assert dataset.obs()["rna:cell_type"].astype(object).tolist()[:5] == truth.obs["rna:cell_type"].tolist()[:5]


def test_a_slice_has_the_chosen_cells_and_genes_of_all_modalities_and_no_layer_of_one(written, tmp_path):
    path, _, truth = written
    made = convert(path, tmp_path / "part.h5ad", where="donor == 'D1'", genes=["rna:CD3E", "CD8"])
    rows = (truth.obs["donor"] == "D1").to_numpy()
    with open_dataset(made.target) as dataset:
        assert (list(dataset.var_labels), dataset.layers) == (["rna:CD3E", "adt:CD8"], ())
        for name in dataset.var_labels:
            np.testing.assert_array_equal(dataset.values(name), truth.X[rows, truth.var_labels.index(name)])


def test_a_layer_of_one_modality_is_no_matrix_of_all(written, tmp_path):
    with pytest.raises(InvalidStore, match="open it with key='rna', layer='counts'"):
        convert(written[0], tmp_path / "counts.cxg", layer="rna:counts")


def test_inspect_lists_the_modalities(written, capsys):
    main(["inspect", str(written[0])])
    text = capsys.readouterr().out
    assert "36 obs x 5 var, X dense float32, layers counts" in text
    main(["inspect", str(written[0]), "--json"])
    assert json.loads(capsys.readouterr().out)["details"]["modalities"]["adt"]["n_obs"] == 36


def test_one_gene_reads_one_modality(written, monkeypatch):
    paths, read, ranges = [], H5Array.read, H5Array.read_ranges
    monkeypatch.setattr(H5Array, "read", lambda self, *keys: (paths.append(self.path), read(self, *keys))[1])
    monkeypatch.setattr(H5Array, "read_ranges", lambda self, these: (paths.append(self.path), ranges(self, these))[1])
    with open_dataset(written[0]) as dataset:
        dataset.read_names()
        paths.clear()
        dataset.values("adt:CD3")
    assert "mod/adt/X" in paths
    assert [path for path in paths if not path.startswith(("mod/adt/", "obsmap/"))] == []
