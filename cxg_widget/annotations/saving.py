"""Saves annotations: in a file of their own, as the obs of a new CXG, or in the obs of an existing file or object."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cxg_widget.annotations.merging import OnConflict, aligned, check_way, to_write
from cxg_widget.annotations.sidecar import SUFFIXES, save_sidecar
from cxg_widget.errors import InvalidOption, InvalidValue
from cxg_widget.files.target import local_path
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from cxg_widget.datasets.base.dataset import Dataset


def save(dataset: Dataset, names: Sequence[str], path: Any, into: Any, on_conflict: Any) -> None:
    """Write some of the annotation columns of a dataset; see `Annotations.save`."""
    way = check_way(on_conflict)
    if (path is None) == (into is None):
        raise InvalidOption("save() takes a path of a new file (.parquet, .csv, .cxg), or into= for a file or AnnData.")
    if not names:
        raise InvalidValue('this widget has no annotation to save; w.annotations.new("mine") makes one.')
    ours = dataset.obs(list(names))
    if path is not None:
        file = local_path(path)
        if file.suffix in SUFFIXES:
            save_sidecar(file, ours, dataset, way)
        else:
            raise InvalidValue(
                f"annotations are saved to a .parquet, a .csv or a .cxg; found {shown(os.fspath(path))}. "
                "into= writes them into an existing .h5ad."
            )
    elif isinstance(into, str | os.PathLike) and into != "obs":
        from cxg_widget.annotations.h5ad import save_into_h5ad

        file = local_path(into)
        if file.suffix != ".h5ad":
            raise InvalidValue(f"into= takes an .h5ad, an AnnData or 'obs'; found {shown(os.fspath(into))}")
        save_into_h5ad(file, ours, way)
    else:
        target = getattr(dataset, "source", None) if isinstance(into, str) else into
        if not hasattr(getattr(target, "obs", None), "index"):
            raise InvalidOption(
                f"into='obs' needs a widget of an AnnData in memory, and into=adata an AnnData; found {shown(into)}"
            )
        save_into_obs(target, ours, way)


def save_into_obs(adata: Any, ours: pd.DataFrame, way: OnConflict) -> None:
    """Write columns of labels, by the obs index, into the obs of an AnnData; all of them or none."""
    obs, where = adata.obs, "obs of the AnnData"
    mine, are_ours = aligned(ours, obs.index, where)
    for name, labels in to_write(mine, obs, are_ours, where, way).items():  # not before all of them are known to fit
        adata.obs[name] = labels
