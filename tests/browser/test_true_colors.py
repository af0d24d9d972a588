"""Every cell has the color of its number, whatever lies beyond the limits: as points, image, picture and page."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.color.colormaps import COLORMAPS
from cxg_widget.color.rgb import ramp
from tests.browser.served_widget import ServedWidget
from tests.browser.test_html_file import open_file
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

COLUMNS, LINES = 10, 8
N = COLUMNS * LINES
VALUES = {
    "one of 1e4": (np.append(np.linspace(0, 1, N - 1), 1e4), {"vmin": 0.0, "vmax": 1.0}),
    "one of 1e6": (np.append(np.linspace(0, 1, N - 1), 1e6), {"vmin": 0.0, "vmax": 1.0}),
    "9 decades": (10 ** np.linspace(-4, 5, N), {"scale": "log"}),
}
CASES = list(VALUES)


def cells() -> MemoryDataset:
    """Cells on a grid, far from each other, with a column for each case."""
    x, y = np.arange(N) % COLUMNS, np.arange(N) // COLUMNS
    xy = np.column_stack([x, y]).astype(np.float32)
    values = {case: of_case for case, (of_case, _) in VALUES.items()}
    return MemoryDataset(values, np.zeros((N, 1), np.float32), ["G"], {"umap": xy})


def expected(case: str) -> NDArray[np.float64]:
    """Where each cell is on the colormap, 0 to 1."""
    values, rule = VALUES[case]
    values = np.log(values) if "scale" in rule else np.clip(values, rule["vmin"], rule["vmax"])
    return np.asarray((values - values.min()) / np.ptp(values))


def check(picture: NDArray[np.uint8], view: list[float], case: str) -> None:
    """Compare the pixel in the middle of each cell with its color, which may be the next one of 256."""
    height, width = picture.shape[:2]
    x0, x1, y0, y1 = view
    at_x = (np.arange(N) % COLUMNS - x0) / (x1 - x0) * width
    at_y = height - (np.arange(N) // COLUMNS - y0) / (y1 - y0) * height
    found = picture[at_y.astype(int), at_x.astype(int), :3].astype(int)
    table = ramp(COLORMAPS["viridis"]).astype(int)
    place = np.argmin(np.abs(found[:, None] - table).sum(axis=2), axis=1)
    assert np.abs(found - table[place]).max() <= 2
    assert np.abs(place - 255 * expected(case)).max() <= 2


def shown(page: Any) -> tuple[NDArray[np.uint8], list[float]]:
    page.wait_for_timeout(400)
    canvas = page.locator("canvas.cxg-plot").first
    url, view = canvas.evaluate(
        "(canvas) => [canvas.toDataURL(), canvas.getRootNode().querySelector('[data-cxg-view]')?.dataset.cxgView"
        " ?? canvas.getRootNode().host.closest('[data-cxg-view]').dataset.cxgView]"
    )
    picture = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGBA"))
    return picture, json.loads(view)


@pytest.fixture(scope="module", params=["gpu", "cpu"])
def served(request: pytest.FixtureRequest, chromium: Any) -> Iterator[ServedWidget]:
    script = f"globalThis.__CXG_DRAWN_BY__ = {request.param!r}"
    one = ServedWidget(chromium, CxgWidget(cells(), point_size=14), width=900, height=640, init_script=script)
    yield one
    one.close()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("render", ["points", "raster"])
def test_cells_have_their_colors(served: ServedWidget, render: str, case: str) -> None:
    served.widget.state = {"color": case, "render": render, "point_size": 14, **VALUES[case][1]}
    served.tell()
    check(*shown(served.page), case)


@pytest.mark.parametrize("case", CASES)
def test_cells_of_a_page_in_a_file_have_their_colors(chromium: Any, tmp_path: Path, case: str) -> None:
    widget = CxgWidget(cells(), color=case, point_size=14, **VALUES[case][1])
    widget.save(tmp_path / "a.html")
    widget.close()
    page = open_file(chromium, tmp_path / "a.html")
    check(*shown(page), case)
    page.context.close()


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("render", ["points", "raster"])
def test_cells_of_a_saved_picture_have_their_colors(tmp_path: Path, render: str, case: str) -> None:
    rule = VALUES[case][1]
    widget = CxgWidget(cells(), color=case, render=render, point_size=14, legend=False, **rule)
    widget.save(tmp_path / "a.png")
    widget.close()
    with Image.open(tmp_path / "a.png") as picture:
        colors = picture.convert("RGB").getcolors(picture.width * picture.height)
    found = np.array([color for _, color in colors], dtype=int)
    table = ramp(COLORMAPS["viridis"]).astype(int)
    there = [place for place in range(256) if np.abs(found - table[place]).sum(axis=1).min() <= 2]
    assert max(np.abs(np.array(there) - 255 * one).min() for one in expected(case)) <= 2


def test_a_limit_under_the_hand_asks_for_finer_codes_only_where_they_are_needed(chromium: Any) -> None:
    widget = CxgWidget(cells(), color="one of 1e6", vmin=0.0, vmax=1.0, point_size=14)
    served = ServedWidget(chromium, widget, width=900, height=640)
    kinds = lambda: [kind for kind, *_ in served.said if kind in ("values", "color")]  # noqa: E731
    try:
        served.said.clear()
        for vmax in (0.9, 0.5, 0.2, 0.1):
            widget.vmax = vmax
        served.tell()
        assert kinds() == []
        widget.vmax = 1e-5
        served.tell()
        assert kinds() == ["color", "values"]
    finally:
        served.close()
