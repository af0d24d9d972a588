"""Saves annotations: as a new file, as the obs of a new CXG, or into the obs of an existing file or object."""
# Changes with cxg_widget/annotations/sidecar.py: formats of saved annotations.

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from cxg_widget.annotations.conflicts import OnConflict, aligned, check_way, to_write
from cxg_widget.annotations.sidecar import SUFFIXES, save_sidecar
from cxg_widget.errors import InvalidOption, InvalidValue, TargetExists
from cxg_widget.files.target import check_replaceable, local_path
from cxg_widget.files.writing import writing
from cxg_widget.text.names import not_found, shown
from cxg_widget.text.spreadsheet import harmless

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

    from cxg_widget.datasets.base.dataset import Dataset


FORMS = {"xenium": "cell_id", "loupe": "barcode"}
"""First column of files for other programs."""


def save(dataset: Dataset, names: Sequence[str], path: Any, into: Any, on_conflict: Any) -> None:
    """Write some annotations of a dataset; see `Annotations.save`."""
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
    """Write label columns, with the obs index, into the obs of an AnnData object; all or none."""
    obs, where = adata.obs, "obs of the AnnData"
    mine, are_ours = aligned(ours, obs.index, where)
    for name, labels in to_write(mine, obs, are_ours, where, way).items():  # only after all of them are known to fit
        adata.obs[name] = labels


def save_as(form: Any, dataset: Dataset, names: Sequence[str], path: Any, into: Any) -> None:
    """Write the labels of one annotation for another program: a row for each labeled cell."""
    import pandas as pd

    if form not in FORMS:
        raise InvalidValue(not_found("form", form, FORMS, "save()"))
    if path is None or into is not None:
        raise InvalidOption(f"form={form!r} is of a new file: save('labels.csv', form={form!r})")
    if len(names) != 1:
        found = f"this widget has {len(names)}" if names else "this widget has none"
        raise InvalidOption(
            f"a file of form {form!r} holds one annotation, and {found}: "
            f"w.annotations['mine'].save('labels.csv', form={form!r})"
        )
    file = local_path(path)
    if file.suffix != ".csv":
        raise InvalidValue(f"form={form!r} is a .csv; found {shown(os.fspath(path))}")
    (labels,) = (column for _, column in dataset.obs(list(names)).items())
    known = labels[labels.notna()]
    frame = known.astype(object).map(harmless).to_frame("group" if form == "xenium" else harmless(names[0]))
    text = frame.set_axis(pd.Index(map(harmless, known.index), name=FORMS[form])).to_csv(lineterminator="\n")
    if os.path.lexists(file):
        check_replaceable(file, is_folder=file.is_dir())
        _check_same_kind(file, text)
    with writing(file, replaces=True) as place, place.partial.open("w", encoding="utf-8", newline="") as target:
        target.write(text)


def _check_same_kind(file: Path, text: str) -> None:
    """Raise `TargetExists` if an existing file starts differently, so that it was not saved by this function."""
    head = text.partition("\n")[0].encode()
    with file.open("rb") as there:
        if there.read(len(head) + 1).rstrip(b"\r\n") != head:
            raise TargetExists(f"'{file}' holds something other than such labels, and is not overwritten.")
