"""Lines of a matrix in files, written in order, so that a killed run can resume after the last one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.datasets.base.matrix_block import MatrixBlock

_PARTS = {"counts": np.dtype("<u4"), "positions": np.dtype("<u4"), "values": np.dtype("<f4")}
_STATE = "state.json"


class KeptLines:
    """Lines of sparse float32, 8 bytes an entry; NaN is kept, zeros are dropped.

    folder : created if missing; has the lines of earlier runs
    n, length : number of lines, and of positions of each
    """

    def __init__(self, folder: Path, n: int, length: int) -> None:
        folder.mkdir(exist_ok=True)
        self._folder, self.n, self.length = folder, n, length
        self.n_done, self._n_entries = self._state()
        self._starts: NDArray[np.int64] | None = None

    def add(self, block: MatrixBlock) -> None:
        """Append the next lines."""
        lines = block.written_out(self.length).distinct(self.length)
        kept = np.asarray(lines.values) != 0  # true for NaN too
        counts = np.diff(np.append(0, np.cumsum(kept))[lines.starts])
        found = {"counts": counts, "positions": lines.positions[kept], "values": lines.values[kept]}
        for name, dtype in _PARTS.items():
            size = (self.n_done if name == "counts" else self._n_entries) * dtype.itemsize
            with (self._folder / name).open("ab") as file:
                # What a killed run wrote after its last note may be incomplete.
                file.truncate(size)
                file.write(found[name].astype(dtype, copy=False).view(np.uint8).data)
                file.flush()
                os.fsync(file.fileno())
        self.n_done += len(counts)
        self._n_entries += int(counts.sum())
        new = self._folder / f"{_STATE}.new"
        new.write_text(json.dumps({"lines": self.n_done, "entries": self._n_entries}), encoding="utf-8")
        os.replace(new, self._folder / _STATE)

    def block(self, start: int, stop: int) -> MatrixBlock:
        """Return the lines start <= line < stop, all of which must be there."""
        if self._starts is None:
            counts = np.fromfile(self._folder / "counts", dtype=_PARTS["counts"], count=self.n)
            self._starts = np.append(0, np.cumsum(counts, dtype=np.int64))
        starts = self._starts[start : stop + 1]
        first, n = int(starts[0]), int(starts[-1] - starts[0])
        positions, values = (self._entries(name, first, n) for name in ("positions", "values"))
        return MatrixBlock(starts - first, positions.view(np.int32), values)

    def _entries(self, name: str, first: int, n: int) -> NDArray[Any]:
        dtype = _PARTS[name]
        if not n:  # a matrix of zeros has no file
            return np.empty(0, dtype=dtype)
        return np.fromfile(self._folder / name, dtype=dtype, count=n, offset=first * dtype.itemsize)

    def _state(self) -> tuple[int, int]:
        try:
            found = json.loads((self._folder / _STATE).read_text(encoding="utf-8"))
            return int(found["lines"]), int(found["entries"])
        except (OSError, ValueError, KeyError):
            return 0, 0
