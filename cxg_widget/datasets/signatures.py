"""Recognizes stores by the first bytes of a file, or the members of a folder or ZIP archive."""

from __future__ import annotations

import json
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

_ATTRIBUTES = ("zarr.json", ".zattrs")
ZIP = b"PK\x03\x04"


def begins_with(path: Path, signature: bytes, places: tuple[int, ...] = (0,)) -> bool:
    """Return whether a path is a file that has `signature` at one of these offsets."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return any(file.seek(at) == at and file.read(len(signature)) == signature for at in places)
    except OSError:
        return False


def zip_holds(path: Path, *members: str) -> bool:
    """Return whether a path is a ZIP archive with one of these members."""
    if not begins_with(path, ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return not set(archive.namelist()).isdisjoint(members)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def folder_holds(path: Path, *members: str) -> bool:
    """Return whether a path is a folder with one of these members."""
    return any((path / member).exists() for member in members)


def zarr_attributes(path: Path) -> list[dict[str, Any]]:
    """Return the attributes at the root of a zarr folder or archive; {} if they cannot be read."""
    texts: list[str] = []
    with suppress(OSError, UnicodeDecodeError, zipfile.BadZipFile):
        if zip_holds(path, *_ATTRIBUTES):
            with zipfile.ZipFile(path) as archive:
                texts = [archive.read(one).decode() for one in _ATTRIBUTES if one in archive.namelist()]
        elif path.is_dir():
            texts = [(path / one).read_text("utf-8") for one in _ATTRIBUTES if (path / one).is_file()]
    found = []
    for text in texts:
        with suppress(ValueError, RecursionError):
            document: Any = json.loads(text)
            attributes = document.get("attributes", document) if isinstance(document, dict) else None
            found += [attributes] if isinstance(attributes, dict) else []
    return found
