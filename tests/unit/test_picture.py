"""A picture drawn in the kernel looks as the front-end draws it."""

import json
from pathlib import Path

import pytest

from cxg_widget.picture import point_diameter

CASES = json.loads((Path(__file__).parent.parent / "point_sizes.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['n']} at zoom {case['zoom']}")
def test_sizes_are_those_the_front_end_draws_with(case):
    found = point_diameter(case["n"], (case["width"], case["height"]), case["zoom"])
    assert found == pytest.approx(case["size"], abs=1e-5)
