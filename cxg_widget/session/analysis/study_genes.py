"""Genes that differ between the conditions of a study: keeps sums of counts by sample and type, and tests them."""
# Changes with cxg_widget/draw/plots/study_differences.py: options of the genes that differ.

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.donors.by_sums import DonorComparison
from cxg_widget.compare.question import Question
from cxg_widget.compute.jobs import in_background
from cxg_widget.datasets.base.values import Codes
from cxg_widget.draw.plots.study_differences import DifferencesPlot
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.session.analysis.comparison import Comparisons
from cxg_widget.session.analysis.meant import Population
from cxg_widget.session.analysis.study import Studies
from cxg_widget.session.analysis.study_page import samples_frame
from cxg_widget.session.exchange import Newest
from cxg_widget.study.compared import compare_field
from cxg_widget.study.differences import LEVEL, N_GENES, Differences
from cxg_widget.study.samples import LEAST_CELLS, StudySamples
from cxg_widget.study.sentences import SAMPLE
from cxg_widget.study.sums import Groups, GroupSums, KeptSums
from cxg_widget.study.sums_store import SumsStore, sums_key
from cxg_widget.text.names import describe_layer, not_found, shown, shown_label
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.compare.matrix_statistics import MatrixStats

Mask = NDArray[np.bool_]
Check = Callable[[], None] | None
ALL = Codes(np.zeros(0, dtype=np.int8), ("",), False)
"""The only type of all cells together."""


class StudyGenes:
    """Tests genes between the conditions of the study of a widget."""

    def __init__(self, loader: Loader, comparisons: Comparisons, studies: Studies) -> None:
        self._loader, self._comparisons, self._studies = loader, comparisons, studies
        self._dataset = loader.dataset
        self._by_hand = {kind: Newest("it was requested again, or cancelled.") for kind in (p.AskStudy, p.StudyOpen)}
        self._grouped: tuple[NDArray[Any], NDArray[Any], Groups] | None = None
        self._newest: GroupSums | None = None

    def differences(
        self, by: Any, within: Any, *, layer: str | None = None, min_cells: Any = LEAST_CELLS,
        category: str | None = None, check: Check = None,
    ) -> DifferencesPlot:  # fmt: skip
        """Return how many genes differ; parameters and errors as `Study.differences`.

        category : test this type only; None = all
        check : raises if nobody waits for the result; None = called from Python
        """
        if isinstance(min_cells, bool) or not isinstance(min_cells, int | np.integer) or min_cells < 1:
            raise InvalidValue(f"min_cells takes a whole number from 1 on; found {shown(min_cells)}")
        studies = self._studies
        samples, population = studies.samples(), studies.population(within)
        column = None if by is None else studies.column(by)
        question = Question("pseudobulk", layer, by=samples.design.sample, min_cells=int(min_cells), min_donors=2)
        matrix = self._comparisons.matrix(check, "study")
        matrix.check(question)
        codes = ALL if column is None else self._dataset.codes(column)
        sums = self.sums(samples, codes, population, matrix, question)
        n_cells = sums.n_cells.reshape(len(samples), len(codes.categories)).sum(axis=0)
        places = np.flatnonzero(n_cells)
        labels = [shown_label(codes.categories[at]) if column is not None else "" for at in places.tolist()]
        if category is not None:
            place = _find(category, labels, "type", column or "this study")
            places, labels = places[[place]], [labels[place]]
        found = Differences(samples, column, places, tuple(labels), sums, int(min_cells), matrix.give_up)
        notes = studies.notes(samples, population)
        given = {"by": by, "layer": layer, "min_cells": None if min_cells == LEAST_CELLS else int(min_cells)}
        cells = _Cells(codes, population, question, notes, given)
        look = studies.look(samples, _describe(found, layer))
        made = DifferencesPlot(found, look, notes, partial(self._compare, found, cells))
        if category is None:
            studies.note("differences", population, made.title, notes, is_passing=check is not None, **given)
        return made

    def frames(self, request: p.AskStudy) -> Iterator[Frame]:
        """Yield the genes that differ for the page; raises as `differences`, and `Overtaken` if ended."""
        plot = self._by_page(request)
        found, order = plot.differences, plot.differences.order()
        samples, tests = found.samples, found.tests[:, order].astype(np.float32)
        tests = np.insert(tests, [2, 2], np.nan, axis=0)
        n_cells = samples.n_cells(self._studies.population(request.within).mask)
        head = samples_frame("differences", plot.look, plot.notes, samples, n_cells).message
        rows = [{"gene": "", "category": found.types[at]} for at in order.tolist()]
        counts = found.n_cells[order].astype(np.uint32)
        arrays = {
            "values": np.full(counts.shape, np.nan, dtype=np.float32), "counts": counts,
            "tests": np.ascontiguousarray(tests),
        }  # fmt: skip
        assert isinstance(head, p.StudyPart)
        yield Frame(replace(head, rows=rows, pairs=[list(one) for one in samples.condition_pairs]), arrays)

    def open(self, request: p.StudyOpen) -> Iterator[Frame]:
        """Compare two conditions in a type, and yield the comparison; raises as `differences`, `compare_field`."""
        self._by_page(request, request.category).compare(request.category, request.a, request.b)
        yield from self._comparisons.frames(p.AskComparison())

    def end(self) -> None:
        """Cancel what the page has requested."""
        for one in self._by_hand.values():
            one.end()

    def _by_page(self, request: p.AskStudy | p.StudyOpen, category: str | None = None) -> DifferencesPlot:
        layer, check = self._studies.layer, self._by_hand[type(request)].begin()
        work = partial(
            self.differences, request.by or None, request.within, layer=layer, category=category, check=check
        )
        return in_background(work, gives_way=True).result()

    # Sums.

    def sums(
        self, samples: StudySamples, types: Codes, population: Population, matrix: MatrixStats, question: Question
    ) -> GroupSums:
        """Return the sums of the cells that count, after reading what is not kept; raises as `KeptSums.make`."""
        groups = self.groups(samples, types)
        try:
            kept = self._loader.memo.keep(
                "study sums", (groups.fingerprint, question.layer), lambda: self._kept(groups, matrix, question)
            )
            self._newest = found = kept.of(population.mask, matrix, question, self._newest)
        finally:
            matrix.tell(1.0, "")
        return found

    def _kept(self, groups: Groups, matrix: MatrixStats, question: Question) -> KeptSums:
        """Return the sums of all cells, from disk if they are there."""
        dataset, store, layer = self._dataset, SumsStore(), question.layer
        n_var = len(dataset.names_in(layer).var_labels)
        name = sums_key(dataset.identity, groups, layer) if dataset.identity else None
        found = None if name is None else store.load(name, groups, n_var)
        if found is not None:
            return found
        made = KeptSums.make(matrix, groups, question)
        # From the file the system may take the memory back.
        if name is not None and store.save(name, made):
            return store.load(name, groups, n_var) or made
        return made

    def groups(self, samples: StudySamples, types: Codes) -> Groups:
        """Return the cells by sample and type."""
        codes = types.codes if types is not ALL else np.broadcast_to(np.int8(0), samples.codes.shape)
        held = self._grouped
        # The same arrays come from the caches of samples and columns as long as neither changes.
        if held is not None and held[0] is samples.codes and held[1] is types.codes:
            return held[2]
        found = Groups.of(samples.codes, codes, len(samples), len(types.categories))
        self._grouped = samples.codes, types.codes, found
        return found

    # One field.

    def _compare(self, found: Differences, cells: _Cells, category: str, a: str, b: str) -> DonorComparison:
        samples = found.samples
        row = _find(category, found.types, "type", found.column or "this study")
        pair = (
            _find(a, samples.conditions, "condition", samples.design.condition),
            _find(b, samples.conditions, "condition", samples.design.condition),
        )
        if pair[0] == pair[1]:
            raise InvalidValue(f"two conditions are compared, and both are {shown(a)}.")
        names = f"{category} {a}".strip(), f"{category} {b}".strip()
        kind = None
        if not found.sums.kept.are_counts:
            kind = self._comparisons.matrix().kind(Grouping.of_sets(samples.codes >= 0), cells.question.layer)
        made = compare_field(
            found, row, pair, dataset=self._dataset, question=cells.question, set_names=names, kind=kind
        )
        made = replace(made, notes=(*made.notes, *cells.notes))
        masks = cells.of(found, row, pair[0]), cells.of(found, row, pair[1])
        kept = self._comparisons.keep_samples(made, masks, cells.question, cells.population)
        assert isinstance(kept, DonorComparison)
        given = {**cells.given, "category": category, "a": a, "b": b}
        self._studies.note("compare", cells.population, kept.description, kept.notes, **given)
        return kept


@dataclass(frozen=True)
class _Cells:
    """The cells that are compared, and how.

    types : of the cells
    notes : on the study
    given : options of `differences`
    """

    types: Codes
    population: Population
    question: Question
    notes: tuple[str, ...]
    given: Mapping[str, Any]

    def of(self, found: Differences, row: int, condition: int) -> Mask:
        """Return the cells of a type in a condition, bool (n_obs,), without excluded samples."""
        samples = found.samples
        # One more entry for cells in no sample, which code -1 indexes.
        is_in = np.append((samples.condition == condition) & ~samples.excluded, False)[samples.codes]
        return self.population.of(is_in if self.types is ALL else is_in & (self.types.codes == found.places[row]))


def _find(name: Any, known: Any, what: str, where: str) -> int:
    if name not in known:
        raise UnknownName(not_found(what, name, known, where))
    return list(known).index(name)


def _describe(found: Differences, layer: str | None) -> str:
    """Return the title: unit, number of samples, and test."""
    samples, are_counts = found.samples, found.sums.kept.are_counts
    n, test = SAMPLE.counted(int(np.count_nonzero(~samples.excluded))), "Welch's t-test"
    if found.is_paired.any():
        n_pairs = int(found.tests[2][found.is_paired].max())
        n, test = f"up to {n_pairs:,} pairs of samples", "paired t-test"
        test += "" if found.is_paired.all() else " where samples are paired, else Welch's,"
    by = f" by {found.column}" if found.column else ""
    where = describe_layer(layer)
    unit, what = f"mean of {where} per sample, {n}", f"the mean of {where} per sample"
    if are_counts:
        unit, what = f"sums of counts of {n}", "log2 counts per million"
    if np.isnan(found.tests[N_GENES]).all():
        return f"Genes that differ{by}, {unit}; not tested"
    return f"Genes that differ{by}, {unit}; {test} of {what}, p_adj < {LEVEL} by Benjamini and Hochberg"
