"""What the color of a number means: the same in an image of the kernel and in points, far away and close by.

A real session answers; the page draws by both painters.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.browser.engine import packed, run, serve
from tests.memory import small

pytestmark = pytest.mark.browser

N_CELLS, FEW, SIDE = 60_000, 12_000, 300
NUMBERS = ["CD3E", "DENSE", "n_counts"]
ALIKE = 10
"""By how much of 255 pictures of one place may differ in any channel, in the mean of what is drawn."""


@pytest.fixture
def drawn_by() -> str:
    """Who draws, as each draws all else alike: see test_renderer_stand_ins.py."""
    return "cpu"


@pytest.fixture(scope="module")
def dataset() -> Any:
    return small(N_CELLS)


@pytest.fixture
def show(page: Any, dataset: Any) -> Any:
    """Show a coloring; returns the session."""

    def open_with(color: str, *, answer: str = "byKernel", **settings: Any) -> Session:
        session = Session(dataset, Settings(embedding="umap", color=color, **{"max_points": FEW, **settings}))
        serve(page, session)
        traits = f"{{ point_size: null, statistic: {session.settings.statistic!r} }}"
        run(page, f"window.w = open_({{ traits: {traits}, width: {SIDE}, height: {SIDE}, answer: {answer} }});")
        return session

    return open_with


def picture(page: Any) -> NDArray[np.float64]:
    """Return what is on the screen, (h, w, 3), and NaN where nothing is."""
    sent = run(
        page,
        """const data = pixels(w);
        let text = "";
        for (let i = 0; i < data.length; i += 8192) text += String.fromCharCode(...data.subarray(i, i + 8192));
        return btoa(text);""",
    )
    rgba = np.frombuffer(base64.b64decode(sent), np.uint8).reshape(SIDE, SIDE, 4).astype(float)
    share = rgba[..., 3:] / 255
    return np.where(share > 0, rgba[..., :3] * share + 255 * (1 - share), np.nan)


def mean_color(page: Any) -> NDArray[np.float64]:
    return np.nanmean(picture(page), axis=(0, 1))


def settled(page: Any) -> None:
    run(page, "await ready(w);")


def look_at(page: Any, view: list[float]) -> str:
    """Return what shows it, once it is there: "image" or "cells"."""
    run(
        page,
        f"""w.model.set("view", {view});
        const {{ scene, store }} = w.widget;
        const near = (a, b) => Math.abs(a - b) < 0.01 * {view[1] - view[0]};
        const isThere = () => (scene.cells !== null && w.host.dataset.cxgState === "ready")
          || (scene.image !== null && near(scene.image.view[0], {view[0]}));
        while (!isThere()) await sleep(10);
        await ready(w);""",
    )
    return str(run(page, "return w.widget.scene.cells === null ? 'image' : 'cells';"))


def view_of(dataset: Any, n_cells: float, around: int = 7) -> list[float]:
    """Return a view around a cell that holds about so many."""
    xy = dataset.embedding("umap")
    half = float(np.sort(np.abs(xy - xy[around]).max(axis=1))[int(n_cells)])
    x, y = (float(one) for one in xy[around])
    return [x - half, x + half, y - half, y + half]


@pytest.mark.parametrize(
    ("color", "statistic"), [*((one, "auto") for one in NUMBERS), ("CD3E", "mean"), ("DENSE", "max")]
)
def test_where_points_take_over_from_the_image_the_colors_stay(
    page: Any, show: Any, dataset: Any, color: str, statistic: str
) -> None:
    show(color, statistic=statistic)
    settled(page)
    assert look_at(page, view_of(dataset, 1.04 * FEW)) == "image"
    before = mean_color(page)
    assert look_at(page, view_of(dataset, 0.97 * FEW)) == "cells"
    np.testing.assert_allclose(mean_color(page), before, atol=ALIKE)


@pytest.mark.parametrize("color", NUMBERS)
def test_very_many_points_read_as_the_image_does(page: Any, show: Any, dataset: Any, color: str) -> None:
    show(color)
    settled(page)
    image = mean_color(page)
    run(page, "w.close();")
    session = Session(dataset, Settings(embedding="umap", color=color, render="points", max_points=FEW))
    size = f"width: {SIDE}, height: {SIDE}"
    run(
        page,
        f"""window.w = open_({{ traits: {{ point_size: null }}, {size} }});
        deliver(w.model, {json.dumps(packed(session.streams.show()))});
        await ready(w);""",
    )
    np.testing.assert_allclose(mean_color(page), image, atol=ALIKE)


@pytest.mark.parametrize("color", [*NUMBERS, "cell_type"])
def test_the_first_sample_looks_as_the_picture_that_takes_its_place(page: Any, show: Any, color: str) -> None:
    held = """async (content, model) => {
        if (content.kind === "aggregate") await window.held;
        await byKernel(content, model);
    }"""
    run(page, "window.held = new Promise((done) => (window.release = done));")
    show(color, answer=held)
    run(page, f"while (Number(w.host.dataset.cxgDrawn) < {FEW}) await sleep(10);")
    first = mean_color(page)
    run(page, "release();")
    settled(page)
    np.testing.assert_allclose(first, mean_color(page), atol=1.5 * ALIKE)


def limits(page: Any) -> list[float]:
    return list(run(page, "return w.widget.store.get().color.limits;"))


def test_limits_hold_while_one_pans_and_zooms(page: Any, show: Any, dataset: Any) -> None:
    session = show("n_counts")
    settled(page)
    far = limits(page)
    view = view_of(dataset, 2 * FEW)
    half = (view[1] - view[0]) / 2
    assert look_at(page, view) == "image"
    assert limits(page) == far
    assert look_at(page, [view[0] + half, view[1] + half, view[2], view[3]]) in ("image", "cells")
    assert limits(page) == far
    assert look_at(page, view_of(dataset, FEW / 2)) == "cells"
    assert limits(page) == far
    values = np.asarray(dataset.obs(["n_counts"])["n_counts"], dtype=float)
    values = values[np.isfinite(values)]
    share = (np.quantile(values, 0.995) - values.min()) / (values.max() - values.min())
    assert far[1] < 65_534 * share  # means of many differ less than single cells do
    assert session.settings.limits == "hold"


def test_limits_follow_what_pixels_hold_where_one_asks_and_stay_while_panning(
    page: Any, show: Any, dataset: Any
) -> None:
    show("n_counts")
    run(page, "w.model.set('limits', 'follow');")
    settled(page)
    far = limits(page)
    view = view_of(dataset, FEW / 4)
    half = (view[1] - view[0]) / 2
    assert look_at(page, view) == "cells"
    near = limits(page)
    look_at(page, [view[0] + half, view[1] + half, view[2], view[3]])
    assert limits(page) == near
    assert far[1] - far[0] < 0.9 * (near[1] - near[0])


def test_a_limit_that_was_set_wins(page: Any, show: Any) -> None:
    show("n_counts")
    settled(page)
    before = mean_color(page)
    run(page, "w.model.set('vmax', 1e9);")
    settled(page)
    lowest = np.array([68, 1, 84])  # viridis
    np.testing.assert_allclose(mean_color(page), lowest, atol=5)
    assert np.abs(before - lowest).max() > 20
