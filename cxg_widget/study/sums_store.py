"""Stores sums of counts on disk between sessions, in the folder of the spatial indexes; they are evicted first.

::

    starts      int32             (n_groups + 1,)
    positions   int32             (n_sums,), genes
    sums        uint32 or int64 of counts, float64 of other values   (n_sums,)
"""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from cxg_widget.spatial.array_file import Parts, file_bytes, read_arrays, write_arrays
from cxg_widget.spatial.array_store import ArrayStore
from cxg_widget.study.sums import Groups, KeptSums

VERSION = 1
_MAGIC = b"CXGSUMS1"
_KINDS = ("<u4", "<i8", "<f8")


def sums_key(identity: str, groups: Groups, layer: str | None) -> str:
    """Return the name of a file: hexadecimal digits that depend on all parameters and on the file format.

    identity : as for `index_key`
    """
    named = json.dumps([VERSION, identity, groups.fingerprint, groups.n_samples, groups.n_types, layer])
    return sha256(named.encode()).hexdigest()[:40]


class SumsStore(ArrayStore):
    """A folder of sums."""

    suffix = ".cxgsums"

    def load(self, key: str, groups: Groups, n_var: int) -> KeptSums | None:
        """Return the sums of some groups, mapped from disk; None if there are none."""
        return self._load(key, lambda path: _read(path, key, groups, n_var))

    def save(self, key: str, kept: KeptSums) -> bool:
        """Store sums, and delete old files to make room; return whether they were stored."""
        sums = kept.sums
        kind = sums.data.dtype.newbyteorder("<").str
        header = {**_wanted(key, kept.groups, sums.shape[1]), "n_sums": int(sums.nnz), "kind": kind}
        arrays = [sums.indptr.astype("<i4"), sums.indices.astype("<i4"), sums.data]
        size = file_bytes(_parts(len(kept.groups), int(sums.nnz), kind))
        return self._save(key, size, lambda file: write_arrays(file, _MAGIC, header, arrays))


def _read(path: Path, key: str, groups: Groups, n_var: int) -> KeptSums:
    from scipy.sparse import csr_array

    def parts_of(header: dict[str, Any]) -> Parts:
        if header["kind"] not in _KINDS:
            raise ValueError
        return _parts(len(groups), int(header["n_sums"]), header["kind"])

    _, (starts, positions, sums) = read_arrays(path, _MAGIC, _wanted(key, groups, n_var), "sums of counts", parts_of)
    return KeptSums(groups, csr_array((sums, positions, starts), shape=(len(groups), n_var)))


def _wanted(key: str, groups: Groups, n_var: int) -> dict[str, Any]:
    return {"version": VERSION, "key": key, "n_groups": len(groups), "n_var": n_var}


def _parts(n_groups: int, n_sums: int, kind: str) -> Parts:
    return [("<i4", n_groups + 1), ("<i4", n_sums), (kind, n_sums)]
