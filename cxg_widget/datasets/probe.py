"""Reads an untrusted store first in a separate process, which may crash or hang."""

from __future__ import annotations

import ctypes
import pickle
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from cxg_widget.compute.child import Tell, attempt
from cxg_widget.errors import DamagedStore, DamagedText, InvalidOption

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Opener = Callable[..., "Dataset"]
SILENCE_S = 60.0
"""Seconds of silence after which the process counts as hung; no single read takes longer."""
_ROWS, _FEW_ROWS = 2**20, 1_000
_M_PERTURB = -6


def probe_in_subprocess(opener: Opener, path: str, format_: str | None, options: Mapping[str, Any]) -> None:
    """Read in a separate process everything that could crash or block this one.

    Other errors are left to the code that opens the store.
    """
    for name, value in options.items():
        _check_sendable(name, value)
    found = attempt(_read, opener, path, format_, dict(options), silence_s=SILENCE_S)
    if isinstance(found.outcome, DamagedText):
        raise found.outcome
    if found.ending:
        what = found.reading or "it"
        raise DamagedStore(
            f"{path}: reading {what} ended the process that read it first ({found.ending}); the store is damaged."
        )


def _check_sendable(name: str, value: Any) -> None:
    try:
        pickle.dumps(value)
    except Exception:
        raise InvalidOption(
            f"{name} is a {type(value).__name__}, which cannot be sent to the separate process of isolated=True; "
            "pass storage_options=, or config as a dict."
        ) from None


def _read(tell: Tell, opener: Opener, path: str, format_: str | None, options: dict[str, Any]) -> None:
    damaged: DamagedText | None = None
    tell("schema and metadata")
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        with opener(path, format=format_, **options) as dataset:
            for what, read in _parts(dataset):
                tell(what)
                try:
                    _read_twice(f"{path}: {what}", read)
                except DamagedText as error:
                    damaged = damaged or error
    if damaged is not None:
        raise damaged


def _read_twice(what: str, read: Callable[[], object]) -> None:
    """Raise DamagedText if a read gives another result when fresh memory is filled with other bytes.

    TileDB returns uninitialized memory for a tile whose header is lost, which may look right by luck.
    """
    first = _outcome(read)
    with _filled_memory():
        if _outcome(read) != first:
            raise DamagedText(f"{what} gives different data each time it is read; the store is damaged.")


def _outcome(read: Callable[[], object]) -> bytes | str:
    try:
        into = BytesIO()
        pickler = pickle.Pickler(into)
        pickler.fast = True  # then equal texts are pickled to equal bytes, whether or not they are one object
        pickler.dump(read())
        return into.getvalue()
    except DamagedText:  # this process survived it, the next may not
        raise
    except Exception as error:
        return str(error)  # reading it later raises the same error


@contextmanager
def _filled_memory() -> Iterator[None]:
    """Make glibc fill the memory that it allocates; other systems have no such option."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        yield
        return
    mallopt(_M_PERTURB, 0x55)
    try:
        yield
    finally:
        mallopt(_M_PERTURB, 0)


def _parts(dataset: Dataset) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield readers of all text, in blocks of rows, and of the start of everything else."""
    few = min(dataset.n_obs, _FEW_ROWS)
    yield "the names of vars", lambda: dataset.var_labels
    for name in list(dataset.var_columns):  # `var` leaves out damaged ones
        yield f"var column {name!r}", partial(dataset._read_var, name)
    yield "gene sets", lambda: dataset.gene_sets
    if dataset.obs_index is not None:
        yield from _text(dataset, dataset.obs_index, "the obs index")
    for name, column in list(dataset.obs_columns.items()):
        if column.kind == "string":
            yield from _text(dataset, name, f"obs column {name!r}")
        else:
            yield f"obs column {name!r}", partial(dataset.values_block, name, 0, few)
    for name in list(dataset.embeddings):
        yield f"embedding {name!r}", partial(dataset.embedding_block, name, (0, 1), 0, few)
    if dataset.n_var:
        yield "the matrix", lambda: dataset.vector_block(dataset.var_labels[0], None, 0, few)


def _text(dataset: Dataset, name: str, what: str) -> Iterator[tuple[str, Callable[[], object]]]:
    for start in range(0, dataset.n_obs, _ROWS):
        yield what, partial(dataset.values_block, name, start, min(start + _ROWS, dataset.n_obs))
