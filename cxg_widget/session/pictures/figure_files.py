"""Figures as files: by which suffix, how large, on which paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cxg_widget.display.settings import Settings
from cxg_widget.draw.image_files import encode_png
from cxg_widget.draw.pages.matplotlib_page import PX_PER_INCH, write_figure
from cxg_widget.draw.pages.page import Page, draw_page
from cxg_widget.errors import InvalidValue
from cxg_widget.session.pictures.pages import Size
from cxg_widget.text.names import shown

DPI = 300.0
_DPI = 10.0, 2_400.0
_LONGEST = 100_000.0

SUFFIXES: Mapping[str, Callable[[Page, float, str], bytes]] = {
    "png": lambda page, dpi, _: encode_png(draw_page(page, dpi / PX_PER_INCH), dpi),
    "svg": lambda page, dpi, title: write_figure(page, "svg", dpi, title),
    "pdf": lambda page, dpi, title: write_figure(page, "pdf", dpi, title),
}
"""What writes each kind of figure, of a page, px per inch and a title."""


@dataclass(frozen=True)
class FigureSize:
    """How large a figure is to be.

    Attributes
    ----------
    plot : room of the plots on the screen, CSS px
    width, height : of the page, CSS px; None = as `Size` has it
    dpi : px per inch, of which a CSS px takes 1/96
    """

    plot: tuple[float, float]
    width: float | None = None
    height: float | None = None
    dpi: float = DPI

    @property
    def of_page(self) -> Size:
        """The size as pages take it."""
        return Size(self.plot, self.width, self.height, self.dpi / PX_PER_INCH)

    @classmethod
    def of(cls, plot: tuple[float, float], width: Any, height: Any, dpi: Any) -> FigureSize:
        """Check what a user gave, each None = the default; raises `InvalidValue`."""
        sides = [None if one is None else _number(name, one, (1.0, _LONGEST), "CSS px")
                 for name, one in (("width", width), ("height", height))]  # fmt: skip
        return cls(plot, sides[0], sides[1], DPI if dpi is None else _number("dpi", dpi, _DPI, "px per inch"))


def _number(name: str, value: Any, ends: tuple[float, float], unit: str) -> float:
    is_number = isinstance(value, int | float) or hasattr(value, "__float__")
    if isinstance(value, bool | str) or not is_number or not ends[0] <= float(value) <= ends[1]:
        raise InvalidValue(
            f"{name} must be a number of {unit} from {ends[0]:,.0f} to {ends[1]:,.0f}; found {shown(value)}"
        )
    return float(value)


def paper_name(settings: Settings, *, dark: bool = False) -> str:
    """Return what figures are drawn on: as `background` says, else white, or dark where the page that asks is."""
    return settings.background or ("dark" if dark else "white")


def figure_file(page: Page, suffix: str, dpi: float, title: str) -> bytes:
    """Return a page as a file of a suffix of `SUFFIXES`; raises as `write_figure`."""
    return SUFFIXES[suffix](page, dpi, title)
