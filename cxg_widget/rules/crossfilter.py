"""Evaluates several filters together: which cells pass all, or all but one; each rule is evaluated once."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import freeze
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.named import by_digest
from cxg_widget.rules.rule import mask_of
from cxg_widget.text.names import not_found

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Mask = NDArray[np.bool_]
Key = tuple[str, ...]
MOST = 255
"""Most filters at once: the number that a cell fails is stored in a byte."""


_MOST_KEPT = 15
"""Most cached combinations of rules: each panel has its own."""


class Crossfilter:
    """Which cells of a dataset pass rules; caches a byte per cell for each of the last rules.

    evaluate : returns the mask of a rule, as `rule.mask_of`; None = that, in this process
    """

    def __init__(self, dataset: Dataset, evaluate: Callable[[Rule], Mask] | None = None) -> None:
        self._dataset = dataset
        self._evaluate = evaluate or (lambda rule: mask_of(rule, dataset))
        self._lock = threading.Lock()
        self.masks: dict[str, Mask] = {}
        self._passing: dict[Key, Mask] = {}
        self._failed: dict[Key, NDArray[np.uint8]] = {}
        self._sets: dict[str, Rule] = {}
        self._known: Sequence[Rule] = ()

    def know_sets(self, sets: Sequence[Rule]) -> None:
        """Set the sets that rules may name: {"name", "rule"} each."""
        if sets is not self._known:
            with self._lock:
                self._known, self._sets = sets, {**self._sets, **by_digest(sets)}

    def passing(self, rules: Sequence[Rule]) -> Mask | None:
        """Return which cells pass all rules, bool (n_obs,), read-only; None without rules.

        The same rules return the same array until others are requested.
        """
        if not rules:
            return None
        key = _key_of(rules)
        known = self._passing.get(key)
        if known is not None:
            return known
        found = self.mask(rules[0]).view()  # a view, not a copy, for a single rule
        for rule in rules[1:]:
            found = found & self.mask(rule)
        with self._lock:
            if key not in self._passing:
                self._passing = {**dict(list(self._passing.items())[-_MOST_KEPT:]), key: freeze(found)}
            return self._passing[key]

    def failed(self, rules: Sequence[Rule]) -> NDArray[np.uint8] | None:
        """Return how many rules each cell fails, uint8 (n_obs,), read-only; None without rules.

        A cell that passes all but one rule fails no rule, or only that one. The same rules return the same array until
        others are requested.
        """
        if not rules:
            return None
        if len(rules) > MOST:
            raise InvalidValue(f"at most {MOST} filters may be active at once; found {len(rules)}")
        key = _key_of(rules)
        known = self._failed.get(key)
        if known is not None:
            return known
        found = np.zeros(self._dataset.n_obs, dtype=np.uint8)
        for rule in rules:
            found += ~self.mask(rule)
        with self._lock:
            if key not in self._failed:
                self._failed = {key: freeze(found)}
            return self._failed[key]

    def mask(self, rule: Rule) -> Mask:
        """Return which cells pass one rule, bool (n_obs,), read-only; raises as `rule.mask_of`."""
        (name,) = _key_of([rule])
        known = self.masks.get(name)
        if known is not None:
            return known
        inner = rule.get("not", rule)
        if "set" in inner:  # the rule of a set may itself have the greatest depth
            found = self._evaluate(self._rule_of(inner))
            found = ~found if "not" in rule else found
        else:
            found = self._evaluate(rule)  # may read for long, so it runs without the lock
        with self._lock:
            return self.masks.setdefault(name, found)

    def _rule_of(self, named: Rule) -> Rule:
        """Return the rule of the set that a filter names."""
        if named.get("of") not in self._sets:
            raise UnknownName(not_found("set", named["set"], [one["name"] for one in self._known], "this widget"))
        return self._sets[named["of"]]

    def holds(self, rules: Sequence[Rule]) -> bool:
        """Return whether all rules have been evaluated, so that nothing must be read for them."""
        masks = self.masks
        return all(name in masks for name in _key_of(rules))

    def keep(self, rules: Sequence[Rule]) -> None:
        """Drop the masks of all other rules."""
        keys = set(_key_of(rules))
        named = {rule.get("not", rule).get("of") for rule in rules} | by_digest(self._known).keys()
        with self._lock:
            self._sets = {name: rule for name, rule in self._sets.items() if name in named}
            self.masks = {key: mask for key, mask in self.masks.items() if key in keys}
            self._passing = {key: mask for key, mask in self._passing.items() if keys.issuperset(key)}
            self._failed = {key: failed for key, failed in self._failed.items() if keys.issuperset(key)}


def _key_of(rules: Sequence[Rule]) -> Key:
    return tuple(json.dumps(rule, sort_keys=True) for rule in rules)
