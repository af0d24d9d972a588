"""Comparisons of cells gene by gene."""
# Changes with cxg_widget/compare/question.py: options of a comparison.
# Changes with cxg_widget/session/analysis/comparison_frames.py: numbers of a compared gene.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message


@dataclass(frozen=True)
class Compare(Message, kind="compare"):
    """Compare cells. Answered by one or more `comparison`.

    a : "selection", "set:NAME", or "value:" and [column, category] as JSON; b : "rest", "neighborhood", or as a
    normalize : where the values are counts, compare log1p of counts per 10,000
    layer : "" = the layer on show
    within : "filter" = only cells that pass the filters count, in `a`, `b` and the rest; "" = all
    """

    a: str
    b: str
    method: Literal["t-test", "wilcoxon"]
    normalize: bool
    within: Literal["", "filter"] = ""
    layer: str = ""


@dataclass(frozen=True)
class AskComparison(Message, kind="comparison"):
    """Ask for the newest comparison, of a hand or of Python. Answered by one or more `comparison`.

    known : the number of the result whose names the page has, which are not sent again; 0 = of none
    group : where each group of a column was compared, the place of the one that is wanted
    file : as `to_csv` writes it, of the result `known`; answered by `figure`
    """

    known: int = 0
    group: int = 0
    file: bool = False


@dataclass(frozen=True)
class Compared(Message, kind="compared"):
    """There is a new comparison, by hand or by Python, ready to be requested; `seq` is its number."""

    seq: int


@dataclass(frozen=True)
class Comparison(Message, kind="comparison"):
    """Rows of the newest comparison from `start` on, in the order of the store, in one of `parts` messages.

    seq : number of the result, 0 = there is none
    title : what was compared, by what; notes : sentences on what the numbers are. All four
        are in the first part alone
    sets : what a and b are called; groups : where each group of a column was compared; group : the one that this is
    unscaled : the layer to compare in instead, where the values are scaled and one holds them as they were; "" = none
    names : of the rows, as var has them; symbols : readable names, where they differ; neither where the page has them
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        # p as its logarithm: 1e-1800 has a place in the volcano, and float32 keeps seven digits of it (decision 65).
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
