"""Tells whether a store is on this machine, and whether it exists."""

from __future__ import annotations

from pathlib import Path

from cxg_widget.errors import DatasetNotFound


def is_remote(uri: str) -> bool:
    """Say whether a URI leads out of this machine."""
    return "://" in uri and not uri.startswith(("file://", "mem://"))


def exists(path: str) -> bool:
    """Say whether there is something at a local path.

    Raises
    ------
    DatasetNotFound
        If nothing can be at such a path, or the system cannot look there.
    """
    try:
        return Path(path).exists()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise DatasetNotFound(f"'{path[:200]}': cannot open it: {why}.") from error
