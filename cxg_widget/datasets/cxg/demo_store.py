"""Provides the demo store, and writes it at first use."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from cxg_widget.datasets.cxg.dataset import CxgDataset
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.errors import InvalidOption, InvalidValue
from cxg_widget.spatial.cache_folder import cache_folder


def demo(path: str | os.PathLike[str] | None = None, cells: int = 100_000, *, genes: int = 300) -> Path:
    """Return the path of a synthetic CXG to try the widget with; the first call writes it, which takes some seconds.

    No cell in it was ever measured.

    Parameters
    ----------
    path : path of the store; None = one store per size in the cache folder (`CXG_WIDGET_CACHE_DIR`)
    cells, genes : number of cells and of genes

    Returns
    -------
    the path of the store, once its size has been checked

    Raises
    ------
    InvalidOption
        If `path` is a number.
    InvalidValue
        If `cells` or `genes` is not a valid number, or the store at `path` has another size.
    UnknownFormat, InvalidStore
        If there is something other than a CXG at `path`.

    Examples
    --------
    >>> w = CxgWidget(demo(), color="cell_type")
    """
    if isinstance(path, int | float):
        raise InvalidOption(f"path is the number {path}; pass the number of cells by name: demo(cells={path}).")
    wanted = _whole("cells", cells), _whole("genes", genes)
    target = _cached(*wanted) if path is None else Path(path).expanduser()
    if not target.exists():
        _write(target, *wanted)
    with CxgDataset(str(target)) as dataset:
        n_obs, n_var = dataset.n_obs, dataset.n_var
    if (n_obs, n_var) != wanted:
        raise InvalidValue(
            f"'{target}' has {n_obs:,} cells and {n_var:,} genes, not {wanted[0]:,} and {wanted[1]:,}; "
            f"choose another path, or pass cells={n_obs}, genes={n_var}."
        )
    return target


def _whole(name: str, number: float) -> int:
    if isinstance(number, bool) or not isinstance(number, int | float) or not float(number).is_integer():
        raise InvalidValue(f"{name} must be a whole number; found {number!r}")
    return int(number)


def _cached(cells: int, genes: int) -> Path:
    folder = cache_folder() or Path(tempfile.gettempdir()) / "cxg-widget"
    return folder / "demo" / f"blood_{cells}_{genes}.cxg"


def _write(target: Path, cells: int, genes: int) -> None:
    with suppress(FileExistsError):  # another process was faster; `demo` then opens that store
        write_demo(target, cells, genes)
