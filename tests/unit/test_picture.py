"""A picture drawn in the kernel looks as the front-end draws it."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import CenteredNorm, LogNorm, Normalize, TwoSlopeNorm

from cxg_widget.cells.image import spread_of
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base.dataset import Vector
from cxg_widget.display.coloring import NumberColoring
from cxg_widget.display.settings import Settings
from cxg_widget.display.target import Target
from cxg_widget.draw.points.picture import Paint, paint, point_diameter
from cxg_widget.draw.points.stills import Ink, draw_points
from cxg_widget.session.session import Session
from cxg_widget.wire.encoding import describe
from tests.memory import small

SIZES = json.loads((Path(__file__).parent.parent / "point_sizes.json").read_text(encoding="utf-8"))


def test_pale_points_are_mixed_in_their_order_and_what_is_below_shines_through():
    rng = np.random.default_rng(2)
    xy = (rng.integers(0, 6, (300, 2)) + 0.5).astype(np.float32)
    rgb = rng.integers(0, 256, (300, 3)).astype(np.uint8)
    rank = rng.integers(0, 3, 300).astype(np.uint16)
    expected = np.full((6, 6, 3), [250.0, 240, 20])
    for i in np.argsort(rank, kind="stable"):
        line, column = 5 - int(xy[i, 1]), int(xy[i, 0])
        expected[line, column] += 0.2 * (rgb[i] - expected[line, column])
    how = {"size": (6, 6), "diameter": 1.0}
    found = draw_points(xy, Ink(rgb, rank), (0, 6, 0, 6), background=(250, 240, 20, 255), opacity=0.2, **how)
    assert np.abs(found[..., :3] - expected).max() <= 0.51
    assert (found[..., 3] == 255).all()
    clear = draw_points(xy, Ink(rgb, rank), (0, 6, 0, 6), background=(0, 0, 0, 0), opacity=0.2, **how)
    counts = np.zeros((6, 6), int)
    np.add.at(counts, (5 - xy[:, 1].astype(int), xy[:, 0].astype(int)), 1)
    assert np.abs(clear[..., 3] - 255 * (1 - 0.8**counts)).max() <= 0.51
    solid = draw_points(xy, Ink(rgb, rank), (0, 6, 0, 6), background=(0, 0, 0, 0), **how)
    assert set(np.unique(solid[..., 3])) <= {0, 255}


@pytest.mark.parametrize("color", ["cell_type", None, "n_counts"])
def test_the_picture_of_a_crowd_is_as_pale_as_its_page_where_it_shows_categories(color):
    one = Session(small(20_000), Settings(embedding="umap", color=color))
    paper, size = replace(PAPERS["white"], is_clear=True), (300, 200)
    page = one.pictures.drawn(None, size, paper=paper)[0]
    alpha = page[..., 3] / 255
    if color == "n_counts":
        assert set(np.unique(alpha)) == {0.0, 1.0}
    else:
        assert 0.15 < alpha[alpha > 0].min() < 0.5
        assert alpha.max() > 0.9
    given = Session(small(20_000), Settings(embedding="umap", color=color, opacity=1.0))
    assert set(np.unique(given.pictures.drawn(None, size, paper=paper)[0][..., 3])) == {0, 255}


@pytest.mark.parametrize("case", SIZES["automatic"], ids=lambda case: f"{case['n']} at zoom {case['zoom']}")
def test_sizes_are_those_the_front_end_draws_with(case):
    found = point_diameter(case["n"], (case["width"], case["height"]), case["zoom"])
    assert found == pytest.approx(case["size"], abs=1e-5)


@pytest.mark.parametrize("case", SIZES["crowded"], ids=lambda case: f"{case['n']} in {case['width']}")
def test_crowded_cells_of_an_image_are_as_large_as_the_front_end_draws_them_close_by(case):
    found = spread_of(case["n"], (case["width"], case["height"]), 1_000)
    assert found == min(round(case["size"]), 16)
    assert spread_of(case["n"], (case["width"], case["height"]), 1) == 1


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_have_the_colours_that_matplotlib_gives_them_and_zeros_a_pale_grey(dark):
    values = np.array([0, 0.5, 1, 10, 100, np.nan, -1])
    paper = PAPERS["dark" if dark else "white"]

    def drawn(norm, **rule):
        settings = Settings(cmap=["#000000", "#ff8000"], **rule)
        coloring = NumberColoring(Target("var", "A"), describe(Vector(values), values.size))
        xy = np.column_stack([np.arange(7) + 0.5, np.full(7, 0.5)]).astype(np.float32)
        job = Paint(xy, coloring, [], settings, None, 7, diameter=1)
        found = paint(job, (0, 7, 0, 1), (7, 1), zoom=1, paper=paper)[0, :, :3]
        shades = np.asarray(norm(values).filled(np.nan))[:, None] * (255, 128, 0)
        grey = values <= 0 if settings.scale == "log" else (values == 0) & (settings.zero == "grey")
        expected = np.where(grey[:, None], paper.zero, shades)
        expected[5] = paper.missing
        assert np.abs(found - expected).max() <= 1.01
        return found

    drawn(Normalize(-1, 100, clip=True))
    drawn(Normalize(-1, 100, clip=True), zero="grey")
    drawn(LogNorm(0.5, 100, clip=False), scale="log")
    drawn(CenteredNorm(1, 99), center=1.0)
    drawn(TwoSlopeNorm(1, -1, 100), center=1.0, vmin=-1.0, vmax=100.0)


def test_grey_zeros_lie_above_missing_values_and_beneath_all_others():
    values = np.array([np.nan, 0.0, -3.0, 2.0])
    for order in itertools.permutations(range(4)):
        for kept, top in [((0, 1), 1), ((0, 1, 2), 2), ((1, 2, 3), 3)]:
            some = values[[i for i in order if i in kept]]
            coloring = NumberColoring(Target("var", "A"), replace(describe(Vector(values), 4), vector=Vector(some)))
            job = Paint(np.zeros((len(some), 2), np.float32), coloring, [], Settings(zero="grey"), None, 4, diameter=1)
            how = {"view": (-1, 1, -1, 1), "size": (1, 1), "zoom": 1, "paper": PAPERS["white"]}
            alone = replace(job, xy=job.xy[:1], coloring=coloring.holding(values[[top]]))
            np.testing.assert_array_equal(paint(job, **how), paint(alone, **how))
