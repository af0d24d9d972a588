"""Numpress and delta decoding against encoders written from the definitions; corrupt buffers end in an error."""

from __future__ import annotations

import struct
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets.mzpeak import kernels
from tests.datasets import numpress
from tests.datasets.make_mzpeak import deltas

few = settings(max_examples=60, deadline=None)
integers = st.integers(-(2**31), 2**31 - 1)


def as_bytes(*buffers: bytes) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in buffers])]).astype(np.int64)
    return np.frombuffer(b"".join(buffers), dtype=np.uint8), offsets


def decode_linear(buffer: bytes, room: int) -> tuple[int, np.ndarray]:
    out = np.full(room, -1.0)
    data, _ = as_bytes(buffer)
    return int(kernels.decode_linear(data, 0, len(buffer), out, 0, room)), out


def decode_pic(*buffers: bytes) -> tuple[np.ndarray, list[list[float]]]:
    data, begins = as_bytes(*buffers)
    counts, status = np.zeros(len(buffers), np.int64), np.zeros(len(buffers), np.uint8)
    kernels.count_pic(data, begins, counts, status)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    out = np.zeros(offsets[-1])
    kernels.decode_pic(data, begins, offsets, out, status)
    return status, [out[i:j].tolist() for i, j in pairwise(offsets)]


def decode_slof(*buffers: bytes) -> tuple[np.ndarray, list[list[float]]]:
    data, begins = as_bytes(*buffers)
    counts, status = np.zeros(len(buffers), np.int64), np.zeros(len(buffers), np.uint8)
    kernels.count_slof(begins, counts, status)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    out = np.zeros(offsets[-1])
    kernels.decode_slof(data, begins, offsets, out, status)
    return status, [out[i:j].tolist() for i, j in pairwise(offsets)]


def test_half_bytes_are_those_of_the_paper():
    assert numpress.half_bytes(0) == [8]
    assert numpress.half_bytes(1) == [7, 1]
    assert numpress.half_bytes(-1) == [15, 15]
    assert numpress.half_bytes(0x7FFFFFFF) == [0, 15, 15, 15, 15, 15, 15, 15, 7]


@few
@given(st.lists(integers, max_size=30))
def test_every_integer_comes_back(values):
    data, _ = as_bytes(numpress.packed(values))
    at, found = 0, []
    while not kernels.ends_here(data, at, 2 * len(data)):
        value, at = kernels.next_integer(data, at, 2 * len(data))
        found.append(int(value))
    assert found == values


@few
@given(st.lists(st.integers(0, 2**31 - 1), max_size=40))
def test_linear_gives_the_fixed_points_back(points):
    values = [point / 1e4 for point in np.cumsum(np.array(points) % 100_000).tolist()]
    status, out = decode_linear(numpress.linear(values, 1e4), len(values))
    assert status == kernels.OK
    np.testing.assert_allclose(out, values, rtol=1e-12)


@few
@given(st.lists(st.lists(st.integers(0, 2**31 - 1), max_size=20), min_size=1, max_size=5))
def test_pic_gives_counts_back_buffer_by_buffer(lists):
    status, found = decode_pic(*(numpress.pic(values) for values in lists))
    assert not status.any()
    assert found == lists


@few
@given(st.lists(st.floats(0, 1e8), max_size=20))
def test_slof_keeps_values_as_far_as_two_bytes_do(values):
    status, (found, empty) = decode_slof(numpress.slof(values, 3000), numpress.slof([], 3000))
    assert not status.any()
    assert empty == []
    np.testing.assert_allclose(np.log1p(found), np.log1p(values), atol=0.5 / 3000 + 1e-12)


@few
@given(st.binary(max_size=60), st.integers(0, 50))
def test_no_bytes_crash_the_decoders(buffer, room):
    decode_linear(buffer, room)
    decode_pic(buffer)
    decode_slof(buffer)


@pytest.mark.parametrize("length", [1, 7, 9, 11, 13, 15])
def test_a_linear_buffer_that_is_cut_short_says_so(length):
    whole = numpress.linear([100.0, 200.0, 300.5], 1e4)
    assert decode_linear(whole[:length], 3)[0] == kernels.TOO_SHORT


@pytest.mark.parametrize("scale", [np.nan, np.inf, 0.0, -5.0])
def test_a_scale_that_is_none_is_corrupt(scale):
    buffer = struct.pack("<d", scale)
    assert decode_linear(buffer + bytes(8), 2)[0] == kernels.CORRUPT
    status, _ = decode_slof(buffer + bytes(4))
    assert status.tolist() == [kernels.CORRUPT]


def test_buffers_that_hold_other_numbers_of_values_differ_in_length():
    whole = numpress.linear([100.0, 200.0, 300.5], 1e4)
    assert [decode_linear(whole, room)[0] for room in (0, 1, 2, 4)] == [kernels.LENGTHS_DIFFER] * 4
    assert decode_linear(numpress.linear([7.5], 1e4), 1)[0] == kernels.OK


def test_what_slof_cannot_hold_is_corrupt():
    status, _ = decode_slof(numpress.slof([5.0], 3000)[:-1], struct.pack("<dH", 1.0, 65535))
    assert status.tolist() == [kernels.TOO_SHORT, kernels.CORRUPT]


entries = st.lists(st.one_of(st.none(), st.floats(100, 2000)), min_size=1, max_size=30)


@few
@given(entries)
def test_delta_lists_with_nulls_give_the_values_back(values):
    steps = deltas(values)
    known = [one for one in values if one is not None]
    out, valid = np.zeros(len(values)), np.zeros(len(values), dtype=bool)
    numbers = np.array([np.nan if one is None else one for one in steps], dtype=np.float64)
    start = known[0] if known else 0.0
    status = kernels.decode_steps(
        numbers, ~np.isnan(numbers), 0, len(steps), start, True, out, valid, 0, len(values)
    )  # fmt: skip
    assert status == kernels.OK
    assert valid.tolist() == [one is not None for one in values]
    np.testing.assert_allclose(out[valid], known, atol=1e-9)
