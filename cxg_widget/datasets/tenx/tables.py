"""Reads tables by barcode next to a matrix: projections, clusters, cell types, tissue positions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import factorize, smallest_codes
from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.values import Codes
from cxg_widget.datasets.tenx.files import opened
from cxg_widget.errors import DamagedStore, InvalidStore, MissingDependency

if TYPE_CHECKING:
    import pandas as pd

_LIST_COLUMNS = ("barcode", "in_tissue", "array_row", "array_col", "pxl_row_in_fullres", "pxl_col_in_fullres")
"""Columns of tissue_positions_list.csv, which has no header."""


def columns_of(path: Path, uri: str, meter: Meter) -> list[str]:
    """Return the names of the columns of a file except the barcodes; reads only the first line of a CSV."""
    if path.suffix == ".parquet" or path.name == "tissue_positions_list.csv":
        return list(_LIST_COLUMNS[1:])
    with opened(path, uri, meter) as file:
        return [name.strip() for name in file.readline(1 << 16).decode("utf-8", "replace").split(",")][1:]


def read_table(path: Path, uri: str, barcodes: pd.Index, meter: Meter, note: Callable[[str], None]) -> pd.DataFrame:
    """Return the rows of a file in the order of the barcodes; a note counts barcodes that it lacks, which are NaN.

    Raises
    ------
    DamagedStore
        If the file cannot be read.
    InvalidStore
        If it has none of the barcodes.
    MissingDependency
        If it is Parquet and pyarrow is not installed.
    """
    import pandas as pd

    if path.suffix == ".csv" and not _is_ended(path):
        note(f"{path.parent.name}/{path.name} may be cut off: its last line does not end with a newline.")
    try:
        if path.suffix == ".parquet":
            meter.add(path.stat().st_size)
            found = pd.read_parquet(path)
            found = found.set_index("barcode") if "barcode" in found else found
        else:
            has_names = path.name != "tissue_positions_list.csv"
            named: dict[str, Any] = {} if has_names else {"header": None, "names": list(_LIST_COLUMNS)}
            with opened(path, uri, meter) as file:
                found = pd.read_csv(file, index_col=0, **named)
    except DamagedStore:
        raise
    except ImportError as error:
        raise MissingDependency(f"{uri}: {path.name} needs pyarrow: pip install pyarrow") from error
    except (OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DamagedStore(f"{uri}: {path.name} cannot be read as a table by barcode ({reason}).") from error
    found = found[~found.index.duplicated()]
    known = barcodes.isin(found.index)
    if len(barcodes) and not known.any():
        raise InvalidStore(f"{uri}: {path.name} has none of the barcodes of the matrix.")
    if not known.all():
        n, name = int((~known).sum()), f"{path.parent.name}/{path.name}"
        note(f"{name} has no row for {n:,} of {len(barcodes):,} cells, so they have no value there.")
    return found.reindex(barcodes)


def _is_ended(path: Path) -> bool:
    with path.open("rb") as file:
        return file.seek(0, 2) == 0 or (file.seek(-1, 2) >= 0 and file.read(1) == b"\n")


def samples_of(path: Path, uri: str, barcodes: pd.Index, meter: Meter) -> pd.DataFrame:
    """Return the line of aggregation.csv for each barcode; the suffix of a barcode, such as -2, is the line number."""
    import pandas as pd

    with opened(path, uri, meter) as file:
        found = pd.read_csv(file, dtype=str)
    ends = [str(one).rpartition("-")[2] for one in barcodes]
    numbers = [int(end) if end.isdecimal() else 0 for end in ends]
    return found.set_axis(range(1, len(found) + 1)).reindex(numbers)


def column_of(table: pd.DataFrame, name: str, path: Path, uri: str) -> pd.Series:
    """Return a column; raise `InvalidStore` if the table does not have it."""
    if name not in table:
        raise InvalidStore(f"{uri}: {path.name} has no column {name!r}; found {', '.join(map(str, table))}.")
    return table[name]


def numbers_of(values: pd.DataFrame | pd.Series, path: Path, uri: str) -> NDArray[np.float64]:
    """Return values as numbers, NaN = missing; raise `DamagedStore` if they are not numbers."""
    try:
        return values.to_numpy(np.float64)
    except (ValueError, TypeError) as error:
        raise DamagedStore(f"{uri}: {path.name} has text where numbers are expected ({error}).") from error


def as_labels(values: pd.Series) -> Codes:
    """Return labels as codes, with categories in numerical or alphabetical order."""
    found = values.to_numpy(copy=True)
    if found.dtype == object:
        found[values.isna().to_numpy()] = None
    codes, categories = factorize(found)
    whole = all(float(label).is_integer() for label in categories if isinstance(label, float))
    names = tuple(str(int(label) if isinstance(label, float) and whole else label) for label in categories)
    return Codes(smallest_codes(codes, len(names)), names)


def as_whole(found: NDArray[np.float64]) -> NDArray[Any]:
    """Return integers as int64, or unchanged as float64 if some are missing."""
    return found if np.isnan(found).any() else found.astype(np.int64)


def as_booleans(found: NDArray[np.float64]) -> Codes:
    """Return 0 as False, numbers above 0 as True, and NaN as missing."""
    return Codes(np.where(np.isnan(found), -1, found > 0).astype(np.int8), (False, True))
