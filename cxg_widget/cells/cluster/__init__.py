"""A field of cells on a Dask cluster: workers open the store themselves; the only folder that imports dask."""

from cxg_widget.cells.cluster.client import find_client
from cxg_widget.cells.cluster.field import ClusterField
from cxg_widget.cells.cluster.readings import ClusterReadings
from cxg_widget.cells.cluster.source import Source
from cxg_widget.cells.cluster.summary import ColumnSummary

__all__ = ["ClusterField", "ClusterReadings", "ColumnSummary", "Source", "find_client"]
