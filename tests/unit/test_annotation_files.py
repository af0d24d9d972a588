"""Laws of annotations in files: they come back equal, what was there stays whole, and other labels are a question."""

import errno
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.annotations import h5ad as into_h5ad
from cxg_widget.convert import convert
from cxg_widget.datasets.anndata.memory import AnnDataInMemory
from cxg_widget.datasets.cxg import writer
from cxg_widget.errors import (
    CxgWidgetError,
    InvalidOption,
    InvalidStore,
    InvalidValue,
    MergeConflict,
    MissingDependency,
    SelectionError,
    TargetExists,
    TargetNotWritten,
)
from cxg_widget.files import writing
from tests.memory import small

SUFFIXES = [".parquet", ".csv", ".cxg"]
LABELS = ["zebra", "B cell, γδ", "NA", "#1", '"quoted"\nline']


def labelled(widget, name="mine", seed=0):
    """Make an annotation of all labels, one of which no cell has, and some cells without one."""
    rng, n = np.random.default_rng(seed), widget.dataset.n_obs
    note = widget.annotations.new(name)
    for label in LABELS:
        note.assign(label, rng.random(n) < 0.3)
    note.assign("unused", np.zeros(n, dtype=bool))
    return note


def adata_of(n=50, **obs):
    frame = pd.DataFrame({"n": np.arange(n), **obs}, index=pd.Index([f"cell {i}" for i in range(n)], name="cell_id"))
    xy = {"X_umap": np.random.default_rng(0).normal(size=(n, 2))}
    return SimpleNamespace(
        n_obs=n,
        n_vars=1,
        obs=frame,
        var=pd.DataFrame(index=["A"]),
        X=np.ones((n, 1), dtype=np.float32),
        obsm=xy,
        uns={},
        layers={},
    )


def without_path(identity):
    return hashlib.sha256(identity.encode()).hexdigest()[:32]


def content(path):
    """Return all files below a folder, or a file, with what is in them."""
    return {one: one.read_bytes() for one in (path, *path.rglob("*")) if one.is_file()}


@pytest.fixture
def h5ad(tmp_path, widget):
    path = tmp_path / "data.h5ad"
    convert(widget.dataset, path, progress=False)
    return path


def texts(series):
    return [None if pd.isna(one) else one for one in series.astype(object)]


def assert_same_labels(found, truth):
    assert found.dtype == "category"
    assert found.cat.categories.tolist() == truth.cat.categories.tolist()
    assert texts(found) == texts(truth)
    assert found.index.tolist() == truth.index.tolist()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_sidecar_comes_back_to_pandas_and_to_another_widget_with_order_and_missing(suffix, widget, tmp_path):
    pytest.importorskip("pyarrow") if suffix == ".parquet" else None
    truth, path = labelled(widget).series(), tmp_path / f"a{suffix}"
    widget.annotations.save(path)
    if suffix == ".cxg":
        with tiledb.open(str(path / "obs")) as array:
            told = json.loads(array.meta["cxg_widget"])
    elif suffix == ".parquet":
        assert_same_labels(pd.read_parquet(path)["mine"], truth)
        told = pd.read_parquet(path).attrs["cxg_widget"]
    else:
        told = json.loads(path.read_text("utf-8").splitlines()[0][2:])["cxg_widget"]
        plain = pd.read_csv(path, skiprows=1, index_col=0, keep_default_na=False, na_values=[""])["mine"]
        assert texts(plain) == texts(truth)
    assert (told["identity"], told["n_obs"]) == (without_path(widget.dataset.identity), 1000)
    other = CxgWidget(widget.dataset, annotations=path)
    assert_same_labels(other.annotations["mine"].series(), truth)
    other.state = json.loads(json.dumps(other.state))
    assert_same_labels(other.annotations["mine"].series(), truth)
    other.close()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_sidecar_of_another_dataset_is_told_and_its_cells_are_found_by_name(suffix, widget, tmp_path):
    truth, path = labelled(widget).series(), tmp_path / f"a{suffix}"
    widget.annotations["mine"].save(path)
    larger = CxgWidget(small(1500))
    with pytest.warns(UserWarning, match="another dataset.* 1,000 of 1,500 cells are in it"):
        assert larger.annotations.load(path) == ["mine"]
    found = larger.annotations["mine"].series()
    assert_same_labels(found[:1000], truth)
    assert found[1000:].isna().all()
    larger.close()
    strange = adata_of()
    strange.obs.index = [f"x{i}" for i in range(50)]
    other = CxgWidget(strange)
    with pytest.raises(InvalidValue, match="holds none of these cells"):
        other.annotations.load(path)
    assert not other.annotations
    other.close()


HOSTILE = ["#c1", "", "NA", "nan", "1", "01", "1.0", "a,b", 'q"q', "x\ny", "x\ry", " é ", "None", "<NA>", "\ufeff"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("index", ["cell_id", "#id"])
def test_names_of_cells_and_labels_of_any_letters_come_back_in_their_order(index, suffix, monkeypatch, tmp_path):
    data = small(len(HOSTILE))
    data._obs[index], data.obs_index = np.array(HOSTILE, dtype=object), index
    widget = CxgWidget(data)
    note, path = widget.annotations.new('#m, "x"'), tmp_path / f"a{suffix}"
    for row, label in enumerate(["b", "NA", *HOSTILE[4:], "a\r"]):
        note.assign(label, [row % len(HOSTILE)])
    truth = note.series()
    assert truth.index.tolist() == HOSTILE
    for _ in range(2):  # over itself, which is no conflict
        widget.annotations.save(path)
    del widget.annotations['#m, "x"']
    assert widget.annotations.load(path) == ['#m, "x"']
    assert_same_labels(note.series(), truth)
    widget.close()


def test_a_file_of_a_stranger_is_refused_in_a_sentence_or_read_and_what_was_read_can_be_kept(widget, tmp_path):
    path = tmp_path / "a.csv"
    for said in (
        5,
        {"categories": 7},
        {"categories": {"m": 5}},
        {"categories": {"m": [[["x"]], True]}},
        {"identity": 5},
    ):
        path.write_text(f"# {json.dumps({'cxg_widget': said})}\nindex,m\ncell 1,x\n", "utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            widget.annotations.load(path)
        assert widget.annotations["m"].series().dropna().to_dict() == {"cell 1": "x"}
        widget.state = json.loads(json.dumps(widget.state))
    path.write_text(f"index,m\ncell 1,{'x' * 500}\n", "utf-8")  # which no state could hold
    (tmp_path / "folder.csv").mkdir()
    note = widget.annotations["m"]
    for act in (
        lambda: widget.annotations.load(path), lambda: widget.annotations.load(7), lambda: note.save(7),
        lambda: note.save(tmp_path / "folder.csv"),
    ):  # fmt: skip
        with pytest.raises(CxgWidgetError):
            act()
    assert note.labels == ["x"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_saved_labels_do_not_hold_the_path_of_their_dataset_and_tell_it_from_another(h5ad, tmp_path, suffix):
    folder = tmp_path / "private_folder"
    folder.mkdir()
    path, shared = folder / "data.cxg", tmp_path / f"shared{suffix}"
    convert(h5ad, path, progress=False)
    first, again, other = CxgWidget(path), CxgWidget(path), CxgWidget(h5ad)
    first.annotations.new("mine").assign("some", np.arange(9))
    first.annotations.save(shared)
    assert "private_folder" in first.dataset.obs_identity
    assert not any(b"private_folder" in one for one in content(shared).values())
    if suffix == ".csv":
        assert pd.read_csv(shared, comment="#", index_col=0)["mine"].eq("some").sum() == 9
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        again.annotations.load(shared)
    with pytest.warns(UserWarning, match="saved from another dataset"):
        other.annotations.load(shared)
    for widget in (first, again, other):
        widget.close()


def test_a_csv_of_far_more_columns_than_annotations_is_refused_by_its_first_row(widget, tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    monkeypatch.setattr(pd, "read_csv", lambda *_, **__: pytest.fail("pandas takes minutes to tell the names apart"))
    for comments in ("", "# a comment\n", '# {"cxg_widget": {}}\n'):
        path.write_text(comments + "index" + ",a" * 200_000 + "\n", "utf-8")
        with pytest.raises(CxgWidgetError, match=r"it has 200,000 columns, and annotations at most 100"):
            widget.annotations.load(path)


def test_a_state_comes_back_over_the_file_that_its_labels_were_saved_into(h5ad):
    first = CxgWidget(h5ad)
    note = first.annotations.new("mine", of="cell_type")
    note.assign("doublet", {"is_doublet": True})
    first.color, first.filters["mine"] = "mine", note.labels[:1]
    note.save(into=h5ad)
    state, truth, passing = json.loads(json.dumps(first.state)), note.series(), first.filters.mask
    note.assign("another", {"cell_type": "T cell"})
    other = first.state
    first.close()
    with pytest.warns(UserWarning, match=r"'mine' is now an obs column of .*of='mine'\) makes"):
        again = CxgWidget(h5ad, **state)
    assert (again.color, list(again.annotations)) == ("mine", [])
    np.testing.assert_array_equal(again.filters.mask, passing)
    assert texts(again.dataset.obs(["mine"])["mine"]) == texts(truth)
    assert_same_labels(again.annotations.new("next", of="mine").series().rename("mine"), truth)
    again.close()
    with pytest.raises(InvalidValue, match="'mine' is an obs column already"):
        CxgWidget(h5ad, **other)


@pytest.mark.parametrize("names", ["by name", "by number"])
def test_cells_given_by_a_mask_come_back_over_the_file_that_labels_were_saved_into(names, tmp_path):
    data, path = small(1000), tmp_path / "data.h5ad"
    if names == "by number":
        data._obs["cell_id"] = np.array([str(row) for row in range(1000)], dtype=object)
    convert(data, path, progress=False)
    mask = np.arange(1000) % 7 == 0
    first = CxgWidget(path)
    of_t = np.asarray(first.dataset.obs(["cell_type"])["cell_type"] == "T cell")
    first.sets["some"] = mask
    note = first.annotations.new("mine")
    note.assign("T", {"cell_type": "T cell"})
    first.select(mask)
    first.select({"mine": "T"}, mode="subtract")
    note.assign("rest")
    note.save(into=path)
    first.sets["later"] = ~mask  # whose cells are told from others after the file was written
    state = json.loads(json.dumps(first.state))
    first.close()
    with pytest.warns(UserWarning, match="'mine' is now an obs column of"):
        again = CxgWidget(path, **state)
    np.testing.assert_array_equal(again.sets["some"].mask, mask)
    np.testing.assert_array_equal(again.sets["later"].mask, ~mask)
    truth = np.where(of_t, "T", np.where(mask, "rest", None))
    assert texts(again.dataset.obs(["mine"])["mine"]) == truth.tolist()
    again.close()


@pytest.mark.parametrize("names", ["by name", "by number"])
def test_rows_fit_neither_other_cells_at_the_same_path_nor_the_same_names_at_another(names, tmp_path):
    path, other = tmp_path / "data.h5ad", tmp_path / "other.h5ad"
    data = [small(100), small(100, seed=1)]
    if names == "by name":
        data[1]._obs["cell_id"] = data[1]._obs["cell_id"][::-1].copy()
    else:
        for one in data:
            one._obs["cell_id"] = np.array([str(row) for row in range(100)], dtype=object)
    convert(data[0], path, progress=False)
    widget = CxgWidget(path)
    rule = widget.sets.add("a", [1, 2]).rule
    widget.close()
    shutil.copyfile(path, other)
    path.unlink()
    convert(data[1], path, progress=False)
    for one in (path, other):
        again = CxgWidget(one)
        with pytest.raises(SelectionError, match="another dataset"):
            again.sets.apply(rule)
        again.close()


def test_rows_that_were_packed_before_cells_were_known_by_their_names_fit_the_file_that_is_unchanged(h5ad):
    widget, mask = CxgWidget(h5ad), np.arange(1000) < 5
    rule = {**widget.sets.add("a", mask).rule, "identity": widget.dataset.identity}
    np.testing.assert_array_equal(widget.sets.apply(rule).mask, mask)
    widget.close()


def test_labels_in_obs_are_of_the_same_type_however_often_they_are_saved(widget):
    adata = adata_of()
    shown = CxgWidget(adata)
    note = shown.annotations.new("mine")
    for label in ("b", "a"):
        note.assign(label, [len(note.labels)])
        shown.annotations.save(into="obs", on_conflict="ours")
        shown.annotations.save(into="obs")
        pd.testing.assert_series_equal(adata.obs["mine"], note.series(), check_names=False, check_index=False)
    shown.close()


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_of_no_cells_sets_and_labels_are_empty_and_saved_but_not_as_a_cxg(suffix, tmp_path):
    widget = CxgWidget(small(0))
    assert [len(one) for one in (widget.sets.add("a", []), ~widget.sets["a"])] == [0, 0]
    truth = widget.annotations.new("m", of="cell_type").series()
    widget.annotations.save(tmp_path / f"a{suffix}")
    widget.annotations.load(tmp_path / f"a{suffix}")
    assert_same_labels(widget.annotations["m"].series(), truth)
    with pytest.raises(InvalidValue, match="a CXG needs at least one cell"):
        widget.annotations.save(tmp_path / "a.cxg")
    assert [one.name for one in tmp_path.iterdir()] == [f"a{suffix}"]
    widget.close()


def test_what_cellxgene_wrote_is_read(widget, tmp_path):
    path = tmp_path / "cell-labels.csv"
    path.write_text("# Annotations generated on 2021-01-01 using cellxgene\nindex,kind\ncell 0,T\ncell 7,NK\n")
    widget.annotations.load(path)
    assert widget.annotations["kind"].series().dropna().to_dict() == {"cell 0": "T", "cell 7": "NK"}


@pytest.mark.parametrize("way", ["error", "ours", "theirs"])
@pytest.mark.parametrize("suffix", [*SUFFIXES, ".h5ad", "obs"])
def test_equal_labels_leave_what_is_there_as_it_is(suffix, way, tmp_path):
    values = np.array(["b", "a", None] * 10, dtype=object)
    stored = pd.Categorical(values, categories=["b", "unused", "a"], ordered=True)
    adata, path = adata_of(30, mine=stored), tmp_path / f"a{suffix}"
    first = CxgWidget(adata)
    if suffix == ".h5ad":
        convert(first.dataset, path, progress=False)
    elif suffix != "obs":
        other = CxgWidget(adata_of(30, before=stored))
        other.annotations.new("mine", of="before")
        other.annotations.save(path)
        other.close()
    first.close()
    unlabelled = CxgWidget(adata_of(30))
    note = unlabelled.annotations.new("mine")
    note.assign("a", values == "a")
    note.assign("b", values == "b")
    before = None if suffix == "obs" else (content(path), path.stat().st_ino)
    unlabelled.annotations.save(
        **{"path" if suffix in SUFFIXES else "into": adata if suffix == "obs" else path}, on_conflict=way
    )
    if before is None:
        assert adata.obs["mine"].dtype == stored.dtype
    else:
        assert (content(path), path.stat().st_ino) == before
    unlabelled.close()


@pytest.mark.parametrize("suffix", [*SUFFIXES, ".h5ad", "obs"])
def test_other_labels_are_a_conflict_with_both_counts_and_three_ways_out(suffix, widget, tmp_path, request):
    adata = None
    if suffix == "obs":
        adata = adata_of(1000)
        adata.obs.index = widget.dataset.obs([]).index
        where = {"into": adata}
    elif suffix == ".h5ad":
        where = {"into": request.getfixturevalue("h5ad")}
    else:
        where = {"path": tmp_path / f"a{suffix}"}

    def there():
        if adata is not None:
            return adata.obs["mine"]
        if suffix == ".h5ad":
            with open_dataset(where["into"]) as dataset:
                return dataset.obs(["mine"])["mine"]
        other = CxgWidget(widget.dataset, annotations=where["path"])
        found = other.annotations["mine"].series()
        other.close()
        return found

    note = labelled(widget)
    note.save(**where)
    first = note.series()
    note.save(**where)  # equal content is no conflict
    note.assign(None, np.arange(1000) < 200)
    note.assign("new", np.arange(1000) == 300)
    second = note.series()
    with pytest.raises(MergeConflict, match=r"on_conflict='ours'.*'theirs'.*another path or name") as caught:
        note.save(**where)
    differ = (first.astype(object).fillna("") != second.astype(object).fillna("")).sum()
    told = (caught.value.n_ours, caught.value.n_theirs, caught.value.n_differing)
    assert told == (second.notna().sum(), first.notna().sum(), differ)
    assert_same_labels(there(), first)
    note.save(**where, on_conflict="theirs")
    kept = first.astype(object).where(first.notna(), second.astype(object))
    assert there().astype(object).fillna("").tolist() == kept.fillna("").tolist()
    note.save(**where, on_conflict="ours")
    assert_same_labels(there(), second)
    with pytest.raises(InvalidValue, match="on_conflict must be"):
        note.save(**where, on_conflict="mine")


def test_an_h5ad_gets_the_column_and_keeps_all_else(widget, h5ad):
    h5py = pytest.importorskip("h5py")
    truth = labelled(widget).series()
    before = h5ad.stat().st_mode
    with h5py.File(h5ad) as file:
        names = list(file["obs"].attrs["column-order"])
    widget.annotations.save(into=str(h5ad))
    with open_dataset(h5ad) as dataset:
        found = dataset.obs()
        assert_same_labels(found["mine"], truth)
        rest = widget.dataset.obs().drop(columns="mine")
        pd.testing.assert_frame_equal(found.drop(columns="mine"), rest, check_dtype=False)
        np.testing.assert_array_equal(dataset.values("CD3E"), widget.dataset.values("CD3E"))
    with h5py.File(h5ad) as file:
        assert list(file["obs"].attrs["column-order"]) == [*names, "mine"]
        assert file["obs/mine"].attrs["encoding-type"] == "categorical"
    assert h5ad.stat().st_mode == before
    assert [one.name for one in h5ad.parent.iterdir()] == [h5ad.name]


def test_anndata_reads_the_same_labels(widget, h5ad):
    anndata = pytest.importorskip("anndata", reason="anndata reads what is written here: pip install anndata")
    truth = labelled(widget).series()
    widget.annotations.save(into=h5ad)
    assert_same_labels(anndata.read_h5ad(h5ad).obs["mine"], truth)


def test_a_part_of_an_h5ad_labels_its_cells_and_leaves_those_of_others(h5ad, tmp_path):
    rows = np.arange(0, 1000, 3)
    with open_dataset(h5ad) as whole:
        names = whole.obs([]).index[rows[::-1]]
    part = adata_of(len(rows))
    part.obs.index = names
    w = CxgWidget(part)
    w.annotations.new("mine").assign("x", np.arange(len(rows)) < 10)
    w.annotations.save(into=h5ad)
    w.annotations["mine"].assign("y", np.arange(len(rows)) >= 10)
    w.annotations.save(into=h5ad, on_conflict="ours")
    with open_dataset(h5ad) as whole:
        found = whole.obs(["mine"])["mine"]
    expected = w.annotations["mine"].series().astype(object).reindex(found.index)
    assert found.astype(object).fillna("").tolist() == expected.fillna("").tolist()
    w.close()
    other = CxgWidget(small(1200))
    other.annotations.new("mine").assign("x", [0])
    with pytest.raises(InvalidValue, match="it lacks 200 of 1,200"):
        other.annotations.save(into=h5ad)
    other.close()


def test_obs_of_the_anndata_on_show_gets_the_column_where_it_is_named(widget):
    adata = adata_of()
    w = CxgWidget(adata)
    truth = labelled(w).series()
    with pytest.raises(CxgWidgetError, match="save\\(\\) takes a path"):
        w.annotations.save()
    assert list(adata.obs) == ["n"]
    w.annotations.save(into="obs")
    assert_same_labels(adata.obs["mine"], truth)
    assert isinstance(w.dataset, AnnDataInMemory)
    labelled(widget)
    with pytest.raises(CxgWidgetError, match="into='obs' needs a widget of an AnnData"):
        widget.annotations.save(into="obs")
    w.close()


def test_a_cxg_has_the_obs_index_and_the_labels_in_a_new_place(widget, tmp_path):
    truth, path = labelled(widget).series(), tmp_path / "a.cxg"
    widget.annotations.save(path)
    with tiledb.open(str(path / "obs")) as array:
        columns, schema = array[:], json.loads(array.meta["cxg_schema"])
        assert json.loads(array.meta["cxg_widget"])["identity"] == without_path(widget.dataset.identity)
    assert [text.decode() if isinstance(text, bytes) else text for text in columns["cell_id"]] == truth.index.tolist()
    labels = np.array([*schema["mine"]["categories"]], dtype=object)
    assert labels[columns["mine"]].tolist() == truth.astype(object).fillna("nan").tolist()


def test_a_cxg_of_something_else_is_neither_written_over_nor_read_as_annotations(widget, tmp_path):
    labelled(widget)
    whole, file, folder = (tmp_path / name for name in ("whole.cxg", "file.cxg", "folder.cxg"))
    convert(widget.dataset, whole, progress=False)
    file.write_text("precious")
    folder.mkdir()
    (folder / "precious").write_text("x")
    before = content(tmp_path)
    for path in (whole, file, folder):
        for way in ("error", "ours", "theirs"):
            with pytest.raises(TargetExists, match="not overwritten"):
                widget.annotations.save(path, on_conflict=way)
        with pytest.raises(CxgWidgetError, match=r"something other|no such file"):
            widget.annotations.load(path)
    with pytest.raises(CxgWidgetError, match="no such file"):
        widget.annotations.load(tmp_path / "none.cxg")
    assert content(tmp_path) == before


@pytest.mark.parametrize("name", ["index", "__mine"])
def test_what_a_cxg_keeps_for_itself_is_refused_and_nothing_is_written(name, widget, tmp_path):
    note = widget.annotations.new(name)
    note.assign("x", [1])
    with pytest.raises(InvalidValue, match="cannot be written"):
        note.save(tmp_path / "a.cxg")
    assert list(tmp_path.iterdir()) == []


def test_where_folders_cannot_change_places_at_once_they_do_so_one_after_the_other(widget, tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_rename", lambda *_: errno.ENOSYS)
    note, path = labelled(widget), tmp_path / "a.cxg"
    note.save(path)
    before = content(path)
    note.assign("later", [1, 2])
    renamed = []

    def fail_once(self, target):
        renamed.append(target)
        if len(renamed) == 2:
            raise OSError(28, "No space left on device")
        return os.rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail_once)
        with pytest.raises(TargetNotWritten, match="disk is full"):
            note.save(path, on_conflict="ours")
    assert content(path) == before
    note.save(path, on_conflict="ours")
    assert [one.name for one in tmp_path.iterdir()] == ["a.cxg"]
    other = CxgWidget(widget.dataset, annotations=path)
    assert_same_labels(other.annotations["mine"].series(), note.series())
    other.close()


def test_a_whole_cxg_with_the_labels_is_made_by_convert(widget, tmp_path):
    truth = labelled(widget).series()
    convert(widget.dataset, tmp_path / "whole.cxg", progress=False)
    with open_dataset(tmp_path / "whole.cxg") as dataset:
        found = dataset.obs(["mine"])["mine"]
    assert found.astype(object).fillna("").tolist() == truth.astype(object).fillna("").tolist()


def test_what_cannot_be_saved_is_said_in_a_sentence_and_writes_nothing(widget, tmp_path, monkeypatch):
    note, foreign = labelled(widget), tmp_path / "foreign.csv"
    foreign.write_text("a,b\n1,2\n")
    refused = {
        "s3://bucket/a.parquet": InvalidValue, tmp_path / "a.txt": InvalidValue, tmp_path / "a.h5ad": InvalidValue,
        foreign: TargetExists, tmp_path / "no" / "such" / "\0.csv": InvalidValue,
    }  # fmt: skip
    for path, error in refused.items():
        with pytest.raises(error):
            note.save(path)
    with pytest.raises(CxgWidgetError):
        note.save(into=tmp_path / "no.h5ad")
    with pytest.raises(CxgWidgetError):
        widget.annotations.load(tmp_path / "no.csv")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InvalidStore):
        widget.annotations.load(tmp_path / "bad.parquet")
    assert foreign.read_text() == "a,b\n1,2\n"
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match="pip install pyarrow"):
        note.save(tmp_path / "a.parquet")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bad.parquet", "foreign.csv"]


@pytest.mark.parametrize("what", ["copymode", "_to_disk", "replace", "write"])
@pytest.mark.parametrize("suffix", [*SUFFIXES, ".h5ad"])
def test_a_failure_at_any_write_leaves_the_old_file_whole(suffix, what, widget, h5ad, monkeypatch):
    note = labelled(widget)
    path = h5ad if suffix == ".h5ad" else h5ad.with_name(f"a{suffix}")
    where = {"into": path} if suffix == ".h5ad" else {"path": path}
    note.save(**where)
    before = content(path)
    note.assign("later", np.arange(1000) < 9)

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    places = {
        "copymode": (shutil, "copymode"), "_to_disk": (writing, "_to_disk"),
        "replace": (writing, "exchange") if suffix == ".cxg" else (os, "replace"),
        "write": {".h5ad": (into_h5ad, "_put"), ".cxg": (writer, "write_rows")}.get(
            suffix, (pd.DataFrame, f"to_{suffix[1:]}")
        ),
    }  # fmt: skip
    monkeypatch.setattr(*places[what], fail)
    with pytest.raises(TargetNotWritten, match="disk is full"):
        note.save(**where, on_conflict="ours")
    monkeypatch.undo()
    assert content(path) == before
    assert {one.name for one in h5ad.parent.iterdir()} == {h5ad.name, path.name}


@pytest.mark.parametrize("place", ["into", "path"])
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file_whole(place, widget, h5ad):
    labelled(widget)
    path = h5ad if place == "into" else h5ad.with_suffix(".cxg")
    widget.annotations.save(**{place: path})
    before = content(path)
    code = f"""
import time
from pathlib import Path
import cxg_widget.files.writing as d
from tests.memory import small
from cxg_widget import CxgWidget
d._replace = lambda *_: (print("now", flush=True), time.sleep(60))
w = CxgWidget(small(1000))
w.annotations.new("mine").assign("later", [1, 2])
w.annotations.save({place}={str(path)!r}, on_conflict="ours")
"""
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, cwd=root)
    assert child.stdout.readline() == b"now\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    assert content(path) == before
    widget.annotations["mine"].assign("x", [1])
    widget.annotations.save(**{place: path}, on_conflict="ours")  # what the other left is in nobody's way
    assert {one.name for one in h5ad.parent.iterdir()} == {h5ad.name, path.name}


@pytest.mark.parametrize(("form", "head"), [("xenium", ["cell_id", "group"]), ("loupe", ["barcode", "mine"])])
def test_forms_of_other_programs_have_their_heads_and_the_cells_that_have_a_label(form, head, tmp_path):
    widget, path = CxgWidget(small()), tmp_path / "labels.csv"
    labels, note = ["T cell", "B cell, γδ", "NA"], widget.annotations.new("mine")
    for at, label in enumerate(labels):
        note.assign(label, np.arange(at, widget.dataset.n_obs - 3, 4))
    widget.annotations.save(path, form=form)
    read = pd.read_csv(path, keep_default_na=False, dtype=str)
    assert read.columns.tolist() == head
    expected = note.series().dropna().astype(str)
    assert 0 < len(expected) < widget.dataset.n_obs
    assert read[head[0]].tolist() == expected.index.tolist()
    assert read[head[1]].tolist() == expected.tolist()
    note.assign("=1+1", [0])
    note.save(path, form=form)  # in the place of those that were saved before
    assert pd.read_csv(path, dtype=str)[head[1]][0] == "'=1+1"  # a spreadsheet would run it
    widget.close()


def test_forms_of_other_programs_hold_one_annotation_and_overwrite_nothing_else(tmp_path):
    widget = CxgWidget(small())
    labelled(widget)
    labelled(widget, "theirs")
    other = tmp_path / "other.csv"
    other.write_text("cell_id,groups\na,b\n")
    mine = widget.annotations["mine"]
    for error, sentence, save, options in [
        (InvalidOption, "holds one annotation, and this widget has 2", widget.annotations.save, {"path": other}),
        (InvalidValue, "no form 'seurat'", mine.save, {"path": other, "form": "seurat"}),
        (InvalidOption, "is of a new file", mine.save, {"into": "obs"}),
        (InvalidValue, "is a .csv; found", mine.save, {"path": tmp_path / "a.parquet"}),
        (TargetExists, "something other than such labels", mine.save, {"path": other}),
    ]:
        with pytest.raises(error, match=sentence):
            save(**{"form": "xenium", **options})
    assert other.read_text() == "cell_id,groups\na,b\n"
    widget.close()
