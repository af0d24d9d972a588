"""A Dask cluster of two processes, one for all tests here, and stores for it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cxg_widget.cells.all_cells import Shown
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from tests.datasets.make_cxg import Truth, make_cxg, make_truth
from tests.plain_datashader import make_plain

# Some thirty workers are started and killed: each is forked from one process that has imported what they need, which
# each would do by itself for two seconds. It is read when `distributed` is imported.
os.environ.setdefault("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")
PRELOAD = ("distributed", "cxg_widget.cells.cluster", "pandas", "tiledb", "numba", "datashader")
"""Modules that start no threads, which a fork would lose."""

N_OBS = 3000


def shown_by(coloring: Coloring, colors: Any = (), hidden: Any = (), **more: Any) -> Shown:
    """Return what shows all cells: colors uint8 (k, 3) of the categories, labels of those that are hidden."""
    settings = Settings(embedding="umap", hidden=tuple(hidden))
    more = {"mask": np.zeros(N_OBS, bool), **more}
    return Shown(coloring, ["#" + bytes(rgb).hex() for rgb in colors], settings, **more)


def start_client(n_workers: int = 2) -> Any:
    """Start workers in processes, and a client; no dashboard, no profile, and as quietly as Dask can."""
    import dask
    from distributed import Client, LocalCluster
    from distributed.utils import get_mp_context

    get_mp_context().set_forkserver_preload([*PRELOAD, __name__])  # Dask's own list, which this replaces, has only Dask
    # A cluster gives up for good whoever is away again just when an earlier loss is that long ago.
    dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
    watching = {  # of itself, which takes a twentieth of a core else
        "distributed.worker.profile.enabled": False,
        "distributed.admin.tick.interval": "1s",
        "distributed.admin.system-monitor.interval": "5s",
    }
    with dask.config.set(watching):
        cluster = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", silence_logs=50
        )
    return Client(cluster, set_as_default=False)


def stop_client(client: Any) -> None:
    cluster = client.cluster
    client.close()
    cluster.close()


def _started() -> Iterator[Any]:
    pytest.importorskip("distributed", reason="Dask is an extra: pip install cxg-widget[dask]")
    one = start_client()
    yield one
    stop_client(one)


@pytest.fixture(scope="package")
def client() -> Iterator[Any]:
    """The cluster of all tests here, in which datashader compiles nothing."""
    with pytest.MonkeyPatch.context() as patch:
        make_plain(patch.setattr)
        for one in _started():
            one.run(make_plain)
            yield one


mortal = pytest.fixture(_started, scope="module", name="mortal")  # a cluster of a module's own, whose workers may die


@pytest.fixture(scope="session")
def truth() -> Truth:
    truth = make_truth(N_OBS, 6)
    rng = np.random.default_rng(3)
    truth.obs["constant"] = np.full(N_OBS, 2.5, dtype=np.float32)
    truth.obs["lonely"] = np.where(np.arange(N_OBS) < 10, rng.normal(size=N_OBS), np.nan)
    truth.obs["read_at"] = 1_700_000_000_000_000_000 + rng.integers(0, 10**9, N_OBS)  # ns, no two alike in float32
    truth.obs["outlier"] = np.where(np.arange(N_OBS) == 20, 1e6, rng.random(N_OBS))
    truth.obs["donor"] = pd.Series([f"d{row // 700} ü" for row in range(N_OBS)], dtype="str", index=truth.obs.index)
    return truth


@pytest.fixture(scope="session")
def store(tmp_path_factory, truth) -> str:
    return str(make_cxg(tmp_path_factory.mktemp("cluster") / "s.cxg", truth))


def n_open() -> int:
    """Return how many datasets are open for clusters in this process, mostly that of a worker."""
    from cxg_widget.cells.cluster import source

    return len(source._open)


def n_users(client: Any) -> int:
    """Return by how many embeddings the stores are held open that the workers opened, as the busiest worker has it."""
    return max(client.run(_n_users).values())


def _n_users() -> int:
    from cxg_widget.cells.cluster import source

    return sum(map(len, source._users.values()))
