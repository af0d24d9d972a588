"""A field of the Differences table as a comparison: its genes, samples and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.donors.by_sums import DonorComparison, result_of
from cxg_widget.compare.donors.samples import Samples
from cxg_widget.errors import SelectionError
from cxg_widget.study.differences import LEAST_SAMPLES, Differences, Sides
from cxg_widget.study.sentences import SAMPLE

if TYPE_CHECKING:
    from cxg_widget.compare.matrix_statistics import ValueKind
    from cxg_widget.compare.question import Question
    from cxg_widget.datasets.base.dataset import Dataset


def compare_field(
    found: Differences, row: int, pair: tuple[int, int], *, dataset: Dataset, question: Question,
    set_names: tuple[str, str], kind: ValueKind | None = None,
) -> DonorComparison:  # fmt: skip
    """Compare two conditions in a type; raises `SelectionError` if a condition has fewer than 2 samples.

    kind : of values that are no counts, as in `result_of`
    """
    sides = found.sides(row, pair)
    if not sides.is_testable:
        has = " and ".join(f"{SAMPLE.counted(n)} of {name}" for n, name in zip(sides.n, set_names, strict=True))
        raise SelectionError(
            f"a test needs {LEAST_SAMPLES} samples of each condition with {dataset.obs_noun.counted(found.min_cells)} "
            f"or more, and only {has} have that many; study.differences(..., min_cells=1) takes samples of any size."
        )
    samples = Samples(
        Grouping.of_sets(), sides.names, np.where(sides.in_a, 0, 1).astype(np.int8), sides.n_cells, sides.is_paired,
        set_names, tuple(_notes(found, sides, dataset, set_names)),
    )  # fmt: skip
    positions = question.positions(dataset)
    return result_of(dataset, samples, sides.sums, slice(None) if positions is None else positions, question, kind=kind)


def _notes(found: Differences, sides: Sides, dataset: Dataset, set_names: tuple[str, str]) -> list[str]:
    pair, many = found.samples.design.pair, dataset.obs_noun.many
    if sides.is_paired:
        return [f"Paired by {pair!r}: {sides.n[0]:,} values on both sides. Other samples are excluded."]
    why = "The test is not paired." if pair is None else f"Not paired: fewer than 2 values of {pair!r} on both sides."
    notes = [why]
    few = [f"{SAMPLE.counted(n)} of {name}" for n, name in zip(sides.n_few, set_names, strict=True) if n]
    if few:
        notes.append(f"Excluded, fewer than {found.min_cells} {many} (min_cells=): {' and '.join(few)}.")
    return notes
