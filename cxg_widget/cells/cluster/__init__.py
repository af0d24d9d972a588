"""Cells on a Dask cluster: its workers open the store themselves; the only folder that imports dask."""

from cxg_widget.cells.cluster.client import find_client
from cxg_widget.cells.cluster.indexed import ClusterCells
from cxg_widget.cells.cluster.loader import ClusterLoader
from cxg_widget.cells.cluster.source import Source
from cxg_widget.cells.cluster.summary import ColumnSummary

__all__ = ["ClusterCells", "ClusterLoader", "ColumnSummary", "Source", "find_client"]
