"""Opens the members of an mzPeak, in a ZIP archive or a folder, as memory maps."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import pyarrow as pa

from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.metered_file import MeteredFile
from cxg_widget.errors import DamagedStore, InvalidStore

_LOCAL_HEADER = struct.Struct("<4s2xHH16xHH")
_ENCRYPTED = 0x1


class Archive:
    """The members of an mzPeak by name; a ZIP archive must store them uncompressed."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.meter = Meter()
        self.path = Path(uri.removeprefix("file://"))
        self.is_folder = self.path.is_dir()
        self._entries = {} if self.is_folder else self._list()

    @property
    def kind(self) -> str:
        """The noun for messages: "folder" or "archive"."""
        return "folder" if self.is_folder else "archive"

    def has(self, name: str) -> bool:
        """Say whether there is a member of this name."""
        return self._file(name).is_file() if self.is_folder else name in self._entries

    def size(self, name: str) -> int:
        """Return the size of a member in bytes."""
        return self._file(name).stat().st_size if self.is_folder else self._entries[name].file_size

    def stamp(self, name: str) -> tuple[int, ...]:
        """Return numbers that change when a member is rewritten: its size, and its CRC or time of modification."""
        if self.is_folder:
            found = self._file(name).stat()
            return found.st_size, found.st_mtime_ns
        return self._entries[name].file_size, self._entries[name].CRC

    def open(self, name: str) -> pa.Buffer:
        """Return the bytes of a member as a memory map; reads at most the header of the member.

        Raises
        ------
        InvalidStore
            If the member is encrypted, compressed, or a link out of the folder.
        DamagedStore
            If it cannot be opened.
        """
        try:
            if self.is_folder:
                return _map(self._file(name))
            return self._slice(self._entries[name])
        except (OSError, pa.ArrowException) as error:
            if isinstance(error, DamagedStore):
                raise
            raise DamagedStore(f"{self.uri}: member {name!r} cannot be opened: {error}") from None

    def read(self, name: str) -> bytes:
        """Return the bytes of a member; raises as `open`."""
        found: bytes = self.open(name).to_pybytes()
        self.meter.add(len(found))
        return found

    def _list(self) -> Mapping[str, zipfile.ZipInfo]:
        try:
            if not self.path.is_file() or not self._begins_as_zip():
                raise InvalidStore(f"{self.uri}: not a ZIP file and not a directory.")
            with MeteredFile(self.path, self.meter) as raw, zipfile.ZipFile(io.BufferedReader(raw)) as archive:
                # If a name occurs twice, the specification requires the last one, which the dict keeps.
                return {entry.filename: entry for entry in archive.infolist()}
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            if isinstance(error, InvalidStore):
                raise
            raise DamagedStore(f"{self.uri}: the ZIP archive is truncated or damaged: {error}") from None

    def _begins_as_zip(self) -> bool:
        with MeteredFile(self.path, self.meter) as file:
            return file.read(2) == b"PK"

    def _file(self, name: str) -> Path:
        """Return the path of a member of the folder; raises `InvalidStore` for a link out of the folder."""
        check_name(name, self.uri)
        found = self.path / name
        if not os.path.realpath(found).startswith(os.path.join(os.path.realpath(self.path), "")):
            raise InvalidStore(f"{self.uri}: member {name!r} is a link out of the folder; such links are not followed.")
        return found

    def _slice(self, entry: zipfile.ZipInfo) -> pa.Buffer:
        if entry.flag_bits & _ENCRYPTED:
            raise InvalidStore(f"{self.uri}: member {entry.filename!r} is encrypted; remove the ZIP encryption first.")
        if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size:
            raise InvalidStore(f"{self.uri}: member {entry.filename!r} is compressed; mzPeak members must be STORED.")
        whole = _map(self.path)
        start = entry.header_offset
        header = whole[start : start + _LOCAL_HEADER.size].to_pybytes()
        self.meter.add(len(header))
        if len(header) == _LOCAL_HEADER.size:
            # Use the lengths of the local header, since those in the directory at the end may differ.
            signature, _, method, n_name, n_extra = _LOCAL_HEADER.unpack(header)
            start += _LOCAL_HEADER.size + n_name + n_extra
            if signature == b"PK\x03\x04" and method == 0 and start + entry.file_size <= whole.size:
                return whole[start : start + entry.file_size]
        raise DamagedStore(
            f"{self.uri}: member {entry.filename!r} is not at the place that the archive lists; the archive is damaged."
        )


def check_name(name: str, uri: str) -> None:
    """Raise `InvalidStore` if the name of a member is not a plain relative path."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or ":" in name or "\0" in name:
        raise InvalidStore(f"{uri}: the index lists {name!r}, which is not a valid name of a member.")


def _map(path: Path) -> pa.Buffer:
    if not path.stat().st_size:
        return pa.py_buffer(b"")
    return pa.memory_map(str(path)).read_buffer()
