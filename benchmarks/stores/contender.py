"""What every contender can do, and ours."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

COMPILED = {"atlas": ("numba",), "mzpeak": ("numba",)}
"""Formats of readers that load compiled loops at first use."""


class Contender(Protocol):
    """One way to read a store; `prepare` imports what is needed and is not timed.

    Attributes
    ----------
    libraries : modules without which it is left out
    """

    libraries: ClassVar[tuple[str, ...]]

    def __init__(self, path: Path) -> None: ...

    def prepare(self) -> None: ...

    def open(self) -> None: ...

    def gene(self, name: str) -> NDArray[np.float32]:
        """Return float32 (n_obs,)."""

    def codes(self, column: str) -> NDArray[Any]:
        """Return integers (n_obs,), one for each category."""

    def frame(self, column: str) -> Any:
        """Return a pandas DataFrame of that column, named by the index of obs."""


class Ours:
    """cxg-widget."""

    libraries: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def prepare(self) -> None:
        import pandas  # noqa: F401

        import cxg_widget
        from cxg_widget.datasets.detection import detect
        from cxg_widget.datasets.readers import registered

        format_ = detect(self._path, {})
        reader = registered().readers[format_]
        resolve_name(reader.opens)
        for library in (*reader.libraries, *COMPILED.get(format_, ())):
            import_module(library)
        self._open = cxg_widget.open_dataset

    def open(self) -> None:
        self._dataset = self._open(self._path)

    def gene(self, name: str) -> NDArray[np.float32]:
        return self._dataset.values(name)

    def codes(self, column: str) -> NDArray[Any]:
        return self._dataset.codes(column).codes

    def frame(self, column: str) -> Any:
        return self._dataset.obs([column], index=True)


def scatter(n_obs: int, rows: NDArray[Any], values: NDArray[Any]) -> NDArray[np.float32]:
    """Return float32 (n_obs,) with values in those rows and 0 elsewhere."""
    dense = np.zeros(n_obs, np.float32)
    dense[rows] = values
    return dense
