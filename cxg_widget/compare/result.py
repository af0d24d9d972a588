"""The result of a comparison: a table, and notes."""
# Changes with cxg_widget/session/analysis/comparison_frames.py: numbers of a compared gene.

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.gene_tests import (
    FORMULAS,
    TINY,
    Tested,
    benjamini_hochberg,
    benjamini_hochberg_log10,
    bonferroni,
    log2_fold,
)
from cxg_widget.compare.matrix_statistics import ValueKind
from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compute.memory import shortage_in_words
from cxg_widget.datasets.base.contract import Form
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.color_target import unscaled_layer
from cxg_widget.errors import InvalidValue
from cxg_widget.table.csv import csv_text, write_csv
from cxg_widget.table.forms import in_form
from cxg_widget.text.names import describe_layer, not_found
from cxg_widget.text.nouns import CELL, Noun, capitalized

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.compare.question import Question
    from cxg_widget.selection.cell_set import CellSet

_DONORS = ("donor", "patient", "individual", "subject", "sample")
_ID = re.compile(r"[ _.-]?(id|name|number|uuid)?")
_NORMALIZED = "log1p of counts per 10,000 of all {many} of the {one}"


def notes_of(
    dataset: Dataset, question: Question, kind: ValueKind, sets: tuple[Summary, Summary], tested: Tested
) -> tuple[str, ...]:
    """Return all notes."""
    notes = [
        *describe_values(dataset, question, kind),
        *describe_fold(dataset, question, kind),
        *_of_genes(dataset, sets, tested),
        describe_donors(dataset),
    ]
    return tuple(notes)


def describe_donors(dataset: Dataset) -> str:
    """Return the note that cells are not replicates, with the column of donors if one has a usual name."""
    column, many = _column_of_donors(dataset), dataset.obs_noun.many
    whose = "donor" if dataset.obs_noun == CELL else "sample"
    of = "" if column is None else f" (obs column {column!r})"
    by = "..." if column is None else repr(column)
    return (
        f"{capitalized(many)} of one {whose} are not independent{of}: p describes these {many} and is far too small "
        f"as evidence for other {whose}s. Use compare(method='pseudobulk', by={by}) to test {whose}s."
    )


def _column_of_donors(dataset: Dataset) -> str | None:
    # Names in the outer loop: a column of donors takes precedence over one of samples.
    for word in _DONORS:
        for name in dataset.obs_columns:
            if name.lower().startswith(word) and _ID.fullmatch(name.lower().removeprefix(word)):
                return name
    return None


def describe_values(dataset: Dataset, question: Question, kind: ValueKind) -> list[str]:
    """Return the note on the tested values."""
    where = describe_layer(question.layer)
    if question.normalize is not None:
        made = _NORMALIZED.format(many=dataset.var_noun.many, one=dataset.obs_noun.one)
        return [f"Tested: {made}; {where} holds {kind.reason}."]
    return [f"Tested: the values as they are; {where} holds {kind.reason}."]


def scaled_genes(kind: ValueKind, question: Question, dataset: Dataset) -> NDArray[np.bool_] | None:
    """Return the compared genes whose values are scaled, bool (k,), in a matrix of several kinds, else None."""
    if not kind.scaled:
        return None
    positions = question.positions(dataset)
    return kind.is_scaled(np.arange(len(question.names(dataset))) if positions is None else positions)


def fold_of(
    a: Summary, b: Summary, kind: ValueKind, question: Question, scaled: NDArray[np.bool_] | None
) -> Floats:  # fmt: skip
    """Return log2 fold changes, NaN for scaled values."""
    if kind.kind == "scaled":
        return np.full(a.mean.shape, np.nan)
    found = log2_fold(a, b, question.fold)
    return found if scaled is None else np.where(scaled, np.nan, found)


def describe_fold(dataset: Dataset, question: Question, kind: ValueKind) -> list[str]:
    """Return the note on the definition of the fold change, or why there is none."""
    if kind.kind == "scaled":
        other = unscaled_layer(dataset, question.layer)
        where = f"layer={other!r}, the values before they were scaled" if other else "a layer of log1p values or counts"
        return [
            "log2fc is NaN: scaled values have no fold change, because 0 does not mean no expression. Compare in "
            f"{where}. share_a and share_b are shares of values above 0."
        ]
    notes = [f"log2fc ({question.fold}'s definition): {FORMULAS[question.fold]}."]
    if kind.scaled:
        n = sum(stop - start for start, stop in kind.scaled)
        notes.append(f"log2fc is NaN for {dataset.var_noun.counted(n)} whose values are scaled.")
    if question.normalize is None and kind.kind in ("counts", "linear"):
        what = "counts" if kind.kind == "counts" else "values that are not logarithms"
        notes.append(
            f"log2fc assumes log1p values, but these are {what}, so it is not a fold change. "
            "Use normalize='log1p_10k' to compare log1p of counts per 10,000."
        )
    return notes


def _of_genes(dataset: Dataset, sets: tuple[Summary, Summary], tested: Tested) -> list[str]:
    noun, cells = dataset.var_noun, dataset.obs_noun
    notes = []
    n_missing = count_missing(sets)
    if n_missing:
        notes.append(
            f"{capitalized(noun.counted(n_missing))} not measured in all {cells.many}; n_a and n_b count those."
        )
    n_untested = _count(np.isnan(tested.statistic))
    if n_untested:
        notes.append(
            f"{noun.counted(n_untested)} cannot be tested (all values equal, or too few {cells.many}): "
            "statistic and p are NaN, and p_adj of the others treats them as p = 1."
        )
    n_same = _count(np.isinf(tested.statistic))
    if n_same:
        notes.append(f"{noun.counted(n_same)} have one value in a and another in b: t is infinite and p is 0.")
    n_tiny = _count((tested.p < TINY) & np.isfinite(tested.statistic))
    if n_tiny:
        notes.append(f"p of {noun.counted(n_tiny)} is below 1e-300; see `.log10_p`.")
    return notes


def count_missing(sets: tuple[Summary, Summary]) -> int:
    """Count the genes that were measured in fewer cells than others."""
    a, b = sets
    return _count((a.n < a.n.max(initial=0)) | (b.n < b.n.max(initial=0)))


def _count(which: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(which))


Adjust = Literal["benjamini-hochberg", "bonferroni"]
ROW = Noun("row", "rows")
REST = "the rest"
"""Name of all other cells as the set b."""
FEWER_GENES = "genes=[...], or more memory for the kernel"
_ADJUST = {"benjamini-hochberg": benjamini_hochberg, "bonferroni": bonferroni}


@dataclass(frozen=True, repr=False)
class Comparison:
    """Two sets of cells compared gene by gene.

    Attributes
    ----------
    description : one sentence on what was compared, and how
    notes : sentences on the values, the definitions of the numbers, and their limits
    sets : names of a and b

    Examples
    --------
    >>> found = w.compare({"cell_type": "NK cell"})
    >>> found.frame().columns[:3].tolist()
    ['mean_a', 'mean_b', 'n_a']
    >>> found.sets
    ('cell_type NK cell', 'the rest')
    """

    description: str
    notes: tuple[str, ...]
    _names: pd.Index
    _a: Summary
    _b: Summary
    _log2fc: Floats
    _tested: Tested
    _auc: Floats
    _u: Floats
    _p_adj: Floats | None = None
    _cells: Callable[[], tuple[CellSet, CellSet]] | None = None
    _question: Question | None = None
    _form: Form | None = None
    sets: tuple[str, str] = ("a", "b")

    @property
    def background(self) -> CellSet | None:
        """The cells of b as a set, to store by `w.sets["name"] = found.background`; None for a group of a column.

        Examples
        --------
        >>> found = w.markers(against="neighborhood")
        >>> w.sets["around"] = found.background
        """
        return None if self._cells is None else self._cells()[1]

    def with_note(self, note: str) -> Comparison:
        """Return a copy with one more note."""
        return replace(self, notes=(*self.notes, note))

    def among(self, cells: str) -> Comparison:
        """Return a copy with a sentence on which cells counted."""
        return replace(self, description=f"{self.description}; among {cells}")

    def in_form(self, form: Form) -> Comparison:
        """Return a copy with another default type of its tables."""
        return replace(self, _form=form)

    def frame(self, adjust: Adjust | None = None, form: Form | None = None) -> Any:
        """Return the table, a row per gene, highest statistic first and NaN last.

        Parameters
        ----------
        adjust : adjustment of `p_adj`: "benjamini-hochberg" or "bonferroni"; None = default of the method, which is
            Benjamini and Hochberg's, except for "explorer" (Bonferroni over all genes of the store) and "deseq2" (its
            own)
        form : "pandas", "polars" or "arrow" (a pyarrow.Table); the last two have the index as their first column. None
            = the type of the table that the widget shows, else "pandas"

        Returns
        -------
        DataFrame indexed by var name, which may not be unique, with the columns

        - `mean_a`, `mean_b` : means of the tested values
        - `n_a`, `n_b` : int64, number of cells in which the gene was measured
        - `share_a`, `share_b` : share of these with a value above 0
        - `log2fc` : log2 fold change, positive if higher in a
        - `statistic` : t or z, positive if higher in a
        - `p`, `p_adj` : two-sided p-value, and adjusted
        - `auc` : NaN without a rank test

        `frame.attrs["notes"]` holds the notes.

        Examples
        --------
        >>> found = w.compare({"cell_type": "NK cell"})
        >>> found.frame(adjust="bonferroni")["p_adj"].max().item()
        1.0
        """
        return in_form(self._table(adjust), form or self._form)

    def _table(self, adjust: Adjust | None = None) -> pd.DataFrame:
        """Return the table of `frame` as a pandas DataFrame."""
        import pandas as pd

        with shortage_in_words("frame()", ROW, len(self), FEWER_GENES):
            frame = pd.DataFrame(self._columns(adjust), index=self._names).iloc[self._order]
        frame.attrs["notes"] = list(self.notes)
        return frame

    def _columns(self, adjust: Adjust | None) -> dict[str, NDArray[Any]]:
        """Return the columns of `frame`, in the order of the genes."""
        a, b, tested = self._a, self._b, self._tested
        return {
            "mean_a": a.mean, "mean_b": b.mean, "n_a": a.n.astype(np.int64), "n_b": b.n.astype(np.int64),
            "share_a": a.share, "share_b": b.share, "log2fc": self._log2fc, "statistic": tested.statistic,
            "p": tested.p, "p_adj": self._adjusted(adjust), "auc": self._auc,
        }  # fmt: skip

    @property
    def log10_p(self) -> pd.Series:
        """Decimal logarithm of p in the order of `frame()`, also for a p that underflows to 0.

        Examples
        --------
        >>> found = w.compare({"cell_type": "NK cell"})
        >>> found.log10_p.shape == (len(found.frame()),)
        True
        """
        return self._series(self._tested.log10_p, "log10_p")

    @property
    def u(self) -> pd.Series:
        """Mann and Whitney's U of a in the order of `frame()`; NaN without a rank test.

        Examples
        --------
        >>> found = w.compare({"cell_type": "NK cell"})
        >>> found.u.shape == (len(found.frame()),)
        True
        """
        return self._series(self._u, "u")

    def to_csv(self, path: str | Path, adjust: Adjust | None = None) -> None:
        """Write the table to a .csv file; names that a spreadsheet would run as formulas are escaped.

        Parameters
        ----------
        path : of the file; an existing one is replaced
        adjust : how `p_adj` corrects, as in `frame`

        Raises
        ------
        TargetNotWritten
            If the file cannot be written; an existing one stays as it was.

        Examples
        --------
        >>> w.compare({"cell_type": "NK cell"}).to_csv("nk.csv")
        """
        write_csv(path, [csv_text(self._table(adjust))])

    def to_scanpy(self, adata: Any, key: str = "rank_genes_groups", groupby: str | None = None) -> None:
        """Write the table into `adata.uns[key]`, where scanpy's plots and `sc.get` read it.

        It is one group with the name of a in `sets`. Genes that cannot be tested have a score of 0 and p = 1, as scanpy
        writes them. `pts` are the shares of cells with a value above 0. Nothing else of `adata` changes.

        Parameters
        ----------
        adata : AnnData that has the genes by their names
        key : entry of `uns` to write
        groupby : column of `adata.obs` to write, with the set of each cell, which dot plots, heatmaps and violins of
            scanpy need; None = no column, so that only `sc.get.rank_genes_groups_df` and `sc.pl.rank_genes_groups` work

        Raises
        ------
        InvalidValue
            If `adata` is not an AnnData, or lacks a gene or a cell, nothing could be tested, or obs has another column
            of that name.

        Examples
        --------
        >>> found = w.compare({"cell_type": "NK cell"})  # doctest: +SKIP
        >>> found.to_scanpy(adata, groupby="NK or not")  # doctest: +SKIP
        >>> sc.pl.rank_genes_groups_dotplot(adata)  # doctest: +SKIP
        """
        from cxg_widget.compare.scanpy_layout import check_target, write_ranked, write_sets

        # Two polygons are both called "a polygon".
        a, b = self.sets if self.sets[0] != self.sets[1] else ("a", "b")
        if groupby is not None and self._cells is not None:
            check_target(adata, key, self._names, self._question)
            write_sets(adata, groupby, (a, b), self._cells())
        write_ranked(adata, key, groupby or f"{a} / {b}", [(a, self)], None if b == REST else b)

    @property
    def _log10_p_adj(self) -> Floats:
        """Decimal logarithm of `p_adj`, float64 (n_var,) in the order of `_names`, also where that underflows."""
        p_adj = self._adjusted(None)
        with np.errstate(divide="ignore"):
            found: Floats = np.log10(p_adj)
        # An adjusted p that underflows still has a place in the volcano plot (decision 65).
        return np.where(p_adj < TINY, self._adjusted_log10(), found)

    def _adjusted_log10(self) -> Floats:
        """Return adjusted logarithms of p far below 1, over the same genes as `p_adj`."""
        log10_p = self._tested.log10_p
        left_out = np.isnan(log10_p) if self._p_adj is None else np.isnan(self._p_adj)
        return benjamini_hochberg_log10(np.where(left_out, 0.0 if self._p_adj is None else np.nan, log10_p))

    def _adjusted(self, how: Adjust | None) -> Floats:
        if how is None and self._p_adj is not None:
            return self._p_adj
        return _adjusted(self._tested.p, how or "benjamini-hochberg")

    @property
    def _order(self) -> NDArray[np.int64]:
        return np.argsort(-self._tested.statistic, kind="stable")  # NaN comes last

    def _series(self, values: Floats, name: str) -> pd.Series:
        import pandas as pd

        with shortage_in_words(name, ROW, len(self), FEWER_GENES):
            return pd.Series(values, index=self._names, name=name).iloc[self._order]

    def __len__(self) -> int:
        """Return the number of genes."""
        return len(self._names)

    def __repr__(self) -> str:
        return "\n".join([f"<{self.description}>", *(f"  {note}" for note in self.notes)])


def _adjusted(p: Floats, how: str) -> Floats:
    """Adjust p; a gene without one counts as p = 1, as in scanpy."""
    if how not in _ADJUST:
        raise InvalidValue(not_found("way to adjust p", how, _ADJUST, "frame()"))
    return np.where(np.isnan(p), np.nan, _ADJUST[how](np.where(np.isnan(p), 1.0, p)))
