"""The key of a picture: the same words in the kernel and in the browser, expected by hand in keys.json."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cxg_widget.display.settings import Settings
from cxg_widget.draw.pages.legend_words import count_passing, key_of, lines_of
from cxg_widget.draw.pages.summary import summary_of
from cxg_widget.draw.points.crowding import statistic_of
from cxg_widget.text.nouns import Noun
from cxg_widget.text.numbers import byte_size, share, short_count, short_number
from cxg_widget.wire.protocol import Color

TOLD = json.loads((Path(__file__).parent.parent / "keys.json").read_text(encoding="utf-8"))


def passing(legend, case):
    """Return the legend as it counts the cells that pass, where the case has a filter."""
    counts = case.get("passing")
    return legend if counts is None else count_passing(legend, counts["counts"], counts["n_missing"])


@pytest.mark.parametrize("case", TOLD["keys"], ids=lambda case: case["law"])
def test_the_key_says(case):
    legend = Color(
        seq=0, spec="", n_points=0, n_obs=case["n_obs"], encoding="none", is_stated=False, **{**case["color"]},
    )  # fmt: skip
    rule = {name: case[name] for name in ("vmin", "vmax", "center", "scale", "zero", "filtered") if name in case}
    settings = Settings(hidden=tuple(case["hidden"]), cmap=case["cmap"], **rule)
    quantiles = np.linspace(legend.lo, legend.hi, 1001)
    told = {"title": case["title"], "noun": Noun(*case["noun"]), "n_selected": case["n_selected"]}
    crowd = case.get("crowd", {"weight": 1, "behind": 1})
    told |= {
        "statistic": statistic_of(crowd["weight"], crowd["behind"]),
        "automatic": case.get("limits"),
        "dark": case.get("dark", False),
        "n_shown": case.get("n_shown"),
        "n_passing": case.get("passing", {}).get("n_selected"),
    }
    key = key_of(passing(legend, case), quantiles, settings, **told)
    found = {name: getattr(key, name) for name in case["key"]}
    assert json.loads(json.dumps(found)) == case["key"]
    assert lines_of(key) == case["lines"]


@pytest.mark.parametrize("case", TOLD["summaries"], ids=lambda case: case["law"])
def test_the_summary_says(case):
    color = {**case["color"], "colors": ["#000000"] * len(case["color"]["categories"])}
    legend = Color(seq=0, spec="", n_points=0, n_obs=case["n_obs"], encoding="none", is_stated=False, **color)
    names = ("embedding", "axes", "hidden", "filters", "cmap", "vmin", "vmax")
    settings = Settings(**{name: tuple(case[name]) if isinstance(case[name], list) else case[name] for name in names})
    others = {"labels": case.get("labels"), "contours": case.get("contours"), "filtered": case.get("filtered", "hide")}
    settings = replace(settings, **others)
    about = {"title": case["title"], "noun": Noun("cell", "cells"), "n_selected": case["n_selected"]}
    legend, about["n_shown"] = passing(legend, case), case.get("n_shown")
    key = key_of(legend, np.linspace(legend.lo, legend.hi, 1001), settings, **about)
    assert summary_of(key, legend, settings, case["axis_names"]).split("\n") == case["summary"]


def test_numbers_are_written_as_in_the_browser():
    assert [short_number(value) for value, _ in TOLD["numbers"]] == [text for _, text in TOLD["numbers"]]
    assert [short_count(n) for n, _ in TOLD["counts"]] == [text for _, text in TOLD["counts"]]
    assert [byte_size(n) for n, _ in TOLD["bytes"]] == [text for _, text in TOLD["bytes"]]
    assert [share(n, total) for n, total, _ in TOLD["shares"]] == [text for *_, text in TOLD["shares"]]
    assert [short_number(value) for value in (np.nan, np.inf)] == ["", ""]


def test_a_summary_of_65534_categories_of_which_all_but_one_are_hidden_does_not_hang():
    labels = [f"m{i}" for i in range(65_534)]
    legend = Color(
        seq=0, spec="obs:many", n_points=0, n_obs=65_534, encoding="codes", is_stated=False, scale="categorical",
        name="many", detail="", categories=labels, colors=["#000000"] * 65_534, counts=[1] * 65_534,
        n_missing=0, lo=0, hi=0,
    )  # fmt: skip
    settings = Settings(hidden=tuple(labels[1:]))
    key = key_of(legend, np.empty(0), settings, title="many", noun=Noun("cell", "cells"), n_selected=0)
    assert key.rows == (("m0", "1", "#000000"),)
    assert "65534 categories, 65533 hidden" in summary_of(key, legend, settings)
