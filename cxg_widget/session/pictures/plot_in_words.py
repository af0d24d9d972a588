"""The plot in words, for people who cannot see it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.hover import text_of
from cxg_widget.draw.pages.summary import summary_of
from cxg_widget.session.pictures.legend import key_now, legend_now
from cxg_widget.session.pictures.portrait import Painter, Portrait, sight_of
from cxg_widget.spatial.view import View


class PlotInWords:
    """The plot of one moment; held: its cells; mask: the selection, bool (n_obs,)."""

    def __init__(self, held: Holder, mask: NDArray[np.bool_]) -> None:
        self._held, self._mask = held, mask
        self._dataset, self._settings = held.dataset, held.settings

    def shows_all(self, most: int) -> bool:
        """Return whether a picture of at most so many points shows all cells."""
        return self._held.is_of_pixels or (not self._held.is_aggregated and self._dataset.n_obs <= most)

    def summary(self, view: View | None, size: tuple[int, int]) -> str:
        """Describe a picture of some px of a view, data units; None = everything. See `summary_of`."""
        held, settings, portrait, axes = self._held, self._settings, Portrait(), None
        if settings.embedding is not None:
            portrait = Painter(held, self._mask, sight_of(held, view, size), PAPERS["white"]).describe()
            axes = self._dataset.axis_names(settings.embedding, settings.axes)
        known = legend_now(held, portrait.pixels)
        key = key_now(
            held,
            self._mask,
            dark=False,
            pixels=portrait.pixels,
            statistic=portrait.statistic,
            limits=portrait.limits,
            known=known,
        )
        return summary_of(key, known[0], settings, axes or ())

    def axes(self) -> str:
        """Describe the axes and their ranges; "" if they have no names."""
        labels = self._dataset.axis_names(self._settings.embedding, self._settings.axes)
        if labels is None:
            return ""
        x0, x1, y0, y1 = map(text_of, self._held.outline() or self._held.bounds().extent)
        return f"Horizontal: {labels[0]}, {x0} to {x1}. Vertical: {labels[1]}, {y0} to {y1}."
