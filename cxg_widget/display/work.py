"""Limit on the work of opening a state: counted in its JSON before any of it is done, so it is deterministic."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from cxg_widget.annotations.log import Log
from cxg_widget.errors import InvalidValue
from cxg_widget.rules.methods import METHODS
from cxg_widget.rules.named import RowsOfSet, RuleOfSet
from cxg_widget.rules.packed_rows import PackedRows

# One step of work is about a nanosecond of one core.
_LEAST, _PER_CELL = 2_000_000_000, 4_000
_STEP, _VALUE, _LETTER, _CORNER = 150_000, 1_000, 8_000, 50_000
_CELLS_PER_LETTER, _CELLS_PER_CORNER = 1 / 16, 1 / 4
_CELLS_OF_POLYGON, _CELLS_OF_FORM, _CELLS_OF_MATCH = 20, 2, 400
_MATCHES = re.compile("|".join(name.removeprefix("str.") for name in METHODS if name.startswith("str.")))
_LOGS, _SETS = "annotations", "sets"


def check_work(state: Mapping[str, Any], n_obs: int) -> None:
    """Refuse a state that takes too much work to open: 2,000 million steps, and 4,000 per cell of large datasets.

    state : settings by name, possibly from an untrusted source; nothing in it is parsed or run
    """
    most = max(_LEAST, _PER_CELL * n_obs)
    needed: dict[str, float] = {}
    for name, value in state.items():
        needed[name] = 0.0
        for steps in _steps_of(name, value, n_obs if name != _SETS or _uses_sets(state) else 0):
            needed[name] += steps
            if sum(needed.values()) > most:
                worst = max(needed, key=needed.__getitem__)
                raise InvalidValue(
                    f"this state takes more than {most // 10**6:,} million steps of work to open (cells x parts of "
                    f"its rules), most of them for {worst!r}. "
                    f"Open it without {worst!r}; then w.{worst} = state[{worst!r}] does that work all the same."
                )


def _uses_sets(state: Mapping[str, Any]) -> bool:
    """Return whether opening needs the cells of sets, which are otherwise found on demand."""
    return bool({"contours", "difference", "filters", "panels"} & state.keys()) or str(state.get("color"))[:4] == "sets"


def _steps_of(name: str, value: Any, n: int) -> Iterator[float]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Log | RuleOfSet | RowsOfSet | PackedRows):
            yield _CELLS_OF_FORM * n  # it was checked before it was stored
        elif isinstance(one, Mapping):
            yield _of_mapping(name, one, n)
            waiting += one.values()
        elif isinstance(one, list | tuple):
            yield _VALUE * len(one)
            waiting += (inner for inner in one if isinstance(inner, Mapping | list | tuple))


def _of_mapping(name: str, one: Mapping[str, Any], n: int) -> float:
    """Return the work of a rule, a log step or another mapping, without its members."""
    steps: float = _CELLS_OF_FORM * n + _VALUE * len(one)
    if name == _LOGS and "at" in one:
        steps += _STEP
    text, corners = one.get("query"), one.get("polygon")
    if isinstance(text, str):
        steps += len(text) * (_LETTER + _CELLS_PER_LETTER * n)
        steps += len(_MATCHES.findall(text)) * _CELLS_OF_MATCH * n  # as if each cell had a different text
    if isinstance(corners, list | tuple):
        steps += n * (_CELLS_OF_POLYGON + _CELLS_PER_CORNER * len(corners)) + _CORNER * len(corners)
    return steps
