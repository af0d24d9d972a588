"""Cells on a Dask cluster: its workers open the store themselves; the only folder that imports dask."""

from cxg_widget.cells.cluster.client import find_client
from cxg_widget.cells.cluster.indexed import ClusterCells
from cxg_widget.cells.cluster.loader import ClusterLoader
from cxg_widget.cells.cluster.source import Source

__all__ = ["ClusterCells", "ClusterLoader", "Source", "find_client"]
