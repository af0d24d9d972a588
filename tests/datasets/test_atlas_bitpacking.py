"""Bit-packed chunks: what was packed comes out, and what is damaged is refused before anything is allocated."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets.atlas.bitpacking import unpack
from tests.datasets.make_atlas import TRANSFORMS, bitpack


def chunk(values, transform="none") -> np.ndarray:
    return np.frombuffer(bitpack(np.asarray(values, dtype=np.uint32), transform), dtype=np.uint8)


@settings(max_examples=60, deadline=None)
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


def test_values_of_eight_bytes_are_two_streams():
    values = np.random.default_rng(0).integers(0, 2**63, 300, dtype=np.uint64)
    halves = values.view("<u4").reshape(-1, 2)
    both = np.concatenate([chunk(halves[:, 0]), chunk(halves[:, 1])])
    np.testing.assert_array_equal(unpack(both, 300, 8), values, strict=True)


def test_every_truncation_is_refused():
    whole = chunk(np.arange(300), "delta")
    for length in range(len(whole)):
        with pytest.raises(ValueError, match="ends after"):
            unpack(whole[:length], 300)


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda text: text.__setitem__(0, 7), "transform 7"),
        (lambda text: text.__setitem__(slice(1, 5), 255), "declares 4,294,967,295 values, where 300"),
        (lambda text: text.__setitem__(1, 1), "where 300 belong"),
        (lambda text: text.__setitem__(5, 33), "width 33"),
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
