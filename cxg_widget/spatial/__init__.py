"""Spatial index over an embedding for views, lassos and hover; works on arrays, not datasets."""

from __future__ import annotations

from cxg_widget.spatial.index import SpatialIndex
from cxg_widget.spatial.index_store import IndexStore, index_key
from cxg_widget.spatial.regions import Runs

__all__ = ["IndexStore", "Runs", "SpatialIndex", "index_key"]
