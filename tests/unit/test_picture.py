"""A picture drawn in the kernel looks as the front-end draws it."""

import json
from pathlib import Path

import pytest

from cxg_widget.cells.image import spread_of
from cxg_widget.draw.picture import point_diameter

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
