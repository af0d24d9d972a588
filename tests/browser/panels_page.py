"""The panels alone: a page without a kernel (panels.js), bundled, and how tests handle it."""

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
    options = ["--bundle", "--format=iife", "--loader:.css=text", "--log-level=warning", f"--outdir={folder}"]
    subprocess.run([ESBUILD, HERE / "panels.js", *options], check=True)
    shutil.copy(HERE / "panels.html", folder)
    return (folder / "panels.html").as_uri()


def show(page: Any, scene: str) -> None:
    """Bring a scene of panels.js."""
    page.evaluate("(scene) => show(scene)", scene)
    settle(page)


def settle(page: Any) -> None:
    """Wait until what was asked for is drawn."""
    page.evaluate("""() => new Promise((done) => {
        let frames = 3;
        const next = () => (frames-- > 0 ? requestAnimationFrame(next) : done());
        next();
    })""")


def calls(page: Any, name: str) -> list[list[Any]]:
    """Return the arguments of each call of an action."""
    return [call[1:] for call in page.evaluate("() => calls") if call[0] == name]


def asked(page: Any, kind: str) -> list[dict[str, Any]]:
    """Return what was asked of the kernel, of one kind."""
    return [request for (request,) in calls(page, "ask") if request["kind"] == kind]


def edits_of(page: Any, kind: str) -> list[dict[str, Any]]:
    """Return what was to be done with a set or an annotation."""
    return [{name: value for name, value in one.items() if name not in ("kind", "id")} for one in asked(page, kind)]


def expect(locator: Any) -> Any:
    """Expect something of a locator, within a while."""
    from playwright.sync_api import expect as expect_of

    return expect_of(locator)


def row(page: Any, i: int) -> Any:
    """Return the row of a category in the legend."""
    return page.locator(f"#row-{i}")


def in_short(n: int) -> str:
    """As one of two counts of a row of the legend is written: 3450 as "3.5K"."""
    if n < 1000:
        return str(n)
    thousands = f"{n / 1000:.1f}" if n < 9_950 else f"{n / 1000:.0f}"
    return f"{thousands.removesuffix('.0')}K"
