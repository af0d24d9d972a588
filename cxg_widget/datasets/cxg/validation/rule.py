"""Rules of the format and their findings; the other modules here hold the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from cxg_widget.datasets.cxg.validation.examined import Examined

Level = Literal["MUST", "SHOULD"]
Found = tuple[str, str, str]
"""Location in the store, what was found there, and what is expected."""

Types = Iterable[tuple[str, np.dtype[np.generic]]]
"""Paths in the store, and the dtypes of the values there."""

Check = Callable[["Examined"], Iterator[Found]]


@dataclass(frozen=True)
class Rule:
    """One sentence of the specification.

    Attributes
    ----------
    id : short, stable name
    level : MUST if a store that violates it is not a valid CXG; SHOULD if the store is still valid
    text : the sentence, paraphrased
    check : yields the violations
    """

    id: str
    level: Level
    text: str
    check: Check


@dataclass(frozen=True)
class Violation:
    """One violation of a rule.

    Attributes
    ----------
    rule, level, text : id, level and text of the rule
    where : path of an array, a column or a metadata key in the store
    found : what was found there
    right : what is expected
    """

    rule: str
    level: Level
    where: str
    found: str
    right: str
    text: str


class Rules:
    """A table of rules; its decorators add functions that check them."""

    def __init__(self) -> None:
        self.all: list[Rule] = []

    def must(self, id_: str, text: str) -> Callable[[Check], Check]:
        """Decorate the check of a rule that every valid CXG satisfies."""
        return self._taken(id_, "MUST", text)

    def should(self, id_: str, text: str) -> Callable[[Check], Check]:
        """Decorate the check of a rule that a CXG should satisfy."""
        return self._taken(id_, "SHOULD", text)

    def _taken(self, id_: str, level: Level, text: str) -> Callable[[Check], Check]:
        def take(check: Check) -> Check:
            self.all.append(Rule(id_, level, text, check))
            return check

        return take


def not_numeric(types: Types) -> Iterator[Found]:
    """Yield a finding for each path whose values are not numbers."""
    for path, dtype in types:
        if dtype.kind not in "iuf":
            yield path, f"values of {dtype}", "float32"


def not_float32(types: Types) -> Iterator[Found]:
    """Yield a finding for each path whose values are numbers but not float32."""
    for path, dtype in types:
        if dtype.kind in "iuf" and dtype != np.float32:
            yield path, f"values of {dtype}", "float32"
