"""Searches bit-packed entries, as homeobox writes them, by shard and without Zarr's overhead per chunk."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BufferedReader
from math import ceil

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.atlas.codecs import BITPACKING
from cxg_widget.errors import DamagedStore

ENTRIES_AT_ONCE = 1 << 22
_NONE = 2**64 - 1
_N_THREADS = min(4, os.cpu_count() or 1)

Positions = NDArray[np.int64]
Hits = tuple[Positions, NDArray[np.int32]]
"""Positions of entries, and the number of the wanted value of each."""


@dataclass(frozen=True)
class PackedEntries:
    """A one-dimensional array of bit-packed uint32 in shards.

    open : returns a data file by its key, after checking that it is inside the store
    n_entries, n_per_shard, n_per_chunk : entries of the array, per shard and per chunk
    trailer : bytes after the index of a shard, its checksum
    """

    name: str
    open: Callable[[str], BufferedReader]
    n_entries: int
    n_per_shard: int
    n_per_chunk: int
    trailer: int

    @classmethod
    def of(cls, name: str, metadata: str | bytes, open: Callable[[str], BufferedReader]) -> PackedEntries | None:
        """Return the array that a `zarr.json` describes; None if its encoding differs."""
        try:
            found = json.loads(metadata)
            ((n_entries,), (shard,)) = found["shape"], found["chunk_grid"]["configuration"]["chunk_shape"]
            (sharding,) = found["codecs"]
            inside = sharding["configuration"]
            (chunk,) = inside["chunk_shape"]
            to_bytes, packing = inside["codecs"]
            index = [codec["name"] for codec in inside["index_codecs"]]
            usual = (
                (found["data_type"], found["fill_value"], sharding["name"]) == ("uint32", 0, "sharding_indexed")
                and (to_bytes["name"], to_bytes["configuration"]["endian"]) == ("bytes", "little")
                and packing["name"] in BITPACKING
                and found["chunk_key_encoding"] == {"name": "default", "configuration": {"separator": "/"}}
                and inside.get("index_location", "end") == "end"
                and index in (["bytes"], ["bytes", "crc32c"])
                and chunk <= ENTRIES_AT_ONCE
            )
        except (TypeError, KeyError, ValueError, AttributeError, RecursionError):
            return None
        return cls(name, open, n_entries, shard, chunk, 4 * (len(index) - 1)) if usual else None

    def find(self, number: NDArray[np.int32], begin: int, end: int) -> Iterator[Hits]:
        """Yield the entries with wanted values in begin <= entry < end, ascending; searches in several threads.

        number : int32 (m,), the number of each wanted value below m; -1 = not wanted
        """
        # A core searches 220 million entries/s this way and 9 million through Zarr; see decision 16.
        # `map` yields the blocks in their order, whichever thread finishes first.
        with ThreadPoolExecutor(_N_THREADS) as pool:
            for first in range(begin // self.n_per_shard, ceil(end / self.n_per_shard)):
                low, high = max(begin, first * self.n_per_shard), min(end, (first + 1) * self.n_per_shard)
                blocks = list(self._blocks(low // self.n_per_chunk, ceil(high / self.n_per_chunk)))
                for hits, found in pool.map(lambda block: self._find(block, number), blocks):
                    inside = slice(*np.searchsorted(hits, (low, high)).tolist())
                    if inside.start < inside.stop:
                        yield hits[inside], found[inside]

    def take(self, places: Positions) -> NDArray[np.float32]:
        """Return the values at some ascending positions, float32 (k,); decodes all chunks between them."""
        from cxg_widget.datasets.atlas.bitpacking_loops import pick

        first, last = int(places[0]) // self.n_per_chunk, int(places[-1]) // self.n_per_chunk + 1
        found = np.zeros(len(places), dtype=np.float32)
        for block in self._blocks(first, last):
            these = slice(*np.searchsorted(places, np.array(block) * self.n_per_chunk).tolist())
            values = np.zeros(these.stop - these.start, dtype=np.float32)
            inside = places[these] - block[0] * self.n_per_chunk
            self._check(pick(*self._read(*block), self.n_per_chunk, inside, values), block[0])
            found[these] = values
        return found

    def _find(self, block: tuple[int, int], number: NDArray[np.int32]) -> Hits:
        from cxg_widget.datasets.atlas.bitpacking_loops import find

        most = (block[1] - block[0]) * self.n_per_chunk
        hits, found = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int32)
        n = self._check(find(*self._read(*block), self.n_per_chunk, number, hits, found), block[0])
        # Return new arrays, since a view would keep the memory of a whole block.
        return hits[:n] + block[0] * self.n_per_chunk, found[:n].copy()

    def _blocks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of chunks, each within one shard."""
        in_shard = self.n_per_shard // self.n_per_chunk
        while first < last:
            stop = min(first + max(ENTRIES_AT_ONCE // self.n_per_chunk, 1), last, (first // in_shard + 1) * in_shard)
            yield first, stop
            first = stop

    def _read(self, first: int, stop: int) -> tuple[NDArray[np.uint8], Positions, Positions]:
        """Return the bytes of some chunks of one shard, and the start and end of each chunk in them."""
        in_shard = self.n_per_shard // self.n_per_chunk
        with self.open(f"c/{first // in_shard}") as file:
            size = os.fstat(file.fileno()).st_size
            behind = 16 * in_shard + self.trailer
            at = size - behind + 16 * (first % in_shard)
            index = np.frombuffer(self._bytes(file, at, 16 * (stop - first)), dtype="<u8").reshape(-1, 2)
            there = index[:, 0] != _NONE
            begins, lengths = np.where(there[:, None], index, 0).astype(np.int64).T
            # A valid chunk is at most a header, its values and a byte per block. Checking that limits the memory.
            largest = 5 + ceil(self.n_per_chunk / 128) * 513
            if (begins < 0).any() or (lengths < 0).any() or lengths.max() > largest or (begins > size - lengths).any():
                raise self._damaged(first)
            parts = [self._bytes(file, *span) for span in zip(begins.tolist(), lengths.tolist(), strict=True)]
        ends = np.cumsum(lengths)
        return np.frombuffer(b"".join(parts), dtype=np.uint8), ends - lengths, ends

    def _bytes(self, file: BufferedReader, at: int, n: int) -> bytes:
        if at < 0:
            raise self._damaged(0)
        file.seek(at)
        found: bytes = file.read(n)
        if len(found) != n:
            raise self._damaged(0)
        return found

    def _check(self, result: int, first: int) -> int:
        if result < 0:
            raise self._damaged(first - 1 - result)
        return result

    def _damaged(self, chunk: int) -> DamagedStore:
        return DamagedStore(
            f"{self.name} cannot be read: a bit-packed chunk is damaged, number {chunk} or a later one."
        )
