"""Runs datashader's reductions on blocks of rows with mergeable results; the only importer of datashader."""
# Changes with cxg_widget/display/statistic.py: statistics by name.

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.values import Codes
from cxg_widget.draw.aggregate.grid import PixelGrid
from cxg_widget.draw.aggregate.merging import Rule, State, begun, finished, merged
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial.view import View
from cxg_widget.text.names import not_found, shown

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


NAMES = ("count", "sum", "mean", "min", "max", "std", "var", "first", "last")
"""Reductions that have a name, over one column."""
MAX_VALUES = 1_000_000_000
"""Most numbers in the planes of a reduction: 4 to 8 GB."""
_RANKS: dict[str, Rule] = {
    "first": "first", "first_n": "first", "last": "last", "last_n": "last",
    "max": "largest", "max_n": "largest", "min": "smallest", "min_n": "smallest",
}  # fmt: skip
"""Ranking of values, if some are kept or determine the looked-up row."""
_WRITING_LOOPS = threading.Lock()


@dataclass(frozen=True)
class _Leaf:
    """One reduction: what datashader computes for a block, and how two blocks are merged.

    parts : reductions by name
    by : column of categories, and its labels if they are not the column's own
    depth : length of the last axis "n" of the planes; None = no such axis
    of_rows : whether values are rows
    """

    rule: Rule
    parts: Mapping[str, Any]
    by: tuple[str, list[int] | None] | None = None
    depth: int | None = None
    of_rows: bool = False

    def n_planes(self, labels: Mapping[str, list[Any]]) -> int:
        """Return the number of values per pixel of the result."""
        column, own = self.by or ("", [0])
        return len(labels[column] if own is None else own) * (self.depth or 1)


@dataclass(frozen=True)
class Plan:
    """A decomposed reduction.

    columns : distinct columns that it reads, in the order in which they are named
    categories : columns of categories; all others must be numeric
    leaves : by the names of a summary; None = a single reduction
    """

    columns: tuple[str, ...]
    categories: tuple[str, ...]
    leaves: Mapping[str | None, _Leaf]

    @property
    def is_plane(self) -> bool:
        """Whether it gives one number per pixel."""
        return all(
            name is None and leaf.by is None and not leaf.depth is not None for name, leaf in self.leaves.items()
        )

    @property
    def counted(self) -> str | None:
        """Column of the categories whose cells are counted, "" if all cells are; None for any other reduction."""
        from datashader import reductions as rd

        leaf = self.leaves.get(None)
        if leaf is None or leaf.rule != "count":
            return None
        part, (column, labels) = leaf.parts["value"], leaf.by or ("", None)
        inner = part.reduction if isinstance(part, rd.by) else part
        return column if labels is None and inner.column is None else None

    @property
    def is_ordered(self) -> bool:
        """Whether the order or the numbers of rows matter: of equal values, the first one is looked up."""
        ranks = (leaf.rule in ("first", "last") or set(leaf.parts) == {"key", "value"} for leaf in self.leaves.values())
        return any(ranks)


def reduction_of(what: Any, column: str | None = None, *, by: str | None = None) -> Plan:
    """Decompose a reduction into what datashader computes for a block of rows.

    what : one of `NAMES`, or an object of `datashader.reductions` that works on points
    column : column of a named reduction; only "count" needs none, and then counts points with and without a value
    by : column of categories that get a plane each
    """
    from datashader import reductions as rd

    if isinstance(what, str):
        if what not in NAMES:
            raise InvalidValue(not_found("reduction", what, NAMES, "datashader", count=len(NAMES)))
        if column is None and what != "count":
            raise InvalidValue(
                f"the {what} is that of a column; name one, as in aggregate({what!r}, color='n_counts')."
            )
        what = getattr(rd, what)(column)
        what = what if by is None else rd.by(by, what)
    elif column is not None or by is not None:
        raise InvalidValue(f"a datashader reduction names its columns itself; found {shown(what)} and a column.")
    if isinstance(what, rd.summary):
        leaves: dict[str | None, _Leaf] = dict(zip(what.keys, map(_leaf, what.values), strict=True))
    else:
        leaves = {None: _leaf(what)}
    labelled = [leaf.by[0] for leaf in leaves.values() if leaf.by is not None and leaf.by[1] is None]
    return Plan(columns_of(what), tuple(dict.fromkeys(labelled)), leaves)


def columns_of(reduction: Any) -> tuple[str, ...]:
    """Return the distinct columns that an object of `datashader.reductions` reads."""
    return tuple(dict.fromkeys(_columns(reduction)))


def _columns(reduction: Any) -> Iterator[str]:
    from datashader import reductions as rd

    if isinstance(reduction, rd.summary):
        for one in reduction.values:
            yield from _columns(one)
        return
    if isinstance(reduction, rd.by):
        yield reduction.categorizer.column
        yield from _columns(reduction.reduction)
        return
    if isinstance(reduction, rd.where):
        yield from _columns(reduction.selector)
    if isinstance(reduction.column, str):  # neither None nor the row number
        yield reduction.column


def together(**plans: Plan) -> Plan:
    """Return named reductions as one whose results are a Dataset, computed in as few passes as possible."""
    columns, categories = (
        tuple(dict.fromkeys(chain.from_iterable(getattr(plan, which) for plan in plans.values())))
        for which in ("columns", "categories")
    )
    return Plan(columns, categories, {name: plan.leaves[None] for name, plan in plans.items()})


def _leaf(reduction: Any) -> _Leaf:
    from datashader import reductions as rd

    if not isinstance(reduction, rd.by):
        return _plain_leaf(reduction)
    inner, categorizer = _plain_leaf(reduction.reduction), reduction.categorizer
    if inner.depth is not None and categorizer.column == "n":
        raise InvalidValue(f"{shown(reduction)} would have two axes 'n'; reduce the column of categories by itself.")
    has_labels = type(categorizer) is rd.category_codes
    labels = None if has_labels else list(categorizer.categories(None))
    parts = {name: rd.by(categorizer, part) for name, part in inner.parts.items()}
    return _Leaf(inner.rule, parts, (categorizer.column, labels), inner.depth, inner.of_rows)


def _plain_leaf(reduction: Any) -> _Leaf:
    from datashader import reductions as rd

    kind = type(reduction).__name__ if type(reduction).__module__ == rd.__name__ else ""
    if kind in ("count", "any", "sum", "min", "max"):
        return _Leaf(kind, {"value": reduction})  # type: ignore[arg-type]
    if kind == "mean":
        return _Leaf("mean", {"n": rd.count(reduction.column), "sum": rd.sum(reduction.column)})
    if kind in ("var", "std"):
        column = reduction.column
        parts = {"n": rd.count(column), "mean": rd.mean(column), "var": rd.var(column)}
        return _Leaf(kind, parts)  # type: ignore[arg-type]
    if kind in _RANKS:
        return _Leaf(_RANKS[kind], {"key": reduction}, depth=getattr(reduction, "n", None))
    if kind == "where" and (ranks := _RANKS.get(type(reduction.selector).__name__)):
        parts, of_rows = {"key": reduction.selector, "value": reduction}, not isinstance(reduction.column, str)
        return _Leaf(ranks, parts, depth=getattr(reduction.selector, "n", None), of_rows=of_rows)
    raise InvalidValue(
        f"{shown(reduction)} is no reduction of points; give one of {', '.join(NAMES)}, or of datashader's any, "
        "first_n, last_n, max_n, min_n, where, by and summary."
    )


def sums_of(frame: pd.DataFrame, view: View, size: tuple[int, int], plan: Plan) -> Sums:
    """Reduce one block of rows.

    frame : coordinates "x" and "y", and the plan's columns: categorical ones with the same categories in every block,
        numbers in all others. Its index has the rows, if rows are requested.
    view : x0, x1, y0, y1, ascending, in data units, inclusive
    size : width and height, px
    """
    import datashader as ds

    x0, x1, y0, y1 = map(float, view)
    canvas = ds.Canvas(plot_width=size[0], plot_height=size[1], x_range=(x0, x1), y_range=(y0, y1))
    coded, labels = _coded(frame, plan)
    _check_planes(plan, labels, size)
    planes: dict[str, xr.DataArray] = {}
    for parts in _passes(plan):
        summary = ds.summary(**parts)
        try:
            # datashader writes a loop for each new kind of summary by ast.parse, which raises SystemError in one of two
            # concurrent threads (Python 3.11, gh-106905). A reduction without rows does just that; later calls take 2
            # ms.
            with _WRITING_LOOPS:
                ds.Canvas(1, 1, canvas.x_range, canvas.y_range).points(coded.iloc[:0], "x", "y", summary)
            planes |= canvas.points(coded, "x", "y", summary).data_vars
        except ValueError as error:
            raise InvalidValue(f"datashader cannot reduce {shown(list(plan.columns))} so: {error}.") from error
    states: list[State] = []
    for at, leaf in enumerate(plan.leaves.values()):
        found = {name: planes[f"{at} {name}"].to_numpy() for name in leaf.parts}
        if leaf.of_rows:
            # datashader returns -1 for no row, and index -1 is the -1 at the end.
            found["value"] = np.append(coded.index.to_numpy(), -1)[found["value"]]
        states.append(begun(leaf.rule, found, has_depth=leaf.depth is not None))
    coords = next(iter(planes.values())).coords
    axes = {axis: coords[axis].to_numpy() for axis in ("x", "y")}  # HoloViews uses the first one for x
    return Sums(plan, states, axes, labels, {"x_range": (x0, x1), "y_range": (y0, y1)})


def sums_of_counts(
    plan: Plan, codes: Codes | None, view: View, size: tuple[int, int],
    count: Callable[[], NDArray[np.uint32]],
) -> Sums:  # fmt: skip
    """Return counts of cells by pixel, of a plan with `counted`, as `sums_of` returns them; other parameters as there.

    codes : column of the categories; None = all cells are counted
    count : returns the counts, as `counting.count_cells`
    """
    x0, x1, y0, y1 = map(float, view)
    labels = {} if codes is None else {str(plan.counted): list(codes.categories)}
    _check_planes(plan, labels, size)
    counts = count()
    (_, _, _, _, scale_x, shift_x, scale_y, shift_y), _ = PixelGrid.of(view, size).arguments
    # Source: datashader's `Axis.compute_index`.
    axes = {
        axis: np.asarray((np.arange(n) + 0.5 - shift) / scale, dtype=np.float64)
        for axis, n, scale, shift in (("x", size[0], scale_x, shift_x), ("y", size[1], scale_y, shift_y))
    }
    states: list[State] = [{"value": counts[..., 0] if codes is None else counts}]
    return Sums(plan, states, axes, labels, {"x_range": (x0, x1), "y_range": (y0, y1)})


def _check_planes(plan: Plan, labels: Mapping[str, list[Any]], size: tuple[int, int]) -> None:
    n_planes = sum(leaf.n_planes(labels) for leaf in plan.leaves.values())
    if n_planes * size[0] * size[1] > MAX_VALUES:
        raise InvalidValue(
            f"{n_planes:,} planes of {size[0]:,} x {size[1]:,} px hold more than {MAX_VALUES:,} numbers; ask for less."
        )


def _passes(plan: Plan) -> list[dict[str, Any]]:
    """Return the reductions that datashader computes in each pass: parts by the number of their leaf and their name.

    One pass suffices except for look-ups, which datashader confuses with those of earlier reductions, and lists of
    values, which it computes for one n at a time.
    """
    passes: list[dict[str, Any]] = [{}]
    for at, leaf in enumerate(plan.leaves.values()):
        parts = {f"{at} {name}": part for name, part in leaf.parts.items()}
        if leaf.depth is not None or set(leaf.parts) == {"key", "value"}:
            passes.append(parts)
        else:
            passes[0] |= parts
    return [parts for parts in passes if parts]


class Sums:
    """Partial sums of some rows; sums of consecutive rows can be added."""

    def __init__(
        self,
        plan: Plan,
        states: list[State],
        axes: Mapping[str, NDArray[np.float64]],
        labels: Mapping[str, list[Any]],
        attrs: Mapping[str, Any],
    ) -> None:
        self._plan, self._states = plan, states
        self._axes, self._labels, self._attrs = axes, labels, attrs

    def __add__(self, other: Sums) -> Sums:
        leaves = zip(self._plan.leaves.values(), self._states, other._states, strict=True)
        states = [merged(leaf.rule, one, two) for leaf, one, two in leaves]
        return Sums(self._plan, states, self._axes, self._labels, self._attrs)

    def finished(self, name: str | None = None) -> xr.DataArray | xr.Dataset:
        """Return the result as datashader does for all rows at once: (y, x), y ascending, with coordinates.

        Parameters
        ----------
        name : name of a single array

        Returns
        -------
        a DataArray: uint32 counts, bool for `any`, int64 rows (-1 = none), else float64 with NaN where a pixel has no
        value; with an axis of categories for `by`, and an axis "n" for reductions that keep n values. For a summary, a
        Dataset. A point without a category is not counted in any.
        """
        import xarray as xr

        found = {
            name: self._array(leaf, state)
            for (name, leaf), state in zip(self._plan.leaves.items(), self._states, strict=True)
        }
        alone = found.get(None)
        return xr.Dataset(dict(found), attrs=dict(self._attrs)) if alone is None else alone.rename(name)

    def _array(self, leaf: _Leaf, state: State) -> xr.DataArray:
        import xarray as xr

        values, coords = finished(leaf.rule, state), dict[str, Any](self._axes)
        values = values if leaf.depth is not None or "key" not in state else values[..., 0]
        if leaf.by is not None:
            column, labels = leaf.by
            coords[column] = self._labels[column] if labels is None else labels
            values = values[:, :, : len(coords[column])]  # the last plane has points without a category
        if leaf.depth is not None:
            coords["n"] = np.arange(leaf.depth)
        dims = ["y", "x", *list(coords)[2:]]
        return xr.DataArray(values, coords=coords, dims=dims, attrs=dict(self._attrs))


def _coded(frame: pd.DataFrame, plan: Plan) -> tuple[pd.DataFrame, dict[str, list[Any]]]:
    """Give points without a category a category of their own; datashader would count them in the last one.

    Labels are replaced by numbers, so that compiled loops serve all columns with as many categories.
    """
    import pandas as pd

    labels, coded = {}, frame.copy(deep=False)
    for column in plan.categories:
        values = frame[column]
        if not isinstance(values.dtype, pd.CategoricalDtype):
            raise InvalidValue(f"by() needs a column of categories; {shown(column)} is {values.dtype}.")
        codes, count = values.cat.codes.to_numpy(), len(values.cat.categories)
        codes = np.where(codes < 0, count, codes.astype(np.int32))
        labels[column] = list(values.cat.categories)
        coded[column] = pd.Categorical.from_codes(codes, categories=pd.RangeIndex(count + 1))
    return coded, labels
