"""Analyses that ask for more memory than there is: one sentence, and the widget goes on as before."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import tiledb

from cxg_widget import CxgWidget
from cxg_widget.compare.moments import Moments
from cxg_widget.compare.ranks import Ranks
from cxg_widget.compute.memory import available_bytes
from cxg_widget.datasets.tiledb_access.failures import failure
from cxg_widget.errors import DamagedStore, OutOfMemory
from tests.memory import MemoryDataset, small

ANALYSES = {
    "compare(method='t-test')": lambda w: w.compare({"cell_type": "B cell"}),
    "compare(method='wilcoxon')": lambda w: w.compare({"cell_type": "B cell"}, method="wilcoxon"),
    "markers(method='t-test')": lambda w: w.markers({"cell_type": "B cell"}),
    "markers(by='cell_type', method='wilcoxon')": lambda w: w.markers(by="cell_type", method="wilcoxon"),
}


def test_no_more_memory_is_available_than_the_system_has():
    psutil = pytest.importorskip("psutil")
    found = available_bytes()
    assert found is None or 0 < found < psutil.virtual_memory().total


CALLS = {
    "color": lambda w: setattr(w, "color", "CD3E"),
    "filters": lambda w: w.filter("n_counts > 3"),
    "embedding": lambda w: setattr(w, "embedding", ("n_counts", "n_genes")),
    "labels": lambda w: setattr(w, "labels", "donor name"),
    "obs()": lambda w: w.selection.obs(["n_counts", "CD3E"]),
    "table.frame()": lambda w: w.table.frame(),
    "reading": lambda w: w.sets.add("doublets", {"is_doublet": True}),
}
FRAMES = {
    "frame()": (lambda found: found.frame(), pd.DataFrame),
    "u": (lambda found: found.u, pd.Series),
    "log10_p": (lambda found: found.log10_p, pd.Series),
}


def refuse(*_, **__):
    np.zeros((2**30, 2**10))  # NumPy's own error


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


@pytest.mark.parametrize("work", CALLS)
def test_a_change_that_cannot_be_read_for_want_of_memory_is_refused_in_words_and_undone(w, monkeypatch, work):
    w.select([4, 5])
    before = w.state
    with monkeypatch.context() as patch:
        patch.setattr(MemoryDataset, "_touch", refuse)
        with pytest.raises(OutOfMemory) as caught:
            CALLS[work](w)
    cells = "2 cells" if work == "obs()" else "1,000 cells"
    assert str(caught.value) == (
        f"{work} of {cells} ran out of memory: the system refused another 8.8\u00a0TB. "
        "Less is needed with fewer cells, or more memory for the kernel."
    )
    assert w.state == before
    CALLS[work](w)


@pytest.mark.parametrize("work", FRAMES)
@pytest.mark.parametrize("of_all_groups", [False, True])
def test_a_table_of_results_that_finds_no_memory_is_refused_in_words_and_can_be_made_later(
    w, monkeypatch, work, of_all_groups
):
    found = w.markers(by="cell_type") if of_all_groups else w.compare({"cell_type": "B cell"})
    make, made_by = FRAMES[work]
    with monkeypatch.context() as patch:
        patch.setattr(made_by, "__init__", refuse)
        with pytest.raises(OutOfMemory) as caught:
            make(found)
    n_rows = 4 * (len(found) if of_all_groups else 1)
    assert str(caught.value) == (
        f"{work} of {n_rows} rows ran out of memory: the system refused another 8.8\u00a0TB. "
        "Less is needed with genes=[...], or more memory for the kernel."
    )
    assert len(make(found)) == n_rows


@pytest.mark.parametrize(
    "text",
    [
        "[TileDB::C++API] Error: Failed to create context: ThreadPool: Error initializing thread pool of concurrency "
        "level 2; Resource temporarily unavailable",
        "Error: Internal TileDB uncaught exception; std::bad_alloc",
        "[TileDB::IO] Error: Cannot open file 'x'; Cannot allocate memory",
    ],
)
def test_a_store_that_is_not_read_for_want_of_memory_is_not_called_damaged(text):
    found = failure(tiledb.TileDBError(text), "/data.cxg", "obs column 'donor'")
    assert type(found) is OutOfMemory
    assert str(found).startswith("/data.cxg: reading obs column 'donor' ran out of memory (")
    assert type(failure(tiledb.TileDBError("Corrupted filter"), "/data.cxg", "X")) is DamagedStore
