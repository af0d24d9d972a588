"""A heat map of the genes that differ: cell types by pairs of conditions, with the number of genes in each field."""
# Changes with cxg_widget/session/analysis/study_genes.py: options of the genes that differ.

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cxg_widget.compare.donors.by_sums import DonorComparison
from cxg_widget.draw.pages.matplotlib_page import POINTS
from cxg_widget.draw.plots.matrix_layout import SideLabels, room_below, write_columns, write_rows
from cxg_widget.draw.plots.plot_style import Look
from cxg_widget.draw.plots.sheet import GAP, KEY_PX, PAD, SMALL_PX, Sheet, color_of, rgb
from cxg_widget.draw.plots.study_page import WIDTH, StudyPlot, page_of
from cxg_widget.study.differences import N_GENES, Differences

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_MOST_WIDE, _LEAST_WIDE, _HIGH, _KEY_HEIGHT = 180.0, 64.0, 22.0, 60.0
"""Px of a column at most and at least, of a row, and of the legend."""


@dataclass(frozen=True, repr=False)
class DifferencesPlot(StudyPlot):
    """Genes that differ between conditions in each cell type, by sums of counts of samples.

    Attributes
    ----------
    differences : the numbers
    notes : sentences about samples that were left out, and what weakens a test

    Examples
    --------
    >>> at = np.arange(80)
    >>> cells = {"x": at, "y": at, "gene_a": at % 3, "gene_b": at % 7, "donor": at // 10, "disease": at // 40}
    >>> w = CxgWidget(cells, var="gene_")
    >>> found = w.study(sample="donor", condition="disease").differences()
    >>> found.title[:30]
    'Genes that differ, sums of cou'
    """

    differences: Differences
    look: Look
    notes: tuple[str, ...]
    _compare: Callable[[str, str, str], DonorComparison] = field(repr=False)

    @property
    def title(self) -> str:
        """What was tested: unit, number of samples, and test.

        Examples
        --------
        >>> at = np.arange(80)
        >>> cells = {"x": at, "y": at, "gene_a": at % 3, "gene_b": at % 7, "donor": at // 10, "disease": at // 40}
        >>> w = CxgWidget(cells, var="gene_")
        >>> found = w.study(sample="donor", condition="disease").differences()
        >>> found.title[:40]
        'Genes that differ, sums of counts of 8 s'
        """
        return self.look.title

    def frame(self) -> pd.DataFrame:
        """Return a row per cell type and pair of conditions, a minus b.

        Returns
        -------
        DataFrame indexed by type, a and b, with `n_genes`, the genes with p_adj < 0.05 (missing if not tested),
        `n_tested`, the genes with a p-value, and `n_a` and `n_b`, the samples of both conditions in the test

        Examples
        --------
        >>> at = np.arange(80)
        >>> cells = {"x": at, "y": at, "gene_a": at % 3, "gene_b": at % 7, "donor": at // 10, "disease": at // 40}
        >>> w = CxgWidget(cells, var="gene_")
        >>> found = w.study(sample="donor", condition="disease").differences()
        >>> found.frame()["n_tested"].tolist()
        [2]
        """
        return self.differences.frame()

    def compare(self, category: str, a: str, b: str) -> DonorComparison:
        """Return the genes of one field; the Compare panel shows them.

        Parameters
        ----------
        category : a cell type, "" if all cells are taken together
        a, b : conditions; `log2fc` is positive for genes that are higher in a

        Returns
        -------
        result with `.frame()`, `.donors` and `.sums`, as `w.compare(method="pseudobulk", by=...)` returns it for the
        same cells

        Raises
        ------
        UnknownName
            If there is no such type or condition.
        SelectionError
            If a condition has fewer than 2 samples with enough cells.

        Examples
        --------
        >>> at = np.arange(80)
        >>> cells = {"x": at, "y": at, "gene_a": at % 3, "gene_b": at % 7, "donor": at // 10, "disease": at // 40}
        >>> w = CxgWidget(cells, var="gene_")
        >>> found = w.study(sample="donor", condition="disease").differences()
        >>> found.compare("", "0", "1").frame().columns[:2].tolist()
        ['mean_a', 'mean_b']
        """
        return self._compare(category, a, b)

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`; gray = not tested.

        Examples
        --------
        >>> at = np.arange(80)
        >>> cells = {"x": at, "y": at, "gene_a": at % 3, "gene_b": at % 7, "donor": at // 10, "disease": at // 40}
        >>> w = CxgWidget(cells, var="gene_")
        >>> found = w.study(sample="donor", condition="disease").differences()
        >>> found.figure().savefig("genes.png")
        """
        return page_of([self])

    @property
    def width(self) -> float:
        """Px of the page that the plot needs: more than that of other parts if there are many pairs of conditions."""
        rows, columns = self._labels()
        return max(WIDTH, _left(rows) + self._cell() * len(columns.texts) + 2 * GAP + KEY_PX + PAD)

    def height(self) -> float:
        """Return the px that the plot needs on a page."""
        rows, columns = self._labels()
        _, below = room_below(columns, self._cell())
        return self.head_height() + max(_HIGH * len(rows.texts) + below, _KEY_HEIGHT)

    def draw(self, sheet: Sheet, top: float) -> None:
        """Draw the plot on a page below some px."""
        found, (rows, columns), wide = self.differences, self._labels(), self._cell()
        n, left, top = found.tests[N_GENES, found.order()], _left(rows), self.write_head(sheet, top)
        width, bottom = wide * n.shape[1], top + _HIGH * len(n)
        axes = sheet.axes(left, top, width, bottom - top)
        axes.set(xlim=(0, n.shape[1]), ylim=(len(n), 0), xticks=[], yticks=[])
        write_rows(sheet, rows, (left, top, left + width), _HIGH)
        write_columns(sheet, columns, (left, top, bottom), wide, lies=room_below(columns, wide)[0])
        most = float(np.nanmax(n, initial=0.0)) if np.isfinite(n).any() else 0.0
        ends, stops = (0.0, max(most, 1.0)), [*self.look.stops]
        image = color_of(n, stops, ends)
        image[np.isnan(n)] = np.array(self.look.paper.missing) / 255
        extent = (0, n.shape[1], n.shape[0], 0)
        axes.imshow(image, extent=extent, aspect="auto", interpolation="none", origin="upper")
        ink, ground = rgb(self.look.paper.ink), rgb(self.look.paper.ground)
        for row, column in np.argwhere(np.isfinite(n)).tolist():
            # The darker or lighter of both, as the field is light or dark.
            is_light = float(image[row, column].mean()) > 0.5
            light, dark = max(ink, ground), min(ink, ground)
            axes.text(
                column + 0.5, row + 0.5, f"{n[row, column]:,.0f}", ha="center", va="center",
                color=dark if is_light else light, fontsize=SMALL_PX * POINTS,
            )  # fmt: skip
        sheet.color_bar(left + width + 2 * GAP, top, "genes that differ", stops, ends)

    def _labels(self) -> tuple[SideLabels, SideLabels]:
        """Return the labels of the types and of the pairs of conditions."""
        found, conditions = self.differences, self.differences.samples.conditions
        rows = SideLabels([found.types[at] or "all cells" for at in found.order().tolist()])
        return rows, SideLabels([f"{conditions[a]} - {conditions[b]}" for a, b in found.samples.condition_pairs])

    def _cell(self) -> float:
        """Return the px of a column."""
        rows, columns = self._labels()
        room = WIDTH - _left(rows) - 2 * GAP - KEY_PX - PAD
        return min(max(room / max(len(columns.texts), 1), _LEAST_WIDE), _MOST_WIDE)


def _left(rows: SideLabels) -> float:
    """Return the px left of the fields."""
    return PAD + rows.length
