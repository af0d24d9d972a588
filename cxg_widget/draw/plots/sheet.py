"""A matplotlib figure with px coordinates from its top left, and the fonts and inks of its paper."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.color.paper import Paper
from cxg_widget.color.rgb import RGB, ramp
from cxg_widget.draw.lettering import fitted, one_line, width_of
from cxg_widget.draw.pages.matplotlib_page import POINTS, new_figure
from cxg_widget.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TITLE_PX, TEXT_PX, SMALL_PX = 14, 12, 11
PAD, GAP, TITLE_ROOM, NOTE_ROOM = 16, 8, 26, 22
LONGEST_PX = 300
"""Longest label; a longer one is cut."""
KEY_PX, BAR_PX = 130, 12
_LONGEST_SIDE = 30_000
_PNG_DPI = 144


class Sheet:
    """One figure.

    Parameters
    ----------
    width, height : px
    """

    def __init__(self, width: float, height: float, paper: Paper) -> None:
        if max(width, height) > _LONGEST_SIDE:
            raise InvalidValue(
                f"a figure has at most {_LONGEST_SIDE:,} px a side, and this one needs {width:,.0f} x {height:,.0f}; "
                "frame() has all of it, and fewer categories or genes can be drawn."
            )
        self.figure: Figure = new_figure(width, height, paper)
        self.width, self.height, self.paper = width, height, paper

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Return axes in a box, without background and frame."""
        box = (left / self.width, 1 - (top + height) / self.height, width / self.width, height / self.height)
        axes = self.figure.add_axes(box)
        axes.set_facecolor("none")
        for spine in axes.spines.values():
            spine.set(edgecolor=self.faint, linewidth=POINTS)
        axes.tick_params(color=self.faint, labelcolor=rgb(self.paper.quiet), labelsize=SMALL_PX * POINTS, width=POINTS)
        return axes

    @property
    def faint(self) -> tuple[float, float, float]:
        """Color of unobtrusive lines."""
        ink, ground = (np.array(one) / 255 for one in (self.paper.ink, self.paper.ground))
        red, green, blue = (0.25 * ink + 0.75 * ground).tolist()
        return red, green, blue

    def write(
        self, x: float, y: float, text: str, *, side: str = "left", size: float = TEXT_PX, bold: bool = False,
        quiet: bool = False, upright: bool = False, at: str = "center",
    ) -> None:  # fmt: skip
        """Write a text at px, never as math; side, at: the part of the text at x and at y."""
        self.figure.text(
            x / self.width, 1 - y / self.height, one_line(text), ha=side, va=at, fontsize=size * POINTS,
            fontweight="bold" if bold else "normal", color=rgb(self.paper.quiet if quiet else self.paper.ink),
            parse_math=False, fontfamily="DejaVu Sans", rotation=90 if upright else 0,
        )  # fmt: skip

    def write_around(self, title: str, note: str, floor: float) -> None:
        """Write a title at the top and a note at the floor, px, as far as they fit."""
        room = self.width - 2 * PAD
        title = fitted(title, TITLE_PX, room, bold=True)
        self.write(PAD, PAD + TITLE_PX / 2, title, size=TITLE_PX, bold=True)
        if note:
            self.write(PAD, floor - SMALL_PX, fitted(note, SMALL_PX, room), size=SMALL_PX, quiet=True)

    def line(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        """Draw a line through px coordinates."""
        from matplotlib.lines import Line2D

        places = [x / self.width for x in xs], [1 - y / self.height for y in ys]
        self.figure.add_artist(Line2D(*places, color=rgb(self.paper.quiet), linewidth=POINTS))

    def swatch(self, x: float, y: float, color: Any, size: float = 10) -> None:
        """Fill a square whose top left is at px."""
        from matplotlib.patches import Rectangle

        corner = x / self.width, 1 - (y + size) / self.height
        sides = size / self.width, size / self.height
        self.figure.add_artist(
            Rectangle(corner, *sides, facecolor=color, linewidth=0, transform=self.figure.transFigure)
        )

    def color_bar(self, x: float, y: float, heading: str, stops: list[str], ends: tuple[float, float]) -> None:
        """Draw a color bar with ticks below a heading at px."""
        from matplotlib.ticker import MaxNLocator

        self.write(x, y + TEXT_PX / 2, fitted(heading, TEXT_PX, KEY_PX, bold=True), bold=True)
        axes = self.axes(x, y + TEXT_PX + GAP, KEY_PX - 20, BAR_PX)
        axes.imshow(ramp(stops)[None], extent=(*ends, 0, 1), aspect="auto", interpolation="none")
        axes.set_yticks([])
        axes.xaxis.set_major_locator(MaxNLocator(3))


def rgb(color: RGB) -> tuple[float, float, float]:
    """Return a color for matplotlib."""
    red, green, blue = (channel / 255 for channel in color)
    return red, green, blue


def short(text: str) -> str:
    """Return a label as displayed."""
    return fitted(text, TEXT_PX, LONGEST_PX)


def widest(texts: Sequence[str]) -> float:
    """Return the px of the widest label; long ones are cut."""
    return max((width_of(short(text), TEXT_PX) for text in texts), default=0.0)


def color_of(values: Any, stops: list[str], ends: tuple[float, float]) -> Any:
    """Return a color for each value, float (..., 3) from 0 to 1; NaN gets that of the low end."""
    low, high = ends
    part = np.nan_to_num((np.asarray(values) - low) / (high - low))
    return ramp(stops)[np.clip(np.rint(part * 255), 0, 255).astype(int)] / 255


def ends_of(values: Any) -> tuple[float, float]:
    """Return the lowest and highest finite value, widened if they are equal."""
    finite = np.asarray(values)[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    return (low, high) if high > low else (low, low + 1.0)


def png_of(figure: Figure) -> bytes:
    """Return a figure as PNG for a notebook."""
    file = io.BytesIO()
    # At most 4,000 px a side, since the picture is stored in the notebook.
    figure.savefig(file, format="png", dpi=min(_PNG_DPI, 4_000 / max(figure.get_size_inches())))
    return file.getvalue()
