"""Laws of long sessions on a store of TileDB: memory does not grow with the number of reads, and values stay."""

import ctypes
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from cxg_widget import open_dataset
from tests.datasets.make_cxg import make_cxg, make_truth

N_READS = 700
MIB = 2**20


class _Mallinfo(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("a", "o", "s", "h", "mapped", "u", "f", "allocated", "free", "k")]


def allocated():
    """Return what glibc has given out and not got back, bytes; RSS also counts what it keeps for later."""
    mallinfo = ctypes.CDLL(None).mallinfo2
    mallinfo.restype = _Mallinfo
    found = mallinfo()
    return found.mapped + found.allocated


@pytest.fixture(scope="module")
def truth():
    return make_truth()


@pytest.fixture(scope="module")
def store(tmp_path_factory, truth):
    return make_cxg(tmp_path_factory.mktemp("reads") / "a.cxg", truth)


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="glibc counts memory"
)
def test_thousands_of_reads_leave_little_memory_behind(store):
    grown = []
    with open_dataset(store) as dataset:
        while len(grown) < 3 and min(grown, default=MIB * 100) > 6 * MIB:  # others may import something meanwhile
            before = allocated()
            for row in range(N_READS):
                dataset.obs(["n_genes"], rows=[row % dataset.n_obs])
            grown.append(allocated() - before)
    assert min(grown) < 6 * MIB  # 9 MiB where one context keeps the statistics of all


def test_values_are_the_same_whichever_context_reads_them_and_who_reads_beside(store, truth):
    expected = np.asarray(truth.obs["n_genes"])
    with open_dataset(store) as dataset:

        def read(start):
            rows = (np.arange(3) + start) % dataset.n_obs
            found = dataset.obs(["n_genes"], rows=rows)["n_genes"].to_numpy()
            return np.array_equal(found, expected[rows])

        contexts = [dataset._arrays.ctx]
        with ThreadPoolExecutor(4) as pool:
            for _ in range(3):
                assert all(pool.map(read, range(200)))
                contexts.append(dataset._arrays.ctx)
        assert len({id(one) for one in contexts}) > 2
