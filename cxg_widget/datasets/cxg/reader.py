"""Registers CXG as a format; `tiledb_access/detect.py` detects it."""

from cxg_widget.datasets.readers import Reader

READER = Reader(
    what="a CXG",
    opens="cxg_widget.datasets.cxg.dataset:CxgDataset",
    order=0,
    options=("config", "ctx", "storage_options"),
)
