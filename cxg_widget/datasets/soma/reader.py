"""Registers TileDB-SOMA as a format; `tiledb_access/detect.py` detects it."""

from cxg_widget.datasets.readers import Reader

READER = Reader(
    what="a TileDB-SOMA experiment",
    opens="cxg_widget.datasets.soma.dataset:SomaDataset",
    options=("measurement", "memory_bytes", "config", "ctx", "storage_options"),
)
