"""Interactive plots of single-cell data in notebooks: `CxgWidget("data.cxg")`. Imports happen at first use."""

from __future__ import annotations

import threading
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cxg_widget import errors
    from cxg_widget.datasets import open_dataset
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.datasets.cxg.demo_store import demo
    from cxg_widget.errors import CxgWidgetError
    from cxg_widget.widget.widget import CxgWidget

__version__ = "0.1.0"
__all__ = ["CxgWidget", "CxgWidgetError", "Dataset", "__version__", "demo", "errors", "open_dataset"]

_HOMES = {
    "CxgWidget": "cxg_widget.widget.widget",
    "CxgWidgetError": "cxg_widget.errors",
    "Dataset": "cxg_widget.datasets.base.dataset",
    "demo": "cxg_widget.datasets.cxg.demo_store",
    "open_dataset": "cxg_widget.datasets",
}


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("cxg_widget.errors")
    if name in _HOMES:
        if name == "CxgWidget":
            threading.Thread(target=_read_ahead, name="cxg-widget-imports").start()
        found = globals()[name] = getattr(import_module(_HOMES[name]), name)
        return found
    raise AttributeError(f"module 'cxg_widget' has no attribute {name!r}")


def _read_ahead() -> None:
    """Import libraries and start threads that opening a CXG needs, in the background."""
    with suppress(Exception):  # opening the store reports it in full
        import_module("cxg_widget.datasets.cxg.dataset")
        import_module("cxg_widget.datasets.tiledb_access.contexts").warm_up()


def __dir__() -> list[str]:
    return sorted(__all__)
