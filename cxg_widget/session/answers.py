"""Answers to requests that no part of a session gives alone: opening, gestures, search, counts, figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.search import Catalogue
from cxg_widget.display.settings import Settings
from cxg_widget.errors import Overtaken
from cxg_widget.rules.combining import NOTHING
from cxg_widget.rules.forms import Rule
from cxg_widget.session.gestures import mask_of, rule_of
from cxg_widget.session.pictures.figure_files import FigureSize, figure_file
from cxg_widget.session.pictures.html_file import HtmlWish
from cxg_widget.session.streams import chunks
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import CHUNK_BYTES, Frame
from cxg_widget.wire.parsing import MAX_MATCHES, check_size, check_version, check_view

if TYPE_CHECKING:
    from cxg_widget.session.session import Session

Gesture = p.Lasso | p.Category | p.Pick


def start(session: Session, request: p.Ready) -> Iterator[Frame]:
    """Yield all that is on show, for a page that has just opened."""
    check_version(request.version)
    yield chunks.dataset_frame(session.dataset)
    if not session.display.is_early:  # of that something may have been drawn
        session.first_paint.ask()
    yield from session.first_paint.hold(session.streams.show())


def select(session: Session, request: Gesture | p.Clear) -> Iterator[Frame]:
    """Select by a gesture, and yield which points are selected."""
    if isinstance(request, p.Clear):
        session.select(np.zeros_like(session.mask), rule=NOTHING)
    else:
        mask, rule = _cells_of(session, request)
        session.select(mask, request.mode, rule)
    yield from session.streams.selection()


def _cells_of(session: Session, request: Gesture) -> tuple[NDArray[np.bool_], Rule | None]:
    held = session.loader.of(session.settings.of_panel(request.panel))
    return mask_of(request, held, session.mask), rule_of(request, held)


def needs_no_reading(session: Session, request: Gesture) -> bool:
    """Say whether a gesture can be answered at once, without reading anything first."""
    with suppress(Overtaken):
        return session.loader.of(session.settings.of_panel(request.panel)).needs_no_reading
    return True  # its panel is gone, which the answer says


def select_later(session: Session, request: Gesture) -> Callable[[], Iterator[Frame]]:
    """Take note of a gesture, and return its answer, which is called in its turn.

    The answer raises `Overtaken` where a newer selection has replaced all before it, or other cells are on show.
    """
    means = {p.Lasso: attrgetter("place_key"), p.Category: attrgetter("color_key")}
    of: Callable[[Settings], object] = means.get(type(request), lambda _: None)

    def key(settings: Settings) -> object:
        return of(settings.of_panel(request.panel))

    take = session.display.select_later(request.mode, lambda: _cells_of(session, request), key)

    def answer() -> Iterator[Frame]:
        take()
        yield from session.streams.selection()

    return lambda: session.costs.counted(request.kind, answer())


def count(session: Session, _: p.Count) -> Iterator[Frame]:
    """Yield how many selected cells, and how many that pass the filters, the legend has in each row."""
    settings, mask, seqs = session.display.now()
    held = session.loader.of(settings)
    passing = held.filtered()
    chosen = mask if passing is None else mask & passing
    n_missing, *counts = held.count_selected(chosen).tolist()
    of_all: list[int] = []
    if (counted := held.count_passing()) is not None:
        n_without, *of_all = counted.tolist()
        of_all.append(n_without)
    message = p.Counts(seqs.color, seqs.selection, n_missing, int(np.count_nonzero(chosen)), seqs.filter)
    arrays = {"counts": counts, "passing": of_all}
    yield Frame(message, {name: np.array(some, dtype=np.uint32) for name, some in arrays.items()})


def search(session: Session, request: p.Search) -> Iterator[Frame]:
    """Yield what can color the cells and has a name like the query."""
    sets = session.settings.own_gene_sets
    catalogue: Catalogue = session.loader.memo.keep(
        "catalogue", tuple(sets.items()), lambda: Catalogue(session.dataset, sets)
    )
    names = [one["name"] for one in session.settings.sets]
    found, n_more = catalogue.find(request.query, min(max(request.limit, 1), MAX_MATCHES), names)
    yield Frame(p.Matches(request.query, [catalogue.describe(match) for match in found], n_more))


def zoom(session: Session, request: p.Zoom) -> Iterator[Frame]:
    """Yield the points of a view, finer than those of the whole plot."""
    check_view(request.view)
    held = session.loader.of(session.settings.of_panel(request.panel))
    yield from chunks.detail_frames(request.view, held.xy(), session.loader.order())


def aggregate(session: Session, request: p.Aggregate) -> Iterator[Frame]:
    """Yield a view as an image, or as its cells where these are few."""
    check_view(request.view)
    check_size(request.width, request.height)
    yield from session.views.frames(request)


def figure(session: Session, request: p.AskFigure) -> Iterator[Frame]:
    """Yield the file of a figure of all that is on show, in parts."""
    check_size(request.width, request.height)
    size = FigureSize((request.width, request.height))
    if request.suffix == "html":
        written = session.html(HtmlWish()).text
    else:
        page = session.page(size.of_page, dark=request.dark)
        written = figure_file(page, request.suffix, size.dpi, session.dataset.title)
    file = np.frombuffer(written, dtype=np.uint8)
    parts = np.array_split(file, -(-file.size // CHUNK_BYTES))
    for at, part in enumerate(parts):
        yield Frame(p.FigurePart(at, len(parts)), {"file": part})


def cancel(session: Session, request: p.Cancel) -> Iterator[Frame]:
    """End work that lasts; nothing is answered."""
    if request.of == "aggregate":
        session.views.cancel(request.panel)
    elif request.of in ("labels", "contours", "difference"):
        session.landmarks.cancel(request.of, request.panel)
    elif request.of == "compare":
        session.comparisons.end()
    elif request.of == "tissue":
        session.tissue.cancel()
    elif request.of == "lasso":
        session.display.drop_selections()
    yield from ()
