"""Categories of a column stored as values: agreed on first, then its rows are coded in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.columns import factorize, smallest_codes, tidy_categories
from cxg_widget.datasets.base.values import Codes


@dataclass(frozen=True)
class CategoryLookup:
    """Maps values to categories.

    Attributes
    ----------
    position : value to its entry in `target`
    target : signed int (k + 1,); the code of each value, -1 where it means missing; the last entry is -1
    categories : those that remain, in their order
    """

    position: dict[Any, int]
    target: NDArray[np.signedinteger[Any]]
    categories: tuple[Any, ...]

    @classmethod
    def of(
        cls, values: Iterable[Any], declared: Sequence[Any] | None = None, missing: str | None = None
    ) -> CategoryLookup:
        """Order distinct values: those declared first, in their order, then the others, sorted; `missing` is none."""
        listed = [str(label) for label in declared or () if label is not None]
        labels = list(dict.fromkeys([*listed, *sorted(values)]))
        target, categories = tidy_categories(labels, missing)
        position = {label: place for place, label in enumerate(labels)}
        return cls(position, smallest_codes(target, len(categories)), categories)

    @classmethod
    def gathered(
        cls,
        blocks: Iterable[NDArray[Any]],
        declared: Sequence[Any] | None = None,
        limit: float = np.inf,
        missing: str | None = None,
    ) -> CategoryLookup | None:
        """Look at all blocks of a column in turn; None as soon as more than `limit` distinct values were seen."""
        seen: set[Any] = set()
        for block in blocks:
            seen.update(factorize(block)[1])
            if len(seen) > limit:
                return None
        return cls.of(seen, declared, missing)

    def encode(self, values: NDArray[Any]) -> Codes:
        """Return values (n,), all of which were seen before, as codes; NaN is missing."""
        return self._encode(*factorize(values))

    @staticmethod
    def encode_whole(
        values: NDArray[Any],
        declared: Sequence[Any] | None = None,
        limit: float = np.inf,
        missing: str | None = None,
    ) -> Codes | None:
        """Return a whole column as codes, looking at it once; None if it has more than `limit` distinct values."""
        codes, distinct = factorize(values)
        return (
            None if len(distinct) > limit else CategoryLookup.of(distinct, declared, missing)._encode(codes, distinct)
        )

    def _encode(self, codes: NDArray[np.int64], distinct: Sequence[Any]) -> Codes:
        # Code -1, a missing value, takes the last place, which leads to the -1 at the end of `target`.
        places = np.full(len(distinct) + 1, len(self.target) - 1, dtype=np.int64)
        places[:-1] = [self.position[value] for value in distinct]
        return Codes(self.target[places][codes], self.categories)
