"""Sending from threads in an app of Shiny, whose sessions send on their own loop and after a flush alone."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

Call = Callable[[], object]


def session_caller() -> Callable[[Call], object] | None:
    """Return a function that calls what sends a message where this session of Shiny can send it; None without one.

    Shiny is never imported: who has a session has it.
    """
    shiny: Any = sys.modules.get("shiny") if "shinywidgets" in sys.modules else None
    session = shiny.session.get_current_session() if shiny else None
    if session is None:
        return None
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # an app of Shiny Express whose page is built before there are sessions
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
