"""Registers tables in files as formats, and detects them by their first bytes or names."""

from cxg_widget.datasets.readers import Reader
from cxg_widget.datasets.signatures import begins_with

_OPTIONS = ("embedding", "embeddings", "var")
_LAST = 95
"""High, so that more specific formats that other packages register, such as .points.csv, are tried first."""

PARQUET = Reader(
    what="a Parquet file",
    opens="cxg_widget.datasets.tables.dataset:ParquetDataset",
    looks_like=lambda path: begins_with(path, b"PAR1") or begins_with(path, b"PARE"),
    suffixes=(".parquet", ".pq"),
    order=_LAST,
    options=_OPTIONS,
    libraries=("pyarrow",),
    install="cxg-widget[parquet]",
)
ARROW = Reader(
    what="an Arrow file",
    opens="cxg_widget.datasets.tables.dataset:ArrowDataset",
    looks_like=lambda path: (
        begins_with(path, b"ARROW1")
        or begins_with(path, b"FEA1")
        or (path.suffix.lower() in (".arrow", ".arrows", ".feather", ".ipc") and begins_with(path, b"\xff\xff\xff\xff"))
    ),
    suffixes=(".arrow", ".arrows", ".feather"),
    order=_LAST,
    options=_OPTIONS,
    libraries=("pyarrow",),
    install="cxg-widget[parquet]",
)
CSV = Reader(
    what="a CSV file",
    opens="cxg_widget.datasets.tables.dataset:CsvDataset",
    looks_like=lambda path: path.is_file() and path.name.lower().endswith((".csv", ".tsv", ".csv.gz", ".tsv.gz")),
    suffixes=(".csv", ".tsv", ".csv.gz", ".tsv.gz"),
    order=_LAST,
    options=_OPTIONS,
)
