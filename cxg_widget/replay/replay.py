"""Replays a state on other data: applies what fits, counts cells there and in the source, and writes a report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.files.target import local_path
from cxg_widget.files.writing import writing
from cxg_widget.replay.cell_counts import Counts, cell_counts
from cxg_widget.replay.fitting import fit
from cxg_widget.replay.missing import missing_in
from cxg_widget.replay.page import plot_of, report_page
from cxg_widget.replay.report import ReplayReport
from cxg_widget.rules.forms import within
from cxg_widget.session.session import Session
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings


@contextmanager
def session_on(dataset: Dataset, **options: Any) -> Iterator[Session]:
    """Yield a session of its own over an open dataset, which stays open; options are those of `Session`."""
    session = Session(dataset.with_own_columns(), **options)
    try:
        yield session
    finally:
        session.close()


def replay(state: Mapping[str, Any], session: Session, source: Session | None = None) -> ReplayReport:
    """Apply a state to a session that shows nothing yet, and to that of its source; raises as `fit`."""
    parts, kept = fit(state, session)
    missing = missing_in(state, session.dataset)
    sentence = ""
    try:
        missing.check()
    except UnknownName as error:
        sentence = str(error)
    before: Counts = {}
    if source is not None:
        fit(state, source)
        before = cell_counts(source)
    is_other = source is None or source.dataset.content_identity != session.dataset.content_identity
    notes = (*(one.note for one in parts if one.note), *(_of_regions(session.settings) if is_other else ()))
    title = "" if source is None else source.dataset.title
    return ReplayReport(
        session.dataset.title, title, tuple(parts), tuple(missing.names), kept, tuple(dict.fromkeys(notes)), sentence,
        before, cell_counts(session),
    )  # fmt: skip


def report_path(path: str | os.PathLike[str] | None) -> Path | None:
    """Return the path of a report; raises `InvalidValue` if it is not that of a page."""
    target = None if path is None else local_path(path)
    if target is not None and target.suffix.lower() not in (".html", ".htm"):
        raise InvalidValue(f"a report is a page: report='replay.html'; found {shown(target.name)}")
    return target


def save_report(path: Path, report: ReplayReport, session: Session, source: Session | None = None) -> None:
    """Write a report with the plot of each side; raises as `writing`."""
    sides = [] if source is None else [(source, "Before")]
    page = report_page(report, [plot_of(one, side) for one, side in (*sides, (session, "After"))])
    with writing(path, replaces=True) as place:
        place.partial.write_bytes(page)


def _of_regions(settings: Settings) -> Iterator[str]:
    """Yield a note about regions in an embedding by name, whose coordinates differ between datasets."""
    logs = [step for one in settings.annotations for step in one["log"]]
    rules = [one["rule"] for one in (*settings.sets, *logs) if "rule" in one]
    polygons = [one for rule in rules for one, _ in within(rule) if "polygon" in one]
    names = dict.fromkeys(one["embedding"] for one in polygons if isinstance(one["embedding"], str))
    if names:
        yield (
            f"Regions drawn in {' and '.join(map(shown, names))} are at the same coordinates here: unless both "
            "datasets share the embedding, they hold other cells."
        )
