"""Laws of the message schema."""

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cxg_widget.errors import ProtocolError
from cxg_widget.wire import protocol
from cxg_widget.wire.frames import Frame, spans
from cxg_widget.wire.parsing import parse
from tools import golden

GOLDEN = Path(__file__).parent.parent / "golden"


def test_golden_files_are_current():
    assert {path.name for path in GOLDEN.glob("*.json")} == set(golden.documents())
    for name, text in golden.documents().items():
        assert (GOLDEN / name).read_text(encoding="utf-8") == text


def test_every_message_has_a_golden_file():
    kinds = {path.name.split(".")[1] for path in GOLDEN.glob("*.json")}
    assert kinds == {message.kind for message in protocol.REQUESTS + protocol.REPLIES}


@pytest.mark.parametrize("request_json", golden.REQUESTS, ids=lambda one: one["kind"])
def test_every_golden_request_is_understood(request_json):
    request_id, message = parse(json.loads(json.dumps(request_json)))
    assert request_id == request_json["id"]
    assert message.kind == request_json["kind"]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([], "JSON object"),
        ({"kind": "nothing", "id": 1}, "no request of kind 'nothing'"),
        ({"kind": ["clear"], "id": 1}, "no request of kind"),
        ({"kind": "clear"}, "needs an id"),
        ({"kind": "clear", "id": True}, "needs an id"),
        ({"kind": "clear", "id": -1}, "needs an id"),
        ({"kind": "hover", "id": 1, "x": 0, "y": 0, "radius_x": 1}, "lacks the field 'radius_y'"),
        ({"kind": "hover", "id": 1, "x": 0, "y": 0, "radius_x": 1, "radius_y": 1, "z": 2}, "no field 'z'"),
        ({"kind": "hover", "id": 1, "x": "0", "y": 0, "radius_x": 1, "radius_y": 1}, "'x'.*does not fit"),
        ({"kind": "hover", "id": 1, "x": float("nan"), "y": 0, "radius_x": 1, "radius_y": 1}, "'x'.*does not fit"),
        ({"kind": "lasso", "id": 1, "polygon": [0, 1, "2"], "mode": "add"}, "'polygon'"),
        ({"kind": "lasso", "id": 1, "polygon": [0, 1], "mode": "xor"}, "'mode'"),
        ({"kind": "ready", "id": 1, "version": 1.5}, "'version'"),
        ({"kind": "count", "id": 1, "panel": 1}, "request 'count' is about panel 1; there is panel 0 alone"),
        ({"kind": "count", "id": 1, "panel": -1}, "panel -1"),
        ({"kind": "count", "id": 1, "panel": True}, "'panel'.*does not fit"),
        ({"kind": "clear", "id": 1, "panel": 0}, "no field 'panel'"),
        ({"kind": "cancel", "id": 1, "of": "clear"}, "'of'.*does not fit"),
    ],
)
def test_a_request_that_breaks_the_schema_is_refused_in_one_sentence(wrong, sentence):
    with pytest.raises(ProtocolError, match=sentence):
        parse(wrong)


def test_a_frame_with_other_arrays_than_its_message_declares_cannot_be_packed():
    message = protocol.CodesOfPoints(1, 0, 2, 2)
    with pytest.raises(ProtocolError, match="carries"):
        Frame(message, {}).pack()
    with pytest.raises(ProtocolError, match="must be"):
        Frame(message, {"codes": np.zeros(2, dtype=np.int64)}).pack()
    with pytest.raises(ProtocolError, match="must be"):
        Frame(message, {"codes": np.zeros((2, 1), dtype=np.uint8)}).pack()
    with pytest.raises(ProtocolError, match="must be"):
        Frame(message, {"codes": np.zeros(3, dtype=np.uint8)}).pack()


def test_buffers_are_little_endian_whatever_the_array_was():
    _, (buffer,) = Frame(protocol.CodesOfPoints(1, 0, 2, 2), {"codes": np.array([1, 256], dtype=">u2")}).pack()
    assert bytes(buffer) == b"\x01\x00\x00\x01"


@pytest.mark.parametrize("n_obs", [0, 1, 65_535, 65_536, 65_537, 1_000_000, 3_333_333])
@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_chunks_cover_every_point_once_in_at_most_a_mebibyte(n_obs, width):
    chunks = list(spans(n_obs, width))
    assert chunks[0][0] == 0
    assert chunks[-1][1] == n_obs
    assert all(before[1] == after[0] for before, after in pairwise(chunks))
    assert all(start % 65_536 == 0 for start, _ in chunks)
    assert all((stop - start) * width <= 1 << 20 for start, stop in chunks)
    assert chunks[0][1] <= 65_536


@pytest.mark.parametrize("which", ["bits", "passing"])
def test_cells_of_a_view_may_have_a_selection_or_a_filter_alone(which):
    mask = np.zeros(1, np.uint8)
    arrays = {"xy": np.zeros((3, 2), np.uint16), "codes": np.zeros(0, np.uint8)}
    arrays |= {name: mask if name == which else mask[:0] for name in ("bits", "passing")}
    message = protocol.Cells(points_seq=1, seq=1, selection_seq=1, part=0, parts=1, extent=[0.0, 1.0, 0.0, 1.0])
    assert Frame(message, arrays).pack()[0]["kind"] == "cells"
