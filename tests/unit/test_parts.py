"""Laws of parts of the cells that are shown in turn: the answers of an index of their own, in fewer bytes."""

from dataclasses import replace

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.cells.indexed import PartOfCells
from cxg_widget.datasets.base.dataset import Codes, Vector
from cxg_widget.display.settings import Settings
from cxg_widget.draw.aggregate.image_columns import arrange_mask
from cxg_widget.session.session import Session
from cxg_widget.session.streams.view_request import shown_of
from cxg_widget.spatial.circle import Circle
from tests.memory import MemoryDataset, small

N_OBS = 60_000
SIZE = (90, 70)


def parted(color, **settings):
    """Return the holder of a session with parts, all its cells, a mask, and what is shown of it."""
    session = Session(small(N_OBS), Settings(embedding="umap", color=color, render="raster", **settings))
    looks = [{"id": i + 1, "within": {"obs": "donor name", "in": [f"d{i}"]}} for i in range(4)]
    session.check.panels(replace(session.settings, panels=tuple(looks)))
    held = session.loader.of(session.settings)
    mask = np.array([one == 1 for one in session.dataset.codes("donor name").codes])
    return held, held.indexed(), mask


@pytest.mark.parametrize(
    ("color", "above", "spread"),
    [
        (color, above, (1, 5)[(a + b) % 2])
        for a, color in enumerate((None, "cell_type", "n_counts", "CD3E", "DENSE"))
        for b, above in enumerate(("nothing", "selected", "highlighted"))
    ],
)
def test_a_part_is_drawn_and_counted_as_under_an_index_of_its_own(color, above, spread):
    held, everything, mask = parted(color, hidden=("B cell",) if color == "cell_type" else ())
    rng = np.random.default_rng(2)
    selected = rng.random(N_OBS) < 0.3 if above == "selected" else np.zeros(N_OBS, bool)
    shown = replace(shown_of(held, selected), weight=0.5, highlighted=0 if above == "highlighted" else -1)
    part, own = everything.only(mask), everything.kept(mask)
    assert isinstance(part, PartOfCells)
    x0, x1, y0, y1 = everything.index.extent
    for view in [(x0, x1, y0, y1), (x0 + 1, x1 - 2, y1 - 0.5, y0 + 1), (0.0, 0.0, y0, y1), (x1 + 1, x1 + 2, y0, y1)]:
        xy = np.array(held.coordinates(np.flatnonzero(mask)), dtype=np.float64)
        (left, right), (low, high) = sorted(view[:2]), sorted(view[2:])
        inside = (xy[:, 0] >= left) & (xy[:, 0] <= right) & (xy[:, 1] >= low) & (xy[:, 1] <= high)
        assert part.count(view) == np.count_nonzero(inside)
        if left == right:
            continue
        found, expected = part.image(shown, view, SIZE, spread), own.image(shown, view, SIZE, spread)
        np.testing.assert_array_equal(found.totals, expected.totals)
        for plane, wanted in [(found.missing, expected.missing), (found.peak, expected.peak)]:
            assert (plane is None) == (wanted is None)
            if plane is not None:
                np.testing.assert_array_equal(plane, wanted)
    near = (x0 + 1, x0 + 3, y0 + 1, y0 + 3)
    np.testing.assert_array_equal(part.cells(near, shown).xy, own.cells(near, shown).xy)


@pytest.mark.parametrize("color", [None, "cell_type", "n_counts", "CD3E"])
def test_what_lies_beneath_the_pointer_is_of_the_part_alone(color):
    held, everything, mask = parted(color)
    shown = replace(shown_of(held, np.zeros(N_OBS, bool)), passing=mask)
    circle = Circle(0.0, 0.0, 1.5)
    found = everything.under_pointer(circle, shown)
    xy = held.coordinates(np.arange(N_OBS)).astype(np.float64)
    rows = np.flatnonzero(mask & (np.hypot(xy[:, 0], xy[:, 1]) <= 1.5))
    assert found.n == rows.size > 100
    if color == "cell_type":
        codes = held.dataset.codes("cell_type").codes[rows]
        assert found.counts.tolist() == [np.count_nonzero(codes == one) for one in [*range(found.counts.size - 1), -1]]


def test_the_nearest_cell_is_one_of_the_part():
    held, everything, mask = parted("cell_type", hidden=("B cell",))
    shown = replace(shown_of(held, np.zeros(N_OBS, bool)), passing=mask)
    xy = held.coordinates(np.arange(N_OBS)).astype(np.float64)
    codes, labels = held.dataset.codes("cell_type").codes, held.coloring().labels
    rows = np.flatnonzero(mask & (codes != labels.index("B cell")) & np.isfinite(xy).all(axis=1))
    for x, y in [(0.0, 0.0), (1.3, -0.7), (-2.0, 1.0)]:
        found = everything.nearest(x, y, 5.0, shown)
        distance = np.hypot(xy[rows, 0] - x, xy[rows, 1] - y)
        assert found is not None
        assert np.hypot(found[1] - x, found[2] - y) == pytest.approx(distance.min())
        assert found[0] in rows[distance <= distance.min() * (1 + 1e-9)]


def test_no_index_is_built_again_while_parts_take_turns(monkeypatch):
    held, everything, mask = parted("cell_type")
    monkeypatch.setattr(type(everything.index), "kept", lambda *_: pytest.fail("an index was built"))
    monkeypatch.setattr("cxg_widget.draw.aggregate.image_columns.arrange_mask", counting := _Counting())
    shown = shown_of(held, np.zeros(N_OBS, bool))
    masks = [mask, ~mask, np.roll(mask, 1)]
    for _ in range(3):
        for one in masks:
            everything.only(one).image(shown, everything.index.extent, SIZE, 1)
    assert counting.n == len(masks)


class _Counting:
    def __init__(self):
        self.n, self._arrange = 0, arrange_mask

    def __call__(self, *given):
        self.n += 1
        return self._arrange(*given)


# What a panel costs.


def measured(density, n_obs=N_OBS):
    rng = np.random.default_rng(0)
    x = np.zeros((n_obs, 1), dtype=np.float32)
    x[rng.random(n_obs) < density] = 1.5
    obs = {
        "many": Codes(rng.integers(0, 1101, n_obs).astype(np.int32), tuple(f"c{i}" for i in range(1101))),
        "few": Codes(rng.integers(0, 5, n_obs).astype(np.int8), tuple("abcde")),
        "whole": rng.integers(0, 100_000, n_obs),
        "float64": rng.random(n_obs),
    }
    xy = {"umap": rng.normal(size=(n_obs, 2)).astype(np.float32)}
    return MemoryDataset(obs, x, ["G"], xy)


@pytest.mark.parametrize("density", [0.0, 0.1, 0.33, 0.49, 0.5, 0.75, 1.0])
def test_a_gene_takes_at_most_four_bytes_a_cell_however_many_have_it(density):
    data = measured(density)
    coloring = Session(data, Settings(embedding="umap", color="G")).coloring()
    assert coloring.nbytes <= 4 * N_OBS
    vector = data.vector("G")
    held = coloring.numbers.vector
    np.testing.assert_array_equal(held.dense(N_OBS), vector.dense(N_OBS))
    rows = np.random.default_rng(1).permutation(N_OBS)[:1000]
    np.testing.assert_array_equal(held.take(rows).dense(1000), vector.dense(N_OBS)[rows])


@pytest.mark.parametrize("color", ["many", "few", "whole", ["G", "G"]])
def test_a_column_takes_at_most_four_bytes_a_cell(color):
    coloring = Session(measured(0.6), Settings(embedding="umap", color=color)).coloring()
    n_labels = sum(60 + len(one) for one in coloring.labels)
    assert coloring.nbytes <= 4 * N_OBS + n_labels


def test_numbers_of_double_precision_are_those_of_the_store_not_a_copy():
    data = measured(0.1)
    coloring = Session(data, Settings(embedding="umap", color="float64")).coloring()
    assert np.shares_memory(coloring.numbers.vector.values, data.numbers("float64"))


def test_six_panels_hold_four_bytes_a_cell_each_at_most():
    data = small(N_OBS)
    widget = CxgWidget(data, embedding="umap", color="cell_type", render="raster")
    loader = widget._session.loader
    widget.grid(["cell_type", "CD3E", "MS4A1", "DENSE", ["CD3E", "DENSE"], "n_genes"])
    held = {id(one): one.nbytes for one in loader.memo._made["coloring"].values()}
    assert len(held) == 6
    assert max(held.values()) <= 4 * N_OBS
    widget.close()


@pytest.mark.parametrize("fill", [0.0, 2.5])
def test_a_vector_that_is_held_is_the_same_vector(fill):
    rng = np.random.default_rng(3)
    for k in (0, 10, 499, 500, 1000):
        rows = rng.permutation(1000)[:k].astype(np.int64)
        vector = Vector(rng.random(k).astype(np.float32), rows, fill)
        held = vector.held(1000)
        assert held.nbytes <= 4 * 1000
        np.testing.assert_array_equal(held.dense(1000), vector.dense(1000))
        assert [held.value_at(i) for i in range(0, 1000, 37)] == [vector.value_at(i) for i in range(0, 1000, 37)]
        np.testing.assert_array_equal(held.block(100, 900).dense(800), vector.dense(1000)[100:900])
