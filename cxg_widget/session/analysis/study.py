"""The study of a widget: samples as points, for Python and for the page."""
# Changes with cxg_widget/wire/messages/study.py: parts of a study.
# Changes with cxg_widget/draw/plots/study_points.py: plots of a study.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.colormap_lookup import stops_of
from cxg_widget.color.palettes import category_palette
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.study_design import StudyDesign
from cxg_widget.draw.plots.plot_style import Look
from cxg_widget.draw.plots.study_points import CovariatePlot, MeasuredPlot
from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from cxg_widget.rules.combining import fitting
from cxg_widget.rules.forms import Rule
from cxg_widget.session.analysis.meant import MeantCells, Population, cells_meant, note_call, population_of
from cxg_widget.session.pictures.figure_files import paper_name
from cxg_widget.session.streams.chunks import stored_colors
from cxg_widget.study.condition_tests import ConditionTests
from cxg_widget.study.measured import Measured
from cxg_widget.study.samples import LEAST_CELLS, StudySamples
from cxg_widget.study.sentences import CHOSEN_BY_EYE, SAMPLE, lost_note, side_notes
from cxg_widget.study.shares import METHODS, Shares
from cxg_widget.text.names import EMPTY_LABEL, not_found, shown, shown_label, without_prefix
from cxg_widget.wire import protocol as p

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.display.settings import Settings
    from cxg_widget.session.display_state import DisplayState

Mask = NDArray[np.bool_]
_MOST_VALUES = 1 << 22
"""Rows times samples of a table."""
SELECTION = "the selection"


class Studies:
    """Answers about the study that the setting `study_design` declares."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader, self._display = loader, display
        self._dataset = loader.dataset

    # --- samples ------------------------------------------------------------------------------------------------------

    def samples(self) -> StudySamples:
        """Return the samples of the current design; raises as `StudySamples.of`, or `InvalidValue` without a design."""
        settings = self._display.settings
        if settings.study_design is None:
            raise InvalidValue(
                "this widget has no study; w.study(sample='donor_id', condition='disease') declares one by obs columns"
            )
        design = StudyDesign.read(settings.study_design)
        found = self.samples_of(replace(design, excluded=()), settings)
        return replace(found.excluding(design.excluded), design=design)

    def samples_of(self, design: StudyDesign, settings: Settings | None = None) -> StudySamples:
        """Return the samples of a design without exclusions, from memory if it is the last one."""
        logs = [(settings or self._display.settings).log_of(name) for name in design.columns()]
        key = design, tuple(None if log is None else log.keys[-1] for log in logs)
        return self._loader.memo.keep("study", key, lambda: StudySamples.of(self._dataset, design))

    def population(self, within: Any) -> Population:
        """Return the cells that count, as `population_of`; None = those that pass the filters."""
        return population_of("filter" if within is None else within, self._loader, self._display)

    def notes(self, samples: StudySamples, population: Population, *, is_tested: bool = True) -> tuple[str, ...]:
        """Return what is to know about samples, and about the cells that count."""
        n_cells = samples.n_cells(population.mask)
        lost = lost_note(samples, n_cells, self._dataset, population.description)
        chosen = [CHOSEN_BY_EYE] if is_tested and population.is_chosen else []
        return (*samples.notes, *side_notes(samples), *lost, *chosen)

    def note(
        self, method: str, population: Population, title: str, notes: tuple[str, ...],
        cells: Mapping[str, MeantCells] = MappingProxyType({}), /, **options: Any,
    ) -> None:  # fmt: skip
        """Remember a call of a method of the study; parameters as of `note_call`."""
        note_call(self._display, f"study.{method}", population, cells, said=(title, notes), **options)

    # --- parts --------------------------------------------------------------------------------------------------------

    def composition(self, by: Any, within: Any, method: Any, *, is_passing: bool = False) -> MeasuredPlot:
        """Return the shares of a column, or of the selection; parameters and errors as `Study.composition`.

        is_passing : whether the page requests them
        """
        if method not in METHODS:
            raise UnknownName(not_found("method", method, METHODS, "composition()"))
        samples, population = self.samples(), self.population(within)
        found = self._shares_of_selection(samples, population) if by is None else self._shares(samples, by, population)
        found = replace(found, method=method if by is not None else "logit")
        what = f"Share of each value of {found.column!r}" if by is not None else "Share of the selection"
        title = f"{what} in each sample{self.sides(found)}; {describe_test(found.tests, METHODS[found.method])}"
        is_chosen = population.is_chosen or (by is None and self.population("selection").is_chosen)
        notes = [*self.notes(samples, replace(population, is_chosen=is_chosen))]
        few = ~samples.excluded & (found.totals < LEAST_CELLS)
        if few.any():
            many = self._dataset.obs_noun.many
            notes.append(f"Not tested, under {LEAST_CELLS} {many}: {SAMPLE.counted(int(np.count_nonzero(few)))}.")
        made = MeasuredPlot(found, self.look(samples, title), tuple(notes))
        given = {"by": by, "method": None if method == "logit" else method}
        cells = {"selected": cells_meant(None, self._loader, self._display)} if by is None else {}
        self.note("composition", population, title, made.notes, cells, is_passing=is_passing, **given)
        return made

    def covariates(self) -> CovariatePlot:
        """Return the covariates by condition."""
        samples = self.samples()
        title = f"Covariates of samples by {samples.design.condition}"
        return CovariatePlot(samples, self.look(samples, title), (*samples.notes, *side_notes(samples)))

    def _shares(self, samples: StudySamples, by: Any, population: Population) -> Shares:
        column = self.column(by)
        codes = self._dataset.codes(column)
        self._check_size(column, codes, samples)
        counts = samples.counts_by(codes, population.mask).T
        held = np.flatnonzero(counts[:, ~samples.excluded].any(axis=1))
        labels = tuple(("", shown_label(codes.categories[at])) for at in held.tolist())
        return Shares(samples, column, labels, counts[held], counts.sum(axis=0))

    def _shares_of_selection(self, samples: StudySamples, population: Population) -> Shares:
        mask, _ = self._display.selected()
        if not mask.any():
            raise SelectionError(
                f"composition() needs a column, as composition('cell_type'), or selected "
                f"{self._dataset.obs_noun.many}; none is selected"
            )
        counts, totals = samples.n_cells(population.of(mask)), samples.n_cells(population.mask)
        return Shares(samples, "cells", (("", SELECTION),), counts[np.newaxis], totals)

    def column(self, name: Any) -> str:
        """Return the name of an obs column of categories or integers."""
        columns = self._dataset.obs_columns
        found = without_prefix(name, columns)
        if not isinstance(found, str) or found not in columns:
            raise UnknownName(not_found("obs column", name, columns))
        if columns[found].kind == "float":
            raise InvalidValue(f"by must be an obs column of categories; {shown(found)} holds numbers")
        return found

    def _check_size(self, column: str, codes: Codes, samples: StudySamples) -> None:
        n = len(codes.categories)
        if n * len(samples) > _MOST_VALUES:
            raise InvalidValue(
                f"a study counts up to {_MOST_VALUES:,} pairs of a value and a sample; {column!r} has {n:,} values and "
                f"there are {SAMPLE.counted(len(samples))}; give a column of cell types"
            )

    # --- words and colors ---------------------------------------------------------------------------------------------

    def sides(self, found: Measured) -> str:
        """Return the number of tested samples of each condition, or of pairs."""
        samples, tests = found.samples, found.tests
        if tests.pairs and tests.is_paired.all():
            n_pairs = np.unique(tests.n_a.max(axis=0, initial=0)).astype(int).tolist()
            return f", n = {' to '.join(map(str, {n_pairs[0]: 0, n_pairs[-1]: 0}))} pairs of samples"
        n = np.bincount(samples.condition[found.is_tested], minlength=len(samples.conditions)).tolist()
        parts = [f"{k} {one}" for k, one in zip(n, samples.conditions, strict=True)]
        return f", n = {', '.join(parts[:4])}{' and more' if len(parts) > 4 else ''} samples"

    @property
    def layer(self) -> str | None:
        """The layer that the plot shows."""
        return self._display.settings.layer

    @property
    def pinned_genes(self) -> tuple[str, ...]:
        """The pinned genes."""
        return self._display.settings.pinned_genes

    def look(self, samples: StudySamples, title: str) -> Look:
        """Return the colors of the conditions as the plot has them, and its paper."""
        settings = self._display.settings
        paper, design = PAPERS[paper_name(settings)], samples.design
        stored = stored_colors(design.condition, settings, self._dataset)
        labels = [shown_label(one) for one in self._dataset.codes(design.condition).categories]
        palette = dict(zip(labels, category_palette(labels, stored, settings.palette), strict=True))
        colors = tuple(palette[one] for one in samples.conditions)
        return Look(paper, colors, tuple(stops_of(settings.cmap, dark=paper.is_dark)), title)

    # --- cells for the page -------------------------------------------------------------------------------------------

    def cells(self, request: p.StudyPick) -> tuple[Mask, Rule | None]:
        """Return the cells of a point, bar or field that pass the filters, and their rule."""
        settings = self._display.settings
        if settings.study_design is None:
            raise InvalidValue("the study was removed meanwhile.")
        of = {settings.study_design[name]: getattr(request, name) for name in ("sample", "condition")}
        named = {name: value for name, value in {**of, request.by: request.category}.items() if value}
        rules: list[Rule] = [{"obs": name, "in": [self._value(name, label)]} for name, label in named.items()]
        rules += settings.filter_rules
        if not rules:
            raise InvalidValue("no sample, condition or category was chosen.")
        rule = rules[0] if len(rules) == 1 else {"and": rules}
        return self._loader.mask_of(rule), fitting(rule)

    def _value(self, column: str, label: str) -> str | int:
        if label == EMPTY_LABEL and label not in self._dataset.codes(column).categories:
            return ""
        return int(label) if self._dataset.obs_columns[column].kind == "int" else label


def describe_test(tests: ConditionTests, what: str) -> str:
    """Return the name of the test, of the values and of the adjustment."""
    if not np.isfinite(tests.p).any():
        return "not tested"
    is_paired = tests.is_paired
    name = "paired t-test" if is_paired.all() else "Welch's t-test"
    name = "paired t-test where samples are paired, else Welch's" if is_paired.any() and not is_paired.all() else name
    return f"{name} of {what}, p adjusted by Benjamini and Hochberg"


def listed_samples(samples: StudySamples, n_cells: NDArray[np.int64]) -> list[dict[str, Any]]:
    """Return the samples as `study_part` lists them."""
    covariates: Sequence[tuple[Any, ...]] = list(zip(*(one.labels() for one in samples.covariates), strict=True))
    return [
        {
            "name": name, "sample": samples.labels[at], "condition": int(samples.condition[at]),
            "pair": samples.pairs[at], "n_cells": int(n_cells[at]), "n_all": int(samples.n_all[at]),
            "excluded": bool(samples.excluded[at]), "covariates": list(covariates[at]) if covariates else [],
        }
        for at, name in enumerate(samples.names)
    ]  # fmt: skip
