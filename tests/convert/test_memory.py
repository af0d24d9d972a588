"""Memory stays bounded: the peak of a process that goes on to convert ten times as many values."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# Makes a matrix line by line, so that the source takes no memory; limits are small, so that a tenth of a second of
# work shows whether the matrix is ever held as a whole.
SCRIPT = """
import json, os, sys
import h5py, tiledb
import numpy as np
from cxg_widget.convert import convert, copy_matrix, entries, spill
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock

folder, n_var = sys.argv[1], 400
for name in ("CELLS_PER_BLOCK", "_SAMPLED_CELLS"):
    setattr(entries, name, 160_000)
spill.BAND_ENTRIES = copy_matrix.BAND_ENTRIES = 40_000
spill._WAITING, copy_matrix._BAND_CELLS = 40_000, 160_000


class Made(Dataset):
    format = "made"

    def __init__(self, n_obs, axis, share):
        super().__init__("made")
        self.share = share
        self.title, self.n_obs, self.n_var, self.major_axis = "made", n_obs, n_var, axis
        self.obs_columns, self.var_columns, self.embeddings = {}, {}, {"umap": 2}

    def _read_matrix_block(self, start, stop, layer):
        length = n_var if self.major_axis == "obs" else self.n_obs
        per_line = max(1, int(length * self.share))
        positions = np.tile(np.arange(per_line) * (length // per_line), stop - start)
        starts = np.arange(stop - start + 1) * per_line
        return MatrixBlock(starts, positions, np.ones(len(positions), np.float32))

    def _read_obs(self, name, rows): raise KeyError(name)
    def _read_var(self, name): raise KeyError(name)
    def _read_vector(self, position, layer): raise KeyError(position)
    def _read_embedding(self, name, axes): return np.zeros((self.n_obs, 2), np.float32)
    def _release(self): pass


def peak():  # what `getrusage` tells begins with the peak of the process that started this one
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) * 1024


for axis, suffix, share in json.loads(sys.argv[2]):
    child = os.fork()  # with a peak of its own, and nothing to import
    if child == 0:
        for n_obs in (3_000, 30_000):
            done = convert(Made(n_obs, axis, share), f"{folder}/{axis}{n_obs}{suffix}", progress=False)
            print(json.dumps({"peak": peak(), "values": done.n_values}), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
CASES = (("obs", ".cxg", 0.2), ("obs", ".h5ad", 0.5), ("var", ".cxg", 0.5), ("var", ".h5ad", 0.2))


@pytest.mark.skipif(not Path("/proc/self/status").is_file(), reason="Linux tells the peak of a process")
def test_ten_times_the_values_take_hardly_more_memory(tmp_path):
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), json.dumps(CASES)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    for case, few, many in zip(CASES, found[::2], found[1::2], strict=True):
        assert many["values"] == 10 * few["values"], case
        # As entries of 12 bytes the values alone would take this; the rest of what grows is in proportion to the cells.
        whole = 12 * (many["values"] - few["values"])
        assert many["peak"] - few["peak"] < min(whole / 2, 80 * 2**20), (case, few, many)
