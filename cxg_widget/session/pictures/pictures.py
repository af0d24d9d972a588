"""Pictures of what is on show that the kernel draws: of its points or, where numbers are of pixels, of all cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.holder import Holder
from cxg_widget.color.paper import PAPERS, Paper
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.hover import text_of
from cxg_widget.display.settings import PlaceKey
from cxg_widget.draw.image_files import encode_png
from cxg_widget.draw.overlays.legend_line import PlotLegend
from cxg_widget.draw.pages.key import Key
from cxg_widget.draw.pages.summary import summary_of
from cxg_widget.draw.parts import draw_parts
from cxg_widget.session.pictures.key import key_now, legend_now
from cxg_widget.session.pictures.over_picture import legend_of, with_landmarks
from cxg_widget.session.pictures.portrait import Painter, Portrait, sight_of
from cxg_widget.session.pictures.under_picture import on_paper, scale_bar_of, shows_tissue
from cxg_widget.spatial.view import View
from cxg_widget.wire.protocol import Color


class Pictures:
    """Pictures of one moment.

    Parameters
    ----------
    held : the cells as they are on show
    mask : bool (n_obs,), the selection
    """

    def __init__(self, held: Holder, mask: NDArray[np.bool_]) -> None:
        self._held = held
        self._mask = mask
        self._dataset = held.dataset
        self._settings = held.settings

    def are_all(self, max_points: int) -> bool:
        """Say whether pictures of at most so many points show all cells."""
        return self._held.is_of_pixels or (not self._held.is_aggregated and self._dataset.n_obs <= max_points)

    @property
    def place(self) -> PlaceKey:
        """The embedding and the axes that they show."""
        return self._settings.place_key

    @property
    def view(self) -> View | None:
        """Where one looks, data units; None = everything."""
        view = self._settings.view
        return None if view is None else (view[0], view[1], view[2], view[3])

    @property
    def place_told(self) -> str:
        """What that embedding is called; "" = there is none."""
        place = self._settings.embedding
        return "" if place is None else self._dataset.describe_embedding(place)

    def plot_legends(self, place: str = "") -> list[tuple[str, PlotLegend]]:
        """Return what is said below the picture of what lies over the points, as `lay_out_lines` takes it."""
        legend = legend_of(self._held)
        return [] if legend is None else [(place, legend)]

    @property
    def can_be_soon(self) -> bool:
        """Whether none needs a library that has yet to be imported and to compile."""
        from cxg_widget.draw.aggregate import is_at_hand

        return not self._held.is_of_pixels or is_at_hand()

    def png(
        self, view: View | None, size: tuple[int, int], *, dark: bool = False, max_points: int | None = None
    ) -> bytes:
        """Draw the points of the settings in the kernel, as a PNG file; see `drawn`."""
        paper = PAPERS["dark" if dark else "white"]
        return encode_png(self.drawn(view, size, paper=paper, max_points=max_points)[0][:, :, :3])

    def drawn(
        self, view: View | None, size: tuple[int, int], *, paper: Paper, max_points: int | None = None
    ) -> tuple[NDArray[np.uint8], Key]:
        """Draw the points of the settings in the kernel, and say what the picture means.

        Parameters
        ----------
        view : x left, x right, y bottom, y top, data units; None = everything
        size : width and height, px
        max_points : draw no more of those in view: a prefix of the display order, a fair sample

        Returns
        -------
        uint8 (height, width, 4), and its key
        """
        painter = self._painter(view, size, paper)
        portrait, seen = painter.draw_soon(max_points), painter.seen
        image = on_paper(portrait.image, self._held, seen, paper)
        if shows_tissue(self._held):
            image = draw_parts(image, scale_bar_of(self._held, seen, size, paper), paper)
        return with_landmarks(image, self._held, seen, paper), self._key(portrait, dark=paper.is_dark)

    def key(self, *, dark: bool) -> Key:
        """Say what is on show, whatever part of it a picture shows."""
        return self._key(None, dark=dark)

    def summary(self, view: View | None, size: tuple[int, int]) -> str:
        """Say in words what a picture shows; see `summary_of`, and `drawn` for the parameters."""
        settings, described = self._settings, None
        if settings.embedding is not None:
            described = self._painter(view, size, PAPERS["white"]).describe()
        known = legend_now(self._held, described.pixels if described else None)
        axis_names = self._dataset.axis_names(settings.embedding, settings.axes) if described else None
        return summary_of(self._key(described, dark=False, known=known), known[0], settings, axis_names or ())

    def _painter(self, view: View | None, size: tuple[int, int], paper: Paper) -> Painter:
        return Painter(self._held, self._mask, sight_of(self._held, view, size), paper)

    def _key(self, portrait: Portrait | None, *, dark: bool, known: tuple[Color, Coloring] | None = None) -> Key:
        """Say what a picture of the settings means, in words."""
        said = portrait or Portrait()
        return key_now(
            self._held, self._mask, dark=dark, pixels=said.pixels, statistic=said.statistic, limits=said.limits,
            known=known,
        )  # fmt: skip

    def axes_told(self) -> str:
        """Say what the axes measure, and from where to where there are points; "" where they have no names."""
        labels = self._dataset.axis_names(self._settings.embedding, self._settings.axes)
        if labels is None:
            return ""
        x0, x1, y0, y1 = map(text_of, self._held.outline() or self._held.bounds().extent)
        return f"Horizontal: {labels[0]}, {x0} to {x1}. Vertical: {labels[1]}, {y0} to {y1}."
