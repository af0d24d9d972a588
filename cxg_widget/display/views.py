"""Views of embeddings that only panels show."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.display.checks import check_view, embedding
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import PlaceKey, Settings

_AXES = (0, 1)
"""Panels show the first two axes of their embedding."""


def check_views(value: Any, dataset: Dataset, _: Settings) -> list[dict[str, Any]]:
    """Return views by embedding, without duplicates and without those that show everything.

    value : {"embedding": name, "view": as the setting `view`} each
    """
    entries = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    found: list[dict[str, Any]] = []
    for one in entries:
        if not isinstance(one, Mapping) or set(one) != {"embedding", "view"}:
            raise InvalidValue(f'views must be a list of {{"embedding": name, "view": view}}; found {shown(one)}')
        found.append({"embedding": embedding(one["embedding"], dataset), "view": check_view(one["view"])})
    return [
        one
        for at, one in enumerate(found)
        if one["view"] is not None and all(one["embedding"] != later["embedding"] for later in found[at + 1 :])
    ]


def place_of(entry: Mapping[str, Any]) -> PlaceKey:
    """Return the embedding of a view."""
    name = entry["embedding"]
    return (tuple(name) if isinstance(name, list) else name), _AXES


def views_left(views: Iterable[Mapping[str, Any]], places: Iterable[PlaceKey]) -> list[dict[str, Any]]:
    """Return the views of embeddings that are displayed."""
    shown_now = set(places)
    return [dict(one) for one in views if place_of(one) in shown_now]


def view_at(views: Iterable[Mapping[str, Any]], place: PlaceKey) -> tuple[float, ...] | None:
    """Return the view of an embedding; None = everything."""
    return next((tuple(one["view"]) for one in views if place_of(one) == place), None)
