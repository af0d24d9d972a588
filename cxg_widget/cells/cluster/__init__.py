"""Cells on a Dask cluster, whose workers open the store themselves; only this folder imports dask."""

from cxg_widget.cells.cluster.client import find_client
from cxg_widget.cells.cluster.holder import cluster_holder
from cxg_widget.cells.cluster.indexed import ClusterCells
from cxg_widget.cells.cluster.source import Source

__all__ = ["ClusterCells", "Source", "cluster_holder", "find_client"]
