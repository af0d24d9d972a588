"""Every exception this package raises; nothing else lives here."""

from __future__ import annotations

from cxg_widget.text.names import shortened
from cxg_widget.text.redaction import redacted
from cxg_widget.text.short_traceback import lines_of


class CxgWidgetError(Exception):
    """Base of all exceptions of this package: one sentence that says what is wrong and what would be right.

    Of what was given, some 500 characters are repeated at most, and no secret within an address.

    Attributes
    ----------
    quoted : what a library said, where the sentence quotes it in brackets; "" where it does not

    Examples
    --------
    >>> try:
    ...     w.color = "CD3"
    ... except CxgWidgetError as error:
    ...     print(type(error).__name__)
    UnknownName
    """

    quoted: str = ""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shortened(redacted(one)) if isinstance(one, str) else one for one in args))

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows: the lines that lead here from outside of this package, and the sentence."""
        return lines_of(self)


class DatasetNotFound(CxgWidgetError, FileNotFoundError):
    """There is nothing at the given path."""


class TargetExists(CxgWidgetError, FileExistsError):
    """Something is at the path where a new store was to be written; nothing is overwritten."""


class MergeConflict(CxgWidgetError, ValueError):
    """Labels were to be written where there are others; nothing was written.

    Attributes
    ----------
    n_ours, n_theirs : how many cells have a label here, and there
    n_differing : how many have another one there, or in one place alone
    """

    def __init__(self, sentence: str, n_ours: int = 0, n_theirs: int = 0, n_differing: int = 0) -> None:
        super().__init__(sentence)
        self.n_ours, self.n_theirs, self.n_differing = n_ours, n_theirs, n_differing


class TargetNotWritten(CxgWidgetError, OSError):
    """A new store cannot be written: the disk is full, or refuses."""


class UnknownFormat(CxgWidgetError, ValueError):
    """Something is at the given path, but it is no store that this package reads."""


class MissingDependency(CxgWidgetError, ImportError):
    """The store is known, but the library that reads it is not installed."""


class InvalidStore(CxgWidgetError, ValueError):
    """The store contradicts itself or lacks a part it must have."""


class OtherFormat(InvalidStore):
    """The store is of a format that another reader opens.

    Attributes
    ----------
    format : its word
    """

    def __init__(self, sentence: str, format_: str) -> None:
        super().__init__(sentence)
        self.format = format_


class DamagedStore(CxgWidgetError, OSError):
    """Data that the store's schema promises are missing or cannot be decoded."""


class DamagedText(DamagedStore):
    """Text of which the places of its strings are damaged, which can end the process that reads some of them."""


class OutOfMemory(CxgWidgetError, MemoryError):
    """Work needed more memory than the system gave; what was there before it is as it was."""


class StorageError(CxgWidgetError, OSError):
    """Storage far away did not do what it should; the dataset stays usable, and trying again may help."""


class StorageDenied(StorageError, PermissionError):
    """The storage refused: credentials are missing, wrong or for something else."""


class StorageUnavailable(StorageError, ConnectionError):
    """The storage cannot be reached, broke the connection off, or answered with an error of its own."""


class StorageTimeout(StorageError, TimeoutError):
    """The storage did not answer in time."""


class ClusterLost(CxgWidgetError, ConnectionError):
    """The Dask client was closed, or its workers died."""


class Overtaken(CxgWidgetError, RuntimeError):
    """Newer work of the same kind took the place of this; nobody waits for its result any more."""


class ClosedDataset(CxgWidgetError, ValueError):
    """The dataset was used after it was closed."""


class UnknownName(CxgWidgetError, KeyError, ValueError):
    """There is no column, gene, embedding, layer or category of that name."""

    def __str__(self) -> str:
        """Return the sentence itself; `KeyError` alone would quote it."""
        return str(self.args[0]) if self.args else ""


class InvalidOption(CxgWidgetError, TypeError):
    """An unknown keyword, or a value whose type does not fit."""


class InvalidValue(CxgWidgetError, ValueError):
    """A value outside of what is allowed."""


class SelectionError(CxgWidgetError, ValueError):
    """A selection that cannot be made from what was given."""


class Cancelled(CxgWidgetError, RuntimeError):
    """Work that lasts was given up because nobody waits for it any more."""


class ProtocolError(CxgWidgetError, ValueError):
    """A message that breaks the schema in `protocol.py`."""
