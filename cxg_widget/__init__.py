"""Single-cell data in a notebook: `CxgWidget("data.cxg")`. Everything is imported at first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cxg_widget import errors
    from cxg_widget.datasets import open_dataset
    from cxg_widget.datasets.base import Dataset
    from cxg_widget.errors import CxgWidgetError
    from cxg_widget.widget import CxgWidget

__version__ = "0.1.0"
__all__ = ["CxgWidget", "CxgWidgetError", "Dataset", "__version__", "errors", "open_dataset"]

_HOMES = {
    "CxgWidget": "cxg_widget.widget",
    "CxgWidgetError": "cxg_widget.errors",
    "Dataset": "cxg_widget.datasets.base",
    "open_dataset": "cxg_widget.datasets",
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("cxg_widget.errors")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'cxg_widget' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
