"""Another embedding on a cluster: what is read late for the one before takes nothing from the one on show."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.cells.cluster import Source, cluster_holder
from cxg_widget.cells.cluster.holder import ClusterHolder
from cxg_widget.cells.loader import Loader
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError, Overtaken
from cxg_widget.session.session import Session
from tests.cluster.conftest import n_users
from tests.cluster.test_session import ask, image

EVERYWHERE = [(-99, -99), (99, -99), (99, 99), (-99, 99)]


@pytest.fixture
def session(client, store):
    """A session whose cells Dask's workers hold."""
    with open_dataset(store) as dataset:
        one = Session(
            dataset,
            Settings(embedding="umap", render="raster"),
            read_with=lambda *a: Loader(*a, holder=cluster_holder(client, Source.of(store))),
        )
        yield one
        one.close()


def show(session, embedding):
    settings = replace(session.settings, embedding=embedding)
    session.check.place(settings)
    session.settings = settings


def held(session):
    return session.loader.of(session.settings)


def test_cells_that_are_made_late_take_no_place_of_those_on_show(client, session, monkeypatch):
    before = n_users(client)
    late, make, started, go_on = held(session), ClusterHolder._make_indexed, Event(), Event()

    def make_late(holder):
        made = make(holder)
        if holder is late:
            started.set()
            assert go_on.wait(30)
        return made

    monkeypatch.setattr(ClusterHolder, "_make_indexed", make_late)
    with ThreadPoolExecutor(1) as beside:
        asked = beside.submit(late.indexed)
        assert started.wait(30)
        show(session, "spatial")
        shown = held(session).indexed()
        go_on.set()
        with pytest.raises(Overtaken):
            asked.result(30)
    with pytest.raises(Overtaken):
        late.indexed()
    assert held(session).indexed() is shown
    assert image(ask(session)).any()
    assert n_users(client) - before == 1


def test_there_and_back_again_leaves_the_same_picture_and_one_embedding_on_the_workers(client, session):
    before, n_before = image(ask(session)), n_users(client)
    for embedding in ("spatial", "umap", "spatial", "umap"):
        show(session, embedding)
    np.testing.assert_array_equal(image(ask(session)), before)
    assert n_users(client) == n_before


def test_a_filter_finds_the_same_cells_after_the_embedding_of_its_request_is_gone(session, monkeypatch):
    column = next(one.name for one in session.dataset.obs_columns.values() if one.kind == "float")
    leaving = held(session).indexed()
    show(session, "spatial")
    held(session).indexed()
    monkeypatch.setattr(session.loader.memo, "in_slot", lambda _: leaving)  # as a thread read it a moment ago
    numbers = session.dataset.obs([column])[column].to_numpy()
    low, high = np.nanquantile(numbers, [0.2, 0.7])
    rules = ({"obs": column, "range": [float(low), float(high)]},)
    with np.errstate(invalid="ignore"):
        expected = (numbers >= low) & (numbers <= high)
    np.testing.assert_array_equal(session.loader.of(replace(session.settings, filters=rules)).filtered(), expected)


def test_a_state_that_is_refused_leaves_one_embedding_on_the_workers(client, store):
    before = n_users(client)
    w = CxgWidget(store, dask=client, embedding="umap", render="raster")
    w.select(polygon=EVERYWHERE)
    n_selected = w.n_selected
    with pytest.raises(CxgWidgetError, match="nothing_like_it"):
        w.state = {"embedding": "spatial", "color": "nothing_like_it"}
    assert w.embedding == "umap"
    w.select(polygon=EVERYWHERE)
    assert w.n_selected == n_selected > 0
    assert n_users(client) - before == 1
    w.close()
