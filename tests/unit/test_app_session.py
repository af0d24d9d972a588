"""Messages from threads reach a session of Shiny or Bokeh; `Shiny` and `Bokeh` stand for what the adapter uses."""

from __future__ import annotations

import asyncio
import sys
import threading
from contextlib import contextmanager
from contextvars import ContextVar
from types import SimpleNamespace

import pytest

from cxg_widget.widget.app_session import session_caller


class Shiny:
    """Sends what was registered within a session at the next flush, and refuses the rest, as shinywidgets does."""

    def __init__(self):
        self.current = ContextVar("session", default=None)
        self.registered, self.sent = [], []
        self._lock = asyncio.Lock()
        self.session = SimpleNamespace(
            get_current_session=self.current.get, session_context=contextmanager(self._session_context)
        )
        self.reactive = SimpleNamespace(lock=lambda: self._lock, flush=self._flush)

    def _session_context(self, session):
        token = self.current.set(session)
        yield
        self.current.reset(token)

    async def _flush(self):
        assert self._lock.locked()
        self.sent += [(one, threading.current_thread()) for one in self.registered]
        self.registered.clear()

    def publish(self, message):
        if self.current.get() is None:
            raise RuntimeError("outside of a session")
        self.registered.append(message)


@pytest.fixture
def shiny(monkeypatch):
    found = Shiny()
    for name in ("shiny", "shinywidgets"):
        monkeypatch.setitem(sys.modules, name, found)
    return found


def test_a_thread_sends_in_its_order_on_the_loop_of_the_session_with_a_flush(shiny):
    async def main():
        with shiny.session.session_context("mine"):
            send = session_caller()

        def work():
            for number in range(5):
                send(lambda number=number: shiny.publish(number))

        await asyncio.to_thread(work)
        while len(shiny.sent) < 5:
            await asyncio.sleep(0)

    asyncio.run(main())
    assert shiny.sent == [(number, threading.current_thread()) for number in range(5)]


def test_within_the_session_a_message_is_sent_at_once(shiny):
    async def main():
        with shiny.session.session_context("mine"):
            session_caller()(lambda: shiny.publish("at once"))
            assert shiny.registered == ["at once"]

    asyncio.run(main())


def test_another_session_does_not_get_it(shiny):
    async def main():
        with shiny.session.session_context("mine"):
            send = session_caller()
        with shiny.session.session_context("other"):
            send(lambda: shiny.sent.append(shiny.current.get()))
            assert shiny.sent == []
        while not shiny.sent:
            await asyncio.sleep(0)

    asyncio.run(main())
    assert shiny.sent == ["mine"]


@pytest.mark.parametrize("is_imported", [True, False])
def test_without_a_session_nothing_stands_between_the_widget_and_its_comm(shiny, monkeypatch, is_imported):
    if not is_imported:
        monkeypatch.delitem(sys.modules, "shinywidgets")
    assert session_caller() is None


class Bokeh:
    """Has one current document for the whole process, which calls what is due in the next tick of its loop."""

    def __init__(self):
        self.current, self.sent = None, []

    def curdoc(self):
        return self.current

    def document(self, session):
        found = SimpleNamespace(session_context=session)
        found.add_next_tick_callback = lambda call: asyncio.get_running_loop().call_soon(self._tick, found, call)
        return found

    def _tick(self, document, call):
        self.current = document
        call()
        self.current = None

    def publish(self, message):
        self.sent.append((message, self.current, threading.current_thread()))


@pytest.fixture
def bokeh(monkeypatch):
    found = Bokeh()
    monkeypatch.setitem(sys.modules, "bokeh.io", found)
    return found


def test_a_thread_sends_in_its_order_on_the_loop_of_its_document_whichever_is_current(bokeh):
    mine, other = bokeh.document("mine"), bokeh.document("other")

    async def main():
        bokeh.current = mine
        send = session_caller()
        send(lambda: bokeh.publish("at once"))
        assert len(bokeh.sent) == 1
        bokeh.current = other
        send(lambda: bokeh.publish(0))
        bokeh.current = mine

        def work():
            for number in range(1, 5):
                send(lambda number=number: bokeh.publish(number))

        await asyncio.to_thread(work)
        while len(bokeh.sent) < 6:
            await asyncio.sleep(0)

    asyncio.run(main())
    assert bokeh.sent == [(one, mine, threading.current_thread()) for one in ("at once", *range(5))]


def test_a_document_that_no_server_serves_has_no_session(bokeh):
    async def main():
        bokeh.current = bokeh.document(None)
        assert session_caller() is None

    asyncio.run(main())
