"""Drive a real JupyterLab in a real browser, for end-to-end tests, the demo and the benchmarks.

::

    with JupyterLab(folder) as lab, launch_browser() as browser:
        page = new_page(browser)
        notebook = open_notebook(page, lab, "a.ipynb")
        notebook.run_all()
        notebook.execute("print(w.n_selected)")     # -> "0"
        notebook.widget().screenshot(path="widget.png")
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

from .browser import find
from .lab_notebook import CellFailed, Notebook, Output, write_notebook
from .lab_server import JupyterLab

__all__ = [
    "CellFailed",
    "JupyterLab",
    "Notebook",
    "Output",
    "Traffic",
    "launch_browser",
    "new_page",
    "open_notebook",
    "write_notebook",
]

BROWSER_ARGUMENTS = (
    "--no-sandbox",
    # A software GPU, so that WebGL2 works, and draws the same, on a machine without one.
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@contextmanager
def launch_browser(*arguments: str, headless: bool = True) -> Iterator[Browser]:
    """Start the Chromium that `tools.browser` finds, with software WebGL2 and further command line `arguments`."""
    path = find()
    if path is None:
        raise RuntimeError("no browser was found; run: python tools/browser.py --install")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, headless=headless, args=[*BROWSER_ARGUMENTS, *arguments]
        )
        try:
            yield browser
        finally:
            browser.close()


def new_page(
    browser: Browser, *, width: int = 1280, height: int = 900, scale: float = 1, init_script: str | None = None
) -> Page:
    """Open a page in a context of its own.

    Parameters
    ----------
    width, height : viewport in CSS pixels
    scale : device pixels per CSS pixel
    init_script : JavaScript to run in the page before any other
    """
    context = browser.new_context(viewport={"width": width, "height": height}, device_scale_factor=scale)
    page = context.new_page()
    page.set_default_timeout(60_000)
    if init_script:
        page.add_init_script(init_script)
    return page


class Traffic:
    """Counts the bytes and frames that a page's web sockets receive and send; make it before opening a notebook.

    kind : of the messages that are counted, by default all
    """

    def __init__(self, page: Page, kind: str = "") -> None:
        self._kind = kind
        self.received_bytes = self.sent_bytes = self.received_frames = self.sent_frames = 0
        page.on("websocket", self._watch)

    def reset(self) -> None:
        """Count from 0 again."""
        self.received_bytes = self.sent_bytes = self.received_frames = self.sent_frames = 0

    def _watch(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._received)
        socket.on("framesent", self._sent)

    def _is_counted(self, payload: str | bytes) -> bool:
        return (self._kind in payload) if isinstance(payload, str) else (self._kind.encode() in payload)

    def _received(self, payload: str | bytes) -> None:
        if not self._is_counted(payload):
            return
        self.received_bytes += len(payload)
        self.received_frames += 1

    def _sent(self, payload: str | bytes) -> None:
        if not self._is_counted(payload):
            return
        self.sent_bytes += len(payload)
        self.sent_frames += 1


def open_notebook(page: Page, lab: JupyterLab, path: str, *, timeout_s: float = 60) -> Notebook:
    """Open a notebook, given relative to the server's root, and wait until its kernel is idle."""
    page.goto(lab.notebook_url(path))
    notebook = Notebook(page, path)
    notebook.wait_for_kernel(timeout_s)
    return notebook
