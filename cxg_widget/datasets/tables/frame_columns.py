"""The columns of a pandas DataFrame, or of a dict of arrays, as columns of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.anndata.memory_frame import MemoryFrame, label_of
from cxg_widget.datasets.base.column_values import as_time_text, smallest_codes, tidy_categories
from cxg_widget.datasets.base.lifetime import Lifetime
from cxg_widget.datasets.base.obs_columns import MAX_LABELS
from cxg_widget.datasets.base.values import Codes, Values, take_rows
from cxg_widget.datasets.tables.columns import Give, Rows, TableColumns
from cxg_widget.text.half_characters import repaired

if TYPE_CHECKING:
    import pandas as pd


class FrameColumns(TableColumns):
    """The columns of a DataFrame, and the levels of its index if it has several.

    Parameters
    ----------
    frame : neither changed nor copied
    kind : type of the table, for messages
    life : receives a note for each column that is left out
    give : returns rows of named columns (None = all) in the type of the original object; None = as a DataFrame
    """

    def __init__(self, frame: pd.DataFrame, kind: str, life: Lifetime, give: Give | None = None) -> None:
        # A shallow copy, so that columns added to the frame later do not appear here.
        self._frame = frame.copy(deep=False)
        self._kind, self._give = kind, give
        self._memory = MemoryFrame(_with_categories(_with_levels(self._frame)), "obs", life.note)
        self.n, self.columns = self._memory.n, self._memory.columns
        self.index = None if _is_positions(frame.index) else self._memory.index

    @property
    def kind(self) -> str:
        """The type of the table, for messages."""
        return self._kind

    @property
    def in_memory(self) -> bool:
        """Whether the columns are in memory: always true."""
        return True

    @property
    def index_name(self) -> str | None:
        """The name of the index; None = no name."""
        name = self._frame.index.name
        return None if name is None else repaired(str(name))

    def read(self, name: str, rows: Rows) -> Values:
        """Return a column: all rows, the rows at some positions, or those from start to stop."""
        if name == self.index and self._frame.index.dtype.kind in "iu":
            labels: NDArray[Any] = self._frame.index.to_numpy().view()
            return labels[slice(*rows)] if isinstance(rows, tuple) else np.asarray(take_rows(labels, rows))
        values = self._memory.read_block(name, *rows) if isinstance(rows, tuple) else self._memory.read(name, rows)
        # A view, so that locking the result does not lock the arrays of the frame.
        return values.view() if isinstance(values, np.ndarray) else values

    def codes(self, name: str) -> Codes | None:
        """Return text, dates or times as codes; None if there are too many distinct values."""
        series = self._memory.series(name)
        if series.dtype == object and not _holds_texts(series):
            # Convert to text first: for pandas 1 equals True, and it cannot factorize lists.
            series = type(series)(self._memory.read(name, None), dtype=object)
        found, known = series.factorize()
        if len(known) > MAX_LABELS:
            return None
        texts = [as_time_text(one) if series.dtype.kind == "M" else repaired(str(one)) for one in known]
        labels = sorted(set(texts))
        _, categories = tidy_categories(labels)
        place = {label: code for code, label in enumerate(categories)}
        target = np.array([*(place[text] for text in texts), -1], dtype=np.int64)
        return Codes(smallest_codes(target, len(categories))[found], categories)

    def rows_of_all(self, rows: NDArray[np.int64], names: Sequence[str] | None) -> Any:
        """Return rows in the type of the original object, if known, else as a DataFrame."""
        if self._give is not None:
            return self._give(rows, names)
        taken = self._frame.iloc[rows]
        return taken if names is None else taken.iloc[:, [self.all_names().index(name) for name in names]]

    def all_names(self) -> list[str]:
        """Return the names of all columns, including those that cannot be shown."""
        return [repaired(label_of(name)) for name in self._frame.columns]


def _is_positions(index: pd.Index) -> bool:
    """Return whether an index has no name and counts the rows from 0."""
    import pandas as pd

    return isinstance(index, pd.RangeIndex) and index.name is None and (index.start, index.step) == (0, 1)


def _holds_texts(series: pd.Series) -> bool:
    import pandas as pd

    return pd.api.types.infer_dtype(series, skipna=True) in ("string", "empty")


def _with_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with Arrow dictionaries as categoricals, whose categories keep their order."""
    found = frame
    for position, dtype in enumerate(frame.dtypes):
        if hasattr(dtype, "pyarrow_dtype") and getattr(dtype.type, "__name__", "") == "CategoricalDtypeType":
            found = frame.copy(deep=False) if found is frame else found
            found.isetitem(position, frame.iloc[:, position].array.__arrow_array__().to_pandas().array)
    return found


def _with_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with the levels of its index as columns too, if there are several."""
    if frame.index.nlevels == 1:
        return frame
    found = frame.copy(deep=False)
    if found.columns.nlevels > 1:
        found.columns = [label_of(name) for name in found.columns]
    for level, name in enumerate(frame.index.names):
        label = f"level {level}" if name is None else str(name)
        if label not in found.columns:
            found.insert(level, label, frame.index.get_level_values(level))
    return found
