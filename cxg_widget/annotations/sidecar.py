"""Files of annotations alone (Parquet, CSV or CXG), keyed by the obs index; writing, reading, matching cells."""
# Changes with cxg_widget/annotations/saving.py: formats of saved annotations.
# Changes with js/src/panels/annotations/save_form.js: formats of saved annotations.

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.annotations.conflicts import OnConflict, aligned, as_categorical, to_write
from cxg_widget.annotations.in_cxg import check_fit, read_cxg, write_cxg
from cxg_widget.annotations.labels import as_labels
from cxg_widget.annotations.log import MOST_ANNOTATIONS, Log, check_step
from cxg_widget.annotations.replay import packed
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import DatasetNotFound, InvalidStore, InvalidValue, MissingDependency, TargetExists
from cxg_widget.files.target import check_replaceable, local_path
from cxg_widget.files.writing import writing
from cxg_widget.text.names import shortened, shown
from cxg_widget.text.spreadsheet import harmless, restored
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.datasets.base.dataset import Dataset

_MOST_COLUMNS = 10_000
"""Most commas in the first row of a CSV, some of which may be in names; pandas needs minutes for far more."""
SUFFIXES = (".parquet", ".csv", ".cxg")
_KEY = "cxg_widget"
_ESCAPED = "harmless"
"""Marks a CSV whose texts have an apostrophe where a spreadsheet would run a formula."""


def save_sidecar(path: Path, ours: pd.DataFrame, dataset: Dataset, way: OnConflict) -> None:
    """Write annotations, one column each; other annotations in an existing file are kept.

    ours : categoricals with the obs index
    """
    table, where = ours, f"'{path}'"
    is_there = os.path.lexists(path)
    if is_there:
        check_replaceable(path, is_folder=path.is_dir())
        theirs = _there(path)
        mine, are_ours = aligned(ours, theirs.index, where)
        found = to_write(mine, theirs, are_ours, where, way)
        if not found:
            return
        table = theirs.assign(**found)
    metadata = {"identity": _digest_of(dataset), "title": dataset.title, "n_obs": dataset.n_obs}
    orders = {name: [list(one.cat.categories), bool(one.cat.ordered)] for name, one in table.items()}
    table.attrs = {_KEY: {**metadata, "categories": orders}}
    if path.suffix == ".cxg":
        check_fit(path, table)
        with writing(path, replaces=is_there, is_folder=True) as place:
            write_cxg(place.partial, table, _KEY)
        return
    with writing(path, replaces=True) as place, _parquet(path):
        if path.suffix == ".parquet":
            table.to_parquet(place.partial)
        else:
            with place.partial.open("w", encoding="utf-8", newline="") as file:
                attrs = {_KEY: {**table.attrs[_KEY], _ESCAPED: True}}
                file.write(f"# {json.dumps(attrs)}\n")
                # Without quotes a lone carriage return is lost, and "#" starts a comment.
                _mapped(table, harmless).to_csv(file, quoting=csv.QUOTE_ALL)


def _there(path: Path) -> pd.DataFrame:
    """Return the annotations of an existing target; raises `TargetExists` if it is something else."""
    where, advice = f"'{path}'", "and is not overwritten; choose another path."
    is_cxg = path.suffix == ".cxg"
    if path.is_dir() != is_cxg:
        raise TargetExists(f"{where} is {'not a CXG' if is_cxg else 'a folder'}, {advice}")
    theirs = _read(path)
    if theirs is None or _KEY not in theirs.attrs:
        raise TargetExists(f"{where} holds something other than annotations, {advice}")
    return theirs


def read_table(path: Path) -> pd.DataFrame:
    """Return annotations of a file as categoricals by cell name; `attrs` identify their dataset."""
    if not (path.is_dir() if path.suffix == ".cxg" else path.is_file()):
        raise DatasetNotFound(f"'{path}': no such file.")
    found = _read(path)
    if found is None:
        raise InvalidStore(f"'{path}' holds something other than annotations; open_dataset(path) opens a whole CXG.")
    return found


def _read(path: Path) -> pd.DataFrame | None:
    import pandas as pd

    if path.suffix == ".cxg":
        found = read_cxg(path, _KEY)
        return None if found is None else _with_orders(found)
    try:
        with _parquet(path):
            table = pd.read_parquet(path) if path.suffix == ".parquet" else _read_csv(path)
            return _with_orders(table)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, NotImplementedError, RecursionError) as error:
        # The last ones are raised by invalid Parquet or JSON metadata.
        raise InvalidStore(
            f"'{path}' cannot be read as {path.suffix}: {shortened(str(error), 200).rstrip('.')}."
        ) from error


def read_annotations(path: str | os.PathLike[str], dataset: Dataset) -> list[dict[str, Any]]:
    """Return the annotations of a file for a dataset, as in a state; warns if they are of another dataset."""
    import pandas as pd

    file = checked_path(path)
    table, where = read_table(file), f"'{file}'"
    names = pd.Index(dataset.obs_names(), dtype=object)
    found, n_known = _over(table, names, where, dataset)
    metadata = table.attrs.get(_KEY)
    identity = metadata.get("identity") if isinstance(metadata, dict) else None
    if identity is not None and identity != _digest_of(dataset):
        warn_caller(
            f"{where} was saved from another dataset, or another state of this one; {n_known:,} of "
            f"{dataset.obs_noun.counted(dataset.n_obs)} are in it."
        )
    labels = {str(name): _codes_of(as_categorical(column)) for name, column in found.items()}
    return [{"name": name, "log": Log([check_step(packed(codes, dataset), 0)])} for name, codes in labels.items()]


def _digest_of(dataset: Dataset) -> str:
    """Return a key of these cells without their path, since files of labels are given to other people."""
    return sha256(dataset.obs_identity.encode(errors="surrogatepass")).hexdigest()[:32]


def checked_path(path: Any) -> Path:
    """Return the path of a file; raises `InvalidValue` unless it is a local path with a known suffix."""
    file = local_path(path)
    if file.suffix not in SUFFIXES:
        raise InvalidValue(f"annotations are saved in a .parquet, a .csv or a .cxg; found {shown(os.fspath(path))}")
    return file


def _over(table: pd.DataFrame, names: pd.Index, where: str, dataset: Dataset) -> tuple[pd.DataFrame, int]:
    """Return the labels of a table in the order of the cells, and the number of labeled cells."""
    theirs = table.set_axis(table.index.astype(str).astype(object))
    if theirs.index.equals(names):
        return theirs, len(names)
    noun = dataset.obs_noun
    for index, place in ((theirs.index, where), (names, "the dataset")):
        if not index.is_unique:
            raise InvalidValue(f"{noun.many} of {where} are matched by name, but {place} has some names twice")
    places = theirs.index.get_indexer(names)
    n_known = int(np.count_nonzero(places >= 0))
    if n_known == 0:
        first = shown(str(theirs.index[0])) if len(theirs) else "nothing"
        raise InvalidValue(
            f"{where} holds none of these {noun.many}: it begins with {first}, the dataset with {shown(names[0])}"
        )
    return theirs.reindex(names), n_known


def _codes_of(labels: pd.Series) -> Codes:
    codes = labels.cat.codes.to_numpy().astype(np.int32)
    return as_labels(Codes(codes, tuple(labels.cat.categories), bool(labels.cat.ordered)))


def _with_orders(table: pd.DataFrame) -> pd.DataFrame:
    """Return all columns as categoricals, with the order of categories that the file states."""
    import pandas as pd

    metadata = table.attrs.get(_KEY)
    orders = metadata.get("categories") if isinstance(metadata, dict) else None
    for name in table.columns:
        labels = as_categorical(table[name])
        order, ordered = _order_of(orders, str(name))
        if set(order) >= set(labels.cat.categories):
            # Not astype, for which a categorical with another order is the same dtype.
            labels = labels.cat.set_categories(pd.Index(order, dtype=object), ordered=ordered)
        table[name] = labels
    return table


def _order_of(orders: Any, name: str) -> tuple[list[str], bool]:
    """Return the labels of a column in order, and whether they are ordered, if a file states both."""
    stated = orders.get(name) if isinstance(orders, dict) else None
    if not isinstance(stated, list) or len(stated) != 2 or not isinstance(stated[0], list):
        return [], False
    are_texts = all(isinstance(label, str) for label in stated[0]) and len(set(stated[0])) == len(stated[0])
    return (stated[0], stated[1] is True) if are_texts else ([], False)


def _read_csv(path: Path) -> pd.DataFrame:
    """Read a CSV of this package or CELLxGENE: comments, then a table whose first column is the index."""
    import pandas as pd

    metadata: Any = {}
    with path.open(encoding="utf-8") as file:
        n = 0
        for line in file:
            if not line.startswith("#"):
                break
            n += 1
            if line.startswith("# {") and n == 1:
                metadata = json.loads(line[2:])
                break
    with path.open(encoding="utf-8") as file:
        n_columns = next(islice(file, n, None), "").count(",")
    if n_columns > _MOST_COLUMNS:
        raise ValueError(f"it has {n_columns:,} columns, and annotations at most {MOST_ANNOTATIONS}")
    table = pd.read_csv(path, skiprows=n, index_col=0, dtype=str, keep_default_na=False, na_values=[])
    table = table.where(table != "", None)  # a label is never empty, but the name of a row may be
    if isinstance(metadata, dict) and isinstance(metadata.get(_KEY), dict):
        table = _mapped(table, restored) if metadata[_KEY].get(_ESCAPED) is True else table
        table.attrs = {_KEY: metadata[_KEY]}
    return table


def _mapped(table: pd.DataFrame, change: Callable[[Any], Any]) -> pd.DataFrame:
    """Return a table of texts with every label and name changed."""
    import pandas as pd

    columns = [table.iloc[:, at].astype(object).map(change, na_action="ignore").array for at in range(table.shape[1])]
    index = pd.Index([change(name) for name in table.index], name=change(table.index.name), dtype=object)
    found = pd.DataFrame(dict(enumerate(columns)), index=index)
    return found.set_axis([change(name) for name in table.columns], axis="columns")


@contextmanager
def _parquet(path: Path) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise MissingDependency(f"'{path.name}' needs pyarrow: pip install pyarrow; or save a .csv.") from error
