"""Time-outs for calls to remote storage."""

from __future__ import annotations

import time
from collections.abc import Callable

from cxg_widget.compute.parallel import Call, Result

_LOOK_S = 1.0
_PAUSE_S = 10.0


def unless_refused(call: Callable[[], Result], refusals: Callable[[], int], seconds: float) -> Result:
    """Return the result of a call, however long it takes, unless it is refused repeatedly.

    refusals : says how often the storage has refused so far
    seconds : for how long it may do so, without a pause of 10 s

    Raises `TimeoutError` if it is refused for longer; the call goes on where nobody listens.
    """
    begin = last = time.monotonic()
    # A request of TileDB cannot be broken off: it is left behind in its thread.
    thread = Call(call)
    thread.start()
    thread.join(_LOOK_S)
    n = refusals() if thread.is_alive() else 0
    while thread.is_alive():
        thread.join(_LOOK_S)
        now, before, n = time.monotonic(), n, refusals()
        # A pause in the refusals restarts the clock: storage that is merely slow may take as long as it likes.
        if n == before:
            begin = now if now - last > _PAUSE_S else begin
        elif now - begin >= seconds:
            raise TimeoutError("refused repeatedly")
        else:
            last = now
    if isinstance(thread.outcome, Exception):
        raise thread.outcome
    return thread.outcome
