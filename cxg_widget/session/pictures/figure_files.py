"""Figures as files: suffix, size and paper."""
# Changes with cxg_widget/session/pictures/save_options.py: options of a saved picture.

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.draw.image_files import encode_png
from cxg_widget.draw.pages.matplotlib_page import PX_PER_INCH, write_figure
from cxg_widget.draw.pages.page import Page, draw_page
from cxg_widget.session.pictures.figure_pages import Pages
from cxg_widget.session.pictures.save_options import FigureOptions

SUFFIXES: Mapping[str, Callable[[Page, float, str], bytes]] = {
    "png": lambda page, dpi, _: encode_png(draw_page(page, dpi / PX_PER_INCH), dpi),
    "svg": lambda page, dpi, title: write_figure(page, "svg", dpi, title),
    "pdf": lambda page, dpi, title: write_figure(page, "pdf", dpi, title),
}
"""Writers of figures by suffix; each takes a page, px per inch and a title."""


def figure_page(loader: Loader, settings: Settings, mask: NDArray[np.bool_], options: FigureOptions) -> Page:
    """Draw the plot with all panels as a page; see `Pages.page`."""
    settings = settings if options.legend is None else replace(settings, legend=options.legend)
    paper = PAPERS[paper_name(settings, dark=options.dark)]
    return Pages(loader, settings, mask, paper).page(options.size)


def paper_name(settings: Settings, *, dark: bool = False) -> str:
    """Return the paper of figures: `background`, or white, or dark if the requesting page is dark."""
    return settings.background or ("dark" if dark else "white")


def figure_file(page: Page, suffix: str, dpi: float, title: str) -> bytes:
    """Return a page as a file of a suffix of `SUFFIXES`; raises as `write_figure`."""
    return SUFFIXES[suffix](page, dpi, title)
