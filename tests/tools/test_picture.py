"""The judge of screenshots: a scatterplot passes, and what a broken widget leaves behind does not."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from tools.picture import Picture, judge

COLORS = np.array([(217, 97, 46), (59, 125, 221), (46, 139, 87), (122, 81, 149), (227, 181, 5), (179, 63, 98)])


def judge_pixels(rgb: np.ndarray) -> Picture:
    png = io.BytesIO()
    Image.fromarray(rgb.astype(np.uint8)).save(png, "png")
    return judge(png.getvalue())


def blank(gray: int) -> np.ndarray:
    return np.full((300, 400, 3), gray)


@pytest.mark.parametrize("gray", [255, 17])
def test_points_of_many_colors_are_a_scatterplot(gray: int) -> None:
    rgb, rng = blank(gray), np.random.default_rng(0)
    rgb[rng.integers(0, 300, 9_000), rng.integers(0, 400, 9_000)] = COLORS[rng.integers(0, len(COLORS), 9_000)]
    picture = judge_pixels(rgb)
    assert picture.is_scatterplot
    assert picture.drawn == pytest.approx(picture.colored)


@pytest.mark.parametrize("gray", [255, 0, 128])
def test_an_empty_canvas_is_none(gray: int) -> None:
    assert judge_pixels(blank(gray)) == Picture(drawn=0, colored=0, n_colors=0)


def test_grey_points_alone_are_none() -> None:
    rgb = blank(255)
    rgb[100:200, 100:200] = 120
    assert not judge_pixels(rgb).is_scatterplot


def test_a_canvas_of_one_color_is_none() -> None:
    rgb = blank(255)
    rgb[:] = COLORS[0]
    assert not judge_pixels(rgb).is_scatterplot


def test_a_line_of_colored_text_is_none() -> None:
    rgb = blank(255)
    rgb[10:16, 10:60] = COLORS[0]
    assert not judge_pixels(rgb).is_scatterplot
