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
    """There is nothing at the given path.

    Examples
    --------
    >>> open_dataset("missing.h5ad")
    Traceback (most recent call last):
    cxg_widget.errors.DatasetNotFound: 'missing.h5ad': no such file or directory.
    """


class TargetExists(CxgWidgetError, FileExistsError):
    """Something is at the path where a new store was to be written; nothing is overwritten.

    Examples
    --------
    >>> from cxg_widget.convert import convert
    >>> found = convert(demo(), "copy.cxg")
    >>> convert(demo(), "copy.cxg")
    Traceback (most recent call last):
    cxg_widget.errors.TargetExists: 'copy.cxg' exists already and is not overwritten; choose another path or remove it.
    """


class MergeConflict(CxgWidgetError, ValueError):
    """Labels were to be written where there are others; nothing was written.

    Attributes
    ----------
    n_ours, n_theirs : how many cells have a label here, and there
    n_differing : how many have another one there, or in one place alone

    Examples
    --------
    >>> w.annotations.new("mine").assign("killer")
    80
    >>> w.annotations.save("mine.csv")
    >>> w.annotations["mine"].rename("killer", "NK")
    >>> w.annotations.save("mine.csv")
    Traceback (most recent call last):
    cxg_widget.errors.MergeConflict: 'mine.csv' already has labels 'mine': ...
    """

    def __init__(self, sentence: str, n_ours: int = 0, n_theirs: int = 0, n_differing: int = 0) -> None:
        super().__init__(sentence)
        self.n_ours, self.n_theirs, self.n_differing = n_ours, n_theirs, n_differing


class TargetNotWritten(CxgWidgetError, OSError):
    """A new store cannot be written: the disk is full, or refuses.

    Examples
    --------
    >>> w.save("no folder/plot.png")
    Traceback (most recent call last):
    cxg_widget.errors.TargetNotWritten: ...
    """


class UnknownFormat(CxgWidgetError, ValueError):
    """Something is at the given path, but it is no store that this package reads.

    Examples
    --------
    >>> with open("notes.txt", "w") as file:
    ...     n_written = file.write("no cells")
    >>> open_dataset("notes.txt")
    Traceback (most recent call last):
    cxg_widget.errors.UnknownFormat: 'notes.txt' is not a CXG, ...
    """


class MissingDependency(CxgWidgetError, ImportError):
    """The store is known, but the library that reads it is not installed.

    Examples
    --------
    >>> try:
    ...     figure = w.dotplot("CD3E", "condition").figure()
    ... except MissingDependency as error:
    ...     print(error)  # ends with the command that installs it: pip install 'cxg-widget[figures]'
    """


class InvalidStore(CxgWidgetError, ValueError):
    """The store contradicts itself or lacks a part it must have.

    Examples
    --------
    >>> open_dataset({"score": [0.5, 1.5]}).embedding()
    Traceback (most recent call last):
    cxg_widget.errors.InvalidStore: dict of arrays in memory: it has no two columns of numbers to be axes.
    """


class OtherFormat(InvalidStore):
    """The store is of a format that another reader opens.

    Attributes
    ----------
    format : its word

    Examples
    --------
    >>> try:
    ...     dataset = open_dataset(demo(), format="cxg")
    ... except OtherFormat as error:
    ...     dataset = open_dataset(demo(), format=error.format)
    """

    def __init__(self, sentence: str, format_: str) -> None:
        super().__init__(sentence)
        self.format = format_


class DamagedStore(CxgWidgetError, OSError):
    """Data that the store's schema promises are missing or cannot be decoded.

    Examples
    --------
    >>> with open("cells.parquet", "wb") as file:
    ...     n_written = file.write(b"PAR1, and no more")
    >>> open_dataset("cells.parquet")
    Traceback (most recent call last):
    cxg_widget.errors.DamagedStore: cells.parquet cannot be read as Parquet: ...
    """


class DamagedText(DamagedStore):
    """Text of which the places of its strings are damaged, which can end the process that reads some of them.

    Examples
    --------
    >>> try:
    ...     names = dataset.obs_names()
    ... except DamagedText as error:
    ...     print(error)  # names the column
    """


class OutOfMemory(CxgWidgetError, MemoryError):
    """Work needed more memory than the system gave; what was there before it is as it was.

    Examples
    --------
    >>> try:
    ...     block = dataset.gather()
    ... except OutOfMemory:
    ...     block = dataset.gather(rows=np.arange(100))
    """


class StorageError(CxgWidgetError, OSError):
    """Storage far away did not do what it should; the dataset stays usable, and trying again may help.

    Examples
    --------
    >>> try:
    ...     open_dataset("https://localhost:1/data.h5ad")
    ... except StorageError as error:
    ...     print(type(error).__name__)
    StorageUnavailable
    """


class StorageDenied(StorageError, PermissionError):
    """The storage refused: credentials are missing, wrong or for something else.

    Examples
    --------
    >>> try:
    ...     found = open_dataset(demo())  # such as s3://bucket/data.cxg
    ... except StorageDenied:
    ...     found = open_dataset(demo(), storage_options={"anon": True})
    """


class StorageUnavailable(StorageError, ConnectionError):
    """The storage cannot be reached, broke the connection off, or answered with an error of its own.

    Examples
    --------
    >>> open_dataset("https://localhost:1/data.h5ad")
    Traceback (most recent call last):
    cxg_widget.errors.StorageUnavailable: https://localhost:1/data.h5ad: the storage cannot be reached: ...
    """


class StorageTimeout(StorageError, TimeoutError):
    """The storage did not answer in time.

    Examples
    --------
    >>> import socket
    >>> silent = socket.create_server(("localhost", 0))
    >>> address = f"http://localhost:{silent.getsockname()[1]}/data.h5ad"
    >>> open_dataset(address, storage_options={"read_timeout": 0.1})
    Traceback (most recent call last):
    cxg_widget.errors.StorageTimeout: ...
    >>> silent.close()
    """


class ClusterLost(CxgWidgetError, ConnectionError):
    """The Dask client was closed, or its workers died.

    Examples
    --------
    >>> try:
    ...     found = w.compare({"cell_type": "NK cell"})
    ... except ClusterLost:
    ...     w.close()  # then make a new Dask client, and a widget with dask=client
    """


class Overtaken(CxgWidgetError, RuntimeError):
    """Newer work of the same kind took the place of this; nobody waits for its result any more.

    Examples
    --------
    >>> try:
    ...     picture = w.save("plot.png")
    ... except Overtaken:
    ...     picture = w.save("plot.png")
    """


class ClosedDataset(CxgWidgetError, ValueError):
    """The dataset was used after it was closed.

    Examples
    --------
    >>> dataset.close()
    >>> dataset.obs()
    Traceback (most recent call last):
    cxg_widget.errors.ClosedDataset: ... was closed; open it again with open_dataset().
    """


class UnknownName(CxgWidgetError, KeyError, ValueError):
    """There is no column, gene, embedding, layer or category of that name.

    Examples
    --------
    >>> w.color = "cel_type"
    Traceback (most recent call last):
    cxg_widget.errors.UnknownName: ... Did you mean 'cell_type'?
    """

    def __str__(self) -> str:
        """Return the sentence itself; `KeyError` alone would quote it."""
        return str(self.args[0]) if self.args else ""


class InvalidOption(CxgWidgetError, TypeError):
    """An unknown keyword, or a value whose type does not fit.

    Examples
    --------
    >>> CxgWidget(demo(), colour="cell_type")
    Traceback (most recent call last):
    cxg_widget.errors.InvalidOption: CxgWidget has no option 'colour'. Did you mean 'color'?
    """


class InvalidValue(CxgWidgetError, ValueError):
    """A value outside of what is allowed.

    Examples
    --------
    >>> w.opacity = 2
    Traceback (most recent call last):
    cxg_widget.errors.InvalidValue: opacity must be a number from 0 to 1; found 2
    """


class SelectionError(CxgWidgetError, ValueError):
    """A selection that cannot be made from what was given.

    Examples
    --------
    >>> w.select([True, False])
    Traceback (most recent call last):
    cxg_widget.errors.SelectionError: the mask has 2 values, but the dataset has 1,000 cells
    """


class Cancelled(CxgWidgetError, RuntimeError):
    """Work that lasts was given up because nobody waits for it any more.

    Examples
    --------
    >>> try:
    ...     found = w.compare({"cell_type": "NK cell"})
    ... except Cancelled:
    ...     found = None
    """


class ProtocolError(CxgWidgetError, ValueError):
    """A message that breaks the schema in `protocol.py`."""
