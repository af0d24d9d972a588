"""Pictures that are saved say what their colors mean: those downloaded and those kept; the engine alone."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from cxg_widget.color.colormaps import COLORMAPS
from tests.browser.engine import run

pytestmark = pytest.mark.browser


@pytest.fixture
def drawn_by() -> str:
    """Who draws the points has no say in what is written beside them."""
    return "cpu"


COLORS = ["#d55e00", "#0072b2", "#009e73"]
TITLE_PX = 40
DATASET = {
    "kind": "dataset", "title": "PBMC atlas", "n_obs": 4, "n_var": 1, "obs_noun": ["cell", "cells"],
    "var_noun": ["gene", "genes"], "set_noun": [], "embeddings": [], "columns": [], "colormaps": [], "notes": [],
}  # fmt: skip
OPEN = """hasten();
    const w = open_(OPTIONS);
    w.model.say(DATASET);
    COLORING;
    sendPoints(w.model, { xy: [[0.1, 0.1], [0.9, 0.9], [0.5, 0.5], [0.2, 0.8]] });
    await ready(w);
    """
CATEGORIES = f"sendColor(w.model, {{ scale: 'categorical', codes: Uint8Array.of(0, 1, 2, 255), colors: {COLORS} }})"
MANY = """sendColor(w.model, { scale: "categorical", codes: Uint8Array.of(0, 1, 2, 3),
    colors: Array.from({ length: 100 }, (_, i) => `#4010${(100 + i).toString(16)}`) })"""
NUMBERS = "sendColor(w.model, { scale: 'continuous', codes: Uint16Array.of(0, 65534, 30000, 65535), lo: 0, hi: 4 })"
NONE = "sendColor(w.model, { scale: 'none', n: 4 })"
HOWS = {
    "downloaded": """const bytes = new Uint8Array(await (await w.plot.png(1)).arrayBuffer());
        const png = btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join(""));""",
    "kept in the notebook": """while (!w.model.saved.at(-1)?._snapshot?.png) await sleep(20);
        const { png } = w.model.saved.at(-1)._snapshot;""",
}


def opened(coloring: str, *, dark: bool = False, size: tuple[int, int] = (400, 400), **traits: Any) -> str:
    """Return the statements that show four cells."""
    options = {"dark": dark, "width": size[0], "height": size[1], "traits": {"legend": True, **traits}}
    filled = {"OPTIONS": json.dumps(options), "DATASET": json.dumps(DATASET), "COLORING": coloring}
    body = OPEN
    for name, text in filled.items():
        body = body.replace(name, text, 1)
    return body


def saved(page: Any, coloring: str, how: str = "downloaded", **options: Any) -> NDArray[np.uint8]:
    """Return the picture of four cells as RGBA (height, width, 4); options as for `opened`."""
    encoded = run(page, opened(coloring, **options) + HOWS[how] + "w.close(); return png;")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(encoded))).convert("RGBA"))


def rgb(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def count(image: NDArray[np.uint8], color: list[int]) -> int:
    return int((image[..., :3] == color).all(axis=2).sum())


def inked(image: NDArray[np.uint8]) -> int:
    """Count the pixels that are not as the corner is."""
    return int((image != image[0, 0]).any(axis=2).sum())


@pytest.mark.parametrize("drawn_by", ["gpu", "cpu"])
@pytest.mark.parametrize("how", HOWS)
def test_each_category_has_its_color_beside_the_picture_and_the_title_is_above(page: Any, how: str) -> None:
    image = saved(page, CATEGORIES, how)
    beside = image[:, 400:]
    for color in COLORS:
        assert count(beside, rgb(color)) == 10 * 10
    assert count(beside, [205, 205, 205]) == 10 * 10  # the missing ones
    assert image.shape[0] == 400 + TITLE_PX
    assert inked(image[:TITLE_PX, :400]) > 300
    assert inked(image[TITLE_PX:, :400]) > 4 * 20


@pytest.mark.parametrize("how", HOWS)
def test_numbers_have_a_bar_in_the_colors_of_the_map(page: Any, how: str) -> None:
    image = saved(page, NUMBERS, how, cmap="Reds", vmax=3)
    stops = np.array([rgb(color) for color in COLORMAPS["Reds"]])
    beside = image[:, 400:, :3].astype(int)
    near = np.abs(beside[:, :, None] - stops[[0, -1]]).max(axis=3) <= 2
    rows, ends = np.flatnonzero(near[:, :, 0].any(axis=1)), [np.flatnonzero(near[:, :, i].any(axis=0)) for i in (0, 1)]
    assert rows.size == 12
    left, right = ends[0].min(), ends[1].max()
    assert right - left >= 130
    at = np.linspace(0, 1, right - left + 1)
    wanted = np.stack([np.interp(at, np.linspace(0, 1, len(stops)), channel) for channel in stops.T], axis=1)
    assert np.abs(beside[rows[5], left : right + 1] - wanted).max() <= 6
    below = image[rows.max() + 3 : rows.max() + 18, 400:]
    assert inked(below[:, : below.shape[1] // 3]) > 5  # the lower limit
    assert inked(below[:, -70:]) > 5


def test_without_a_coloring_there_is_a_title_alone(page: Any) -> None:
    image = saved(page, NONE)
    assert image.shape[:2] == (400 + TITLE_PX, 400)
    assert inked(image[:TITLE_PX]) > 300


@pytest.mark.parametrize("how", HOWS)
def test_the_key_is_left_out_on_request(page: Any, how: str) -> None:
    assert saved(page, CATEGORIES, how, legend=False).shape[:2] == (400, 400)


BACKGROUNDS = {"white": [255, 255, 255, 255], "dark": [17, 17, 17, 255], "transparent": None, None: None}
PAPERS = [("downloaded", dark, background) for dark in (False, True) for background in BACKGROUNDS]


@pytest.mark.parametrize("drawn_by", ["gpu", "cpu"])
@pytest.mark.parametrize(
    "papers",
    [PAPERS, [("kept in the notebook", False, "dark"), ("kept in the notebook", True, None)]],
    ids=HOWS,
)
def test_the_background_is_the_one_asked_for_or_that_of_the_page(
    page: Any, papers: list[tuple[str, bool, str | None]]
) -> None:
    for how, dark, background in papers:
        image = saved(page, CATEGORIES, how, dark=dark, background=background)
        corners = image[[0, 0, -1, -1], [0, -1, 0, -1]]
        if background == "transparent":
            assert corners[:, 3].tolist() == [0] * 4
        else:
            assert corners.tolist() == [BACKGROUNDS[background or ("dark" if dark else "white")]] * 4
        is_dark = background == "dark" or (background != "white" and dark)
        words = image[:TITLE_PX, :200]
        seen = words[words[..., 3] > 200][:, :3].astype(int)
        assert (seen > 200).any() if is_dark else (seen < 60).any()
        missing = [72, 72, 72] if is_dark else [205, 205, 205]
        assert count(image[:, 400:], missing) >= 10 * 10  # as points of that theme have it
        assert count(image[TITLE_PX:, :400], missing) > 20


def test_what_does_not_fit_is_counted_and_nothing_is_cut(page: Any) -> None:
    low = saved(page, MANY, size=(400, 200))
    wide = saved(page, MANY, size=(600, 200))
    n_rows = [
        sum(count(image[:, size:], [64, 16, 100 + i]) == 100 for i in range(60))
        for image, size in ((low, 400), (wide, 600))
    ]
    assert n_rows[0] in range(6, 10)
    assert n_rows[1] > 1.8 * n_rows[0]  # in two columns
    for image, size in ((low, 400), (wide, 600)):
        key = image[TITLE_PX:, size:]
        edge = np.concatenate([key[-8:].reshape(-1, 4), key[:, -8:].reshape(-1, 4)])
        assert (edge == key[-1, -1]).all()


def test_the_words_of_the_key_go_with_the_picture_that_is_kept(page: Any) -> None:
    key, width, height = run(
        page,
        opened(CATEGORIES, hidden=["category 1"])
        + """sendSelection(w.model, [1, 0, 0, 1]);
        const kept = () => w.model.saved.at(-1)?._snapshot;
        while (!kept()?.key?.[1].includes("selected")) await sleep(20);
        return [kept().key, kept().width, kept().height];""",
    )
    size = "2 of 4 cells selected · 50\u00a0%, 3 shown"
    assert key == ["PBMC atlas", size, "a", "category 0: 1", "category 2: 1", "(missing): 1"]
    assert width > 500
    assert height == 400 + TITLE_PX


def test_a_very_small_plot_hands_over_no_picture(page: Any) -> None:
    small, width = run(
        page,
        "hasten();"
        + opened(CATEGORIES, size=(60, 400))
        + """await sleep(5_500);
        const kept = () => w.model.saved.filter(({ _snapshot }) => _snapshot);
        const small = kept().length;
        w.host.style.width = "400px";
        while (kept().length === 0) await sleep(20);
        return [small, kept()[0]._snapshot.width];""",
    )
    assert small == 0
    assert width > 500
