"""Numpress decoding against pynumpress, the bindings of the reference library; deltas against their definition."""

from __future__ import annotations

import struct
from itertools import pairwise

import numpy as np
import pynumpress
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.mzpeak import chunk_loops
from cxg_widget.errors import DamagedStore
from tests.datasets.make_mzpeak import MZ_SCALE, SLOF_SCALE, deltas, make_mzpeak, make_run
from tests.examples import MORE

few = settings(max_examples=20 * MORE, deadline=None)
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
    return int(chunk_loops.decode_linear(data, 0, len(buffer), out, 0, room)), out


def decode_pic(*buffers: bytes) -> tuple[np.ndarray, list[list[float]]]:
    data, begins = as_bytes(*buffers)
    counts, status = np.zeros(len(buffers), np.int64), np.zeros(len(buffers), np.uint8)
    chunk_loops.count_pic(data, begins, counts, status)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    out = np.zeros(offsets[-1])
    chunk_loops.decode_pic(data, begins, offsets, out, status)
    return status, [out[i:j].tolist() for i, j in pairwise(offsets)]


def decode_slof(*buffers: bytes) -> tuple[np.ndarray, list[list[float]]]:
    data, begins = as_bytes(*buffers)
    counts, status = np.zeros(len(buffers), np.int64), np.zeros(len(buffers), np.uint8)
    chunk_loops.count_slof(begins, counts, status)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    out = np.zeros(offsets[-1])
    chunk_loops.decode_slof(data, begins, offsets, out, status)
    return status, [out[i:j].tolist() for i, j in pairwise(offsets)]


@few
@given(points, scales)
def test_linear_reads_what_the_reference_wrote_as_it_reads_it(points, scale):
    buffer = encoded("linear", [point / scale for point in points], scale)
    status, out = decode_linear(buffer, len(points))
    assert status == chunk_loops.OK
    if len(points) == 1:  # a length that pynumpress writes but does not read
        np.testing.assert_allclose(out, [points[0] / scale], atol=0.5 / scale)
    else:
        assert out.tolist() == decoded("linear", buffer)


@few
@given(st.lists(st.floats(100, 4000), min_size=2, max_size=40).map(sorted))
def test_linear_reads_axes_at_the_scale_that_the_reference_finds_best(mz):
    buffer = encoded("linear", mz, pynumpress.optimal_linear_fixed_point(np.array(mz)))
    status, out = decode_linear(buffer, len(mz))
    assert status == chunk_loops.OK
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
    assert decode_linear(whole[:length], 3)[0] == chunk_loops.TOO_SHORT


@pytest.mark.parametrize("scale", [np.nan, np.inf, 0.0, -5.0])
def test_a_scale_that_is_none_is_corrupt(scale):
    buffer = struct.pack(">d", scale)
    assert decode_linear(buffer + bytes(8), 2)[0] == chunk_loops.CORRUPT
    status, _ = decode_slof(buffer + bytes(4))
    assert status.tolist() == [chunk_loops.CORRUPT]


def test_buffers_that_hold_other_numbers_of_values_differ_in_length():
    whole = encoded("linear", [100.0, 200.0, 300.5], 1e4)
    assert [decode_linear(whole, room)[0] for room in (0, 1, 2, 4)] == [chunk_loops.LENGTHS_DIFFER] * 4
    assert decode_linear(encoded("linear", [7.5], 1e4), 1)[0] == chunk_loops.OK


def test_what_slof_cannot_hold_is_corrupt():
    status, _ = decode_slof(encoded("slof", [5.0], 3000.0)[:-1], struct.pack(">d", 1.0) + struct.pack("<H", 65535))
    assert status.tolist() == [chunk_loops.TOO_SHORT, chunk_loops.CORRUPT]


entries = st.lists(st.one_of(st.none(), st.floats(100, 2000)), min_size=1, max_size=30)


@few
@given(entries)
def test_delta_lists_with_nulls_give_the_values_back(values):
    steps = deltas(values)
    known = [one for one in values if one is not None]
    out, valid = np.zeros(len(values)), np.zeros(len(values), dtype=bool)
    numbers = np.array([np.nan if one is None else one for one in steps], dtype=np.float64)
    start = known[0] if known else 0.0
    status = chunk_loops.decode_steps(
        numbers, ~np.isnan(numbers), 0, len(steps), start, True, out, valid, 0, len(values)
    )  # fmt: skip
    assert status == chunk_loops.OK
    assert valid.tolist() == [one is not None for one in values]
    np.testing.assert_allclose(out[valid], known, atol=1e-9)


def flanked(by: float, intensity: float = 0.0):
    """Return an edit of chunks: a point beside each of their bounds, as the format's writer closes a profile."""

    def edit(chunks):
        for chunk in chunks:
            start, end = chunk["mz_chunk_start"], max(chunk["mz_chunk_start"], chunk["mz_chunk_end"])
            mz, packed = bytes(chunk["mz_numpress_linear_bytes"]), bytes(chunk["intensity_packed_bytes"])
            inner = [start] if len(mz) == 12 else decoded("linear", mz)
            values = [intensity, *decoded("slof", packed), intensity]
            chunk["mz_numpress_linear_bytes"] = list(encoded("linear", [start - by, *inner, end + by], MZ_SCALE))
            chunk["intensity_packed_bytes"] = list(encoded("slof", values, SLOF_SCALE))

    return edit


@pytest.mark.parametrize("by", [0.002, 0.05, 0.5])
def test_points_of_intensity_0_beside_the_bounds_of_a_chunk_change_no_chromatogram(tmp_path, by):
    run = make_run()
    path = make_mzpeak(tmp_path / "flanked.mzpeak", run, "slof", edit=[flanked(by)])
    truth = make_mzpeak(tmp_path / "plain.mzpeak", run, "slof")
    with open_dataset(path) as dataset, open_dataset(truth) as plain:
        for name in ("mz:500+-499", "mz:300+-20", "mz:700+-0.6"):
            np.testing.assert_allclose(dataset.values(name), plain.values(name), rtol=1e-6)
    if by > 0.01:  # nearer ones cannot be told from what rounding moves
        with open_dataset(path, observations="peaks") as dataset, open_dataset(truth, observations="peaks") as plain:
            assert dataset.n_obs == plain.n_obs
            np.testing.assert_allclose(dataset.obs()["mz"], plain.obs()["mz"], atol=2 / MZ_SCALE)


def test_a_signal_outside_the_bounds_of_its_chunk_is_damage(tmp_path):
    path = make_mzpeak(tmp_path / "wrong.mzpeak", make_run(), "slof", edit=[flanked(0.05, intensity=7.0)])
    with (
        open_dataset(path) as dataset,
        pytest.raises(DamagedStore, match="a chunk holds m/z outside its own bounds"),
    ):
        dataset.values("mz:500+-499")
