"""Analyses that ask for more memory than there is: one sentence, and the widget goes on as before."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.compare.moments import Moments
from cxg_widget.compare.ranks import Ranks
from cxg_widget.errors import OutOfMemory
from tests.memory import small

ANALYSES = {
    "compare(method='t-test')": lambda w: w.compare({"cell_type": "B cell"}),
    "compare(method='wilcoxon')": lambda w: w.compare({"cell_type": "B cell"}, method="wilcoxon"),
    "markers(method='t-test')": lambda w: w.markers({"cell_type": "B cell"}),
    "markers(by='cell_type', method='wilcoxon')": lambda w: w.markers(by="cell_type", method="wilcoxon"),
}


@pytest.fixture
def w():
    with_widget = CxgWidget(small(), color="cell_type")
    yield with_widget
    with_widget.close()


@pytest.mark.parametrize("asked", ANALYSES)
def test_an_analysis_without_memory_says_what_it_asked_for_and_what_needs_less_and_changes_nothing(
    w, monkeypatch, asked
):
    w.sets.add("kept", [1, 2, 3])
    w.select([4, 5])
    before = w.state
    with monkeypatch.context() as patch:

        def refuse(*_, **__):
            np.zeros((2**30, 2**10))  # NumPy's own error

        patch.setattr(Ranks if "wilcoxon" in asked else Moments, "__init__", refuse)
        with pytest.raises(OutOfMemory) as caught:
            ANALYSES[asked](w)
    told = str(caught.value)
    assert told.startswith(f"{asked} of 1,000 cells ran out of memory: the system refused another 8.8\u00a0TB")
    assert "genes=[...]" in told
    assert ("method='t-test'" in told.partition("Less is needed")[2]) == ("wilcoxon" in asked)
    assert "\n" not in told
    assert w.state == before
    assert len(ANALYSES[asked](w).frame())
