"""`Truth`: the expected contents of a store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(kw_only=True)
class Truth:
    """Expected contents of a store, made without this package.

    Attributes
    ----------
    obs : all columns in their order, indexed by the obs index; at least 20 rows and one column
    embeddings : {name: float (n_obs, k)}, at least one
    X : (n_obs, n_var), NaN where nothing was measured; omit it if the store has no vars
    var_labels, aliases : names of vars in their order, and {other name: var name}; empty = none

    Examples
    --------
    >>> import pandas as pd
    >>> from cxg_widget.testing import Truth
    >>> table = pd.DataFrame({"x": range(20), "y": range(20)})
    >>> truth = Truth(obs=table, embeddings={"xy": table[["x", "y"]].to_numpy()})
    >>> truth.X.shape
    (20, 0)
    """

    obs: pd.DataFrame
    embeddings: dict[str, NDArray[Any]]
    X: NDArray[Any] = field(default_factory=lambda: np.empty((0, 0)))
    var_labels: list[str] = field(default_factory=list)
    aliases: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.var_labels:
            self.X = np.empty((len(self.obs), 0), dtype=np.float32)
