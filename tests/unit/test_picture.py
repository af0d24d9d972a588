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
from cxg_widget.draw.picture import Paint, paint, point_diameter
from cxg_widget.wire.encoding import describe

SIZES = json.loads((Path(__file__).parent.parent / "point_sizes.json").read_text(encoding="utf-8"))


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
