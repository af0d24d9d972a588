"""The markers of groups: a table for each, and one of all with the group as a level."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.compare.result import FEWER_GENES, ROW, Adjust, Comparison
from cxg_widget.compute.memory import shortage_in_words
from cxg_widget.errors import UnknownName
from cxg_widget.table.csv import csv_text, write_csv
from cxg_widget.text.names import not_found

if TYPE_CHECKING:
    import pandas as pd


class Markers(Mapping[Any, Comparison]):
    """Each group of a column compared with all other cells; `markers[value]` is the comparison of one.

    Parameters
    ----------
    description : what was compared, by what, in one sentence
    notes : sentences on what the values are, how numbers are defined, and what to be careful of
    groups : values of the column, in the order of its categories
    compared : of each
    """

    def __init__(
        self, description: str, notes: tuple[str, ...], groups: tuple[Any, ...], compared: tuple[Comparison, ...]
    ) -> None:
        self.description, self.notes = description, notes
        self._compared = dict(zip(groups, compared, strict=True))

    def with_note(self, note: str) -> Markers:
        """Return the same with one more note."""
        return Markers(self.description, (*self.notes, note), tuple(self._compared), tuple(self._compared.values()))

    def among(self, cells: str) -> Markers:
        """Return the same with sentences that say which cells counted."""
        made = tuple(one.among(cells) for one in self._compared.values())
        return Markers(f"{self.description}; among {cells}", self.notes, tuple(self._compared), made)

    def frame(self, adjust: Adjust | None = None) -> pd.DataFrame:
        """Return the tables one below the other, in each the highest statistic first, those without one last.

        Parameters
        ----------
        adjust : how `p_adj` is made of the p of one group: "benjamini-hochberg", which is None too, or "bonferroni"

        Returns
        -------
        DataFrame indexed by `group` and var name, with the columns of `Comparison.frame`: a is the group, b all other
        cells. `frame.loc[value]` is the table of one group; `frame.attrs["notes"]` holds the notes.
        """
        import pandas as pd

        with shortage_in_words("frame()", ROW, self._n_rows, FEWER_GENES):
            frames = [one.frame(adjust) for one in self._compared.values()]
            frame: pd.DataFrame = pd.concat([one.reset_index(drop=True) for one in frames], ignore_index=True)
            frame.index = self._index([one.index for one in frames])
        frame.attrs["notes"] = list(self.notes)
        return frame

    @property
    def log10_p(self) -> pd.Series:
        """The decimal logarithm of p in the order of `frame()`: where p is 0, it still tells how small it is."""
        return self._series("log10_p")

    @property
    def u(self) -> pd.Series:
        """Mann and Whitney's U of each group in the order of `frame()`, NaN where nothing was ranked."""
        return self._series("u")

    def to_csv(self, path: str | Path, adjust: Adjust | None = None) -> None:
        """Write the table to a file; as `Comparison.to_csv`."""
        flat = self.frame(adjust).reset_index(level=1, allow_duplicates=True)  # var may be called as a column is
        write_csv(path, [csv_text(flat)])

    def _series(self, name: str) -> pd.Series:
        import pandas as pd

        with shortage_in_words(name, ROW, self._n_rows, FEWER_GENES):
            found = [getattr(one, name) for one in self._compared.values()]
            index = self._index([one.index for one in found])
            return pd.Series(np.concatenate([one.to_numpy() for one in found]), index=index, name=name)

    @property
    def _n_rows(self) -> int:
        return sum(map(len, self._compared.values()))

    def _index(self, names: list[pd.Index]) -> pd.MultiIndex:
        """Return the levels of all rows; names may stand twice."""
        import pandas as pd

        # `pd.MultiIndex.from_tuples` would make a tuple of each of up to 16.8 million rows.
        codes, known = pd.factorize(names[0].append(names[1:]))
        groups = np.repeat(np.arange(len(names)), [len(one) for one in names])
        levels: Any = [pd.Index(list(self._compared)), known]
        both: Any = [groups, codes]
        return pd.MultiIndex(levels, both, names=["group", names[0].name], verify_integrity=False)

    def __getitem__(self, group: Any) -> Comparison:
        """Return the comparison of one group, with the notes of all."""
        if not isinstance(group, Hashable) or group not in self._compared:
            raise UnknownName(not_found("group", group, map(str, self._compared), "this table"))
        found: Comparison = self._compared[group]
        for note in self.notes:
            found = found.with_note(note)
        return found

    def __iter__(self) -> Iterator[Any]:
        return iter(self._compared)

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self._compared)

    def __repr__(self) -> str:
        return "\n".join([f"<{self.description}>", *(f"  {note}" for note in self.notes)])
