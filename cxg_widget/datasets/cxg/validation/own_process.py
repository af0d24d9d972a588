"""Validate in a process of its own, since TileDB may end the process that reads damaged text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cxg_widget.compute.child import Tell, attempt
from cxg_widget.datasets.cxg.validation.validate import Report, validate
from cxg_widget.errors import CxgWidgetError, DamagedStore

_MOST_ENDINGS = 20
"""After that many parts that end the process, a store is not looked at any further."""


def validate_apart(path: str, *, quick: bool = False, options: Mapping[str, Any] | None = None) -> Report:
    """Check a CXG as `validate` does, but survive what ends the process that reads it.

    What was being read when the process ended counts as damaged, and the check begins anew without it.

    Parameters
    ----------
    path, quick : as for `validate`
    options : of `validate` by name, values that can be pickled

    Raises
    ------
    DatasetNotFound, StorageError
        As `validate`.
    DamagedStore
        If more than 20 parts end the process, or one that nobody can name.
    """
    fatal: dict[str, str] = {}
    while len(fatal) <= _MOST_ENDINGS:
        found = attempt(_check, path, quick, dict(options or {}), fatal)
        if isinstance(found.outcome, CxgWidgetError):
            raise found.outcome
        if isinstance(found.outcome, Report):
            return found.outcome
        ended = f"{path}: reading it ended the process ({found.ending})"
        if found.reading is None or found.reading in fatal:
            raise DamagedStore(f"{ended}.")
        fatal[found.reading] = f"{ended}, as text with damaged offsets does."
    raise DamagedStore(f"{path}: reading any of {_MOST_ENDINGS} parts ended the process.")


def _check(tell: Tell, path: str, quick: bool, options: dict[str, Any], fatal: dict[str, str]) -> Report:
    return validate(path, quick=quick, tell=tell, fatal=fatal, **options)
