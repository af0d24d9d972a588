"""Reads text files whose first line has the names of the columns."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.metered_file import MeteredFile
from cxg_widget.errors import DamagedStore

if TYPE_CHECKING:
    import pandas as pd

_GZIP = b"\x1f\x8b"
_BEGIN = 1 << 16
_QUOTED = re.compile('"[^"]*"')
_COMMA_NUMBER = re.compile(r"(^|;)-?\d+,\d+(;|$)", re.MULTILINE)


def read_csv(path: Path, meter: Meter, uri: str) -> pd.DataFrame:
    """Return all of a file; a first column without a name is the index, as pandas writes it."""
    import pandas as pd
    from pandas.errors import EmptyDataError

    try:
        with io.BufferedReader(MeteredFile(path, meter)) as raw:
            file = gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == _GZIP else raw
            begin = file.readline(_BEGIN).decode("utf-8-sig") + file.read(_BEGIN).decode(errors="replace")
            first = next(iter(begin.splitlines()), "")
            if not first:
                raise EmptyDataError("its first line is empty; that line must name the columns")
            file.seek(0)
            separator = max(",\t;|", key=_QUOTED.sub("", first).count)
            # If the decimal mark is a comma, spreadsheets separate columns by semicolons.
            decimal = "," if separator == ";" and _COMMA_NUMBER.search(begin) else "."
            # Without low_memory=False, a column of text and numbers would change its type in the middle.
            found = pd.read_csv(file, sep=separator, decimal=decimal, encoding="utf-8-sig", low_memory=False)
        names = next(csv.reader([first], delimiter=separator), [])
    except (OSError, EOFError, zlib.error, csv.Error, ValueError) as error:
        is_cut = isinstance(error, OSError | EOFError | zlib.error)
        how = f"read it with other options: CxgWidget(pandas.read_csv({str(path)!r}, encoding='latin-1'))"
        raise DamagedStore(
            f"{uri} cannot be read as CSV: {' '.join(str(error).split())[:300]}" + ("" if is_cut else f"; {how}")
        ) from None
    if names and not names[0] and len(names) == len(found.columns):
        found = found.set_index(found.columns[0]).rename_axis(None)
    return found
