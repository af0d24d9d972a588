"""A page that shows a real widget of this process, without Jupyter: messages and traits go both ways."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import urlsplit

from tests.browser.rest import AT_MOST_MS, WATCH
from tests.hosts.test_second_module import STATIC
from tools.lab import new_page

_PAGE = """
import widget from "/widget.js";
const traits = JSON.parse(document.getElementById("traits").textContent);
const listeners = new Map();
const fire = (event, ...args) => (listeners.get(event) ?? []).forEach((one) => one(...args));
let changed = {};
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
const put = (name, value) => {
  if (JSON.stringify(traits[name]) === JSON.stringify(value)) return;
  traits[name] = value;
  fire(`change:${name}`);
};

const take = (said) => {
  for (const [kind, one, buffers] of said) {
    if (kind === "msg") fire("msg:custom", one, buffers.map(bytes));
    else for (const [name, value] of Object.entries(one)) put(name, value);
  }
};
window.take = take;
window.nAsked = 0;
const ask = async (kind, content) => {
  window.nAsked++;
  take(await window.toKernel(kind, content));
  window.nAsked--;
};
const model = {
  get: (name) => traits[name],
  set: (name, value) => { traits[name] = value; changed[name] = value; fire(`change:${name}`); },
  save_changes: () => { const now = changed; changed = {}; void ask("state", now); },
  on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
  off: (event, listener) => listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== listener)),
  send: (content) => void ask("msg", content),
};
const made = widget();
made.initialize({ model });
window.show = (el) => made.render({ model, el });
window.end = window.show(document.getElementById("el"));
"""

_REST = """async (mostMs) => {
  const end = performance.now() + mostMs;
  for (let n = 0; n < 3 && performance.now() < end; ) {  // what came the first time may have led to more
    await new Promise((done) => requestAnimationFrame(done));
    n = nAsked === 0 && cxgSoon.size === 0 ? n + 1 : 0;
  }
}"""

_LEFT: dict[tuple[Any, str], list[Any]] = {}
"""Pages without a widget, by browser and init script."""
_SHOWN: dict[Any, ServedWidget] = {}
"""The widget of each page; a page takes a function once, and keeps it."""


class ServedWidget:
    """A widget in a page.

    Attributes
    ----------
    widget : it
    page : of Playwright
    said : (kind, bytes of its buffers, panel) of each message to the page
    n_bytes : of all that was told to the page
    n_heard : bytes of all that the page said
    """

    def __init__(
        self, chromium: Any, widget: Any, *, width: int = 1200, height: int = 720, dark: bool = False,
        init_script: str = "",
    ) -> None:  # fmt: skip
        self.widget = widget
        self._queue: list[list[Any]] = []
        self.said: list[tuple[str, int, int]] = []
        self.n_bytes = 0
        self.n_heard = 0
        widget._exchange._send = self._keep
        object.__setattr__(widget, "send_state", self._tell_state)
        self._place = (chromium, init_script)
        self.page = self._open(width, height)
        colors = "background:#16181d;color:#e6e6e6" if dark else "background:#fff"
        state = {name: value for name, value in widget.get_state().items() if not name.startswith("_")}
        body = f"<!doctype html><title>x</title><body style='{colors}'><script type=application/json id=traits>"
        body += json.dumps(state).replace("<", "\\u003c") + "</script><div id=el></div>"
        self._body = body + "<script type=module src=/page.js></script>"
        _SHOWN[self.page] = self
        self.page.goto("http://127.0.0.1/")
        self.page.locator(".cxg-widget[data-cxg-state=ready]").wait_for()

    def _open(self, width: int, height: int) -> Any:
        """Return a page that an earlier widget has left, or a new one, whose process takes half a second to start."""
        chromium, init_script = self._place
        if left := _LEFT.get(self._place):
            page = left.pop()
            page.set_viewport_size({"width": width, "height": height})
            return page
        page = new_page(chromium, width=width, height=height)
        page.add_init_script(WATCH)
        page.add_init_script(init_script)
        # The widget of a page changes.
        page.expose_function("toKernel", lambda *said: _SHOWN[page]._hear(*said))  # noqa: PLW0108
        page.route("**/*", lambda route: _SHOWN[page]._serve(route))  # noqa: PLW0108
        return page

    def _serve(self, route: Any) -> None:
        path = urlsplit(route.request.url).path
        if path == "/":
            route.fulfill(body=self._body, content_type="text/html")
        elif path == "/page.js":
            route.fulfill(body=_PAGE, content_type="text/javascript")
        elif path == "/widget.js":
            route.fulfill(path=STATIC / "widget.js", content_type="text/javascript")
        else:
            route.abort()

    def _keep(self, content: dict[str, Any], buffers: list[memoryview]) -> None:
        n_bytes = sum(len(one) for one in buffers)
        self.said.append((content["kind"], n_bytes, content.get("panel", 0)))
        self.n_bytes += n_bytes + len(json.dumps(content))
        self._queue.append(["msg", content, [base64.b64encode(one).decode() for one in buffers]])

    def _tell_state(self, key: Any = None) -> None:
        keys = [key] if isinstance(key, str) else list(key or self.widget.keys)
        self.n_bytes += len(json.dumps(self.widget.get_state(keys)))
        state = self.widget.get_state([one for one in keys if not one.startswith("_")])
        self._queue.append(["state", state])

    def _hear(self, kind: str, content: dict[str, Any]) -> list[list[Any]]:
        self.n_heard += len(json.dumps(content))
        if kind == "msg":
            self.widget._receive(None, content, [])
        else:
            self.widget.set_state(content)
        return self._flushed()

    def _flushed(self) -> list[list[Any]]:
        for future in list(self.widget._exchange.jobs._waiting.values()):
            if not future.cancelled():
                future.result()
        return self.taken()

    def taken(self) -> list[list[Any]]:
        """Take what is to be told, without waiting for work."""
        queue, self._queue = self._queue, []
        return queue

    def tell(self) -> None:
        """Let the page know what Python has changed, and wait until all panels are drawn."""
        self.settle()

    def plot(self, panel: int) -> tuple[float, float, float, float]:
        """Return where the plot of a panel is on the page: left, top, width, height, px."""
        box = self.page.locator("[role=application]:visible").nth(panel).bounding_box()
        assert box is not None
        return box["x"], box["y"], box["width"], box["height"]

    def settle(self) -> None:
        """Wait until each plot that is seen has drawn what it has; what came too late for an answer is told first."""
        self.page.evaluate("take", self._flushed())
        self.page.wait_for_function(
            """() => [...document.querySelectorAll("#el > *")].every((host) =>
              [...host.shadowRoot.querySelectorAll(".host .host")].every((one) =>
                one.offsetWidth === 0 || one.querySelector("canvas") !== null))"""
        )
        self.page.evaluate(_REST, 250)

    def rest(self) -> None:
        """Wait until neither page nor widget has anything left to do."""
        is_first = True
        while is_first or self._queue:
            is_first = False
            self.page.evaluate("take", self._flushed())
            self.page.evaluate(_REST, AT_MOST_MS)

    def leave(self) -> None:
        """Leave the page to the next widget."""
        self.page.mouse.up()
        self.page.goto("about:blank")
        _LEFT.setdefault(self._place, []).append(self.page)

    def close(self) -> None:
        """Leave the page and close the widget."""
        self.leave()
        self.widget.close()
