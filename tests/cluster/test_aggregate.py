"""Laws of `w.aggregate` on a cluster: the workers' sums add up to what datashader makes of all cells at once."""

import datashader as ds
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from datashader import reductions as rd

from cxg_widget import CxgWidget

VIEW, SIZE = (-2.0, 2.0, -1.5, 1.5), {"width": 9, "height": 7}


@pytest.fixture(scope="module")
def w(client, store):
    widget = CxgWidget(store, dask=client, color="cell_type")
    yield widget
    widget.close()


def frame_of(truth, gene):
    """Return all cells as pandas has them."""
    xy = truth.embeddings["umap"]
    frame = pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1], "gene": truth.X[:, gene]})
    for name in ("cell_type", "n_genes", "read_at"):
        frame[name] = truth.obs[name].to_numpy() if name != "cell_type" else truth.obs[name].array
    return frame


def of_datashader(frame, reduction):
    return ds.Canvas(**{f"plot_{k}": v for k, v in SIZE.items()}, x_range=VIEW[:2], y_range=VIEW[2:]).points(
        frame, "x", "y", reduction
    )


def test_names_categories_and_genes_are_reduced_by_the_workers(w, truth):
    frame = frame_of(truth, 2)
    found = w.aggregate(view=VIEW, **SIZE)
    expected = of_datashader(frame.dropna(subset="cell_type"), rd.by("cell_type", rd.count()))
    xr.testing.assert_equal(found.sel(cell_type=expected["cell_type"]), expected)
    found = w.aggregate("std", color=truth.var_labels[2], view=VIEW, **SIZE)
    xr.testing.assert_allclose(found, of_datashader(frame, rd.std("gene")), rtol=1e-12)
    assert int(w.aggregate().sum()) == np.isfinite(frame["x"][frame["cell_type"].notna()]).sum()


def test_the_order_of_rows_and_their_numbers_are_those_of_the_store(w, truth):
    frame = frame_of(truth, 0)
    for what in (rd.last("n_genes"), rd.where(rd.max("read_at"))):
        xr.testing.assert_equal(w.aggregate(what, view=VIEW, **SIZE), of_datashader(frame, what))


def test_only_selected_cells_count_within_the_selection(w, truth):
    rows = np.arange(len(truth.obs)) % 7 == 0
    w.select(rows)
    found = w.aggregate("std", color=truth.var_labels[2], view=VIEW, within="selection", **SIZE)
    xr.testing.assert_allclose(found, of_datashader(frame_of(truth, 2)[rows], rd.std("gene")), rtol=1e-12)
