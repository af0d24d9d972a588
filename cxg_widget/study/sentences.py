"""Notes on a study: weaknesses of its design, and excluded cells and samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cxg_widget.text.nouns import Noun

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.study.columns import SampleColumn
    from cxg_widget.study.samples import StudySamples

SAMPLE = Noun("sample", "samples")
LEAST_SAMPLES = 3
"""Number of samples of a condition below which a note warns; a test needs two."""
CHOSEN_BY_EYE = (
    "The cells were chosen by looking at these data, so p is too small if the choice followed the difference."
)
"""Note of a test within a selection: choosing and testing on the same data is double dipping."""


_MOST_NAMES = 6


def _listed(names: Sequence[str]) -> str:
    """Return names as a list in words, cut after the first few."""
    if len(names) > _MOST_NAMES:
        names = [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1:,} more"]
    return " and ".join([part for part in (", ".join(names[:-1]), names[-1]) if part])


def design_notes(
    samples: StudySamples, dataset: Dataset, columns: Sequence[SampleColumn], confounded: Sequence[str]
) -> list[str]:
    """Return notes on a design, which are the same for any cells that count."""
    notes, design, noun = [], samples.design, dataset.obs_noun
    n_without = int(np.count_nonzero(samples.codes < 0))
    if n_without:
        missing = f"{design.sample!r} or {design.condition!r}"
        notes.append(f"Not in any sample: {noun.counted(n_without)} without {missing}.")
    several = sorted({one for one in samples.labels if samples.labels.count(one) > 1})
    if several:
        way = "" if design.pair else f" study(..., pair={design.sample!r}) pairs these samples."
        notes.append(
            f"{len(several)} of {len(set(samples.labels))} values of {design.sample!r} have {noun.many} in several "
            f"conditions, and are a sample in each.{way}"
        )
    for one in columns:
        if one.varies.any():
            names = [name for name, varies in zip(samples.names, one.varies.tolist(), strict=True) if varies]
            notes.append(f"{one.name!r} has several values in {_listed(names)}, and counts as missing there.")
    if confounded:
        notes.append(
            f"Each value of {_listed([repr(one) for one in confounded])} occurs in one condition only, so "
            f"{'it' if len(confounded) == 1 else 'they'} may cause a difference between values of {design.condition!r}."
        )
    return notes


def side_notes(samples: StudySamples) -> list[str]:
    """Return notes on excluded samples and on conditions with few samples."""
    notes = []
    if samples.excluded.any():
        names = [name for name, out in zip(samples.names, samples.excluded.tolist(), strict=True) if out]
        notes.append(f"Excluded: {_listed(names)}.")
    n = np.bincount(samples.condition[~samples.excluded], minlength=len(samples.conditions)).tolist()
    few = [f"{SAMPLE.counted(k)} of {one}" for one, k in zip(samples.conditions, n, strict=True) if k < LEAST_SAMPLES]
    if few:
        notes.append(f"Only {_listed(few)}: a test needs 2 in each condition, and has little power with fewer than 3.")
    return notes


def lost_note(samples: StudySamples, n_cells: NDArray[np.int64], dataset: Dataset, within: str) -> list[str]:
    """Return a note on the number of cells and samples that count, if not all do.

    n_cells : int64 (k,), cells that count
    within : words after "those", such as "that pass the filters"
    """
    used = ~samples.excluded
    n, n_all = int(n_cells[used].sum()), int(samples.n_all[used].sum())
    if n == n_all:
        return []
    n_empty = int(np.count_nonzero(n_cells[used] == 0))
    empty = f"; {SAMPLE.counted(n_empty)} of them have none" if n_empty else ""
    return [f"{n:,} of {dataset.obs_noun.counted(n_all)} of the samples count, those {within}{empty}."]
