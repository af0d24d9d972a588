"""Frames: a message with its arrays, packed for the wire, independent of a comm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.errors import ProtocolError
from cxg_widget.wire.protocol import Message

FIRST_POINTS = 65_536
"""Points of the first chunk: enough for a fair picture, and small enough to arrive at once."""
CHUNK_BYTES = 1 << 20
"""Largest buffer of a stream; some hosts drop messages of more than 1-2 MB."""


@dataclass(frozen=True)
class Frame:
    """A message to the front-end with the arrays it lists."""

    message: Message
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def pack(self, request_id: int = 0) -> tuple[dict[str, Any], list[memoryview]]:
        """Return the JSON object and the buffers, in the order in which the object lists them."""
        declared = type(self.message).arrays
        needed = {name for name, spec in declared.items() if not spec.is_optional}
        if not needed <= set(self.arrays) <= set(declared):
            raise ProtocolError(f"{self.message.kind!r} carries {sorted(declared)}, not {sorted(self.arrays)}")
        content = {"kind": self.message.kind, "id": request_id, **asdict(self.message), "arrays": []}
        buffers = []
        chunk = (content["start"], content["stop"]) if "stop" in content else ()
        sizes: dict[int | str, int] = {"stop-start": chunk[1] - chunk[0]} if chunk else {}
        for name, spec in declared.items():
            if name not in self.arrays:
                continue
            array = np.asarray(self.arrays[name])
            if array.dtype.name not in spec.dtypes or not _fits(array.shape, spec.shape, sizes):
                found = f"{array.dtype.name} {array.shape}"
                raise ProtocolError(
                    f"{name!r} of {self.message.kind!r} must be {spec.dtypes} {spec.shape}; it is {found}"
                )
            # Buffers are little-endian on any machine: typed arrays of the page read them without conversion.
            little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            content["arrays"].append({"name": name, "dtype": array.dtype.name, "shape": list(array.shape)})
            # A view of bytes; `tobytes` would copy 1 MiB per chunk.
            buffers.append(little.reshape(-1).view(np.uint8).data)
        return content, buffers


def _fits(shape: tuple[int, ...], sides: tuple[int | str, ...], sizes: dict[int | str, int]) -> bool:
    """Return whether a shape fits the declared one; the first use of a symbol defines its size, as in the page."""
    if len(shape) != len(sides):
        return False
    declared = zip(sides, shape, strict=True)
    return list(shape) == [side if isinstance(side, int) else sizes.setdefault(side, n) for side, n in declared]


def cut_file(file: bytes | NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    """Cut the bytes of a file into parts of at most 1 MiB; some hosts take no message of 5 MB."""
    found = np.frombuffer(file, dtype=np.uint8)
    return np.array_split(found, max(1, -(-found.size // CHUNK_BYTES)))


def spans(n_obs: int, bytes_per_point: int) -> Iterator[tuple[int, int]]:
    """Split 0..n_obs into a small first chunk and then chunks of at most 1 MiB; one empty chunk if n_obs is 0.

    Every chunk starts at a multiple of 65,536 points.
    """
    step = max(FIRST_POINTS, CHUNK_BYTES // bytes_per_point // FIRST_POINTS * FIRST_POINTS)
    yield 0, min(n_obs, FIRST_POINTS)
    for start in range(FIRST_POINTS, n_obs, step):
        yield start, min(n_obs, start + step)
