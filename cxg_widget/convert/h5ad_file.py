"""Writes the encodings of AnnData 0.11 in HDF5; the converter's only importer of h5py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import h5py
import numpy as np
from numpy.typing import NDArray

from cxg_widget.convert.tables import Masked
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.files.lasting_file import LastingFile

_CHUNK = 1 << 16
_STRING = h5py.string_dtype("utf-8")


class H5adFile:
    """A new .h5ad, written in slabs.

    Raises
    ------
    OSError
        From any write, if the disk refuses; the file is then useless.
    """

    def __init__(self, path: Path, level: int) -> None:
        self._disk = LastingFile(path)
        self._file = h5py.File(self._disk, "w")
        self._stored = {"compression": "gzip", "compression_opts": level, "shuffle": True}
        _tag(self._file, "anndata", "0.1.0")
        for name in ("layers", "obsm", "obsp", "uns", "varm", "varp"):
            _tag(self._file.create_group(name), "dict", "0.1.0")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if error is None:
            self._disk.close()
        else:
            with suppress(OSError):
                self._disk.close()

    def begin_table(self, name: str, index: str, columns: Iterable[str]) -> None:
        """Make an empty `obs` or `var`, a dataframe."""
        group = _tag(self._file.create_group(name), "dataframe", "0.2.0")
        group.attrs["_index"] = index
        group.attrs["column-order"] = np.array(list(columns), dtype=_STRING)

    def begin_strings(self, path: str, n: int) -> None:
        """Make an empty column of strings."""
        _tag(self._empty(path, (n,), _STRING), "string-array", "0.2.0")

    def begin_array(self, path: str, shape: tuple[int, ...], dtype: Any) -> None:
        """Make an empty array of numbers or booleans."""
        _tag(self._empty(path, shape, dtype), "array", "0.2.0")

    def begin_masked(self, path: str, n: int, masked: Masked) -> None:
        """Make an empty column of values with a mask of the missing ones."""
        encoding = "nullable-string-array" if masked == "string" else f"nullable-{masked}"
        _tag(self._file.create_group(path), encoding, "0.1.0")
        if masked == "string":
            self.begin_strings(f"{path}/values", n)
        else:
            self.begin_array(f"{path}/values", (n,), np.bool_ if masked == "boolean" else np.int64)
        self.begin_array(f"{path}/mask", (n,), np.bool_)

    def begin_categorical(self, path: str, n: int, categories: tuple[Any, ...], *, ordered: bool) -> None:
        """Make an empty categorical column; its codes go to `path`/codes."""
        group = _tag(self._file.create_group(path), "categorical", "0.2.0")
        group.attrs["ordered"] = ordered
        dtype = np.min_scalar_type(-max(1, len(categories)))
        _tag(self._empty(f"{path}/codes", (n,), dtype), "array", "0.2.0")
        labels = np.array(list(categories)) if len({type(one) for one in categories}) == 1 else None
        if labels is not None and labels.dtype.kind in "biuf":
            group["categories"] = labels
            _tag(group["categories"], "array", "0.2.0")
        else:
            group["categories"] = np.array([text(str(one)) for one in categories], dtype=_STRING)
            _tag(group["categories"], "string-array", "0.2.0")

    def write(self, path: str, start: int, values: NDArray[Any] | Codes) -> None:
        """Write rows from `start` of an array, or of a categorical's codes."""
        if isinstance(values, Codes):
            path, values = f"{path}/codes", values.codes
        found = self._file[path]
        if values.dtype == object:
            values = np.array([text(one) for one in values.tolist()], dtype=object)
        if len(values):
            found[start : start + len(values)] = values.astype(found.dtype) if values.dtype != object else values
        self._disk.check()

    def begin_csr(self, path: str, shape: tuple[int, int]) -> None:
        """Make an empty csr_matrix."""
        group = _tag(self._file.create_group(path), "csr_matrix", "0.1.0")
        group.attrs["shape"] = np.array(shape, dtype=np.int64)
        for name, dtype in (("data", np.float32), ("indices", np.int32)):
            group.create_dataset(name, (0,), dtype, maxshape=(None,), chunks=(_CHUNK,), **self._stored)

    def append_csr(self, path: str, indices: NDArray[Any], values: NDArray[np.float32]) -> None:
        """Append the entries of the next rows."""
        group = self._file[path]
        for name, more in (("indices", indices), ("data", values)):
            found = group[name]
            begin = found.shape[0]
            found.resize(begin + len(more), axis=0)
            if len(more):
                found[begin:] = more
            self._disk.check()

    def end_csr(self, path: str, counts: NDArray[np.int64]) -> None:
        """Write the number of entries of each row."""
        starts = np.concatenate([[0], np.cumsum(counts)])
        dtype = np.int32 if starts[-1] <= np.iinfo(np.int32).max else np.int64
        self._file[path].create_dataset("indptr", data=starts.astype(dtype), **self._stored)

    def write_value(self, path: str, value: str | NDArray[Any] | Mapping[str, Any]) -> None:
        """Write a value of `uns`: text, an array of texts, or a dict of these."""
        if isinstance(value, str):
            self._file[path] = text(value)
            _tag(self._file[path], "string", "0.2.0")
        elif isinstance(value, Mapping):
            _tag(self._file.create_group(path), "dict", "0.1.0")
            for name, one in value.items():
                self.write_value(f"{path}/{name}", one)
        else:
            self._file[path] = np.array([text(str(one)) for one in value], dtype=_STRING)
            _tag(self._file[path], "string-array", "0.2.0")

    def remove(self, path: str) -> None:
        """Delete a path; its space is reused by later writes."""
        if path in self._file:
            del self._file[path]

    def _empty(self, path: str, shape: tuple[int, ...], dtype: Any) -> Any:
        if 0 in shape:
            return self._file.create_dataset(path, shape, dtype)
        rows = max(1, min(shape[0], _CHUNK // max(1, int(np.prod(shape[1:])))))
        return self._file.create_dataset(path, shape, dtype, chunks=(rows, *shape[1:]), **self._stored)


def text(value: str) -> str:
    """Return text that HDF5 can store: NUL and lone surrogates become U+FFFD."""
    return value.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _tag(found: Any, type_: str, version: str) -> Any:
    found.attrs["encoding-type"] = type_
    found.attrs["encoding-version"] = version
    return found
