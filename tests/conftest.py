"""What all tests share: the one browser of a run; Playwright can be started only once per thread."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiledb
from hypothesis import settings

from tools.browser import find

# What fails here fails everywhere. For other cases than the usual ones: pytest --hypothesis-profile=search
settings.register_profile("same", derandomize=True, database=None, deadline=None)
settings.register_profile("search", deadline=None)
settings.load_profile("same")

# Bytecode is kept whatever the environment says: else both processes rewrite the assertions of all tests each time, and
# each of some hundred others compiles the package.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Collecting makes a million objects that all stay: garbage collections would take a third of it.
gc.set_threshold(500_000)

# No test finds what another has kept, nor what the user has, or keeps anything there; those of keeping ask for it.
os.environ["CXG_WIDGET_RESTORE"] = "0"

# Stores are many small files, and TileDB waits for the disk after each: in memory, where there is enough, writing takes
# half the time and removing hardly any.
_IN_MEMORY = "/dev/shm"
if os.access(_IN_MEMORY, os.W_OK) and shutil.disk_usage(_IN_MEMORY).free > 2 * 2**30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", _IN_MEMORY)

# TileDB would return free memory to the system after each query and each array that is closed: up to a second in a
# process with as many objects as this one. And its threads spin while they wait for each other.
tiledb.default_ctx({"sm.mem.malloc_trim": "false", "sm.compute_concurrency_level": "1", "sm.io_concurrency_level": "1"})

# Pages are laid out and 2-D canvases drawn by the processor: through a graphics card that is played by software, which
# WebGL needs, that takes several times as long.
BY_PROCESSOR = ("--disable-gpu-compositing", "--disable-gpu-rasterization", "--disable-accelerated-2d-canvas")

# Windows without the pages of an address bar, and no process ahead of need: a new context takes half as long.
# Chromium uses the last such list alone: after the first line are the features that Playwright turns off.
_UNUSED = (
    "WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "SpareRendererForSitePerProcess",
    "AvoidCorsURLLoaderRestartOnRedirect", "AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose",
    "HttpsFirstBalancedModeAutoEnable", "HttpsUpgrades", "LensOverlay", "MediaRouter", "NetworkTimeServiceQuerying",
    "OptimizationHints", "PaintHolding", "PreconnectToSearch", "ThirdPartyStoragePartitioning", "AimEnabled",
)  # fmt: skip
WITH_LITTLE = f"--disable-features={','.join(_UNUSED)}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with slow tests: then one of several processes runs most of them, and compiles loops of datashader once."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_collection_finish() -> None:
    """Leave what is there for good out of garbage collections, which otherwise take a tenth of all time."""
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running Chromium with software WebGL2."""
    pytest.importorskip("playwright.sync_api", reason="the browser is driven with playwright")
    if find() is None:
        pytest.skip("no browser was found; run: python tools/browser.py --install")
    from playwright.sync_api import expect

    from tools.lab import launch_browser

    expect.set_options(timeout=30_000)  # a busy machine is late, not wrong
    with launch_browser(*BY_PROCESSOR, WITH_LITTLE) as browser:
        yield browser


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a demo CXG in it, which a JupyterLab serves."""
    from cxg_widget.datasets.cxg.demo import write_demo

    root = tmp_path_factory.mktemp("lab")
    write_demo(root / "small.cxg", n_obs=3000, seed=1)
    return root


@pytest.fixture(scope="session")
def object_store() -> Iterator[Any]:
    """An S3 server on loopback; see `tests.object_store`."""
    pytest.importorskip("moto.server", reason="the S3 server of the tests is moto's")
    from tests.object_store import ObjectStore

    store = ObjectStore()
    yield store
    store.close()
