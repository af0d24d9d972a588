"""The result of a replay: what fits, what is missing, and numbers of cells side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from cxg_widget.replay.cell_counts import ALL, Counts
from cxg_widget.replay.fitting import Part
from cxg_widget.text.nouns import Noun

if TYPE_CHECKING:
    import pandas as pd


class CountRow(NamedTuple):
    """The cells of something that a state names, and their shares of all cells; None = there are none to count."""

    kind: str
    name: str
    before: int | None
    after: int | None
    share_before: float | None
    share_after: float | None


@dataclass(frozen=True, repr=False)
class ReplayReport:
    """What became of a state on other data, as `w.replay` returns it.

    Attributes
    ----------
    title : of the dataset
    source_title : of the dataset that the state is from; "" = not given
    parts : all parts of the state, each with `.setting`, `.name`, `.fault` ("" = it fits) and `.note`
    missing : names that the dataset lacks: columns and genes as they are, others with their kind, as "layer 'raw'"
    state : the parts that fit, for `CxgWidget(source, **found.state)`
    notes : sentences about the parts that fit

    Examples
    --------
    >>> found = w.replay({"color": "cell_type", "pinned_genes": ["CD3E", "NOTAGENE"]})
    >>> found.missing
    ('NOTAGENE',)
    """

    title: str
    source_title: str
    parts: tuple[Part, ...]
    missing: tuple[str, ...]
    state: dict[str, Any]
    notes: tuple[str, ...]
    _sentence: str
    _before: Counts
    _after: Counts

    @property
    def summary(self) -> str:
        """How many parts fit, and one sentence with all missing names.

        Examples
        --------
        >>> w.replay({"color": "cell_type"}).summary
        'The one part of the state fits.'
        """
        n, n_fit = len(self.parts), sum(not one.fault for one in self.parts)
        if n_fit == n:
            first = "The state is empty." if n == 0 else f"All {n} parts of the state fit."
            first = "The one part of the state fits." if n == 1 else first
        else:
            first = f"{n_fit} of {Noun('part', 'parts').counted(n)} of the state fit."
        return f"{first} {self._sentence[:1].upper()}{self._sentence[1:]}".strip()

    def frame(self) -> pd.DataFrame:
        """Return the numbers of cells side by side.

        Returns
        -------
        DataFrame indexed by `kind` and `name`: each filter alone and all together, sets, labels of annotations, and
        categories of the color. `before` and `after` : Int64, cells in the dataset that the state is from, and in this
        one, missing where there are none; `share_before`, `share_after` : Float64, their shares of all cells

        Examples
        --------
        >>> w.sets["NK"] = {"cell_type": "NK cell"}
        >>> found = w.replay(w.state)
        >>> int(found.frame().loc[("set", "NK"), "after"])
        80
        """
        import pandas as pd

        rows = rows_of(self)
        index = pd.MultiIndex.from_tuples([one[:2] for one in rows], names=["kind", "name"])
        numbers = pd.DataFrame([one[2:] for one in rows], index, pd.Index(CountRow._fields[2:]), dtype="Float64")
        return numbers.astype({"before": "Int64", "after": "Int64"})

    def __repr__(self) -> str:
        return f"<ReplayReport {self.title!r}: {self.summary}>"


def rows_of(report: ReplayReport) -> list[CountRow]:
    """Return the numbers of cells, a row for each thing that either side has."""
    before, after = report._before, report._after
    return [
        CountRow(*key, before.get(key), after.get(key), _share(before, key), _share(after, key))
        for key in dict.fromkeys([*before, *after])
    ]


def _share(counts: Counts, key: tuple[str, str]) -> float | None:
    return counts[key] / max(counts[ALL], 1) if key in counts else None
