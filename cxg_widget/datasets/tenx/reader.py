"""Registers 10x as a format and detects it by a matrix of features by barcodes in an HDF5 file or a folder."""

from pathlib import Path

from cxg_widget.datasets.readers import Reader
from cxg_widget.datasets.signatures import begins_with
from cxg_widget.datasets.tenx.files import is_mtx_folder, matrices_in


def _looks_like(path: Path) -> bool:
    if path.is_dir():
        return is_mtx_folder(path) or bool(matrices_in(path))
    if path.suffix not in (".h5", ".hdf5") or not begins_with(path, b"\x89HDF\r\n\x1a\n"):
        return False
    try:
        from cxg_widget.datasets.tenx.h5_matrix import holds_matrix
    except ImportError:
        return False  # AnnData's reader, which is tried later, names the missing library
    return holds_matrix(str(path))


READER = Reader(
    what="a 10x matrix",
    opens="cxg_widget.datasets.tenx.dataset:TenXDataset",
    looks_like=_looks_like,
    order=80,
    options=("key", "memory_bytes"),
)
