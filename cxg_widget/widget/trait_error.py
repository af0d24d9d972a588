"""Our exceptions as traitlets knows them, so that it rolls back what it was about to change."""

from __future__ import annotations

from traitlets import TraitError

from cxg_widget.errors import CxgWidgetError

_CLASSES: dict[str, type[CxgWidgetError]] = {}


def as_trait_error(error: CxgWidgetError) -> CxgWidgetError:
    """Return the same exception, by class, name and sentence, that is a `traitlets.TraitError` besides.

    `hold_trait_notifications` restores the old values on a TraitError only.
    """
    kind = type(error)
    if kind.__name__ not in _CLASSES:
        namespace = {"__module__": kind.__module__, "__doc__": kind.__doc__}
        _CLASSES[kind.__name__] = type(kind.__name__, (kind, TraitError), namespace)
    return _CLASSES[kind.__name__](*error.args)
