"""What tests of the widget share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.memory import small
from tests.plain_datashader import make_plain
from tests.unit.test_early_lassos import recorded


@pytest.fixture(autouse=True)
def _no_loop() -> Iterator[None]:
    """Run as in a plain thread: where tests in a browser came first, the loop of Playwright counts as running."""
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.fixture
def widget(monkeypatch):
    """A widget of a thousand cells in memory, colored by their types, that keeps what it sends."""
    widget = recorded(small(1000), monkeypatch, color="cell_type")
    yield widget
    widget.close()


@pytest.fixture
def plain_datashader(monkeypatch):
    """datashader's loops as plain Python."""
    make_plain(monkeypatch.setattr)
