"""`w.save` and `w.figure`: what is on show as a file, or as a figure of matplotlib."""
# Changes with cxg_widget/session/pictures/save_options.py: options of a saved picture.

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.draw.pages.matplotlib_page import make_figure
from cxg_widget.errors import InvalidValue
from cxg_widget.files.target import local_path
from cxg_widget.files.writing import writing
from cxg_widget.session.pictures.figure_files import SUFFIXES, figure_file
from cxg_widget.session.pictures.save_options import FigureOptions, HtmlOptions
from cxg_widget.text.warned import warn_caller
from cxg_widget.widget.answering import AnsweringWidget

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

_LARGEST_PX = 20_000
_HTML = ("html", "htm")
_LESS = "a smaller width=, height= or dpi="


class SavingWidget(AnsweringWidget):
    """A widget whose picture is saved."""

    def save(
        self, path: str | os.PathLike[str], *, dpi: float | None = None, width: float | None = None,
        height: float | None = None, legend: bool | None = None, max_bytes: float | None = None,
        colors: Sequence[Any] | None = None,
    ) -> None:  # fmt: skip
        """Write what is on show into a file: all cells as one image, everything else as text and lines; or as a page.

        All panels, with axes, names, contours, legends, scale bar, the image of the section and the difference of two
        sets. In SVG and PDF words are text, in PDF with their font. The paper is `background`, white where that is
        None. A file that is there is replaced as a whole; after a failure it is as it was.

        A page, .html, holds up to a million of the cells and the colors at hand: it pans, zooms, tells of the cell
        under the pointer and recolors without a kernel or a network, and says what is not in it; so does a warning.

        Parameters
        ----------
        path : its suffix says what is written: .png, .svg, .pdf or .html; SVG and PDF need matplotlib
        dpi : pixels per inch of the image, 10 to 2,400; None = 300. With 96 a CSS px is one pixel
        width, height : of the whole page, CSS px (1/96 inch); of one alone the other follows. None = the plot as large
            as on the screen, where there is one, else 4:3 of the trait `height`, and the legend beside it. Of a page
            those of the widget; None = as the window has it
        legend : whether title and legend are on it; None = as the trait `legend` says, which is True by itself
        max_bytes : of a page; None = 50 million. What is merely at hand goes first, then cells, of which a sample stays
        colors : what a page can be colored by, as `color` takes it, beside the current color,
            pinned genes, open columns and what the tooltip shows

        Raises
        ------
        InvalidValue
            For another suffix, a size that leaves no room for the plot or cannot be held, max_bytes that hold nothing.
        TargetNotWritten
            If there is no such folder, the disk is full or does not take it, the path is a link; an OSError.
        MissingDependency
            If matplotlib is not installed, for SVG and PDF.
        InvalidStore, DamagedStore
            If what is shown cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.save("cells.png", width=400, dpi=96)
        >>> w.save("cells.html", colors=["CD3E"])
        """
        self._check_open()
        with self._session.costs.action("save", less=_LESS):
            options = self._figure_options(width, height, dpi, legend)
            target = local_path(path)
            suffix = target.suffix.lower().removeprefix(".")
            if suffix in SUFFIXES:
                if max_bytes is not None or colors is not None:
                    raise InvalidValue(f"max_bytes and colors are of pages, .html; leave them out for .{suffix}.")
                self._save_figure(target, suffix, options)
            elif suffix in _HTML:
                if dpi is not None or legend is not None:
                    raise InvalidValue(
                        "a page of HTML is drawn where it is opened, beside its legend; leave out dpi and legend."
                    )
                self._save_html(target, HtmlOptions.of(max_bytes, colors, width, height))
            else:
                known = ", ".join(f".{one}" for one in (*SUFFIXES, _HTML[0]))
                raise InvalidValue(f"'{target.name}' ends in none of {known}.")

    def figure(
        self, *, dpi: float | None = None, width: float | None = None, height: float | None = None,
        legend: bool | None = None,
    ) -> Figure:  # fmt: skip
        """Return what is on show as a `matplotlib.figure.Figure`, to be added to; parameters as those of `save`.

        Each plot is an `Axes` in data units, in the order of the panels.

        Raises
        ------
        MissingDependency
            If matplotlib is not installed.
        InvalidValue, InvalidStore, DamagedStore, ClosedDataset
            As `save`.

        Examples
        --------
        >>> figure = w.figure(width=400, dpi=96)
        >>> figure.savefig("cells.svg")
        """
        self._check_open()
        with self._session.costs.action("save", less=_LESS):
            return make_figure(self._session.page(self._figure_options(width, height, dpi, legend)))

    def _figure_options(self, width: Any, height: Any, dpi: Any, legend: bool | None) -> FigureOptions:
        return FigureOptions.of(_plot_size(self._snapshot, self.height), width, height, dpi, legend)

    def _save_figure(self, target: Path, suffix: str, options: FigureOptions) -> None:
        with writing(target, replaces=True) as place:
            page = self._session.page(options)
            place.partial.write_bytes(figure_file(page, suffix, options.dpi, self._dataset.title))

    def _save_html(self, target: Path, options: HtmlOptions) -> None:
        with writing(target, replaces=True) as place:
            file = self._session.html(options)
            place.partial.write_bytes(file.text)
        if file.lacks:
            warn_caller(f"'{target.name}': {' '.join(file.lacks)}")


def _plot_size(snapshot: Any, height: float) -> tuple[float, float]:
    """Return how large the room of the plots is on the screen, as said last; else 4:3 of the height, CSS px."""
    described: Any = snapshot.get("plot") if isinstance(snapshot, dict) else None
    if isinstance(described, list) and len(described) == 2 and all(isinstance(one, int | float) for one in described):
        width, high = float(described[0]), float(described[1])
        if min(width, high) >= 1 and max(width, high) <= _LARGEST_PX:
            return width, high
    return float(round(height * 4 / 3)), float(height)
