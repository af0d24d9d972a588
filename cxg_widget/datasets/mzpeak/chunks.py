"""Decodes a batch of chunks to points: m/z and intensities, checked against each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cxg_widget.datasets.mzpeak.facets import column_at
from cxg_widget.datasets.mzpeak.layout import PIC, ChunkLayout
from cxg_widget.errors import DamagedStore, InvalidStore

SLACK = 0.01
"""Tolerance in Th of a point outside the bounds of its chunk: the loss of lossy encodings and a margin."""
_ENCODINGS = {"MS:1000576": 0, "MS:1003089": 1, "MS:1002312": 2}


@dataclass(frozen=True)
class Lists:
    """Concatenated lists: list i is values[offsets[i]:offsets[i + 1]]; `valid` marks values that are not null."""

    values: NDArray[Any]
    valid: NDArray[np.bool_]
    offsets: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each list."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class Decoded:
    """Points of chunks.

    mz : float64 (n,)
    intensity : float (n,)
    valid : bool (n,); False = a null, which marks a zero next to a peak
    offsets : int64 (n_chunks + 1,); chunk i has the points from offsets[i] to offsets[i + 1]
    """

    mz: NDArray[np.float64]
    intensity: NDArray[Any]
    valid: NDArray[np.bool_]
    offsets: NDArray[np.int64]


def decode(batch: pa.RecordBatch, layout: ChunkLayout, label: str) -> Decoded:
    """Decode all chunks of a batch.

    label : start of error messages

    Raises
    ------
    DamagedStore
        If a chunk cannot be decoded, its lengths differ, or its m/z is outside its bounds.
    InvalidStore
        If an encoding is unknown.
    """
    from cxg_widget.datasets.mzpeak.chunk_loops import decode_axis

    starts, ends = chunk_bounds(batch, layout)
    index = _integers(column_at(batch, layout.index))
    encodings = _encodings(column_at(batch, layout.encoding), label)
    values = _lists(batch, layout.values, np.float64)
    packed = _lists(batch, layout.mz_bytes, np.uint8)
    intensity = _intensities(batch, layout, index, label)
    n_points = int(intensity.offsets[-1])
    mz, valid = np.zeros(n_points), np.zeros(n_points, dtype=np.bool_)
    status = np.zeros(batch.num_rows, dtype=np.uint8)
    decode_axis(
        encodings, starts, ends, values.values, values.valid, values.offsets, packed.values, packed.offsets,
        intensity.offsets, intensity.values == 0, SLACK, mz, valid, status,
    )  # fmt: skip
    _check(status, index, label, "m/z", (starts, ends))
    return Decoded(mz, intensity.values, valid & intensity.valid, intensity.offsets)


def chunk_bounds(batch: pa.RecordBatch, layout: ChunkLayout) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the first and the last m/z of chunks; corrects the last, which writers leave at 0 for a single point."""
    starts, ends = (_floats(column_at(batch, path)) for path in (layout.start, layout.end))
    return starts, np.fmax(starts, ends)


def spectrum_index(batch: pa.RecordBatch, path: str) -> NDArray[np.int64]:
    """Return the spectrum of each row."""
    return _integers(column_at(batch, path))


def _intensities(batch: pa.RecordBatch, layout: ChunkLayout, index: NDArray[np.int64], label: str) -> Lists:
    plain = _lists(batch, layout.intensity, None)
    packed = _lists(batch, layout.intensity_bytes, np.uint8)
    use = (packed.lengths > 0) & (plain.lengths == 0)
    if not use.any():
        return plain
    unpacked = _unpack(packed, layout.method, index, label)
    if not plain.values.size:
        return unpacked
    lengths = np.where(use, unpacked.lengths, plain.lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    begins = np.where(use, unpacked.offsets[:-1] + plain.values.size, plain.offsets[:-1])
    at = np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1])
    values = np.concatenate([plain.values.astype(np.float64), unpacked.values])[at]
    return Lists(values, np.concatenate([plain.valid, unpacked.valid])[at], offsets)


def _unpack(packed: Lists, method: str, index: NDArray[np.int64], label: str) -> Lists:
    from cxg_widget.datasets.mzpeak import chunk_loops

    n_chunks = packed.offsets.size - 1
    counts, status = np.zeros(n_chunks, dtype=np.int64), np.zeros(n_chunks, dtype=np.uint8)
    if method == PIC:
        chunk_loops.count_pic(packed.values, packed.offsets, counts, status)
    else:
        chunk_loops.count_slof(packed.offsets, counts, status)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    out = np.zeros(offsets[-1])
    (chunk_loops.decode_pic if method == PIC else chunk_loops.decode_slof)(
        packed.values, packed.offsets, offsets, out, status
    )
    _check(status, index, label, "intensity")
    return Lists(out, np.ones(out.size, dtype=np.bool_), offsets)


def _check(
    status: NDArray[np.uint8],
    index: NDArray[np.int64],
    label: str,
    what: str,
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
) -> None:
    """Raise `DamagedStore` for the first chunk that could not be decoded."""
    from cxg_widget.datasets.mzpeak import chunk_loops

    wrong = np.flatnonzero(status)
    if not wrong.size:
        return
    at = int(wrong[0])
    problem = {
        chunk_loops.LENGTHS_DIFFER: "chunk m/z and intensity lengths differ",
        chunk_loops.CORRUPT: f"the {what} of a chunk cannot be decoded",
        chunk_loops.TOO_SHORT: f"the {what} buffer of a chunk is truncated",
        chunk_loops.OUT_OF_BOUNDS: "a chunk holds m/z outside its own bounds",
    }[int(status[at])]
    where = "" if bounds is None else f" ({bounds[0][at]:.6g} to {bounds[1][at]:.6g})"
    raise DamagedStore(f"{label}: {problem}, in spectrum {index[at]}{where}.")


def _encodings(column: pa.Array, label: str) -> NDArray[np.uint8]:
    """Return the encoding of each chunk, as numbered in `chunk_loops`."""
    if pa.types.is_struct(column.type):
        column = pa.array([_curie(value) for value in column.to_pylist()])
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    names = [str(value) for value in encoded.dictionary.to_pylist()]
    unknown = [name for name in names if name not in _ENCODINGS]
    if unknown:
        raise InvalidStore(f"{label}: unsupported chunk encoding {unknown}; known are {list(_ENCODINGS)}.")
    numbers = np.array([_ENCODINGS[name] for name in names], dtype=np.uint8)
    found: NDArray[np.uint8] = numbers[encoded.indices.to_numpy()]
    return found


def _curie(value: Any) -> str:
    if isinstance(value, dict):
        number = value.get("accession")
        return f"MS:{number:07d}" if isinstance(number, int) else str(number)
    return str(value)


def _lists(batch: pa.RecordBatch, path: str | None, dtype: Any) -> Lists:
    """Return a column of lists; path None = empty lists. dtype None = float32 if stored so, else float64."""
    if path is None:
        return Lists(np.empty(0, dtype or np.float64), np.empty(0, np.bool_), np.zeros(batch.num_rows + 1, np.int64))
    column = column_at(batch, path)
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        column = _as_list(column)
    offsets = column.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    inner = column.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    valid = np.ones(len(inner), np.bool_) if not inner.null_count else inner.is_valid().to_numpy(zero_copy_only=False)
    if dtype is np.uint8:
        values = pc.fill_null(inner.cast(pa.uint8()), 0).to_numpy(zero_copy_only=False)
    else:
        values = _floats(inner, keep_single=dtype is None)
    return Lists(np.ascontiguousarray(values), np.ascontiguousarray(valid), offsets - offsets[0])


def _as_list(column: pa.Array) -> pa.Array:
    """Convert other types of lists, or byte strings, to large lists."""
    if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type):
        column = column.cast(pa.large_binary())
        found = [np.frombuffer(value or b"", dtype=np.uint8) for value in column.to_pylist()]
        offsets = np.concatenate([[0], np.cumsum([one.size for one in found], dtype=np.int64)]).astype(np.int64)
        return pa.LargeListArray.from_arrays(
            pa.array(offsets), pa.array(np.concatenate([np.empty(0, np.uint8), *found]))
        )
    return column.cast(pa.large_list(column.type.value_type))


def _floats(column: pa.Array, *, keep_single: bool = False) -> NDArray[Any]:
    """Return numbers as float64, or as float32 if they are and `keep_single`; null = NaN."""
    wanted = pa.float32() if keep_single and column.type == pa.float32() else pa.float64()
    found: NDArray[Any] = column.cast(wanted, safe=False).to_numpy(zero_copy_only=False)
    return found


def _integers(column: pa.Array) -> NDArray[np.int64]:
    """Return spectrum indices; null = -1, which is not a valid index."""
    found: NDArray[np.int64] = pc.fill_null(column.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
    return found
