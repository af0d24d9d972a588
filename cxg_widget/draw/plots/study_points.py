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
from cxg_widget.draw.plots.plot_style import GroupPlot, Look
from cxg_widget.draw.plots.sheet import GAP, PAD, SMALL_PX, TEXT_PX, TITLE_PX, Sheet, rgb
from cxg_widget.study.columns import SampleColumn
from cxg_widget.study.measured import Measured
from cxg_widget.study.samples import StudySamples

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDE, _HIGH, _TICKS, _ACROSS = 128.0, 110.0, 48.0, 4
_HEAD = TITLE_PX + 2 * TEXT_PX + 3 * GAP
_SWATCH = 10.0
WIDTH = 2 * PAD + _ACROSS * (_WIDE + _TICKS)
_JITTER = 0.22


@dataclass(frozen=True)
class Strip:
    """One small plot: values (n_samples,), NaN = none; ticks : labels of whole values, () = numbers."""

    title: str
    below: str
    values: Floats
    ticks: tuple[str, ...] = ()


class StudyPlot(GroupPlot):
    """A plot of samples as points.

    Attributes
    ----------
    notes : sentences about samples that were left out, and what weakens a test
    """

    look: Look
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """What was measured: unit, number of samples, and test."""
        return self.look.title

    @abstractmethod
    def strips(self) -> Sequence[Strip]:
        """Return the small plots."""

    @abstractmethod
    def shown_samples(self) -> StudySamples:
        """Return the samples whose points are drawn."""

    def height(self) -> float:
        """Return the px that the plot needs on a page of `WIDTH`."""
        return _HEAD + -(-len(self.strips()) // _ACROSS) * (_HIGH + 3 * TEXT_PX + GAP)

    def draw(self, sheet: Sheet, top: float) -> None:
        """Draw the plot on a page below some px."""
        samples = self.shown_samples()
        (title, _, test), room = self.title.partition("; "), WIDTH - 2 * PAD
        sheet.write(PAD, top + TITLE_PX / 2, fitted(title, TITLE_PX, room, bold=True), bold=True)
        y = top + TITLE_PX + GAP
        sheet.write(PAD, y + TEXT_PX / 2, fitted(test, SMALL_PX, room), size=SMALL_PX, quiet=True)
        x, y = float(PAD), y + TEXT_PX + GAP
        for color, label in zip(self.look.colors, samples.conditions, strict=False):
            sheet.swatch(x, y, rgb(hex_rgb(color)))
            sheet.write(x + _SWATCH + GAP / 2, y + _SWATCH / 2, fitted(label, SMALL_PX, _WIDE), size=SMALL_PX)
            x += _SWATCH + GAP + _WIDE
            if x + _WIDE > WIDTH:
                break
        for at, strip in enumerate(self.strips()):
            row, column = divmod(at, _ACROSS)
            left = PAD + _TICKS + column * (_WIDE + _TICKS)
            y = top + _HEAD + row * (_HIGH + 3 * TEXT_PX + GAP)
            sheet.write(left, y + TEXT_PX / 2, fitted(strip.title, TEXT_PX, _WIDE), bold=True)
            self._draw_strip(sheet.axes(left, y + TEXT_PX + 4, _WIDE, _HIGH - TEXT_PX), strip, samples)
            sheet.write(
                left, y + _HIGH + TEXT_PX, fitted(strip.below, SMALL_PX, _WIDE + _TICKS / 2), size=SMALL_PX, quiet=True
            )

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
            axes.set_yticks(range(len(strip.ticks)), [fitted(one, SMALL_PX, _TICKS - 6) for one in strip.ticks])
            axes.set_ylim(-0.5, len(strip.ticks) - 0.5)

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`: one point per sample, lines between pairs, bars at medians."""
        return page_of([self])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"


@dataclass(frozen=True, repr=False)
class MeasuredPlot(StudyPlot):
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
            found.append(Strip(" · ".join(one for one in self.measured.labels[row] if one), below, values[row]))
        return found


@dataclass(frozen=True, repr=False)
class CovariatePlot(StudyPlot):
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


def _strip_of(column: SampleColumn) -> Strip:
    """Return a plot of a covariate, with the categories that samples have as ticks."""
    if column.kind == "number":
        return Strip(column.name, "", column.values)
    used = np.unique(column.values[~np.isnan(column.values)])
    places = np.where(np.isnan(column.values), np.nan, np.searchsorted(used, column.values))
    return Strip(column.name, "", places, tuple(column.categories[int(at)] for at in used.tolist()))


def page_of(plots: Sequence[StudyPlot]) -> Figure:
    """Return plots of a study below each other as a new figure."""
    sheet = Sheet(WIDTH, 2 * PAD + sum(one.height() + GAP for one in plots), plots[0].look.paper)
    top: float = PAD
    for one in plots:
        one.draw(sheet, top)
        top += one.height() + GAP
    return sheet.figure
