"""Genes by groups: dot plots (area = share of cells, color = mean) and heat maps."""
# Changes with cxg_widget/session/analysis/plots.py: options of plots of groups.

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.compare.gene_by_group import GroupTable, scaled
from cxg_widget.draw.pages.matplotlib_page import POINTS
from cxg_widget.draw.plots.matrix_layout import Placed, SideLabels, placed
from cxg_widget.draw.plots.plot_style import GroupPlot, Look
from cxg_widget.draw.plots.sheet import BAR_PX, GAP, KEY_PX, TEXT_PX, Sheet, color_of, ends_of, rgb

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_CELL = 22.0
_LARGEST = 18.0
_SIZES = 4
_KEY_HEIGHT, _HEAT_KEY_HEIGHT = 160.0, 60.0


@dataclass(frozen=True)
class GeneMatrix(GroupPlot):
    """Genes by groups.

    Attributes
    ----------
    table : the statistics
    heads : sets of genes, as (name, first gene, one past the last)
    standard_scale : None, "var" or "group"
    swap_axes : whether genes are rows

    Examples
    --------
    >>> plot = w.dotplot(["CD3E", "NKG7"], "condition")
    >>> plot.swap_axes
    False
    """

    table: GroupTable
    look: Look
    heads: tuple[tuple[str, int, int], ...] = ()
    standard_scale: str | None = None
    swap_axes: bool = False

    def frame(self) -> pd.DataFrame:
        """Return a row per group, with columns by (statistic, gene).

        Statistics: `mean` of the values that are not NaN; `share` of them above 0; `scaled`, the mean as colored, with
        `standard_scale`; `sum`; `n` and `n_missing`, the number of values and of NaN.

        Examples
        --------
        >>> w.dotplot("CD3E", "condition").frame().columns.tolist()
        [('mean', 'CD3E'), ('share', 'CD3E'), ('sum', 'CD3E'), ('n', 'CD3E'), ('n_missing', 'CD3E')]
        """
        return self.table.frame(**({"scaled": self._colored()} if self.standard_scale else {}))

    def _colored(self) -> Any:
        """Return the colored values, (groups, genes)."""
        return scaled(self.table.each("mean"), self.standard_scale)

    def _turned(self, values: Any) -> Any:
        return values.T if self.swap_axes else values

    def _sides(self) -> tuple[SideLabels, SideLabels]:
        """Return the labels left of the matrix and below it."""
        groups = SideLabels(self.table.names.labels, colors=self.look.colors)
        genes = SideLabels(self.table.genes, self.heads)
        return (genes, groups) if self.swap_axes else (groups, genes)

    def _placed(self, key_height: float) -> Placed:
        """Lay out the matrix, with room for a legend of some px."""
        rows, columns = self._sides()
        title, note = self.look.title, self.look.note
        return placed(rows, columns, (_CELL, _CELL), self.look.paper, title=title, note=note, key_height=key_height)

    @property
    def _heading(self) -> str:
        return {None: "mean", "var": "mean, 0 to 1", "group": "mean, 0 to 1"}[self.standard_scale]

    def __repr__(self) -> str:
        genes, groups = len(self.table.genes), len(self.table.names.n_cells)
        return f"<{type(self).__name__}: {genes:,} by {groups:,} groups of {' and '.join(self.table.names.columns)}>"


class DotPlot(GeneMatrix):
    """A dot for each gene and group.

    Examples
    --------
    >>> plot = w.dotplot(["CD3E", "NKG7"], "cell_type")
    """

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`; the area of a dot is proportional to the share.

        Examples
        --------
        >>> w.dotplot(["CD3E", "NKG7"], "cell_type").figure().savefig("dots.png")
        """
        drawn = self._placed(_KEY_HEIGHT)
        means, shares = self._turned(self._colored()), self._turned(self.table.each("share"))
        most, ends, stops = _most(shares), ends_of(means), list(self.look.stops)
        y, x = np.nonzero(np.nan_to_num(shares) > 0)
        edge = rgb(self.look.paper.quiet)
        drawn.axes.scatter(
            x + 0.5, y + 0.5, s=_areas(shares[y, x] / most), c=color_of(means[y, x], stops, ends),
            edgecolors=[edge], linewidths=0.4, clip_on=False,
        )  # fmt: skip
        self._draw_sizes(drawn.sheet, drawn.key, most)
        x0, y0 = drawn.key
        drawn.sheet.color_bar(x0, y0 + 4 * TEXT_PX + 3 * GAP + BAR_PX, self._heading, stops, ends)
        return drawn.sheet.figure

    def _draw_sizes(self, sheet: Sheet, at: tuple[float, float], most: float) -> None:
        """Draw the legend of the areas."""
        x, y = at
        sheet.write(x, y + TEXT_PX / 2, "cells above 0", bold=True)
        axes = sheet.axes(x, y + TEXT_PX + GAP, KEY_PX - 20, _LARGEST + 2)
        axes.set_axis_off()
        shares = np.arange(1, _SIZES + 1) / _SIZES
        places = np.arange(_SIZES) + 0.5
        axes.set(xlim=(0, _SIZES), ylim=(0, 1))
        ink = [rgb(self.look.paper.quiet)]
        axes.scatter(places, np.full(_SIZES, 0.5), s=_areas(shares), c=ink, linewidths=0, clip_on=False)
        step = (KEY_PX - 20) / _SIZES
        for place, share in zip(places, shares, strict=True):
            text = f"{100 * share * most:.3g}" + ("%" if share == 1 else "")
            sheet.write(x + place * step, y + 2 * TEXT_PX + GAP + _LARGEST, text, side="center", size=TEXT_PX - 2)


def _areas(parts: Any) -> Any:
    """Return areas in square points."""
    # Proportional to shares. scanpy raises them to 1.5, which hides small shares (decision 61).
    return (_LARGEST * POINTS) ** 2 * parts


def _most(shares: Any) -> float:
    """Return the share of the largest dot: the maximum, rounded up to tenths."""
    greatest = float(np.nanmax(shares, initial=0.0)) if np.isfinite(shares).any() else 0.0
    # Rounding must not add a tenth.
    return max(math.ceil(10 * greatest - 1e-9), 1) / 10


class HeatMap(GeneMatrix):
    """A colored cell for each gene and group.

    Examples
    --------
    >>> plot = w.heatmap(["CD3E", "NKG7"], "cell_type")
    """

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`; gray = the group has no value of the gene.

        Examples
        --------
        >>> w.heatmap(["CD3E", "NKG7"], "cell_type").figure().savefig("heat.pdf")
        """
        drawn = self._placed(_HEAT_KEY_HEIGHT)
        means = self._turned(self._colored())
        ends, stops = ends_of(means), list(self.look.stops)
        image = color_of(means, stops, ends)
        image[np.isnan(means)] = np.array(self.look.paper.missing) / 255
        drawn.axes.imshow(
            image, extent=(0, means.shape[1], means.shape[0], 0), aspect="auto", interpolation="none", origin="upper"
        )
        drawn.sheet.color_bar(*drawn.key, self._heading, stops, ends)
        return drawn.sheet.figure
