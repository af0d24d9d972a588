"""Registers SpatialData as a format and detects it by the attributes or the groups of its root."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from cxg_widget.datasets.readers import Reader

_ELEMENTS = ("images", "labels", "points", "shapes")


def _looks_like(path: Path) -> bool:
    for name in ("zarr.json", ".zattrs"):
        with suppress(OSError, ValueError):
            found: Any = json.loads((path / name).read_text(encoding="utf-8"))
            attributes = found.get("attributes", found) if isinstance(found, dict) else {}
            if isinstance(attributes, dict) and "spatialdata_attrs" in attributes:
                return True
    # Before version 0.3 the root has no attributes.
    return (path / ".zgroup").is_file() and any((path / name / ".zgroup").is_file() for name in _ELEMENTS)


READER = Reader(
    what="a SpatialData zarr store",
    opens="cxg_widget.datasets.spatialdata.dataset:SpatialDataDataset",
    looks_like=_looks_like,
    order=80,
    options=("key", "memory_bytes", "table", "coordinate_system", "channels", "contrast_limits"),
    libraries=("zarr", "pyarrow"),
    install="cxg-widget[spatialdata]",
)
