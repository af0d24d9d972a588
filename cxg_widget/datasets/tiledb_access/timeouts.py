"""Time-outs for calls to remote storage."""

from __future__ import annotations

import time
from collections.abc import Callable

from cxg_widget.compute.parallel import Call, Result

_LOOK_S = 1.0
_PAUSE_S = 10.0


def unless_refused(call: Callable[[], Result], refusals: Callable[[], int], seconds: float) -> Result:
    """Return the result of a call, however long it takes, unless it is refused repeatedly.

    refusals : returns how often the storage has refused so far
    seconds : time limit for refusals without a pause of 10 s

    Raises `TimeoutError` if the refusals last longer; the call keeps running in its thread.
    """
    begin = last = time.monotonic()
    # A request of TileDB cannot be canceled: it keeps running in its thread.
    thread = Call(call)
    thread.start()
    thread.join(_LOOK_S)
    n = refusals() if thread.is_alive() else 0
    while thread.is_alive():
        thread.join(_LOOK_S)
        now, before, n = time.monotonic(), n, refusals()
        # A pause in the refusals restarts the clock: storage that is merely slow has no time limit.
        if n == before:
            begin = now if now - last > _PAUSE_S else begin
        elif now - begin >= seconds:
            raise TimeoutError("refused repeatedly")
        else:
            last = now
    if isinstance(thread.outcome, Exception):
        raise thread.outcome
    return thread.outcome
