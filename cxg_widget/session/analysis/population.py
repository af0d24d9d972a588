"""Which cells count at all: what `within=` means, the same in every call and for the page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.rules.forms import Rule
from cxg_widget.rules.rule import packed_rule
from cxg_widget.session.analysis.meant import FILTER, cells_meant

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.display.settings import Settings

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Population:
    """The cells that are meant; all others count nowhere.

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
    within : None = all cells; else as `cells_meant` takes cells, of which "filter" = those that pass all filters
    selected : the selection, bool (n_obs,), and its rule

    Raises
    ------
    SelectionError, UnknownName, InvalidValue
        As `cells_meant`.
    """
    if within is None:
        return EVERYTHING
    mask, rule, name = cells_meant(within, loader, settings, selected)
    if isinstance(within, str) and within == FILTER:
        if not settings.filters:
            return EVERYTHING
        return Population(mask, "that pass the filters", rule, tuple(settings.filters))
    return Population(mask, f"of {name or 'within='}", rule, (packed_rule(mask, loader.dataset),))
