"""The order of an ordered categorical and the unit of a column are facts of the store that every view keeps."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.datasets.make_cf import make_cf
from tests.datasets.make_mzpeak import make_mzpeak, make_run
from tests.datasets.test_anndata_memory import StandIn

STAGES = [f"week {i}" for i in range(80)]
"""More than a key lists; later ones have more cells."""


def embryo(ordered: bool) -> StandIn:
    stages = np.repeat(STAGES, np.arange(1, len(STAGES) + 1))
    n = len(stages)
    rng = np.random.default_rng(0)
    obs = pd.DataFrame(
        {
            "stage": pd.Categorical(stages, categories=STAGES, ordered=ordered),
            "plate": pd.Categorical(np.arange(n) % 3),
        },
        index=[f"c{i}" for i in range(n)],
    )
    xy = rng.normal(size=(n, 2)).astype(np.float32)
    return StandIn(np.ones((n, 1), np.float32), obs, pd.DataFrame(index=["g"]), {"X_umap": xy})


def column_of(session: Session, name: str) -> p.ColumnCounts:
    frames = [frame.message for frame in session.answer(p.AskColumns([f"obs:{name}"]))]
    return next(one for one in frames if isinstance(one, p.ColumnCounts))


@pytest.mark.parametrize("ordered", [True, False])
def test_a_key_of_too_many_categories_lists_the_largest_in_their_order_if_that_has_a_meaning(ordered):
    with closing(CxgWidget(embryo(ordered), color="stage")) as w:
        lines = w.summary.splitlines()
    named = next(line for line in lines if line.startswith("Largest: "))
    places = [named.index(f"{stage} ") for stage in STAGES[-5:]]
    assert (places == sorted(places)) is ordered
    assert (places == sorted(places, reverse=True)) is not ordered


def test_colors_within_bars_follow_the_order_of_the_categories():
    for ordered in (True, False):
        with open_dataset(embryo(ordered)) as dataset:
            session = Session(dataset, Settings(embedding="umap", color="stage"))
            groups = column_of(session, "plate").groups
            assert len(groups) > 2
            largest = list(range(len(STAGES)))[: -len(groups) - 1 : -1]
            assert groups == (sorted(largest) if ordered else largest)


def test_a_legend_says_whether_its_order_means_something():
    for ordered in (True, False):
        with open_dataset(embryo(ordered)) as dataset:
            legend = next(Session(dataset, Settings(embedding="umap", color="stage")).streams.color()).message
            assert legend.ordered is ordered
            assert legend.categories == STAGES


def test_the_unit_of_a_column_is_said_wherever_its_numbers_are(tmp_path):
    make_cf(tmp_path / "toy", "netcdf")
    with open_dataset(tmp_path / "toy") as dataset:
        assert dataset.obs_columns["lat"].unit == "degrees_north"
        session = Session(dataset, Settings(embedding="lon_lat", color="obs:lat", hover=("obs:lon",)))
        legend = next(session.streams.color()).message
        assert (legend.name, legend.detail) == ("lat", "degrees_north")
        assert column_of(session, "lat").about == [["Unit", "degrees_north"]]
        x, y = dataset.embedding("lon_lat")[0].tolist()
        (cell,) = [frame.message for frame in session.answer(p.Hover(x, y, 1.0, 1.0))]
        obs = dataset.obs()
        assert cell.value == f"{obs['lat'].iloc[cell.row]:.5g} degrees_north"
        assert cell.fields == [["lon", f"{obs['lon'].iloc[cell.row]:.5g} degrees_east"]]


def test_columns_of_spectra_have_the_units_that_their_names_state(tmp_path):
    path = make_mzpeak(tmp_path / "a.mzpeak", make_run(20))
    with open_dataset(path) as dataset:
        units = {name: one.unit for name, one in dataset.obs_columns.items() if one.unit}
    assert units["retention_time"] == "min"
    assert units["base_peak_mz"] == "m/z"
    assert "ms_level" not in units
