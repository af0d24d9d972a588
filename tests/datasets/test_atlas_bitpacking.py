"""Bit-packed chunks: what was packed comes out, and what is damaged is refused before anything is allocated."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.atlas.bitpacking import unpack
from cxg_widget.datasets.atlas.bitpacking_loops import find, pick
from cxg_widget.datasets.atlas.packed_entries import PackedEntries
from cxg_widget.errors import DamagedStore
from tests.datasets.make_atlas import TRANSFORMS, bitpack, make_atlas, make_truth
from tests.examples import MORE


def chunk(values, transform="none") -> np.ndarray:
    return np.frombuffer(bitpack(np.asarray(values, dtype=np.uint32), transform), dtype=np.uint8)


@settings(max_examples=20 * MORE, deadline=None)
@given(
    values=st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 30), max_size=400),
    transform=st.sampled_from(list(TRANSFORMS)),
)
def test_what_was_packed_comes_out(values, transform):
    found = unpack(chunk(values, transform), len(values))
    np.testing.assert_array_equal(found, np.array(values, dtype=np.uint32), strict=True)


@pytest.mark.parametrize("width", range(33))
def test_every_width_is_unpacked(width):
    values = np.random.default_rng(width).integers(0, 2**width, 1000, dtype=np.uint64).astype(np.uint32)
    values[::128] = 2**width - 1
    np.testing.assert_array_equal(unpack(chunk(values), 1000), values)


def packed_by_homeobox() -> dict[str, np.ndarray]:
    """Chunks that the codec of homeobox 0.2.9 wrote ("packed ..."), and the values that it was given."""
    with np.load(Path(__file__).with_name("packed_by_homeobox.npz")) as file:
        return dict(file)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", ["uint32", "sorted uint32", "uint64", "sorted uint64", "small uint64"])
def test_what_homeobox_packed_comes_out(name, transform):
    stored = packed_by_homeobox()
    values, packed = stored[name], stored[f"packed {name} {transform}"]
    np.testing.assert_array_equal(unpack(packed, len(values), values.itemsize), values, strict=True)
    assert bitpack(values, transform) == packed.tobytes(), "the writer of these tests writes other bytes"


def test_every_truncation_is_refused():
    whole = chunk(np.arange(300), "delta")
    for length in range(len(whole)):
        with pytest.raises(ValueError, match="ends after"):
            unpack(whole[:length], 300)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda text: text.__setitem__(0, 7), "transform 7"),
        (lambda text: text.__setitem__(slice(1, 5), 255), "declares 4,294,967,295 values; expected 300"),
        (lambda text: text.__setitem__(1, 1), "expected 300"),
        (lambda text: text.__setitem__(5, 33), "width of 33 bits"),
    ],
)
def test_damage_is_told_without_memory_for_what_it_declares(damage, sentence):
    text = chunk(np.arange(300), "delta").copy()
    damage(text)
    tracemalloc.start()
    with pytest.raises(ValueError, match=sentence):
        unpack(text, 300)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


@pytest.fixture
def searched(monkeypatch):
    """Let the compiled search read atlases of any size, and tell what it read."""
    found: list[str] = []
    monkeypatch.setattr("cxg_widget.datasets.atlas.groups.MANY_ENTRIES", 0)
    for name in ("find", "take"):
        original = getattr(PackedEntries, name)

        def counted(self, *args, _original=original):
            found.append(self.name.split("'")[1])
            return _original(self, *args)

        monkeypatch.setattr(PackedEntries, name, counted)
    return found


@pytest.mark.parametrize("entries_at_once", [128, 1 << 22])
@pytest.mark.parametrize("records", ["new", "cell"])
def test_the_compiled_search_finds_what_zarr_reads(tmp_path, searched, monkeypatch, records, entries_at_once):
    monkeypatch.setattr("cxg_widget.datasets.atlas.packed_entries.ENTRIES_AT_ONCE", entries_at_once)
    truth = make_truth()
    with open_dataset(make_atlas(tmp_path / "a", truth, "bitpacked", records)) as dataset:
        for position, gene in enumerate(truth.var_labels):
            np.testing.assert_array_equal(dataset.values(gene), truth.X[:, position])
        assert {name.split("/", 2)[2] for name in searched} == {"csr/indices", "csr/layers/counts"}


def test_the_compiled_search_reads_values_that_are_packed_otherwise_through_zarr(tmp_path, searched):
    truth = make_truth()
    with open_dataset(make_atlas(tmp_path / "a", truth, "bitpacked", layers=("tpm",))) as dataset:
        for position, gene in enumerate(truth.var_labels):
            np.testing.assert_allclose(dataset.values(gene, layer="tpm"), truth.X[:, position] * 3)
        assert {name.split("/", 2)[2] for name in searched} == {"csr/indices"}


def test_small_groups_are_searched_by_the_compiled_loop_once_they_are_many_together(tmp_path, searched, monkeypatch):
    truth = make_truth()
    in_a, in_all = (int((truth.X[rows] > 0).sum()) for rows in (slice(0, 25), slice(None)))
    monkeypatch.setattr("cxg_widget.datasets.atlas.groups.MANY_ENTRIES", in_a + 1)
    with open_dataset(make_atlas(tmp_path / "a", truth, "bitpacked")) as dataset:
        dataset.values("ENSG0005")
        assert in_all > in_a
        assert "a/genes/csr/indices" not in searched
        assert "b/genes/csr/indices" in searched
        np.testing.assert_array_equal(dataset.values("ENSG0006"), truth.X[:, 6])
        assert "a/genes/csr/indices" in searched


@settings(max_examples=15 * MORE, deadline=None)
@given(
    values=st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 5), min_size=1, max_size=600),
    transform=st.sampled_from(list(TRANSFORMS)),
    data=st.data(),
)
def test_compiled_and_numpy_unpack_the_same(values, transform, data):
    raw = np.concatenate([chunk(values, transform)] * 2)
    half, n = len(raw) // 2, len(values)
    begins, ends = np.array([0, half, 0]), np.array([half, 2 * half, 0])
    whole = np.concatenate([values, values, np.zeros(n, dtype=np.uint64)])
    wanted = data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=4, unique=True))
    number = np.full(max(wanted) + 1, -1, dtype=np.int32)
    number[wanted] = np.arange(len(wanted))
    hits, which = np.empty(3 * n, dtype=np.int64), np.empty(3 * n, dtype=np.int32)
    n_hits = find(raw, begins, ends, n, number, hits, which)
    np.testing.assert_array_equal(hits[:n_hits], np.flatnonzero(np.isin(whole, wanted)))
    np.testing.assert_array_equal(np.array(wanted)[which[:n_hits]], whole[hits[:n_hits]])
    places = np.array(sorted(data.draw(st.sets(st.integers(0, 3 * n - 1)))), dtype=np.int64)
    picked = np.empty(len(places), dtype=np.float32)
    assert pick(raw, begins, ends, n, places, picked) == len(places)
    np.testing.assert_array_equal(picked, whole[places].astype(np.float32))


def test_the_compiled_search_refuses_every_truncation():
    raw = chunk(np.arange(300), "delta")
    hits, which, values = np.empty(300, np.int64), np.empty(300, np.int32), np.empty(1, np.float32)
    seven = np.array([*[-1] * 7, 0], dtype=np.int32)
    for length in range(1, len(raw)):
        span = np.array([0]), np.array([length])
        assert find(raw[:length], *span, 300, seven, hits, which) == -1
        assert pick(raw[:length], *span, 300, np.array([299]), values) == -1


@pytest.mark.parametrize("damage", ["cut", "index", "lost", "values"])
def test_the_compiled_search_tells_of_damaged_shards(tmp_path, searched, damage):
    path = make_atlas(tmp_path / "a", make_truth(), "bitpacked")
    file = path / "zarr_store/a/genes/csr" / ("layers/counts" if damage == "values" else "indices") / "c/0"
    raw = bytearray(file.read_bytes())
    if damage == "lost":
        file.unlink()
    elif damage == "index":
        raw[-36:-28] = (2**62).to_bytes(8, "little")
        file.write_bytes(raw)
    elif damage == "values":
        raw[1:5] = b"\xff" * 4
        file.write_bytes(raw)
    else:
        file.write_bytes(raw[:20])
    with open_dataset(path) as dataset, pytest.raises(DamagedStore, match="csr/"):
        dataset.values("ENSG0005")
