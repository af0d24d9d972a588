"""What each store calls its observations and its vars, and the sentences that say so."""

from __future__ import annotations

import importlib.util
import re
from contextlib import closing

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets import open_dataset
from cxg_widget.display.color_target import resolve
from cxg_widget.display.search import Catalogue
from cxg_widget.errors import CxgWidgetError, UnknownName
from cxg_widget.rules.filters import filter_of, query_filter
from cxg_widget.selection.pandas_query import pandas_mask
from cxg_widget.selection.selection import SelectedCells, mask_of
from cxg_widget.session.streams.chunks import dataset_frame
from tests.datasets.make_cf import make_cf, write_dense, write_group
from tests.datasets.make_cxg import make_cxg, make_truth
from tests.memory import small

CELLS = [["cell", "cells"], ["gene", "genes"]]
GENE_SETS = ["gene set", "gene sets"]


def needs(*modules):
    for module in modules:
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")


def nouns(dataset):
    told = dataset_frame(dataset).message
    return [told.obs_noun, told.var_noun, told.set_noun]


@pytest.fixture
def mzpeak(tmp_path):
    needs("pyarrow")
    from tests.datasets.make_mzpeak import make_mzpeak, make_run

    return make_mzpeak(tmp_path / "run.mzpeak", make_run())


def series(path):
    write_group(path, {})
    write_dense(path / "points", {"station": 9}, {"light": np.arange(9.0), "heat": np.arange(9.0)}, group=path)
    return path


def test_a_cxg_has_cells_genes_and_gene_sets(tmp_path):
    with open_dataset(make_cxg(tmp_path / "a.cxg", make_truth())) as dataset:
        assert nouns(dataset) == [*CELLS, GENE_SETS]


def test_an_anndata_has_cells_genes_and_gene_sets(tmp_path):
    needs("h5py")
    from tests.datasets.make_anndata import make_anndata

    with open_dataset(make_anndata(tmp_path)) as dataset:
        assert nouns(dataset) == [*CELLS, GENE_SETS]


@pytest.mark.parametrize(
    ("space", "measured"),
    [("gene_expression", ["gene", "genes"]), ("protein_abundance", ["feature", "features"])],
)
def test_an_atlas_has_cells_and_genes_or_features_of_another_space(tmp_path, monkeypatch, space, measured):
    needs("lance", "zarr")
    from tests.datasets import make_atlas

    monkeypatch.setattr(make_atlas, "GENES", space)
    path = make_atlas.make_atlas(tmp_path / "atlas", make_atlas.make_truth())
    with open_dataset(path) as dataset:
        assert dataset.details["feature_space"] == space
        assert nouns(dataset) == [["cell", "cells"], measured, []]


def test_an_mzpeak_has_spectra_and_windows_of_mz_or_peaks_and_what_was_measured(mzpeak):
    with open_dataset(mzpeak) as dataset:
        assert nouns(dataset) == [["spectrum", "spectra"], ["m/z window", "m/z windows"], []]
    with open_dataset(mzpeak, observations="peaks") as dataset:
        assert nouns(dataset) == [["peak", "peaks"], ["data array", "data arrays"], []]


def test_a_dataspace_has_grid_points_along_two_dimensions_or_more_and_points_along_one_or_in_a_sparse_array(tmp_path):
    make_cf(tmp_path / "cube", "netcdf")
    make_cf(tmp_path / "cells", "sparse")
    found = {}
    for name, path in (("cube", tmp_path / "cube"), ("cells", tmp_path / "cells"), ("series", series(tmp_path / "s"))):
        with open_dataset(path) as dataset:
            found[name], *others = nouns(dataset)
            assert others == [["variable", "variables"], []]
    assert found == {"cube": ["grid point", "grid points"], "cells": ["point", "points"], "series": ["point", "points"]}


def said(call):
    with pytest.raises(CxgWidgetError) as caught:
        call()
    return str(caught.value)


def test_sentences_about_an_mzpeak_speak_of_spectra_and_windows(mzpeak):
    with open_dataset(mzpeak) as dataset:
        n = dataset.n_obs
        mask = np.arange(n) < 3
        assert repr(SelectedCells(dataset, mask)) == f"<3 of {n} spectra selected>"
        told = [
            said(lambda: mask_of(np.ones(n + 1, dtype=bool), dataset)),
            said(lambda: mask_of(["nobody"], dataset)),
            said(lambda: pandas_mask("retention_time + 1", dataset)),
            said(lambda: query_filter("retention_time.to_csv()", dataset)),
            said(lambda: query_filter("1 > 0", dataset)),
            said(lambda: query_filter(5, dataset)),
            said(lambda: filter_of("mz:445.12", ["a"], dataset)),
            said(lambda: resolve("nothing", dataset)),
            said(lambda: resolve(5, dataset)),
        ]
        words = [
            f"has {n} spectra",
            "no spectrum 'nobody'",
            "for each spectrum",
            "is not supported in a query",
            "names no column",
            "must be a text",
            "the filter of an m/z window is a range",
            "no obs column or m/z window 'nothing'",
            "a list of m/z windows",
        ]
        for sentence, part in zip(told, words, strict=True):
            assert part in sentence
            assert "cell" not in sentence.replace(str(dataset.uri), "")
            assert "gene" not in sentence.replace(str(dataset.uri), "")
        assert resolve(["mz:445.12", "mz:810.4155"], dataset).name == "mean of 2 m/z windows"


def test_sentences_about_sets_labels_and_panels_of_an_mzpeak_speak_of_spectra(mzpeak):
    with closing(CxgWidget(mzpeak)) as w:
        several, some = w.sets.add("some", [0, 1]), {"obs": "ms_level", "in": [1]}
        note = w.annotations.new("mine")
        note.assign("x", [0])
        other = {"n_obs": 1, "identity": "x", "at": "2026-01-01T00:00:00+00:00", "n": 0}
        packed = {"codes": "", "categories": ["x"], "ordered": False, **other}
        step = {"assign": "x", "rule": some, "at": other["at"]}
        told = [
            repr(w.sets), repr(w.annotations), w.summary,
            *map(said, (
                lambda: w.zoom_to([]),
                lambda: several | 5,
                lambda: w.sets.apply({"rows": "AAAA", **{key: other[key] for key in ("n_obs", "identity")}}),
                lambda: note.assign("x"),
                lambda: w.annotations.new("sets"),
                lambda: w.select(query=5),
                lambda: w.filters.__setitem__("set:some", 5),
                lambda: setattr(w, "annotations", [{"name": "z", "log": [packed]}]),
                lambda: setattr(w, "annotations", [{"name": "z", "log": [{**step, "n": -1}]}]),
                lambda: setattr(w, "embedding", ("ms_level", "ms_level")),
                lambda: w.panel(within={"no such": 1}),
                lambda: setattr(w, "panels", [{}, {}]),
            )),
        ]  # fmt: skip
        with pytest.warns(UserWarning, match="spectra"):
            w.annotations = [{"name": "z", "log": [{**step, "n": 10_000}]}]
        assert [one for one in told if re.search(r"\b(cells?|genes?)\b", one.replace(str(mzpeak), ""))] == []
        assert "1 label of 1 spectrum" in told[1]
        assert "an m/z window" in told[-3]
        assert "'no such'" in told[-2]


def test_sentences_about_cells_speak_of_cells_and_genes():
    dataset = small(1, gene_sets={"pair": ("CD3E", "MS4A1"), "gone": ("nope",)})
    assert repr(SelectedCells(dataset, np.zeros(1, dtype=bool))) == "<0 of 1 cell selected>"
    assert said(lambda: resolve("nope!", dataset)).startswith("no obs column, gene or gene set 'nope!'")
    assert said(lambda: resolve("set:gone", dataset)) == "gene set 'gone' names no gene of this dataset; it lists 1"
    found, _ = Catalogue(dataset).find("pair")
    assert [match.detail for match in found] == ["mean of 2 genes"]
    with pytest.raises(UnknownName, match="no gene set 'x'"):
        resolve("set:x", dataset)
