"""The masks of several filters: of all of them, and of all but one, each rule evaluated once."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.rules.forms import Rule
from cxg_widget.rules.rule import mask_of

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Mask = NDArray[np.bool_]


class Crossfilter:
    """Which cells of a dataset pass rules; one byte a cell for each rule that was asked for last."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._lock = threading.Lock()
        self._masks: dict[str, Mask] = {}
        self._made: dict[tuple[str, ...], Mask] = {}

    def passing(self, rules: Sequence[Rule]) -> Mask | None:
        """Return which cells pass all rules, bool (n_obs,), read-only; None where there are no rules, and all pass.

        The same rules give the very same array until others are asked for.

        Raises
        ------
        CxgWidgetError
            As `rule.mask_of`.
        """
        if not rules:
            return None
        key = tuple(json.dumps(rule, sort_keys=True) for rule in rules)
        with self._lock:
            if key not in self._made:
                self._made = {**dict(list(self._made.items())[-3:]), key: self._make(key, rules)}
            return self._made[key]

    def keep(self, rules: Sequence[Rule]) -> None:
        """Let go of the masks of all rules but these."""
        keys = {json.dumps(rule, sort_keys=True) for rule in rules}
        with self._lock:
            self._masks = {key: mask for key, mask in self._masks.items() if key in keys}
            self._made = {key: mask for key, mask in self._made.items() if keys.issuperset(key)}

    def _make(self, key: tuple[str, ...], rules: Sequence[Rule]) -> Mask:
        found = np.ones(self._dataset.n_obs, dtype=np.bool_)
        for name, rule in zip(key, rules, strict=True):
            if name not in self._masks:
                self._masks[name] = mask_of(rule, self._dataset)
            found &= self._masks[name]
        found.flags.writeable = False
        return found
