"""Plots of a study: one small plot per row, one point per sample, by condition."""
# Changes with cxg_widget/session/analysis/study.py: plots of a study.

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cxg_widget.color.rgb import hex_rgb
from cxg_widget.compare.moments import Floats
from cxg_widget.draw.lettering import fitted
from cxg_widget.draw.pages.matplotlib_page import POINTS
from cxg_widget.draw.plots.plot_style import Look
from cxg_widget.draw.plots.sheet import GAP, PAD, SMALL_PX, TEXT_PX, Sheet, rgb
from cxg_widget.draw.plots.study_page import ACROSS, PLOT_PX, TICKS_PX, WIDTH, StudyPlot, page_of
from cxg_widget.study.columns import SampleColumn
from cxg_widget.study.measured import Measured
from cxg_widget.study.samples import StudySamples

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HIGH, _SWATCH = 110.0, 10.0
_LEGEND, _LINE = _SWATCH + GAP, TEXT_PX + 2
_JITTER = 0.22


@dataclass(frozen=True)
class Strip:
    """One small plot: values (n_samples,), NaN = none; ticks : labels of whole values, () = numbers.

    name, category : lines above it, the first in bold, "" = no line; in one line, both would be cut
    """

    name: str
    category: str
    below: str
    values: Floats
    ticks: tuple[str, ...] = ()


class SamplePlot(StudyPlot):
    """A plot of samples as points."""

    @abstractmethod
    def strips(self) -> Sequence[Strip]:
        """Return the small plots."""

    @abstractmethod
    def shown_samples(self) -> StudySamples:
        """Return the samples whose points are drawn."""

    def height(self) -> float:
        """Return the px that the plot needs on a page."""
        strips = self.strips()
        return self.head_height() + _LEGEND + -(-len(strips) // ACROSS) * _row_height(strips)

    def draw(self, sheet: Sheet, top: float) -> None:
        """Draw the plot on a page below some px."""
        samples = self.shown_samples()
        x, y = float(PAD), self.write_head(sheet, top)
        for color, label in zip(self.look.colors, samples.conditions, strict=False):
            sheet.swatch(x, y, rgb(hex_rgb(color)))
            sheet.write(x + _SWATCH + GAP / 2, y + _SWATCH / 2, fitted(label, SMALL_PX, PLOT_PX), size=SMALL_PX)
            x += _SWATCH + GAP + PLOT_PX
            if x + PLOT_PX > WIDTH:
                break
        first, strips = y + _LEGEND, self.strips()
        for at, strip in enumerate(strips):
            row, column = divmod(at, ACROSS)
            left = PAD + TICKS_PX + column * (PLOT_PX + TICKS_PX)
            y = first + row * _row_height(strips)
            for title, bold in ((strip.name, True), (strip.category, False)):
                if title:
                    text = fitted(title, TEXT_PX, PLOT_PX + TICKS_PX - GAP, bold=bold)
                    sheet.write(left, y + TEXT_PX / 2, text, bold=bold)
                    y += _LINE
            self._draw_strip(sheet.axes(left, y + 2, PLOT_PX, _HIGH - TEXT_PX), strip, samples)
            below = fitted(strip.below, SMALL_PX, PLOT_PX + TICKS_PX / 2)
            sheet.write(left, y + _HIGH - 2, below, size=SMALL_PX, quiet=True)

    def _draw_strip(self, axes: Axes, strip: Strip, samples: StudySamples) -> None:
        n = len(samples.conditions)
        axes.set(xlim=(-0.5, n - 0.5), xticks=[])
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        # A fixed place for each sample, so that equal values do not hide each other and pictures do not change.
        places = samples.condition + np.random.default_rng(0).uniform(-_JITTER, _JITTER, len(samples))
        shown = ~samples.excluded & np.isfinite(strip.values)
        for label in sorted(set(samples.pairs) - {""}):
            ends = [at for at in np.flatnonzero(shown).tolist() if samples.pairs[at] == label]
            axes.plot(places[ends], strip.values[ends], color=rgb(self.look.paper.quiet), linewidth=0.6 * POINTS)
        colors = [rgb(hex_rgb(self.look.colors[at])) for at in samples.condition[shown].tolist()]
        axes.scatter(places[shown], strip.values[shown], s=(5 * POINTS) ** 2, c=colors, linewidths=0, zorder=3)
        for at in range(n):
            some = strip.values[shown & (samples.condition == at)]
            if some.size and not strip.ticks:
                axes.plot([at - 0.3, at + 0.3], [np.median(some)] * 2, color=rgb(self.look.paper.ink), linewidth=POINTS)
        if strip.ticks:
            axes.set_yticks(range(len(strip.ticks)), [fitted(one, SMALL_PX, TICKS_PX - 6) for one in strip.ticks])
            axes.set_ylim(-0.5, len(strip.ticks) - 0.5)

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`: one point per sample, lines between pairs, bars at medians."""
        return page_of([self])


@dataclass(frozen=True, repr=False)
class MeasuredPlot(SamplePlot):
    """Shares or expression by sample, with tests between conditions.

    Attributes
    ----------
    measured : values of each row in each sample

    Examples
    --------
    >>> shares = w.study(sample="donor", condition="condition").composition("cell_type")
    >>> shares.title[:35]
    "Share of each value of 'cell_type' "
    """

    measured: Measured
    look: Look
    notes: tuple[str, ...]

    def frame(self) -> pd.DataFrame:
        """Return a row per row and sample: condition, n (cells), and share or value.

        Examples
        --------
        >>> w.study(sample="donor", condition="condition").composition("cell_type").frame().columns.tolist()
        ['condition', 'n', 'share']
        """
        return self.measured.frame()

    def test(self) -> pd.DataFrame:
        """Return effect, statistic, p, p_adj, n_a and n_b of each row and pair of conditions, a minus b.

        Examples
        --------
        >>> found = w.study(sample="donor", condition="condition").composition("cell_type").test()
        >>> list(found.index.names)
        ['cell_type', 'a', 'b']
        """
        return self.measured.test()

    def shown_samples(self) -> StudySamples:
        """Return the samples."""
        return self.measured.samples

    def strips(self) -> Sequence[Strip]:
        """Return a small plot per row, the largest effects first."""
        tests, values, found = self.measured.tests, self.measured.values, []
        for row in tests.order().tolist():
            below = ""
            if tests.pairs and np.isfinite(tests.p_adj[row, 0]):
                below = f"effect {tests.effect[row, 0]:.2g}, p_adj {tests.p_adj[row, 0]:.2g}"
            gene, category = self.measured.labels[row]
            found.append(Strip(gene, category, below, values[row]))
        return found


@dataclass(frozen=True, repr=False)
class CovariatePlot(SamplePlot):
    """Covariates of samples by condition.

    Attributes
    ----------
    samples : the samples

    Examples
    --------
    >>> plot = w.study(sample="donor", condition="condition", covariates=["sex"]).covariates()
    """

    samples: StudySamples
    look: Look
    notes: tuple[str, ...]

    def frame(self) -> pd.DataFrame:
        """Return a row per sample that is not excluded, with its condition and covariates.

        Examples
        --------
        >>> study = w.study(sample="donor", condition="condition", covariates=["sex"])
        >>> study.covariates().frame().columns.tolist()
        ['condition', 'sex']
        """
        found, design = self.samples.frame(), self.samples.design
        return found.loc[~self.samples.excluded, [design.condition, *design.covariates]]

    def shown_samples(self) -> StudySamples:
        """Return the samples."""
        return self.samples

    def strips(self) -> Sequence[Strip]:
        """Return a small plot per covariate."""
        return [_strip_of(one) for one in self.samples.covariates if not np.isnan(one.values).all()]


def _row_height(strips: Sequence[Strip]) -> float:
    n_lines = max((bool(one.name) + bool(one.category) for one in strips), default=1)
    return _HIGH + 3 * TEXT_PX + GAP + _LINE * (n_lines - 1)


def _strip_of(column: SampleColumn) -> Strip:
    """Return a plot of a covariate, with the categories that samples have as ticks."""
    if column.kind == "number":
        return Strip(column.name, "", "", column.values)
    used = np.unique(column.values[~np.isnan(column.values)])
    places = np.where(np.isnan(column.values), np.nan, np.searchsorted(used, column.values))
    return Strip(column.name, "", "", places, tuple(column.categories[int(at)] for at in used.tolist()))
