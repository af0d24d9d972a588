"""A MuData object in memory, and what the installed mudata writes, is what it was given; run where it is installed."""

from __future__ import annotations

import importlib.util
import warnings

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets import open_dataset
from cxg_widget.errors import InvalidValue
from tests.datasets.test_mudata_contract import WRITTEN, truth_of

mudata = pytest.importorskip("mudata", reason="mudata writes what is read here: pip install mudata")


@pytest.fixture(scope="module")
def writer():
    spec = importlib.util.spec_from_file_location("write_mudata", WRITTEN.parent / "write_mudata.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=["csr", "csc"])
def both(request, writer):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield writer.joint(request.param), truth_of(writer.truth_of(writer.joint(request.param)))


@pytest.mark.parametrize("kind", ["memory", "view", "h5mu", "zarr"])
def test_it_is_what_mudata_says(both, kind, tmp_path, writer):
    mdata, truth = both
    some = np.arange(0, mdata.n_obs, 3) if kind == "view" else np.arange(mdata.n_obs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = mdata[mdata.obs_names[some]] if kind == "view" else mdata
        if kind in ("h5mu", "zarr"):
            source = tmp_path / f"m.{kind}"
            with writer.ad.settings.override(allow_write_nullable_strings=True):
                mdata.write(source) if kind == "h5mu" else mdata.write_zarr(source)
        with open_dataset(source) as dataset:
            assert list(dataset.var_labels) == truth.var_labels
            for position, name in enumerate(truth.var_labels):
                np.testing.assert_allclose(dataset.values(name), truth.X[some, position], rtol=1e-6)
            np.testing.assert_allclose(dataset.gather().csr(dataset.n_var).toarray(), truth.X[some], rtol=1e-6)
            for name, values in truth.embeddings.items():
                np.testing.assert_array_equal(dataset.embedding(name), values[some, :2].astype(np.float32))
            for name in ("donor", "order", "rna:fraction", "rna:note", "adt:total"):
                pd.testing.assert_series_equal(
                    dataset.obs([name])[name].astype(object), truth.obs[name].iloc[some].astype(object)
                )


def test_backed_modalities_are_read_from_the_file(both, tmp_path, writer):
    mdata, truth = both
    path = tmp_path / "m.h5mu"
    with warnings.catch_warnings(), writer.ad.settings.override(allow_write_nullable_strings=True):
        warnings.simplefilter("ignore")
        mdata.write(path)
        backed = mudata.read_h5mu(path, backed="r")
        with open_dataset(backed) as dataset:
            for name in ("rna:CD3E", "adt:CD8"):
                np.testing.assert_allclose(dataset.values(name), truth.X[:, truth.var_labels.index(name)], rtol=1e-6)


def test_some_cells_as_anndata_have_the_genes_of_all_modalities(both):
    mdata, truth = both
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        widget = CxgWidget(mdata, restore=False)
        widget.select({"rna:cell_type": "T cell"})
        found = widget.selection.to_anndata()
        with pytest.raises(InvalidValue, match="open its modality alone with key="):
            widget.selection.to_anndata(layers=["rna:counts"])
        widget.close()
    rows = np.flatnonzero(truth.obs["rna:cell_type"] == "T cell")
    assert found.var_names.tolist() == truth.var_labels
    np.testing.assert_allclose(found.X.toarray(), truth.X[rows], rtol=1e-6)
    assert set(found.obsm) == {f"X_{name}" for name in truth.embeddings}
