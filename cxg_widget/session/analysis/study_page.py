"""Parts of a study as frames for the page."""
# Changes with cxg_widget/wire/messages/study.py: parts of a study.

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.draw.plots.plot_style import Look
from cxg_widget.draw.plots.study_points import MeasuredPlot
from cxg_widget.session.analysis.study import Studies, listed_samples
from cxg_widget.study.columns import SampleColumn, constant_columns
from cxg_widget.study.sentences import SAMPLE
from cxg_widget.text.names import shown_label
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.study.samples import Counts, StudySamples

_MOST_POINTS = 1 << 17
"""Values of a message: half a megabyte, half of the largest message of some hosts."""
_MOST_SAMPLES = 1_000
_LIKELY = ("donor", "sample", "patient", "subject", "individual", "participant", "mouse", "batch")


def part_frames(studies: Studies, dataset: Dataset, request: p.AskStudy, *, has_selection: bool) -> Iterator[Frame]:
    """Yield one part of the study."""
    if request.part == "form":
        yield form_frame(dataset, request.by)
        return
    samples, population = studies.samples(), studies.population(request.within)
    n_cells = samples.n_cells(population.mask)
    if request.part == "composition" and (request.by or has_selection):
        within = request.within if request.by else "filter"
        found = studies.composition(request.by or None, within, "logit", is_passing=True)
        yield measured_frame(request.part, found, n_cells)
        return
    n = SAMPLE.counted(int(np.count_nonzero(~samples.excluded)))
    title = f"{n} by {samples.design.sample} and {samples.design.condition}"
    notes = studies.notes(samples, population, is_tested=False)
    yield samples_frame(request.part, studies.look(samples, title), notes, samples, n_cells)


def measured_frame(part: p.StudyPartName, plot: MeasuredPlot, n_cells: Counts) -> Frame:
    """Return values of samples with their tests, the rows with the largest effects first."""
    found, notes = plot.measured, plot.notes
    samples, tests = found.samples, found.tests
    most = max(_MOST_POINTS // max(len(samples), 1), 1)
    order = tests.order()
    if len(order) > most:
        notes = (*notes, f"The {most:,} of {len(order):,} rows with the largest effects; frame() has all.")
        order = order[:most]
    rows = [{"gene": gene, "category": category} for gene, category in (found.labels[at] for at in order.tolist())]
    arrays = {
        "values": found.values[order].astype(np.float32),
        "counts": found.counts[order].astype(np.uint32),
        "tests": np.ascontiguousarray(tests.array()[:, order]),
    }
    head = samples_frame(part, plot.look, notes, samples, n_cells).message
    assert isinstance(head, p.StudyPart)
    pairs = [list(one) for one in tests.pairs]
    return Frame(replace(head, rows=rows, pairs=pairs, is_log2=found.is_log2), arrays)


def samples_frame(
    part: p.StudyPartName, look: Look, notes: Sequence[str], samples: StudySamples, n_cells: Counts
) -> Frame:
    """Return a part with the samples, without rows."""
    message = p.StudyPart(
        part, look.title, list(notes), list(samples.conditions), listed_samples(samples, n_cells),
        [listed_column(one) for one in samples.covariates], colors=list(look.colors),
    )  # fmt: skip
    return Frame(message, no_arrays(len(samples)))


def no_arrays(n_samples: int) -> dict[str, Any]:
    """Return the arrays of a part without rows."""
    none = np.empty((0, n_samples))
    return {
        "values": none.astype(np.float32), "counts": none.astype(np.uint32), "tests": np.empty((6, 0, 0), np.float32),
    }  # fmt: skip


def listed_column(column: SampleColumn) -> dict[str, Any]:
    """Return a column with the categories that samples have."""
    used = np.unique(column.values[~np.isnan(column.values)]).astype(np.int64).tolist()
    categories = [] if column.kind == "number" else [column.categories[at] for at in used]
    return {"name": column.name, "kind": column.kind, "categories": categories}


def form_frame(dataset: Dataset, by: str) -> Frame:
    """Return columns to choose from: of samples, or those constant within the samples of a column."""
    if by in dataset.obs_columns:
        codes = dataset.codes(by)
        found = constant_columns(dataset, codes.codes.astype(np.int32), len(codes.categories), numbers=True)
        columns = [listed_column(one) for one in found if one.name != by]
    else:
        columns = _sample_columns(dataset)
    return Frame(p.StudyPart("form", "", [], [], [], columns), no_arrays(0))


def _sample_columns(dataset: Dataset) -> list[dict[str, Any]]:
    """Return columns that may hold samples, those with likely names first."""
    names = [
        name
        for name, one in dataset.obs_columns.items()
        if one.kind != "float" and (one.n_categories is None or 1 < one.n_categories <= _MOST_SAMPLES)
    ]
    names.sort(key=lambda name: next((at for at, one in enumerate(_LIKELY) if one in name.lower()), len(_LIKELY)))
    found = []
    for name in names:
        kind = dataset.obs_columns[name].kind
        known = dataset.codes(name).categories if kind in ("categorical", "boolean") else ()
        found.append({"name": name, "kind": "category", "categories": list(map(shown_label, known))})
    return found
