"""Laws of names and contours: where they lie follows from all cells that pass the filters, and from nothing else."""

import threading

import contourpy
import numpy as np
import pytest
from scipy import ndimage

from cxg_widget import CxgWidget, errors
from cxg_widget.cells import landmarks
from cxg_widget.counts.on_grid import Grid, count_on_grid
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.display.settings import Settings
from cxg_widget.draw.overlays.density import level_around, rings, smooth
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small


def asked(session, message):
    (frame,) = session.answer(message)
    return frame.message, frame.arrays


def places(message, arrays):
    x0, x1, y0, y1 = message.extent
    return np.array([x0, y0]) + arrays["xy"] / 65_534 * np.array([x1 - x0, y1 - y0])


def rings_by_contour(message, arrays):
    """Return {(label, share): rings in data units}."""
    each = iter(np.split(places(message, arrays), np.cumsum(arrays["lengths"])[:-1]))
    return {
        (message.labels[which], share): [next(each) for _ in range(n)]
        for which, share, n in zip(message.categories, message.shares, message.n_rings, strict=True)
    }


def is_inside(lines, xy):
    """Return which points lie in an odd number of rings."""
    from matplotlib.path import Path

    return np.logical_xor.reduce([Path(ring).contains_points(xy) for ring in lines])


def width(n):
    """Return the width of the Gaussian in 256ths: 3 from 10,000 cells on, and more for fewer, at most 6."""
    return 3 * 2 ** (np.clip(round(4 * np.log2(10_000 / n) / 6), 0, 4) / 4)


def histogram(xy, extent, shape):
    x0, x1, y0, y1 = extent
    return np.histogram2d(xy[:, 1], xy[:, 0], bins=shape, range=((y0, y1), (x0, x1)))[0]


@pytest.fixture(scope="module")
def dataset():
    return small(20_000)


@pytest.mark.parametrize("render", ["points", "raster"])
@pytest.mark.parametrize("filters", [(), ({"obs": "n_genes", "range": [None, 1500]},)])
def test_a_name_stands_where_the_smoothed_histogram_of_its_passing_cells_is_highest(dataset, render, filters):
    session = Session(dataset, Settings(embedding="umap", render=render))
    if render == "raster":
        session.held.indexed()
    message, arrays = asked(session, p.AskLabels("cell_type", list(filters)))
    xy, codes = dataset.embedding("umap"), dataset.codes("cell_type")
    passing = dataset.obs(["n_genes"])["n_genes"].to_numpy() <= (1500 if filters else 10**6)
    counts = np.bincount(codes.codes[passing & (codes.codes >= 0)], minlength=3)
    order = np.argsort(-counts)
    assert message.codes == order.tolist()
    assert message.labels == [codes.categories[code] for code in order]
    assert message.counts == counts[order].tolist()
    x0, x1, y0, y1 = message.extent
    step = max(x1 - x0, y1 - y0) / 256
    shape = round((y1 - y0) / step), round((x1 - x0) / step)
    for code, found in zip(order, places(message, arrays), strict=True):
        own, len_own = histogram(xy[(codes.codes == code) & passing], message.extent, shape), counts[code]
        line, column = np.unravel_index(np.argmax(ndimage.gaussian_filter(own, width(len_own), mode="constant")), shape)
        np.testing.assert_allclose(found, [x0 + (column + 0.5) * step, y0 + (line + 0.5) * step], atol=step / 100)


def test_contours_enclose_their_share_of_the_cells_of_each_category(dataset):
    message, arrays = asked(Session(dataset), p.AskContours("cell_type"))
    xy, codes = dataset.embedding("umap"), dataset.codes("cell_type")
    found = rings_by_contour(message, arrays)
    assert set(found) == {(label, share) for label in codes.categories for share in (0.5, 0.9)}
    for (label, share), lines in found.items():
        own = xy[codes.codes == codes.categories.index(label)]
        assert is_inside(lines, own).mean() == pytest.approx(share, abs=0.02)


def test_contours_of_all_enclose_their_share_of_all_that_pass(dataset):
    rule = {"obs": "is_doublet", "in": [True]}
    message, arrays = asked(Session(dataset), p.AskContours("", [rule]))
    passing = dataset.obs(["is_doublet"])["is_doublet"].to_numpy()
    assert (message.labels, message.codes) == ([""], [-1])
    for (_, share), lines in rings_by_contour(message, arrays).items():
        assert is_inside(lines, dataset.embedding("umap")[passing]).mean() == pytest.approx(share, abs=0.03)


@pytest.mark.parametrize("seed", range(20))
def test_rings_are_the_lines_of_contourpy(seed):
    rng = np.random.default_rng(seed)
    field = np.zeros((rng.integers(4, 40), rng.integers(4, 40)))
    field[1:-1, 1:-1] = rng.random((field.shape[0] - 2, field.shape[1] - 2))
    level = rng.uniform(0.05, 0.95)
    lines = contourpy.contour_generator(z=field, name="serial").lines(level)

    def sides(lines):
        corners = [list(map(tuple, np.round(line, 9).tolist())) for line in lines]
        return {frozenset((line[at - 1], corner)) for line in corners for at, corner in enumerate(line)}

    assert sides(rings(field, level)) == sides(line[:-1] for line in lines)


@pytest.mark.parametrize("n", [1, 50, 700, 4_000, 1_000_000])
@pytest.mark.parametrize("shape", [(256, 256), (60, 256), (128, 33)])
def test_smoothing_is_that_of_scipy_and_wider_for_fewer_cells(shape, n):
    counts = np.random.default_rng(0).multinomial(n, np.full(np.prod(shape), 1 / np.prod(shape))).reshape(shape)
    wanted = ndimage.gaussian_filter(counts.astype(float), width(n) / 256 * max(shape), mode="constant")
    np.testing.assert_allclose(smooth(counts.astype(np.uint32)), wanted, atol=1e-9)


def test_the_level_around_a_share_is_that_of_the_fewest_bins_that_hold_it():
    counts = np.random.default_rng(1).poisson(2, (20, 30)).astype(np.uint32)
    density = smooth(counts)
    for share in (0.1, 0.5, 0.9, 1.0):
        level = level_around(density, counts, share)
        assert counts[density >= level].sum() >= share * counts.sum() > counts[density > level].sum()


def test_counts_of_parts_add_up_whatever_their_order(dataset):
    xy, codes = dataset.embedding("umap"), dataset.codes("cell_type").codes
    grid, slots = Grid.around((-5, 10, -5, 11), equal_units=False), np.array([1, -1, 0, -1], dtype=np.int32)
    passing = np.arange(len(xy)) % 3 > 0
    whole = count_on_grid(xy, codes, slots, grid, passing=passing)
    halves = [slice(0, 7001), slice(7001, None)]
    assert (sum(count_on_grid(xy[one], codes[one], slots, grid, passing=passing[one]) for one in halves) == whole).all()
    rows = np.random.default_rng(0).permutation(len(xy)).astype(np.uint32)
    assert (count_on_grid(xy[rows], codes, slots, grid, rows=rows, passing=passing) == whole).all()
    assert whole.sum(axis=(1, 2)).tolist() == [np.sum((codes == code) & passing) for code in (2, 0)]


def tiny(xy, codes, categories):
    obs = {"kind": Codes(np.array(codes, dtype=np.int32), tuple(categories)), "n": np.arange(len(xy))}
    return MemoryDataset(obs, np.zeros((len(xy), 1)), ["g"], {"umap": np.array(xy, dtype=np.float32).reshape(-1, 2)})


@pytest.mark.parametrize(
    "xy", [[[3, 4]], [[3, 4]] * 5, [[0, 0], [1e6, 0]], [[np.nan, 1], [1, 2]], [[-3e38, 0], [3e38, 0]]]
)
def test_whatever_the_places_every_name_stands_on_a_cell(xy):
    session = Session(tiny(xy, [0] * len(xy), ["all"]))
    message, arrays = asked(session, p.AskLabels("kind"))
    ends = np.array(message.extent).reshape(2, 2)
    finite = np.array(xy, dtype=np.float32)[np.isfinite(xy).all(axis=1)]
    off = np.abs(finite - places(message, arrays)) / (ends[:, 1] - ends[:, 0])
    assert off.max(axis=1).min() < 1 / 200
    assert len(asked(session, p.AskContours("kind"))[1]["lengths"]) >= 2


@pytest.mark.parametrize(("xy", "codes"), [([], []), ([[np.nan, 0]], [0]), ([[1, 1]], [-1])])
def test_where_no_cell_has_a_place_and_a_category_there_is_nothing(xy, codes):
    session = Session(tiny(xy, codes, ["a"]))
    assert asked(session, p.AskLabels("kind"))[1]["xy"].shape == (0, 2)
    assert asked(session, p.AskContours("kind"))[1]["lengths"].size == 0


def test_of_very_many_categories_the_largest_are_named_and_fewer_have_contours():
    n = 3000
    rng = np.random.default_rng(0)
    codes = np.concatenate([np.arange(n), np.arange(0, n, 2)])
    session = Session(tiny(rng.normal(size=(codes.size, 2)), codes, [f"c{i}" for i in range(n)]))
    message, _ = asked(session, p.AskLabels("kind"))
    assert (len(message.labels), message.n_present) == (landmarks.MOST_NAMES, n)
    assert message.codes == list(range(0, 2000, 2))
    message, _ = asked(session, p.AskContours("kind"))
    assert (len(message.labels), message.n_present) == (landmarks.MOST_CONTOURED, n)


@pytest.mark.parametrize(
    ("setting", "wrong", "sentence"),
    [
        ("labels", "n_counts", "labels must be an obs column of categories; 'n_counts' holds numbers"),
        ("labels", "cell_typ", "no obs column of categories 'cell_typ'.*Did you mean 'cell_type'"),
        ("labels", True, "no obs column of categories True"),
        ("contours", ["cell_type"], "no set 'cell_type'"),
        ("contours", "n_genes", "contours must be an obs column of categories"),
    ],
)
def test_what_is_no_column_of_categories_is_refused_and_nothing_changes(setting, wrong, sentence):
    w = CxgWidget(small(10), labels="cell_type", contours=True)
    with pytest.raises(ValueError, match=sentence) as caught:
        setattr(w, setting, wrong)
    assert isinstance(caught.value.__cause__ or caught.value, errors.CxgWidgetError | ValueError)
    assert (w.labels, w.contours) == ("cell_type", True)
    assert {"labels": "cell_type", "contours": True}.items() <= w.state.items()
    w.contours = False
    assert "contours" not in w.state
    w.close()


def test_a_damaged_column_is_refused_where_it_is_set():
    w = CxgWidget(small(10, broken=["obs/donor name"]), color=None)
    with pytest.raises(errors.DamagedStore, match="missing"):
        w.labels = "donor name"
    assert w.labels is None
    w.close()


def test_a_newer_question_ends_the_one_before(dataset, monkeypatch):
    session, found, begun = Session(dataset), [], threading.Event()

    def slow(density):
        begun.set()
        if threading.current_thread() is not threading.main_thread():
            newer.wait(10)
        return 0, 0

    newer = threading.Event()
    monkeypatch.setattr(landmarks, "densest", slow)

    def ask():
        try:
            list(session.answer(p.AskLabels("cell_type")))
        except errors.Overtaken as error:
            found.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    begun.wait(10)
    list(session.answer(p.Cancel("labels")))
    newer.set()
    thread.join(10)
    assert len(found) == 1
