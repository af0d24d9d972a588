"""Sends from threads in a Shiny app, whose sessions only send on their own event loop and after a flush."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

Call = Callable[[], object]


def session_caller() -> Callable[[Call], object] | None:
    """Return a function that calls a sender where this Shiny session can send; None without a session.

    Shiny is never imported here: it has been if there is a session.
    """
    shiny: Any = sys.modules.get("shiny") if "shinywidgets" in sys.modules else None
    session = shiny.session.get_current_session() if shiny else None
    if session is None:
        return None
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # a Shiny Express app whose page is built before there are sessions
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
