"""Laws of the exchange: each question is answered, also one whose turn a newer one has taken."""

import re
import threading

import numpy as np
import pytest

from cxg_widget import open_dataset
from cxg_widget.compute.jobs import WORKERS
from cxg_widget.errors import DamagedStore, Overtaken
from cxg_widget.session.exchange import Exchange
from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame
from tests.datasets.make_cxg import make_cxg, make_truth


def overtaken():
    yield from ()
    raise Overtaken("newer work took the place of this.")


def test_a_question_that_waited_when_a_newer_one_came_is_told_so_and_what_nobody_asked_for_is_not():
    sent = []
    exchange = Exchange(lambda content, buffers: sent.append(content))
    gate = threading.Event()
    busy = [exchange.jobs.submit(f"busy {i}", gate.wait) for i in range(WORKERS)]
    exchange.send_soon("aggregate", lambda: iter(()), request_id=7)
    exchange.send_soon("color", lambda: iter(()))
    newest = [exchange.send_soon("aggregate", lambda: iter(()), request_id=8), exchange.send_soon("color", overtaken)]
    gate.set()
    for future in [*busy, *newest]:
        future.result(10)
    exchange.jobs.close()
    assert [(one["kind"], one["of"], one["type"], one["id"]) for one in sent] == [
        ("error", "aggregate", "Overtaken", 7)
    ]


def test_an_answer_that_newer_work_ended_is_told_to_who_waits():
    sent = []
    exchange = Exchange(lambda content, buffers: sent.append(content))
    exchange.send("aggregate", overtaken, request_id=3)
    assert [(one["type"], one["id"]) for one in sent] == [("Overtaken", 3)]


def said(error, uri=""):
    sent = []
    Exchange(lambda content, buffers: sent.append(content), uri).fail("color", error, request_id=1)
    (one,) = sent
    return one["message"], one["details"]


def test_a_failure_is_told_without_the_path_of_the_store_which_is_among_the_details():
    full = "/data/my atlas/a.cxg: cannot read X; /data/my atlas/a.cxg/X is no array."
    message, details = said(DamagedStore(full), "/data/my atlas/a.cxg")
    assert message == "Cannot read X; a.cxg/X is no array."
    assert details == full
    assert said(DamagedStore("'/d/a.cxg/obs': it is empty."), "/d/a.cxg")[0] == "It is empty."
    assert said(DamagedStore("cannot read X."), "/d/a.cxg") == ("cannot read X.", "")


def test_what_a_library_said_is_among_the_details_alone(tmp_path):
    (tmp_path / ("deep" * 40)).mkdir()
    path = make_cxg(tmp_path / ("deep" * 40) / "s.cxg", make_truth(50, 3))
    for file in (path / "obs" / "__fragments").rglob("a*.tdb"):
        file.unlink()
    with open_dataset(str(path)) as dataset, pytest.raises(DamagedStore) as caught:
        dataset.obs(["cell_type"])
    message, details = said(caught.value, dataset.uri)
    assert "TileDB" not in message
    assert str(tmp_path) not in message
    assert "damaged" in message
    assert "(" not in message
    assert details == str(caught.value)
    assert "TileDB" in details


def test_what_nobody_foresaw_is_one_line_too():
    message, details = said(ZeroDivisionError("a\nb"))
    assert message == "color failed unexpectedly; see the details."
    assert details == "color failed: ZeroDivisionError('a\\nb')"


def test_each_request_leaves_a_line_in_the_log_at_debug_with_its_frames_and_bytes(caplog):
    sent = []
    exchange = Exchange(lambda content, buffers: sent.append(buffers))
    frame = Frame(p.Module("a hash"), {"code": np.zeros(7, dtype=np.uint8)})
    with caplog.at_level("DEBUG", logger="cxg_widget"):
        exchange.send("module", lambda: iter([frame, frame]))
    (record,) = caplog.records
    assert re.fullmatch(r"module: 2 frames, 14 bytes, [\d.]+ ms", record.getMessage())
    assert sum(one.nbytes for buffers in sent for one in buffers) == 14
