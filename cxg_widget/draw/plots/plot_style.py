"""Style that all plots of groups share, and their display in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cxg_widget.color.paper import Paper
from cxg_widget.draw.plots.sheet import png_of
from cxg_widget.errors import CxgWidgetError

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Look:
    """Options that all plots share.

    Attributes
    ----------
    colors : "#rrggbb" of each group; of bars, of each part
    stops : colors of numbers, from low to high
    title, note : above and below the plot
    """

    paper: Paper
    colors: tuple[str, ...]
    stops: tuple[str, ...]
    title: str
    note: str = ""


class GroupPlot(ABC):
    """A plot of groups of cells: a table and a figure.

    Attributes
    ----------
    look : options that all plots share: colors, title and note
    """

    look: Look

    @abstractmethod
    def frame(self) -> pd.DataFrame:
        """Return the table of the plot, groups as rows."""

    @abstractmethod
    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`; raises `MissingDependency` if matplotlib is not installed."""

    def _repr_png_(self) -> bytes | None:
        try:
            return png_of(self.figure())
        except CxgWidgetError:  # too large, or without matplotlib: the text describes it
            return None
