"""Writes annotations into obs of an existing .h5ad: changes a copy, which then replaces the file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from contextlib import closing, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.annotations.conflicts import OnConflict, aligned, to_write
from cxg_widget.datasets import open_dataset
from cxg_widget.errors import InvalidValue, MissingDependency, TargetNotWritten
from cxg_widget.files.lasting_file import LastingFile
from cxg_widget.files.target import check_replaceable
from cxg_widget.files.writing import writing
from cxg_widget.text.names import shown

if TYPE_CHECKING:
    import pandas as pd


def save_into_h5ad(path: Path, ours: pd.DataFrame, way: OnConflict) -> None:
    """Write annotations into obs of an .h5ad; everything else is unchanged.

    ours : categoricals with the obs index
    """
    if find_spec("h5py") is None:
        raise MissingDependency("an .h5ad needs h5py: pip install 'cxg-widget[h5ad]'")
    for name in ours.columns:
        if "/" in name or "\0" in name or name in (".", "_index", "__categories"):
            raise InvalidValue(f"an .h5ad cannot hold a column {shown(name)}; give the annotation another name.")
    where = f"'{path}'"
    if os.path.lexists(path):
        check_replaceable(path)
    with open_dataset(path, format="h5ad") as dataset:
        known = [name for name in ours.columns if name in dataset.obs_columns]
        theirs = dataset.obs(known)
        mine, are_ours = aligned(ours, theirs.index, where)
        found = to_write(mine, theirs, are_ours, where, way)
    if not found:
        return
    _check_layout(path, found, where)  # before the whole file is copied
    with writing(path, replaces=True) as place:
        shutil.copyfile(path, place.partial)
        _write(place.partial, found, where)


def _check_layout(path: Path, columns: Iterable[str], where: str) -> None:
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        _obs_to_change(h5py, file, columns, where)


def _obs_to_change(h5py: Any, file: Any, columns: Iterable[str], where: str) -> Any:
    """Return obs after checking that no changed part is a link or shared with another part.

    h5py follows soft and external links silently: `del obs["__categories/a"]` may delete `a` of another file.
    """

    def refuse(name: str, why: str) -> TargetNotWritten:
        advice = 'w.annotations.save("labels.parquet") saves the labels in a separate file.'
        return TargetNotWritten(f"{where} is not changed: {name} is {why}; {advice}")

    def check(group: Any, name: str) -> Any:
        """Return the child of a group by name; None if there is none."""
        link, full = group.get(name, getlink=True), f"{group.name}/{name}".lstrip("/")
        if isinstance(link, h5py.ExternalLink):
            raise refuse(full, f"a link to {shown(link.path)} of {shown(link.filename)}")
        if isinstance(link, h5py.SoftLink):
            raise refuse(full, f"a link to {shown(link.path)}")
        found = None if link is None else group[name]
        if isinstance(found, h5py.Dataset) and (found.is_virtual or found.external):
            raise refuse(full, "stored in other files")
        return found

    def check_owned(group: Any, name: str) -> Any:
        found = check(group, name)
        if isinstance(found, h5py.Group) and h5py.h5o.get_info(found.id).rc > 1:
            raise refuse(f"{group.name}/{name}".lstrip("/"), "also another part of the file")
        return found

    obs = check_owned(file, "obs")
    if not isinstance(obs, h5py.Group):
        raise InvalidValue(f"{where} has the layout of anndata before 0.7; read it and write it again with anndata.")
    older = check_owned(obs, "__categories")
    for name in columns:
        column = check(obs, name)
        for part in column if isinstance(column, h5py.Group) else ():
            check(column, part)
        if isinstance(older, h5py.Group):
            check(older, name)
    return obs


def _write(path: Path, columns: dict[str, pd.Series], where: str) -> None:
    import h5py

    with closing(LastingFile(path, new=False)) as disk, h5py.File(disk, "r+") as file:
        obs = _obs_to_change(h5py, file, columns, where)
        older = obs.get("__categories")
        for name, labels in columns.items():
            if name in obs:
                del obs[name]
            if isinstance(older, h5py.Group) and name in older and not _are_referred_to(h5py, obs, older[name]):
                del older[name]
            _put(h5py, obs.create_group(name), labels)
            disk.check()
        stored = obs.attrs.get("column-order", [])
        order = [text.decode() if isinstance(text, bytes) else str(text) for text in stored]
        names = [*order, *(name for name in columns if name not in order)]
        with suppress(KeyError):
            del obs.attrs["column-order"]
        obs.attrs["column-order"] = np.array(names, dtype=h5py.string_dtype("utf-8"))


def _are_referred_to(h5py: Any, obs: Any, categories: Any) -> bool:
    """Return whether another column refers to these categories, as anndata wrote before 0.8."""
    owners = [column.attrs.get("categories") for column in obs.values() if isinstance(column, h5py.Dataset)]
    return any(isinstance(one, h5py.Reference) and one and obs.file[one] == categories for one in owners)


def _put(h5py: Any, group: Any, labels: pd.Series) -> None:
    group.attrs.update({"encoding-type": "categorical", "encoding-version": "0.2.0"})
    group.attrs["ordered"] = bool(labels.cat.ordered)
    codes, categories = labels.cat.codes.to_numpy(), labels.cat.categories.tolist()
    group.create_dataset("codes", data=codes, **({"compression": "gzip", "chunks": True} if codes.size else {}))
    group.create_dataset("categories", data=np.array(categories, dtype=h5py.string_dtype("utf-8")))
    for name, encoding in (("codes", "array"), ("categories", "string-array")):
        group[name].attrs.update({"encoding-type": encoding, "encoding-version": "0.2.0"})
