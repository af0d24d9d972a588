"""Singular and plural nouns for a store's observations and variables."""
# Changes with js/src/words/nouns.js: nouns of a store.

from __future__ import annotations

import re
from typing import NamedTuple

_AN = re.compile(r"[aeio]|[fhlmnrsx]\W")


class Noun(NamedTuple):
    """Singular and plural of a common noun, in lower case."""

    one: str
    many: str

    @property
    def a(self) -> str:
        """The singular with its article, by pronunciation.

        >>> CELL.a, Noun("m/z window", "m/z windows").a, Noun("intensity", "intensities").a
        ('a cell', 'an m/z window', 'an intensity')
        """
        return f"{'an' if _AN.match(self.one) else 'a'} {self.one}"

    def counted(self, n: int) -> str:
        """Return a number with the noun.

        >>> CELL.counted(1), CELL.counted(2638)
        ('1 cell', '2,638 cells')
        """
        return f"{n:,} {self.one if n == 1 else self.many}"


def capitalized(words: str) -> str:
    """Capitalize words, unless the first is a symbol or an abbreviation.

    >>> capitalized("cells"), capitalized("m/z windows")
    ('Cells', 'm/z windows')
    """
    return words[0].upper() + words[1:] if words[:2].isalpha() and words[:2].islower() else words


CELL = Noun("cell", "cells")
GENE = Noun("gene", "genes")
GENE_SET = Noun("gene set", "gene sets")
