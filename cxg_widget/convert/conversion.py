"""`convert`: from a path or an open dataset to a new store."""
# Changes with cxg_widget/cli/convert.py and cxg_widget/convert/choice.py: options of a conversion.
# Changes with cxg_widget/convert/job.py: options of a conversion.

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from cxg_widget.convert.choice import Axes, Choice, Genes, choose
from cxg_widget.convert.copy_matrix import Carried
from cxg_widget.convert.job import Job
from cxg_widget.convert.progress import Progress, progress_bar, within
from cxg_widget.convert.slice import Slice
from cxg_widget.datasets import Dataset, open_dataset
from cxg_widget.errors import InvalidOption, InvalidStore, InvalidValue, MissingDependency, UnknownName
from cxg_widget.files.kept_folder import kept_folder
from cxg_widget.files.target import check_free, local_path
from cxg_widget.files.writing import writing
from cxg_widget.text.names import not_found

Format = Literal["cxg", "h5ad"]
_FETCHED = 0.5
"""Share of the progress for reading values into files."""
_SUFFIXES: dict[str, Format] = {".cxg": "cxg", ".h5ad": "h5ad"}


@dataclass(frozen=True)
class Conversion:
    """Result of a conversion.

    Attributes
    ----------
    target : path of the new store
    format : "cxg" or "h5ad"
    n_obs, n_var : its shape
    n_values : number of non-zero values of the matrix, None without a matrix
    dense : whether the matrix is stored as dense
    left_out : sentences on what could not be converted, or not exactly

    Examples
    --------
    >>> from cxg_widget.convert import convert
    >>> made = convert(demo(), "small.cxg", genes=["CD3E", "NKG7"], progress=False)
    >>> made.n_var, made.left_out
    (2, ())
    """

    target: Path
    format: Format
    n_obs: int
    n_var: int
    n_values: int | None
    dense: bool
    left_out: tuple[str, ...]


def convert(
    source: str | os.PathLike[str] | Dataset,
    target: str | os.PathLike[str],
    *,
    format: str | None = None,
    source_format: str | None = None,
    layer: str | None = None,
    where: str | None = None,
    genes: Genes | None = None,
    embeddings: Mapping[str, Axes] | None = None,
    best: bool = False,
    explorer_diffexp: bool = False,
    progress: bool | Progress | None = None,
    **options: Any,
) -> Conversion:
    """Convert a dataset to a CXG 0.3.0 or an AnnData .h5ad.

    The matrix is read once, in blocks; if it must be transposed, it is stored in a folder next to the target meanwhile.
    Memory does not grow with the number of values: a million cells with a hundred million values take less than 2 GiB.

    With `where`, `genes` or `embeddings`, and for remote stores, values are first read into a folder next to the
    target. If a run is killed or interrupted, the same call resumes from there.

    Parameters
    ----------
    source : as for `open_dataset`
    target : path of the new store, which must not exist
    format : "cxg" or "h5ad"; None = by the suffix of `target`
    source_format : format of the source; None = detect it
    layer : layer to convert as the matrix; None = the main matrix, and for an .h5ad also all layers
    where : convert only cells that match a query, as for filters: "tissue == 'lung' and n_genes > 500"; categories
        without cells are left out
    genes : convert only these: names, or the path of a file with one per line
    embeddings : additional ones, {name: two numeric columns or genes, such as ("n_genes", "CD3E"), or the path of a
        .csv with cell names in the first column and axes in the others}
    best : smallest output; takes several times as long
    explorer_diffexp : store a dense matrix in tiles of whole rows, for differential expression in CELLxGENE; reading a
        gene then takes fifty times as long
    progress : True = a bar with the remaining time, False = nothing, None = a bar if stderr is a terminal; or a
        function of a description and the finished share
    **options : as for `open_dataset`

    Returns
    -------
    Conversion, after the target is complete; after an error or an interruption there is no target

    Raises
    ------
    TargetExists
        If `target` exists.
    TargetNotWritten
        If the disk is full or refuses.
    InvalidValue
        If `target` is not a local path, or its format cannot be inferred.
    UnknownName
        If there is no such layer, column or gene.
    SelectionError
        If `where` is invalid, or no cell matches it.
    StorageError
        If remote storage fails; data that were read are kept for the next run.
    MissingDependency
        If the library for one of the two formats is not installed.
    InvalidStore, DamagedStore
        If the source contradicts itself, or its matrix cannot be read.

    Examples
    --------
    >>> from cxg_widget.convert import convert
    >>> made = convert(demo(), "nk.cxg", where="cell_type == 'NK cell'", progress=False)
    >>> made.n_obs
    80
    """
    path = local_path(target)
    written = _target_format(path, format)
    _check_options(written, explorer_diffexp)
    check_free(path)
    given = isinstance(source, Dataset)
    opened = open_dataset(source, format=source_format, **options)
    with nullcontext() if given else opened, progress_bar(progress) as tell:
        if layer is not None and layer not in opened.layers:
            raise UnknownName(not_found("layer", layer, opened.layers, opened.title))
        chosen = choose(opened, where, genes, embeddings, layer)
        is_slice = opened.is_remote or any(one is not None for one in (where, genes, embeddings))
        with (
            _sliced(opened, chosen, path, layer, tell) if is_slice else nullcontext((opened, tell)) as (
                chosen_dataset,
                tell_part,
            )
        ):
            with writing(path) as place:
                job = Job(chosen_dataset, place, layer, best, explorer_diffexp, tell_part)
                carried = _writer(written)(job)
            return Conversion(
                path,
                written,
                chosen_dataset.n_obs,
                chosen_dataset.n_var,
                None if carried is None else carried.n_values,
                carried is not None and carried.dense,
                tuple(dict.fromkeys([*job.left_out, *chosen.notes, *opened.notes])),
            )


@contextmanager
def _sliced(
    opened: Dataset, chosen: Choice, target: Path, layer: str | None, tell: Progress
) -> Iterator[tuple[Dataset, Progress]]:
    """Yield the selection, with its matrix read into files next to the target, and a callback for further progress."""
    with kept_folder(target, chosen.key(opened)) as folder, Slice(opened, chosen, folder) as found:
        with suppress(InvalidStore):  # of a dataset without a matrix, which the writer reports
            found.fetch(layer, within(tell, "fetching", 0.0, _FETCHED))
        yield found, lambda what, part: tell(what, _FETCHED + (1 - _FETCHED) * part)


def _writer(format_: Format) -> Callable[[Job], Carried | None]:
    if format_ == "cxg":
        from cxg_widget.convert.to_cxg import write_cxg

        return write_cxg
    from cxg_widget.convert.to_h5ad import write_h5ad

    return write_h5ad


def _check_options(format_: Format, explorer_diffexp: bool) -> None:
    if format_ == "h5ad" and explorer_diffexp:
        raise InvalidOption("explorer_diffexp sets the tiles of a CXG; an .h5ad has no tiles.")
    if format_ == "h5ad" and find_spec("h5py") is None:
        raise MissingDependency("writing an .h5ad needs h5py: pip install 'cxg-widget[h5ad]'")


def _target_format(target: Path, wanted: str | None) -> Format:
    """Return the format to write: as requested, else by the suffix."""
    by_suffix = _SUFFIXES.get(target.suffix.lower())
    if wanted is None:
        if by_suffix is None:
            raise InvalidValue(f"'{target}' ends neither in .cxg nor in .h5ad; say which one with format= (--format).")
        return by_suffix
    found = next((one for one in _SUFFIXES.values() if one == wanted), None)
    if found is None:
        raise InvalidValue(f"cannot write the format {wanted!r}; it is one of {', '.join(_SUFFIXES.values())}.")
    if by_suffix not in (None, found):
        raise InvalidValue(
            f"'{target}' has the suffix of {by_suffix}, but the format to write is {found}; source_format= "
            "(--source-format) is the format of the source."
        )
    return found
