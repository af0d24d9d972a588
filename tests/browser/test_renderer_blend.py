"""Two and three genes by a hue each: a cell has the color on the screen that numpy mixes, in points and in images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cxg_widget.color.blend import CORNERS, LEVELS_OF
from cxg_widget.color.paper import PAPERS
from cxg_widget.color.rgb import MISSING_DARK, MISSING_LIGHT
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.browser.engine import run, serve
from tests.memory import MemoryDataset

pytestmark = pytest.mark.browser

SIDE = 9
GENES = ["one", "other", "third"]
RNG = np.random.default_rng(7)
VALUES = np.vstack([
    RNG.uniform(-0.2, 1.2, (SIDE**2 - 9, 3)),
    [[bits & 1, bits >> 1 & 1, bits >> 2] for bits in range(8)],
    [[np.nan, 0.5, 0.5]],
]).astype(np.float32)  # fmt: skip
PASSES = RNG.random(SIDE**2) < 0.7


def mixed(k: int, dark: bool) -> Any:
    """Return the color of each cell, float (n, 3): linear between the corners along the steps of each gene."""
    levels = LEVELS_OF[k] - 1
    shares = np.floor(np.clip(VALUES[:, :k].astype(float), 0, 1) * levels + 0.5) / levels
    corners = np.array(CORNERS[k]["dark" if dark else "light"], dtype=float)
    high = (np.arange(2**k)[:, None] >> np.arange(k) & 1).astype(bool)
    weights = np.where(high, shares[:, None], 1 - shares[:, None]).prod(axis=2)
    colors = weights @ corners
    colors[np.isnan(shares).any(axis=1)] = MISSING_DARK if dark else MISSING_LIGHT
    return colors


def drawn(page: Any, k: int, dark: bool, filtered: str, render: str) -> Any:
    """Return what the middle of each cell shows, (n, 3), and the paper; cells lie on a square, each alone."""
    x, y = np.meshgrid(*[np.linspace(0, 1, SIDE)] * 2)
    xy = np.column_stack([x.ravel(), y.ravel()]).astype(np.float32)
    dataset = MemoryDataset({"passes": PASSES}, VALUES, GENES, {"square": xy}, sparse=False)
    rule = ({"obs": "passes", "in": [True]},)
    how = {"filters": rule, "filtered": filtered, "vmin": 0.0, "vmax": 1.0, "render": render}
    serve(page, Session(dataset, Settings(embedding="square", color=tuple(GENES[:k]), blend="colors", **how)))
    traits = f"{{ point_size: 8, filtered: {filtered!r} }}"
    found = run(
        page,
        f"""renew();
        const w = open_({{ dark: {str(dark).lower()}, traits: {traits}, answer: byKernel }});
        await ready(w);
        const at = (i) => place((i % {SIDE}) / {SIDE - 1});
        const up = (i) => 400 - place(Math.floor(i / {SIDE}) / {SIDE - 1});
        const isImage = w.widget.scene.image !== null;
        return [Array.from({{ length: {SIDE**2} }}, (_, i) => pixel(w, at(i), up(i))), w.background, isImage];""",
    )
    assert found[2] == (render == "raster")
    return np.array(found[0]), found[1]


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("dark", "filtered"), [(False, "hide"), (True, "grey")])
def test_a_cell_has_the_color_that_numpy_mixes_of_its_numbers(page: Any, k: int, dark: bool, filtered: str) -> None:
    expected = mixed(k, dark)
    for render in ("points", "raster"):
        found, paper = drawn(page, k, dark, filtered, render)
        left_out = PAPERS["dark" if dark else "white"].left_out if filtered == "grey" else paper
        wanted = np.where(PASSES[:, None], expected, left_out)
        assert np.abs(found - wanted).max() <= 1, render
