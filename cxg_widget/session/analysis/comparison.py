"""Comparisons made in the page or in Python; keeps the newest, which the page shows."""
# Changes with cxg_widget/compare/question.py: options of a comparison.

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.cells.loader import Loader
from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.neighborhood import neighborhood
from cxg_widget.compare.question import METHODS, Question
from cxg_widget.compare.result import REST, Comparison
from cxg_widget.compute.bits import pack_mask, unpack_mask
from cxg_widget.compute.jobs import in_background
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from cxg_widget.rules.by_value import mask_of_values
from cxg_widget.selection.cell_set import CellSet
from cxg_widget.session.analysis.calls import Call
from cxg_widget.session.analysis.comparison_frames import ShownComparison, frames_of
from cxg_widget.session.analysis.meant import (
    EVERYTHING,
    MeantCells,
    Population,
    cells_meant,
    of_set,
    population_of,
    remember,
)
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.exchange import Newest
from cxg_widget.study.sentences import CHOSEN_BY_EYE
from cxg_widget.text.names import not_found, shown, without_prefix
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

if TYPE_CHECKING:
    from cxg_widget.compare.markers import Markers
    from cxg_widget.compare.matrix_statistics import MatrixStats
    from cxg_widget.datasets.base.dataset import Dataset

Mask = NDArray[np.bool_]
Found = TypeVar("Found", "Comparison", "Markers")
AGAINST = ("rest", "neighborhood")
_EACH_S = 0.2
"""Seconds between announcements of progress."""


class Comparisons:
    """Compares cells of one dataset, and keeps the newest result.

    announce : takes a frame that was not requested, from any thread
    """

    def __init__(self, loader: Loader, display: DisplayState, announce: Callable[[Frame], object]) -> None:
        self._loader, self._display, self._announce = loader, display, announce
        self._dataset = loader.dataset
        self._by_hand = Newest("another comparison was requested, or this one was cancelled.")
        self._numbers = count(1)
        self._made: ShownComparison | None = None

    # For Python.

    def compare_cells(self, a: Any, b: Any, question: Question, within: Any) -> Comparison:
        """Compare cells, given as `cells_meant` takes them; "rest" = all others, unless a set has that name."""
        meant = {"a": self._meant(a)}
        population = self._population(within, question, meant["a"])
        mask, name = meant["a"].mask, meant["a"].name or "a"
        if isinstance(b, str) and b == "rest" and all(one["name"] != b for one in self._display.settings.sets):
            found = self.with_rest(mask, name, question, population)
        else:
            meant["b"] = self._meant(b)
            population = self._population(within, question, *meant.values())
            found = self.between((mask, meant["b"].mask), (name, meant["b"].name or "b"), question, population)
        return self._noted("compare", found, question, population, meant, is_within=within is not None)

    def markers_of_set(self, a: Any, against: Any, question: Question, within: Any) -> Comparison:
        """Compare cells with all others, or with those around them in the current embedding."""
        if against not in AGAINST:
            known = not_found("background", against, AGAINST, "markers(against=...)")
            raise InvalidValue(f"{known} compare(a, b) takes any two sets.")
        if question.method in METHODS and METHODS[question.method].by_donor:
            raise InvalidOption(
                f"method={question.method!r} needs donors, and by= of markers() names groups: "
                f"compare(a, method={question.method!r}, by=...) takes them."
            )
        question.check(self._dataset)
        meant = self._meant(a)
        population = self._population(within, question, meant)
        compare = self.with_rest if against == "rest" else self.with_neighborhood
        found = compare(meant.mask, meant.name or "the set", question, population)
        around = {} if against == "rest" else {"against": against}
        is_within = within is not None
        return self._noted("markers", found, question, population, {"a": meant}, is_within=is_within, **around)

    def markers_by(self, column: Any, question: Question, within: Any, reference: Any = None) -> Markers:
        """Compare the cells of each category of a column with all others, or with those of one category.

        Raises as `compare_groups`.
        """
        from cxg_widget.compare.markers import compare_groups

        column = without_prefix(column, self._dataset.obs_columns)
        population = self._population(within, question)
        found = compare_groups(self.matrix(), column, question, population.mask, reference)
        found = self._keep(self._with_population(found, population), question)
        against = {} if reference is None else {"reference": reference}
        is_within = within is not None
        return self._noted("markers", found, question, population, {}, is_within=is_within, by=column, **against)

    def genes_meant(self, genes: Any) -> Sequence[str] | None:
        """Return names of genes: of a gene set by its name, of one gene, or of a list."""
        if genes is None:
            return None
        if not isinstance(genes, str) and isinstance(genes, Iterable):
            return list(genes)
        if not isinstance(genes, str):
            raise InvalidValue(f"genes= takes a list of names, or the name of a gene set; found {shown(genes)}")
        own = self._display.settings.own_gene_sets
        return list({**self._dataset.gene_sets, **own}.get(genes, (genes,)))

    def _meant(self, what: Any) -> MeantCells:
        return cells_meant(what, self._loader, self._display)

    def _population(self, within: Any, question: Question, *compared: MeantCells) -> Population:
        """Return the cells that count: those of `within`, and of a modality only those with values."""
        found, has = population_of(within, self._loader, self._display), self._dataset.cells_in(question.layer)
        found = replace(found, is_chosen=found.is_chosen or any(one.is_chosen for one in compared))
        if has is None or question.layer is None:
            return found
        words = f"{found.description} and have" if found.description else "that have"
        return replace(found, mask=found.of(has), description=f"{words} {question.layer.partition(':')[0]}")

    # For both: masks are bool (n_obs,), `described` are their names.

    def matrix(self, check: Callable[[], None] | None = None, by_hand: p.EndsBy = "compare") -> MatrixStats:
        """Return the statistics of the matrix, where the cells are held.

        check : called repeatedly; raises if nobody waits for the result. None = called from Python
        by_hand : what ends work that the page requested
        """
        ends_by: p.EndsBy = "" if check is None else by_hand

        reported_at = 0.0

        def tell(done: float, what: str) -> None:
            nonlocal reported_at
            now = monotonic()
            if done < 1 and now - reported_at < _EACH_S:
                return
            reported_at = now
            # Only the end, which has no words, ends the work: after reading comes computing.
            self._announce(Frame(p.Progress("reading", min(done, 0.999) if what else done, ends_by, what)))

        def cancelled() -> bool:
            if check is not None:
                check()
            return False

        return self._loader.of(self._display.settings).matrix(tell, cancelled)

    def between(
        self, masks: tuple[Mask, Mask], described: tuple[str, str], question: Question,
        population: Population = EVERYTHING, matrix: MatrixStats | None = None,
    ) -> Comparison:  # fmt: skip
        """Compare two sets of cells; raises as `question.compare`."""
        masks = population.of(masks[0]), population.of(masks[1])
        return self._keep(self._compared(masks, described, question, population, matrix), question)

    def with_rest(
        self, mask: Mask, described: str, question: Question, population: Population = EVERYTHING,
        matrix: MatrixStats | None = None,
    ) -> Comparison:  # fmt: skip
        """Compare some cells with all others of a population; raises as `between`."""
        return self.between((mask, ~mask), (described, REST), question, population, matrix)

    def with_neighborhood(
        self, mask: Mask, described: str, question: Question, population: Population = EVERYTHING,
        matrix: MatrixStats | None = None,
    ) -> Comparison:  # fmt: skip
        """Compare some cells with those around them in the current embedding; raises as `between`, `neighborhood`."""
        dataset, settings, mask = self._dataset, self._display.settings, population.of(mask)
        question.check(dataset)
        question.check_cells(mask, population.of(~mask), (described, REST), dataset)
        held = self._loader.of(settings)
        equal_units = dataset.axis_labels(settings.embedding, settings.axes) is None
        around = neighborhood(
            held.coordinates,
            mask,
            held.place().extent,
            equal_units=equal_units,
            set_name=described,
            among=population.mask,
        )
        found = self._compared(
            (mask, around.mask), (described, f"the neighborhood of {described}"), question, population, matrix
        )
        n, n_a = np.count_nonzero(around.mask), np.count_nonzero(mask)
        few = f", which is all that lie within {around.farthest:.3g} (the radius that the set would have in one piece)"
        few = "" if n == n_a else few
        where = f"up to {around.reach:.3g} from its edge" if around.reach else "all of them among its own"
        note = (
            f"The neighborhood is the {dataset.obs_noun.counted(int(n))} nearest to where {described} is dense in "
            f"{dataset.describe_embedding(settings.embedding)}, {where}{few}: `.background`."
        )
        return self._keep(found.with_note(note), question)

    def _compared(
        self, masks: tuple[Mask, Mask], described: tuple[str, str], question: Question, population: Population,
        matrix: MatrixStats | None,
    ) -> Comparison:  # fmt: skip
        from cxg_widget.compare.question import compare

        found = compare(matrix or self.matrix(), *masks, question, set_names=described)
        if population.is_chosen:
            found = found.with_note(CHOSEN_BY_EYE)
        return self._with_cells(found, masks, question, population)

    def keep_samples(
        self, found: Comparison, masks: tuple[Mask, Mask], question: Question, population: Population
    ) -> Comparison:
        """Show a comparison that a study has made of samples, as if it had been made here."""
        return self._keep(self._with_cells(found, masks, question, population), question)

    def _with_cells(
        self, found: Comparison, masks: tuple[Mask, Mask], question: Question, population: Population
    ) -> Comparison:
        a, b = map(pack_mask, masks)
        found = replace(found, _cells=partial(_as_sets, self._dataset, a, b), _question=question)
        return self._with_population(found, population)

    def _with_population(self, found: Found, population: Population) -> Found:
        """Add to a result which cells counted, unless that is obvious."""
        noun, n_obs = self._dataset.obs_noun, self._dataset.n_obs
        if population.mask is not None:
            n = population.n(n_obs)
            found = found.among(f"the {n:,} of {noun.counted(n_obs)} {population.description}")
        if population.find_rules is not None or not self._display.settings.filters:
            return found
        if population.mask is None:
            found = found.among(f"all {noun.counted(n_obs)}, whatever the filters")
        return found.with_note(f"Filters do not apply here: {noun.many} that do not pass them are compared too.")

    def _keep(self, found: Found, question: Question) -> Found:
        """Show a result in the page, and return it with the type of table that the widget shows."""
        found = found.in_form(self._dataset.given_as)
        self._made = made = ShownComparison(next(self._numbers), found, self._dataset, question.layer)
        self._announce(Frame(p.Compared(made.number)))
        return found

    def _noted(
        self, method: str, found: Found, question: Question, population: Population, meant: Mapping[str, MeantCells],
        *, is_within: bool, **more: Any,
    ) -> Found:  # fmt: skip
        """Remember the call that gave a result, and return the result.

        is_within : whether the call was given the cells of the population
        """
        defaults = vars(Question())
        options = {name: value for name, value in vars(question).items() if value != defaults[name]}
        cells = {name: one.of_call() for name, one in meant.items()} | (population.of_call() if is_within else {})
        n = {name: int(np.count_nonzero(population.of(one.mask))) for name, one in meant.items()}
        if not isinstance(found, Comparison):
            n = found.n_cells
        elif "against" in more and found.background is not None:
            n["b"] = len(found.background)
        elif "b" not in n:
            n["b"] = population.n(self._dataset.n_obs) - n["a"]
        settings = self._display.settings
        call = Call(method, {**options, **more}, cells, n, settings, found.description, found.notes)
        remember(call, self._display)
        return found

    # For the front-end.

    def compare(self, request: p.Compare) -> Iterator[Frame]:
        """Make a comparison that the page requests, in the current layer, and yield the result.

        Raises
        ------
        Overtaken
            If another comparison is requested meanwhile, or this one is cancelled.
        CxgWidgetError
            If there are no such cells, or they cannot be compared so.
        """
        matrix = self.matrix(self._by_hand.begin())
        settings = self._display.settings
        question = Question(request.method, request.layer or settings.layer)
        matrix.check(question)
        # Among the filtered cells themselves, no others are left to compare them with.
        within = None if request.a == "filter" else request.within or None
        meant = {"a": self._cells(request.a)}
        if request.b not in ("rest", "neighborhood"):
            meant["b"] = self._cells(request.b)
        population = self._population(within, question, *meant.values())
        given, described = meant["a"].mask, str(meant["a"].name)
        other, described_other = (meant["b"].mask, str(meant["b"].name)) if "b" in meant else (~given, REST)
        mask, other = population.of(given), population.of(other)
        question.check_cells(mask, other, (described, described_other), self._dataset)
        if request.normalize and self._are_counts(matrix, mask, other, question):
            question = replace(question, normalize="log1p_10k")
        if request.b == "neighborhood":
            work = partial(self.with_neighborhood, mask, described, question, population, matrix)
        else:
            work = partial(self.between, (mask, other), (described, described_other), question, population, matrix)
        found = in_background(work, gives_way=True).result()
        around, is_within = {"against": request.b} if request.b == "neighborhood" else {}, within is not None
        method = "markers" if around else "compare"
        self._noted(method, found, question, population, meant, is_within=is_within, **around)
        yield from self.frames(p.AskComparison())

    def frames(self, request: p.AskComparison) -> Iterator[Frame]:
        """Yield the newest result, or its file; only a header if there is none."""
        return frames_of(self._made, request)

    def end(self) -> None:
        """Cancel the comparison that the page has requested."""
        self._by_hand.end()

    def _are_counts(self, matrix: MatrixStats, a: Mask, b: Mask, question: Question) -> bool:
        return matrix.kind(Grouping.of_sets(a, b), question.layer).kind == "counts"

    def _cells(self, word: str) -> MeantCells:
        """Return the cells of a request of the page."""
        settings = self._display.settings
        if word in ("selection", "filter"):
            return self._meant(word)
        if word.startswith("value:"):
            return self._of_category(word.removeprefix("value:"))
        name, rules = word.removeprefix("set:"), {one["name"]: one["rule"] for one in settings.sets}
        if name not in rules:
            raise UnknownName(not_found("set", name, rules, "this widget"))
        mask = unpack_mask(self._loader.set_bits.of(rules[name]), self._dataset.n_obs)
        return of_set(name, rules[name], mask)

    def _of_category(self, text: str) -> MeantCells:
        """Return the cells of a category that the page names."""
        try:
            column, label = json.loads(text)
        except ValueError:
            raise InvalidValue(f"a category is a column and one of its values; found {shown(text)}") from None
        if not (isinstance(column, str) and isinstance(label, str)):
            raise InvalidValue(f"a category is a column and one of its values; found {shown(text)}")
        is_bare = label in ("True", "False") or not any(sign.isalpha() for sign in label)
        name = f"{column} {label}" if is_bare else label
        return MeantCells(mask_of_values({column: label}, self._dataset), {"obs": column, "in": [label]}, name)


def _as_sets(dataset: Dataset, *sides: NDArray[np.uint8]) -> tuple[CellSet, CellSet]:
    """Return the packed cells of a and b as sets; made on demand, since few results need them."""
    a, b = (CellSet(dataset, bits) for bits in sides)
    return a, b
