"""Laws of contours of sets and of the difference of two: NumPy and SciPy give the same from the same histogram."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.path import Path
from scipy import ndimage

from cxg_widget import CxgWidget, errors
from cxg_widget.color.paper import PAPERS
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import small
from tests.stills import still

T, B = {"obs": "cell_type", "in": ["T cell"]}, {"obs": "cell_type", "in": ["B cell"]}
SETS = ({"name": "t", "rule": T}, {"name": "rest", "rule": {"not": T}})
FEW = {"obs": "n_genes", "range": [None, 1500]}


@pytest.fixture(scope="module")
def dataset():
    return small(20_000)


def asked(session, message):
    (frame,) = session.answer(message)
    return frame.message, frame.arrays


def session_of(dataset, render="points", **settings):
    session = Session(dataset, Settings(embedding="umap", render=render, sets=SETS, **settings))
    session.settings = session.settings  # as a widget does, so that the sets are known
    if render == "raster":
        session.held.indexed()
    return session


@pytest.mark.parametrize("render", ["points", "raster"])
@pytest.mark.parametrize("filters", [(), (FEW,)])
def test_the_difference_is_log2_of_both_smoothed_shares_and_unknown_where_fewer_than_ten_cells_lie_near(
    dataset, render, filters
):
    message, arrays = asked(session_of(dataset, render), p.AskDifference(["t", "rest"], list(filters)))
    xy, obs = dataset.embedding("umap"), dataset.obs(["cell_type", "n_genes"])
    passing = obs["n_genes"].to_numpy() <= (1500 if filters else 10**6)
    is_t = (obs["cell_type"] == "T cell").to_numpy()
    x0, x1, y0, y1 = message.extent
    masks = (is_t & passing, ~is_t & passing)
    planes = [np.histogram2d(*xy[mask].T[::-1], bins=message.shape, range=((y0, y1), (x0, x1)))[0] for mask in masks]
    counts = [int(plane.sum()) for plane in planes]
    assert message.counts == counts
    wider = 3 / 256 * 2 ** (np.clip(round(4 * np.log2(10_000 / min(counts)) / 6), 0, 4) / 4) * max(message.shape)
    first, second = (ndimage.gaussian_filter(plane, wider, mode="constant") for plane in planes)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log2((first / counts[0]) / (second / counts[1]))
    known = 4 * np.pi * wider**2 * (first + second) >= 10
    codes = arrays["codes"].reshape(message.shape)
    assert message.least == 10
    assert (codes != 255).mean() > 0.05
    np.testing.assert_array_equal(codes != 255, known)
    wanted = np.clip(ratio[known], -message.limit, message.limit)
    np.testing.assert_allclose(codes[known], 127 + 127 * wanted / message.limit, atol=0.51)
    finite = np.abs(ratio[known & np.isfinite(ratio)])
    assert message.limit == np.clip(np.ceil(2 * np.quantile(finite, 0.98)) / 2, 1, 6)


@pytest.mark.parametrize(
    ("name", "colormap", "paper"), [("colors", "RdBu_r", "white"), ("dark_colors", "berlin", "dark")]
)
def test_the_colors_of_the_difference_are_a_diverging_map_whose_middle_is_nearest_to_the_page(
    dataset, name, colormap, paper
):
    if colormap not in mpl.colormaps:
        pytest.skip(f"Matplotlib has {colormap} from 3.10 on")
    _, arrays = asked(session_of(dataset), p.AskDifference(["t", "rest"]))
    colors = arrays[name].astype(int)
    wanted = mpl.colormaps[colormap](np.linspace(0, 1, 255))[:, :3] * 255
    np.testing.assert_allclose(colors, wanted, atol=4)
    assert (colors[254, 0] > colors[254, 2], colors[0, 0] < colors[0, 2]) == (True, True)
    away = np.abs(colors - PAPERS[paper].ground).max(axis=1)
    assert abs(int(away.argmin()) - 127) <= 8
    assert (away[127] < 16, away[0] > 100, away[254] > 100) == (True, True, True)


@pytest.mark.parametrize("render", ["points", "raster"])
def test_contours_of_sets_enclose_their_share_of_the_cells_of_each(dataset, render):
    message, arrays = asked(session_of(dataset, render), p.AskContours("", [FEW], ["t", "rest"]))
    assert (message.sets, message.labels, message.codes) == (["t", "rest"], ["t", "rest"], [-1, -1])
    assert len(set(message.colors)) == 2
    obs, xy = dataset.obs(["cell_type", "n_genes"]), dataset.embedding("umap")
    passing, is_t = obs["n_genes"].to_numpy() <= 1500, (obs["cell_type"] == "T cell").to_numpy()
    x0, x1, y0, y1 = message.extent
    corners = np.array([x0, y0]) + arrays["xy"] / 65_534 * np.array([x1 - x0, y1 - y0])
    each = iter(np.split(corners, np.cumsum(arrays["lengths"])[:-1]))
    told = []
    for which, share, n in zip(message.categories, message.shares, message.n_rings, strict=True):
        own = xy[passing & (is_t if which == 0 else ~is_t)]
        inside = np.logical_xor.reduce([Path(next(each)).contains_points(own) for _ in range(n)])
        assert inside.mean() == pytest.approx(share, abs=0.03)
        told.append((which, share))
    assert told == [(0, 0.5), (0, 0.9), (1, 0.5), (1, 0.9)]


def test_sets_without_cells_that_pass_have_no_contours_and_no_difference(dataset):
    nobody = {"obs": "n_genes", "range": [10**8, None]}
    message, arrays = asked(session_of(dataset), p.AskDifference(["t", "rest"], [nobody]))
    assert (message.counts, set(arrays["codes"].tolist())) == ([0, 0], {255})
    assert asked(session_of(dataset), p.AskContours("", [nobody], ["t"]))[0].n_rings == []


def test_contours_and_difference_follow_their_sets_and_are_steps_and_part_of_the_state(dataset):
    w = CxgWidget(dataset)
    w.sets.add("a", {"cell_type": "T cell"})
    w.sets["b"] = ~w.sets["a"]
    w.contours, w.difference = ["a", "b"], ("a", "b")
    assert (w.state["contours"], w.state["difference"]) == (["a", "b"], ["a", "b"])
    assert CxgWidget(dataset, **w.state).difference == ["a", "b"]
    w.sets.rename("a", "c")
    assert (w.contours, w.difference) == (["c", "b"], ["c", "b"])
    del w.sets["b"]
    assert (w.contours, w.difference) == (["c"], None)
    w.undo()
    assert (w.contours, w.difference) == (["c", "b"], ["c", "b"])
    for _ in range(2):
        w.undo()
    assert (w.contours, w.difference) == (["a", "b"], None)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("difference", ["a"], "difference must be the names of two different sets, or None; found ['a']"),
        ("difference", ["a", "a"], "difference must be the names of two different sets, or None; found ['a', 'a']"),
        ("difference", ["a", "lost"], "no set 'lost'; this widget has 'a'."),
        ("contours", ["a", "lost"], "no set 'lost'; this widget has 'a'."),
        ("contours", ["a", 3], "contours must be a list of names of sets, or None; found ['a', 3]"),
        ("contours", [*"abcdefghi"], "contours run around at most 8 sets; found 9"),
    ],
)
def test_what_is_no_set_is_told_in_one_sentence_and_what_was_stays(dataset, name, value, said):
    w = CxgWidget(dataset)
    w.sets.add("a", {"cell_type": "T cell"})
    w.contours = ["a"]
    with pytest.raises(errors.CxgWidgetError) as caught:
        setattr(w, name, value)
    assert said in str(caught.value)
    assert (w.contours, w.difference) == (["a"], None)


@pytest.mark.parametrize("paper", ["white", "dark", "transparent"])
def test_the_kernel_draws_the_map_where_it_is_known_and_its_legend_covers_nothing(dataset, paper):
    view, size = (-6.0, 12.0, -6.0, 12.0), (540, 540)
    drawn = [
        still(session_of(dataset, **more), view, size, paper=PAPERS[paper])[0]
        for more in ({"difference": ("t", "rest")}, {"difference": ("t", "rest"), "legend": False})
    ]
    np.testing.assert_array_equal(*drawn)
    height = drawn[0].shape[0]
    message, arrays = asked(session_of(dataset), p.AskDifference(["t", "rest"]))
    codes = arrays["codes"].reshape(message.shape)
    x0, x1, y0, y1 = message.extent
    width = drawn[1].shape[1]
    unit = (view[3] - view[2]) / height
    left = (view[0] + view[1]) / 2 - width / 2 * unit
    seen, colors = [], arrays["dark_colors" if paper == "dark" else "colors"]
    for line, column in zip(*np.nonzero(ndimage.binary_erosion(codes < 255, iterations=3)), strict=True):
        x = x0 + (column + 0.5) / codes.shape[1] * (x1 - x0)
        y = y0 + (line + 0.5) / codes.shape[0] * (y1 - y0)
        pixel = drawn[1][int((view[3] - y) / unit), int((x - left) / unit), :3]
        seen.append(np.abs(pixel.astype(int) - colors[codes[line, column]]).max())
    assert len(seen) > 1000
    assert np.quantile(seen, 0.95) < 24
