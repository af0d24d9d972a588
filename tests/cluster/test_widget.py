"""A widget on a cluster: the same calls; a cluster that is gone is told in one sentence and nothing is lost."""

import numpy as np
import pytest

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.cluster.source import n_open
from cxg_widget.errors import ClusterLost, InvalidOption
from tests.cluster.conftest import start_client, stop_client


def group(dataset):
    return next(c.name for c in dataset.obs_columns.values() if c.kind == "categorical")


def test_the_cells_in_a_polygon_are_those_found_without_a_cluster(client, store):
    with open_dataset(store) as dataset:
        xy = dataset.embedding()
        xy = xy[np.isfinite(xy).all(axis=1)]
        polygon = np.quantile(xy, 0.2, axis=0) + np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * xy.std(axis=0)
        alone, shared = CxgWidget(dataset, render="points"), CxgWidget(store, dask=client, color=group(dataset))
        for w in (alone, shared):
            w.select(polygon=polygon)
        assert 0 < len(shared.selection) < dataset.n_obs
        np.testing.assert_array_equal(alone.selection.mask, shared.selection.mask)
        assert shared.selection.obs().equals(alone.selection.obs())
        alone.close()
        shared.close()


def test_closing_the_widget_closes_what_the_workers_opened(client, store):
    w = CxgWidget(store, dask=client, color=None)
    w.color = f"var:{w.dataset.var_names[0]}"
    assert sum(client.run(n_open).values()) > 0
    w.close()
    assert sum(client.run(n_open).values()) == 0


def test_what_is_no_client_is_refused(store):
    with pytest.raises(InvalidOption, match="it must be a dask"):
        CxgWidget(store, dask="tcp://scheduler:8786")


def test_a_cluster_that_is_gone_is_told_and_the_selection_stays(store):
    client = start_client(1)
    w = CxgWidget(store, dask=client, color=None)
    w.select([0, 1, 2])
    stop_client(client)
    with pytest.raises(ClusterLost, match="Dask client is closed"):
        w.color = f"var:{w.dataset.var_names[0]}"
    assert w.color is None
    assert len(w.selection) == 3
    w.close()
