"""Pages that tests share: each test finds one loaded anew, in a fraction of the time that opening one takes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Pages:
    """The open pages of a run, one for each address and init script.

    Of what a test does to a page, loading undoes all but `add_init_script`, `expose_function`, `on` and `route`.
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
        if key not in self._open:
            self._open[key] = self._opened(init_script, may_complain)
        page, complaints = self._open[key]
        page.set_viewport_size({"width": width, "height": height})
        page.goto(address)
        complaints.clear()  # of what the last test left running
        yield page
        found = list(complaints)
        if request.session.testsfailed > n_failed:  # a button may be held down, a script may never end
            del self._open[key]
            page.close()
        assert found == []

    def _opened(self, init_script: str, may_complain: bool) -> tuple[Any, list[str]]:
        page, complaints = self._browser.new_page(), []
        page.set_default_timeout(60_000)
        page.add_init_script(init_script)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if not may_complain:
            page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        return page, complaints
