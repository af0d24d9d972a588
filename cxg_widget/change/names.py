"""What follows annotations, gene sets and sets of cells: settings that name what has another name now, or is gone."""

from __future__ import annotations

from functools import partial
from typing import Any

from cxg_widget.change.known import Known
from cxg_widget.display.annotated import without_deleted_labels, without_sets
from cxg_widget.display.by_sets import color_after
from cxg_widget.display.looks import looks_after
from cxg_widget.display.settings import Settings
from cxg_widget.errors import UnknownName
from cxg_widget.rules.named import followed, names_after


def follow_annotations(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Follow labels that were renamed or merged, and let go of annotations and labels that are gone."""
    return _not_asked(without_deleted_labels(before, now, known.annotations(now)), requested)


def follow_gene_sets(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Let go of gene sets that are gone."""
    return _not_asked({**_known_color(now, known), **without_sets(before, now, known.dataset)}, requested)


def _known_color(now: Settings, known: Known) -> dict[str, Any]:
    try:
        known.target(now)
    except UnknownName:
        return {"color": None}
    return {}


def follow_sets(before: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Follow sets of cells that were renamed or have other cells, and let go of those that are gone."""
    gene_sets = now.own_gene_sets
    color = partial(color_after, before=before.sets, now=now.sets, dataset=known.dataset, gene_sets=gene_sets)
    found = {
        "color": color(now.color),
        "filters": followed(now.filters, now.sets, before.sets),
        "contours": _contours_after(before, now),
        "difference": _difference_after(before, now),
        "panels": looks_after(now.panels, color, lambda rule: rule),
    }
    return _not_asked(found, requested)


def _contours_after(before: Settings, now: Settings) -> Any:
    if not isinstance(now.contours, tuple):
        return now.contours
    return names_after(now.contours, before.sets, now.sets) or None


def _difference_after(before: Settings, now: Settings) -> Any:
    names = names_after(now.difference or (), before.sets, now.sets)
    return names if len(names) == 2 else None  # one of two alone differs from nothing


def _not_asked(found: dict[str, Any], requested: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in requested}
