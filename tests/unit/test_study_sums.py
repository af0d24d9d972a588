"""Sums of counts by sample, type and gene, against SciPy's sums over the same rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array

from cxg_widget.compare.donors import sums as donor_sums
from cxg_widget.compare.matrix_statistics import MatrixStats
from cxg_widget.compare.question import Question
from cxg_widget.errors import InvalidValue
from cxg_widget.spatial.array_store import SUFFIXES
from cxg_widget.study.sums import Groups, KeptSums
from cxg_widget.study.sums_store import SumsStore, sums_key
from tests.memory import MemoryDataset
from tests.unit.test_compare_donors import ByDenseRows, ByRows

N_OBS, N_VAR, N_SAMPLES, N_TYPES = 900, 70, 7, 4
KINDS = [MemoryDataset, ByRows, ByDenseRows]
QUESTION = Question("pseudobulk")


def counts(seed=0):
    rng = np.random.default_rng(seed)
    x = rng.poisson(0.4, (N_OBS, N_VAR)).astype(np.float32)
    x[:, 5], x[:, 6] = 0, 0
    x[3, 6] = 9  # a gene of one cell, so of one sample
    return x


def codes(seed=0):
    """Samples and types; cells without either, a sample and a type that lack most of the other."""
    rng = np.random.default_rng(seed)
    samples = rng.integers(-1, N_SAMPLES - 1, N_OBS).astype(np.int32)
    types = rng.integers(-1, N_TYPES, N_OBS).astype(np.int8)
    types[samples == 2] = 1
    return samples, types


def prepared(x, kind=MemoryDataset):
    dataset = kind({}, x, [f"g{at}" for at in range(x.shape[1])], {"umap": np.zeros((len(x), 2))})
    samples, types = codes()
    return MatrixStats(dataset), Groups.of(samples, types, N_SAMPLES, N_TYPES)


def by_scipy(x, mask=None):
    samples, types = codes()
    kept = (samples >= 0) & (types >= 0) & (True if mask is None else mask)
    rows = np.flatnonzero(kept)
    group = samples[rows] * N_TYPES + types[rows]
    members = csr_array((np.ones(len(rows)), (group, rows)), shape=(N_SAMPLES * N_TYPES, len(x)))
    found = members @ csr_array(np.nan_to_num(x).astype(np.float64))
    return found.toarray()


def everything(found):
    return found.of(np.arange(N_SAMPLES * N_TYPES))


def masks(seed=1):
    """Masks that cut groups in all ways: some wholly inside, some outside, some mostly inside."""
    rng, (samples, types) = np.random.default_rng(seed), codes()
    return {
        "all": np.ones(N_OBS, dtype=bool),
        "none": np.zeros(N_OBS, dtype=bool),
        "half": rng.random(N_OBS) < 0.5,
        "a type": types == 2,
        "a type and stray cells": (types == 2) | (rng.random(N_OBS) < 0.03),
        "a sample without some": (samples == 3) & (rng.random(N_OBS) < 0.9),
        "cells without a group": (samples < 0) | (types < 0),
    }


@pytest.mark.parametrize("is_merged", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_a_pass_equal_those_of_scipy(kind, is_merged, monkeypatch):
    x = counts()
    x[10:40, 3] = np.nan
    if is_merged:
        monkeypatch.setattr(donor_sums, "_DENSE_BYTES", 0)
    matrix, groups = prepared(x, kind)
    kept = KeptSums.make(matrix, groups, QUESTION)
    np.testing.assert_array_equal(kept.sums.toarray(), by_scipy(x))
    np.testing.assert_array_equal(everything(kept.plan(None)), by_scipy(x))
    assert kept.sums.dtype == np.uint32
    assert kept.n_bytes <= 8 * np.count_nonzero(by_scipy(x)) + 4 * (len(groups) + 1)


@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_any_cells_equal_those_of_scipy_to_the_last_count(kind):
    x = counts()
    matrix, groups = prepared(x, kind)
    kept = KeptSums.make(matrix, groups, QUESTION)
    for name, mask in masks().items():
        found = kept.of(mask, matrix, QUESTION)
        np.testing.assert_array_equal(everything(found), by_scipy(x, mask), err_msg=name)
        inside = np.bincount(groups.codes[mask & (groups.codes >= 0)], minlength=len(groups))
        np.testing.assert_array_equal(found.n_cells, inside, err_msg=name)


def test_the_smaller_part_of_each_group_is_read_and_nothing_of_whole_groups():
    matrix, groups = prepared(counts())
    kept = KeptSums.make(matrix, groups, QUESTION)
    for name, mask in masks().items():
        n_in = np.bincount(groups.codes[mask & (groups.codes >= 0)], minlength=len(groups))
        n_all = np.bincount(groups.codes[groups.codes >= 0], minlength=len(groups))
        assert len(kept.plan(mask).rows) == np.minimum(n_in, n_all - n_in).sum(), name
    assert len(kept.plan(masks()["a type"]).rows) == 0


@pytest.mark.parametrize("first", list(masks()))
def test_after_a_lasso_only_the_cells_that_differ_are_read_where_that_is_less(first):
    x = counts()
    matrix, groups = prepared(x)
    kept = KeptSums.make(matrix, groups, QUESTION)
    before = masks()[first]
    known = kept.of(before, matrix, QUESTION)
    for name, mask in masks().items():
        n_changed = np.count_nonzero((mask != before) & (groups.codes >= 0))
        planned = kept.plan(mask, known)
        assert len(planned.rows) <= min(len(kept.plan(mask).rows), n_changed)
        found = planned.read(matrix, QUESTION)
        np.testing.assert_array_equal(everything(found), by_scipy(x, mask), err_msg=name)
        assert kept.plan(mask, found).rows.size == 0
        known, before = found, mask


def test_sums_above_four_billion_are_exact():
    x = counts()
    x[:, 0] = 2.0**24
    x[:, 1] = 2.0**31
    for kind in KINDS:
        matrix, groups = prepared(x, kind)
        kept = KeptSums.make(matrix, groups, QUESTION)
        assert by_scipy(x).max() > 2**32
        np.testing.assert_array_equal(kept.sums.toarray(), by_scipy(x))
        mask = masks()["half"]
        np.testing.assert_array_equal(everything(kept.of(mask, matrix, QUESTION)), by_scipy(x, mask))


@pytest.mark.parametrize("value", [0.5, -1, np.inf])
@pytest.mark.parametrize("is_merged", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_value_that_is_no_count_is_refused_even_if_the_sample_missed_it(kind, is_merged, value, monkeypatch):
    x = counts()
    rows = np.flatnonzero(prepared(x)[1].codes >= 0)
    x[rows[1], 1] = value
    if is_merged:
        monkeypatch.setattr(donor_sums, "_DENSE_BYTES", 0)
    matrix, groups = prepared(x, kind)
    with pytest.raises(InvalidValue, match=r"sums counts, and X holds 1 values that"):
        KeptSums.make(matrix, groups, QUESTION)


@pytest.mark.parametrize("is_merged", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_values_that_are_no_counts_are_summed_in_any_cells_and_come_back_from_disk(
    kind, is_merged, monkeypatch, tmp_path
):
    x = np.log1p(counts())
    if is_merged:
        monkeypatch.setattr(donor_sums, "_DENSE_BYTES", 0)
    matrix, groups = prepared(x, kind)
    kept, store = KeptSums.make(matrix, groups, QUESTION), SumsStore(tmp_path)
    key = sums_key("data", groups, None)
    assert store.save(key, kept)
    for one in (kept, store.load(key, groups, N_VAR)):
        assert not one.are_counts
        known = None
        for name, mask in masks().items():
            known, wanted = one.of(mask, matrix, QUESTION, known), by_scipy(x, mask)
            np.testing.assert_allclose(everything(known), wanted, rtol=1e-9, err_msg=name)
            # A gene of which all cells were subtracted is absent, whatever was rounded.
            np.testing.assert_array_equal(everything(known) == 0, wanted == 0, err_msg=name)


def test_more_sums_than_are_kept_are_refused_before_anything_is_read(monkeypatch):
    monkeypatch.setattr("cxg_widget.study.sums._MOST_SUMS", 1000)
    matrix, groups = prepared(counts())
    with pytest.raises(InvalidValue, match="at most 1,000 sums are kept"):
        KeptSums.make(matrix, groups, QUESTION)
    assert not [one for one in matrix.dataset.reads if one.startswith("X")]


def test_sums_come_back_from_their_file_and_from_no_other(tmp_path):
    x = counts()
    matrix, groups = prepared(x)
    kept, store = KeptSums.make(matrix, groups, QUESTION), SumsStore(tmp_path)
    key = sums_key("data", groups, None)
    assert store.save(key, kept)
    found = store.load(key, groups, N_VAR)
    np.testing.assert_array_equal(found.sums.toarray(), by_scipy(x))
    mask = masks()["half"]
    np.testing.assert_array_equal(everything(found.of(mask, matrix, QUESTION)), by_scipy(x, mask))
    assert store.load(key, groups, N_VAR + 1) is None
    other = Groups(np.roll(groups.codes, 1), N_SAMPLES, N_TYPES)
    keys = {key, sums_key("data", other, None), sums_key("data", groups, "raw"), sums_key("other", groups, None)}
    assert len(keys) == 4
    (path,) = tmp_path.iterdir()
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)
    assert SumsStore(tmp_path).load(key, groups, N_VAR) is None


def test_sums_are_evicted_before_sketches_and_indexes(tmp_path):
    assert SUFFIXES[0] == SumsStore.suffix
    matrix, groups = prepared(counts())
    kept, index = KeptSums.make(matrix, groups, QUESTION), tmp_path / "a.cxgindex"
    index.write_bytes(bytes(100_000))
    SumsStore(tmp_path).save("first", kept)
    size = (tmp_path / "first.cxgsums").stat().st_size
    assert SumsStore(tmp_path, 100_000 + size + 10).save("second", kept)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.cxgindex", "second.cxgsums"]
    assert not SumsStore(tmp_path, 100_000 + size - 10).save("third", kept)
    assert index.exists()
