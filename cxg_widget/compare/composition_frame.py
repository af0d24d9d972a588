"""A composition as a DataFrame, with the tests by donor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cxg_widget.compare.adjust import benjamini_hochberg
from cxg_widget.compare.by_donor import ByDonor
from cxg_widget.compare.composition import Composition

if TYPE_CHECKING:
    import pandas as pd


def frame_of_composition(found: Composition, index: pd.Index, donors: ByDonor | None = None) -> pd.DataFrame:
    """Return the columns that `CxgWidget.composition` tells of, a row for each of `index`."""
    import pandas as pd

    columns = {
        "n": found.drawn,
        "share": found.share,
        "expected": found.expected,
        "odds_ratio": found.odds_ratio,
        "p": 10.0**found.log10_p,
        "p_adj": 10.0**found.log10_p_adj,
        "log10_p": found.log10_p,
    }
    if donors is not None:
        adjusted = benjamini_hochberg(donors.p)
        columns |= {"n_donors": donors.n_donors, "n_left_out": donors.n_left_out, "share_by": donors.share}
        columns |= {"rest_by": donors.rest, "p_by": donors.p, "p_by_adj": adjusted}
    return pd.DataFrame({name: np.asarray(values) for name, values in columns.items()}, index=index)
