"""Pages that tests share: each test finds one as it was loaded, in a tenth of the time that loading takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Pages:
    """The open pages of a run, one for each address and init script.

    A page has a function `renew`, which takes away what a test has left: what it shows, its globals, classes and styles
    of its body, and whatever the test gave to `atEnd` to undo, such as listeners of the document. What a test adds by
    `add_init_script`, `expose_function`, `on` and `route` stays.
    """

    def __init__(self, browser: Any) -> None:
        self._browser = browser
        self._open: dict[tuple[str, str], tuple[Any, list[str]]] = {}

    @contextmanager
    def loaded(
        self, request: Any, address: str, *, width: int, height: int, init_script: str = "", may_complain: bool = True
    ) -> Iterator[Any]:
        """Give a page; fail when a script of it did, or wrote an error to the console where that must not be."""
        key, n_failed = (address, init_script), request.session.testsfailed
        is_new = key not in self._open
        if is_new:
            self._open[key] = self._opened(init_script, may_complain)
        page, complaints = self._open[key]
        if is_new:
            page.set_viewport_size({"width": width, "height": height})
            page.goto(address)
        else:
            page.mouse.move(width - 1, height - 1)  # where nothing is
            page.evaluate("() => renew()")
            if page.viewport_size != {"width": width, "height": height}:
                page.set_viewport_size({"width": width, "height": height})
        complaints.clear()  # of what the last test left running
        yield page
        found = list(complaints)
        if request.session.testsfailed > n_failed or found:  # a button may be held down, a script may never end
            del self._open[key]
            page.close()
        assert found == []

    def _opened(self, init_script: str, may_complain: bool) -> tuple[Any, list[str]]:
        page, complaints = self._browser.new_page(), []
        page.set_default_timeout(30_000)
        page.add_init_script(init_script)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if not may_complain:
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        return page, complaints
