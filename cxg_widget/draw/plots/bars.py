"""Stacked bars: the composition of each group by the categories of a column."""
# Changes with cxg_widget/session/analysis/plots.py: options of plots of groups.

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.color.rgb import hex_rgb
from cxg_widget.compare.plotted_groups import Counts, GroupNames
from cxg_widget.draw.plots.plot_style import GroupPlot, Look
from cxg_widget.draw.plots.sheet import (
    GAP,
    NOTE_ROOM,
    PAD,
    TEXT_PX,
    TITLE_ROOM,
    Sheet,
    rgb,
    short,
    widest,
)
from cxg_widget.text.names import MISSING_LABEL

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

_BAR, _LONG, _ROW, _SWATCH, _AXIS = 20.0, 380.0, 18.0, 10.0, 24.0
_LEAST_DEEP = 16
"""Rows of the legend before it uses another column."""


@dataclass(frozen=True)
class Bars(GroupPlot):
    """A stacked bar for each group.

    Attributes
    ----------
    names : the groups
    parts : GroupNames of the column: the categories that any group has
    counts : int64 (groups, parts), with a last column for cells without a category, if there are any
    share : True = all bars have the length 1

    Examples
    --------
    >>> bars = w.bars("cell_type", "donor")
    """

    names: GroupNames
    parts: GroupNames
    counts: Counts
    look: Look
    share: bool = True

    def frame(self) -> pd.DataFrame:
        """Return the number of cells of each group (row) in each category (column), int64.

        The table equals that of `pandas.crosstab`, with a last column NaN for cells without a category, if there are
        any.

        Examples
        --------
        >>> w.bars("sex", "condition").frame().to_numpy().sum().item()
        1000
        """
        import pandas as pd

        columns = self.parts.index()
        if self.counts.shape[1] > len(columns):
            columns = columns.append(pd.Index([np.nan], dtype=object)).rename(self.parts.columns[0])
        return pd.DataFrame(self.counts, index=self.names.index(), columns=columns)

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`.

        Examples
        --------
        >>> w.bars("cell_type", "donor").figure().savefig("bars.png")
        """
        labels, part_labels = self.names.labels, self.parts.labels
        part_labels = [*part_labels, *[MISSING_LABEL] * (self.counts.shape[1] - len(part_labels))]
        left, top = PAD + widest(labels) + GAP, PAD + TITLE_ROOM
        height, key = _BAR * len(labels), left + _LONG + 3 * GAP
        deep = min(max(_LEAST_DEEP, int((height + _AXIS) // _ROW) - 1), len(part_labels))
        column = _SWATCH + GAP + widest([*part_labels, self.parts.columns[0]])
        n_columns = -(-len(part_labels) // deep)
        floor = max(top + height + _AXIS, top + _ROW * (deep + 1)) + (NOTE_ROOM if self.look.note else 0)
        sheet = Sheet(key + n_columns * (column + 2 * GAP) - 2 * GAP + PAD, floor + PAD, self.look.paper)
        sheet.write_around(self.look.title, self.look.note, floor)
        self._draw(sheet, (left, top, _LONG, height))
        for at, text in enumerate(labels):
            sheet.write(left - GAP, top + (at + 0.5) * _BAR, short(text), side="right")
        sheet.write(key, top + TEXT_PX / 2, short(self.parts.columns[0]), bold=True)
        for at, text in enumerate(part_labels):
            x, y = key + at // deep * (column + 2 * GAP), top + _ROW * (at % deep + 1)
            sheet.swatch(x, y, self._color(at))
            sheet.write(x + _SWATCH + GAP, y + _SWATCH / 2, short(text))
        return sheet.figure

    def _draw(self, sheet: Sheet, box: tuple[float, float, float, float]) -> None:
        axes = sheet.axes(*box)
        # Every group has cells, so this never divides by 0.
        lengths: Any = self.counts / self.counts.sum(axis=1, keepdims=True) if self.share else self.counts
        starts, at = np.cumsum(lengths, axis=1) - lengths, np.arange(len(lengths)) + 0.5
        for part in range(lengths.shape[1]):
            axes.barh(at, lengths[:, part], left=starts[:, part], height=0.8, color=self._color(part), linewidth=0)
        longest = 1.0 if self.share else float(lengths.sum(axis=1).max())
        axes.set(xlim=(0, longest), ylim=(len(lengths), 0), yticks=[])
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        if self.share:
            axes.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
        else:
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")

    def _color(self, part: int) -> tuple[float, float, float]:
        return rgb(hex_rgb(self.look.colors[part]) if part < len(self.look.colors) else self.look.paper.missing)

    def __repr__(self) -> str:
        return f"<Bars: {self.parts.columns[0]} in {len(self.names.n_cells):,} groups of {self.names.columns[0]}>"
