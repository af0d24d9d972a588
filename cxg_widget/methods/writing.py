"""What sentences of methods have in common: citations, names and numbers in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cxg_widget.code.records import MadeCall
from cxg_widget.methods.references import References
from cxg_widget.text.nouns import Noun


@dataclass(frozen=True)
class Writing:
    """What a text is written with.

    works : numbers the works that are cited
    noun : of the cells
    known : names of cells that are described already, each with its words
    """

    works: References
    noun: Noun
    known: frozenset[tuple[str | None, str]]

    def cite(self, *keys: str) -> str:
        """Return the citation of works, as "[1, 2]"."""
        return self.works.cite(*keys)


def adjusted(what: str, text: Writing) -> str:
    """Return over what p-values were adjusted."""
    return f"P-values were adjusted over {what} by the method of Benjamini and Hochberg {text.cite('bh')}."


def among(one: MadeCall) -> str:
    """Return among which cells a call counted; "" = all."""
    within = one.cells.get("within")
    return "" if within is None else f" among {plain(within.name or 'some')} (n = {within.n:,})"


def chosen(one: MadeCall, text: Writing) -> str:
    """Return how cells were chosen that were neither described before nor are by their names."""
    new = [cells for cells in one.cells.values() if (cells.name, cells.words) not in text.known]
    new = [cells for cells in new if cells.words != cells.name]
    words = [f"{plain(cells.name or 'unnamed')}: {cells.words}" for cells in new]
    return f" ({'; '.join(words)})" if words else ""


def listed(words: Sequence[str]) -> str:
    """Return words as a list with "and"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def plain(name: Any) -> str:
    """Return a name in one line."""
    return " ".join(str(name).split())
