"""Messages about the study view: samples as points, and the design of the study."""
# Changes with cxg_widget/display/study_design.py: the design of a study.
# Changes with cxg_widget/session/analysis/study.py: parts of a study.
# Changes with cxg_widget/session/analysis/study_page.py: parts of a study.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from cxg_widget.wire.messages.message import Array, Message, Mode, OfPanel

StudyPartName = Literal["form", "samples", "composition", "expression", "differences"]
StudyWithin = Literal["filter", "selection"]


@dataclass(frozen=True)
class AskStudy(Message, kind="study"):
    """Ask for one part of the study of the setting `study_design`. Answered by `study_part`.

    A request only replaces one for the same part.

    part : "form" needs no design: it proposes columns
    by : obs column of cell types, "" = none; of "form" the sample column, "" = not chosen yet
    within : "filter" = cells that pass the filters, "selection" = the selected cells
    """

    part: StudyPartName
    by: str = ""
    within: StudyWithin = "filter"

    @property
    def slot(self) -> str:
        """Requests for other parts are not replaced."""
        return f"{self.kind} {self.part}"


@dataclass(frozen=True)
class StudyOpen(Message, kind="study_open"):
    """Compare two conditions gene by gene in the cells of one type, samples as donors. Answered by `comparison`.

    category : a value of `by`, "" = all cells; a, b : conditions
    """

    category: str
    a: str
    b: str
    by: str = ""
    within: StudyWithin = "filter"


@dataclass(frozen=True)
class StudyPick(OfPanel, kind="study_pick", is_of_each=False):
    """Select the cells of a point, bar or field that pass the filters. Answered by `selection`.

    sample : a value of the sample column, condition : one of the condition column, category : one of `by`; "" = any
    """

    sample: str
    condition: str
    category: str
    mode: Mode
    by: str = ""


@dataclass(frozen=True)
class StudyPart(Message, kind="study_part"):
    """One part of a study: a point for each row and sample.

    title : what was measured: unit, n and test; "" = no design; notes : sentences about samples left out or confounded
    conditions : in the order of their categories; colors : of each, as the plot has them
    samples : name (as excluded), sample, condition (index), pair (value of its column, "" = none), n_cells (within),
        n_all (of the dataset), excluded, covariates (text or number for each of `columns`, null = missing or several)
    columns : name, kind ("category" or "number"), categories; the covariates, or of "form" columns to choose from:
        possible samples, or, if a sample column is chosen, those with one value per sample
    rows : gene and category ("" = none) of each row, those with the largest |effect| of the first pair first
    pairs : indices of two conditions that are tested, the first minus the second
    is_log2 : whether an effect is a difference of log2 values; else of the values themselves
    """

    arrays: ClassVar[Mapping[str, Array]] = {
        "values": Array(("float32",), ("n_rows", "n_samples"), "share or log2 counts per million; NaN = none"),
        "counts": Array(("uint32",), ("n_rows", "n_samples"), "cells of the row in the sample"),
        "tests": Array(
            ("float32",),
            (6, "n_rows", "n_pairs"),
            "effect, statistic, p, p_adj, and samples of either condition; NaN = not tested; "
            'of "differences" genes that differ, genes tested, NaN, NaN, and samples',
        ),
    }
    part: StudyPartName
    title: str
    notes: list[str]
    conditions: list[str]
    samples: list[dict[str, Any]]
    columns: list[dict[str, Any]]
    rows: list[dict[str, Any]] = field(default_factory=list)
    pairs: list[list[int]] = field(default_factory=list)
    colors: list[str] = field(default_factory=list)
    is_log2: bool = True
