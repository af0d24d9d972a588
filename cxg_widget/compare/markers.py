"""Compares the cells of each category of a column with all others, or with those of one category."""
# Changes with cxg_widget/compare/question.py: options of markers.

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.group_comparisons import LEAST_CELLS, GroupComparisons
from cxg_widget.compare.matrix_statistics import Gathered, MatrixStats, ValueKind
from cxg_widget.compare.moments import Floats
from cxg_widget.compare.question import METHODS, Question, scan
from cxg_widget.compare.result import (
    FEWER_GENES,
    REST,
    ROW,
    Adjust,
    Comparison,
    describe_donors,
    describe_fold,
    describe_values,
    scaled_genes,
)
from cxg_widget.compute.memory import available_bytes, shortage_in_words
from cxg_widget.datasets.base.contract import Form
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError, UnknownName
from cxg_widget.table.csv import csv_text, write_csv
from cxg_widget.table.forms import in_form
from cxg_widget.text.names import label_among, label_of, not_found, shown
from cxg_widget.text.nouns import capitalized
from cxg_widget.text.numbers import byte_size
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    import pandas as pd


class Markers(Mapping[Any, Comparison]):
    """The comparisons of each group of a column with other cells; `markers[value]` is that of one group.

    Parameters
    ----------
    description : one sentence on what was compared, and how
    notes : sentences on the values, the definitions of the numbers, and their limits
    compared : comparison of each category, in their order, made when it is requested
    column : obs column
    form : default type of its tables

    Examples
    --------
    >>> found = w.markers(by="cell_type")
    >>> found["NK cell"].frame().index[0]
    'SYNG00000000105'
    """

    def __init__(
        self, description: str, notes: tuple[str, ...], compared: Mapping[Any, Comparison], column: str,
        form: Form | None = None,
    ) -> None:  # fmt: skip
        self.description, self.notes = description, notes
        self._compared, self._column, self._form, self._cells = compared, column, form, ""

    @property
    def n_cells(self) -> dict[str, int]:
        """Number of cells of each group; of a matrix with gaps, those in which most genes were measured.

        Examples
        --------
        >>> w.markers(by="cell_type").n_cells["NK cell"]
        80
        """
        return {str(group): int(one._a.n.max(initial=0)) for group, one in self._compared.items()}

    def with_note(self, note: str) -> Markers:
        """Return a copy with one more note."""
        return self._with(notes=(*self.notes, note))

    def among(self, cells: str) -> Markers:
        """Return a copy with sentences on which cells counted."""
        return self._with(description=f"{self.description}; among {cells}", _cells=cells)

    def in_form(self, form: Form) -> Markers:
        """Return a copy with another default type of its tables."""
        return self._with(_form=form)

    def _with(self, **changes: object) -> Markers:
        found = copy(self)
        vars(found).update(changes)
        return found

    def frame(self, adjust: Adjust | None = None, form: Form | None = None) -> Any:
        """Return the tables of all groups below each other, in each the highest statistic first and NaN last.

        Parameters
        ----------
        adjust : adjustment of the p-values of each group: "benjamini-hochberg" (default), or "bonferroni"
        form : as in `Comparison.frame`

        Returns
        -------
        DataFrame indexed by `group` and var name, with the columns of `Comparison.frame`: a is the group, b all other
        cells, or the reference. `frame.loc[value]` is the table of one group; `frame.attrs["notes"]` holds the notes.

        Examples
        --------
        >>> list(w.markers(by="condition").frame().index.names)
        ['group', 'gene']
        """
        return in_form(self._table(adjust), form or self._form)

    def _table(self, adjust: Adjust | None = None) -> pd.DataFrame:
        """Return the tables of `frame` as a pandas DataFrame."""
        import pandas as pd

        with shortage_in_words("frame()", ROW, self._n_rows, FEWER_GENES):
            columns, index = self._below_each_other(lambda one: one._columns(adjust))
            # One array per column, not one of all, which would take a copy.
            frame = pd.DataFrame(columns, index=index, copy=False)
        frame.attrs["notes"] = list(self.notes)
        return frame

    @property
    def log10_p(self) -> pd.Series:
        """Decimal logarithm of p in the order of `frame()`, also for a p that underflows to 0.

        Examples
        --------
        >>> found = w.markers(by="cell_type")
        >>> found.log10_p.shape == (len(found.frame()),)
        True
        """
        return self._series("log10_p", lambda one: one._tested.log10_p)

    @property
    def u(self) -> pd.Series:
        """Mann and Whitney's U of each group in the order of `frame()`; NaN without a rank test.

        Examples
        --------
        >>> found = w.markers(by="cell_type")
        >>> found.u.shape == (len(found.frame()),)
        True
        """
        return self._series("u", lambda one: one._u)

    def to_csv(self, path: str | Path, adjust: Adjust | None = None) -> None:
        """Write the table to a file; parameters and errors as in `Comparison.to_csv`.

        Examples
        --------
        >>> w.markers(by="condition").to_csv("markers.csv")
        """
        flat = self._table(adjust).reset_index(level=1, allow_duplicates=True)  # a var may have the name of a column
        write_csv(path, [csv_text(flat)])

    def to_scanpy(self, adata: Any, key: str = "rank_genes_groups") -> None:
        """Write the tables into `adata.uns[key]`, where scanpy's plots and `sc.get` read them.

        Genes that cannot be tested have a score of 0 and p = 1, as scanpy writes them. Groups without any test are left
        out. `pts` are the shares of cells with a value above 0. Nothing else of `adata` changes. A warning says if its
        obs lacks the column of the groups, which dot plots, heatmaps and violins need.

        Raises
        ------
        InvalidValue
            If `adata` is not an AnnData, or lacks a gene, or nothing could be tested.

        Examples
        --------
        >>> w.markers(by="cell_type").to_scanpy(adata)  # doctest: +SKIP
        >>> sc.pl.rank_genes_groups_dotplot(adata)  # doctest: +SKIP
        """
        from cxg_widget.compare.scanpy_layout import write_ranked

        rest = next(iter(self._compared.values())).sets[1]
        groups = ((one.sets[0], one) for one in self._compared.values())
        write_ranked(adata, key, self._column, groups, None if rest == REST else rest)
        if self._column not in adata.obs:
            warn_caller(
                f"adata.obs has no column {shown(self._column)}, by which dot plots, heatmaps and violins of scanpy "
                "group cells; sc.get.rank_genes_groups_df and sc.pl.rank_genes_groups need none."
            )

    def _series(self, name: str, values_of: Callable[[Comparison], Floats]) -> pd.Series:
        import pandas as pd

        with shortage_in_words(name, ROW, self._n_rows, FEWER_GENES):
            columns, index = self._below_each_other(lambda one: {name: values_of(one)})
            return pd.Series(columns[name], index=index, name=name, copy=False)

    @property
    def _n_rows(self) -> int:
        return len(self) * len(next(iter(self._compared.values()), ()))

    def _below_each_other(
        self, columns_of: Callable[[Comparison], dict[str, NDArray[Any]]]
    ) -> tuple[dict[str, NDArray[Any]], pd.MultiIndex]:
        """Return columns of all groups in the order of their tables, and the index of the rows.

        Each group is made, copied from and dropped: those of 2,000 groups take more memory than the table.
        """
        import pandas as pd

        found: dict[str, NDArray[Any]] = {}
        at, genes = 0, np.empty(0, dtype=np.int32)
        for one in self._compared.values():
            order = one._order
            if not found:
                names: pd.Index = one._names
                known, distinct = pd.factorize(names)
                genes = np.empty(self._n_rows, dtype=known.dtype)
            rows = slice(at, at + len(order))
            for name, values in columns_of(one).items():
                if name not in found:
                    found[name] = np.empty(self._n_rows, dtype=values.dtype)
                found[name][rows] = values[order]
            genes[rows] = known[order]
            at = rows.stop
        groups = np.repeat(np.arange(len(self), dtype=np.int32), len(names))
        levels: Any = [pd.Index(list(self._compared)), distinct]
        both: Any = [groups, genes]
        # `pd.MultiIndex.from_tuples` would make a tuple for each of millions of rows. Names may occur twice.
        return found, pd.MultiIndex(levels, both, names=["group", names.name], verify_integrity=False)

    def __getitem__(self, group: Any) -> Comparison:
        """Return the comparison of one group, with the notes of all."""
        if not isinstance(group, Hashable) or group not in self._compared:
            raise UnknownName(not_found("group", group, map(str, self._compared), "this table"))
        found: Comparison = replace(self._compared[group], _form=self._form)
        if self._cells:
            found = found.among(self._cells)
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


_MOST_NAMED = 5
MOST_RESULTS = 2**24
"""Genes times groups that are always allowed; more are if there is memory for them."""
_RESULT_BYTES = 160
"""Memory of a gene in a group, with its row of the table, 92 bytes."""
# A sort key has 16 bits for the group; one value is for cells without a group.
_MOST_GROUPS = 2**16 - 2


def compare_groups(
    matrix: MatrixStats, column: str, question: Question, within: NDArray[np.bool_] | None = None,
    reference: Any = None,
) -> Markers:  # fmt: skip
    """Compare the cells of each category of a column with all other cells, including those without a category.

    Categories without cells are left out. Those of one cell have rows without test results.

    column : obs column of categories, texts, integers or booleans
    within : bool (n_obs,), the cells that count; None = all
    reference : category whose cells each other category is compared with; None = all other cells

    Raises
    ------
    UnknownName, InvalidValue, InvalidStore, DamagedStore, Cancelled
        As `question.compare`, and if there is no such column, it holds floats, or there are too many groups.
    InvalidOption
        If the method only takes two sets.
    SelectionError
        If there are fewer than two groups, or the reference has too few cells.
    """
    able = [name for name, method in METHODS.items() if method.takes_groups]
    if question.method in METHODS and question.method not in able:
        raise InvalidOption(not_found("method", question.method, able, "markers(by=...)"))
    matrix.check(question)
    values, n_cells, grouping = _groups_of(matrix, column, within)
    if reference is not None:
        grouping = _against(reference, grouping, values, n_cells, matrix.dataset)
    _check_size(column, len(values), len(question.names(matrix.dataset)), matrix.dataset)
    kind, found = scan(matrix, grouping, question)
    n_all = matrix.dataset.n_obs if within is None else int(np.count_nonzero(within))
    return _markers(matrix.dataset, found, kind, question, (grouping, values, n_cells, n_all))


def _groups_of(
    matrix: MatrixStats, column: str, within: NDArray[np.bool_] | None
) -> tuple[list[object], NDArray[np.int64], Grouping]:
    """Return the categories with cells, their numbers of cells, and the groups, with that of no category last."""
    dataset = matrix.dataset
    categories, (n,) = matrix.category_counts(column, [within])
    n_all = dataset.n_obs if within is None else int(np.count_nonzero(within))
    k, n_without = len(categories), n_all - int(n.sum())
    present = np.flatnonzero(n)
    if not present.size or max(int(n.max()), n_without) == n_all:
        n_one = dataset.obs_noun.counted(n_all)
        raise SelectionError(
            f"obs column {column!r} has {'no values' if not present.size else 'one value'} in all {n_one}; "
            "markers(by=...) compares each value with the rest, and takes a column of two or more."
        )
    slots = np.full((1, k + 1), len(present) if n_without else -1, dtype=np.int32)
    slots[0, present] = np.arange(len(present))
    sides = () if within is None else (within,)
    table = slots if within is None else np.vstack([slots, np.full_like(slots, -1)])
    return [categories[at] for at in present], n[present], Grouping(table, sides, column)


def _against(
    reference: Any, grouping: Grouping, values: Sequence[object], n_cells: NDArray[np.int64], dataset: Dataset
) -> Grouping:
    """Return the groups without that of cells without a category, and the index of the reference."""
    labels = [label_of(value) for value in values]
    label = label_among(reference, labels)
    if label not in labels:
        raise UnknownName(not_found("value", label, labels, f"obs column {shown(grouping.column)}"))
    at = labels.index(label)
    if n_cells[at] < LEAST_CELLS or len(values) < LEAST_CELLS:
        n = dataset.obs_noun.counted(int(n_cells[at]))
        what = f"has {n}; it needs {LEAST_CELLS} or more" if n_cells[at] < LEAST_CELLS else "is the only value"
        raise SelectionError(f"reference={shown(reference)} of obs column {shown(grouping.column)} {what}.")
    table = grouping.table.copy()
    table[:, -1] = -1
    return replace(grouping, table=table, reference=at)


def _check_size(column: str, n_groups: int, n_var: int, dataset: Dataset) -> None:
    has, many = f"obs column {shown(column)} has {n_groups:,} values", dataset.var_noun.many
    if n_groups > _MOST_GROUPS:
        raise InvalidValue(f"{has}; markers(by=...) compares each value of a column with at most {_MOST_GROUPS:,}.")
    n, most = n_groups * n_var, max(MOST_RESULTS, (available_bytes() or 0) // _RESULT_BYTES)
    if n > most:
        raise InvalidValue(
            f"{has}, and {dataset.var_noun.counted(n_var)} would be compared for each: {n:,} rows, which take about "
            f"{byte_size(n * _RESULT_BYTES)} of memory and do not fit. markers(by={shown(column)}, genes=[...]) fits "
            f"with at most {max(most // n_groups, 1):,} {many}."
        )


def _markers(
    dataset: Dataset, found: Gathered, kind: ValueKind, question: Question,
    by: tuple[Grouping, list[object], NDArray[np.int64], int],
) -> Markers:  # fmt: skip
    grouping, values, n_cells, n_all = by
    against, names, obs = grouping.reference, question.names(dataset), dataset.obs_noun
    column = grouping.column or ""
    rest = REST if against is None else str(values[against])
    n_others = n_all - n_cells if against is None else np.full_like(n_cells, n_cells[against])
    made = GroupComparisons(
        values, n_cells, n_others, found, against, rest, question, names, kind,
        scaled_genes(kind, question, dataset), dataset.obs_noun,
    )  # fmt: skip
    b_of_all = f"{REST} of {obs.counted(n_all)}" if against is None else f"{rest} ({obs.counted(int(n_others[0]))})"
    description = f"each of {len(made):,} values of obs column {column!r} compared with {b_of_all} "
    description += f"by {dataset.var_noun.counted(len(names))}: "
    description += f"{question.title}, log2 fold change ({question.fold}'s definition)"
    left = n_all - int(n_cells.sum()) if against is None else rest
    notes = _notes_of(dataset, question, kind, made, left)
    return Markers(description, notes, made, column)


def _notes_of(
    dataset: Dataset,
    question: Question,
    kind: ValueKind,
    made: GroupComparisons,
    rest: int | str,
) -> tuple[str, ...]:
    """Return the notes on groups that were each compared with the rest, or with a reference.

    rest : number of cells without a category, or the reference
    """
    few = made.too_few
    n_without = rest if isinstance(rest, int) else 0
    notes = [*describe_values(dataset, question, kind), *describe_fold(dataset, question, kind)]
    many, obs = dataset.var_noun.many, dataset.obs_noun
    if n_without:
        notes.append(
            f"{capitalized(obs.counted(n_without))} without a value form no group, but are in the rest of each group."
        )
    if few:
        named = ", ".join(shown(one) for one in few[:_MOST_NAMED]) + (", ..." if len(few) > _MOST_NAMED else "")
        how = f"one {obs.one} or all but one" if isinstance(rest, int) else f"one {obs.one}"
        notes.append(f"Not tested, because they have {how}: {named}. Their test results are NaN.")
    n_untested, n_tiny = made.count_rows()
    if n_untested:
        of_others = " of other values" if few else ""
        notes.append(
            f"{n_untested:,} rows{of_others} cannot be tested (all values equal, or too few {obs.many}): "
            "statistic and p are NaN, and p_adj of the others treats them as p = 1."
        )
    if n_tiny:
        notes.append(f"p of {n_tiny:,} rows is below 1e-300; see `.log10_p`.")
    is_rest = isinstance(rest, int)
    b = f"The rest of a group is all other {obs.many}." if is_rest else f"b is {shown(rest)} alone, for each group."
    notes.append(f"p_adj adjusts over the {many} of one group. {b}")
    return (*notes, describe_donors(dataset))
