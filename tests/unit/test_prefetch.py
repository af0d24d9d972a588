"""What is made ahead in a thread comes in order, and no further than whoever iterates goes."""

from __future__ import annotations

import subprocess
import sys
from threading import Event, current_thread, main_thread

import pytest

from cxg_widget.compute.prefetch import Prefetch


def test_items_come_in_order_made_in_another_thread():
    makers = []

    def items():
        for number in range(5):
            makers.append(current_thread())
            yield number

    assert list(Prefetch(items)) == [0, 1, 2, 3, 4]
    assert main_thread() not in makers
    assert len(set(makers)) == 1


def test_the_next_item_is_made_while_one_is_worked_on():
    second = Event()

    def items():
        yield 1
        second.set()
        yield 2

    for _ in Prefetch(items):
        assert second.wait(10)


def test_what_fails_is_raised_where_it_is_waited_for():
    def items():
        yield 1
        raise OSError("gone")

    found = iter(Prefetch(items))
    assert next(found) == 1
    with pytest.raises(OSError, match="gone"):
        next(found)


def test_the_end_of_the_program_waits_for_the_item_that_is_being_made():
    script = """
import time
from cxg_widget.compute.prefetch import Prefetch
def items():
    yield 1
    time.sleep(0.3)
    print("made", flush=True)
    yield 2
    yield 3
    print("never")
for item in Prefetch(items):
    break
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.split() == ["made"]


def test_nothing_more_is_made_when_nobody_iterates_any_more():
    made, ended = [], Event()

    def items():
        try:
            for number in range(1000):
                made.append(number)
                yield number
        finally:
            ended.set()

    for _ in Prefetch(items):
        break
    assert ended.wait(10)
    assert len(made) <= 3
