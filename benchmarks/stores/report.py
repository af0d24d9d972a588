"""Turns what was measured of the stores into `stores.md`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks import report
from benchmarks.report import Row
from benchmarks.stores.kinds import BY_NAME

READING = (
    Row("open, ms", "open, ms", digits=1),
    Row("first gene, ms", "first gene, ms", digits=1),
    Row("next gene, ms", "next gene, ms", digits=1),
    Row("codes of a category, ms", "codes, ms", digits=1),
    Row("this column as DataFrame, ms", "column as DataFrame, ms", digits=1),
    Row("peak memory, MB", "peak memory, MB"),
    Row("memory after the imports, MB", "after imports, MB"),
)
CONVERTING = (
    Row("time, s", "s", digits=1),
    Row("processor time, s", "processor s", digits=1),
    Row("cells per second", "cells/s"),
    Row("non-zeros, MB/s (8 bytes each)", "MB/s", digits=1),
    Row("peak memory, MB", "peak MB"),
    Row("size of the result, MB", "written MB"),
)
FLOOR = "h5py and tiledb-py"


def write(measured: Mapping[str, Any]) -> str:
    """Return the report on {size: what `run.measure_size` keeps}, Markdown."""
    parts = ["# Stores", "", "Written by `python -m benchmarks.stores.run`; do not edit. [How to read it](notes.md)."]
    for size, found in measured.items():
        parts += ["", f"## {found['n_obs']:,} observations ({size})"]
        for name in (name for name in BY_NAME if name in found["kinds"]):
            parts += ["", *_kind(name, found["kinds"][name])]
        for title, one in found.get("conversions", {}).items():
            parts += ["", f"### Conversion, {title}", "", *_facts(one["facts"]), ""]
            parts += report.table(one["measures"], CONVERTING, (FLOOR,), has_aims=False)
    return "\n".join([*parts, ""])


def _kind(name: str, found: Mapping[str, Any]) -> list[str]:
    kind = BY_NAME[name]
    others = [other for other in (kind.floor[0], *kind.peers) if other in found["measures"]]
    lines = [f"### {kind.title}", "", *_facts(found["facts"])]
    lines += [f"- {sentence}" for sentence in found["left_out"]]
    return [*lines, "", *report.table(found["measures"], READING, others, has_aims=False)]


def _facts(facts: Mapping[str, str]) -> list[str]:
    """Return what a store was measured on."""
    where = f"{facts['date']}, {facts['machine']}, Python {facts['Python']}"
    return [f"{where}, {facts['packages']}; {facts['load before']}."]
