"""Registers 10x as a format and detects it: an HDF5 file or a folder with a matrix of features by barcodes."""

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
        return False  # AnnData's reader, which looks later, says what is missing
    return holds_matrix(str(path))


READER = Reader(
    what="a 10x matrix",
    opens="cxg_widget.datasets.tenx.dataset:TenXDataset",
    looks_like=_looks_like,
    order=80,
    options=("key", "memory_bytes"),
)
