"""The matrix in blocks, bands and buckets is the matrix; expected values come from NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.convert import convert, copy_matrix, entries, spill
from cxg_widget.convert.entries import Entries, Lines
from cxg_widget.convert.spill import DenseSpill, Spill, cut
from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from tests.convert.conftest import assert_holds, truth_with
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import LAYOUTS, make_cxg
from tests.examples import MORE


def random_matrix(n, m, share, seed=0):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, m), density=share, rng=rng, dtype=np.float32, format="csr")
    X.sort_indices()
    return X


def entries_of(X, start, stop):
    part = X[start:stop].tocoo()
    return Entries((part.row + start).astype(np.uint32), part.col.astype(np.uint32), part.data)


@pytest.mark.parametrize("limit", [50, 700, 10**6])
@pytest.mark.parametrize("m", [1, 40, 70_000])
def test_a_spill_turns_the_matrix_round(tmp_path, monkeypatch, limit, m):
    monkeypatch.setattr(spill, "BAND_ENTRIES", limit)
    monkeypatch.setattr(spill, "_WAITING", 300)
    X = random_matrix(120, m, 0.9 if m == 1 else min(0.2, 3000 / (120 * m)))
    turned = Spill(tmp_path / "scratch", m, X.nnz)
    for start in range(0, 120, 7):
        turned.add(entries_of(X, start, min(start + 7, 120)))
    expected = X.tocsc()
    expected.sort_indices()
    bounds, found = [], []
    for start, stop, band in turned.bands():
        bounds.append((start, stop))
        found.append(band)
        assert len(band) <= limit or stop == start + 1
    assert [start for start, _ in bounds] == [0, *(stop for _, stop in bounds[:-1])]
    assert bounds[-1][1] == m
    joined = [np.concatenate([getattr(band, name) for band in found]) for name in ("lines", "positions", "values")]
    np.testing.assert_array_equal(joined[0], np.repeat(np.arange(m), np.diff(expected.indptr)))
    np.testing.assert_array_equal(joined[1], expected.indices)
    np.testing.assert_array_equal(joined[2], expected.data)


def test_a_dense_spill_turns_the_matrix_round(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 23)).astype(np.float32)
    turned = DenseSpill(tmp_path / "scratch", 50, 23, 8)
    for start in range(0, 50, 9):
        turned.add(X[start : start + 9])
    bands = list(turned.bands())
    assert [(start, stop) for start, stop, _ in bands] == [(0, 8), (8, 16), (16, 23)]
    np.testing.assert_array_equal(np.concatenate([values for _, _, values in bands]), X.T)
    assert not any((tmp_path / "scratch").iterdir())


@settings(deadline=None, max_examples=15 * MORE)
@given(st.lists(st.integers(0, 30), min_size=1, max_size=40), st.integers(1, 60))
def test_runs_cover_all_lines_in_order_and_stay_below_the_limit(counts, limit):
    runs = list(cut(np.array(counts), limit))
    assert [start for start, _ in runs] == [0, *(stop for _, stop in runs[:-1])]
    assert runs[-1][1] == len(counts)
    assert all(sum(counts[start:stop]) <= limit or stop == start + 1 for start, stop in runs)


class OneMatrix:
    """Stands for a dataset: its matrix in one block, in any order."""

    uri, major_axis = "one", "obs"

    def __init__(self, block, length):
        self._block, self.n_obs, self.n_var = block, len(block.starts) - 1, length

    def matrix_block(self, start, stop, layer):
        assert (start, stop) == (0, self.n_obs)
        return self._block


def test_entries_are_sorted_and_what_is_left_out_is_0():
    block = MatrixBlock(
        np.array([0, 3, 3, 5]),
        np.array([4, 0, 2, 1, 3]),
        np.array([1, 0, np.nan, -2, 5], dtype=np.float32),
    )
    expected = np.zeros((3, 5), dtype=np.float32)
    expected[0, [4, 0, 2]], expected[2, [1, 3]] = [1, 0, np.nan], [-2, 5]
    found = Lines(OneMatrix(block, 5), None).read(0, 3)
    np.testing.assert_array_equal(found.dense(0, 3, 5), expected)
    assert len(found) == np.count_nonzero(expected)
    keys = found.lines.astype(int) * 5 + found.positions
    assert (np.diff(keys) > 0).all()


KINDS = (*LAYOUTS, "csr", "csc")
CASES = [(kind, (0.1, 0.7)[turn % 2], ("new.cxg", "new.h5ad")[turn // 2 % 2]) for turn, kind in enumerate(KINDS)]


@pytest.mark.parametrize(("kind", "share", "target"), CASES)
def test_small_blocks_give_the_same_store(tmp_path, in_small_blocks, kind, share, target):
    truth = truth_with(share)
    convert(source_of(tmp_path, truth, kind), tmp_path / target)
    with open_dataset(tmp_path / target) as dataset:
        assert_holds(dataset, truth)


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_small_blocks_give_the_same_tiles_of_whole_rows(tmp_path, in_small_blocks, kind):
    truth = truth_with(0.7)
    convert(source_of(tmp_path, truth, kind), tmp_path / "new.cxg", explorer_diffexp=True)
    with open_dataset(tmp_path / "new.cxg") as dataset:
        assert_holds(dataset, truth)


def source_of(tmp_path, truth, kind):
    in_cxg = kind in LAYOUTS
    return make_cxg(tmp_path / "source.cxg", truth, kind) if in_cxg else make_anndata(tmp_path, truth, layout=kind)


@pytest.fixture
def in_small_blocks(monkeypatch):
    monkeypatch.setattr(entries, "CELLS_PER_BLOCK", 3000)
    monkeypatch.setattr(spill, "BAND_ENTRIES", 500)
    monkeypatch.setattr(copy_matrix, "BAND_ENTRIES", 500)
    monkeypatch.setattr(copy_matrix, "_BAND_CELLS", 1000)
    monkeypatch.setattr(spill, "_WAITING", 200)
    monkeypatch.setattr("cxg_widget.convert.tables.ROWS_PER_SLAB", 700)
    monkeypatch.setattr("cxg_widget.convert.to_cxg.ROWS_PER_SLAB", 700)
    monkeypatch.setattr("cxg_widget.convert.to_h5ad.ROWS_PER_SLAB", 700)


@pytest.mark.parametrize("guess", [0.0, 1.0])
def test_a_wrong_guess_costs_time_and_nothing_else(tmp_path, monkeypatch, guess):
    monkeypatch.setattr(Lines, "sampled_share", lambda self: guess)
    for share in (0.1, 0.7):
        truth = truth_with(share)
        source = make_cxg(tmp_path / f"source{share}.cxg", truth)
        for target in (f"new{share}.cxg", f"new{share}.h5ad"):
            assert convert(source, tmp_path / target).dense == (share == 0.7)
            with open_dataset(tmp_path / target) as dataset:
                assert_holds(dataset, truth)
