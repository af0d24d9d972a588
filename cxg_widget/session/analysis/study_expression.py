"""Expression of genes by sample and cell type, for Python and for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.question import Question
from cxg_widget.compute.jobs import in_background
from cxg_widget.datasets.base.values import Codes
from cxg_widget.draw.plots.study_points import MeasuredPlot
from cxg_widget.errors import InvalidValue
from cxg_widget.session.analysis.study import Studies, describe_test
from cxg_widget.session.analysis.study_genes import ALL, StudyGenes
from cxg_widget.session.analysis.study_page import measured_frame, samples_frame
from cxg_widget.session.exchange import Newest
from cxg_widget.study.expression import Expression
from cxg_widget.study.samples import LEAST_CELLS
from cxg_widget.text.names import shown_label
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.compare.moments import Floats
    from cxg_widget.session.analysis.comparison import Comparisons
    from cxg_widget.session.analysis.meant import Population
    from cxg_widget.study.samples import Counts, StudySamples
    from cxg_widget.study.sums import GroupSums

_MOST_ROWS = 10_000


class _Sums(NamedTuple):
    """Sums of genes by type and sample.

    sums, totals : float64 (n_genes, n_types, n_samples), as in `Expression`
    n_cells : int64 (n_types, n_samples)
    """

    sums: Floats
    totals: Floats
    n_cells: Counts


class StudyExpression:
    """Values of genes by sample and cell type: log2 counts per million of sums, or means if there are no counts."""

    def __init__(self, loader: Loader, comparisons: Comparisons, studies: Studies, genes: StudyGenes) -> None:
        self._dataset, self._comparisons, self._studies, self._genes = loader.dataset, comparisons, studies, genes
        self._by_hand = Newest("it was requested again, or cancelled.")

    def expression(
        self, genes: Any, by: Any, within: Any, *, layer: str | None = None, check: Callable[[], None] | None = None
    ) -> MeasuredPlot:
        """Return genes by sample; parameters and errors as `Study.expression`."""
        studies = self._studies
        samples, population = studies.samples(), studies.population(within)
        names = list(self._comparisons.genes_meant(genes) or ())
        if not names:
            raise InvalidValue("expression() needs genes: names, the name of a gene set, or pinned ones")
        positions = np.array([self._dataset.names_in(layer).find_var(name) for name in names])
        column = None if by is None else studies.column(by)
        codes = ALL if column is None else self._dataset.codes(column)
        question = Question("pseudobulk", layer, by=samples.design.sample, min_donors=2)
        matrix = self._comparisons.matrix(check, "study")
        are_counts = matrix.kind(Grouping.of_sets(samples.codes >= 0), layer).kind in ("counts", "zeros")
        if are_counts:
            sums = self._genes.sums(samples, codes, population, matrix, question)
            known = _of_counts(samples, sums, positions)
        else:
            known = self._of_values(samples, codes, population, names, layer)
        held = np.flatnonzero(known.n_cells.any(axis=1))
        if len(held) * len(names) > _MOST_ROWS:
            raise InvalidValue(f"expression() has up to {_MOST_ROWS:,} rows; found {len(held) * len(names):,}")
        labels = tuple(
            (name, "" if column is None else shown_label(codes.categories[at]))
            for name in names
            for at in held.tolist()
        )
        counts = np.tile(known.n_cells[held], (len(names), 1))
        sums_of_rows, totals = (one[:, held].reshape(counts.shape) for one in (known.sums, known.totals))
        found = Expression(samples, column, labels, counts, sums_of_rows, totals, are_counts)
        what = "log2 counts per million" if are_counts else "means"
        unit = f"{what[0].upper()}{what[1:]} of each gene in each sample{f' and {column}' if column else ''}"
        title = f"{unit}{studies.sides(found)}; {describe_test(found.tests, what)}"
        few = [f"No value under {LEAST_CELLS} {self._dataset.obs_noun.many} of a sample."]
        notes = (*studies.notes(samples, population), *few)
        if not are_counts:
            notes = (*notes, "These values are no counts, so they are averaged over cells, not summed.")
        made = MeasuredPlot(found, studies.look(samples, title), notes)
        given = {"genes": names, "by": by, "layer": layer}
        studies.note("expression", population, title, notes, is_passing=check is not None, **given)
        return made

    def frames(self, request: p.AskStudy) -> Iterator[Frame]:
        """Yield the pinned genes for the page."""
        studies, genes = self._studies, self._studies.pinned_genes
        samples, population = studies.samples(), studies.population(request.within)
        n_cells = samples.n_cells(population.mask)
        if not genes:
            note = f"Pin {self._dataset.var_noun.many} to see them here, by sample."
            yield samples_frame("expression", studies.look(samples, ""), [note], samples, n_cells)
            return
        work = partial(
            self.expression, genes, request.by or None, request.within, layer=studies.layer, check=self._by_hand.begin()
        )
        yield measured_frame("expression", in_background(work, gives_way=True).result(), n_cells)

    def end(self) -> None:
        """Cancel what the page has requested."""
        self._by_hand.end()

    def _of_values(
        self, samples: StudySamples, types: Codes, population: Population, names: list[str], layer: str | None
    ) -> _Sums:
        """Return sums of the values that are not NaN, and their number."""
        groups = self._genes.groups(samples, types)
        codes = groups.codes if population.mask is None else np.where(population.mask, groups.codes, -1)
        shape = len(samples), len(types.categories)
        n_cells = groups.counted(codes).reshape(shape).T
        sums, n_known = (np.zeros((len(names), *n_cells.shape)) for _ in range(2))
        for at, name in enumerate(names):
            one = self._dataset.values(name, layer).astype(np.float64)
            is_known = (codes >= 0) & ~np.isnan(one)
            inside = codes[is_known]
            sums[at] = np.bincount(inside, weights=one[is_known], minlength=len(groups)).reshape(shape).T
            n_known[at] = groups.counted(inside).reshape(shape).T
        return _Sums(sums, n_known, n_cells)


def _of_counts(samples: StudySamples, sums: GroupSums, positions: NDArray[np.int64]) -> _Sums:
    n_types = sums.kept.groups.n_types
    n_cells = sums.n_cells.reshape(len(samples), n_types).T
    of_genes, totals = np.zeros((len(positions), n_types, len(samples))), np.zeros((n_types, len(samples)))
    for at in np.flatnonzero(n_cells.any(axis=1)).tolist():
        found = sums.of(np.arange(len(samples)) * n_types + at)
        of_genes[:, at], totals[at] = found[:, positions].T, found.sum(axis=1)
    return _Sums(of_genes, np.broadcast_to(totals, of_genes.shape), n_cells)
