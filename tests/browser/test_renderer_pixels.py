"""Numbers of pixels, which the kernel reduces: drawn at any distance, between limits of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cxg_widget.color.colormaps import COLORMAPS
from cxg_widget.color.rgb import ramp
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.browser.engine import run, serve
from tests.browser.test_renderer_numbers import SIDE, picture, settled, view_of
from tests.memory import small

pytestmark = pytest.mark.browser

N_CELLS = 40_000


@pytest.fixture(scope="module")
def dataset() -> Any:
    return small(N_CELLS)


@pytest.fixture
def show(page: Any, dataset: Any) -> Any:
    def open_with(statistic: str, answer: str = "byKernel", **settings: Any) -> Session:
        session = Session(dataset, Settings(embedding="umap", color="n_counts", statistic=statistic, **settings))
        serve(page, session)
        traits = f"{{ point_size: null, statistic: {statistic!r} }}"
        run(page, f"window.w = open_({{ traits: {traits}, width: {SIDE}, height: {SIDE}, answer: {answer} }});")
        return session

    return open_with


def cells_per_pixel(page: Any, dataset: Any) -> Any:
    """How many cells with a value lie in each pixel of the view on show, row 0 at the top."""
    x0, x1, y0, y1 = run(page, "return JSON.parse(w.host.dataset.cxgView);")
    xy = dataset.embedding("umap").astype(float)[np.isfinite(dataset.numbers("n_counts").astype(float))]
    found = np.histogram2d(xy[:, 1], xy[:, 0], bins=SIDE, range=((y0, y1), (x0, x1)))[0]
    return found[::-1]


@pytest.mark.parametrize("vmax", [None, 4.0])
def test_a_count_has_the_color_of_how_many_cells_there_are(
    page: Any, show: Any, dataset: Any, vmax: float | None
) -> None:
    show("count")
    settled(page)
    run(page, f"w.model.set('vmax', {'null' if vmax is None else vmax}); await sleep(50); await ready(w);")
    n = cells_per_pixel(page, dataset)
    (lo, hi), limits = run(page, "const { color } = w.widget.store.get(); return [[color.lo, color.hi], color.limits];")
    assert (lo, hi) == (0, n.max())
    low = lo + limits[0] / 65_534 * (hi - lo)
    high = lo + limits[1] / 65_534 * (hi - lo) if vmax is None else vmax
    table = ramp(COLORMAPS["viridis"])
    wanted = table[np.rint(255 * np.clip((n - low) / (high - low), 0, 1)).astype(int)]
    found = picture(page)
    alone = n > 0
    # Discs of a px: where one cell lies alone it covers what it counts in.
    close = np.abs(found[alone] - wanted[alone]).max(axis=-1) <= 8
    assert np.mean(close) > 0.99


@pytest.mark.parametrize("statistic", ["std", "sum"])
def test_close_by_it_stays_an_image(page: Any, show: Any, dataset: Any, statistic: str) -> None:
    show(statistic)
    settled(page)
    run(page, f"w.model.set('view', {view_of(dataset, 300)}); await sleep(100); await ready(w);")
    assert run(page, "return [w.widget.scene.cells === null, w.widget.scene.image !== null];") == [True, True]


def test_until_it_has_come_points_show_no_number(page: Any, show: Any) -> None:
    held = "async (content, model) => { if (content.kind !== 'aggregate') await byKernel(content, model); }"
    show("std", held)
    run(page, "while (Number(w.host.dataset.cxgDrawn) === 0) await sleep(10); await sleep(100);")
    shown = picture(page)
    shown = shown[np.isfinite(shown).all(axis=-1)]
    assert shown.size > 0
    assert np.ptp(shown, axis=-1).max() <= 1  # greys


def test_another_statistic_asks_for_another_image_and_takes_its_range(page: Any, show: Any) -> None:
    show("std")
    settled(page)
    one = run(page, "const { color } = w.widget.store.get(); return [color.statistic, color.hi];")
    run(
        page, "w.model.set('statistic', 'sum'); while (w.widget.store.get().color.statistic !== 'sum') await sleep(10);"
    )
    other = run(page, "const { color } = w.widget.store.get(); return [color.statistic, color.hi];")
    assert one[0] == "standard deviation"
    assert other[1] > one[1]
