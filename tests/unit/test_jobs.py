"""Work in threads of its own."""

import os
import sys
import threading

import pytest

from cxg_widget.compute.jobs import in_background


def nice() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads have priorities of their own on Linux alone")
def test_work_that_gives_way_and_the_threads_it_starts_come_after_all_other_threads():
    before = nice()
    assert in_background(nice).result() == before
    assert in_background(lambda: [nice(), in_background(nice).result()], gives_way=True).result() == [10, 10]
    assert nice() == before
    assert in_background(nice).result() == before


def test_what_work_raises_is_raised_where_it_is_waited_for():
    with pytest.raises(ZeroDivisionError):
        in_background(lambda: 1 // 0, gives_way=True).result()
