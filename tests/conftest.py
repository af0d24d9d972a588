"""What all tests share: the one browser of a run; Playwright can be started only once per thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tools.browser import find


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running Chromium with software WebGL2."""
    pytest.importorskip("playwright.sync_api", reason="the browser is driven with playwright")
    if find() is None:
        pytest.skip("no browser was found; run: python tools/browser.py --install")
    from tools.lab import launch_browser

    with launch_browser() as browser:
        yield browser
