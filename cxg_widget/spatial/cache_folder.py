"""The cache folder and its limit in bytes; each writer evicts its own files."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

FOLDER_VARIABLE = "CXG_WIDGET_CACHE_DIR"
BYTES_VARIABLE = "CXG_WIDGET_CACHE_BYTES"
DEFAULT_BYTES = 4 << 30

_LOG = logging.getLogger("cxg_widget")


def cache_folder() -> Path | None:
    """Return the cache folder of this user by the platform's convention; None without a home. It may not exist yet."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser()
    try:
        return _user_caches() / "cxg-widget"
    except RuntimeError:  # pathlib knows no home folder
        return None


def _user_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return chosen if chosen.is_absolute() else Path.home() / ".cache"


def cache_bytes() -> int:
    """Return the size limit of the cache in bytes; 0 = no cache."""
    text = os.environ.get(BYTES_VARIABLE, "").strip().replace("_", "")
    if not text:
        return DEFAULT_BYTES
    if text.isascii() and text.isdigit():
        return int(text)
    _LOG.warning(
        "%s is %r; it must be a number of bytes, 0 for no cache; %d is used", BYTES_VARIABLE, text, DEFAULT_BYTES
    )
    return DEFAULT_BYTES
