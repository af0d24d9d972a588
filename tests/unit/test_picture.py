"""A picture drawn in the kernel looks as the front-end draws it."""

import itertools
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import CenteredNorm, LogNorm, Normalize, TwoSlopeNorm

from cxg_widget.cells.image import spread_of
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import NumberColoring
from cxg_widget.display.settings import Settings
from cxg_widget.draw.points.by_numpy import Points, draw
from cxg_widget.draw.points.crowding import point_diameter
from cxg_widget.draw.points.dots import Dots, Sight, draw_dots
from cxg_widget.draw.points.inks import N_CODES, Inks, inks_of
from cxg_widget.session.session import Session
from cxg_widget.wire.encoding import describe
from cxg_widget.wire.level_choice import levels_for
from tests.memory import small
from tests.stills import still

SIZES = json.loads((Path(__file__).parent.parent / "point_sizes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("is_layered", [False, True])
@pytest.mark.parametrize("opacity", [1.0, 0.2])
def test_points_are_mixed_in_their_order_but_none_over_a_higher_one(opacity, is_layered):
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 6, (2, 300)) + 0.5
    rgba = np.full((300, 4), 255, np.uint8)
    rgba[:, :3] = rng.integers(0, 256, (300, 3))
    height = rng.integers(3, 6, 300).astype(np.uint32)
    share = np.floor(opacity * 256 + 0.5) / 256
    expected, level = np.zeros((6, 6, 4)), np.zeros((6, 6))
    for i in range(300):
        at = int(y[i]), int(x[i])
        if not is_layered or height[i] >= level[at]:
            expected[at] += share * (rgba[i] - expected[at])
            level[at] = height[i]
    page = np.zeros((6, 6, 4), np.uint8)
    draw(Points(x, y, rgba, height, np.array(1.0)), (is_layered, opacity), page)
    alpha = expected[..., 3:]
    assert np.abs(page[..., 3:] - alpha).max() <= 0.51
    assert np.abs(page[..., :3] - expected[..., :3] * 255 / alpha).max() <= 0.51


@pytest.mark.parametrize("is_layered", [False, True])
@pytest.mark.parametrize("opacity", [1.0, 0.3])
@pytest.mark.parametrize("diameter", [1.0, 1.3, 2.4, 4.2, 7.0])
def test_a_picture_drawn_soon_is_that_of_a_figure_but_for_the_rounding_of_layers(diameter, opacity, is_layered):
    rng, n = np.random.default_rng(1), 4_000
    rgba = np.full((2 * N_CODES + 1, 4), 255, np.uint8)
    rgba[:, :3], rgba[7, 3] = rng.integers(0, 256, (2 * N_CODES + 1, 3)), 0
    inks = Inks(rgba, rng.integers(3, 9, 2 * N_CODES + 1).astype(np.uint32), is_layered)
    xy = np.clip(rng.normal(32_000, 9_000, (n, 2)), 0, 65_534).astype(np.uint16)
    xy[:3] = 65_535
    codes, flags = rng.integers(0, 50, n).astype(np.uint16), rng.integers(0, 4, n).astype(np.uint8)
    how = Dots(xy, (0, 1, 0, 1), codes, flags), inks, Sight((0.1, 0.9, 0.1, 0.9), (0, 1, 0, 1), (160, 120), 1.0)
    soon, later = (draw_dots(*how, diameter, opacity, soon=one).astype(float) for one in (True, False))
    np.testing.assert_allclose(soon[..., 3], later[..., 3], atol=2)
    np.testing.assert_allclose(soon[..., :3] * soon[..., 3:] / 255, later[..., :3] * later[..., 3:] / 255, atol=3)
    if opacity == 1 and diameter <= 3:
        np.testing.assert_array_equal(soon, later)


def test_a_first_picture_waits_for_no_loop_to_compile():
    code = (
        "import sys\n"
        "from cxg_widget.display.settings import Settings\n"
        "from cxg_widget.session.session import Session\n"
        "from cxg_widget.widget.static_picture import static_picture\n"
        "from tests.memory import small\n"
        "session = Session(small(300), Settings(embedding='umap', color='cell_type'))\n"
        "assert static_picture(session, 200, 'x')\n"
        "assert 'cxg_widget.draw.points.by_numpy' in sys.modules\n"
        "assert 'cxg_widget.draw.points.discs' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


@pytest.mark.parametrize("color", ["cell_type", "n_counts", None])
@pytest.mark.parametrize("max_points", [100, 2_000_000])
def test_a_view_without_cells_and_filters_that_none_passes_leave_an_empty_picture(color, max_points):
    how = {"embedding": "umap", "color": color, "max_points": max_points}
    far = still(Session(small(1000), Settings(**how)), (100.0, 101.0, 100.0, 101.0))[0]
    none = still(Session(small(1000), Settings(**how, filters=({"obs": "n_genes", "range": [9e9, None]},))))[0]
    assert (far == 255).all()
    assert (none == 255).all()


def test_a_picture_has_points_as_wide_as_the_settings_say():
    def covered(**settings):
        one = Session(small(300), Settings(embedding="umap", color="n_counts", **settings))
        image = still(one, None, (300, 200), paper=PAPERS["white"])[0]
        return (image[..., :3] != 255).any(axis=-1).sum()

    assert covered(point_size=2.0) < covered() < covered(point_size=20.0)


@pytest.mark.parametrize("color", ["cell_type", None, "n_counts"])
def test_the_picture_of_a_crowd_is_as_pale_as_its_page_where_it_shows_categories(color):
    one = Session(small(20_000), Settings(embedding="umap", color=color))
    paper, size = replace(PAPERS["white"], is_clear=True), (300, 200)
    page = still(one, None, size, paper=paper)[0]
    alpha = page[..., 3] / 255
    if color == "n_counts":
        assert set(np.unique(alpha)) == {0.0, 1.0}
    else:
        assert 0.15 < alpha[alpha > 0].min() < 0.5
        assert alpha.max() > 0.9
    given = Session(small(20_000), Settings(embedding="umap", color=color, opacity=1.0))
    assert set(np.unique(still(given, None, size, paper=paper)[0][..., 3])) == {0, 255}


@pytest.mark.parametrize("case", SIZES["automatic"], ids=lambda case: f"{case['n']} at zoom {case['zoom']}")
def test_sizes_are_those_the_front_end_draws_with(case):
    found = point_diameter(case["n"], (case["width"], case["height"]), case["zoom"])
    assert found == pytest.approx(case["size"], abs=1e-5)


@pytest.mark.parametrize("case", SIZES["crowded"], ids=lambda case: f"{case['n']} in {case['width']}")
def test_crowded_cells_of_an_image_are_as_large_as_the_front_end_draws_them_close_by(case):
    found = spread_of(case["n"], (case["width"], case["height"]), 1_000)
    assert found == min(round(case["size"]), 16)
    assert spread_of(case["n"], (case["width"], case["height"]), 1) == 1


def inks_for(coloring, settings, paper):
    how = {"limits": None, "is_ranked": True, "is_selecting": False, "draws_all": False}
    return inks_of(coloring, settings, [], paper, **how)


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_have_the_colors_that_matplotlib_gives_them_and_zeros_a_pale_grey(dark):
    values = np.array([0, 0.5, 1, 10, 100, np.nan, -1])
    paper = PAPERS["dark" if dark else "white"]

    def drawn(norm, **rule):
        settings = Settings(cmap=["#000000", "#ff8000"], **rule)
        data = describe(Vector(values), values.size)
        data = replace(data, coded=levels_for(data.measures, settings.color_rule))
        coloring = NumberColoring(Target("var", "A"), data)
        found = inks_for(coloring, settings, paper).rgba[coloring.wire(), :3]
        shades = np.asarray(norm(values).filled(np.nan))[:, None] * (255, 128, 0)
        grey = values <= 0 if settings.scale == "log" else (values == 0) & (settings.zero == "grey")
        expected = np.where(grey[:, None], paper.zero, shades)
        expected[5] = paper.missing
        assert np.abs(found - expected).max() <= 1.01

    drawn(Normalize(-1, 100, clip=True))
    drawn(Normalize(-1, 100, clip=True), zero="grey")
    drawn(LogNorm(0.5, 100, clip=False), scale="log")
    drawn(CenteredNorm(1, 99), center=1.0)
    drawn(TwoSlopeNorm(1, -1, 100), center=1.0, vmin=-1.0, vmax=100.0)


def test_grey_zeros_lie_above_missing_values_and_beneath_all_others():
    values, settings = np.array([np.nan, 0.0, -3.0, 2.0]), Settings(zero="grey")
    coloring = NumberColoring(Target("var", "A"), describe(Vector(values), 4))
    inks, codes = inks_for(coloring, settings, PAPERS["white"]), coloring.wire().astype(np.uint16)
    sight = Sight((-1, 1, -1, 1), (-1, 1, -1, 1), (1, 1), 1.0)
    for order in itertools.permutations(range(4)):
        for kept, top in [((0, 1), 1), ((0, 1, 2), 2), ((1, 2, 3), 3)]:
            some = [i for i in order if i in kept]
            dots = Dots(
                np.full((len(some), 2), 32_000, np.uint16),
                (-1, 1, -1, 1),
                codes[some],
                np.ones(3, np.uint8)[: len(some)],
            )
            found = draw_dots(dots, inks, sight, 1.0, 1.0, soon=True)[0, 0]
            np.testing.assert_array_equal(found, inks.rgba[codes[top]])
