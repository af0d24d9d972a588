"""An .h5ad that is open here and elsewhere in the same process, as it is when scanpy reads what the widget shows."""

from __future__ import annotations

import os

import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.errors import DamagedStore
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_truth

h5py = pytest.importorskip("h5py", reason="AnnData files are an extra: pip install cxg-widget[h5ad]")
WAYS = [("r", {}), ("r", {"locking": True}), ("r", {"locking": False}), ("r+", {}), ("a", {})]


@pytest.fixture
def stored(tmp_path):
    truth = make_truth(40, 6)
    return make_anndata(tmp_path, truth, layout="csc"), truth


def check_gene(dataset, truth, position):
    name = str(dataset.var_names[position])
    np.testing.assert_array_equal(dataset.values(name), truth.X[:, position].astype(np.float32))


@pytest.mark.parametrize(("mode", "options"), WAYS, ids=str)
def test_others_open_the_file_in_any_way_before_it_and_after_it(stored, mode, options):
    path, truth = stored
    with h5py.File(path, mode, **options) as before, open_dataset(path) as dataset:
        check_gene(dataset, truth, 0)
        assert "obs" in before
    with open_dataset(path) as dataset, h5py.File(path, mode, **options) as after:
        assert "obs" in after
        if mode == "r":
            check_gene(dataset, truth, 1)
        else:  # to be opened for writing is to be written to
            with pytest.raises(DamagedStore, match="open it again"):
                dataset.values(str(dataset.var_names[1]))


def test_a_file_that_is_written_to_has_to_be_opened_again(stored):
    path, truth = stored
    with open_dataset(path) as dataset:
        check_gene(dataset, truth, 0)
        with h5py.File(path, "r+") as file:
            file["X/data"][:] = file["X/data"][:] + 1
        os.utime(path, ns=(0, 0))  # clocks of file systems tick slowly
        with pytest.raises(DamagedStore, match="was changed after it was opened; open it again"):
            dataset.values(str(dataset.var_names[1]))
        check_gene(dataset, truth, 0)  # what has been read is still that
    with open_dataset(path) as dataset:
        found, before = dataset.values(str(dataset.var_names[1])), truth.X[:, 1].astype(np.float32)
        np.testing.assert_array_equal(found, np.where(before == 0, 0, before + 1))


@pytest.mark.skipif(os.name == "nt", reason="Windows replaces no open file")
def test_a_file_that_is_replaced_or_removed_stays_as_it_was_opened(stored, tmp_path):
    path, truth = stored
    (tmp_path / "other").mkdir()
    other = make_anndata(tmp_path / "other", make_truth(40, 6, seed=1), layout="csc")
    with open_dataset(path) as dataset:
        os.replace(other, path)
        check_gene(dataset, truth, 2)
        os.remove(path)
        check_gene(dataset, truth, 3)
