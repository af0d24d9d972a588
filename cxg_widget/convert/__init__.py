"""Conversion of any dataset to a CXG or an AnnData .h5ad, in bounded memory."""

from __future__ import annotations

from cxg_widget.convert.conversion import Conversion, convert

__all__ = ["Conversion", "convert"]
