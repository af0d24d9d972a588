"""`w.save` and `w.figure`: what is on show as a file, or as a figure of matplotlib."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cxg_widget.draw.pages.matplotlib_page import make_figure
from cxg_widget.errors import InvalidValue
from cxg_widget.files.target import local_path
from cxg_widget.files.writing import writing
from cxg_widget.session.pictures.figure_files import SUFFIXES, FigureSize, figure_file
from cxg_widget.session.pictures.html_file import HtmlWish
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from cxg_widget.session.session import Session


_LARGEST_PX = 20_000
_HTML = ("html", "htm")


@dataclass(frozen=True)
class Options:
    """What files of one kind alone take, None = not given: figures dpi and legend, pages max_bytes and colors."""

    dpi: Any = None
    legend: Any = None
    max_bytes: Any = None
    colors: Any = None


def save(session: Session, path: str | os.PathLike[str], size: FigureSize, options: Options) -> None:
    """Write a file as its suffix says, or leave what is there; parameters and errors as those of `CxgWidget.save`."""
    target = local_path(path)
    suffix = target.suffix.lower().removeprefix(".")
    if suffix not in (*SUFFIXES, *_HTML):
        raise InvalidValue(f"'{target.name}' ends in none of {', '.join(f'.{one}' for one in (*SUFFIXES, _HTML[0]))}.")
    if suffix in _HTML:
        _save_html(session, target, size, options)
        return
    if options.max_bytes is not None or options.colors is not None:
        raise InvalidValue(f"max_bytes and colors are of pages, .html; leave them out for .{suffix}.")
    with writing(target, replaces=True) as place:
        page = session.page(size.of_page, legend=options.legend)
        place.partial.write_bytes(figure_file(page, suffix, size.dpi, session.dataset.title))


def _save_html(session: Session, target: Path, size: FigureSize, options: Options) -> None:
    if options.dpi is not None or options.legend is not None:
        raise InvalidValue("a page of HTML is drawn where it is opened, beside its legend; leave out dpi and legend.")
    wish = HtmlWish.of(options.max_bytes, options.colors, size.width, size.height)
    with writing(target, replaces=True) as place:
        file = session.html(wish)
        place.partial.write_bytes(file.text)
    if file.lacks:
        warn_caller(f"'{target.name}': {' '.join(file.lacks)}")


def figure(session: Session, size: FigureSize, legend: bool | None) -> Figure:
    """Return what is on show as a figure."""
    return make_figure(session.page(size.of_page, legend=legend))


def plot_size(snapshot: Any, height: float) -> tuple[float, float]:
    """Return how large the room of the plots is on the screen, as said last; else 4:3 of the height, CSS px."""
    described: Any = snapshot.get("plot") if isinstance(snapshot, dict) else None
    if isinstance(described, list) and len(described) == 2 and all(isinstance(one, int | float) for one in described):
        width, high = float(described[0]), float(described[1])
        if min(width, high) >= 1 and max(width, high) <= _LARGEST_PX:
            return width, high
    return float(round(height * 4 / 3)), float(height)
