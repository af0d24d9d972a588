"""Each contender in a process of its own, in turns: opening, genes, an obs column; and that all of them find the same.

``python -m benchmarks.stores.measure KIND CONTENDER PATH`` measures one contender once and prints JSON.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import HERE
from benchmarks.kernel import peak_mb, timed
from benchmarks.stores.contender import Contender
from benchmarks.stores.kinds import BY_NAME, Kind

REPEATS = 5
SLOW_S = 10
"""What took longer is measured once a process, and in two of them."""


def measure_all(kind: Kind, path: Path) -> dict[str, Any]:
    """Measure every contender of a kind: {"measures": {contender: {measure: values}}, "left_out": sentences}."""
    present = {name: one for name, one in kind.contenders.items() if not _missing(one)}
    left_out = [
        f"{name} is left out: {' and '.join(_missing(one))} not installed."
        for name, one in kind.contenders.items()
        if name not in present
    ]
    found: dict[str, dict[str, list[float]]] = {name: {} for name in present}
    slow: set[str] = set()
    for turn in range(REPEATS):
        answers = {}
        for name in present:
            if turn >= 2 and name in slow:
                continue
            began = time.perf_counter()
            result = _in_process(kind, name, path)
            slow |= {name} if time.perf_counter() - began > 3 * SLOW_S else set()
            answers[name] = result["answers"]
            for measure, value in result["measures"].items():
                found[name].setdefault(measure, []).append(value)
        _check_same(kind, answers)
    return {"measures": found, "left_out": left_out + [kind.note] * bool(kind.note)}


def _missing(contender: type[Contender]) -> list[str]:
    return [library for library in contender.libraries if find_spec(library) is None]


def _in_process(kind: Kind, name: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.stores.measure", kind.name, name, str(path)]
    done = subprocess.run(command, cwd=HERE.parent, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} failed on {path}:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _check_same(kind: Kind, answers: dict[str, dict[str, Any]]) -> None:
    for name, answer in answers.items():
        for what, value in answer.items():
            other = answers["cxg-widget"].get(what, value)
            if value != other:
                raise AssertionError(f"{kind.name}: {what} is {other} by cxg-widget and {value} by {name}")


def measure(contender: Contender, genes: tuple[str, ...], column: str) -> dict[str, Any]:
    """Return measure -> milliseconds or MB, and what was found, in the words of `_check_same`."""
    contender.prepare()
    imported_mb = peak_mb()
    found: dict[str, float] = {}
    answers: dict[str, Any] = {}

    def take(title: str, act: Any) -> Any:
        taken: list[Any] = []
        found[title] = timed(lambda: taken.append(act()))
        return taken[0]

    take("open, ms", contender.open)
    if contender.gene is not None:
        later = []
        for number, name in enumerate(genes):
            values = take(f"gene {number}", lambda name=name: contender.gene(name))
            answers[name] = [int(np.count_nonzero(values > 0)), round(float(np.nansum(values, dtype=np.float64)), 1)]
            taken = found.pop(f"gene {number}")
            if number:
                later.append(taken)
            else:
                found["first gene, ms"] = taken
            if later and taken > SLOW_S * 1_000:
                break
        found["next gene, ms"] = statistics.median(later)
    codes = take("codes, ms", lambda: contender.codes(column))
    answers["codes"] = sorted(np.unique(codes, return_counts=True)[1].tolist())
    frame = take("column as DataFrame, ms", lambda: contender.frame(column))
    found["peak memory, MB"], found["after imports, MB"] = peak_mb(), imported_mb
    answers["column"] = sorted((str(label), int(n)) for label, n in frame[column].value_counts().items() if n)
    return {"measures": found, "answers": answers}


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kind_name, contender_name, where = sys.argv[1:]
    chosen = BY_NAME[kind_name]
    print(json.dumps(measure(chosen.contenders[contender_name](Path(where)), *vars(chosen.request()).values())))
