"""A widget of this process in a page without Jupyter, handled as one in a notebook is."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from typing import Any

from cxg_widget import CxgWidget
from tests.browser.served_widget import ServedWidget
from tests.browser.shown import WAIT_S, Shown


class ServedStage(Shown):
    """The page of one widget, where code is run at once and nothing is sent to a kernel."""

    def __init__(self, chromium: Any, widget: CxgWidget) -> None:
        self.served = ServedWidget(chromium, widget, width=1280, height=900)
        self.page = self.served.page
        self.page.set_default_timeout(1000 * WAIT_S)
        self.complaints: list[str] = []
        self._complain = lambda error: self.complaints.append(str(error))
        self.page.on("pageerror", self._complain)
        self._names = {"w": widget}
        self.settle()

    def rest(self):
        self.served.rest()
        return self

    def ask(self, code):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(code, self._names)
        return printed.getvalue().rstrip("\n")

    def json(self, expression):
        return json.loads(json.dumps(eval(expression, self._names)))

    def n_bytes_of(self, code):
        """Run Python that changes the widget; return how many bytes told the page of it."""
        before = self.served.n_bytes
        self.set(code)
        return self.served.n_bytes - before

    def close(self):
        self.page.remove_listener("pageerror", self._complain)
        self.served.close()
