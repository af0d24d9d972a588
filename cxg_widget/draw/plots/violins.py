"""Violins: the distribution of a gene in each group, drawn from a histogram."""
# Changes with cxg_widget/session/analysis/plots.py: options of plots of groups.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cxg_widget.color.rgb import hex_rgb
from cxg_widget.compare.gene_by_group import Binned, Floats, GroupTable
from cxg_widget.draw.lettering import fitted
from cxg_widget.draw.pages.matplotlib_page import POINTS
from cxg_widget.draw.plots.matrix_layout import SideLabels, room_below, write_columns
from cxg_widget.draw.plots.plot_style import GroupPlot, Look
from cxg_widget.draw.plots.sheet import GAP, NOTE_ROOM, PAD, TEXT_PX, TITLE_ROOM, Sheet, rgb
from cxg_widget.errors import UnknownName
from cxg_widget.text.names import not_found

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE, _LEAST_WIDE, _HIGH, _TICKS, _BETWEEN = 34.0, 280.0, 130.0, 62.0, 10.0
_HALF = 0.44
"""Largest half width of a violin, as a share of its column."""


@dataclass(frozen=True)
class Violins(GroupPlot):
    """Violins of one or more genes by groups, one below the other.

    Attributes
    ----------
    table : the statistics
    binned : histograms of each gene
    medians : of each gene, float64 (groups,)

    Examples
    --------
    >>> plot = w.violin(["CD3E", "NKG7"], "condition")
    """

    table: GroupTable
    binned: Sequence[Binned]
    medians: Sequence[Floats]
    look: Look

    def frame(self) -> pd.DataFrame:
        """Return a row per group, with columns by (statistic, gene).

        Statistics: `mean` of the values that are not NaN, `share` of them above 0, `median`, `min` and `max`; `sum`;
        `n` and `n_missing`, the number of values and of NaN.

        Examples
        --------
        >>> w.violin("NKG7", "condition").frame()["median"].shape
        (2, 1)
        """
        some = self.table.each("n") > 0
        ends = {
            name: np.where(some, self.table.each(of), np.nan) for name, of in (("min", "least"), ("max", "greatest"))
        }
        return self.table.frame(median=np.column_stack(self.medians), **ends)

    def bins(self, gene: str | None = None) -> pd.DataFrame:
        """Return histograms of the finite values, 200 bins, int64: groups as rows, intervals as columns.

        Parameters
        ----------
        gene : one of the genes; None = the first

        Examples
        --------
        >>> w.violin("NKG7", "condition").bins("NKG7").shape
        (2, 200)
        """
        import pandas as pd

        genes = self.table.genes
        if gene is not None and gene not in genes:
            raise UnknownName(not_found("gene", gene, genes, "this plot"))
        found = self.binned[0 if gene is None else genes.index(gene)]
        columns = pd.IntervalIndex.from_breaks(found.edges, closed="left")
        return pd.DataFrame(found.counts, index=self.table.names.index(), columns=columns)

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`; all violins have the same maximum width, the line is the median.

        Examples
        --------
        >>> w.violin("NKG7", "condition").figure().savefig("violin.svg")
        """
        labels, n = SideLabels(self.table.names.labels), len(self.table.genes)
        wide = max(_WIDE, _LEAST_WIDE / max(len(labels.texts), 1))
        lies, below = room_below(labels, wide)
        left, top = PAD + TEXT_PX + GAP + _TICKS, PAD + TITLE_ROOM
        width, height = wide * len(labels.texts), n * (_HIGH + _BETWEEN) - _BETWEEN
        floor = top + height + below + (NOTE_ROOM if self.look.note else 0)
        sheet = Sheet(left + width + PAD, floor + PAD, self.look.paper)
        sheet.write_around(self.look.title, self.look.note, floor)
        for at, (gene, found, medians) in enumerate(zip(self.table.genes, self.binned, self.medians, strict=True)):
            y = top + at * (_HIGH + _BETWEEN)
            sheet.write(PAD + TEXT_PX / 2, y + _HIGH / 2, fitted(gene, TEXT_PX, _HIGH), side="center", upright=True)
            self._draw(sheet.axes(left, y, width, _HIGH), found, medians)
        write_columns(sheet, labels, (left, top, top + height), wide, lies=lies)
        return sheet.figure

    def _draw(self, axes: Axes, found: Binned, medians: Floats) -> None:
        """Draw the violins of one gene."""
        low, high = found.edges[0], found.edges[-1]
        room = 0.03 * (high - low)
        axes.set(xlim=(0, len(found.counts)), ylim=(low - room, high + room), xticks=[])
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        ink = rgb(self.look.paper.ink)
        for group, color in enumerate(self.look.colors):
            density, middle = found.density(group), group + 0.5
            if not density.any():
                continue
            # A violin ends at its last cell: the tails of a Gaussian would show cells that do not exist (decision 61).
            inside = np.flatnonzero(density)
            half = _HALF * density[inside] / density.max()
            axes.fill_betweenx(
                found.centres[inside], middle - half, middle + half, color=rgb(hex_rgb(color)), linewidth=POINTS
            )
            at = float(np.interp(medians[group], found.centres[inside], half))
            axes.plot([middle - at, middle + at], [medians[group]] * 2, color=ink, linewidth=POINTS)

    def __repr__(self) -> str:
        names = self.table.names
        what = f"{', '.join(self.table.genes[:4])} in {len(names.n_cells):,} groups"
        return f"<Violins: {what} of {' and '.join(names.columns)}>"
