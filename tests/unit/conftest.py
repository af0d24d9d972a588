"""What tests of the widget share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.memory import small
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
    """A widget of a thousand cells in memory, coloured by their types, that keeps what it sends."""
    widget = recorded(small(1000), monkeypatch, color="cell_type")
    yield widget
    widget.close()


@pytest.fixture
def plain_datashader(monkeypatch):
    """datashader's loops as plain Python: of few cells they make the same, and compiling each takes a second."""
    from datashader import compiler
    from datashader.data_libraries import pandas
    from datashader.glyphs import points
    from toolz import memoize

    made_here = memoize(compiler.compile_components.__wrapped__)  # others find none of these in datashader's own memo
    monkeypatch.setattr(pandas, "compile_components", made_here)
    for module in (compiler, points):
        monkeypatch.setattr(module, "ngjit", lambda function: function)
