"""Laws of the exchange: each question is answered, also one whose turn a newer one has taken."""

import threading

from cxg_widget.errors import Overtaken
from cxg_widget.exchange import Exchange
from cxg_widget.jobs import WORKERS


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
