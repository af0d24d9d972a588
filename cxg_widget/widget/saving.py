"""`w.save` and `w.figure`: the current plot as a file, or as a matplotlib figure."""
# Changes with cxg_widget/session/pictures/save_options.py: options of a saved picture.

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cxg_widget.draw.pages.matplotlib_page import make_figure
from cxg_widget.errors import InvalidValue
from cxg_widget.files.target import local_path
from cxg_widget.files.writing import writing
from cxg_widget.session.analysis.calls import Call
from cxg_widget.session.analysis.meant import remember
from cxg_widget.session.pictures.figure_files import SUFFIXES, figure_file
from cxg_widget.session.pictures.html_frame import EmbeddedPage
from cxg_widget.session.pictures.save_options import EMBEDDED_BYTES, FigureOptions, HtmlOptions
from cxg_widget.text.warned import warn_caller
from cxg_widget.widget.answering import AnsweringWidget
from cxg_widget.widget.static_picture import NotebookPicture

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

_LARGEST_PX = 20_000
_HTML = ("html", "htm")
_LESS = "a smaller width=, height= or dpi="


class SavingWidget(AnsweringWidget):
    """A widget whose plot can be saved."""

    _picture: NotebookPicture

    def save(
        self, path: str | os.PathLike[str], *, dpi: float | None = None, width: float | None = None,
        height: float | None = None, legend: bool | None = None, max_bytes: float | None = None,
        colors: Sequence[Any] | None = None,
    ) -> None:  # fmt: skip
        """Save the plot as a figure (.png, .svg, .pdf) or as a page that works without a kernel (.html).

        A figure has all panels with axes, labels, contours, legends, scale bar, tissue image and density difference.
        The cells are one image; in SVG and PDF all text is text, in PDF with its font. The paper is `background`, or
        white if that is None. Existing files are replaced atomically: after an error the old file is unchanged.

        A page has up to a million cells and the colors listed below. It pans, zooms, hovers and recolors without a
        kernel or network. The page and a warning state what was left out.

        Parameters
        ----------
        path : its suffix sets the format: .png, .svg, .pdf or .html; SVG and PDF need matplotlib
        dpi : pixels per inch of the image, 10 to 2,400; None = 300. With 96, a CSS px is one pixel
        width, height : size of the figure in CSS px (1/96 inch); with one of them, the other keeps the proportions.
            None = the plot as large as on the screen, if it is displayed, else 4:3 of the trait `height`, plus the
            legend. Of a page: size of the widget; None = that of the window
        legend : whether the figure has title and legend; None = the trait `legend`, which is True by default
        max_bytes : limit of a page; None = 50 million. Above it, colors that are not shown are dropped first, then
            cells are sampled
        colors : further colors for a page, as `color` takes them. It always has the current color, pinned genes, open
            columns and the fields of the tooltip

        Raises
        ------
        InvalidValue
            If the suffix is unknown, the size leaves no room for the plot or exceeds memory, or `max_bytes` is too
            small.
        TargetNotWritten
            If the folder does not exist or is not writable, the disk is full, or the path is a link; an OSError.
        MissingDependency
            If matplotlib is not installed, for SVG and PDF.
        InvalidStore, DamagedStore
            If the data of the plot cannot be read.
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
                    raise InvalidValue(
                        f"max_bytes= and colors= apply to pages; save a .html, or leave them out for .{suffix}."
                    )
                self._save_figure(target, suffix, options)
            elif suffix in _HTML:
                if dpi is not None or legend is not None:
                    raise InvalidValue("dpi= and legend= do not apply to a page (.html); leave them out.")
                self._save_html(target, HtmlOptions.of(max_bytes, colors, width, height))
            else:
                known = ", ".join(f".{one}" for one in (*SUFFIXES, _HTML[0]))
                raise InvalidValue(f"'{target.name}' ends in none of {known}.")
            sizes = {"dpi": dpi, "width": width, "height": height, "legend": legend, "max_bytes": max_bytes}
            given = {"path": os.fspath(path), **sizes, "colors": colors}
            of_call = {name: value for name, value in given.items() if value is not None}
            remember(Call("save", of_call, {}, {}, self._session.settings), self._session.display)

    def embed(self, max_bytes: float | None = None, *, colors: Sequence[Any] | None = None) -> EmbeddedPage:
        """Return the page of `save`, for the output of a cell: it stays live in an exported notebook.

        nbconvert, Quarto, MyST and nbviewer show it without a kernel or network, in a frame as high as the widget.
        Hosts that remove frames, such as GitHub, show a picture.

        Parameters
        ----------
        max_bytes : limit of the whole output; None = 5 million. Above it, colors that are not shown are dropped first,
            then cells are sampled; a warning states what was left out
        colors : as for `save`

        Raises
        ------
        InvalidValue
            If `max_bytes` is too small; the message states the least number.
        UnknownName, InvalidStore, DamagedStore, ClosedDataset
            As `save`.

        Examples
        --------
        >>> w.embed(colors=["CD3E"]).cells
        'all 1,000 cells'
        """
        self._check_open()
        with self._session.costs.action("save", less=_LESS):
            options = HtmlOptions.of(EMBEDDED_BYTES if max_bytes is None else max_bytes, colors, None, None)
            png = self._picture.drawn(html=False, of_all=True).get("image/png", "")

            def embedded(page: bytes, cells: str = "") -> EmbeddedPage:
                return EmbeddedPage(self._dataset.title, cells, self.height, page.decode(), png)

            file = self._session.html(replace(options, measure=lambda page: embedded(page).n_bytes))
        if file.lacks:
            warn_caller(f"w.embed: {' '.join(file.lacks)}")
        return embedded(file.text, file.cells)

    def figure(
        self, *, dpi: float | None = None, width: float | None = None, height: float | None = None,
        legend: bool | None = None,
    ) -> Figure:  # fmt: skip
        """Return the plot as a `matplotlib.figure.Figure` that you can add to; parameters as in `save`.

        Each panel is an `Axes` in data units, in the order of the panels.

        Raises
        ------
        MissingDependency
            If matplotlib is not installed.
        InvalidValue, InvalidStore, DamagedStore, ClosedDataset
            As in `save`.

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
    """Return the size of the plots on the screen as last reported, else 4:3 of the height, CSS px."""
    described: Any = snapshot.get("plot") if isinstance(snapshot, dict) else None
    if isinstance(described, list) and len(described) == 2 and all(isinstance(one, int | float) for one in described):
        width, high = float(described[0]), float(described[1])
        if min(width, high) >= 1 and max(width, high) <= _LARGEST_PX:
            return width, high
    return float(round(height * 4 / 3)), float(height)
