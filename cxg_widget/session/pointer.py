"""Answers hover requests: the cell under the pointer, or a summary of many cells."""
# Changes with js/src/file/pointed.js: the cell under the pointer.
# Changes with js/src/file/texts.js: what the tooltip says of many cells.

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.cells.under_pointer import MANY, CellsUnderPointer
from cxg_widget.display.blend_coloring import BlendColoring
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.hover import Describer, circle_of, nearest_row
from cxg_widget.display.settings import Settings
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.streams.view_request import shown_of
from cxg_widget.spatial.circle import Circle
from cxg_widget.text.names import EMPTY_LABEL, in_a_line, missing_label
from cxg_widget.text.numbers import share, short_number
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame
from cxg_widget.wire.protocol import MISSING_LABEL

MOST_NAMED = 4
"""Number of categories that the summary names, the largest ones."""
_ABOUT = 1e-3
"""A mean with a larger relative error is shown with ≈."""
_FEW_CELLS = 200_000
"""Up to this many cells, data for the tooltip are read before the first answer, otherwise after it."""


class Pointer:
    """Answers `hover`."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader = loader
        self._display = display

    @property
    def _describer(self) -> Describer:
        describer: Describer = self._loader.memo.keep("describer", None, lambda: Describer(self._loader.dataset))
        return describer

    def prepare(self) -> None:
        """Read what the tooltip needs, and compile the loop that counts crowded cells, so that hovering is fast.

        Called when hovering starts.
        """
        from cxg_widget.counts.warming import compile_runs

        self._describer.hold(self._display.settings)
        compile_runs()

    def frame(self, at: p.Hover) -> Frame:
        """Describe the cell at a position; cells that pass the filters are above those that do not."""
        settings = self._display.settings.of_panel(at.panel)
        passes, found = True, self._nearest(at, settings)
        if found is None and settings.filtered == "grey":
            passes, found = False, self._nearest(at, replace(settings, filters=(), hidden=()))
        if self._loader.dataset.n_obs <= _FEW_CELLS:
            self.prepare()
        if found is None:
            return Frame(p.Cell(-1, 0.0, 0.0, "", "", [], panel=at.panel))
        (row, x, y), coloring = found, self._loader.of(settings).coloring()
        about: dict[str, Any] = {"panel": at.panel, "elsewhere": self._elsewhere(row, settings)}
        crowd = self._beneath(at, settings) if passes else None
        if crowd is not None and crowd.n >= MANY:
            name = self._loader.dataset.obs_noun.counted(crowd.n)
            return Frame(p.Cell(row, x, y, name, "", tooltip_rows(crowd, coloring), n_beneath=crowd.n, **about))
        described = coloring.target.name if coloring.target.source == "obs" else ""
        value = self._describer.value(row, self._of_each(coloring, settings), settings.layer)
        fields = self._describer.fields(row, settings, without=described)
        return Frame(p.Cell(row, x, y, self._describer.name(row), value, fields, passes, **about))

    def _of_each(self, coloring: Coloring, settings: Settings) -> Coloring:
        """Return the coloring with the codes of all cells if sets color a sample, since no store has them."""
        of_sets = coloring.is_sample and coloring.target.source == "sets"
        codes = self._loader.labels(settings, coloring.target) if of_sets else None
        return coloring if codes is None else replace(coloring.holding(codes.codes), is_sample=False)

    def _elsewhere(self, row: int, here: Settings) -> list[list[float]]:
        """Return [panel, x, y] of a cell in each panel of another embedding in which it has coordinates."""
        now, found = self._display.settings, []
        for panel in (0, *now.panel_numbers):
            settings = now.of_panel(panel)
            held = self._loader.of(settings)
            if settings.place_key != here.place_key and held.has_places:
                place = held.coordinates(np.array([row]))[0].tolist()
                found += [[panel, *place]] if np.isfinite(place).all() else []
        return found

    def _nearest(self, at: p.Hover, settings: Settings) -> tuple[int, float, float] | None:
        """Return row and position of the visible cell at a position that passes the filters."""
        held = self._loader.of(settings)
        if not held.can_hover:
            return None
        indexed, (radius, stretch) = held.index_if_built(), circle_of(at.radius_x, at.radius_y)
        if indexed is not None:
            shown = shown_of(held, self._display.mask)
            return indexed.nearest(at.x, at.y, radius, shown, stretch=stretch)
        xy, counts = held.xy(), _both(held.visible(), held.passing())
        row = nearest_row(xy, at.x, at.y, radius, counts, stretch=stretch)
        return None if row is None else (row, float(xy[row, 0]), float(xy[row, 1]))

    def _beneath(self, at: p.Hover, settings: Settings) -> CellsUnderPointer:
        """Summarize the shown cells in a circle."""
        held = self._loader.of(settings)
        circle, indexed = Circle(at.x, at.y, *circle_of(at.radius_x, at.radius_y)), held.index_if_built()
        if indexed is None:
            rows, passing = circle.rows(held.xy()), held.passing()
            rows = rows if passing is None else rows[passing[rows]]
            return CellsUnderPointer.of_rows(rows, held.coloring(), settings.hidden)
        return indexed.under_pointer(circle, shown_of(held, self._display.mask))


def tooltip_rows(crowd: CellsUnderPointer, coloring: Coloring) -> list[list[str]]:
    """Return rows of the tooltip for several cells as [what, how much]: the largest categories, or a mean."""
    if crowd.counts is not None and not isinstance(coloring, BlendColoring):
        labels, order = (
            [*coloring.labels, missing_label(coloring.target.spec)],
            np.argsort(-crowd.counts, kind="stable"),
        )
        present = [int(code) for code in order if crowd.counts[code]]
        first, rest = present[:MOST_NAMED], present[MOST_NAMED:]
        described = [
            [in_a_line(labels[code]) or EMPTY_LABEL, share(int(crowd.counts[code]), crowd.n)] for code in first
        ]
        others = int(crowd.counts[rest].sum())
        return described + ([[f"{len(rest)} more", share(others, crowd.n)]] if rest else [])
    if crowd.mean is None:
        return []
    n_valued = crowd.n - crowd.n_missing
    about = "≈ " if crowd.off > _ABOUT * abs(crowd.mean) else ""
    described = [[f"mean of {coloring.target.name}", about + short_number(crowd.mean) if n_valued else MISSING_LABEL]]
    if coloring.target.source != "obs" and 0 < crowd.n_above < n_valued:
        described.append(["above 0", share(crowd.n_above, n_valued)])
    return described + ([[MISSING_LABEL, share(crowd.n_missing, crowd.n)]] if crowd.n_missing else [])


def _both(one: NDArray[np.bool_] | None, other: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
    return other if one is None else one if other is None else one & other
