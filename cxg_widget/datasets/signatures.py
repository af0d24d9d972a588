"""Steps to know a store by: the first bytes of a file, the members of a folder or of a ZIP archive."""

from __future__ import annotations

import zipfile
from pathlib import Path

ZIP = b"PK\x03\x04"


def begins_with(path: Path, signature: bytes, places: tuple[int, ...] = (0,)) -> bool:
    """Say whether a path is a file that has `signature` at one of these places."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return any(file.seek(at) == at and file.read(len(signature)) == signature for at in places)
    except OSError:
        return False


def zip_holds(path: Path, *members: str) -> bool:
    """Say whether a path is a ZIP archive with one of these members."""
    if not begins_with(path, ZIP):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return not set(archive.namelist()).isdisjoint(members)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def folder_holds(path: Path, *members: str) -> bool:
    """Say whether a path is a folder with one of these members."""
    return any((path / member).exists() for member in members)
