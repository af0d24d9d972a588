"""Aggregates all cells of a dataset in blocks of rows, after resolving the columns of the reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.convert.progress import Progress, silent
from cxg_widget.datasets.base.column_pairs import EmbeddingName
from cxg_widget.datasets.base.column_values import row_blocks
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.values import Vector
from cxg_widget.display.color_target import NO_SETS, ColorTrait, OwnSets, Target, resolve
from cxg_widget.display.several_genes import mean_vector
from cxg_widget.draw.aggregate.reductions import Plan, Sums, reduction_of, sums_of
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial.view import View, union
from cxg_widget.text.names import shown
from cxg_widget.wire.quantise import Bounds, bounds_of

if TYPE_CHECKING:
    import pandas as pd

_AXES = ("x", "y")
_VALUE, _CATEGORY = "value", "category"
"""Column names of named reductions: datashader compiles once per column name."""


@dataclass(frozen=True)
class Wanted:
    """A reduction and its columns.

    columns : target of each column of the plan, except the coordinates
    layer : of genes
    name : name of the result; None = no name
    dims : names of its axes
    """

    plan: Plan
    columns: Mapping[str, Target]
    layer: str | None = None
    name: str | None = None
    dims: Mapping[str, str] = field(default_factory=dict)


def wanted_of(
    reduction: Any, color: ColorTrait, dataset: Dataset, *, shown_color: ColorTrait = None, layer: str | None = None,
    sets: OwnSets = NO_SETS,
) -> Wanted:  # fmt: skip
    """Resolve a reduction for a dataset; reads names only.

    reduction : name or object as in `reduction_of`, with columns named as in `resolve`, and "x" and "y" for the
        coordinates; None = the mean of numbers, counts by category, or counts
    color : column of a named reduction, as in `resolve`; None = `shown_color`, but "count" then counts all cells
    sets : gene sets of the user
    """
    if reduction is None or isinstance(reduction, str):
        color = shown_color if color is None and reduction != "count" else color
        return _named(reduction, resolve(color, dataset, layer, sets), dataset, layer)
    if color is not None:
        raise InvalidValue(f"a datashader reduction names its columns itself; found one and color={shown(color)}.")
    plan = reduction_of(reduction)
    columns = {name: resolve(name, dataset, layer, sets) for name in plan.columns if name not in _AXES}
    for name, target in columns.items():
        if name in plan.categories:
            _check_categories(target, dataset)
        else:
            _check_numbers(shown(reduction), target, dataset)
    return Wanted(plan, columns, layer)


def _named(reduction: str | None, target: Target, dataset: Dataset, layer: str | None) -> Wanted:
    if target.source == "none":
        return Wanted(reduction_of(reduction or "count"), {}, name="count")
    plan = reduction_of(reduction or "mean", _VALUE)
    has_categories = target.source == "obs" and dataset.obs_columns[target.name].kind not in ("int", "float")
    if has_categories and reduction in (None, "count"):
        plan, called = reduction_of("count", by=_CATEGORY), f"count by {target.name}"
        dims = {} if target.name in _AXES else {_CATEGORY: target.name}
        return Wanted(plan, {_CATEGORY: target}, layer, called, dims)
    _check_numbers(f"the {reduction}", target, dataset)
    return Wanted(plan, {_VALUE: target}, layer, f"{reduction or 'mean'} of {target.name}")


def _check_numbers(what: str, target: Target, dataset: Dataset) -> None:
    kind = dataset.obs_columns[target.name].kind if target.source == "obs" else "float"
    if kind not in ("int", "float", "boolean"):
        raise InvalidValue(
            f"{what} needs numbers; obs column {shown(target.name)} is {kind}, of which 'count' counts each category."
        )


def _check_categories(target: Target, dataset: Dataset) -> None:
    if target.source != "obs" or dataset.obs_columns[target.name].kind == "float":
        raise InvalidValue(f"by() needs categories; {shown(target.spec)} holds numbers, which category_binning() bins.")


def sums_over(
    dataset: Dataset,
    wanted: Wanted,
    view: View,
    size: tuple[int, int],
    *,
    xy_block: Callable[[int, int], NDArray[np.float32]],
    rows: tuple[int, int] | None = None,
    mask: NDArray[np.bool_] | None = None,
    tell: Progress = silent,
) -> Sums:
    """Reduce rows of a dataset, with one block at a time in memory.

    view : x0, x1, y0, y1, ascending, in data units
    size : width and height, px
    xy_block : returns the coordinates of rows from start to stop
    rows : start and stop; None = all
    mask : of these rows, bool; None = all
    """
    first, last = rows or (0, dataset.n_obs)
    blocks = [(first + start, first + stop) for start, stop in row_blocks(last - first)]
    if mask is not None:
        # At least one block: a result without cells has axes too.
        blocks = [(start, stop) for start, stop in blocks if mask[start - first : stop - first].any()] or blocks[:1]
    total: Sums | None = None
    for done, (start, stop) in enumerate(blocks, start=1):
        frame = _frame(dataset, wanted, xy_block(start, stop), start, stop)
        frame = frame if mask is None else frame[mask[start - first : stop - first]]
        sums = sums_of(frame, view, size, wanted.plan)
        total = sums if total is None else total + sums
        tell("aggregate", done / len(blocks))
    assert total is not None
    return total


def _frame(dataset: Dataset, wanted: Wanted, xy: NDArray[np.float32], start: int, stop: int) -> pd.DataFrame:
    """Return rows as a frame for datashader: numbers in their own dtype, categories as such; the index has the rows."""
    import pandas as pd

    genes = [target.name for target in wanted.columns.values() if target.source == "var"]
    vectors = dataset.vectors_block(genes, wanted.layer, start, stop)  # one pass over the matrix for all of them
    columns: dict[str, Any] = {"x": xy[:, 0], "y": xy[:, 1]}
    for name, target in wanted.columns.items():
        if name in wanted.plan.categories:
            codes = dataset.codes_block(target.name, start, stop)
            columns[name] = pd.Categorical.from_codes(codes.codes, pd.Index(codes.categories, dtype=object))
        elif target.source == "obs":
            values = dataset.numbers_block(target.name, start, stop)
            # datashader does not reduce booleans.
            columns[name] = values.astype(np.uint8) if values.dtype == np.bool_ else values
        else:
            one = next(vectors) if target.source == "var" else _mean(dataset, target, wanted.layer, start, stop)
            columns[name] = one.dense(stop - start)
    return pd.DataFrame(columns, index=pd.RangeIndex(start, stop))


def _mean(dataset: Dataset, target: Target, layer: str | None, start: int, stop: int) -> Vector:
    vectors = dataset.vectors_block(target.genes, layer, start, stop)
    return mean_vector(vectors, len(target.genes), stop - start)


def bounds_by_rows(dataset: Dataset, embedding: EmbeddingName | None, axes: tuple[int, int]) -> Bounds:
    """Return the bounds of the cells, with one block at a time in memory."""
    extents, n_missing = [], 0
    for start, stop in row_blocks(dataset.n_obs):
        found = bounds_of(dataset.embedding_block(embedding, axes, start, stop))
        n_missing += found.n_missing
        if found.n_missing < stop - start:
            extents.append(found.extent)
    return Bounds(union(extents), n_missing)
