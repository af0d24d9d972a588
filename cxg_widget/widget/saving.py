"""`w.save` and `w.figure`: what is on show as a file, or as a figure of matplotlib."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cxg_widget.convert.destination import local_path, writing
from cxg_widget.draw.matplotlib_page import make_figure
from cxg_widget.errors import InvalidValue
from cxg_widget.session.figure_files import SUFFIXES, FigureSize, figure_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cxg_widget.session.session import Session


_LARGEST_PX = 20_000


def save(session: Session, path: str | os.PathLike[str], size: FigureSize, legend: bool | None) -> None:
    """Write a figure as its suffix says, or leave what is there; parameters and errors as those of `CxgWidget.save`."""
    target = local_path(path)
    suffix = target.suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        raise InvalidValue(f"'{target.name}' ends in none of {', '.join(f'.{one}' for one in SUFFIXES)}.")
    with writing(target, replaces=True) as place:
        page = session.page(size.of_page, legend=legend)
        place.partial.write_bytes(figure_file(page, suffix, size.dpi, session.dataset.title))


def figure(session: Session, size: FigureSize, legend: bool | None) -> Figure:
    """Return what is on show as a figure."""
    return make_figure(session.page(size.of_page, legend=legend))


def plot_size(snapshot: Any, height: float) -> tuple[float, float]:
    """Return how large the room of the plots is on the screen, as told last; else 4:3 of the height, CSS px."""
    told: Any = snapshot.get("plot") if isinstance(snapshot, dict) else None
    if isinstance(told, list) and len(told) == 2 and all(isinstance(one, int | float) for one in told):
        width, high = float(told[0]), float(told[1])
        if min(width, high) >= 1 and max(width, high) <= _LARGEST_PX:
            return width, high
    return float(round(height * 4 / 3)), float(height)
