"""Widgets of several users over one dataset share what is the same for all of them."""

from __future__ import annotations

import gc
import tracemalloc

import numpy as np
import pytest

from cxg_widget import CxgWidget, open_dataset

N_OBS = 1_000_000
N_USERS = 4
DIFFERS = 2 + 1 + 1 / 8
"""Bytes a cell of what differs: the selection now and before, the state for counts, and the selection for undo."""


@pytest.fixture(scope="module")
def dataset():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, N_OBS)).astype(np.float32)
    kinds = np.array(["a", "b", "c", "d"], dtype=object)[rng.integers(0, 4, N_OBS)]
    with open_dataset({"x": x, "y": y, "kind": kinds}, embedding=("x", "y")) as opened:
        yield opened


def rest(widget):
    """Wait until a widget prepares nothing, which would hold arrays."""
    for slot in ("prepare", "order", "field", "letters"):
        widget._exchange.jobs.finish(slot)


def use(dataset, number):
    """Do what a user does: look, select some cells, count them, point at one."""
    widget = CxgWidget(dataset, color="kind", restore=False)
    rest(widget)
    for _ in widget._session.streams.early():
        pass
    widget.select({"kind": "abcd"[number % 4]})
    widget.counts("kind")
    widget._session.loader.of(widget._session.settings).indexed()
    return widget


def test_a_further_user_takes_at_most_a_tenth_more_than_the_bytes_that_differ(dataset):
    use(dataset, 0).close()  # what is kept once for good
    gc.collect()
    tracemalloc.start()
    try:
        users = [use(dataset, 0)]
        gc.collect()
        one = tracemalloc.get_traced_memory()[0]
        users += [use(dataset, number) for number in range(1, N_USERS)]
        gc.collect()
        further = (tracemalloc.get_traced_memory()[0] - one) / (N_USERS - 1)
    finally:
        tracemalloc.stop()
    holders = [one._session.loader.of(one._session.settings) for one in users]
    assert len({id(one.indexed().index) for one in holders}) == 1
    assert {len(one.selection) for one in users} == set(dataset.obs(["kind"])["kind"].value_counts())
    assert further < 1.1 * DIFFERS * N_OBS
    for one in users:
        one.close()


def test_positions_and_order_are_the_same_objects_for_all_and_go_with_the_last(dataset):
    users = [CxgWidget(dataset, color="kind", restore=False) for _ in range(2)]
    holders = [one._session.loader.of(one._session.settings) for one in users]
    assert holders[0].xy() is holders[1].xy()
    assert users[0]._session.loader.order() is users[1]._session.loader.order()
    del holders
    for one in users:
        rest(one)
        one.close()
    gc.collect()
    assert len(dataset._shared._held) == 0
