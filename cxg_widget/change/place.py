"""What follows another embedding: axes that it has, and a view of all of it."""

from __future__ import annotations

from typing import Any

from cxg_widget.change.known import Known
from cxg_widget.display.settings import Settings
from cxg_widget.display.views import views_left


def follow_embedding(_: Settings, now: Settings, requested: frozenset[str], known: Known) -> dict[str, Any]:
    """Show all of another embedding, by its first two axes where it does not have those that were shown."""
    axes = {} if max(now.axes) < known.dataset.n_axes(now.embedding) else {"axes": (0, 1)}
    return axes if "view" in requested else {**axes, "view": None}


def keep_views(_: Settings, now: Settings, requested: frozenset[str], __: Known) -> dict[str, Any]:
    """Forget where one looked in embeddings that no panel shows any more."""
    return {} if "views" in requested else {"views": views_left(now.views, now.places)}
