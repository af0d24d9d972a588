"""What tests of the widget share."""

from __future__ import annotations

import pytest

from tests.memory import small
from tests.unit.test_early_lassos import recorded


@pytest.fixture
def widget(monkeypatch):
    """A widget of a thousand cells in memory, coloured by their types, that keeps what it sends."""
    widget = recorded(small(1000), monkeypatch, color="cell_type")
    yield widget
    widget.close()
