"""Reads the index of an mzPeak, `mzpeak_index.json`: its members and the terms of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cxg_widget.datasets.mzpeak.archive import Archive, check_name
from cxg_widget.errors import DamagedStore, InvalidStore
from cxg_widget.text.half_characters import load_json

INDEX = "mzpeak_index.json"
_MOST_BYTES = 1 << 26


@dataclass(frozen=True)
class Member:
    """A file that the index lists.

    entity : the entity that it describes, such as "spectrum"
    kind : the kind of its data, such as "metadata", "data arrays", "peaks", "scans"
    terms : path of a column to the accession that the index gives it
    """

    name: str
    entity: str
    kind: str
    terms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Manifest:
    """Contents of the index."""

    members: tuple[Member, ...]
    metadata: Mapping[str, Any]

    def find(self, kind: str, entity: str = "spectrum") -> Member | None:
        """Return the last member of a kind; None if there is none."""
        return next((one for one in reversed(self.members) if (one.entity, one.kind) == (entity, kind)), None)

    @property
    def kinds(self) -> str:
        """Entity and kind of each member, for messages."""
        return ", ".join(f"{one.entity} {one.kind}" for one in self.members) or "nothing"


def read_manifest(archive: Archive) -> Manifest:
    """Read the index; raises `InvalidStore` or `DamagedStore` if it is missing, invalid, or lists missing members."""
    if not archive.has(INDEX):
        raise InvalidStore(f"{archive.uri}: no {INDEX}; it is not a complete mzPeak.")
    if archive.size(INDEX) > _MOST_BYTES:
        raise InvalidStore(f"{archive.uri}: {INDEX} has {archive.size(INDEX):,} bytes, too large for an index.")
    try:
        found, _ = load_json(archive.read(INDEX).decode())
    except (ValueError, RecursionError) as error:
        if isinstance(error, InvalidStore):
            raise
        raise DamagedStore(f"{archive.uri}: {INDEX} is not valid JSON: {error}") from None
    files = found.get("files") if isinstance(found, dict) else None
    if not isinstance(files, list):
        raise InvalidStore(f"{archive.uri}: {INDEX} has no list of files.")
    metadata = found.get("metadata")
    members = tuple(_member(one, archive) for one in files)
    return Manifest(members, metadata if isinstance(metadata, dict) else {})


def _member(found: Any, archive: Archive) -> Member:
    name, entity, kind = (found.get(key) if isinstance(found, dict) else None for key in _KEYS)
    if not (isinstance(name, str) and isinstance(entity, str) and isinstance(kind, str)):
        raise InvalidStore(f"{archive.uri}: {INDEX} has an entry without name, entity_type or data_kind.")
    check_name(name, archive.uri)
    if not archive.has(name):
        raise InvalidStore(
            f"{archive.uri}: the index lists {name!r} but the {archive.kind} has no member of this name."
        )
    # Writers separate the words of a kind by blanks, underscores or hyphens.
    return Member(name, _plain(entity), _plain(kind), _terms(found.get("column_mapping")))


_KEYS = ("name", "entity_type", "data_kind")


def _plain(word: str) -> str:
    return word.lower().replace("_", " ").replace("-", " ").strip()


def _terms(mapping: Any) -> dict[str, str]:
    listed = mapping if isinstance(mapping, list) else []
    entries = [one for one in listed if isinstance(one, dict)]
    return {
        one["path"]: one["accession"]
        for one in entries
        if isinstance(one.get("path"), str) and isinstance(one.get("accession"), str)
    }
