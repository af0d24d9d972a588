"""The engine alone: a page without JupyterLab that plays the kernel (renderer.js), and a way to run code in it."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cxg_widget.wire import protocol

HERE = Path(__file__).parent
SERVED: dict[Any, Any] = {}
"""The session that answers each page."""
ESBUILD = HERE.parents[1] / "js" / "node_modules" / ".bin" / "esbuild"

_TOLD = """return JSON.stringify(await body() ?? null, (_, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) return { number: String(value) };
    return ArrayBuffer.isView(value) ? Array.from(value) : value;
});"""


def bundle(folder: Path) -> str:
    """Write the page and return its address."""
    if not ESBUILD.exists():
        pytest.skip("the page is bundled with esbuild: run npm ci in js/")
    options = ["--bundle", "--format=iife", "--log-level=warning", f"--outfile={folder / 'renderer.js'}"]
    subprocess.run([ESBUILD, HERE / "renderer.js", *options], check=True)
    shutil.copy(HERE / "renderer.html", folder)
    return (folder / "renderer.html").as_uri()


def run(page: Any, body: str) -> Any:
    """Run statements in the page; `return` hands back what JSON can hold, numbers that are none, and typed arrays.

    It comes as one text: by itself Playwright takes seconds for the pixels of a plot.
    """
    told = page.evaluate(f"async () => {{ const body = async () => {{ {body} }}; {_TOLD} }}")
    return json.loads(told, object_hook=lambda one: float(one["number"]) if one.keys() == {"number"} else one)


def serve(page: Any, session: Any) -> None:
    """Let a session answer what the page asks by the frames that a kernel sends; see `byKernel` in renderer.js."""
    if page not in SERVED:  # a page takes a function once, and keeps it

        def answer(asked: dict[str, Any]) -> list[list[Any]]:
            request = {name: value for name, value in asked.items() if name not in ("kind", "id")}
            kind = next(one for one in protocol.REQUESTS if one.kind == asked["kind"])
            return packed(SERVED[page].answer(kind(**request)), asked["id"])

        page.expose_function("askKernel", answer)
    SERVED[page] = session


def packed(frames: Any, request_id: int = 0) -> list[list[Any]]:
    """Return frames as a page takes them: content, and its buffers in base64."""
    sent = (frame.pack(request_id) for frame in frames)
    return [[content, [base64.b64encode(one).decode() for one in buffers]] for content, buffers in sent]
