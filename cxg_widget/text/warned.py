"""Warnings that point at the line of the user's own code."""

from __future__ import annotations

import sys
from pathlib import Path
from warnings import warn

_PACKAGE = str(Path(__file__).resolve().parents[1])
_BETWEEN = ("traitlets", "ipywidgets", "anywidget")
"""Packages between an assignment of a trait and its check; their number of frames depends on the version."""


def warn_caller(message: str) -> None:
    """Warn at the line that called this package, directly or by setting a trait."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_inside(frame.f_code.co_filename, frame.f_globals):
        frame, level = frame.f_back, level + 1
    warn(message, stacklevel=level)


def _is_inside(path: str, names: dict[str, object]) -> bool:
    return path.startswith(_PACKAGE) or str(names.get("__name__", "")).split(".")[0] in _BETWEEN
