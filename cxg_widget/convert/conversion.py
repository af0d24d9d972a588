"""From a path, or an open dataset, to a new store."""
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
"""The part of the progress that is reading values into files."""
_SUFFIXES: dict[str, Format] = {".cxg": "cxg", ".h5ad": "h5ad"}


@dataclass(frozen=True)
class Conversion:
    """Result of a conversion.

    Attributes
    ----------
    target : the new store
    format : "cxg" or "h5ad"
    n_obs, n_var : its shape
    n_values : cells of the matrix that hold a value other than 0, None where it has no matrix
    dense : whether the matrix is stored as a dense one
    left_out : what could not be carried, or not as it was; a sentence each

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
    """Write a dataset anew, as a CXG 0.3.0 or an AnnData .h5ad.

    The matrix is read once, in blocks; where it has to be transposed, it waits in a folder next to the target. Memory
    does not grow with the number of values: a million cells with a hundred million values take less than 2 GiB.

    With `where`, `genes` or `embeddings`, and of what lies far away, values are first read into a folder next to the
    target. A run that is killed, interrupted or cut off leaves it there, and the same call goes on from it.

    Parameters
    ----------
    source : what `open_dataset` takes
    target : the store to make; there must be nothing
    format : "cxg" or "h5ad"; None = by the suffix of `target`
    source_format : to open the source as such without looking
    layer : the layer to carry as the matrix; None = the main matrix, and to an .h5ad also all layers
    where : carries the cells that meet a query, "tissue == 'lung' and n_genes > 500", as filters take it; categories
        that none of them has are left out
    genes : carries these alone: names, or the path of a file with one per line
    embeddings : further ones by name: two columns or genes of numbers, ("n_genes", "CD3E"), or the path of a .csv
        whose first column names cells and whose others are the axes
    best : smallest output; takes several times as long
    explorer_diffexp : store a dense matrix in tiles of whole rows, as differential expression in CELLxGENE reads it;
        a gene then takes fifty times as long to read
    progress : True shows a bar with the time left, False nothing, None a bar where stderr is a terminal; or a function
        that gets what is being done and the share that is done
    **options : as `open_dataset` takes them

    Returns
    -------
    Conversion, once the target is complete; after an error or an interruption there is no target

    Raises
    ------
    TargetExists
        If there is something at `target`.
    TargetNotWritten
        If the disk is full, or does not take it for another reason.
    InvalidValue
        If `target` is no local path, or its format cannot be inferred.
    UnknownName
        If there is no such layer, column or gene.
    SelectionError
        If `where` is no query, or no cell meets it.
    StorageError
        If storage far away fails; what was read is kept for the next run.
    MissingDependency
        If the library that reads or writes one of the two is not installed.
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
                told,
            )
        ):
            with writing(path) as place:
                job = Job(chosen_dataset, place, layer, best, explorer_diffexp, told)
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
    """Yield what was chosen, its matrix read into files beside the target, and what takes progress from there on."""
    with kept_folder(target, chosen.key(opened)) as folder, Slice(opened, chosen, folder) as found:
        with suppress(InvalidStore):  # of a dataset without a matrix, which the writer tells
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
    """Return the format to write: what is wanted, else what the suffix says."""
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
