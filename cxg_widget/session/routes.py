"""Routes of requests: the function that answers each kind, and its lane."""
# Changes with js/src/file/kernel.js: requests that a saved page answers.

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from cxg_widget.session import answers
from cxg_widget.session.analysis.blend_fields import fields_frame
from cxg_widget.session.analysis.study_page import part_frames
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.session.session import Session

Lane = Literal["gesture", "thread", "widget"]
"""Lane of a request.

gesture : answered at once if nothing must be read, else in a queue in the order of the gestures
thread : answered in a thread; replaces a request of the same kind and panel that has not started
widget : answered at once by the widget itself, since it changes what Python sees
"""


@dataclass(frozen=True)
class Route:
    """How one kind of request is answered.

    answer : takes the session and the request, returns one or more frames; None = only the widget answers
    is_action : whether users see it as an action, so that its cost is shown
    end : takes the session and a panel, and ends the work that `cancel` names; None = cannot be ended
    """

    lane: Lane
    answer: Callable[[Session, Any], Frame | Iterable[Frame]] | None = None
    is_action: bool = True
    end: Callable[[Session, int], None] | None = None


def _begin(session: Session, _: p.Begun) -> Iterable[Frame]:
    session.first_paint.begin()
    yield from ()


def _cancel(session: Session, request: p.Cancel) -> Iterable[Frame]:
    for kind, route in ROUTES.items():
        if kind.kind == request.of and route.end is not None:
            route.end(session, request.panel)
    yield from ()


def _study(session: Session, request: p.AskStudy) -> Iterable[Frame]:
    if request.part == "differences":
        return session.study_genes.frames(request)
    if request.part == "expression":
        return session.study_expression.frames(request)
    return part_frames(session.studies, session.dataset, request, has_selection=bool(session.mask.any()))


def _end_study(session: Session, _: int) -> None:
    session.study_genes.end()
    session.study_expression.end()


ROUTES: Mapping[type[p.Message], Route] = {
    p.Ready: Route("thread", answers.start),
    p.Begun: Route("thread", _begin, is_action=False),
    p.AskModule: Route("thread", lambda _, request: answers.module_frame(request.known), is_action=False),
    p.Restore: Route("widget"),
    p.Undo: Route("widget"),
    p.Cancel: Route("widget", _cancel, is_action=False),
    # Selection
    p.Lasso: Route("gesture", answers.select, end=lambda session, _: session.display.drop_selections()),
    p.Category: Route("gesture", answers.select),
    p.Pick: Route("gesture", answers.select),
    p.StudyPick: Route("gesture", answers.select),
    p.Clear: Route("gesture", answers.select, is_action=False),
    p.Count: Route("thread", answers.count),
    p.AskSets: Route("thread", lambda session, request: session.sets.frame(request.chosen)),
    p.EditSet: Route("widget"),
    p.AskAnnotations: Route("thread", lambda session, request: session.annotations.frame(request)),
    p.EditAnnotation: Route("widget"),
    # Plot
    p.Hover: Route("thread", lambda session, request: session.pointer.frame(request), is_action=False),
    p.Search: Route("thread", answers.search),
    p.AskPlace: Route("thread", lambda session, request: session.streams.place(request.panel)),
    p.AskLook: Route("thread", lambda session, request: session.streams.look(request.panel)),
    p.Zoom: Route("thread", answers.zoom),
    p.Aggregate: Route("thread", answers.aggregate, end=lambda session, panel: session.views.cancel(panel)),
    p.AskLabels: Route(
        "thread",
        lambda session, request: session.landmarks.labels(request),
        end=lambda session, panel: session.landmarks.cancel("labels", panel),
    ),
    p.AskContours: Route(
        "thread",
        lambda session, request: session.landmarks.contours(request),
        end=lambda session, panel: session.landmarks.cancel("contours", panel),
    ),
    p.AskDifference: Route(
        "thread",
        lambda session, request: session.landmarks.difference(request),
        end=lambda session, panel: session.landmarks.cancel("difference", panel),
    ),
    p.AskSections: Route("thread", lambda session, request: session.tissue.frame(request)),
    p.AskTissue: Route(
        "thread",
        lambda session, request: session.tissue.frames(request),
        end=lambda session, _: session.tissue.cancel(),
    ),
    p.AskFigure: Route("thread", answers.figure),
    p.AskCode: Route("widget"),
    # Panels
    p.AskColumns: Route("thread", lambda session, request: session.columns.frames(request)),
    p.FindValues: Route("thread", lambda session, request: session.columns.frames(request)),
    p.AskFields: Route("thread", lambda session, _: fields_frame(session.loader, session.display), is_action=False),
    p.AskBrush: Route("thread", lambda session, request: session.brush.frames(request)),
    p.AskGenes: Route(
        "thread", lambda session, request: answers.gene_sets_frame(request, session.dataset, session.settings)
    ),
    p.AskTable: Route("thread", lambda session, request: session.table.page(request)),
    p.AskCsv: Route("thread", lambda session, request: session.table.part(request)),
    p.Compare: Route(
        "thread",
        lambda session, request: session.comparisons.compare(request),
        end=lambda session, _: session.comparisons.end(),
    ),
    p.AskComparison: Route("thread", lambda session, request: session.comparisons.frames(request), is_action=False),
    p.AskQuick: Route("thread", lambda session, request: session.quick.frames(request), is_action=False),
    p.MakeSketch: Route(
        "thread", lambda session, request: session.quick.make(request), end=lambda session, _: session.quick.end()
    ),
    p.AskStudy: Route(
        "thread",
        _study,
        is_action=False,
        end=_end_study,
    ),
    p.StudyOpen: Route(
        "thread",
        lambda session, request: session.study_genes.open(request),
        end=lambda session, _: session.study_genes.end(),
    ),
}
"""One row per kind of request; importing this module fails otherwise."""

if set(ROUTES) != set(p.REQUESTS):
    raise TypeError(f"requests without a route: {sorted(one.__name__ for one in set(p.REQUESTS) ^ set(ROUTES))}")
