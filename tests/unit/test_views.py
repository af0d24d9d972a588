"""What a picture shows of an extent; js/test/camera.test.js holds the front-end to the same tests/views.json."""

import json
from pathlib import Path

import pytest

from cxg_widget.spatial.view import contain, fit_view

CASES = json.loads((Path(__file__).parent.parent / "views.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES)
def test_a_picture_shows_all_of_an_extent_in_its_middle_and_a_margin_around_it(case):
    how = {"y_down": case["y_down"], "equal_units": case["equal_units"]}
    assert contain(case["extent"], case["size"], **how) == pytest.approx(case["contain"], abs=1e-9)
    assert fit_view(case["extent"], case["size"], **how) == pytest.approx(case["fit"], abs=1e-9)
