"""HDF5 in remote storage: h5py over a file read by ranges, with chunks in parallel."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import product
from typing import Any
from weakref import finalize

import h5py

from cxg_widget.datasets.anndata.h5 import H5Store, Wanted
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.location import without_signature
from cxg_widget.datasets.storage.objects import Objects
from cxg_widget.datasets.storage.range_file import RangeFile

_MOST_CHUNKS = 2**14
Range = tuple[int, int]


class FarH5Store(H5Store):
    """An HDF5 file in remote storage, open for reading.

    Parameters
    ----------
    uri : its address
    storage_options : see `storage.options.translate`

    Raises
    ------
    StorageError, DatasetNotFound
        If the file cannot be reached, or does not exist.
    DamagedStore
        If it is not HDF5, or its start is damaged.
    """

    _range_file: RangeFile

    def __init__(self, uri: str, storage_options: Mapping[str, Any] | None) -> None:
        self._objects = Objects(uri, storage_options)
        self._range_file = RangeFile(self._objects)
        failed: BaseException | None = None
        try:
            super().__init__(uri, uri)
        except Exception as error:
            failed, self._range_file.failed = self._range_file.failed or error, None
        if failed is not None:
            # A traceback keeps objects of h5py alive, which must be gone before the interpreter exits.
            raise failed.with_traceback(None)
        # HDF5 on a Python file crashes the process if it is open when the interpreter exits.
        self._at_exit = finalize(self, _close, self.file)

    def _open(self) -> h5py.File:
        self._counts_threads = False
        return h5py.File(self._range_file, "r")

    def state(self) -> str:
        """Return address, size and stamp of the file."""
        return f"{without_signature(self.uri)}#{self._range_file.size}#{self._range_file.stamp}"

    @property
    def traffic(self) -> Traffic:
        """Bytes and requests since the file was opened."""
        return self._objects.meter.so_far

    def close(self) -> None:
        """Close the file."""
        with self.lock:
            self._at_exit()

    @contextmanager
    def reading(self, what: str) -> Iterator[None]:
        """Admit one thread at a time to the library, and raise the errors of the storage, which HDF5 hides."""
        with self.lock:
            try:
                with super().reading(what):
                    yield
            finally:
                failed, self._range_file.failed = self._range_file.failed, None
                if failed is not None:
                    raise failed

    def fetched(self, wanted: Sequence[Wanted]) -> AbstractContextManager[None]:
        """Fetch the chunks of parts of datasets in parallel, and cache them for the reads in the `with` block."""
        return self._range_file.fetched([one for dataset, keys in wanted for one in _ranges(dataset, keys)])

    def _stamp(self) -> tuple[Any, Any]:
        return self.uri, self._range_file.stamp


def _ranges(dataset: Any, keys: tuple[slice, ...]) -> Iterator[Range]:
    """Yield the byte ranges of the file that contain a part of a dataset."""
    if not dataset.shape or not all(dataset.shape):
        return
    spans = [key.indices(length)[:2] for key, length in zip(keys, dataset.shape, strict=False)]
    spans += [(0, length) for length in dataset.shape[len(keys) :]]
    if dataset.chunks is None:
        begin = dataset.id.get_offset()
        if begin is not None:
            line = dataset.id.get_storage_size() // dataset.shape[0]
            yield begin + spans[0][0] * line, begin + spans[0][1] * line
        return
    steps = [
        range(start // chunk * chunk, stop, chunk) for (start, stop), chunk in zip(spans, dataset.chunks, strict=True)
    ]
    for _, coordinate in zip(range(_MOST_CHUNKS), product(*steps), strict=False):
        info = dataset.id.get_chunk_info_by_coord(coordinate)
        if info.byte_offset is not None:
            yield info.byte_offset, info.byte_offset + info.size


def _close(file: h5py.File) -> None:
    file.close()
