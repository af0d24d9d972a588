"""What a store calls its observations and its variables: one of them, and several."""

from __future__ import annotations

from typing import NamedTuple


class Noun(NamedTuple):
    """The singular and the plural of a common noun, in lower case."""

    one: str
    many: str

    def counted(self, n: int) -> str:
        """Write a number of them.

        >>> CELL.counted(1), CELL.counted(2638)
        ('1 cell', '2,638 cells')
        """
        return f"{n:,} {self.one if n == 1 else self.many}"


CELL = Noun("cell", "cells")
GENE = Noun("gene", "genes")
GENE_SET = Noun("gene set", "gene sets")
