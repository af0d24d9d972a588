"""Numpress decoding against pynumpress, the bindings of the reference library; deltas against their definition."""

from __future__ import annotations

import struct
from itertools import pairwise

import numpy as np
import pynumpress
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets.mzpeak import kernels
from tests.datasets.make_mzpeak import deltas

few = settings(max_examples=60, deadline=None)
scales = st.sampled_from([1.0, 3.5, 1e4, 1e5, 2.0**20])
points = st.lists(st.integers(0, 2**29), max_size=40)  # residuals of more than 32 bits cannot be written


def encoded(kind: str, values: list[float], *scale: float) -> bytes:
    return bytes(getattr(pynumpress, f"encode_{kind}")(np.array(values, dtype=np.float64), *scale))


def decoded(kind: str, buffer: bytes) -> list[float]:
    return list(getattr(pynumpress, f"decode_{kind}")(np.frombuffer(buffer, dtype=np.uint8)))


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


@few
@given(points, scales)
def test_linear_reads_what_the_reference_wrote_as_it_reads_it(points, scale):
    buffer = encoded("linear", [point / scale for point in points], scale)
    status, out = decode_linear(buffer, len(points))
    assert status == kernels.OK
    if len(points) == 1:  # a length that pynumpress writes but does not read
        np.testing.assert_allclose(out, [points[0] / scale], atol=0.5 / scale)
    else:
        assert out.tolist() == decoded("linear", buffer)


@few
@given(st.lists(st.floats(100, 4000), min_size=2, max_size=40).map(sorted))
def test_linear_reads_axes_at_the_scale_that_the_reference_finds_best(mz):
    buffer = encoded("linear", mz, pynumpress.optimal_linear_fixed_point(np.array(mz)))
    status, out = decode_linear(buffer, len(mz))
    assert status == kernels.OK
    assert out.tolist() == decoded("linear", buffer)
    np.testing.assert_allclose(out, mz, rtol=1e-5)


@few
@given(st.lists(points, min_size=1, max_size=5))
def test_pic_reads_what_the_reference_wrote_buffer_by_buffer(lists):
    status, found = decode_pic(*(encoded("pic", values) for values in lists))
    assert not status.any()
    assert found == [decoded("pic", encoded("pic", values)) for values in lists] == lists


@few
@given(st.lists(st.floats(0, 1e8), min_size=1, max_size=20))
def test_slof_reads_what_the_reference_wrote_as_it_reads_it(values):
    best = pynumpress.optimal_slof_fixed_point(np.array(values))
    buffers = [encoded("slof", values, 3000.0), encoded("slof", [], 3000.0), encoded("slof", values, best)]
    status, found = decode_slof(*buffers)
    assert not status.any()
    for ours, buffer in zip(found, buffers, strict=True):
        np.testing.assert_allclose(ours, decoded("slof", buffer), rtol=1e-13)
    np.testing.assert_allclose(np.log1p(found[0]), np.log1p(values), atol=0.5 / 3000 + 1e-12)


@few
@given(st.binary(max_size=60), st.integers(0, 50))
def test_no_bytes_crash_the_decoders(buffer, room):
    decode_linear(buffer, room)
    decode_pic(buffer)
    decode_slof(buffer)


@pytest.mark.parametrize("length", [1, 7, 9, 11, 13, 15])
def test_a_linear_buffer_that_is_cut_short_says_so(length):
    whole = encoded("linear", [100.0, 200.0, 300.5], 1e4)
    assert decode_linear(whole[:length], 3)[0] == kernels.TOO_SHORT


@pytest.mark.parametrize("scale", [np.nan, np.inf, 0.0, -5.0])
def test_a_scale_that_is_none_is_corrupt(scale):
    buffer = struct.pack(">d", scale)
    assert decode_linear(buffer + bytes(8), 2)[0] == kernels.CORRUPT
    status, _ = decode_slof(buffer + bytes(4))
    assert status.tolist() == [kernels.CORRUPT]


def test_buffers_that_hold_other_numbers_of_values_differ_in_length():
    whole = encoded("linear", [100.0, 200.0, 300.5], 1e4)
    assert [decode_linear(whole, room)[0] for room in (0, 1, 2, 4)] == [kernels.LENGTHS_DIFFER] * 4
    assert decode_linear(encoded("linear", [7.5], 1e4), 1)[0] == kernels.OK


def test_what_slof_cannot_hold_is_corrupt():
    status, _ = decode_slof(encoded("slof", [5.0], 3000.0)[:-1], struct.pack(">d", 1.0) + struct.pack("<H", 65535))
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
