"""Columns of the table: headings, and values of some cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.parallel import read_ahead
from cxg_widget.datasets.base.column_values import as_scalar
from cxg_widget.display.color_target import NO_SETS, OwnSets, Target, heading, is_number, resolve
from cxg_widget.display.hover import text_of
from cxg_widget.display.several_genes import mean_vector
from cxg_widget.errors import CxgWidgetError, InvalidStore
from cxg_widget.text.names import shortened

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.datasets.base.dataset import Dataset


@dataclass(frozen=True)
class TableColumn:
    """One column of the table; `error` is the reason why it cannot be shown, "" if it can.

    spec : "obs:NAME", "var:NAME" or "set:NAME"
    name, detail : heading and subheading
    values : of the requested cells, as in pandas; None if they cannot be read
    """

    spec: str
    name: str
    detail: str = ""
    is_number: bool = False
    values: pd.Series[Any] | None = None
    error: CxgWidgetError | None = None

    def texts(self) -> list[str]:
        """Return the values as text, as in the tooltip."""
        if self.values is None:
            return []
        return [text_of(as_scalar(one)) for one in self.values.astype(object)]


def read_columns(
    specs: Sequence[str], dataset: Dataset, layer: str | None, rows: NDArray[np.int64], sets: OwnSets = NO_SETS
) -> list[TableColumn]:
    """Read some rows of columns; a column that fails has an error, and the others are read."""

    def read_one(spec: str) -> TableColumn:
        name = spec.partition(":")[2]
        try:
            target = resolve(spec, dataset, layer, sets)
            name, detail = heading(target, dataset, layer)
            values = _read(target, dataset, layer, rows)
        except CxgWidgetError as error:
            return TableColumn(spec, name, error=error)
        return TableColumn(spec, name, detail, is_number(target, dataset), values)

    read = read_ahead(read_one, specs) if dataset.is_remote else read_one
    return [read(spec) for spec in specs]


def _read(target: Target, dataset: Dataset, layer: str | None, rows: NDArray[np.int64]) -> pd.Series[Any]:
    import pandas as pd

    if target.source == "obs":
        column: pd.Series[Any] = dataset.obs([target.name], rows, index=False)[target.name]
        return column
    if target.source == "var":
        vector = dataset.vector(target.name, layer).take(rows)
    else:
        vectors = (one.take(rows) for one in dataset.vectors(target.genes, layer))
        vector = mean_vector(vectors, len(target.genes), rows.size)
    return pd.Series(vector.dense(rows.size))


def frame_of(columns: Sequence[TableColumn], dataset: Dataset, rows: NDArray[np.int64]) -> pd.DataFrame:
    """Return columns as a DataFrame indexed by the obs index; columns of the same name are called by their specs."""
    import pandas as pd

    failed = next((one.error for one in columns if one.error is not None), None)
    if failed is not None:
        raise failed
    names = [one.name for one in columns]
    found = {
        one.name if names.count(one.name) == 1 else one.spec: one.values.array  # type: ignore[union-attr]
        for one in columns
    }
    try:
        index = dataset.obs([], rows).index
    except InvalidStore:
        index = pd.Index(rows)
    return pd.DataFrame(found, index=index)


def names_of(dataset: Dataset, rows: NDArray[np.int64]) -> list[str]:
    """Return the labels of rows in the obs index, or row numbers if it cannot be read."""
    try:
        return [shortened(str(name)) for name in dataset.obs_names(rows)]
    except CxgWidgetError:
        return [f"row {row:,}" for row in rows.tolist()]
