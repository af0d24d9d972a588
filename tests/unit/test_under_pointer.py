"""What lies beneath the pointer: counts and means are those of numpy over the same circle, by an index or not."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget.cells.under_pointer import MANY, CellsUnderPointer
from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.color_target import Target
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.hover import circle_of
from cxg_widget.display.settings import Settings
from cxg_widget.session.pointer import tooltip_rows
from cxg_widget.session.session import Session
from cxg_widget.spatial import SpatialIndex, index
from cxg_widget.spatial.circle import Circle, runs_of_circle
from cxg_widget.text.numbers import share
from cxg_widget.wire import protocol as p
from tests.memory import small

PLACE = {"x": 1.0, "y": 0.5, "radius_x": 2.0, "radius_y": 1.0}
RENDERS = pytest.mark.parametrize("render", ["points", "raster"])


def session(n=4000, *, render="points", **settings):
    made = Session(small(n), Settings(embedding="umap", render=render, **settings))
    if render == "raster":
        made.prepare_index()
    return made


def truth(session, x, y, radius_x, radius_y):
    """Return which cells lie in an ellipse, bool (n_obs,)."""
    xy = session.dataset.embedding("umap").astype(np.float64)
    return np.hypot((xy[:, 0] - x) / radius_x, (xy[:, 1] - y) / radius_y) <= 1


def told(session, **place):
    (frame,) = session.answer(p.Hover(**(PLACE | place)))
    return frame.message


@pytest.mark.parametrize("seed", range(8))
def test_a_circle_holds_the_points_that_numpy_says_wherever_they_are_under_an_index(seed):
    rng = np.random.default_rng(seed)
    xy = np.concatenate([rng.normal(size=(3000, 2)), np.zeros((2000, 2)), rng.normal(size=(500, 2)) * 1e-3])
    xy = (xy * (1, 1000)).astype(np.float32)
    at = xy[rng.integers(len(xy))].astype(float) + rng.normal(size=2) * (1e-3, 1)
    circle = Circle(*at, *circle_of(10.0 ** rng.uniform(-3, 1), 10.0 ** rng.uniform(0, 4)))
    expected = np.hypot(xy[:, 0].astype(float) - at[0], (xy[:, 1].astype(float) - at[1]) * circle.stretch)
    expected = np.flatnonzero(expected <= circle.radius)
    np.testing.assert_array_equal(circle.rows(xy), expected)
    index = SpatialIndex.build(xy)
    runs = runs_of_circle(index.tree, circle)
    inner, unsure = runs.only(inner=True).places(), runs.only(inner=False).places()
    assert circle.holds(index.xy[inner]).all()
    found = np.concatenate([inner, unsure[circle.holds(index.xy[unsure])]])
    np.testing.assert_array_equal(np.sort(index.rows[found]), expected)


@RENDERS
def test_of_a_crowd_are_told_its_size_and_the_largest_categories_with_their_shares(render):
    s = session(render=render, color="cell_type")
    inside, codes = truth(s, **PLACE), s.dataset.codes("cell_type")
    counts = {label: int((codes.codes[inside] == i).sum()) for i, label in enumerate([*codes.categories])}
    counts["(missing)"] = int((codes.codes[inside] < 0).sum())
    largest = sorted(counts.items(), key=lambda one: -one[1])
    found = told(s)
    assert found.n_beneath == inside.sum() > MANY
    assert found.name == f"{inside.sum():,} cells"
    assert found.fields == [[label, share(n, int(inside.sum()))] for label, n in largest if n]
    assert truth(s, **PLACE)[found.row]


@RENDERS
@pytest.mark.parametrize("color", ["CD3E", "n_counts", "DENSE"])
def test_of_a_crowd_in_numbers_is_told_the_mean_and_of_a_gene_how_many_have_it(render, color):
    s = session(render=render, color=color)
    inside = truth(s, **PLACE)
    values = s.dataset.numbers(color) if color == "n_counts" else s.dataset.values(color)
    values, n = values[inside].astype(np.float64), int(inside.sum())
    valued = values[np.isfinite(values)]
    found = dict(told(s).fields)
    shown = float(found.pop(f"mean of {color}").replace(",", "").removeprefix("≈ "))
    assert shown == pytest.approx(valued.mean(), rel=2e-3, abs=1e-3)
    expected = {} if color == "n_counts" else {"above 0": share(int((valued > 0).sum()), len(valued))}
    if len(valued) < n:
        expected["(missing)"] = share(n - len(valued), n)
    assert found == expected


def crowded(color, **settings):
    """Return 9,000 cells, of which 6,000 lie at one place and one in a hundred of these a hair beside it."""
    dataset = small(9000)
    xy = dataset._xy["umap"]
    at = np.random.default_rng(1).permutation(9000)[:6000]
    xy[at] = 0.25
    xy[at[::100]] = np.nextafter(np.float32(0.25), np.float32(1))
    made = Session(dataset, Settings(embedding="umap", render="raster", color=color, **settings))
    made.prepare_index()
    return made


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("radius", [1e38, 1e200, 1.7e308])
def test_a_circle_of_any_radius_holds_all_cells_that_have_a_place(radius):
    found = told(Session(small(1000)), x=0.0, y=0.0, radius_x=radius, radius_y=radius)
    assert found.n_beneath == 1000


@pytest.mark.parametrize("radius", [1e-12, 1e-7, 0.02, 0.3])
@pytest.mark.parametrize("color", ["cell_type", "CD3E", "DENSE", "n_counts", None])
def test_of_thousands_at_one_place_the_same_is_told_as_of_each_by_itself(color, radius, monkeypatch):
    monkeypatch.setattr(index, "_CROWD", 16)
    s = crowded(color)
    assert len(s.held.indexed().index.crowds)
    place = {"x": 0.25, "y": 0.25 + radius * 0.99, "radius_x": radius, "radius_y": radius}
    found = told(s, **place)
    monkeypatch.setattr(index, "_CROWD", 10**9)
    alone = crowded(color)
    assert not len(alone.held.indexed().index.crowds)
    assert told(alone, **place) == found
    assert found.n_beneath == truth(s, **place).sum() > 5000


def test_the_nearest_cell_of_a_crowd_is_one_that_is_not_hidden_and_passes(monkeypatch):
    monkeypatch.setattr(index, "_CROWD", 16)
    rule = {"obs": "n_genes", "range": [1000, None]}
    s = crowded("cell_type", hidden=("T cell",), filters=(rule,))
    place = {"x": 0.25, "y": 0.25, "radius_x": 1e-9, "radius_y": 1e-9}
    row = told(s, **place).row
    is_shown = (s.dataset.codes("cell_type").codes != 0) & (s.dataset.numbers("n_genes") >= 1000)
    assert truth(s, **place)[row]
    assert is_shown[row]
    hidden = {"color": "cell_type", "hidden": ("T cell", "B cell")}
    only = Session(s.dataset, Settings(embedding="umap", render="raster", **hidden))
    only.prepare_index()
    labels = s.dataset.codes("cell_type")
    assert labels.categories[labels.codes[told(only, **place).row]] not in ("T cell", "B cell")


def test_a_mean_that_few_large_numbers_make_coarse_is_told_as_one_that_is_about_so():
    dataset = small(4000)
    values = dataset._x[:, 0]
    values[:] = 1
    values[17] = 1e8
    s = Session(dataset, Settings(embedding="umap", render="raster", color="var:CD3E"))
    s.prepare_index()
    assert not truth(s, **PLACE)[17]
    assert dict(told(s).fields)["mean of CD3E"].startswith("≈ ")


@RENDERS
def test_hidden_categories_and_cells_that_do_not_pass_are_not_counted(render):
    rule = {"obs": "n_genes", "range": [1000, None]}
    s = session(render=render, color="cell_type", hidden=("T cell",), filters=(rule,))
    codes = s.dataset.codes("cell_type").codes
    found = told(s, radius_x=12.0, radius_y=12.0)
    counted = truth(s, 1.0, 0.5, 12.0, 12.0) & (codes != 0) & (s.dataset.numbers("n_genes") >= 1000)
    assert found.n_beneath == counted.sum()
    assert "T cell" not in dict(found.fields)


@RENDERS
def test_a_few_cells_are_no_crowd_and_one_of_them_is_named(render):
    s = session(render=render, color="cell_type")
    row = 17
    x, y = map(float, s.dataset.embedding("umap")[row])
    found = told(s, x=x, y=y, radius_x=1e-4, radius_y=1e-4)
    assert (found.n_beneath, found.row, found.name) == (0, row, f"cell {row}")


@RENDERS
def test_without_a_color_cells_are_counted(render):
    s = session(render=render)
    found = told(s)
    assert (found.n_beneath, found.fields) == (truth(s, **PLACE).sum(), [])


def test_many_categories_are_told_as_the_four_largest_and_how_many_more_there_are():
    codes = Codes(np.repeat(np.arange(7), [1, 2, 3, 4, 5, 6, 7]).astype(np.int8), (*"abcdef", ""))
    coloring = Coloring.of(Target("obs", "x"), codes, 28)
    counted = {"(empty)": 7, "f": 6, "e": 5, "d": 4, "3 more": 6}
    expected = [[label, share(n, 28)] for label, n in counted.items()]
    assert tooltip_rows(CellsUnderPointer.of_rows(np.arange(28), coloring, ()), coloring) == expected


def test_a_mean_of_no_numbers_is_missing():
    of = CellsUnderPointer.of_numbers(np.full(40, np.nan))
    for one in (of, of + of):
        assert np.isnan(one.mean)
        assert one.n_missing == one.n
