"""An interrupt of the kernel ends a wait soon, and leaves the reads of other threads as they are."""

import subprocess
import sys
from threading import Event, Thread

import numpy as np
import pytest
import tiledb

from cxg_widget.compute.parallel import Call, run_parallel
from cxg_widget.datasets.tiledb_access.arrays import Arrays, despite_interrupts
from cxg_widget.errors import Cancelled, CxgWidgetError

N_ROWS = 1_000_000
CODE = """
import signal, sys, threading, time
import numpy as np, tiledb
from cxg_widget.compute.parallel import Call, run_parallel
from cxg_widget.datasets.tiledb_access.arrays import Arrays

ctx = tiledb.Ctx()  # TileDB handles interrupts
outcomes, is_over = [], False

def read():
    arrays = Arrays(sys.argv[1], sys.argv[1], ctx)
    while not is_over:
        try:
            outcomes.append(arrays.column("obs", "a").sum())
        except Exception as error:
            outcomes.append(error)

thread = threading.Thread(target=read)
thread.start()
n_interrupts = 0
for _ in range(2):
    try:
        time.sleep(0.5)
        signal.raise_signal(signal.SIGINT)
        time.sleep(1.2)  # TileDB looks once a second
    except KeyboardInterrupt:
        n_interrupts += 1
time.sleep(1.2)
is_over = True
thread.join()
print(n_interrupts, {str(one) for one in outcomes})
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    path = tmp_path_factory.mktemp("interrupts")
    # Many small tiles: a query that lasts, so that the interrupt meets it.
    dim = tiledb.Dim("i", domain=(0, N_ROWS - 1), tile=20, dtype=np.int64)
    schema = tiledb.ArraySchema(domain=tiledb.Domain(dim), attrs=[tiledb.Attr("a", dtype=np.int64)])
    tiledb.Array.create(str(path / "obs"), schema)
    with tiledb.open(str(path / "obs"), "w") as array:
        array[:] = np.arange(N_ROWS)
    return path


def test_a_read_in_another_thread_survives_an_interrupt(root):
    ended = subprocess.run([sys.executable, "-c", CODE, root], check=True, capture_output=True, text=True, timeout=60)
    assert ended.stdout.strip() == f"2 {{'{N_ROWS * (N_ROWS - 1) // 2}'}}", ended.stderr


def test_a_cancelled_query_is_asked_again_and_another_failure_is_not():
    n = iter(range(100))

    def cancelled_twice():
        if next(n) < 2:
            raise tiledb.TileDBError("[TileDB::Query] Error: Query cancelled.")
        return "values"

    def damaged():
        next(n)
        raise tiledb.TileDBError("[TileDB::IO] Error: no such file")

    assert despite_interrupts(cancelled_twice) == "values"
    assert next(n) == 3
    with pytest.raises(tiledb.TileDBError, match="no such file"):
        despite_interrupts(damaged)
    assert next(n) == 5


def test_a_query_that_stays_cancelled_is_not_called_damage(root):
    arrays = Arrays(str(root), str(root), tiledb.Ctx())
    with pytest.raises(CxgWidgetError) as caught, arrays.reading("obs column 'a'"):
        raise tiledb.TileDBError("[TileDB::Query] Error: Query cancelled.")
    assert type(caught.value) is Cancelled
    assert "was interrupted; the data are unchanged" in str(caught.value)


@pytest.mark.parametrize("seconds", [None, 60])
def test_no_wait_for_parallel_calls_is_so_long_that_an_interrupt_just_before_it_seems_lost(seconds, monkeypatch):
    """Python handles an interrupt that comes just before a wait only after it: a read then ended by its time-out."""
    waits, is_over = [], Event()

    def join(thread, timeout=None):
        waits.append(timeout)
        if len(waits) == 3:
            is_over.set()
        Thread.join(thread, 0.01)

    monkeypatch.setattr(Call, "join", join)
    assert run_parallel([lambda: is_over.wait(10), lambda: 7], seconds) == [True, 7]
    assert len(waits) >= 3
    assert all(one is not None and one <= 1 for one in waits)
