"""Pages as matplotlib figures, PDF and SVG: an image for each plot, and text and lines."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import RGB
from cxg_widget.draw.lettering import HALO_PX as LETTER_HALO_PX
from cxg_widget.draw.lettering import DrawnText, drawable, one_line
from cxg_widget.draw.overlays.outlines import HALO_ALPHA, HALO_PX, Outline
from cxg_widget.draw.pages.axes import TICK_PX, Axis, texts_of
from cxg_widget.draw.pages.page import Page, Plot
from cxg_widget.draw.parts import Box
from cxg_widget.errors import MissingDependency
from cxg_widget.text.half_characters import xml_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PX_PER_INCH = 96
"""Px of the layout, which are CSS px."""
POINTS = 72 / PX_PER_INCH
"""Points per px, for sizes in matplotlib."""
_BAR_STEPS = 128
# Text stays text: embedded TrueType in PDF, <text> in SVG; images of plots are not merged.
_RULES: Any = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "cxg-widget", "image.composite_image": False}


def write_figure(page: Page, suffix: Literal["pdf", "svg"], dpi: float, title: str) -> bytes:
    """Return a page as a file; dpi: of its images, consistent with their size on the page."""
    figure = make_figure(page, letters_of_font=suffix == "pdf")
    from matplotlib import rc_context

    file, ground = io.BytesIO(), "none" if page.paper.is_clear else _rgb(page.paper.ground)
    # Without a date, and with ids from a fixed salt, the same figure has the same bytes.
    date = {"CreationDate": None} if suffix == "pdf" else {"Date": None}
    with rc_context(_RULES):
        figure.savefig(file, format=suffix, dpi=dpi, facecolor=ground, metadata={"Title": one_line(title), **date})
    return file.getvalue()


def make_figure(page: Page, *, letters_of_font: bool = False) -> Figure:
    """Return a page as a figure; the axes of its plots are in data units, so that users can draw on them.

    letters_of_font : use only letters of the font; PDF cannot use those of another one
    """
    figure = new_figure(page.width, page.height, page.paper)
    drawing = _Drawing(page, figure, letters_of_font)
    for plot in page.plots:
        drawing.put(plot)
    drawing.put_parts()
    return figure


def new_figure(width: float, height: float, paper: Paper) -> Figure:
    """Return an empty figure of some px; raises as `make_figure`."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependency(
            "figures, PDF and SVG need matplotlib: pip install 'cxg-widget[figures]'. PNG needs nothing more."
        ) from error
    figure = Figure(figsize=(width / PX_PER_INCH, height / PX_PER_INCH), dpi=PX_PER_INCH)
    figure.set_facecolor("none" if paper.is_clear else _rgb(paper.ground))
    return figure


class _Drawing:
    """One page on its figure."""

    def __init__(self, page: Page, figure: Figure, letters_of_font: bool) -> None:
        self._page, self._figure, self._paper = page, figure, page.paper
        self._letters_of_font = letters_of_font

    def put(self, plot: Plot) -> None:
        """Draw a plot: its cells as an image, the rest in data units."""
        width, height = self._page.width, self._page.height
        x0, y0, x1, y1 = plot.box
        axes = self._figure.add_axes((x0 / width, 1 - y1 / height, (x1 - x0) / width, (y1 - y0) / height))
        axes.set_facecolor("none")
        left, right, bottom, top = plot.view or (0, x1 - x0, y1 - y0, 0)
        axes.imshow(
            plot.image, extent=(left, right, bottom, top), origin="upper", aspect="auto", interpolation="none", zorder=0
        )
        axes.set(xlim=(left, right), ylim=(bottom, top))
        size = x1 - x0, y1 - y0
        for outline in plot.outlines:
            self._put_outline(axes, outline, size)
        for name in plot.names:
            at = _in_data(np.array([[name.x, name.y]]), axes, size)[0]
            self._write(axes.text, name, (float(at[0]), float(at[1])), clip_on=True)
        self._put_axes(axes, plot.axes)

    def _put_outline(self, axes: Axes, outline: Outline, size: tuple[float, float]) -> None:
        from matplotlib.patches import Polygon

        for ring in outline.rings:
            corners = _in_data(ring, axes, size)
            for wide, rgb, alpha in (
                (outline.width + 2 * HALO_PX, self._paper.ground, HALO_ALPHA / 255),
                (outline.width, outline.rgb, 1.0),
            ):
                axes.add_patch(
                    Polygon(
                        corners, closed=True, fill=False, edgecolor=(*_rgb(rgb), alpha), linewidth=wide * POINTS,
                        joinstyle="round", zorder=2,
                    )
                )  # fmt: skip

    def _put_axes(self, axes: Axes, of: tuple[Axis, Axis] | None) -> None:
        if of is None:
            axes.set_axis_off()
            return
        x, y = of
        ink = _rgb(self._paper.faint)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        for side in ("left", "bottom"):
            axes.spines[side].set(edgecolor=ink, linewidth=POINTS)
        axes.set_xticks([value for _, value, _ in x.ticks], ["" for _ in x.ticks])
        axes.set_yticks([value for _, value, _ in y.ticks], ["" for _ in y.ticks])
        axes.tick_params(length=TICK_PX * POINTS, width=POINTS, color=ink)
        for one in texts_of(of):
            at = (one.x / x.length, 1 - one.y / y.length)
            self._write(axes.text, one, at, transform=axes.transAxes)

    def put_parts(self) -> None:
        """Draw the legends around the plots and the shapes on them."""
        for box, color in self._page.parts.fills:
            self._fill(box, color[:3], color[3] / 255)
        for box, colors in self._page.parts.bars:
            # Each step extends to the end, below the next ones: between adjacent ones viewers show a seam.
            picked = colors[np.linspace(0, len(colors) - 1, _BAR_STEPS).round().astype(int)]
            for i, color in enumerate(picked):
                left = box[0] + (box[2] - box[0]) * i / _BAR_STEPS
                self._fill((left, box[1], box[2], box[3]), tuple(color.tolist()))
        for one in self._page.parts.texts:
            self._write(self._figure.text, one, (one.x / self._page.width, 1 - one.y / self._page.height), zorder=4)

    def _fill(self, box: Box, rgb: RGB, alpha: float = 1.0) -> None:
        from matplotlib.patches import Rectangle

        width, height = self._page.width, self._page.height
        corner = box[0] / width, 1 - box[3] / height
        sides = (box[2] - box[0]) / width, (box[3] - box[1]) / height
        transform = self._figure.transFigure
        self._figure.add_artist(
            Rectangle(corner, *sides, facecolor=(*_rgb(rgb), alpha), linewidth=0, transform=transform, zorder=3)
        )

    def _write(self, text_of: Any, one: DrawnText, at: tuple[float, float], **how: Any) -> None:
        """Write a text, never as math."""
        text = drawable(one.text, one.bold) if self._letters_of_font else xml_text(one.text)
        if not text:
            return
        side = "center" if one.centered else "right" if one.to_left else "left"
        look: dict[str, Any] = {
            "fontsize": one.size * POINTS, "fontweight": "bold" if one.bold else "normal",
            "color": _rgb(self._paper.quiet if one.quiet else self._paper.ink), "parse_math": False,
            "fontfamily": "DejaVu Sans",
        }  # fmt: skip
        place = {"rotation": 90, "rotation_mode": "anchor"} if one.is_upright else {}
        look |= {"ha": side, "va": "baseline", "zorder": 4, **place, **how}
        if one.has_halo:  # letters with an effect become outlines, so they are below the live ones
            from matplotlib.patheffects import Stroke

            stroke = Stroke(linewidth=2 * LETTER_HALO_PX * POINTS, foreground=_rgb(self._paper.ground))
            text_of(*at, text, **{**look, "zorder": 3}).set_path_effects([stroke])
        text_of(*at, text, **look)


def _in_data(px: Any, axes: Axes, size: tuple[float, float]) -> Any:
    """Convert positions (n, 2) in px from the top left of a plot to data units."""
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    return np.column_stack([left + px[:, 0] * (right - left) / size[0], top - px[:, 1] * (top - bottom) / size[1]])


def _rgb(color: RGB) -> tuple[float, float, float]:
    red, green, blue = (channel / 255 for channel in color)
    return red, green, blue
