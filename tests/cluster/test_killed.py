"""Workers that are killed while they compare or filter: the right answer or one sentence, and the widget goes on."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.cells.cluster import matrix_statistics as cluster
from cxg_widget.cells.cluster.partitions import Partitions
from cxg_widget.errors import ClusterLost
from tests.cluster.conftest import N_OBS

pytestmark = pytest.mark.slow
A = np.random.default_rng(1).random(N_OBS) < 0.3


@pytest.fixture
def w(mortal, store, monkeypatch):
    mortal.wait_for_workers(2, timeout=60)
    monkeypatch.setattr(cluster, "ROWS_PER_TASK", 100)
    widget = CxgWidget(store, dask=mortal, color="cell_type", render="raster")
    yield widget
    widget.close()


def kill_over(monkeypatch, client, work, n):
    """Kill so many workers as soon as work of this name is submitted; return those that were killed by then."""
    pids = list(client.run(os.getpid).values())[:n]
    killed = []
    submit = Partitions.map

    def submitted(self, what, *args, **same):
        futures = submit(self, what, *args, **same)
        if what == work and not killed:
            killed.extend(pids)
            for pid in killed:
                os.kill(pid, signal.SIGKILL)
        return futures

    monkeypatch.setattr(Partitions, "map", submitted)
    return killed


def check_comparison(w, truth):
    frame = w.compare(A).frame().loc[truth.var_labels]
    x = truth.X.astype(np.float64)
    expected = stats.ttest_ind(x[A], x[~A], equal_var=False, nan_policy="omit").statistic
    tested = ~np.isnan(frame["statistic"].to_numpy())
    assert tested.sum() == x.shape[1] - 1  # one gene is nowhere
    np.testing.assert_allclose(frame["statistic"][tested], np.ma.getdata(expected)[tested], rtol=1e-9)


def check_filter(w, truth, low):
    w.filters["var:ENSG0001"] = (low, None)
    try:
        passing = truth.X[:, truth.var_labels.index("ENSG0001")] >= low
        np.testing.assert_array_equal(w.filters.mask, passing)
    finally:
        w.filters.clear()


CHECKS = {"compare": check_comparison, "rule": lambda w, truth: check_filter(w, truth, 1.0)}
CASES = [("compare", 2), ("rule", 1)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_workers_killed_over_a_comparison_or_filter_end_in_the_right_answer_or_a_sentence(
    w, mortal, truth, monkeypatch, case
):
    work, n = case
    sentence = ""
    with monkeypatch.context() as patch:
        killed = kill_over(patch, mortal, work, n)
        try:
            CHECKS[work](w, truth)
        except ClusterLost as error:
            sentence = str(error)
    assert "\n" not in sentence
    assert len(killed) == n
    mortal.wait_for_workers(2, timeout=60)
    check_comparison(w, truth)
    check_filter(w, truth, 0.5)
