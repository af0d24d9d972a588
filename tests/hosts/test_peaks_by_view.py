"""The map of all peaks in JupyterLab: the view asked for is on the screen while the others are still being read."""

import json

import numpy as np
import pytest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SHOW = """
import threading
from cxg_widget import CxgWidget
from cxg_widget.datasets.mzpeak.peaks import PeakMap
may_read, for_each = threading.Event(), PeakMap.for_each
PeakMap.for_each = lambda *given: (may_read.wait(120), for_each(*given))
w = CxgWidget('views.mzpeak', observations='peaks', height=480, max_points=12_000, view=VIEW, render=RENDER)
w
"""


@pytest.fixture(scope="module")
def peaks(folder):
    """Write a run; return its peaks as pandas has them, and a view of so few that each shows its own number."""
    pytest.importorskip("pyarrow", reason="mzPeak is an extra: pip install cxg-widget[mzpeak]")
    from tests.datasets.make_mzpeak import make_mzpeak, make_run

    run = make_run(400)
    make_mzpeak(folder / "views.mzpeak", run, "delta", rows_per_group=200)
    found = run.peaks()
    time = run.meta["retention_time"]
    view = [float(time.quantile(0.5)), float(time.quantile(0.55)), 250.0, 400.0]
    return np.column_stack([time.to_numpy()[found["row"]], found["mz"]]).astype(np.float32), view


def lit(stage):
    return (np.abs(stage.pixels().astype(int) - stage.background()) > 3).any(axis=2)


@pytest.mark.parametrize("render", ["raster", "auto"])
def test_a_view_is_drawn_before_the_peaks_are_read_and_stays_as_it_is(show_in_lab, peaks, render):
    xy, view = peaks
    code = SHOW.replace("VIEW", json.dumps(view)).replace("RENDER", repr(render))
    stage = show_in_lab(code, wait=False)
    try:
        host = stage.page.locator(".cxg-widget[data-cxg-drawn]:not([data-cxg-drawn='0'])").first
        host.wait_for()
        stage.until(lambda: lit(stage).sum() > 50)
        assert host.get_attribute("data-cxg-state") == "loading"
        left, right, bottom, top = stage.view()
        inside = (xy >= [left, bottom]).all(axis=1) & (xy <= [right, top]).all(axis=1)
        n_drawn = int(host.get_attribute("data-cxg-drawn"))
        assert n_drawn == inside.sum() if render == "raster" else n_drawn >= inside.sum()
        before = stage.pixels()
        stage.ask("may_read.set()")
        stage.settle()
        np.testing.assert_array_equal(stage.pixels(), before)
        assert stage.complaints == []
    finally:
        stage.ask("may_read.set(); PeakMap.for_each = for_each")
