"""Which cells count at all: what `within=` means, the same in every call and for the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.bits import unpack_mask
from cxg_widget.errors import InvalidValue
from cxg_widget.rules.combining import fitting
from cxg_widget.rules.forms import Rule, check_rule
from cxg_widget.rules.named import expanded
from cxg_widget.rules.rule import check_names, packed_rule
from cxg_widget.selection.given import is_rule, looked_at, rule_of
from cxg_widget.selection.selection import SelectedCells, mask_of
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Population:
    """The cells that are asked about; all others count nowhere.

    Attributes
    ----------
    mask : bool (n_obs,); None = all cells
    description : continues "cells": "that pass the filters"; "" for all cells
    rule : what finds them again; None = their rows are known, and no rule
    rules : filters that they alone pass, as a `Counter` takes them; none for all cells
    """

    mask: Mask | None = None
    description: str = ""
    rule: Rule | None = None
    rules: tuple[Rule, ...] = ()

    def of(self, mask: Mask) -> Mask:
        """Return those of some cells, bool (n_obs,), that are in it."""
        return mask if self.mask is None else mask & self.mask

    def n(self, n_obs: int) -> int:
        """Return how many cells are in it, of n_obs."""
        return n_obs if self.mask is None else int(np.count_nonzero(self.mask))


EVERYTHING = Population()


def population_of(within: Any, loader: Loader, settings: Settings, selected: tuple[Mask, Rule | None]) -> Population:
    """Return the cells that `within=` means.

    Parameters
    ----------
    within : None = all cells; "filter" = those that pass all filters; "selection"; the name of a set; a set or a
        selection; a rule as `w.sets.apply` takes it; {obs column: values}; or a mask, bool (n_obs,)
    selected : the selection, bool (n_obs,), and its rule

    Raises
    ------
    InvalidValue
        If it is none of these.
    UnknownName, SelectionError
        As `rules.rule.mask_of` and `selection.mask_of`.
    """
    if within is None:
        return EVERYTHING
    if isinstance(within, str) and within == "filter":
        return _passing(loader, settings)
    if isinstance(within, str) and within == "selection":
        return _of_mask(selected[0], "of the selection", selected[1], loader.dataset)
    found = _of_cells(within, loader, {one["name"]: one["rule"] for one in settings.sets})
    if found is None:
        wanted = "None, 'filter', 'selection', the name of a set, a set or a rule"
        raise InvalidValue(f"within must be {wanted}; found {shown(within)}.")
    return found


def _passing(loader: Loader, settings: Settings) -> Population:
    mask, rule = loader.of(settings).filtered(), fitting({"and": [*settings.filter_rules]})
    return EVERYTHING if mask is None else Population(mask, "that pass the filters", rule, tuple(settings.filters))


def _of_cells(within: Any, loader: Loader, sets: dict[str, Rule]) -> Population | None:
    """Return the population of a set, its name, a rule, values of columns or a mask; None of anything else."""
    dataset = loader.dataset
    if isinstance(within, str):
        if within not in sets:
            return None
        rule = sets[within]
        mask = unpack_mask(loader.set_bits.of(rule), dataset.n_obs)
        return _of_mask(mask, f"of {within}", None if "rows" in rule else rule, dataset)
    if is_rule(within, dataset):
        check_names(check_rule(within), dataset, sets)
        rule = expanded(within, sets)
        return _of_mask(loader.crossfilter.mask(rule), "of the rule", rule, dataset)
    if isinstance(within, SelectedCells | Mapping) or getattr(within, "dtype", None) == np.bool_:
        cells = looked_at(within, dataset)
        return _of_mask(mask_of(cells, dataset), "of within=", rule_of(cells, dataset), dataset)
    return None


def _of_mask(mask: Mask, description: str, rule: Rule | None, dataset: Dataset) -> Population:
    return Population(mask, description, rule, (packed_rule(mask, dataset),))
