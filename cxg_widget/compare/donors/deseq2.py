"""Runs DESeq2's test on sums per donor with PyDESeq2; no other module imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cxg_widget.compare.gene_tests import Tested
from cxg_widget.compare.moments import Floats
from cxg_widget.errors import MissingDependency

if TYPE_CHECKING:
    import pandas as pd

PAIRED, UNPAIRED = "~donor + side", "~side"


class DeseqTested(NamedTuple):
    """Results of PyDESeq2, each float64 (n_var,).

    tested : Wald statistic and p, NaN for genes without counts; p is NaN for genes with an outlier
    p_adj : PyDESeq2's own, NaN for genes that its filter for low means removes
    normalized : float64 (n_samples, n_var), counts over size factors
    """

    tested: Tested
    log2fc: Floats
    p_adj: Floats
    normalized: Floats


def check_deseq2() -> None:
    """Raise `MissingDependency` if PyDESeq2 is not installed."""
    try:
        import pydeseq2  # noqa: F401
    except ImportError as error:
        raise MissingDependency(
            "method='deseq2' needs PyDESeq2: pip install 'cxg-widget[deseq2]'. method='pseudobulk' needs nothing more."
        ) from error


def deseq2(sums: Floats, samples: pd.DataFrame, *, is_paired: bool) -> DeseqTested:
    """Test side a against side b with PyDESeq2's defaults: Wald test, without outliers and low genes.

    sums : float64 (n_samples, n_var), integers
    samples : `donor` and `side` of each
    is_paired : whether the design is `PAIRED` or `UNPAIRED`

    Source: Love, Huber and Anders, "Moderated estimation of fold change and dispersion for RNA-seq data with DESeq2",
    Genome Biology 15 (2014); Muzellec et al., "PyDESeq2", Bioinformatics 39 (2023).
    """
    import pandas as pd
    from pydeseq2.dds import DeseqDataSet
    from pydeseq2.default_inference import DefaultInference
    from pydeseq2.ds import DeseqStats

    names = [f"sample {at}" for at in range(len(sums))]
    counts = pd.DataFrame(sums.astype(np.int64), index=names, columns=[str(at) for at in range(sums.shape[1])])
    # Our own names, since labels may be numbers or contain any character.
    donors = [f"donor {at}" for at in pd.factorize(samples["donor"])[0]]
    design = pd.DataFrame({"donor": donors, "side": samples["side"].to_numpy()}, index=names)
    inference = DefaultInference(n_cpus=1)
    formula = PAIRED if is_paired else UNPAIRED
    found = DeseqDataSet(counts=counts, metadata=design, design=formula, inference=inference, quiet=True)
    found.deseq2()
    test = DeseqStats(found, contrast=["side", "a", "b"], inference=inference, quiet=True)
    test.run_wald_test()
    test.summary()
    table = test.results_df
    z, p, log2fc, p_adj = (table[name].to_numpy(np.float64) for name in ("stat", "pvalue", "log2FoldChange", "padj"))
    return DeseqTested(Tested(z, p, _log10_of(z, p)), log2fc, p_adj, np.asarray(found.layers["normed_counts"]))


def _log10_of(z: Floats, p: Floats) -> Floats:
    from scipy.special import log_ndtr

    return np.where(np.isnan(p), np.nan, (np.log(2) + log_ndtr(-np.abs(z))) / np.log(10))
