"""Registers SpatialData as a format and detects it by the attributes or the groups of its root."""

from pathlib import Path

from cxg_widget.datasets.readers import Reader
from cxg_widget.datasets.signatures import zarr_attributes

_ELEMENTS = ("images", "labels", "points", "shapes")


def _looks_like(path: Path) -> bool:
    if any("spatialdata_attrs" in attributes for attributes in zarr_attributes(path)):
        return True
    # Before version 0.3, the root has no attributes.
    return (path / ".zgroup").is_file() and any((path / name / ".zgroup").is_file() for name in _ELEMENTS)


READER = Reader(
    what="a SpatialData zarr store",
    opens="cxg_widget.datasets.spatialdata.dataset:SpatialDataDataset",
    looks_like=_looks_like,
    order=80,
    options=("key", "memory_bytes", "storage_options", "table", "coordinate_system", "channels", "contrast_limits"),
    libraries=("zarr", "pyarrow"),
    install="cxg-widget[spatialdata]",
)
