"""Parts of a dataset: cells by a query, genes by name; a run that was killed goes on where it was."""

from __future__ import annotations

import os
from dataclasses import replace

import h5py
import numpy as np
import pandas as pd
import pytest

from cxg_widget.cli.main import main
from cxg_widget.convert import convert, slice
from cxg_widget.datasets import open_dataset
from cxg_widget.errors import (
    InvalidOption,
    InvalidValue,
    SelectionError,
    StorageUnavailable,
    TargetNotWritten,
    UnknownName,
)
from cxg_widget.files.kept_folder import kept_folder
from tests.convert.conftest import assert_holds, truth_with
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_cxg
from tests.datasets.read_soma import truth_of, unpack

QUERY = "is_doublet and GENE1 > 0"
GENES = ["GENE5", "ENSG0001", "GENE9"]
STORES = ["cxg columns", "cxg sparse", "cxg dense", "h5ad csr", "h5ad csc"]


@pytest.fixture(scope="module")
def truth():
    return truth_with(0.1)


@pytest.fixture(scope="module")
def sources(tmp_path_factory, truth):
    made = {}

    def write(kind):
        if kind not in made:
            store, layout = kind.split()
            folder = tmp_path_factory.mktemp("sources")
            made[kind] = (
                make_cxg(folder / "source.cxg", truth, layout)
                if store == "cxg"
                else make_anndata(folder, truth, layout=layout)
            )
        return made[kind]

    return write


def part_of(truth, rows, positions):
    """Return some cells and genes, with the categories that are left."""
    obs = truth.obs[rows].copy()
    for name in obs.select_dtypes("category"):
        obs[name] = obs[name].cat.remove_unused_categories()
    return replace(
        truth,
        X=truth.X[rows][:, positions],
        obs=obs,
        var_labels=[truth.var_labels[one] for one in positions],
        aliases=[truth.aliases[one] for one in positions],
        embeddings={name: xy[rows] for name, xy in truth.embeddings.items()},
    )


def wanted(truth):
    rows = (truth.obs["is_doublet"] & (truth.X[:, truth.aliases.index("GENE1")] > 0)).to_numpy()
    return rows, [truth.var_labels.index("ENSG0001"), truth.aliases.index("GENE5"), truth.aliases.index("GENE9")]


@pytest.mark.parametrize("kind", STORES)
def test_a_slice_of_any_store_is_its_cells_and_genes(sources, truth, tmp_path, kind):
    rows, positions = wanted(truth)
    assert 0 < rows.sum() < len(rows) / 2
    done = convert(sources(kind), tmp_path / "part.cxg", where=QUERY, genes=GENES)
    assert (done.n_obs, done.n_var) == (rows.sum(), 3)
    with open_dataset(tmp_path / "part.cxg") as dataset:
        expected = part_of(truth, rows, sorted(positions))
        for position, name in enumerate(expected.var_labels):
            np.testing.assert_array_equal(dataset.values(name), expected.X[:, position], strict=True)
        found = dataset.obs()
        assert found.index.tolist() == expected.obs.index.tolist()
        for name in ("cell_type", "size", "n_genes", "donor", "is_doublet"):
            left = found[name].astype(expected.obs[name].dtype)
            pd.testing.assert_series_equal(left, expected.obs[name], check_names=False, check_index=False)
        for name, xy in expected.embeddings.items():
            np.testing.assert_array_equal(dataset.embedding(name), xy[:, :2].astype(np.float32))
    assert sorted(os.listdir(tmp_path)) == ["part.cxg"]


def test_all_cells_with_all_genes_are_the_dataset(sources, truth, tmp_path):
    convert(sources("cxg columns"), tmp_path / "whole.cxg", where="n_genes >= 0")
    with open_dataset(tmp_path / "whole.cxg") as dataset:
        assert_holds(dataset, part_of(truth, np.full(len(truth.obs), True), list(range(len(truth.var_labels)))))


@pytest.mark.parametrize("kind", ["cxg columns", "cxg dense", "h5ad csr"])
def test_categories_that_no_cell_has_are_left_out(sources, truth, tmp_path, kind):
    convert(sources(kind), tmp_path / "one.h5ad", where="cell_type == 'T cell'")
    with open_dataset(tmp_path / "one.h5ad") as dataset:
        assert dataset.codes("cell_type").categories == ("T cell",)
        assert dataset.n_obs == (truth.obs["cell_type"] == "T cell").sum()


def test_an_experiment_of_soma_is_cut_by_joinids_with_gaps(tmp_path):
    source, truth = unpack(tmp_path) / "gaps.soma", truth_of("gaps")
    convert(source, tmp_path / "part.cxg", where="cell_type in ['T cell', 'B cell']", genes=["GENE7", "GENE0"])
    rows = truth.obs["cell_type"].isin(["T cell", "B cell"]).to_numpy()
    with open_dataset(tmp_path / "part.cxg") as dataset:
        assert dataset.obs(["soma_joinid"])["soma_joinid"].tolist() == truth.obs["soma_joinid"][rows].tolist()
        for position in (0, 7):
            np.testing.assert_array_equal(dataset.values(f"GENE{position}"), truth.X[rows, position])
        np.testing.assert_array_equal(dataset.embedding("scvi"), truth.embeddings["scvi"][rows, :2])


def test_layers_of_a_slice_go_into_an_h5ad(tmp_path):
    source, truth = unpack(tmp_path) / "whole.soma", truth_of("whole")
    convert(source, tmp_path / "part.h5ad", genes=["GENE7", "GENE0"])
    with open_dataset(tmp_path / "part.h5ad") as dataset:
        np.testing.assert_array_equal(dataset.values("GENE7"), truth.X[:, 7])
        np.testing.assert_array_equal(dataset.values("GENE7", "counts"), truth.X[:, 7] * 2)


class Counted:
    """The rows of the matrix that are read of a source."""

    def __init__(self, monkeypatch, dataset):
        self.n_rows = 0
        read = dataset._read_rows

        def counted(rows, layer):
            self.n_rows += len(rows)
            return read(rows, layer)

        monkeypatch.setattr(dataset, "_read_rows", counted)


def kept_of(folder):
    return [one for one in folder.iterdir() if one.name.endswith(".resume")]


@pytest.fixture
def in_steps(monkeypatch):
    monkeypatch.setattr(slice, "_STEP_BYTES", 1000)


@pytest.mark.usefixtures("in_steps")
@pytest.mark.parametrize("damage", ["none", "values after the last note", "note lost"])
def test_a_run_that_was_stopped_goes_on_where_it_was(sources, truth, tmp_path, monkeypatch, damage):
    def stop(what, part):
        if what == "fetching" and part > 0.25:
            raise KeyboardInterrupt

    options = {"where": "n_genes > 100", "progress": stop}
    expected = (truth.obs["n_genes"] > 100).to_numpy()
    with pytest.raises(KeyboardInterrupt):
        convert(sources("h5ad csr"), tmp_path / "part.cxg", **options)
    [kept] = kept_of(tmp_path)
    assert not (tmp_path / "part.cxg").exists()
    if damage == "values after the last note":
        with (kept / "obs-0" / "values").open("ab") as file:
            file.write(b"half of a wri")
    elif damage == "note lost":
        (kept / "obs-0" / "state.json").write_text("{")
    with open_dataset(sources("h5ad csr")) as dataset:
        counted = Counted(monkeypatch, dataset)
        convert(dataset, tmp_path / "part.cxg", where=options["where"])
    n = expected.sum()
    assert counted.n_rows == n if damage == "note lost" else 0 < counted.n_rows < 0.6 * n
    with open_dataset(tmp_path / "part.cxg") as found:
        for position, name in enumerate(truth.var_labels):
            np.testing.assert_array_equal(found.values(name), truth.X[expected, position])
    assert kept_of(tmp_path) == []


@pytest.mark.usefixtures("in_steps")
def test_what_was_kept_of_another_question_is_not_used(sources, truth, tmp_path):
    def stop(what, part):
        if part > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        convert(sources("h5ad csr"), tmp_path / "part.cxg", where="n_genes > 100", progress=stop)
    convert(sources("h5ad csr"), tmp_path / "part.cxg", where="n_genes > 200")
    with open_dataset(tmp_path / "part.cxg") as found:
        assert found.n_obs == (truth.obs["n_genes"] > 200).sum()
    assert sorted(os.listdir(tmp_path)) == ["part.cxg"]


@pytest.mark.usefixtures("in_steps")
@pytest.mark.parametrize(("error", "is_kept"), [(StorageUnavailable("cut"), True), (OSError("disk"), False)])
def test_only_what_another_run_can_use_is_kept(sources, tmp_path, error, is_kept):
    def fail(what, part):
        if what == "fetching" and part > 0.2:
            raise error

    with pytest.raises(type(error)):
        convert(sources("h5ad csr"), tmp_path / "part.cxg", where="n_genes > 100", progress=fail)
    assert len(kept_of(tmp_path)) == is_kept


def test_a_second_writer_of_the_same_is_refused(tmp_path):
    with kept_folder(tmp_path / "a.cxg", "key"):
        with (
            pytest.raises(TargetNotWritten, match="another process is writing it"),
            kept_folder(tmp_path / "a.cxg", "key"),
        ):
            pass
        with kept_folder(tmp_path / "a.cxg", "other key"):
            assert len(kept_of(tmp_path)) == 2
    assert kept_of(tmp_path) == []


def test_nothing_is_written_through_a_link(tmp_path):
    with kept_folder(tmp_path / "a.cxg", "key") as folder:
        name = folder.name
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TargetNotWritten), kept_folder(tmp_path / "a.cxg", "key"):
        pass
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_genes_come_from_a_file_and_embeddings_from_columns_and_files(sources, truth, tmp_path, capsys):
    (tmp_path / "genes.txt").write_text("GENE3\n\nGENE1\nGENE3\n")
    names = truth.obs.index[::-1]
    table = pd.DataFrame({"x": np.arange(len(names)), "y": -1.5, "note": "a"}, index=names).iloc[5:]
    table.to_csv(tmp_path / "mine.csv")
    arguments = ["convert", str(sources("cxg sparse")), str(tmp_path / "part.cxg"), "--where", "n_genes > 100"]
    arguments += ["--genes", str(tmp_path / "genes.txt"), "--embedding", "qc=n_genes,GENE1"]
    assert main([*arguments, "--embedding", str(tmp_path / "mine.csv")]) == 0
    assert "are not in 'mine.csv'" in capsys.readouterr().out
    rows = (truth.obs["n_genes"] > 100).to_numpy()
    with open_dataset(tmp_path / "part.cxg") as dataset:
        assert list(dataset.var_aliases or ()) == ["GENE1", "GENE3"]
        qc = np.column_stack([truth.obs["n_genes"], truth.X[:, truth.aliases.index("GENE1")]])[rows]
        np.testing.assert_array_equal(dataset.embedding("qc"), qc.astype(np.float32))
        expected = table.reindex(truth.obs.index[rows])[["x", "y"]].to_numpy(dtype=np.float32)
        np.testing.assert_array_equal(dataset.embedding("mine"), expected)


WRONG = {
    "no cell": ({"where": "n_genes < -5"}, SelectionError, r"no cell of .* meets 'n_genes < -5'"),
    "no column": ({"where": "n_gene > 5"}, UnknownName, "Did you mean 'n_genes'"),
    "no query": ({"where": "n_genes >"}, SelectionError, "query"),
    "no gene": ({"genes": ["GENE1", "GENE33", "NOGENE"]}, UnknownName, r"GENE33.* 2 of 3 names are none"),
    "no genes": ({"genes": []}, InvalidValue, "names no gene"),
    "no name": ({"genes": [1]}, InvalidOption, "list of names"),
    "no file": ({"genes": "GENE1"}, InvalidOption, r"genes=\['GENE1'\]"),
    "no axes": ({"embeddings": {"a": ("n_genes", "n_gene")}}, UnknownName, "n_gene"),
    "three axes": ({"embeddings": {"a": ("n_genes", "GENE1", "x")}}, InvalidOption, "two names"),
    "taken": ({"embeddings": {"umap": ("n_genes", "GENE1")}}, InvalidValue, "choose another name"),
    "no table": ({"embeddings": {"a": "none.csv"}}, InvalidOption, "cannot be read as a .csv"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_meant_is_said_before_anything_is_written(sources, tmp_path, case):
    options, error, sentence = WRONG[case]
    with pytest.raises(error, match=sentence):
        convert(sources("cxg columns"), tmp_path / "part.cxg", **options)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("layout", ["csr", "csc"])
def test_raw_of_a_slice_has_the_genes_of_x_by_their_names(tmp_path, truth, layout):
    path = make_anndata(tmp_path, truth, layout=layout)
    with h5py.File(path, "r+") as file:
        file.copy("X", file.create_group("raw"), "X")
        file.copy("var", file["raw"], "var")
        index = file["raw/var"].attrs["_index"]
        file[f"raw/var/{index}"][...] = np.array(truth.var_labels, dtype=object)[::-1]  # in another order than var
    rows, positions = wanted(truth)
    made = convert(path, tmp_path / "raw.cxg", where=QUERY, genes=GENES, layer="raw")
    with open_dataset(made.target) as dataset:
        for position in positions:
            expected = truth.X[rows, len(truth.var_labels) - 1 - position]
            np.testing.assert_array_equal(dataset.values(truth.var_labels[position]), expected)
