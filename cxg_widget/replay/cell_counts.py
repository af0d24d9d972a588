"""Numbers of cells of everything that a state names: filters, sets, labels, and categories of the color."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from cxg_widget.compute.bits import count_bits
from cxg_widget.display.color_target import is_number
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.filters import key_of
from cxg_widget.session.session import Session
from cxg_widget.text.names import MISSING_LABEL, label_of

_MOST_CATEGORIES = 256
Counts = dict[tuple[str, str], int]
ALL = ("all", "")
"""Key of the number of all cells."""


def cell_counts(session: Session) -> Counts:
    """Return the number of cells by kind and name, each among all cells of the dataset."""
    settings, loader, n_obs = session.settings, session.loader, session.dataset.n_obs
    found: Counts = {ALL: n_obs}
    for rule, written_out in zip(settings.filters, settings.filter_rules, strict=True):
        found["filter", key_of(rule)] = int(np.count_nonzero(loader.mask_of(written_out)))
    passing = session.held.filtered()
    if settings.filters:
        found["filters together", ""] = n_obs if passing is None else int(np.count_nonzero(passing))
    for one in settings.sets:
        found["set", one["name"]] = count_bits(session.set_bits.of(one["rule"]))
    for one in settings.annotations:
        codes = loader.replay.codes(one["log"])
        counts = np.bincount(codes.codes + 1, minlength=len(codes.categories) + 1)[1:]
        for label, n in zip(codes.categories, counts, strict=True):
            found[f"label of {one['name']}", label] = int(n)
    return found | _by_color(session)


def _by_color(session: Session) -> Counts:
    """Return the cells of each category of the color, if that is a column of the store with few of them."""
    settings, dataset = session.settings, session.dataset
    target = session.loader.target(settings)
    if target.source != "obs" or is_number(target, dataset) or settings.log_of(target.name) is not None:
        return {}
    with suppress(CxgWidgetError):
        counts = session.counts(f"obs:{target.name}")["all"]
        if len(counts) <= _MOST_CATEGORIES:
            named = [MISSING_LABEL if one != one else label_of(one) for one in counts.index]  # noqa: PLR0124 - NaN
            return {(f"category of {target.name}", one): int(n) for one, n in zip(named, counts, strict=True)}
    return {}
