"""Sends from threads in apps of Shiny, Panel and Bokeh, whose sessions only send on their own event loop."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from typing import Any

Call = Callable[[], object]
Caller = Callable[[Call], object]


def session_caller() -> Caller | None:
    """Return a function that calls a sender where this session of an app can send; None without a session.

    No host is imported here: it has been if there is a session. Sessions of Solara send from every thread.
    """
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # such as a Shiny Express app whose page is built before there are sessions
        return None
    return _caller_of_shiny(loop) or _caller_of_bokeh(loop)


def _caller_of_shiny(loop: asyncio.AbstractEventLoop) -> Caller | None:
    """Shiny only sends after a flush."""
    shiny: Any = sys.modules.get("shiny") if "shinywidgets" in sys.modules else None
    session = shiny.session.get_current_session() if shiny else None
    if session is None:
        return None

    async def send_in_session(call: Call) -> None:
        async with shiny.reactive.lock():
            with shiny.session.session_context(session):
                call()
                await shiny.reactive.flush()  # without it the message waits for the next input of the user

    def send(call: Call) -> None:
        if shiny.session.get_current_session() is session:
            call()
        else:
            asyncio.run_coroutine_threadsafe(send_in_session(call), loop)

    return send


def _caller_of_bokeh(loop: asyncio.AbstractEventLoop) -> Caller | None:
    """Panel runs on a Bokeh server; both send to the current document, which threads do not have."""
    io: Any = sys.modules.get("bokeh.io")
    document = io.curdoc() if io else None
    if document is None or document.session_context is None:
        return None
    home = threading.get_ident()

    def send(call: Call) -> None:
        # The whole process has one current document: a thread may read it while the loop answers another visitor.
        if threading.get_ident() == home and io.curdoc() is document:
            call()
        else:
            loop.call_soon_threadsafe(document.add_next_tick_callback, call)

    return send
