"""Resolves arguments that name cells: one order of interpretations for all methods."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import pack_mask, unpack_mask
from cxg_widget.errors import CxgWidgetError, SelectionError
from cxg_widget.rules.advice import QUERY_TOKEN
from cxg_widget.rules.by_value import listed_values, mask_of_values, meant_by
from cxg_widget.rules.combining import fitting
from cxg_widget.rules.filters import query_filter
from cxg_widget.rules.forms import Rule, check_rule, describe_rule, is_form
from cxg_widget.rules.grammar import LONGEST, is_like_a_query
from cxg_widget.rules.named import expanded
from cxg_widget.rules.rule import check_names, packed_rule
from cxg_widget.selection.selection import SelectedCells, is_table, mask_of
from cxg_widget.session.analysis.calls import Call, CallCells
from cxg_widget.session.gestures import polygon_mask, polygon_rule
from cxg_widget.text.names import in_a_line, nearest, shown

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings
    from cxg_widget.session.display_state import DisplayState

Mask = NDArray[np.bool_]
SELECTION, FILTER = "selection", "filter"
"""These words take precedence over sets of the same name."""
_PASSING = "that pass the filters"


class MeantCells(NamedTuple):
    """Cells, and how they were given.

    mask : bool (n_obs,)
    rule : rule that finds them again; None for masks, rows and labels
    name : in words; None for unnamed cells
    is_chosen : whether they were chosen by eye: on the plot, or one by one
    """

    mask: Mask
    rule: Rule | None
    name: str | None
    is_chosen: bool = False

    def of_call(self) -> CallCells:
        """Return these cells as a call keeps them."""
        return CallCells(self.name, self.rule, pack_mask(self.mask))


def cells_meant(what: Any, loader: Loader, display: DisplayState) -> MeantCells:
    """Return the cells that an argument means.

    what : None or "selection" = the selection; "filter" = the cells that pass the filters; the name of a set; a query;
        a label of the obs index; a set or a selection, which is found by its rule if it belongs to another dataset; a
        rule as `w.sets.apply` takes it; {obs column: values}; a polygon (k, 2) in data units; a mask (n_obs,), rows or
        labels. A text is the first of these that fits, in this order.
    display : has the settings and the selection
    """
    dataset, settings = loader.dataset, display.settings
    if what is None or (isinstance(what, str) and what == SELECTION):
        mask, rule = display.selected()
        return MeantCells(np.array(mask), rule, "the selection", _is_chosen(rule))
    if isinstance(what, str):
        return _by_text(what, loader, settings)
    if isinstance(what, SelectedCells):
        cells = what.found_in(dataset)
        return MeantCells(np.array(cells.mask), cells._rule, None, _is_chosen(cells._rule))
    if isinstance(what, Mapping):
        is_rule = any(map(is_form, what)) and not any(key in dataset.obs_columns for key in what)
        return _by_rule(what, loader, settings) if is_rule else _by_values(what, dataset)
    if not isinstance(what, Iterable):
        raise nothing_fits(what, dataset)
    if hasattr(what, "columns") or not is_table(what):
        return MeantCells(mask_of(what, dataset), None, None)
    mask, rule = (
        polygon_mask(what, loader.of(settings), display.selected()[0], hidden=True),
        polygon_rule(what, settings),
    )
    return MeantCells(mask, rule, describe_rule(rule), is_chosen=True)


def of_set(name: str, rule: Rule, mask: Mask) -> MeantCells:
    """Return the cells of a set."""
    return MeantCells(mask, None if "rows" in rule else rule, name, _is_chosen(rule))


def _is_chosen(rule: Rule | None) -> bool:
    """Return whether the cells of a rule were chosen by eye; None = only their rows are known."""
    # As JSON, in which a label cannot look like a key; packed rows are the only other objects of a rule.
    text = json.dumps(rule, default=lambda _: {"rows": 0})
    return rule is None or '"polygon": ' in text or '"rows": ' in text


def cells_of_query(text: Any, loader: Loader, layer: str | None) -> MeantCells:
    """Return the cells of a query in the package's own language; raises as `cells_meant`."""
    rule = query_filter(text, loader.dataset, layer)
    check_names(rule, loader.dataset)
    return MeantCells(loader.mask_of(rule), rule, f"query {text}")


def nothing_fits(what: Any, dataset: Dataset, advice: str = "") -> SelectionError:
    """Return the error for an argument that means no cells."""
    return SelectionError(
        f"{shown(what)} does not name {dataset.obs_noun.many}; give 'selection', 'filter', the name of a set, a query, "
        f"{{column: values}}, a rule, a mask, rows, labels of the obs index, or a polygon.{advice and f' {advice}'}"
    )


def _by_text(text: str, loader: Loader, settings: Settings) -> MeantCells:
    dataset = loader.dataset
    if text == FILTER:
        passing = loader.of(settings).filtered()
        mask = np.ones(dataset.n_obs, dtype=np.bool_) if passing is None else passing
        rule: Rule = {"and": [*settings.filter_rules]}
        return MeantCells(mask, fitting(rule), "the filtered cells", _is_chosen(rule))
    rules = {one["name"]: one["rule"] for one in settings.sets}
    if text in rules:
        rule = rules[text]
        mask = unpack_mask(loader.set_bits.of(rule), dataset.n_obs)
        return of_set(text, rule, mask)
    if is_like_a_query(text):
        return cells_of_query(text, loader, settings.layer)
    try:
        return MeantCells(mask_of(text, dataset), None, text)
    except SelectionError:
        close = nearest(text, [*rules, SELECTION, FILTER], 1)
        labels = [] if close else dataset.obs_names()[:4000].tolist()
        advice = f"Did you mean {shown(close[0])}?" if close else meant_by(text, dataset, labels)
        raise nothing_fits(text, dataset, advice) from None


def _by_rule(rule: Rule, loader: Loader, settings: Settings) -> MeantCells:
    sets, given = {one["name"]: one["rule"] for one in settings.sets}, check_rule(rule)
    check_names(given, loader.dataset, sets)
    whole = expanded(given, sets)
    return MeantCells(loader.mask_of(whole), whole, in_a_line(describe_rule(given)), _is_chosen(whole))


def _by_values(what: Mapping[Any, Any], dataset: Dataset) -> MeantCells:
    """Return the cells with values of obs columns; without a rule if the obs index is one of them."""
    wanted = {name: list(values) if isinstance(values, Iterator) else values for name, values in what.items()}
    mask = mask_of_values(wanted, dataset)
    rules: list[Rule] = []
    for name, values in wanted.items():
        column = name if name in dataset.obs_columns else str(name).removeprefix("obs:")
        if column in dataset.obs_columns:
            rules.append({"obs": column, "in": listed_values(values)})
    try:
        rules = [check_rule(one) for one in rules]
    except CxgWidgetError:  # values that JSON cannot represent
        rules = []
    if len(rules) < len(wanted):
        return MeantCells(mask, None, None)
    rule = rules[0] if len(rules) == 1 else {"and": rules}
    return MeantCells(mask, rule, in_a_line(describe_rule(rule)))


@dataclass(frozen=True)
class Population:
    """The cells that count.

    mask : bool (n_obs,); None = all cells
    description : continues "cells": "that pass the filters"; "" for all cells
    rule : rule that finds them again; None = only their rows are known
    find_rules : returns `rules`; None = no cells were named. It may need the identity of all cells: 0.5 s for a million
    is_chosen : whether they, or cells that are compared among them, were chosen by eye
    """

    mask: Mask | None = None
    description: str = ""
    rule: Rule | None = None
    find_rules: Callable[[], tuple[Rule, ...]] | None = None
    is_chosen: bool = False

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Filters that only these cells pass, as a `Counter` takes them; empty for all cells."""
        return () if self.find_rules is None else self.find_rules()

    def of(self, mask: Mask) -> Mask:
        """Return those of some cells, bool (n_obs,), that count."""
        return mask if self.mask is None else mask & self.mask

    def of_call(self) -> dict[str, CallCells]:
        """Return these cells as the argument `within` of a call; {} for all cells."""
        if self.mask is None:
            return {}
        name = "the filtered cells" if self.description == _PASSING else self.description.removeprefix("of ")
        return {"within": CallCells(name, self.rule, pack_mask(self.mask))}

    def n(self, n_obs: int) -> int:
        """Return the number of cells that count, of n_obs."""
        return n_obs if self.mask is None else int(np.count_nonzero(self.mask))


EVERYTHING = Population()


def population_of(within: Any, loader: Loader, display: DisplayState) -> Population:
    """Return the cells of an argument `within=`.

    within : None = all cells; else cells as `cells_meant` takes them, with "filter" = those that pass all filters
    """
    if within is None:
        return EVERYTHING
    if isinstance(within, str) and within == FILTER:
        settings = display.settings  # read once: a thread may set other filters meanwhile
        if not settings.filters:
            return EVERYTHING
        found = _by_text(within, loader, settings)
        return Population(found.mask, _PASSING, found.rule, lambda: tuple(settings.filters), found.is_chosen)
    found = cells_meant(within, loader, display)
    description = f"of {found.name or 'within='}"
    rules = partial(_packed, found.mask, loader.dataset)
    return Population(found.mask, description, found.rule, rules, found.is_chosen)


def _packed(mask: Mask, dataset: Dataset) -> tuple[Rule, ...]:
    return (packed_rule(mask, dataset),)


def note_call(
    display: DisplayState, method: str, population: Population, cells: Mapping[str, MeantCells] = MappingProxyType({}),
    /, *, said: tuple[str, tuple[str, ...]] = ("", ()), is_passing: bool = False, **options: Any,
) -> None:  # fmt: skip
    """Remember a call of a method that gave a result.

    population, cells : its arguments that name cells; `population` is that of `within`
    said : description and notes of the result
    is_passing : whether the page made it to fill a panel: the next one of this method replaces it
    options : its other arguments; those that are None are left out
    """
    given = {name: one.of_call() for name, one in cells.items()} | population.of_call()
    kept = {name: value for name, value in options.items() if value is not None}
    n = {name: int(np.count_nonzero(population.of(one.mask))) for name, one in cells.items()}
    n["within"] = population.n(display.mask.size)
    remember(Call(method, kept, given, n, display.settings, *said), display, is_passing=is_passing)


def remember(call: Call, display: DisplayState, *, is_passing: bool = False) -> None:
    """Remember a call under the next number; is_passing : as in `note_call`."""
    numbered = next(display.call_numbers), call
    if is_passing:
        display.passing_calls[call.method] = numbered
    else:
        display.calls.append(numbered)


_PACKAGE = __name__.partition(".")[0]


def with_values(*given: Any) -> Any:
    """Replace @name in queries, among the arguments of a public method, by the values of the caller's variables.

    An unknown name is left, and refused with the query. Rules therefore only contain values, and can be used elsewhere.
    """
    found = tuple(_filled(one, _known()) if isinstance(one, str) and "@" in one else one for one in given)
    return found[0] if len(found) == 1 else found


def _known() -> dict[str, Any]:
    """Return the variables of the package's caller, skipping decorators of the public method."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return {**frame.f_globals, **frame.f_locals}


def _filled(text: str, known: Mapping[str, Any]) -> str:
    parts, end = [], 0
    for token in QUERY_TOKEN.finditer(text):  # quoted texts and names in backticks are tokens of their own
        between = text[end : token.start()]
        is_variable = between.endswith("@") and (len(between) > 1 or end == 0)  # and not as in "a@b"
        if is_variable and token["word"] in known:
            if text[token.end() : token.end() + 1] in (".", "[", "("):
                raise SelectionError(f"query {shown(text)}: give {token['word']}... a name of its own, and write @name")
            parts += [between[:-1], _literal(token["word"], known[token["word"]])]
        else:
            parts += [between, token[0]]
        end = token.end()
    return "".join([*parts, text[end:]])


def _literal(name: str, value: Any) -> str:
    """Return a value as a literal of a query: a number, a text, or a list of these."""
    if isinstance(value, str | bool | int | float | np.generic):
        return _plain(name, value)
    if not isinstance(value, Iterable) or isinstance(value, bytes | Mapping):
        raise SelectionError(f"@{name} must hold a number, a text, or a list of these; found {shown(value)}")
    values = list(value)
    listed = f"[{', '.join(_plain(name, one) for one in values)}]" if len(values) < LONGEST else ""
    if not listed or len(listed) > LONGEST // 2:
        raise SelectionError(
            f"@{name} holds {len(values):,} values, too many for a query; give {{column: {name}}} instead."
        )
    return listed


def _plain(name: str, value: Any) -> str:
    value = value.item() if isinstance(value, np.generic) else value
    if not isinstance(value, str | bool | int | float) or value != value:  # noqa: PLR0124 - NaN
        raise SelectionError(f"@{name} must hold numbers or texts; found {shown(value)}")
    return str(repr(value)).replace("inf", "1e999") if isinstance(value, float) else repr(value)
