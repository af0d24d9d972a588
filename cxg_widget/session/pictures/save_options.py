"""Options of a saved picture: one class for figures and one for pages, passed on as a whole.

A new option of `CxgWidget.save` is a field here, a parameter there, and read where it is drawn.
"""
# Changes with cxg_widget/widget/saving.py: options of a saved picture.
# Changes with cxg_widget/session/pictures/figure_files.py: options of a saved picture.
# Changes with cxg_widget/session/pictures/html_file.py: options of a saved picture.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cxg_widget.draw.pages.matplotlib_page import PX_PER_INCH
from cxg_widget.errors import InvalidValue
from cxg_widget.session.pictures.figure_pages import Size
from cxg_widget.text.names import shown

DPI = 300.0
MAX_BYTES = 50_000_000
EMBEDDED_BYTES = 5_000_000
"""Limit of the output of a cell: Databricks refuses larger messages, marimo outputs above 8 MB (decision 88)."""
_DPI = 10.0, 2_400.0
_LONGEST = 100_000.0


@dataclass(frozen=True)
class FigureOptions:
    """Options of a figure.

    plot : room of the plots on the screen, CSS px
    width, height : of the page, CSS px; None = as in `Size`
    dpi : px per inch; a CSS px is 1/96 inch
    legend : whether it has a legend; None = the setting
    dark : whether the paper is dark if no background is set
    """

    plot: tuple[float, float]
    width: float | None = None
    height: float | None = None
    dpi: float = DPI
    legend: bool | None = None
    dark: bool = False

    @property
    def size(self) -> Size:
        """The size of the page."""
        return Size(self.plot, self.width, self.height, self.dpi / PX_PER_INCH)

    @classmethod
    def of(cls, plot: tuple[float, float], width: Any, height: Any, dpi: Any, legend: bool | None) -> FigureOptions:
        """Check the user's options, None = the default; raises `InvalidValue`."""
        dpi = DPI if dpi is None else _number("dpi", dpi, _DPI, "px per inch")
        return cls(plot, *_sides(width, height), dpi, legend)


@dataclass(frozen=True)
class HtmlOptions:
    """Options of an HTML page.

    max_bytes : of the file
    colors : colors in addition to those in use, as the trait `color` takes them
    width, height : of the widget in it, CSS px; None = size of the window
    measure : returns the bytes of a page with its surroundings
    """

    max_bytes: int = MAX_BYTES
    colors: Sequence[Any] | None = None
    width: float | None = None
    height: float | None = None
    measure: Callable[[bytes], int] = len

    @classmethod
    def of(cls, max_bytes: Any, colors: Any, width: Any, height: Any) -> HtmlOptions:
        """Check the user's options, None = the default; raises `InvalidValue`."""
        if max_bytes is None:
            max_bytes = MAX_BYTES
        if isinstance(max_bytes, bool) or not isinstance(max_bytes, int | float | np.number) or not max_bytes >= 1:
            raise InvalidValue(f"max_bytes must be a number of bytes, such as 20e6; found {shown(max_bytes)}")
        return cls(int(min(max_bytes, 1e18)), colors, *_sides(width, height))


def _sides(width: Any, height: Any) -> tuple[float | None, float | None]:
    return _side("width", width), _side("height", height)


def _side(name: str, value: Any) -> float | None:
    return None if value is None else _number(name, value, (1.0, _LONGEST), "CSS px")


def _number(name: str, value: Any, ends: tuple[float, float], unit: str) -> float:
    is_number = isinstance(value, int | float) or hasattr(value, "__float__")
    if isinstance(value, bool | str) or not is_number or not ends[0] <= float(value) <= ends[1]:
        raise InvalidValue(
            f"{name} must be a number of {unit} from {ends[0]:,.0f} to {ends[1]:,.0f}; found {shown(value)}"
        )
    return float(value)
