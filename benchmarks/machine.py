"""Facts about the machine of a run: enough to judge its figures, nothing that identifies it."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PACKAGES = ("anywidget", "jupyter-scatter", "jupyterlab", "numpy", "pandas", "scipy", "tiledb")
STORE_PACKAGES = (
    "anndata", "h5py", "homeobox", "mudata", "numpy", "pandas", "polars", "pyarrow", "pylance", "scanpy", "scipy",
    "spatialdata", "tiledb", "tiledbsoma", "zarr",
)  # fmt: skip
_RENDERER = """() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  return gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
}"""


def facts(packages: Sequence[str] = PACKAGES) -> dict[str, str]:
    """Return title -> facts about the machine and its packages."""
    memory = psutil.virtual_memory().total / 2**30
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": f"{os.cpu_count()} cores ({platform.machine()}), {memory:.0f} GB of memory",
        "Python": platform.python_version(),
        "packages": ", ".join(f"{name} {found}" for name in packages if (found := _version(name))),
        "load before": f"load average {os.getloadavg()[0]:.1f} in the minute before",
    }


def browser_facts(browser: Browser) -> dict[str, str]:
    """Return title -> the browser and its renderer."""
    page = browser.new_page()
    try:
        return {"browser": f"Chromium {browser.version}, headless", "drawn by": str(page.evaluate(_RENDERER))}
    finally:
        page.close()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
