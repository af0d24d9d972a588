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
"""Where in the store; what is there; what would be right."""

Types = Iterable[tuple[str, np.dtype[np.generic]]]
"""Paths in the store, and the types of the values there."""

Check = Callable[["Examined"], Iterator[Found]]


@dataclass(frozen=True)
class Rule:
    """One sentence of the specification.

    Attributes
    ----------
    id : a short name that stays the same
    level : MUST where a store that breaks it is no valid CXG; SHOULD where it is one all the same
    text : the sentence, in our words
    check : yields what breaks it
    """

    id: str
    level: Level
    text: str
    check: Check


@dataclass(frozen=True)
class Violation:
    """One place that breaks a rule.

    Attributes
    ----------
    rule, level, text : of the rule
    where : an array, a column or a metadata key, by its path in the store
    found : what is there
    right : what would be right
    """

    rule: str
    level: Level
    where: str
    found: str
    right: str
    text: str


class Rules:
    """A table of rules, filled by functions that say which sentence they check."""

    def __init__(self) -> None:
        self.all: list[Rule] = []

    def must(self, id_: str, text: str) -> Callable[[Check], Check]:
        """Take the function that follows as the check of a rule that a valid CXG keeps."""
        return self._taken(id_, "MUST", text)

    def should(self, id_: str, text: str) -> Callable[[Check], Check]:
        """Take the function that follows as the check of a rule that a CXG had better keep."""
        return self._taken(id_, "SHOULD", text)

    def _taken(self, id_: str, level: Level, text: str) -> Callable[[Check], Check]:
        def take(check: Check) -> Check:
            self.all.append(Rule(id_, level, text, check))
            return check

        return take


def not_numeric(types: Types) -> Iterator[Found]:
    """Yield where values are no numbers."""
    for path, dtype in types:
        if dtype.kind not in "iuf":
            yield path, f"values of {dtype}", "float32"


def not_float32(types: Types) -> Iterator[Found]:
    """Yield where values are numbers of another type than float32."""
    for path, dtype in types:
        if dtype.kind in "iuf" and dtype != np.float32:
            yield path, f"values of {dtype}", "float32"
