"""Messages about comparisons of cells, gene by gene."""
# Changes with cxg_widget/compare/question.py: options of a comparison.
# Changes with cxg_widget/session/analysis/comparison_frames.py: numbers of a compared gene.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, OfPanel


@dataclass(frozen=True)
class Compare(Message, kind="compare"):
    """Compare cells. Answered by one or more `comparison`.

    a : "selection", "filter", "set:NAME", or "value:" and [column, category] as JSON
    b : "rest", "neighborhood", or as a
    normalize : if the values are counts, compare log1p of counts per 10,000
    layer : "" = the current layer
    within : "filter" = only cells that pass the filters take part, in `a`, `b` and the rest; "" = all
    """

    a: str
    b: str
    method: Literal["t-test", "wilcoxon"]
    normalize: bool
    within: Literal["", "filter"] = ""
    layer: str = ""


@dataclass(frozen=True)
class AskComparison(Message, kind="comparison"):
    """Ask for the newest comparison, made in the page or in Python. Answered by one or more `comparison`.

    known : number of the result whose names the page has, which are not sent again; 0 = none
    group : index of the requested group, if each group of a column was compared
    file : ask for the file of the result `known`, as `to_csv` writes it; answered by `figure`
    """

    known: int = 0
    group: int = 0
    file: bool = False


@dataclass(frozen=True)
class Compared(Message, kind="compared"):
    """A new comparison, made in the page or in Python, can be requested; `seq` is its number."""

    seq: int


@dataclass(frozen=True)
class Comparison(Message, kind="comparison"):
    """Rows of the newest comparison from `start` on, in the order of the store, in one of `parts` messages.

    seq : number of the result, 0 = there is none
    title : what was compared, and how; notes : sentences that explain the numbers. Only in the first part, as are sets
        and groups
    sets : names of a and b; groups : if each group of a column was compared, their names; group : the one in this
        message
    unscaled : layer to compare in instead, if the values are scaled and a layer holds the original ones; "" = none
    names : of the rows, as in var; symbols : readable names, if they differ; neither if the page has them
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        # p as its logarithm: 1e-1800 has a place in the volcano plot, and float32 keeps seven digits of it (decision
        # 65).
        "values": Array(
            ("float32",),
            (9, "n"),
            "mean_a, mean_b, share_a, share_b, log2fc, statistic, log10 of p and of p_adj, auc; NaN = none",
        ),
        "n": Array(("uint32",), (2, "n"), "cells, or donors, of a and of b in which the gene was measured"),
    }
    seq: int
    title: str
    notes: list[str]
    sets: list[str]
    groups: list[str]
    group: int
    n_genes: int
    start: int
    parts: int
    names: list[str]
    symbols: list[str]
    unscaled: str = ""


@dataclass(frozen=True)
class AskQuick(OfPanel, kind="quick"):
    """Ask for the genes that distinguish some cells from all others, ranked from the sketch. Answered by `quick`.

    polygon : x, y of each corner, as of a lasso, whose cells are estimated; [] = the selected cells, whose sums are
        exact if the rest of their tiles is small enough to read
    rule : filter of one column, as a brush moves; then no polygon. Its cells also pass the filters of other columns
    is_released : the shape or brush rests, or the brush was released: the sums are exact too, if possible
    """

    polygon: list[float]
    rule: dict[str, Any] = field(default_factory=dict)
    is_released: bool = False


@dataclass(frozen=True)
class MakeSketch(OfPanel, kind="sketch"):
    """Make the sketch: the sums of each gene over tiles of cells. Answered by `quick` of the selected cells.

    rule : filter of the column whose values divide the cells, and of the cells in the answer; {} = by the embedding
    """

    rule: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Quick(Message, kind="quick"):
    """The genes with the highest t of Welch between some cells and all others, highest first, without p.

    has_sketch : if not, nothing is known of the genes
    n_bytes, read_bytes : without a sketch, its size on disk, and the bytes decoded to make it; else 0
    is_remote : whether the matrix is in remote storage
    n_cells : number of the cells; n_read : number counted exactly; if they are equal, the numbers are exact
    names : as in var; symbols : readable names, if they differ
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "values": Array(("float32",), (5, "n"), "mean_a, mean_b, share_a, share_b, log2fc; NaN = none"),
    }
    has_sketch: bool
    n_bytes: int
    read_bytes: int
    is_remote: bool
    n_cells: int
    n_read: int
    names: list[str]
    symbols: list[str]
