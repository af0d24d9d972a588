"""Where points lie: an index over an embedding that answers views, lassos and picks; it knows arrays, no datasets."""

from __future__ import annotations

from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.regions import Runs

__all__ = ["Runs", "SpatialIndex"]
