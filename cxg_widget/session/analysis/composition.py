"""Composition of the selection and of sets by a column, for open panels and for Python."""
# Changes with cxg_widget/compare/composition.py: numbers of an enrichment.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.composition import Composition, by_donor, frame_of_composition
from cxg_widget.counts.coded import MOST_BINS
from cxg_widget.counts.counter import Column, Counter, Tally, index_of, n_rows_of
from cxg_widget.errors import InvalidValue, SelectionError
from cxg_widget.rules.forms import Rule
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.cells.loader import Loader
    from cxg_widget.display.settings import Settings
    from cxg_widget.session.analysis.column_counts import Columns
    from cxg_widget.session.analysis.meant import Population

Mask = NDArray[np.bool_]
_NONE: NDArray[Any] = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Chosen:
    """Composition of the selected cells, sent with the counts of a column.

    chosen, held : int64 (n_codes,), selected cells and all; empty without a selection
    odds, log10_p_adj : float64 (n_codes,), as `Composition`; empty for numbers
    enriched : int64 (n_codes,), the codes, most enriched first; empty for numbers
    """

    chosen: NDArray[np.int64]
    held: NDArray[np.int64]
    odds: NDArray[np.float64]
    log10_p_adj: NDArray[np.float64]
    enriched: NDArray[np.int64]

    @property
    def n_chosen(self) -> int:
        """Number of selected cells that pass."""
        return int(self.chosen.sum())

    @property
    def n_held(self) -> int:
        """Number of cells that pass."""
        return int(self.held.sum())

    def arrays(self, rows: Sequence[int]) -> dict[str, NDArray[Any]]:
        """Return the arrays to send for some rows, [] = all."""
        counts = {"chosen": self.chosen, "held": self.held}
        numbers = {"odds": self.odds, "log10_p": self.log10_p_adj}
        with np.errstate(over="ignore"):
            return {name: _some(one, rows).astype(np.uint32) for name, one in counts.items()} | {
                name: _some(one, rows).astype(np.float32) for name, one in numbers.items()
            }


NOTHING = Chosen(_NONE, _NONE, _NONE, _NONE, _NONE)


def _some(values: NDArray[Any], rows: Sequence[int]) -> NDArray[Any]:
    found: NDArray[Any] = values[list(rows)] if rows and values.size else values
    return found


def chosen_of(counter: Counter, column: Column, rules: Sequence[Rule], mask: Mask, tally: Tally) -> Chosen:
    """Return the composition of the selected cells, counted again if the column has a filter."""
    if not tally.selected.any():
        return NOTHING
    if counter.own_rule(column, rules) is not None:
        tally = counter.count(column, rules, mask, except_own=False)
    if not tally.chosen.any() or tally.coded.categories is None:
        return Chosen(tally.chosen, tally.filtered, _NONE, _NONE, _NONE)
    n = n_rows_of(tally)
    found = Composition(tally.chosen[:n], tally.filtered[:n])
    odds, log10_p = (np.pad(one, (0, tally.coded.n_codes - n)) for one in (found.odds_ratio, found.log10_p_adj))
    return Chosen(tally.chosen, tally.filtered, odds, log10_p, found.by_enrichment())


def composition_frame(
    columns: Columns, loader: Loader, now: tuple[Settings, Mask, Population], name: Any, by: Any
) -> pd.DataFrame:
    """Return the composition of some cells; as `CxgWidget.composition`.

    now : settings, set of cells, and cells that count
    """
    (settings, mask, population), many = now, loader.dataset.obs_noun.many
    column = _column_of(name, "column", columns, settings)
    counter = loader.of(settings).counter
    donors = None if by is None else _donors(by, column, loader, columns, settings)
    if not mask.any():
        raise SelectionError(f"composition() needs {many}, and there are none: select some, or name a set by of=.")
    rules = population.rules
    tally = counter.count(column, rules, mask, except_own=False)
    rows = slice(n_rows_of(tally))
    found = Composition(tally.chosen[rows], tally.filtered[rows])
    if found.n_drawn == 0:
        which = population.description or "of the dataset"
        raise SelectionError(f"composition() needs {many} {which}, and the set has none.")
    pairs = None
    if donors is not None:
        held, drawn = counter.count_by(column, donors, rules, mask)
        pairs = by_donor(drawn[rows], held[rows])
    return frame_of_composition(found, index_of(column[1], tally), pairs)


def _column_of(name: Any, what: str, columns: Columns, settings: Settings) -> Column:
    if not isinstance(name, str):
        raise InvalidValue(f"composition() takes the name of a column as {what}; found {shown(name)}")
    return columns.resolved(name, settings)


def _donors(by: Any, column: Column, loader: Loader, columns: Columns, settings: Settings) -> Column:
    """Return the column of donors, checked before anything is counted."""
    donors = _column_of(by, "by", columns, settings)
    known = loader.dataset.obs_columns.get(donors[1]) if donors[0] == "obs" else None
    wanted = "by must be an obs column of categories, such as donors"
    if known is None or known.kind == "float":
        raise InvalidValue(f"{wanted}; {shown(by)} holds numbers")
    if known.kind == "int" and (np.diff(loader.of(settings).counter.coded(donors).edges) != 1).any():
        way = f"w.annotations.new('donors', of={shown(donors[1])}) makes categories"
        raise InvalidValue(f"{wanted}; {shown(by)} holds numbers further apart than {MOST_BINS}, of which {way}")
    if donors == column:
        raise InvalidValue(f"by must be another column than the one whose shares are requested, {shown(by)}")
    return donors
