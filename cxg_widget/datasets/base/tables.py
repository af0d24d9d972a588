"""Columns as a DataFrame; what nobody asked for by name may be unreadable, and is then left out and told."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes, Values, as_plain, to_pandas
from cxg_widget.errors import DamagedStore, InvalidStore

if TYPE_CHECKING:
    import pandas as pd

Read = Callable[[str], Values]
Tell = Callable[[str, Exception], None]


def read_table(
    read: Read,
    names: Iterable[str],
    index: str | None,
    positions: range | NDArray[np.int64],
    *,
    left_out: Tell | None,
    unnamed: Tell,
    called: str | None,
) -> pd.DataFrame:
    """Return columns as a DataFrame.

    Parameters
    ----------
    read : returns the values of one column
    names : the columns, in their order
    index : the column that names the rows, None where there is none
    positions : of the rows in the store; they name the rows where the index does not
    left_out : told of a column that cannot be read; None = its error is raised
    unnamed : told of an index that cannot be read
    called : the name of the index in the result
    """
    import pandas as pd

    found: dict[str, Any] = {}
    for name in names:
        try:
            found[name] = to_pandas(read(name))
        except (InvalidStore, DamagedStore) as error:
            if left_out is None:
                raise
            left_out(name, error)
    return pd.DataFrame(found, index=_read_index(read, index, positions, unnamed, called))


def _read_index(
    read: Read, name: str | None, positions: range | NDArray[np.int64], unnamed: Tell, called: str | None
) -> pd.Index:
    import pandas as pd

    if name is not None:
        try:
            values = read(name)
            plain = as_plain(values) if isinstance(values, Codes) else values
            labels: pd.Index = pd.Index(to_pandas(plain), name=called)
            return labels
        except (InvalidStore, DamagedStore) as error:
            unnamed(name, error)
    return pd.Index(positions)
