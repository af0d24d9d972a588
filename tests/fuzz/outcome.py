"""What a mutation came to, judged against the intact store."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.fuzz.readout import ANSWERS, Failure, Readout, same

OUTCOMES = ("unchanged", "clean error", "noted", "unchecksummed", "silent", "foreign", "memory", "hang", "crash")
"""From harmless to harmful; what follows "unchecksummed" is a finding."""
FINDINGS = OUTCOMES[4:]
_REWRITE = ("bits", "zeros", "grow", "swap", "text", "value", "sizes", "names")
"""Mutations that leave every file in its place: where no checksum covers it, what is there is another valid store."""
_LOSE = ("delete", "delete_folder")
_CHUNKS = re.compile(r"/(c(/\d+)*|\d+([./]\d+)*)$")
"""Paths that end as chunks of zarr and the folders of them do."""
_UNNAMED = re.compile(r"\.cxg/(emb/[^/]+|cxg_group_metadata)$")
_SUMMARIES = ("columns", "embeddings", "rows", "record", "widget", *ANSWERS)


@dataclass(frozen=True)
class Outcome:
    """The kind of outcome, with what was damaged and what was seen."""

    kind: str
    what: str = ""
    mutation: str = ""
    where: str = ""


def judge(intact: Readout, found: Readout, mutation: str, where: str) -> Outcome:
    """Say what became of a damaged store.

    A part may read as before, fail with a sentence of ours, or differ with a note; what differs without a word is
    `silent`, unless the bytes were rewritten in a store that has no checksums.
    """
    if found.foreign:
        kind = "memory" if any("MemoryError" in one for one in found.foreign) else "foreign"
        return Outcome(kind, found.foreign[0], mutation, where)
    failed = {name: value for name, value in found.parts.items() if isinstance(value, Failure)}
    failed = {name: value for name, value in failed.items() if not isinstance(intact.parts.get(name), Failure)}
    changed = [
        name
        for name, value in intact.parts.items()
        if "open" not in failed and name not in failed and not (name in found.parts and same(value, found.parts[name]))
    ]
    changed = [name for name in changed if not isinstance(intact.parts[name], Failure)]
    said = bool(found.notes - intact.notes)
    if changed and not said:
        is_explained = mutation in _REWRITE or (mutation in _LOSE and _left_no_trace(where))
        only = [name for name in changed if name not in _SUMMARIES] or changed
        return Outcome("unchecksummed" if is_explained else "silent", ", ".join(only[:4]), mutation, where)
    if failed:
        name, sentence = next(iter(failed.items()))
        return Outcome("clean error", f"{name}: {sentence}"[:200], mutation, where)
    return Outcome("noted" if said else "unchanged", "; ".join(found.notes - intact.notes)[:200], mutation, where)


def _left_no_trace(where: str) -> bool:
    """Say whether what was lost may be lacking by the definition of the format.

    A chunk that zarr does not find means the fill value; of metadata of an array TileDB keeps no record elsewhere; an
    embedding of a CXG is named by its folder alone, and without its metadata it is one of the first version.
    """
    if ".zarr/" in where:
        return _CHUNKS.search(where) is not None
    if "analysis/" in where:
        return True  # of a run of 10x, whose projections and clusters may be lacking
    return "/__meta/" in f"{where}/" or _UNNAMED.search(where) is not None
