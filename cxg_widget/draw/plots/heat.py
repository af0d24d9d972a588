"""A heat map of the means of genes in groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cxg_widget.draw.plots.dots import GeneMatrix
from cxg_widget.draw.plots.sheet import color_of, ends_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_KEY_HEIGHT = 60.0


class HeatMap(GeneMatrix):
    """A field for each gene and group."""

    def figure(self) -> Figure:
        """Return a new `matplotlib.figure.Figure`; grey: a group has no value of a gene."""
        drawn = self._placed(_KEY_HEIGHT)
        means = self._turned(self._colored())
        ends, stops = ends_of(means), list(self.look.stops)
        image = color_of(means, stops, ends)
        image[np.isnan(means)] = np.array(self.look.paper.missing) / 255
        drawn.axes.imshow(
            image, extent=(0, means.shape[1], means.shape[0], 0), aspect="auto", interpolation="none", origin="upper"
        )
        drawn.sheet.color_bar(*drawn.key, self._heading, stops, ends)
        return drawn.sheet.figure
