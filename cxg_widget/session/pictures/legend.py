"""The current legend, with counts of passing cells, and in words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.display.coloring import Coloring
from cxg_widget.draw.pages.legend_words import Key, count_passing, key_of
from cxg_widget.session.streams import chunks
from cxg_widget.wire import protocol as p


def legend_now(held: Holder, pixels: Coloring | None = None) -> tuple[p.Color, Coloring]:
    """Return the legend and its coloring.

    It counts the cells that pass the filters.
    """
    coloring = pixels or held.preview() or held.coloring()
    legend = chunks.legend_frame(coloring, held.settings, held.dataset, 0, 0).message
    assert isinstance(legend, p.Color)
    passing = None if pixels is not None or coloring.is_preview else held.count_passing()
    if passing is None:
        return legend, coloring
    n_missing, *counts = passing.tolist()
    return count_passing(legend, counts, n_missing), coloring


def key_now(
    held: Holder,
    mask: NDArray[np.bool_],
    *,
    dark: bool,
    pixels: Coloring | None = None,
    statistic: str = "",
    limits: tuple[float, float] | None = None,
    known: tuple[p.Color, Coloring] | None = None,
) -> Key:
    """Describe a picture in words.

    mask : bool (n_obs,), the selection
    pixels : coloring by numbers of pixels; None = the numbers are of cells
    statistic, limits : name of the numbers of shared pixels, and codes of the ends of the colors
    known : result of `legend_now` that counts all cells; None = make it here
    """
    legend, coloring = known or legend_now(held, pixels)
    shown = held.shown() if held.passing() is not None else None
    filtered = held.filtered()
    return key_of(
        legend, coloring.numbers.quantiles, held.settings,
        title=held.dataset.title, noun=held.dataset.obs_noun, n_selected=int(np.count_nonzero(mask)),
        n_passing=None if filtered is None else int(np.count_nonzero(mask & filtered)),
        statistic=statistic, automatic=limits,
        n_shown=None if shown is None else int(np.count_nonzero(shown)), dark=dark,
    )  # fmt: skip
