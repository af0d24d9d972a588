"""A notebook of VS Code without VS Code: its widget manager in a page with the rules of its webview, on a real kernel.

`vscode_shell.html` is the editor and the extension, `vscode_webview.html` the webview, which alone has no connection.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.metadata import files
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.browser.engine import ESBUILD
from tests.browser.rest import AT_MOST_MS, WATCH
from tests.browser.shown import READY, WAIT_S, Shown
from tools.lab import CellFailed, new_page

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
WEBVIEW = "https://webview.vscode-cdn.net"
POLICY = f"""
default-src 'none'; script-src {WEBVIEW} 'unsafe-inline' 'unsafe-eval' blob:; style-src {WEBVIEW} 'unsafe-inline';
img-src {WEBVIEW} https: http: data:; font-src {WEBVIEW} https:; connect-src https:; child-src https: data:;
"""
"""That of `notebook.experimental.enableCsp`, which is off by default, and blob:, without which no anywidget loads."""

THEMES = {
    "dark": {
        "--vscode-editor-background": "#1f1f1f", "--vscode-editor-foreground": "#cccccc",
        "--vscode-input-background": "#313131", "--vscode-focusBorder": "#0078d4",
        "--vscode-textLink-foreground": "#4daafc",
    },
    "light": {
        "--vscode-editor-background": "#ffffff", "--vscode-editor-foreground": "#3b3b3b",
        "--vscode-notebook-cellEditorBackground": "#f8f8f8", "--vscode-focusBorder": "#005fb8",
        "--vscode-textLink-foreground": "#005fb8",
    },
}  # fmt: skip

_REST = """async (mostMs) => {
    const end = performance.now() + mostMs;
    for (let n = 0; n < 2 && performance.now() < end; ) {
        await new Promise((done) => requestAnimationFrame(done));
        n = cxgSoon.size === 0 ? n + 1 : 0;
    }
}"""


def bundle(folder: Path) -> Path:
    """Write what the webview runs besides VS Code's own files, and return its folder."""
    for needed in (ESBUILD, MODULES / "requirejs"):
        if not needed.exists():
            pytest.skip(f"{needed.name} is not there: run make test-hosts")
    out = f"--outfile={folder / 'webview.js'}"
    options = [
        "--bundle",
        "--format=esm",
        "--external:./ipywidgets.js",
        "--log-level=error",
        "--define:global=globalThis",
        out,
    ]
    subprocess.run([ESBUILD, HERE / "vscode_webview.js", *options], check=True)
    shutil.copy(MODULES / "@vscode" / "jupyter-ipywidgets8" / "dist" / "ipywidgets.js", folder)
    shutil.copy(MODULES / "requirejs" / "require.js", folder)
    (anywidget,) = (one for one in files("anywidget") or () if str(one).endswith("nbextensions/anywidget/index.js"))
    (folder / "nbextensions" / "anywidget").mkdir(parents=True)
    shutil.copy(anywidget.locate(), folder / "nbextensions" / "anywidget")
    return folder


class VsCode(Shown):
    """A notebook of VS Code with a kernel of a Jupyter server, whose pages it is one of.

    Attributes
    ----------
    page : of the editor
    complaints : errors of all scripts
    """

    def __init__(self, browser: Any, lab: Any, folder: Path, theme: str = "light") -> None:
        self._lab, self._folder, self._theme = lab, folder, theme
        self.page = new_page(browser, init_script=WATCH)
        self.page.set_default_timeout(1000 * WAIT_S)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", self._hear)
        self.page.route(f"{WEBVIEW}/**", self._serve)
        self.page.goto(f"{lab.url}/login")  # a page that this server has sent may connect to it
        self.page.set_content((HERE / "vscode_shell.html").read_text())
        self.kernel = self._api("POST", "kernels", {"name": "python3"})
        channels = f"{lab.url.replace('http', 'ws')}/api/kernels/{self.kernel['id']}/channels?token={lab.token}"
        self.page.evaluate("([url, kernel]) => connect(url, kernel)", [channels, self.kernel])

    def open(self) -> None:
        """Open the webview, as an editor does."""
        self.page.evaluate("(address) => openWebview(address)", f"{WEBVIEW}/index.html")
        self.page.wait_for_function("() => isReady")

    def reopen(self, theme: str = "light") -> None:
        """Close the editor and open it again: the kernel goes on, and the webview requests the widgets that it has."""
        self._theme = theme
        self.page.evaluate("closeWebview()")
        self.open()
        self.webview.evaluate("restore()")

    def run(self, code: str, *, wait: bool = True) -> None:
        """Run code as a cell, and wait until every point of its widget is drawn."""
        self._execute(code, is_cell=True)
        if wait:
            self.settle()

    def _execute(self, code: str, *, is_cell: bool) -> str:
        reply = self.page.evaluate("([code, isCell]) => execute(code, isCell)", [code, is_cell])
        if reply["error"]:
            raise CellFailed(f"{reply['error']} in:\n{code}")
        return str(reply["text"]).rstrip("\n")

    def ask(self, code):
        return self._execute(code, is_cell=False)

    def json(self, expression):
        return json.loads(self.ask(f"import json; print(json.dumps({expression}))"))

    @property
    def webview(self) -> Any:
        """The frame of the webview."""
        return next(one for one in self.page.frames if one.url.startswith(WEBVIEW))

    @property
    def host(self):
        return self.webview.locator(".cxg-widget").last

    def rest(self):
        self.until(lambda: self.ask("from tests.browser.rest import is_kernel_idle; print(is_kernel_idle())") == "True")
        self.webview.evaluate(_REST, AT_MOST_MS)
        return self

    def settle(self, timeout_s=WAIT_S):
        self.rest()
        self.webview.locator(f".cxg-widget{READY}").last.wait_for(timeout=timeout_s * 1000)
        return self

    def restart(self) -> None:
        """Restart the kernel; the extension tells the webview so."""
        self._api("POST", f"kernels/{self.kernel['id']}/restart")
        self.page.evaluate("post('IPyWidgets_onRestartKernel')")

    def scroll_to(self, top: int) -> None:
        """Scroll the notebook."""
        self.page.evaluate("(top) => document.getElementById('notebook').scrollTo(0, top)", top)

    def log(self) -> dict[str, Any]:
        """Return what has gone over the socket: (kind, bytes) of each message `sent` and `received`."""
        log: dict[str, Any] = self.page.evaluate("log")
        return log

    def close(self) -> None:
        self.page.context.close()
        self._api("DELETE", f"kernels/{self.kernel['id']}")

    def _hear(self, message: Any) -> None:
        if message.type == "error" and "font-src" not in message.text:  # those of the manager itself
            self.complaints.append(message.text)

    def _serve(self, route: Any) -> None:
        path = route.request.url.removeprefix(f"{WEBVIEW}/")
        if path == "index.html":
            page = (HERE / "vscode_webview.html").read_text().replace("POLICY", " ".join(POLICY.split()))
            variables = "; ".join(f"{name}: {color}" for name, color in THEMES[self._theme].items())
            page = page.replace('<html lang="en">', f'<html lang="en" style="{variables}">')
            route.fulfill(body=page.replace("<body>", f'<body class="vscode-{self._theme}">'), content_type="text/html")
        elif (self._folder / path).is_file():
            route.fulfill(path=self._folder / path)
        else:
            route.abort()

    def _api(self, method: str, path: str, body: Any = None) -> Any:
        address = f"{self._lab.url}/api/{path}?token={self._lab.token}"
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(address, data, method=method), timeout=60) as reply:
            text = reply.read()
        return json.loads(text) if text else None
