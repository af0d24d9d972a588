"""Decodes Zarr chunks with a fixed list of codecs, none of which writes more bytes than the chunk has."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Self

import numcodecs.blosc
import numcodecs.zstd
import numpy as np
from numpy.typing import NDArray
from zarr.abc.codec import BytesBytesCodec
from zarr.core.array_spec import ArraySpec
from zarr.core.buffer import Buffer
from zarr.registry import register_codec

from cxg_widget.datasets.atlas.bitpacking import unpack

NAME = "cxg_widget.unpacking"
BITPACKING = ("homeobox.bitpacking", "lancell.bitpacking")
COMPRESSORS = ("zstd", "gzip", "blosc")
MAX_CHUNK_BYTES = 256 * 2**20
MAX_CHUNKS_PER_SHARD = 1 << 22


@dataclass(frozen=True)
class Unpacking(BytesBytesCodec):
    """Decodes a supported packing into exactly the bytes that its chunk must have; it cannot encode.

    packing : "zstd", "gzip", "blosc" or "bits"
    element_size : bytes per bit-packed value
    trailer : bytes that earlier codecs added, 4 per checksum
    """

    is_fixed_size = False

    packing: str
    element_size: int = 4
    trailer: int = 0

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the codec from its entry in the metadata that `checked` returns."""
        return cls(**data["configuration"])

    def to_dict(self) -> dict[str, Any]:
        """Return the entry in the metadata that `from_dict` reads."""
        fields = {"packing": self.packing, "element_size": self.element_size, "trailer": self.trailer}
        return {"name": NAME, "configuration": fields}

    async def _decode_single(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> Buffer:
        return await asyncio.to_thread(self._decode, chunk_data, chunk_spec)

    def _decode(self, chunk_data: Buffer, chunk_spec: ArraySpec) -> Buffer:
        n_values = prod(chunk_spec.shape)
        n_bytes = n_values * chunk_spec.dtype.to_native_dtype().itemsize + self.trailer
        encoded = np.asarray(chunk_data.as_numpy_array()).view(np.uint8).reshape(-1)
        if self.packing == "bits":
            found = unpack(encoded, n_values, self.element_size).view(np.uint8)
        else:
            found = _DECODERS[self.packing](encoded, n_bytes)
        if len(found) != n_bytes:
            raise ValueError(f"a chunk has {len(found):,} bytes; expected {n_bytes:,}")
        return chunk_spec.prototype.buffer.from_array_like(found)

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: ArraySpec) -> int:
        """Raise `NotImplementedError`: the size of packed bytes depends on the values."""
        raise NotImplementedError


def _zstd(encoded: NDArray[np.uint8], n_bytes: int) -> NDArray[np.uint8]:
    out = np.empty(n_bytes, dtype=np.uint8)
    numcodecs.zstd.decompress(encoded, out)
    return out


def _gzip(encoded: NDArray[np.uint8], n_bytes: int) -> NDArray[np.uint8]:
    found = zlib.decompressobj(wbits=31).decompress(encoded.tobytes(), n_bytes + 1)
    return np.frombuffer(found, dtype=np.uint8)


def _blosc(encoded: NDArray[np.uint8], n_bytes: int) -> NDArray[np.uint8]:
    declared = int.from_bytes(encoded[4:8].tobytes(), "little") if len(encoded) >= 16 else -1
    if declared != n_bytes:
        raise ValueError(f"a chunk declares {declared:,} bytes; expected {n_bytes:,}")
    # The decoder of blosc trusts this size and would read beyond the buffer.
    if int.from_bytes(encoded[12:16].tobytes(), "little") > len(encoded):
        raise ValueError(f"a chunk is cut off after {len(encoded):,} bytes")
    out = np.empty(n_bytes, dtype=np.uint8)
    numcodecs.blosc.decompress(encoded, out)
    return out


_DECODERS = {"zstd": _zstd, "gzip": _gzip, "blosc": _blosc}


def checked(metadata: Any) -> dict[str, Any]:
    """Return the metadata of an array with `Unpacking` in place of every packing.

    Raises `ValueError` if it is not an array of numbers, or has codecs or chunks that are not safe to read.
    """
    if not isinstance(metadata, dict) or metadata.get("zarr_format") != 3 or metadata.get("node_type") != "array":
        raise ValueError("is not a Zarr array of format 3")
    try:
        dtype = np.dtype(metadata["data_type"])
        chunk_shape = _lengths(metadata["chunk_grid"]["configuration"]["chunk_shape"])
        shape = _lengths(metadata["shape"], at_least=0)
    except (TypeError, KeyError, ValueError):
        raise ValueError("lacks a shape, chunks or type of a numeric array") from None
    if dtype.kind not in "biuf" or len(shape) != len(chunk_shape) or metadata["chunk_grid"].get("name") != "regular":
        raise ValueError(f"holds {metadata['data_type']!r} in a {metadata['chunk_grid'].get('name')!r} grid of chunks")
    if metadata.get("storage_transformers"):
        raise ValueError("has storage transformers, which are not supported")
    return {**metadata, "codecs": _codecs(metadata.get("codecs"), chunk_shape, dtype)}


def _codecs(codecs: Any, chunk_shape: Sequence[int], dtype: np.dtype[Any]) -> list[dict[str, Any]]:
    if not isinstance(codecs, list) or not codecs:
        raise ValueError("lists no codecs")
    found: list[dict[str, Any]] = []
    packings = trailer = 0
    for codec in codecs:
        name, configuration = _named(codec)
        if name == "sharding_indexed":
            found.append(_sharding(configuration, chunk_shape, dtype))
            continue
        if name == "crc32c":
            trailer += 4
        if name in ("bytes", "transpose", "crc32c"):
            found.append({"name": name, **({"configuration": configuration} if configuration else {})})
            continue
        found.append(_packing(name, configuration, dtype, trailer))
        packings += 1
    if packings > 1:
        raise ValueError("compresses its chunks twice, which is not supported")
    if not any(codec["name"] == "sharding_indexed" for codec in found):
        size = prod(chunk_shape) * dtype.itemsize
        if size > MAX_CHUNK_BYTES:
            raise ValueError(f"has chunks of {size:,} bytes; at most {MAX_CHUNK_BYTES:,} can be read")
    return found


def _packing(name: str, configuration: Mapping[str, Any], dtype: np.dtype[Any], trailer: int) -> dict[str, Any]:
    if name in COMPRESSORS:
        return Unpacking(name, trailer=trailer).to_dict()
    if name not in BITPACKING:
        raise ValueError(f"uses the codec {name!r}; known are bytes, crc32c, {', '.join((*COMPRESSORS, *BITPACKING))}")
    size = configuration.get("element_size", 4)
    if size not in (4, 8) or size != dtype.itemsize or trailer:
        raise ValueError(f"packs values of {size!r} bytes for the type {dtype}")
    return Unpacking("bits", element_size=size).to_dict()


def _sharding(configuration: Mapping[str, Any], shard_shape: Sequence[int], dtype: np.dtype[Any]) -> dict[str, Any]:
    try:
        inner = _lengths(configuration["chunk_shape"])
        index_codecs = [_named(codec)[0] for codec in configuration["index_codecs"]]
    except (TypeError, KeyError):
        raise ValueError("has shards without chunk_shape or index_codecs") from None
    if len(inner) != len(shard_shape) or any(whole % part for whole, part in zip(shard_shape, inner, strict=True)):
        raise ValueError(f"has shards of {list(shard_shape)} that chunks of {list(inner)} do not fill")
    n_chunks = prod(shard_shape) // prod(inner)
    if n_chunks > MAX_CHUNKS_PER_SHARD:
        raise ValueError(f"has {n_chunks:,} chunks per shard; at most {MAX_CHUNKS_PER_SHARD:,} can be read")
    if index_codecs not in (["bytes", "crc32c"], ["bytes"]):
        raise ValueError(f"encodes the index of its shards with {index_codecs}, which is not supported")
    codecs = _codecs(configuration.get("codecs"), inner, dtype)
    if any(codec["name"] == "sharding_indexed" for codec in codecs):
        raise ValueError("has shards within shards, which is not supported")
    return {"name": "sharding_indexed", "configuration": {**configuration, "codecs": codecs}}


def _named(codec: Any) -> tuple[str, Mapping[str, Any]]:
    name = codec if isinstance(codec, str) else codec.get("name") if isinstance(codec, dict) else None
    configuration = codec.get("configuration", {}) if isinstance(codec, dict) else {}
    if not isinstance(name, str) or not isinstance(configuration, dict):
        raise ValueError(f"has an invalid codec, {codec!r}")
    return name, configuration


def _lengths(values: Any, at_least: int = 1) -> tuple[int, ...]:
    lengths = tuple(values)
    if not all(type(length) is int and at_least <= length < 2**62 for length in lengths):
        raise ValueError
    return lengths


register_codec(NAME, Unpacking)
