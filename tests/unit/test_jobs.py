"""Work in threads of its own."""

import os
import platform
import sys
import threading
from pathlib import Path
from time import monotonic, sleep

import pytest

from cxg_widget.compute.jobs import AT_REST, AtRest, Jobs, in_background


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


def test_threads_begin_with_a_job_end_at_rest_and_begin_again(monkeypatch):
    monkeypatch.setattr("cxg_widget.compute.jobs.IDLE_S", 0.01)
    jobs = Jobs()
    assert jobs.threads == []
    for _ in range(2):
        held = [jobs.submit(i, threading.Event().is_set) for i in range(3)] + [jobs.queue("q", int)]
        first = jobs.threads
        for one in held:
            one.result()
        for thread in first:
            thread.join(30)
        assert not any(thread.is_alive() for thread in first)
    jobs.close()
    assert jobs.submit("late", int).cancelled()
    assert jobs.threads == []


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have their own ways")
def test_memory_that_is_free_goes_back_to_the_system_when_the_threads_end(monkeypatch):
    monkeypatch.setattr("cxg_widget.compute.jobs.IDLE_S", 0.01)
    held = [bytes(60_000) for _ in range(3_000)]  # too small for pages of their own
    last, before = held.pop(), resident_bytes()
    held.clear()
    jobs = Jobs()
    jobs.submit("short", int).result()
    ends = monotonic() + 30
    while resident_bytes() > before - 10**8 and monotonic() < ends:
        sleep(0.01)
    assert resident_bytes() < before - 10**8
    assert len(last) == 60_000
    jobs.close()


def resident_bytes():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_threads_stay_while_a_job_of_theirs_runs(monkeypatch):
    monkeypatch.setattr("cxg_widget.compute.jobs.IDLE_S", 0.0)
    jobs, gate, rested = Jobs(), threading.Event(), threading.Event()
    running = jobs.submit("long", gate.wait)
    jobs.submit("short", int).result()
    AT_REST.call("after the others", 0.05, rested.set)
    assert rested.wait(30)
    assert len(jobs.threads) > 0
    gate.set()
    running.result()
    jobs.close()


def test_what_is_called_at_rest_is_called_once_after_the_last_call():
    rest, said, done = AtRest(), [], threading.Event()
    for i in range(50):
        rest.call("a", 0.02, lambda i=i: said.append(i))
    rest.call("b", 0.2, done.set)
    assert done.wait(30)
    assert said == [49]


def test_what_never_rests_is_called_all_the_same():
    rest, said = AtRest(), threading.Event()
    while not said.is_set():
        rest.call("a", 60, said.set, most_s=0.05)


def test_the_thread_of_what_rests_ends_when_nothing_is_due_and_finish_leaves_nothing():
    rest, said = AtRest(), []
    rest.call("a", 1000, lambda: said.append("a"), most_s=1000)
    rest.call("b", 1000, lambda: 1 // 0, most_s=1000)
    thread = rest._thread
    assert rest.drop("c") is False
    rest.finish()
    assert said == ["a"]
    rest.call("d", 0, lambda: None)
    thread.join(30)
    assert not thread.is_alive()


def test_at_the_end_what_is_due_is_done_no_thread_is_left_and_later_calls_are_done_at_once():
    rest, said = AtRest(), []
    rest.call("a", 1000, lambda: said.append("a"), most_s=1000)
    thread = rest._thread
    rest.end()
    assert not thread.is_alive()
    rest.call("b", 1000, lambda: said.append("b"))
    assert said == ["a", "b"]
    assert rest.drop("b") is False
