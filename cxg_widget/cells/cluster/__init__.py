"""Cells on a Dask cluster: its workers open the store themselves; the only folder that imports dask."""

from cxg_widget.cells.cluster.client import find_client
from cxg_widget.cells.cluster.held import held_by_workers
from cxg_widget.cells.cluster.indexed import ClusterCells
from cxg_widget.cells.cluster.source import Source

__all__ = ["ClusterCells", "Source", "find_client", "held_by_workers"]
