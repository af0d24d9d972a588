"""The engine alone: a page without JupyterLab that plays the kernel (renderer.js), and a way to run code in it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ESBUILD = HERE.parents[1] / "js" / "node_modules" / ".bin" / "esbuild"


def bundle(folder: Path) -> str:
    """Write the page and return its address."""
    if not ESBUILD.exists():
        pytest.skip("the page is bundled with esbuild: run npm ci in js/")
    options = ["--bundle", "--format=iife", "--log-level=warning", f"--outfile={folder / 'renderer.js'}"]
    subprocess.run([ESBUILD, HERE / "renderer.js", *options], check=True)
    shutil.copy(HERE / "renderer.html", folder)
    return (folder / "renderer.html").as_uri()


def run(page: Any, body: str) -> Any:
    """Run statements in the page; `return` hands back."""
    return page.evaluate(f"async () => {{ {body} }}")
