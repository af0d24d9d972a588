"""Fields of the tooltip: those chosen by the user, or the most informative ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from cxg_widget.datasets.base.location import is_remote
from cxg_widget.datasets.base.values import as_plain
from cxg_widget.display.color_target import NO_SETS, OwnSets, Target, heading, resolve
from cxg_widget.display.several_genes import mean_value
from cxg_widget.errors import CxgWidgetError, UnknownName

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Column, Dataset, Kind

Chosen = tuple[str, ...] | None
"""The trait `hover`; None = default fields."""

MOST_FIELDS = 5
"""Default number of obs columns in the tooltip, without the column that colors the cells."""
_HELD_ROWS = 1 << 22
"""Up to this many rows, columns are read whole at the first hover; that takes as long as some dozens of rows."""
_HELD_BYTES = 1 << 26
"""For more rows, limit of bytes of the columns that are kept in memory."""
_WIDTHS: dict[Kind, int] = {"categorical": 1, "boolean": 1, "int": 8, "float": 8}
"""Least bytes per row of a column in memory; unknown for text that was not read."""
_LOOKS = 3
_TEXT_ROWS = 50_000
"""Rows of a text column that are read to decide whether it is informative."""
_SOME_ROWS, _FEW_ROWS = 200, 20
_IDENTIFIER = re.compile(
    r"""(^|[_.\s-])(uuid|guid|barcodes?|joinid|ontology_term_id|accession|(cell|obs|dataset|soma|row)_?id)$
    | ^(id|index|name_\d+|(obs|cell)_?names?|cellid)$""",
    re.IGNORECASE | re.VERBOSE,
)


class Fields:
    """Fields of cells: those chosen, or five obs columns that are neither identifiers nor constant.

    columns : candidates for the default, most informative first
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self.columns = columns_that_tell(dataset)

    def hold(self, chosen: Chosen, layer: str | None, sets: OwnSets = NO_SETS) -> None:
        """Read the fields of all cells, if they are small and local; drop uninformative columns."""
        if is_remote(self._dataset.uri):
            return
        if chosen is None:
            self._hold_default()
            return
        targets = self._targets(chosen, layer, sets)
        self._hold(one.name for one in targets if one.source == "obs")
        with suppress(CxgWidgetError):  # the tooltip of the cell reports it
            if self._is_small:
                for _ in self._dataset.vectors([gene for one in targets for gene in genes_of(one)], layer):
                    pass

    def _hold_default(self) -> None:
        found: list[str] = []
        left = self.columns
        for _ in range(_LOOKS):
            wanted = MOST_FIELDS + 1 - len(found)  # one of them may be the color
            looked_at, left = left[:wanted], left[wanted:]
            self._hold(looked_at)
            found += [name for name in looked_at if not self._says_nothing(name)]
            if not left or len(found) > MOST_FIELDS:
                break
        self.columns = found + left

    def _hold(self, columns: Iterable[str]) -> None:
        names = list(columns)
        self._dataset.hold(names if self._is_small else self._light(names), index=self._is_small)

    @property
    def _is_small(self) -> bool:
        return self._dataset.n_obs <= _HELD_ROWS

    def _light(self, columns: list[str]) -> list[str]:
        """Return the leading columns that take at most `_HELD_BYTES` together."""
        room, light = _HELD_BYTES, []
        for name in columns:
            width = _WIDTHS.get(self._dataset.obs_columns[name].kind)
            if width is not None and (room := room - width * self._dataset.n_obs) >= 0:
                light.append(name)
        return light

    def _says_nothing(self, name: str) -> bool:
        """Return whether a column in memory is constant or, as text, different in each row."""
        dataset, is_whole = self._dataset, self._dataset.n_obs <= _TEXT_ROWS
        if dataset.is_constant(name):
            return True
        if dataset.obs_columns[name].kind != "string":
            return False
        with suppress(CxgWidgetError):
            rows = dataset.n_obs if is_whole else _SOME_ROWS
            n = len(set(as_plain(dataset.values_block(name, 0, rows)).tolist()))
            return (n == rows >= _FEW_ROWS) or (is_whole and n < 2)
        return False

    def of(
        self, row: int, chosen: Chosen, layer: str | None, sets: OwnSets = NO_SETS, *, without: str = ""
    ) -> list[tuple[str, str, Any]]:
        """Return heading, spec and value of the fields of a row, in order; reads one row if the store can.

        The spec is that of `Target`: a gene may have the same heading as an obs column.

        without : obs column that is already shown; it is repeated if the user chose it
        """
        if chosen is None:
            names = [name for name in self.columns if name != without][:MOST_FIELDS]
            record = self._dataset.obs_record(row, names) if names else {}
            return [(name, f"obs:{name}", value) for name, value in record.items()]
        targets = self._targets(chosen, layer, sets)
        columns = [one.name for one in targets if one.source == "obs"]
        record = self._dataset.obs_record(row, columns) if columns else {}
        genes = list(dict.fromkeys(gene for one in targets for gene in genes_of(one)))
        numbers = dict(zip(genes, self.numbers(genes, row, layer), strict=True))
        return [
            (one.name, one.spec, record[one.name])
            if one.source == "obs"
            else (heading(one, self._dataset, layer)[0], one.spec, mean_value([numbers[own] for own in genes_of(one)]))
            for one in targets
        ]

    def numbers(self, genes: Sequence[str], row: int, layer: str | None) -> list[float]:
        """Return the values of genes in one row."""
        vectors = self._dataset.vectors_block(genes, layer, row, row + 1) if genes else ()
        return [float(vector.dense(1)[0]) for vector in vectors]

    def _targets(self, chosen: tuple[str, ...], layer: str | None, sets: OwnSets) -> list[Target]:
        found = []
        for name in chosen:
            with suppress(UnknownName):  # a gene of X that the current layer lacks
                found.append(resolve(name, self._dataset, layer, sets))
        return found


def genes_of(target: Target) -> tuple[str, ...]:
    """Return the genes of a gene or a gene list."""
    return (target.name,) if target.source == "var" else target.genes


def columns_that_say_most(dataset: Dataset) -> list[str]:
    """Return the default obs columns; small local columns are read to rank them."""
    fields = Fields(dataset)
    fields.hold(None, None)
    return fields.columns[:MOST_FIELDS]


def columns_that_tell(dataset: Dataset) -> list[str]:
    """Return the obs columns that are neither identifiers nor known to be constant, categories first; reads nothing."""
    columns = [
        one
        for one in dataset.obs_columns.values()
        if not is_identifier(one, dataset.n_obs) and not dataset.is_constant(one.name)
    ]
    columns.sort(key=lambda one: one.kind not in ("categorical", "boolean"))
    return [one.name for one in columns]


def is_identifier(column: Column, n_obs: int) -> bool:
    """Return whether a column identifies rows or terms, judged by name and schema."""
    if _IDENTIFIER.search(column.name):
        return True
    return column.kind == "categorical" and n_obs >= _FEW_ROWS and (column.n_categories or 0) > n_obs / 2
