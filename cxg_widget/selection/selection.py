"""The selection: combining masks, and the selected cells as rows, tables and AnnData."""
# Changes with js/src/plot/lasso.js and cxg_widget/rules/combining.py: modes of a selection.
# Changes with js/src/plot/overlay.js and cxg_widget/wire/messages/message.py: modes of a selection.
# Changes with js/src/state/actions.js: modes of a selection.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compute.memory import shortage_in_words
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.datasets.base.tables import as_names
from cxg_widget.display.color_target import NO_SETS, OwnSets, Target, read, resolve
from cxg_widget.display.settings import own_copy
from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from cxg_widget.rules.by_value import mask_of_values, meant_by
from cxg_widget.rules.rule import mask_of as mask_of_rule
from cxg_widget.rules.rule import may_change, packed_rule
from cxg_widget.text.names import not_found, text_of
from cxg_widget.wire.protocol import Mode

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.rules.forms import Rule


class SelectedCells:
    """The cells selected at one moment. Later gestures and filters do not change it.

    Parameters
    ----------
    rule : rule that finds the cells again; None = only the rows are known
    cells_within : returns the cells of an argument `within=` in the widget, bool (n_obs,), None = all; None = the
        selection belongs to no widget

    Examples
    --------
    >>> len(w.selection)
    80
    >>> w.selection.mask.dtype, w.selection.rows.dtype
    (dtype('bool'), dtype('int64'))
    """

    _cells_within: Callable[[Any], NDArray[np.bool_] | None] | None = None

    def __init__(
        self, dataset: Dataset, mask: NDArray[np.bool_], layer: str | None = None, rule: Rule | None = None,
        gene_sets: OwnSets = NO_SETS, *, cells_within: Callable[[Any], NDArray[np.bool_] | None] | None = None,
    ) -> None:  # fmt: skip
        self._dataset, self._layer, self._rule, self._gene_sets = dataset, layer, rule, gene_sets
        self._cells_within = cells_within
        self._mask = mask.view()
        self._mask.flags.writeable = False

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Mask of the selected cells, bool (n_obs,), read-only.

        Examples
        --------
        >>> int(w.selection.mask.sum())
        80
        """
        return self._mask

    @property
    def rule(self) -> Rule:
        """A copy of the rule that finds the same cells again, as `w.sets.apply` takes it.

        Cells given by a mask, rows or labels, or by an annotation, whose labels may change, have packed rows as their
        rule; it fits only this dataset.

        Examples
        --------
        >>> w.selection.rule
        {'obs': 'cell_type', 'in': ['NK cell']}
        """
        rule, dataset = self._rule, self._dataset
        if rule is None or may_change(rule, dataset):
            return packed_rule(self.mask, dataset)
        copied: Rule = own_copy(rule)
        return copied

    def is_of(self, dataset: Dataset) -> bool:
        """Return whether the mask is of this open dataset, and not of another one."""
        return dataset.is_open_as(self._dataset)

    def found_in(self, dataset: Dataset) -> SelectedCells:
        """Return the cells in a dataset; if it is another one than theirs, they are found by the rule.

        Raises
        ------
        UnknownName, InvalidValue, SelectionError
            If the rule does not fit that dataset, as in `rules.rule.mask_of`.
        """
        if self.is_of(dataset):
            return self
        rule = self.rule
        return SelectedCells(dataset, mask_of_rule(rule, dataset), rule=None if "rows" in rule else rule)

    def __len__(self) -> int:
        """Return the number of selected cells."""
        return int(np.count_nonzero(self.mask))

    @property
    def rows(self) -> NDArray[np.int64]:
        """Selected rows, int64, ascending.

        Examples
        --------
        >>> len(w.selection.rows)
        80
        """
        return np.flatnonzero(self.mask).astype(np.int64, copy=False)

    def obs(self, columns: Sequence[str] | str | None = None, *, within: Any = None) -> pd.DataFrame:
        """Return obs columns, genes and gene sets of the selected cells, in row order, indexed by the obs index.

        Parameters
        ----------
        columns : names as the trait `color` takes them; an obs column takes precedence over a gene of the same name,
            "obs:", "var:" and "set:" force one; None = all obs columns
        within : keep only some of the selected cells: "filter" = those that pass the filters now, or cells as
            `w.compare` takes them; None = all. Only for `w.selection`

        Returns
        -------
        DataFrame with a column per name, under the requested name. Genes, and means of gene sets, are float32, from the
        layer that the plot showed when the cells were selected

        Raises
        ------
        UnknownName
            If there is no such column, gene or gene set; the sentence names the nearest.
        SelectionError, InvalidValue
            If `within` has no cells, or this is not `w.selection`.

        Examples
        --------
        >>> w.selection.obs(["donor", "CD3E"]).shape
        (80, 2)
        """
        if within is not None:
            return self._restricted(within).obs(columns)
        with shortage_in_words("obs()", self._dataset.obs_noun, len(self)):
            return self._obs(columns)

    def frame(self, columns: Sequence[str] | str | None = None, *, within: Any = None) -> Any:
        """Return the selected rows of a table, in row order, in the type of the source.

        A DataFrame of pandas or polars, a pyarrow.Table or a dict of arrays gives the same type, with unchanged types
        of columns. Other objects that export Arrow, .parquet and .arrow give a pyarrow.Table, .csv a pandas DataFrame.
        Other stores give `obs(columns)`.

        Parameters
        ----------
        columns : names of columns of the table; None = all
        within : as in `obs`

        Raises
        ------
        UnknownName
            If there is no such column.
        SelectionError, InvalidValue
            If `within` has no cells, or this is not `w.selection`.

        Examples
        --------
        >>> import polars
        >>> w = CxgWidget(polars.DataFrame({"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 2.0]}))
        >>> w.select("x > 0").frame().shape
        (2, 2)
        """
        if within is not None:
            return self._restricted(within).frame(columns)
        with shortage_in_words("frame()", self._dataset.obs_noun, len(self)):
            return self._dataset.frame(self.rows, columns)

    def _obs(self, columns: Sequence[str] | str | None) -> pd.DataFrame:
        if columns is None:
            return self._dataset.obs(rows=self.rows)
        names = as_names(columns)
        for name in names:
            if not isinstance(name, str):
                raise UnknownName(not_found("obs column", name, self._dataset.obs_columns))
        targets = {name: self._target(name) for name in names}
        if all(one == Target("obs", name) for name, one in targets.items()):
            return self._dataset.obs(names, rows=self.rows)
        of_obs = [one.name for one in targets.values() if one.source == "obs"]
        frame, numbers = self._dataset.obs(of_obs, rows=self.rows), self._numbers(targets)
        columns_found = {name: numbers[name] if name in numbers else frame[targets[name].name] for name in names}
        return type(frame)(columns_found, index=frame.index)

    def _restricted(self, within: Any) -> SelectedCells:
        if self._cells_within is None:
            raise InvalidValue(
                "within= works in w.selection.obs() only; for a set: w.select(w.sets['a'], within='filter').obs()"
            )
        mask = self._cells_within(within)
        return SelectedCells(self._dataset, self.mask if mask is None else self.mask & mask, self._layer,
                             gene_sets=self._gene_sets)  # fmt: skip

    def _target(self, name: str) -> Target:
        if name == self._dataset.obs_index:
            return Target("obs", name)
        if not isinstance(name, str) or not name:
            raise UnknownName(not_found("obs column", name, self._dataset.obs_columns))
        return resolve(name, self._dataset, self._layer, self._gene_sets)

    def _numbers(self, targets: Mapping[str, Target]) -> dict[str, NDArray[np.float32]]:
        """Return genes and means of gene sets, float32 (len(self),) each; several genes are read in one pass."""
        dataset, layer, rows = self._dataset, self._layer, self.rows
        genes = {name: one.name for name, one in targets.items() if one.source == "var"}
        vectors = zip(genes, dataset.vectors(list(genes.values()), layer), strict=True)
        found = {name: vector.take(rows).dense(rows.size) for name, vector in vectors}
        for name, one in targets.items():
            if one.source == "set":
                mean = read(one, dataset, layer)
                assert isinstance(mean, Vector)
                found[name] = mean.take(rows).dense(rows.size)
        return found

    def to_anndata(self, *, layers: bool | Sequence[str] | None = None) -> Any:
        """Return the selected cells as AnnData: a view if the widget shows an AnnData object, else a new object.

        A view has everything that the object has. A new object has obs, var, the embeddings, and X as CSR of float32,
        but not the rest of the store, such as `uns`. It needs the package anndata.

        Parameters
        ----------
        layers : True = with all layers, each as CSR of float32, and raw as `.raw`; a list of names = with these; False
            = without layers; None = without, and warn which were left out

        Raises
        ------
        MissingDependency
            If the source is a store and anndata is not installed.
        UnknownName, InvalidValue
            If there is no such layer, or `layers` has another type.

        Examples
        --------
        >>> adata = w.selection.to_anndata(layers=True)  # doctest: +SKIP
        """
        from cxg_widget.datasets.anndata.export import subset

        return subset(self._dataset, self.mask, layers)

    def __repr__(self) -> str:
        return f"<{len(self):,} of {self._dataset.obs_noun.counted(self.mask.size)} selected>"


def combine(old: NDArray[np.bool_], new: NDArray[np.bool_], mode: Mode) -> NDArray[np.bool_]:
    """Combine two masks into a new one: replace = new, add = or, subtract = old and not new, intersect = and."""
    if mode == "replace":
        return new.copy()
    if mode == "add":
        return old | new
    if mode == "subtract":
        return old & ~new
    if mode == "intersect":
        return old & new
    raise InvalidValue(not_found("selection mode", mode, get_args(Mode), "select()"))


def is_table(what: Any) -> bool:
    """Return whether a value has rows and columns, as corners of a polygon have; a mask has not."""
    try:
        array = np.asarray(what)
    except ValueError:  # lists of different lengths
        return False
    return array.ndim == 2 and array.dtype != np.bool_


def mask_of(what: Any, dataset: Dataset) -> NDArray[np.bool_]:
    """Turn a boolean mask, row positions, obs index labels or values of columns into a mask, bool (n_obs,).

    A boolean pandas Series is aligned by its index if that holds obs labels, as pandas does. A dict is read by
    `mask_of_values`. Cells of another dataset are found by their rule.

    Raises
    ------
    SelectionError
        If the length, a position or a label does not fit the dataset.
    UnknownName
        If the rule of cells uses a name that the dataset lacks.
    """
    if isinstance(what, Mapping):
        return mask_of_values(what, dataset)
    if isinstance(what, SelectedCells):
        what = what.found_in(dataset).mask
    elif hasattr(what, "columns") and hasattr(what, "index"):
        raise SelectionError(f"a DataFrame selects no {dataset.obs_noun.many}; pass its index: select(frame.index)")
    elif isinstance(what, str):
        what = [what]
    elif isinstance(what, set | frozenset):
        what = list(what)
    try:
        array = np.asarray(what)
    except ValueError:
        raise SelectionError("a selection must be one list of values; found lists of several lengths") from None
    if array.ndim != 1:
        raise SelectionError(f"a selection must be one-dimensional; found shape {array.shape}")
    if array.size == 0 and array.dtype != np.bool_:
        return np.zeros(dataset.n_obs, dtype=np.bool_)
    if array.dtype == np.bool_:
        return _from_booleans(what, array, dataset)
    if array.dtype.kind in "iu":
        return mask_of_rows(array, dataset.n_obs)
    if array.dtype.kind in "OUST":
        return _from_labels([text_of(label) for label in array], dataset)
    raise SelectionError(
        f"cannot select by {array.dtype} values; give a mask, rows, labels, {{column: value}}, a polygon or a query"
    )


def _from_booleans(what: Any, array: NDArray[np.bool_], dataset: Dataset) -> NDArray[np.bool_]:
    if array.size != dataset.n_obs:
        held = dataset.obs_noun.counted(dataset.n_obs)
        raise SelectionError(f"the mask has {array.size:,} values, but the dataset has {held}")
    labels = getattr(what, "index", None)
    if labels is None or getattr(labels, "dtype", None) is None:
        return array.copy()
    if _is_obs_index(labels, dataset):
        return array.copy()
    given = np.asarray(labels)
    if given.dtype != np.dtype("O") or np.array_equal(given, dataset.obs_names()):
        return array.copy()
    return _from_labels([text_of(label) for label in given[array]], dataset)


def _is_obs_index(labels: Any, dataset: Dataset) -> bool:
    """Return whether a pandas Index equals the obs index; Arrow strings are compared without making objects."""
    import pandas as pd

    return isinstance(labels.dtype, pd.StringDtype) and bool(dataset.obs([]).index.equals(labels))


def mask_of_rows(rows: NDArray[Any], n_obs: int) -> NDArray[np.bool_]:
    """Return the mask of some rows, bool (n_obs,); raises `SelectionError` if a row does not exist."""
    low, high = int(rows.min()), int(rows.max())
    if low < 0 or high >= n_obs:
        wrong = low if low < 0 else high
        known = f"rows go from 0 to {n_obs - 1:,}" if n_obs else "it has no rows"
        raise SelectionError(f"row {wrong} is not in the dataset; {known}")
    mask = np.zeros(n_obs, dtype=np.bool_)
    mask[rows] = True
    return mask


def _from_labels(labels: list[str], dataset: Dataset) -> NDArray[np.bool_]:
    names, wanted = dataset.obs_names().tolist(), set(labels)
    unknown = sorted(wanted.difference(names))
    if unknown:
        if len(wanted) == 1 and (meant := meant_by(unknown[0], dataset, names[:4000])):
            raise SelectionError(f"no {dataset.obs_noun.one} {unknown[0]!r}. {meant}")
        others = f" {len(unknown) - 1:,} more are missing too." if len(unknown) > 1 else ""
        sentence = not_found(dataset.obs_noun.one, unknown[0], names[:4000], "the obs index", count=len(names))
        raise SelectionError(sentence + others)
    return np.fromiter(map(wanted.__contains__, names), dtype=np.bool_, count=len(names))
