"""Made-up studies: samples whose cell types vary as those of donors do, with or without an effect of the condition."""

from __future__ import annotations

import numpy as np

from cxg_widget.display.study_design import StudyDesign
from cxg_widget.study.samples import StudySamples

SPREAD = 30.0
"""Precision of the Dirichlet: a type of 10 % has a standard deviation of 5.4 % between donors."""


def samples_of(n_per_condition, pairs=()):
    """Return the samples of a study without cells, by the number of samples of each condition."""
    condition = np.repeat(np.arange(len(n_per_condition)), n_per_condition)
    k = len(condition)
    names = tuple(f"s{at}" for at in range(k))
    return StudySamples(
        StudyDesign("donor", "condition"), np.zeros(0, np.int32), names, names,
        tuple(f"c{at}" for at in range(len(n_per_condition))), condition, tuple(pairs) or ("",) * k, (),
        np.zeros(k, np.int64), np.zeros(k, np.bool_), (),
    )  # fmt: skip


def counts_of_types(rng, n_samples, *, n_types=8, cells=1000, effect=None):
    """Draw cells of each type and sample, int64 (n_types, n_samples): Dirichlet shares, then a multinomial draw.

    cells : mean of the total of a sample, which varies by half of it; a number, or one for each sample
    effect : odds of the first type are multiplied by this, a number for each sample
    """
    base = 1 / np.arange(1, n_types + 1)
    alpha = np.tile(SPREAD * base / base.sum(), (n_samples, 1))
    drawn = rng.standard_gamma(alpha)
    if effect is not None:
        drawn[:, 0] *= effect
    totals = (cells * rng.uniform(0.5, 1.5, n_samples)).astype(int)
    return rng.multinomial(totals, drawn / drawn.sum(axis=1, keepdims=True)).T


def cells_of_study(rng, n_per_condition, *, n_types=5, cells=60, n_genes=6, paired=False, excess=None):
    """Return a table of cells with x, y, donor, condition, cell_type, batch, age, sex and counts of genes.

    paired : whether the samples of all conditions are of the same donors
    excess : of gene_0 in the first condition, as a factor of its mean
    """
    condition = np.repeat(np.arange(len(n_per_condition)), n_per_condition)
    types = counts_of_types(rng, len(condition), n_types=n_types, cells=cells)
    donor = np.concatenate([np.arange(n) for n in n_per_condition]) if paired else np.arange(len(condition))
    sample, kind = (np.concatenate(one) for one in zip(*(
        (np.full(row.sum(), at), np.repeat(np.arange(n_types), row)) for at, row in enumerate(types.T)
    ), strict=True))  # fmt: skip
    n = len(sample)
    mean = rng.lognormal(1.0, 0.5, (len(condition), n_genes))
    if excess is not None:
        mean[condition == 0, 0] *= excess
    found = {"x": rng.normal(size=n), "y": rng.normal(size=n)}
    found |= {f"gene_{at}": rng.poisson(mean[sample, at]) for at in range(n_genes)}
    found["donor"] = np.array([f"d{at}" for at in donor.tolist()])[sample]
    found["condition"] = np.array([f"c{at}" for at in condition.tolist()])[sample]
    found["cell_type"] = np.array([f"t{at}" for at in range(n_types)])[kind]
    found["age"] = (20.0 + 3 * donor)[sample]
    found["sex"] = np.array(["f", "m"])[donor % 2][sample]
    return found
