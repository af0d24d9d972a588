"""Connects a session to a comm: sends frames, reports errors in one sentence, runs slow work in threads."""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import count
from time import perf_counter
from typing import Any

from cxg_widget.compute.jobs import Jobs
from cxg_widget.errors import CxgWidgetError, Overtaken
from cxg_widget.text.half_characters import repaired
from cxg_widget.text.names import shortened
from cxg_widget.text.redaction import redacted
from cxg_widget.wire import protocol
from cxg_widget.wire.frames import Frame

_LOG = logging.getLogger("cxg_widget")
Stream = Callable[[], Iterator[Frame]]
Slot = tuple[str, int]
"""Kind and panel; a request replaces an earlier one of the same slot."""


class Exchange:
    """Sends streams of frames through a function that takes (content, buffers).

    uri : of the store, to remove it from error messages
    """

    def __init__(self, send: Callable[[dict[str, Any], list[memoryview]], object], uri: str = "") -> None:
        self._send = send
        self._uri = uri
        self._n_cancelled: Counter[Slot] = Counter()
        self.jobs = Jobs()

    def send(self, kind: str, stream: Stream, request_id: int = 0) -> bool:
        """Send every frame of a stream; if it fails, send the error instead and return False."""
        began, n_frames, n_bytes = perf_counter(), 0, 0
        try:
            for frame in stream():
                content, buffers = frame.pack(request_id)
                self._send(content, buffers)
                n_frames, n_bytes = n_frames + 1, n_bytes + sum(one.nbytes for one in buffers)
        except Exception as error:
            self.fail(kind, error, request_id)
            return False
        finally:
            _LOG.debug("%s: %d frames, %d bytes, %.1f ms", kind, n_frames, n_bytes, 1000 * (perf_counter() - began))
        return True

    def send_soon(
        self,
        kind: str,
        stream: Stream,
        request_id: int = 0,
        *,
        panel: int = 0,
        on_failure: Callable[[], object] | None = None,
    ) -> Future[None]:
        """Send a stream from a thread, replacing one of the same kind and panel that has not started."""
        slot = kind, panel
        n_cancelled = self._n_cancelled[slot]

        def is_wanted() -> bool:
            return self._n_cancelled[slot] == n_cancelled

        def wanted() -> Iterator[Frame]:
            for frame in stream():
                if not is_wanted():
                    raise Overtaken("it was cancelled.")
                yield frame

        def job() -> None:
            if not self.send(kind, wanted, request_id) and on_failure is not None and is_wanted():
                on_failure()

        def tell_overtaken(done: Future[None]) -> None:
            if done.cancelled() and request_id:
                self.fail(kind, Overtaken("a newer request took the place of this one."), request_id)

        future = self.jobs.submit(slot, job)
        future.add_done_callback(tell_overtaken)
        return future

    def is_busy(self, kind: str, panel: int = 0) -> bool:
        """Return whether the newest stream of a kind and panel is still running."""
        return self.jobs.is_busy((kind, panel))

    def cancel(self, kind: str, panel: int = 0) -> None:
        """Drop the waiting stream of a kind and panel, and end the running one before its next frame."""
        self._n_cancelled[kind, panel] += 1
        self.jobs.drop((kind, panel))

    def fail(self, kind: str, error: Exception, request_id: int = 0) -> None:
        """Show an error as one sentence in the front-end; unexpected errors are logged in full.

        `Overtaken` is only sent to the page that waits for the answer, for two pages of one kernel.
        """
        if isinstance(error, Overtaken) and not request_id:
            return
        if not isinstance(error, CxgWidgetError):
            _LOG.error("%s failed", kind, exc_info=error)
        self._send(*error_frame(kind, error, self._uri).pack(request_id))


def error_frame(kind: str, error: Exception, uri: str) -> Frame:
    """Return an error as one sentence, and in full with paths of the store and the message of a library."""
    if isinstance(error, CxgWidgetError):
        full, sentence = str(error), describe_failure(error, uri)
    else:
        full = shortened(redacted(f"{kind} failed: {error!r}"))
        sentence = f"{kind} failed unexpectedly; see the details."
    sentence, full = repaired(sentence), repaired(full)
    return Frame(protocol.Error(kind, type(error).__name__, sentence, full if full != sentence else ""))


def describe_failure(error: CxgWidgetError, uri: str) -> str:
    """Return an error as one sentence, without the path of the store at `uri` and the message of a library."""
    return " ".join(_without_path(_without_quote(str(error), error.quoted), redacted(uri)).split())


def _without_quote(text: str, quoted: str) -> str:
    """Remove a bracketed quote, which may have been shortened."""
    start = text.find(f" ({quoted[:20]}") if quoted else -1
    return text if start < 0 else text[:start] + text[text.rfind(")") + 1 :]


def _without_path(text: str, uri: str) -> str:
    """Remove the path of a store before a sentence, and all but its last part within the sentence."""
    if not uri or uri not in text:
        return text
    rest = re.sub(rf"^'?{re.escape(uri)}[^\s:']*'?: ", "", text)
    rest = rest.replace(uri, uri.rstrip("/").rpartition("/")[2])
    return rest[:1].upper() + rest[1:]


class Newest:
    """Ends answers to older requests.

    described : the sentence that they end with
    """

    def __init__(self, described: str) -> None:
        self._sentence = described
        self._numbers = count(1)
        self._number = 0

    def begin(self) -> Callable[[], None]:
        """End earlier answers, and return a check that raises `Overtaken` once this one is ended too."""
        self._number = number = next(self._numbers)

        def check() -> None:
            if number != self._number:
                raise Overtaken(self._sentence)

        return check

    def end(self) -> None:
        """End the current answer."""
        self.begin()
