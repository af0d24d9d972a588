"""Registers TileDB-CF as a format; `tiledb_access/detect.py` detects it."""

from cxg_widget.datasets.readers import Reader

READER = Reader(
    what="a TileDB-CF dataspace",
    opens="cxg_widget.datasets.tiledb_cf.dataset:CfDataset",
    options=("observations", "isel", "config", "ctx", "storage_options"),
)
