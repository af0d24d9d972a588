"""Laws of cells that share pixels; the front-end has the same, see tests/crowding.json and js/test/crowding.test.js."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cxg_widget.draw.points.crowding import (
    BEHIND,
    Crowd,
    Look,
    behind_of,
    crowding_of,
    limits_of,
    opacity_of,
    shared_codes,
    solidity_of,
    stepped,
    weight_of,
)
from cxg_widget.wire.levels import Levels

CASES = json.loads((Path(__file__).parent.parent / "crowding.json").read_text(encoding="utf-8"))
MISSING = 65_535


def crowd(n=4_000, n_cells=100_000, seed=0):
    """Two clusters of cells, the second with higher numbers, one in twenty without any."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, 2, n)
    xy = np.clip(rng.normal(20_000 + 25_000 * which[:, None], 3_000, (n, 2)), 0, 65_534).astype(np.uint16)
    codes = np.clip(rng.normal(10_000 + 20_000 * which, 5_000), 0, 65_534).astype(np.uint16)
    codes[rng.random(n) < 0.05] = MISSING
    return Crowd(xy, n_cells), codes


@pytest.mark.parametrize("case", CASES["solidity"])
def test_the_front_end_takes_as_many_cells_for_few(case):
    n, few = case["n"], case["few"]
    assert solidity_of(n, few) == pytest.approx(case["solidity"], abs=1e-9)
    assert (weight_of("auto", n, few), behind_of(n, few)) == (case["weight"], case["behind"])
    assert (weight_of("mean", n, few), weight_of("max", n, few)) == (0, 1)


@pytest.mark.parametrize("case", CASES["shared"])
def test_the_front_end_shows_the_same_numbers_between_the_same_limits(case):
    xy, codes = np.array(case["xy"], np.uint16), np.array(case["codes"], np.uint16)
    tile, law = tuple(case["tile"]), (case["weight"], case["behind"])
    assert stepped(tile) == pytest.approx(case["stepped"])
    np.testing.assert_array_equal(
        shared_codes(xy, codes, (xy, codes), stepped(tile), law[0], behind=law[1]), case["shown"]
    )
    assert limits_of(Crowd(xy, len(xy)), codes, tile, *law) == pytest.approx(case["limits"])
    found = Crowd(xy, case["nCells"]).typical(tuple(case["sides"]))
    assert found == pytest.approx(case["typical"])


@pytest.mark.parametrize("case", CASES["layers"], ids=lambda case: f"{case['nCells']} cells of {case['spot'][0]}")
def test_the_front_end_finds_as_many_cells_on_each_other(case):
    found = Crowd(np.array(case["xy"], np.uint16), case["nCells"]).layers(tuple(case["spot"]), (0, 65_534, 0, 65_534))
    assert found == pytest.approx(case["layers"])


@pytest.mark.parametrize("case", CASES["opacity"])
def test_the_front_end_draws_points_as_opaque(case):
    assert opacity_of(case["layers"]) == pytest.approx(case["opacity"])


@pytest.mark.parametrize("n", [2_000, 20_000])
def test_layers_are_the_other_cells_on_what_one_covers_and_a_part_of_them_tells_the_same(n):
    rng = np.random.default_rng(3)
    xy = rng.normal(0, 1, (n, 2))
    near = rng.choice(n, 400, replace=False)
    inside = (np.abs(xy[near, None] - xy[None]) < 0.2).all(axis=2).sum(axis=1) - 1
    codes = np.rint((xy + 8) / 16 * 65_534).astype(np.uint16)
    for some in (codes, codes[: n // 4]):
        crowd, extent = Crowd(some, n), (-8.0, 8.0, -8.0, 8.0)
        assert crowd.layers((0.4, 0.4), extent) == pytest.approx(inside.mean(), rel=0.1)
        assert crowd.layers((0.01, 0.01), extent) == pytest.approx(inside.mean() / 40**2, rel=0.15)


def test_of_two_cells_at_one_place_each_has_one_other_however_large_they_are():
    crowd = Crowd(np.array([[9, 9], [9, 9]], np.uint16), 2)
    assert [crowd.layers((side, side), (0, 65_534, 0, 65_534)) for side in (256, 5_000, 65_534)] == [1, 1, 1]


@pytest.mark.parametrize("weight", [0, 0.5, 1])
def test_a_point_shows_the_mean_the_highest_or_what_lies_between_of_those_that_share_its_tile(weight):
    some, codes = crowd()
    tile = (700.0, 900.0)
    found = shared_codes(some.xy, codes, (some.xy, codes), tile, weight)
    frame = pd.DataFrame({"x": some.xy[:, 0] // 700, "y": some.xy[:, 1] // 900, "code": codes.astype(float)})
    frame.loc[codes == MISSING, "code"] = np.nan
    groups = frame.groupby(["x", "y"])["code"]
    mean, highest = groups.transform("mean"), groups.transform("max")
    expected = (mean + weight * (highest - mean)).to_numpy()
    np.testing.assert_array_equal(found == MISSING, codes == MISSING)
    known = codes != MISSING
    np.testing.assert_allclose(found[known], expected[known], atol=0.51)


def test_a_tile_of_few_points_leans_on_one_twelve_times_as_wide_and_one_of_many_does_not():
    some, codes = crowd()
    side = 256.0
    found = shared_codes(some.xy, codes, (some.xy, codes), (side, side), 0, behind=BEHIND)
    frame = pd.DataFrame({"code": codes.astype(float)}).where(codes[:, None] != MISSING)
    places = [some.xy[:, axis] // side for axis in (0, 1)]
    tile, wide = frame.groupby(places)["code"], frame.groupby([at // 12 for at in places])["code"]
    n = np.minimum(tile.transform("count"), BEHIND)
    expected = (n * tile.transform("mean") + (BEHIND - n) * wide.transform("mean")) / BEHIND
    known = codes != MISSING
    np.testing.assert_allclose(found[known], expected[known], atol=0.51)
    assert n[known].min() < BEHIND
    assert len(set(found[known])) > 100


def test_limits_hold_while_the_view_changes_and_follow_where_they_are_asked_to():
    some, codes = crowd(n_cells=3_000_000)
    whole, rule = Look((66_000.0, 66_000.0), (600, 600), 1.0), ("auto", 400_000)
    looks = [whole, Look((6_000.0, 6_000.0), (600, 600), 3.0), Look((900.0, 900.0), (600, 600), 6.0)]
    held = {crowding_of(some, codes, look, rule, whole).limits for look in looks}
    followed = {crowding_of(some, codes, look, rule, look).limits for look in looks}
    assert held == {crowding_of(some, codes, whole, rule, whole).limits}
    assert len(followed) == 3


def test_a_point_with_none_of_the_looked_at_in_its_tile_keeps_its_own_number():
    some, codes = crowd()
    near = some.xy[:, 0] < 30_000
    found = shared_codes(some.xy, codes, (some.xy[near], codes[near]), (500.0, 500.0), 0)
    assert (found[near] != codes[near]).mean() > 0.5
    np.testing.assert_array_equal(found[~near & (some.xy[:, 0] > 31_000)], codes[~near & (some.xy[:, 0] > 31_000)])


def test_limits_hold_what_is_shown_and_leave_out_the_lone_extreme():
    some, codes = crowd()
    codes[7] = 65_000
    wide, narrow = limits_of(some, codes, (4.0, 4.0), 0), limits_of(some, codes, (3_000.0, 3_000.0), 0)
    values = codes[codes != MISSING]
    np.testing.assert_allclose(wide, np.quantile(values, [0.005, 0.995]), rtol=0.05)
    assert wide[0] < narrow[0] < 12_000
    assert 28_000 < narrow[1] < wide[1] < 65_000


def test_a_gene_of_a_few_cells_keeps_limits_and_one_value_has_none():
    some, _ = crowd()
    codes = np.zeros(4_000, np.uint16)
    codes[:8] = 30_000
    low, high = limits_of(some, codes, (4.0, 4.0), 0)
    assert (low, high) == (0, 30_000)
    assert limits_of(some, np.full(4_000, 9, np.uint16), (4.0, 4.0), 0) is None
    assert limits_of(some, np.full(4_000, MISSING, np.uint16), (4.0, 4.0), 0) is None


def test_a_view_that_holds_all_holds_as_many_cells_and_half_of_a_cluster_about_half():
    some, _ = crowd()
    assert some.typical((70_000, 70_000)) == pytest.approx(100_000)
    assert some.typical((32_000, 32_000)) == pytest.approx(50_000, rel=0.05)
    assert some.typical((10, 10)) < 1_000
    assert Crowd(np.full((5, 2), MISSING, np.uint16), 5).typical((9, 9)) == 0


def test_few_cells_show_their_own_numbers_unless_the_mean_is_asked_for():
    some, codes = crowd(n_cells=4_000)
    look = Look((66_000.0, 66_000.0), (600, 600), 5.0)
    for statistic, weight in (("auto", 1), ("max", 1), ("mean", 0)):
        few = crowding_of(some, codes, look, (statistic, 4_000), look)
        assert (few.weight, few.limits) == (weight, None)
    many = crowding_of(some, codes, look, ("auto", 400), look)
    assert many.limits[1] < codes[codes != MISSING].max()


def test_a_tile_shows_zero_only_if_all_that_is_in_it_comes_to_zero():
    xy = np.array([[0, 0], [0, 1], [0, 2], [0, 3], [900, 0], [900, 1]], np.uint16)
    codes = np.array([10, 10, 10, 11, 10, 10], np.uint16)
    tile = (100.0, 100.0)
    assert shared_codes(xy, codes, (xy, codes), tile, 0).tolist() == [10] * 6
    assert shared_codes(xy, codes, (xy, codes), tile, 0, levels=Levels(-10, 65_524)).tolist() == [11] * 4 + [10] * 2
    codes = np.array([10, 10, 10, 9, 10, 10], np.uint16)
    assert shared_codes(xy, codes, (xy, codes), tile, 0, levels=Levels(-10, 65_524)).tolist() == [9] * 4 + [10] * 2
