"""Annotations written into obs of an .h5ad that is there: a copy is changed, and takes its place when it is whole."""

from __future__ import annotations

import shutil
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.annotations.merging import OnConflict, aligned, to_write
from cxg_widget.convert.destination import writing
from cxg_widget.datasets import open_dataset
from cxg_widget.errors import InvalidValue, MissingDependency
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    import pandas as pd


def save_into_h5ad(path: Path, ours: pd.DataFrame, way: OnConflict) -> None:
    """Write annotations into obs of an .h5ad; all else stays as it is.

    Parameters
    ----------
    ours : categoricals by the obs index

    Raises
    ------
    DatasetNotFound, UnknownFormat, InvalidStore
        If there is no .h5ad, or its obs is none that can be added to.
    MergeConflict
        If there are other labels of the same name.
    InvalidValue
        If the file holds other cells, or cannot hold a column of such a name.
    MissingDependency
        If h5py is not installed.
    TargetNotWritten
        If the disk takes no more; the file stays as it was.
    """
    if find_spec("h5py") is None:
        raise MissingDependency("an .h5ad needs h5py: pip install 'cxg-widget[h5ad]'")
    for name in ours.columns:
        if "/" in name or name in (".", "_index", "__categories"):
            raise InvalidValue(f"an .h5ad cannot hold a column {shown(name)}; give the annotation another name.")
    where = f"'{path}'"
    with open_dataset(path, format="h5ad") as dataset:
        known = [name for name in ours.columns if name in dataset.obs_columns]
        theirs = dataset.obs(known)
        mine, are_ours = aligned(ours, theirs.index, where)
        found = to_write(mine, theirs, are_ours, where, way)
    if not found:
        return
    with writing(path, replaces=True) as place:
        shutil.copyfile(path, place.partial)
        _write(place.partial, found, where)


def _write(path: Path, columns: dict[str, pd.Series], where: str) -> None:
    import h5py

    with h5py.File(path, "r+") as file:
        obs = file["obs"]
        if not isinstance(obs, h5py.Group):
            raise InvalidValue(f"{where} holds obs as anndata wrote it before 0.7; read and write it by anndata first.")
        for name, labels in columns.items():
            for old in (name, f"__categories/{name}"):
                if old in obs:
                    del obs[old]
            _put(h5py, obs.create_group(name), labels)
        order = [text.decode() if isinstance(text, bytes) else str(text) for text in obs.attrs.get("column-order", [])]
        names = [*order, *(name for name in columns if name not in order)]
        with suppress(KeyError):
            del obs.attrs["column-order"]
        obs.attrs["column-order"] = np.array(names, dtype=h5py.string_dtype("utf-8"))
        file.flush()


def _put(h5py: Any, group: Any, labels: pd.Series) -> None:
    group.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0"})
    group.attrs["ordered"] = bool(labels.cat.ordered)
    codes, categories = labels.cat.codes.to_numpy(), labels.cat.categories.tolist()
    group.create_dataset("codes", data=codes, **({"compression": "gzip", "chunks": True} if codes.size else {}))
    group.create_dataset("categories", data=np.array(categories, dtype=h5py.string_dtype("utf-8")))
    for name, encoding in (("codes", "array"), ("categories", "string-array")):
        group[name].attrs.update({"encoding-type": encoding, "encoding-version": "0.2.0"})
