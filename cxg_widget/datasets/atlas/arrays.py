"""Opens the Zarr arrays of an atlas and reads ranges of them; reads no file outside the store's folder."""

from __future__ import annotations

import io
import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import zarr
from numpy.typing import NDArray
from zarr.abc.store import ByteRequest
from zarr.core.buffer import Buffer, BufferPrototype
from zarr.storage import LocalStore

from cxg_widget.datasets.atlas.codecs import checked
from cxg_widget.datasets.atlas.packed_entries import PackedEntries
from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.metered_file import MeteredFile
from cxg_widget.errors import CxgWidgetError, DamagedStore, InvalidStore

_METADATA = "zarr.json"
_MAX_METADATA_BYTES = 16 * 2**20
_MAX_OPEN = 2048


def checked_path(root: Path, key: str) -> Path | None:
    """Return the path of a regular file of a store; None if there is none. Raises `InvalidStore` if it is outside."""
    path = os.path.realpath(os.path.join(root, key))
    if not path.startswith(os.path.realpath(root) + os.sep):
        raise InvalidStore(f"{root}: '{key}' lies outside the store and is not read.")
    try:
        return Path(path) if stat.S_ISREG(os.stat(path).st_mode) else None
    except OSError:
        return None


class FolderStore(LocalStore):
    """A Zarr store that reads only regular files inside its folder.

    Parameters
    ----------
    meter : counts the bytes read
    sparse : whether a missing chunk is an error. Zarr reads it as zeros, but the entries of a sparse matrix are hardly
        ever all zero, so there a missing chunk is a lost file.
    """

    def __init__(self, root: Path, meter: Meter, *, sparse: bool) -> None:
        super().__init__(root, read_only=True)
        self._sparse, self._meter = sparse, meter

    async def get(
        self, key: str, prototype: BufferPrototype | None = None, byte_range: ByteRequest | None = None
    ) -> Buffer | None:
        """Return bytes of a file; None if there is none.

        Metadata comes as `checked` returns it, so that Zarr uses no other codecs.

        Raises
        ------
        DamagedStore
            If `sparse` and a chunk is missing.
        InvalidStore
            If the file is outside the folder, or metadata is larger than 16 MiB.
        """
        path = checked_path(Path(self.root), key)
        is_metadata = os.path.basename(key) == _METADATA
        if path is None:
            if self._sparse and not is_metadata:
                raise DamagedStore(f"{self.root}: the data file '{key}' is missing.")
            return None
        if is_metadata and (size := path.stat().st_size) > _MAX_METADATA_BYTES:
            raise InvalidStore(f"{self.root}: '{key}' has {size:,} bytes, too many for metadata.")
        found = await super().get(key, prototype, byte_range)
        if found is not None:
            self._meter.add(len(found))
        if found is None or not is_metadata:
            return found
        return type(found).from_bytes(json.dumps(checked(json.loads(found.to_bytes()))).encode())


class Arrays:
    """The arrays below one folder, opened at first use."""

    def __init__(self, root: Path) -> None:
        self.root, self.meter = root, Meter()
        self._stores = {sparse: FolderStore(root, self.meter, sparse=sparse) for sparse in (False, True)}
        self._open: dict[tuple[str, bool], Any] = {}
        self._lock = Lock()

    def array(self, path: str, *, n_axes: int, sparse: bool = False) -> Any:
        """Return an open array."""
        with self._lock:
            found = self._open.get((path, sparse))
        if found is None:
            found = self._open_array(path, sparse)
            with self._lock:
                if len(self._open) >= _MAX_OPEN:
                    self._open.clear()
                self._open[path, sparse] = found
        if found.ndim != n_axes:
            raise InvalidStore(f"{self.root}: '{path}' has {found.ndim} axes; expected {n_axes}.")
        return found

    def read(self, array: Any, selection: Any) -> NDArray[Any]:
        """Return a part of an open array."""
        with self._reading(array.path):
            return np.asarray(array[selection])

    def packed(self, path: str) -> PackedEntries | None:
        """Return an array of bit-packed entries; None if it is encoded in another way."""
        self.array(path, n_axes=1, sparse=True)  # checks the array
        with self._opened(f"{path}/{_METADATA}") as file:
            metadata = file.read()
        return PackedEntries.of(f"{self.root}: '{path}'", metadata, lambda key: self._opened(f"{path}/{key}"))

    def exists(self, path: str) -> bool:
        """Say whether there is an array or a group at a path."""
        return (self.root / path / _METADATA).is_file()

    def names(self, path: str) -> list[str]:
        """Return the names of the arrays in a group, sorted; empty if there is no such group."""
        try:
            with os.scandir(self.root / path) as found:
                return sorted(one.name for one in found if self.exists(f"{path}/{one.name}"))
        except OSError:
            return []

    def sizes(self, path: str) -> dict[str, int]:
        """Return the size in bytes of each array in a group by its path."""
        found: dict[str, int] = {}
        for folder, below, names in os.walk(self.root / path):
            if _METADATA in names and "c" in below:
                parts = (os.path.join(one, name) for one, _, files in os.walk(folder) for name in files)
                key = os.path.relpath(folder, self.root.parent)
                found[key] = sum(os.lstat(part).st_size for part in parts)
                below.clear()
        return found

    def close(self) -> None:
        """Release all arrays."""
        with self._lock:
            self._open.clear()

    def _opened(self, key: str) -> io.BufferedReader:
        """Return an open file, checked as `FolderStore` does."""
        path = checked_path(self.root, key)
        if path is None:
            raise DamagedStore(f"{self.root}: the data file '{key}' is missing.")
        return io.BufferedReader(MeteredFile(path, self.meter))

    def _open_array(self, path: str, sparse: bool) -> Any:
        if not self.exists(path):
            raise DamagedStore(f"{self.root}: no array '{path}'.")
        try:
            with self._reading(path):
                return zarr.open_array(store=self._stores[sparse], path=path, mode="r", zarr_format=3)
        except DamagedStore as error:
            raise InvalidStore(*error.args) from error

    @contextmanager
    def _reading(self, path: str) -> Iterator[None]:
        try:
            yield
        except CxgWidgetError:
            raise
        # Decoders can raise any exception on damaged bytes.
        except (Exception, MemoryError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise DamagedStore(f"{self.root}: '{path}' cannot be read: {reason[:300]}") from error


def group_path(name: Any, uri: str) -> str:
    """Return the path of a Zarr group inside its store; raises `InvalidStore` if it leads out of the store."""
    parts = str(name).strip("/").split("/")
    if not name or any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
        raise InvalidStore(f"{uri}: the zarr_group {str(name)[:80]!r} is not a path within the Zarr store.")
    return "/".join(parts)
