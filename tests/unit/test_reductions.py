"""Laws of reductions: blocks of rows merge into what datashader makes of all rows at once."""

import pickle
from functools import reduce
from itertools import pairwise
from operator import add

import datashader as ds
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from datashader import reductions as rd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cxg_widget.draw.aggregate.reductions import NAMES, columns_of, reduction_of, sums_of, together
from cxg_widget.errors import InvalidValue
from tests.examples import MORE

pytestmark = pytest.mark.slow
PLAIN = pytest.mark.usefixtures("plain_datashader")
OF_ANY_ROWS = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

VIEW, SIZE = (-1.0, 2.0, -0.5, 1.5), (7, 5)
LABELS = ("T cell", "B cell", "<img>")
BY_CATEGORIES = ("count", "mean", "std", "last")
IN_ONE_PASS = rd.summary(
    count=rd.count("v"), any=rd.any(), sum=rd.sum("i"), by=rd.by("c", rd.count()), count_cat=rd.count_cat("c"),
    by_count=rd.by("c", rd.count("v")), by_mean=rd.by("c", rd.mean("v")), by_std=rd.by("c", rd.std("v")),
    by_last=rd.by("c", rd.last("v")), by_max=rd.by("c", rd.max("w")), n=rd.count("w"), spread=rd.std("w"),
    modulo=rd.by(rd.category_modulo("i", 4, offset=1), rd.mean("v")),
    bins=rd.by(rd.category_binning("v", -1, 1, 3, include_under=False), rd.count()),
)  # fmt: skip
"""What datashader compiles once for all of them; what it looks up, and lists of values, it does one by one."""
OBJECTS = {
    "all in one pass": IN_ONE_PASS,
    "by, max_n": rd.by("c", rd.max_n("v", 2)),
    "by, where": rd.by("c", rd.where(rd.max("v"), "w")),
    "lists": rd.summary(a=rd.max_n("v", 3), b=rd.min_n("v", 3), c=rd.first_n("v", 3), d=rd.last_n("v", 3)),
    "where max": rd.where(rd.max("v"), "w"),
    "where min": rd.where(rd.min("i"), "v"),
    "where last": rd.where(rd.last("v"), "w"),
    "where max_n": rd.where(rd.max_n("i", 3), "v"),
    "where last_n": rd.where(rd.last_n("v", 2), "i"),
    "rows of min_n": rd.where(rd.min_n("i", 2)),
    "rows of first": rd.where(rd.first("v")),
}


def named(names, by=None):
    """Reductions by their names, taken apart; and as objects of datashader, which compiles each summary once."""
    objects = {name: getattr(rd, name)("v") for name in names}
    plan = together(**{name: reduction_of(name, "v", by=by) for name in names})
    return plan, rd.summary(**{name: one if by is None else rd.by(by, one) for name, one in objects.items()})


def points(n, *, seed=0, has_all_categories=True):
    """Points on and off a lattice that holds the edges of pixels, NaN, ties and integers among their values."""
    rng = np.random.default_rng(seed)
    xy = rng.normal(0.5, 0.8, (n, 2)).astype(np.float32)
    on_edges = rng.random(n) < 0.4
    lattice = np.column_stack([rng.integers(0, 29, n) / 28 * 3 - 1, rng.integers(0, 21, n) / 20 * 2 - 0.5])
    xy[on_edges] = lattice[on_edges]
    xy[rng.random(n) < 0.05, 0] = np.nan
    v = rng.normal(size=n).round(1).astype(np.float32)
    v[rng.random(n) < 0.2] = np.nan
    codes = rng.integers(0 if has_all_categories else -1, 3, n)
    return pd.DataFrame(
        {
            "x": xy[:, 0],
            "y": xy[:, 1],
            "v": v,
            "w": np.where(rng.random(n) < 0.1, np.nan, rng.exponential(1000, n)),
            "i": rng.integers(-5, 6, n),
            "c": pd.Categorical.from_codes(codes, LABELS),
        }
    )


def of_datashader(frame, reduction, view=VIEW, size=SIZE):
    canvas = ds.Canvas(*size, x_range=view[:2], y_range=view[2:])
    return canvas.points(frame, "x", "y", reduction)


def in_blocks(frame, cuts, plan, view=VIEW, size=SIZE):
    ends = [0, *sorted(cuts), len(frame)]
    blocks = [frame.iloc[start:stop] for start, stop in pairwise(ends)]
    return reduce(add, (sums_of(block, view, size, plan) for block in blocks)).finished()


def assert_same(found, expected):
    """Kept values and counts are the very same; what is added in another order differs in the last digits."""
    assert type(found) is type(expected)
    xr.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    assert found.attrs == expected.attrs
    both = [(found, expected)] if isinstance(found, xr.DataArray) else [(found[k], expected[k]) for k in expected]
    for one, other in both:
        assert one.dims == other.dims
        assert one.dtype == other.dtype
        assert one.attrs == other.attrs
        for name in other.coords:
            assert one.coords[name].dtype == other.coords[name].dtype


@PLAIN
@settings(OF_ANY_ROWS, max_examples=6 * MORE)
@given(st.integers(0, 10_000), st.sampled_from([0, 1, 2, 500]), st.lists(st.floats(0, 1), max_size=5))
def test_blocks_of_any_cut_merge_into_what_datashader_makes_of_all_rows(seed, n, cuts):
    frame, (plan, expected) = points(n, seed=seed), named(NAMES)
    assert_same(in_blocks(frame, [int(cut * n) for cut in cuts], plan), of_datashader(frame, expected))


@PLAIN
@pytest.mark.parametrize("name", OBJECTS)
@settings(OF_ANY_ROWS, max_examples=3 * MORE)
@given(st.integers(0, 10_000), st.sampled_from([0, 1, 100]), st.lists(st.floats(0, 1), max_size=4))
def test_so_do_those_of_every_object_of_datashader(name, seed, n, cuts):
    frame = points(n, seed=seed)
    found = in_blocks(frame, [int(cut * n) for cut in cuts], reduction_of(OBJECTS[name]))
    assert_same(found, of_datashader(frame, OBJECTS[name]))


@PLAIN
@pytest.mark.parametrize("name", ["names", "max_n", "where"])
def test_values_and_places_that_repeat_in_many_blocks_are_kept_in_the_order_of_rows(name):
    n = 30
    frame = pd.DataFrame({"x": np.full(n, 0.5, np.float32), "y": np.full(n, 0.5, np.float32)})
    frame["v"], frame["w"] = np.array([np.nan, 2, 2, 1, 1, 3] * 5, np.float32), np.arange(n, dtype=float)
    objects = {"max_n": rd.max_n("v", 7), "where": rd.where(rd.max_n("v", 15), "w")}
    plan, what = named(NAMES) if name == "names" else (reduction_of(objects[name]), objects[name])
    assert_same(in_blocks(frame, range(1, n), plan), of_datashader(frame, what))


@PLAIN
def test_each_of_a_summary_is_what_it_is_alone():
    """datashader 0.19 looks up what the reduction before a lookup selects, which may be another one than it names."""
    frame = points(500)
    asked = {
        "above": rd.max("v"), "below": rd.min("w"), "there": rd.where(rd.max("v"), "w"), "row": rd.where(rd.max("v")),
        "two": rd.max_n("v", 2), "std": rd.std("v"), "each": rd.by("c", rd.count()),
    }  # fmt: skip
    found = in_blocks(frame, [200], reduction_of(rd.summary(**asked)))
    looked_up = {name for name, what in asked.items() if isinstance(what, rd.where)}
    expected = {name: of_datashader(frame, asked[name]) for name in looked_up}
    expected |= of_datashader(frame, rd.summary(**{name: asked[name] for name in asked.keys() - looked_up})).data_vars
    for name in asked:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12, atol=1e-12)


def test_count_by_itself_counts_points_with_and_without_a_value():
    frame = points(200)
    assert_same(in_blocks(frame, [50, 50], reduction_of("count")), of_datashader(frame, rd.count()))


@PLAIN
def test_names_by_categories_have_a_plane_for_each():
    frame, (plan, expected) = points(400), named(BY_CATEGORIES, by="c")
    found = in_blocks(frame, [1, 200], plan)
    assert_same(found, of_datashader(frame, expected))
    assert found.coords["c"].to_numpy().tolist() == list(LABELS)


@PLAIN
def test_points_without_a_category_count_in_none():
    frame = points(500, has_all_categories=False)
    assert frame["c"].isna().any()
    by = {"n": rd.by("c", rd.count()), "mean": rd.by("c", rd.mean("v")), "max": rd.by("c", rd.max("w"))}
    found = in_blocks(frame, [100, 300], reduction_of(rd.summary(**by, all=rd.count())))
    known = of_datashader(frame.dropna(subset="c"), rd.summary(**by))
    assert_same(found[list(by)], known)
    assert_same(found["all"].assign_attrs(found.attrs), of_datashader(frame, rd.count()))


@PLAIN
def test_categories_may_be_many_or_numbers_or_none():
    n, rng = 2000, np.random.default_rng(3)
    frame = points(n)
    for labels in (range(130), [True, False], [0.5, 1.5, 2.5], ["one"]):
        frame["c"] = pd.Categorical.from_codes(rng.integers(0, len(labels), n), list(labels))
        assert_same(in_blocks(frame, [900], reduction_of("count", by="c")), of_datashader(frame, rd.count_cat("c")))


@PLAIN
def test_no_point_in_view_leaves_planes_empty():
    found = in_blocks(points(50), [20], named(NAMES)[0], (90.0, 91.0, 0.0, 1.0))
    for name in NAMES:
        assert not found[name].any() if name == "count" else found[name].isnull().all()


def test_a_view_of_one_pixel_holds_all_points_on_its_edges():
    corners = pd.DataFrame({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, dtype=np.float32)
    found = in_blocks(corners, [1, 2, 3], reduction_of("count"), (0.0, 1.0, 0.0, 1.0), (1, 1))
    assert found.to_numpy().tolist() == [[4]]


@PLAIN
def test_rows_are_those_of_the_index_of_the_frame():
    frame = points(100)
    odd = frame[frame.index % 2 == 1]
    found = in_blocks(odd, [10, 30], reduction_of(rd.where(rd.max("w"))))
    best = of_datashader(odd, rd.max("w")).to_numpy()
    rows = found.to_numpy()
    assert (rows[~np.isnan(best)] % 2 == 1).all()
    np.testing.assert_array_equal(frame["w"].to_numpy()[rows[rows >= 0]], best[~np.isnan(best)])
    assert ((rows == -1) == np.isnan(best)).all()


@PLAIN
@pytest.mark.parametrize("n_blocks", [1, 20])
def test_a_large_mean_costs_no_digits(n_blocks):
    n = 2_000
    values = 1e6 + np.random.default_rng(1).normal(size=n)
    frame = pd.DataFrame({"x": np.zeros(n, np.float32), "y": np.zeros(n, np.float32), "v": values})
    cuts = np.linspace(0, n, n_blocks + 1).astype(int)[1:-1]
    found = in_blocks(frame, cuts, named(NAMES)[0], (0.0, 1.0, 0.0, 1.0), (1, 1))
    for name in ("std", "var", "mean"):
        np.testing.assert_allclose(found[name].item(), getattr(np, name)(values), rtol=1e-9)


@PLAIN
@pytest.mark.parametrize("cuts", [[], [1], [2], [1, 2, 3]], ids=str)
def test_infinity_is_a_value(cuts):
    n, (plan, what) = 4, named(NAMES)
    frame = pd.DataFrame({"x": [0.5] * n, "y": [0.5] * n, "v": [1.0, np.inf, np.nan, 2.0]}, dtype=np.float32)
    found = in_blocks(frame, cuts, plan, (0.0, 1.0, 0.0, 1.0), (1, 1))
    expected = of_datashader(frame, what, (0.0, 1.0, 0.0, 1.0), (1, 1))
    for name in NAMES:
        np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


@PLAIN
@pytest.mark.filterwarnings("error")
def test_infinity_of_both_signs_has_no_mean_and_no_warning():
    values = np.array([1, np.inf, -np.inf, 2, 1e308, 1e308])
    frame = pd.DataFrame({"x": [0.5] * 6, "y": [0.5] * 6, "v": values}).astype({"x": np.float32, "y": np.float32})
    found = in_blocks(frame, [1, 2, 3, 5], named(NAMES)[0], (0.0, 1.0, 0.0, 1.0), (1, 1))
    assert all(np.isnan(found[name].item()) for name in ("mean", "std", "var"))
    wanted = {"count": 6, "min": -np.inf, "max": np.inf, "first": 1, "last": 1e308}
    assert {name: found[name].item() for name in wanted} == wanted


@PLAIN
def test_large_pictures_merge_some_lines_at_a_time(monkeypatch):
    frame, (plan, what) = points(300), named(BY_CATEGORIES, by="c")
    expected = of_datashader(frame, what)
    for at_once in (1, SIZE[0] * 3 * 2, 10**9):
        monkeypatch.setattr("cxg_widget.draw.aggregate.merging._AT_ONCE", at_once)
        assert_same(in_blocks(frame, [100, 150], plan), expected)


@PLAIN
def test_what_was_added_up_is_left_as_it_was():
    frame, (plan, _) = points(200), named(NAMES)
    one, two = (sums_of(half, VIEW, SIZE, plan) for half in (frame[:100], frame[100:]))
    before = one.finished(), two.finished()
    _ = one + two
    assert_same(one.finished(), before[0])
    assert_same(two.finished(), before[1])


@PLAIN
def test_sums_travel_between_processes():
    frame, plan = points(300), reduction_of(IN_ONE_PASS)
    one, two = (pickle.loads(pickle.dumps(sums_of(half, VIEW, SIZE, plan))) for half in (frame[:100], frame[100:]))
    assert_same((one + two).finished(), of_datashader(frame, IN_ONE_PASS))


@pytest.mark.parametrize(
    ("reduction", "columns"),
    [
        (rd.count(), ()),
        (rd.mean("v"), ("v",)),
        (rd.where(rd.max("v"), "w"), ("v", "w")),
        (rd.where(rd.first("v")), ("v",)),
        (rd.by("c", rd.where(rd.max_n("v", 2), "w")), ("c", "v", "w")),
        (rd.by(rd.category_binning("v", 0, 1, 3), rd.count()), ("v",)),
        (rd.summary(a=rd.by("c", rd.count()), b=rd.std("v"), z=rd.mean("c")), ("c", "v")),
    ],
)
def test_the_columns_of_a_reduction_are_those_it_names(reduction, columns):
    assert columns_of(reduction) == columns


@pytest.mark.parametrize(
    ("what", "column", "said"),
    [
        ("median", "v", "no reduction 'median'.*'mean'"),
        ("mean", None, "name one"),
        (rd.mean("v"), "w", "names its columns itself"),
        (rd.mode("v"), None, "no reduction of points"),
        (rd.m2("v"), None, "no reduction of points"),
        (rd.by("c", rd.mode("v")), None, "no reduction of points"),
        (rd.summary(a=rd.summary(n=rd.count())), None, "no reduction of points"),
        (rd.by("n", rd.max_n("v", 3)), None, "two axes 'n'"),
        (np.mean, None, "no reduction of points"),
        (3, None, "no reduction of points"),
    ],
)
def test_what_is_no_reduction_is_refused_in_one_sentence(what, column, said):
    with pytest.raises(InvalidValue, match=said) as caught:
        reduction_of(what, column)
    assert len(str(caught.value)) < 500


def test_columns_that_do_not_fit_are_refused():
    frame = points(20)
    for what in (rd.mean("c"), rd.where(rd.max("v"), "v")):
        with pytest.raises(InvalidValue, match="datashader cannot"):
            sums_of(frame, VIEW, SIZE, reduction_of(what))
    with pytest.raises(InvalidValue, match="categories"):
        sums_of(frame, VIEW, SIZE, reduction_of(rd.by("v", rd.count())))
