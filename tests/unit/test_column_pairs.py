"""Two columns as an embedding: coordinates, lassos, rules, images and state, as numpy has them of the same columns."""

from __future__ import annotations

import json
from contextlib import closing

import numpy as np
import pytest
from matplotlib.path import Path

from cxg_widget import CxgWidget
from cxg_widget.display.settings import Settings
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from cxg_widget.wire.levels import Levels
from tests.memory import MemoryDataset, small

GENES = ("var:CD3E", "var:MS4A1")
MIXED = ("obs:n_counts", "var:CD3E")
TRIANGLE = [(-1.0, -1.0), (3.0, -1.0), (-1.0, 4.0)]


def values(dataset, spec):
    """Return a column as numpy has it: what the dataset was made of."""
    name = spec.removeprefix("log1p:").partition(":")[2]
    found = dataset._obs[name] if "obs:" in spec else dataset._x[:, list(dataset._genes).index(name)]
    return np.log1p(found.astype(np.float64)) if spec.startswith("log1p:") else found


def expected(dataset, pair):
    return np.column_stack([values(dataset, spec).astype(np.float32) for spec in pair[:2]])


@pytest.fixture
def w():
    widget = CxgWidget(small(1000), embedding=("CD3E", "MS4A1"), color="cell_type")
    yield widget
    widget.close()


@pytest.mark.parametrize(
    "pair", [GENES, MIXED, ("log1p:obs:n_counts", "var:DENSE"), ("obs:n_genes", "obs:n_genes")], ids="+".join
)
@pytest.mark.parametrize("sparse", [True, False])
def test_the_coordinates_are_the_values_of_both_columns_whole_and_in_blocks(pair, sparse):
    dataset = small(1000, sparse=sparse)
    np.testing.assert_array_equal(dataset.embedding(pair), expected(dataset, pair))
    np.testing.assert_array_equal(dataset.embedding(pair, (1, 0)), expected(dataset, pair)[:, ::-1])
    np.testing.assert_array_equal(dataset.embedding_block(pair, (0, 1), 300, 700), expected(dataset, pair)[300:700])


def test_names_are_found_as_colors_are_and_come_back_in_full():
    dataset = small(50)
    assert dataset.find_embedding(["n_counts", "CD3E"]) == MIXED
    assert dataset.find_embedding(("log1p:n_counts", "var:CD3E")) == ("log1p:obs:n_counts", "var:CD3E")
    assert dataset.axis_labels(("log1p:n_counts", "CD3E")) == ("log1p(n_counts)", "CD3E")
    assert dataset.axis_names(("n_counts", "CD3E"), (1, 0)) == ("CD3E", "n_counts")
    assert dataset.describe_embedding(("n_counts", "CD3E")) == "n_counts × CD3E"


def test_a_column_and_a_gene_of_one_name_are_two_places():
    obs = {"CD3E": np.arange(5.0), "log1p:x": np.arange(5.0) * 2}
    dataset = MemoryDataset(obs, np.eye(5, 2, dtype=np.float32), ["CD3E", "MS4A1"], {})
    one, other = ("obs:CD3E", "MS4A1"), ("var:CD3E", "MS4A1")
    assert dataset.describe_embedding(one) != dataset.describe_embedding(other)
    np.testing.assert_array_equal(dataset.embedding(one)[:, 0], np.arange(5))
    np.testing.assert_array_equal(dataset.embedding(other)[:, 0], np.eye(5)[:, 0])
    assert dataset.find_embedding(("CD3E", "log1p:x")) == ("obs:CD3E", "obs:log1p:x")  # a column's own name comes first


@pytest.mark.parametrize(
    ("pair", "error", "said"),
    [
        (("n_counts", "cell_type"), InvalidValue, "is categorical; an axis needs an obs column of numbers or a gene"),
        (("n_counts", "is_doublet"), InvalidValue, "'is_doublet' is boolean"),
        (("n_counts", "CD3F"), UnknownName, "no obs column of numbers or gene 'CD3F'.*Did you mean 'CD3E'"),
        (("n_counts", "obs:n_count"), UnknownName, "'n_count'.*Did you mean 'n_counts'"),
        (("CD3E", "MS4A1", "raw"), UnknownName, "no layer 'raw'"),
        (("n_counts",), InvalidValue, "two obs columns or genes.*found .'n_counts',"),
        (("n_counts", 3), InvalidValue, "found"),
        ([], InvalidValue, "found"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_pair_is_told_in_a_sentence_and_changes_nothing(w, pair, error, said):
    with pytest.raises(error, match=said):
        w.embedding = pair
    assert w.embedding == list(GENES)


def test_a_dataset_without_embeddings_is_drawn_by_two_columns():
    dataset = small(100)
    bare = MemoryDataset(dataset._obs, dataset._x, dataset._genes, {})
    with closing(CxgWidget(bare, embedding=("n_genes", "CD3E"))) as w:
        assert next(iter(w._session.streams.points())).message.n_missing == 0


def test_points_tell_their_place_what_lies_nowhere_and_how_many_lie_at_zero():
    dataset = small(1000)
    truth = expected(dataset, MIXED)
    frame = next(iter(Session(dataset, Settings(embedding=MIXED)).streams.points()))
    message, xy = frame.message, frame.arrays["xy"]
    assert (message.embedding, message.axis_labels) == ("n_counts × CD3E", ["n_counts", "CD3E"])
    assert not message.equal_units
    assert message.n_missing == np.isnan(truth).any(axis=1).sum() > 0
    assert message.n_at_zero == [0, 0, np.count_nonzero((truth[:, 1] == 0) & np.isfinite(truth[:, 0]))]
    drawn = xy[(xy != 65535).all(axis=1)]
    x0, x1, y0, y1 = message.extent
    places = np.column_stack([Levels(x0, x1).decode(drawn[:, 0]), Levels(y0, y1).decode(drawn[:, 1])])
    kept = truth[np.isfinite(truth).all(axis=1)]
    np.testing.assert_allclose(np.sort(places, axis=0), np.sort(kept, axis=0), atol=(x1 - x0) / 65534)


@pytest.mark.parametrize("render", ["points", "raster"])
def test_ties_at_zero_are_counted_of_all_cells(render):
    dataset = small(1000)
    zeros = expected(dataset, GENES) == 0
    truth = [zeros.all(axis=1).sum(), *zeros.sum(axis=0)]
    assert 500 < truth[0] < min(truth[1:])
    session = Session(dataset, Settings(embedding=GENES, render=render))
    assert next(iter(session.streams.points())).message.n_at_zero == truth
    session.prepare_index()
    assert next(iter(session.streams.points())).message.n_at_zero == truth
    umap = Session(small(1000), Settings(embedding="umap", render=render))
    assert next(iter(umap.streams.points())).message.n_at_zero == []


@pytest.mark.parametrize("render", ["points", "raster"])
def test_a_lasso_holds_what_matplotlib_says_and_its_rule_finds_the_same_in_another_widget(render):
    with closing(CxgWidget(small(1000), embedding=("n_counts", "CD3E"), render=render)) as w:
        polygon = [(100.3, -0.5), (2000.7, -0.5), (900.1, 3.3)]
        w.select(polygon)
        truth = Path(polygon).contains_points(np.nan_to_num(expected(w.dataset, MIXED), nan=-9e9))
        np.testing.assert_array_equal(w.selection.mask, truth)
        assert 0 < truth.sum() < 1000
        w.sets.add("few")
        rule = json.loads(json.dumps(w.sets["few"].rule))
        assert rule == {"polygon": [list(corner) for corner in polygon], "embedding": list(MIXED), "axes": [0, 1]}
        state = json.loads(json.dumps(w.state))
    with closing(CxgWidget(small(800, seed=9), color=None)) as other:
        others = Path(polygon).contains_points(np.nan_to_num(expected(other.dataset, MIXED), nan=-9e9))
        np.testing.assert_array_equal(other.sets.apply(rule).mask, others)
    with closing(CxgWidget(small(1000), **state)) as again:
        assert again.embedding == list(MIXED)
        np.testing.assert_array_equal(again.sets["few"].mask, truth)


def test_a_rule_of_columns_that_a_dataset_lacks_is_refused_by_name(w):
    with pytest.raises(UnknownName, match="'NKG7'"):
        w.sets.apply({"polygon": TRIANGLE, "embedding": ["obs:n_counts", "var:NKG7"], "axes": [0, 1]})


def test_an_image_counts_every_cell_as_numpy_does(w, plain_datashader):
    view = [-0.5, 4.5, -0.25, 3.25]
    found = w.aggregate("count", view=view, width=50, height=40).to_numpy()
    x, y = expected(w.dataset, GENES).T
    truth, _, _ = np.histogram2d(y, x, bins=(40, 50), range=(view[2:], view[:2]))
    np.testing.assert_array_equal(found, truth)


def test_filters_the_pointer_and_pictures_are_of_the_place(w):
    w.filters["cell_type"] = ["B cell"]
    truth = expected(w.dataset, GENES)
    at = np.flatnonzero((truth[:, 1] > 0.5) & (w.dataset.codes("cell_type").codes == 1))[0]
    x, y = map(float, truth[at])
    (frame,) = w._session.answer(p.Hover(x=x, y=y, radius_x=1e-4, radius_y=1e-4))
    assert frame.message.row == at
    assert "Embedding: CD3E by MS4A1." in w.summary.split("\n")
    assert "CD3E × MS4A1" in repr(w)


def test_a_change_of_place_is_a_step_back_to_the_embedding_and_forth(w):
    w.embedding = "umap"
    w.axes = [1, 0]
    w.undo()
    w.undo()
    assert w.embedding == list(GENES)
    w.redo()
    assert w.embedding == "umap"


def test_axes_of_a_wider_embedding_become_the_first_two(w):
    w.embedding = "pca"
    w.axes = [3, 4]
    w.embedding = ["n_counts", "CD3E"]
    assert w.axes == [0, 1]
