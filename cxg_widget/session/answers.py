"""Answers to requests that need several parts of a session: opening, gestures, search, counts, figures, gene sets."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.gene_sets import MOST_PINNED, describe_unknown, free_name, read_lists
from cxg_widget.display.search import Catalogue
from cxg_widget.display.settings import Settings
from cxg_widget.errors import Overtaken
from cxg_widget.rules.combining import NOTHING
from cxg_widget.rules.forms import Rule
from cxg_widget.session.gestures import mask_of, rule_of
from cxg_widget.session.pictures.figure_files import figure_file
from cxg_widget.session.pictures.save_options import FigureOptions, HtmlOptions
from cxg_widget.session.streams import chunks
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame, cut_file
from cxg_widget.wire.parsing import MAX_MATCHES, check_size, check_version, check_view

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings
    from cxg_widget.session.session import Session


Gesture = p.Lasso | p.Category | p.Pick | p.StudyPick


def start(session: Session, request: p.Ready) -> Iterator[Frame]:
    """Yield everything that is shown, for a page that has just opened."""
    check_version(request.version)
    yield chunks.dataset_frame(session.dataset)
    if not session.display.is_early:  # some of it may have been drawn by now
        session.first_paint.ask()
    yield from session.first_paint.hold(session.streams.show())


def select(session: Session, request: Gesture | p.Clear) -> Iterator[Frame]:
    """Select by a gesture, and yield the selected points."""
    if isinstance(request, p.Clear):
        session.select(np.zeros_like(session.mask), rule=NOTHING)
    else:
        mask, rule = _cells_of(session, request)
        session.select(mask, request.mode, rule)
    yield from session.streams.selection()


def _cells_of(session: Session, request: Gesture) -> tuple[NDArray[np.bool_], Rule | None]:
    if isinstance(request, p.StudyPick):
        return session.studies.cells(request)
    held = session.loader.of(session.settings.of_panel(request.panel))
    return mask_of(request, held, session.mask), rule_of(request, held)


def needs_no_reading(session: Session, request: Gesture) -> bool:
    """Return whether a gesture can be answered without reading anything first."""
    if isinstance(request, p.StudyPick):
        return False
    with suppress(Overtaken):
        return session.loader.of(session.settings.of_panel(request.panel)).needs_no_reading
    return True  # its panel was removed, which the answer reports


def select_later(session: Session, request: Gesture) -> Callable[[], Iterator[Frame]]:
    """Register a gesture, and return its answer, to be called when it is due.

    The answer raises `Overtaken` if a newer selection has replaced all before it, or other cells are shown.
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
    """Yield the number of selected and of passing cells for each row of the legend."""
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
    """Yield search results for colors."""
    sets = session.settings.own_gene_sets
    catalogue: Catalogue = session.loader.memo.keep(
        "catalogue", tuple(sets.items()), lambda: Catalogue(session.dataset, sets)
    )
    names = [one["name"] for one in session.settings.sets]
    found, n_more = catalogue.find(request.query, min(max(request.limit, 1), MAX_MATCHES), names)
    yield Frame(p.Matches(request.query, [catalogue.describe(match) for match in found], n_more))


def zoom(session: Session, request: p.Zoom) -> Iterator[Frame]:
    """Yield the points of a view at higher precision."""
    check_view(request.view)
    held = session.loader.of(session.settings.of_panel(request.panel))
    yield from chunks.detail_frames(request.view, held.xy(), session.loader.order())


def aggregate(session: Session, request: p.Aggregate) -> Iterator[Frame]:
    """Yield a view as an image, or as its cells if they are few."""
    check_view(request.view)
    check_size(request.width, request.height)
    yield from session.views.frames(request)


def figure(session: Session, request: p.AskFigure) -> Iterator[Frame]:
    """Yield the file of a figure of the plot, in parts."""
    check_size(request.width, request.height)
    if request.suffix == "html":
        written = session.html(HtmlOptions()).text
    else:
        options = FigureOptions((request.width, request.height), dark=request.dark)
        written = figure_file(session.page(options), request.suffix, options.dpi, session.dataset.title)
    parts = cut_file(written)
    for at, part in enumerate(parts):
        yield Frame(p.FigurePart(at, len(parts)), {"file": part})


_PANELS_JS = Path(__file__).parents[1] / "static" / "panels.js"


def module_frame(known: list[str]) -> Frame:
    """Return the module, without its code if the page has its hash."""
    code, name = _read(_PANELS_JS.stat().st_mtime_ns)
    return Frame(p.Module(name), {"code": np.frombuffer(b"" if name in known else code, dtype=np.uint8)})


@lru_cache(maxsize=1)
def _read(_: int) -> tuple[bytes, str]:
    """Return the deflated code and its hash; read again if the file has changed, as during development."""
    code = _PANELS_JS.read_bytes()
    return zlib.compress(code, 9), sha256(code).hexdigest()[:16]


def gene_sets_frame(request: p.AskGenes, dataset: Dataset, settings: Settings) -> Frame:
    """Return the sets of a text, or those of the store if it is empty, with as many genes as can be pinned."""
    if request.text.strip() == "":
        return Frame(p.GeneSets(_records(dataset.gene_sets, MOST_PINNED), ""))
    name = request.name.strip() or free_name({*settings.own_gene_sets, *dataset.gene_sets}, dataset)
    found = read_lists(request.text, name, dataset)
    return Frame(p.GeneSets(_records(found.sets), describe_unknown(found.unknown) if found.unknown else ""))


def _records(sets: Mapping[str, Sequence[str]], most: int | None = None) -> list[dict[str, object]]:
    return [{"name": name, "n": len(genes), "genes": list(genes[:most])} for name, genes in sets.items()]
