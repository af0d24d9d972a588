"""States that a stranger wrote: most of their work, sizes and names are absurd; one is a setting or several."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from cxg_widget import CxgWidget
from cxg_widget.errors import CxgWidgetError
from cxg_widget.widget.traits import STATE
from tests.fuzz.mutations import replaced
from tests.fuzz.outcome import Outcome
from tests.memory import MemoryDataset

_AT = "2026-01-31T12:00:00+00:00"
_NAMES = ("a", "x\ud800", "\ufffe", "", "=1+1", "a" * 5_000, "cell_type", "obs:cell_type", "sets:a", "<b>")
_VALUES = list(range(100_000))
_COUNTS = (0, -1, 1, 300, 304, 2**31, 2**64, 10**400)


def state_of(rng: np.random.Generator) -> dict[str, Any]:
    """Return one hostile state: rules, logs and sets of random sizes, and settings that are replaced at random."""

    def one_of(values: Any) -> Any:
        return values[int(rng.integers(len(values)))]

    def rule(depth: int = 0) -> Any:
        inner = [rule(depth + 1) for _ in range(int(rng.integers(0, 3)))] if depth < 3 else []
        terms = int(rng.choice([1, 5, 700]))
        if inner and rng.random() < 0.5:
            return one_of(({"and": inner}, {"or": inner}, {"minus": inner}, {"not": inner[0]}))
        return one_of([
            {"query": " or ".join(f"n_genes > {at}" for at in range(terms))},
            {"rows": "A" * 4 * int(rng.integers(0, 30)), "n_obs": one_of(_COUNTS), "identity": "memory"},
            {"obs": one_of(_NAMES), "in": _VALUES[: int(rng.choice([1, 1_000, 100_000]))]},
            {"obs": "n_genes", "range": [one_of(_COUNTS), one_of((None, 5, 1e308))]},
            {"polygon": (rng.normal(size=(int(rng.choice([0, 3, 500])), 2))).tolist(), "embedding": "umap"},
            {"not": 5}, {"set": one_of(_NAMES)}, {},
        ])  # fmt: skip

    n, some = int(rng.choice([1, 3, 2_000])), rule()
    step = {"assign": one_of(_NAMES), "rule": rule(), "n": one_of(_COUNTS), "at": _AT}
    state = {
        "annotations": [{"name": one_of(_NAMES), "log": [step] * n}],
        "sets": [{"name": f"{one_of(_NAMES)}{at}", "rule": some} for at in range(min(n, 100))],
        "filters": [rule()], "panels": [{"within": rule()}], "color": one_of(_NAMES), "table": {"sort": one_of(_NAMES)},
        "gene_sets": [{"name": one_of(_NAMES), "genes": [one_of(_NAMES)] * n}],
    }  # fmt: skip
    chosen = {name: value for name, value in state.items() if rng.random() < 0.4} or {"sets": state["sets"]}
    if rng.random() < 0.3:
        other, _ = replaced({name: chosen.get(name) for name in STATE}, rng)
        chosen = {name: one for name, one in other.items() if one is not None} if isinstance(other, dict) else chosen
    return chosen


def try_state(dataset: MemoryDataset, rng: np.random.Generator) -> Outcome:
    """Open a widget by a state; a sentence of ours or a widget whose state and page are UTF-8 are no finding."""
    state = state_of(rng)
    what = ", ".join(state)
    try:
        w = CxgWidget(dataset, **{str(name): value for name, value in state.items()})
    except CxgWidgetError as error:
        is_line = "\n" not in str(error)
        return Outcome("clean error" if is_line else "foreign", str(error)[:200], "state", what)
    except MemoryError:
        return Outcome("memory", "", "state", what)
    except Exception as error:
        return Outcome("foreign", f"{type(error).__name__}: {error}"[:300], "state", what)
    try:
        json.dumps([w.state, w.summary], ensure_ascii=False).encode()
    except Exception as error:
        return Outcome("foreign", f"{type(error).__name__}: {error}"[:300], "state", what)
    finally:
        w.close()
    return Outcome("unchanged", "", "state", what)
