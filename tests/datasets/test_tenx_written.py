"""Files that Cell Ranger 1.2 and 3.0 and Space Ranger 1.0 wrote, read beside h5py, SciPy and pandas.

They are those of scanpy's tests (BSD-3), cut from datasets of 10x Genomics (CC BY 4.0).
"""

from pathlib import Path
from zipfile import ZipFile

import h5py
import numpy as np
import pandas as pd
import pytest
from scipy import io, sparse

from cxg_widget import open_dataset


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    with ZipFile(Path(__file__).parent / "written" / "tenx.zip") as archive:
        archive.extractall(folder)
    return folder


def matrix_of(path):
    """Return a matrix by h5py or SciPy, cells by features."""
    if path.is_dir():
        return io.mmread(next(path.glob("matrix.mtx*"))).toarray().T
    with h5py.File(path) as file:
        group = next(iter(file.values()))
        parts = tuple(group[name][:] for name in ("data", "indices", "indptr"))
        return sparse.csc_array(parts, shape=tuple(group["shape"])).toarray().T


@pytest.mark.parametrize(
    "name",
    [
        "10x_data/1.2.0/filtered_gene_bc_matrices_h5.h5",
        "10x_data/1.2.0/filtered_gene_bc_matrices/hg19_chr21",
        "10x_data/3.0.0/filtered_feature_bc_matrix.h5",
        "10x_data/3.0.0/filtered_feature_bc_matrix",
        "visium_data/1.0.0/filtered_feature_bc_matrix.h5",
    ],
)
def test_a_matrix_that_10x_wrote_has_the_values_that_other_readers_find(written, name):
    truth = matrix_of(written / name)
    with open_dataset(written / name) as dataset:
        assert (dataset.n_obs, dataset.n_var) == truth.shape
        found = np.column_stack([dataset.values(label) for label in dataset.var_labels])
        np.testing.assert_array_equal(found, truth)
        np.testing.assert_array_equal(dataset.numbers("total_counts"), truth.sum(axis=1))
        np.testing.assert_array_equal(dataset.numbers("n_genes_by_counts"), (truth > 0).sum(axis=1))


def test_both_forms_of_a_run_are_the_same_dataset(written):
    folder = written / "10x_data" / "3.0.0"
    with open_dataset(folder) as whole, open_dataset(folder / "filtered_feature_bc_matrix") as text:
        assert list(whole.obs_names()) == list(text.obs_names())
        pd.testing.assert_frame_equal(whole.var().drop(columns="genome"), text.var())


def test_spots_of_a_section_lie_where_its_table_says(written):
    folder = written / "visium_data" / "1.0.0"
    names = ["barcode", "in_tissue", "array_row", "array_col", "row", "column"]
    table = pd.read_csv(folder / "spatial" / "tissue_positions_list.csv", names=names, index_col=0)
    with open_dataset(folder) as dataset:
        table = table.loc[dataset.obs_names()]
        np.testing.assert_array_equal(dataset.embedding("spatial"), table[["column", "row"]])
        np.testing.assert_array_equal(dataset.numbers("array_row"), table["array_row"])
        (name,) = dataset.sections().images
        assert dataset.section_image(name, (0, 2000), (0, 2000), 100).shape == (20, 20, 3)
