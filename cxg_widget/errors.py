"""All exceptions of this package."""

from __future__ import annotations

from cxg_widget.text.names import shortened
from cxg_widget.text.redaction import redacted
from cxg_widget.text.short_traceback import lines_of


class CxgWidgetError(Exception):
    """Base class of all exceptions of this package: one sentence on what is wrong and what would work.

    The sentence repeats at most about 500 characters of a value, and no secrets of an address.

    Attributes
    ----------
    quoted : message of a library that the sentence quotes in brackets; "" if there is none

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
        """Return the traceback for a notebook: lines outside of this package, and the sentence."""
        return lines_of(self)


class DatasetNotFound(CxgWidgetError, FileNotFoundError):
    """The path does not exist.

    Examples
    --------
    >>> open_dataset("missing.h5ad")
    Traceback (most recent call last):
    cxg_widget.errors.DatasetNotFound: 'missing.h5ad': no such file or directory.
    """


class TargetExists(CxgWidgetError, FileExistsError):
    """The path of a new store is taken; nothing is overwritten.

    Examples
    --------
    >>> from cxg_widget.convert import convert
    >>> found = convert(demo(), "copy.cxg")
    >>> convert(demo(), "copy.cxg")
    Traceback (most recent call last):
    cxg_widget.errors.TargetExists: 'copy.cxg' exists already and is not overwritten; choose another path or remove it.
    """


class MergeConflict(CxgWidgetError, ValueError):
    """The target has other labels of that name; nothing was written.

    Attributes
    ----------
    n_ours, n_theirs : number of labeled cells here, and there
    n_differing : number of cells with different labels, or with a label in only one place

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
    """A file or store cannot be written: the disk is full, the folder is missing, or the path is a link.

    Examples
    --------
    >>> w.save("no folder/plot.png")
    Traceback (most recent call last):
    cxg_widget.errors.TargetNotWritten: ...
    """


class UnknownFormat(CxgWidgetError, ValueError):
    """The path exists, but is not a store that this package reads.

    Examples
    --------
    >>> with open("notes.txt", "w") as file:
    ...     n_written = file.write("no cells")
    >>> open_dataset("notes.txt")
    Traceback (most recent call last):
    cxg_widget.errors.UnknownFormat: 'notes.txt' is not a CXG, ...
    """


class MissingDependency(CxgWidgetError, ImportError):
    """The library that this format needs is not installed; the sentence has the command that installs it.

    Examples
    --------
    >>> try:
    ...     figure = w.dotplot("CD3E", "condition").figure()
    ... except MissingDependency as error:
    ...     print(error)  # ends with the command that installs it: pip install 'cxg-widget[figures]'
    """


class InvalidStore(CxgWidgetError, ValueError):
    """The store contradicts itself or lacks a required part.

    Examples
    --------
    >>> open_dataset({"score": [0.5, 1.5]}).embedding()
    Traceback (most recent call last):
    cxg_widget.errors.InvalidStore: dict of arrays in memory: it has no two columns of numbers to be axes.
    """


class OtherFormat(InvalidStore):
    """The store has a format that another reader opens.

    Attributes
    ----------
    format : word of that format, for `open_dataset(format=)`

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
    """Data that the schema of the store promises are missing or cannot be decoded.

    Examples
    --------
    >>> with open("cells.parquet", "wb") as file:
    ...     n_written = file.write(b"PAR1, and no more")
    >>> open_dataset("cells.parquet")
    Traceback (most recent call last):
    cxg_widget.errors.DamagedStore: cells.parquet cannot be read as Parquet: ...
    """


class DamagedText(DamagedStore):
    """Text with damaged offsets, which can crash the process that reads it.

    Examples
    --------
    >>> try:
    ...     names = dataset.obs_names()
    ... except DamagedText as error:
    ...     print(error)  # names the column
    """


class OutOfMemory(CxgWidgetError, MemoryError):
    """The system has too little memory for this work; everything else is unchanged.

    Examples
    --------
    >>> try:
    ...     block = dataset.gather()
    ... except OutOfMemory:
    ...     block = dataset.gather(rows=np.arange(100))
    """


class StorageError(CxgWidgetError, OSError):
    """Remote storage failed; the dataset stays usable, and a retry may help.

    Examples
    --------
    >>> try:
    ...     open_dataset("https://localhost:1/data.h5ad")
    ... except StorageError as error:
    ...     print(type(error).__name__)
    StorageUnavailable
    """


class StorageDenied(StorageError, PermissionError):
    """Remote storage denied access: credentials are missing, wrong or for something else.

    Examples
    --------
    >>> try:
    ...     found = open_dataset(demo())  # such as s3://bucket/data.cxg
    ... except StorageDenied:
    ...     found = open_dataset(demo(), storage_options={"anon": True})
    """


class StorageUnavailable(StorageError, ConnectionError):
    """Remote storage is unreachable, closed the connection, or reported an internal error.

    Examples
    --------
    >>> open_dataset("https://localhost:1/data.h5ad")
    Traceback (most recent call last):
    cxg_widget.errors.StorageUnavailable: https://localhost:1/data.h5ad: the storage cannot be reached: ...
    """


class StorageTimeout(StorageError, TimeoutError):
    """Remote storage did not answer in time.

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
    """Newer work of the same kind replaced this.

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
    """There is no column, gene, embedding, layer or category with that name; the sentence names the nearest.

    Examples
    --------
    >>> w.color = "cel_type"
    Traceback (most recent call last):
    cxg_widget.errors.UnknownName: ... Did you mean 'cell_type'?
    """

    def __str__(self) -> str:
        """Return the sentence; `KeyError` would quote it."""
        return str(self.args[0]) if self.args else ""


class InvalidOption(CxgWidgetError, TypeError):
    """The keyword is unknown, or the type of its value is wrong.

    Examples
    --------
    >>> CxgWidget(demo(), colour="cell_type")
    Traceback (most recent call last):
    cxg_widget.errors.InvalidOption: CxgWidget has no option 'colour'. Did you mean 'color'?
    """


class InvalidValue(CxgWidgetError, ValueError):
    """The value is not allowed.

    Examples
    --------
    >>> w.opacity = 2
    Traceback (most recent call last):
    cxg_widget.errors.InvalidValue: opacity must be a number from 0 to 1; found 2
    """


class SelectionError(CxgWidgetError, ValueError):
    """The argument does not select cells.

    Examples
    --------
    >>> w.select([True, False])
    Traceback (most recent call last):
    cxg_widget.errors.SelectionError: the mask has 2 values, but the dataset has 1,000 cells
    """


class Cancelled(CxgWidgetError, RuntimeError):
    """Long work was cancelled.

    Examples
    --------
    >>> try:
    ...     found = w.compare({"cell_type": "NK cell"})
    ... except Cancelled:
    ...     found = None
    """


class ProtocolError(CxgWidgetError, ValueError):
    """A message that breaks the schema in `protocol.py`."""
