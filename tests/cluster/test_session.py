"""A session with a cluster answers as one without: same pictures, selections, cells and legends."""

import io
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from cxg_widget import open_dataset
from cxg_widget.cells.cluster import Source, cluster_holder
from cxg_widget.cells.loader import Loader
from cxg_widget.display.settings import Settings
from cxg_widget.errors import DamagedStore
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.cluster.conftest import n_open
from tests.datasets.make_anndata import make_anndata
from tests.datasets.make_cxg import make_cxg
from tests.stills import still_png

SIZE = (80, 60)


@pytest.fixture(scope="module")
def pair(client, store):
    """Two sessions of one store; the second works with the cluster."""
    dataset = open_dataset(store)

    def with_cluster(*args):
        return Loader(*args, holder=cluster_holder(client, Source.of(store)))

    settings = Settings(embedding=dataset.default_embedding, render="raster", max_points=500)
    alone, shared = Session(dataset, settings), Session(dataset, settings, read_with=with_cluster)
    yield alone, shared
    shared.close()
    dataset.close()


def columns(dataset):
    numbers = [c.name for c in dataset.obs_columns.values() if c.kind in ("float", "int")]
    groups = [c.name for c in dataset.obs_columns.values() if c.kind in ("categorical", "string", "boolean")]
    return [None, f"obs:{groups[0]}", f"obs:{numbers[0]}", f"var:{dataset.var_names[0]}"]


def ask(session, few=False, highlighted=-1):
    x0, x1, y0, y1 = session.loader.of(session.settings).bounds().extent
    view = [x0, (x0 + x1) / 2, y0, (y0 + y1) / 2] if few else [x0 - 0.1, x1 + 0.1, y0 - 0.1, y1 + 0.1]
    filtered = session.settings.filtered
    return list(session.answer(p.Aggregate(view, *SIZE, 1.0, highlighted, False, filtered=filtered)))


def image(frames):
    assert [frame.message.kind for frame in frames] == ["image"]
    return np.asarray(Image.open(io.BytesIO(frames[0].arrays["png"].tobytes())))


def test_the_tooltip_shows_the_chosen_fields_with_a_cluster_too(pair):
    dataset = pair[0].dataset
    first, *_, last = dataset.obs_columns
    asked = (last, dataset.var_names[0], first)
    set_looks(pair, hover=asked)
    for one in pair:
        ask(one)  # until the workers hold the cells, nothing is under the pointer
    x, y = map(float, dataset.embedding(dataset.default_embedding)[11])
    alone, shared = (next(one.answer(p.Hover(x, y, 0.01, 0.01))).message for one in pair)
    assert alone.row == shared.row == 11
    assert [name for name, _ in shared.fields] == [asked[0], dataset.var_aliases[0], asked[2]]
    assert shared == alone


def set_looks(pair, **change):
    for one in pair:
        one.settings = Settings(
            **{"embedding": one.dataset.default_embedding, "render": "raster", "max_points": 500, **change}
        )
        one.select(np.zeros(one.dataset.n_obs, dtype=bool))


@pytest.mark.parametrize("which", range(4))
@pytest.mark.parametrize("selected", [False, True])
def test_pictures_are_the_same(pair, which, selected):
    set_looks(pair, color=columns(pair[0].dataset)[which])
    for one in pair:
        one.select(np.arange(one.dataset.n_obs) % 7 == 0 if selected else np.zeros(one.dataset.n_obs, dtype=bool))
    np.testing.assert_array_equal(image(ask(pair[0])), image(ask(pair[1])))


@pytest.mark.parametrize(
    ("which", "aggregator"), [(0, "auto"), (1, "auto"), (3, "auto"), ("std", "auto"), (1, "datashader")]
)
def test_cells_that_the_filters_leave_out_are_grey_in_the_same_pixels(pair, which, aggregator):
    found = columns(pair[0].dataset)
    asked = {"color": found[2], "statistic": "std"} if which == "std" else {"color": found[which]}
    asked |= {"aggregator": aggregator, "filters": ({"obs": "donor", "in": ["d1 ü", "d3 ü"]},)}
    set_looks(pair, **asked)
    hiding = image(ask(pair[0]))
    set_looks(pair, **asked, filtered="grey")
    alone, shared = (image(ask(one)) for one in pair)
    np.testing.assert_array_equal(alone, shared)
    assert ((alone[..., -1] > 0) & (hiding[..., -1] == 0)).any()


def test_cells_close_by_that_the_filters_leave_out_come_with_the_same_bits(pair):
    set_looks(pair, render="auto", max_points=10_000, filtered="grey", filters=({"obs": "donor", "in": ["d1 ü"]},))

    def cells(one):
        (frame,) = ask(one, few=True)
        bits = np.unpackbits(frame.arrays["passing"], count=len(frame.arrays["xy"]), bitorder="little")
        return sorted(zip(*frame.arrays["xy"].T.tolist(), bits.tolist(), strict=True))

    alone, shared = map(cells, pair)
    assert alone == shared
    assert {bit for *_, bit in alone} == {0, 1}


def counted(one, *requests):
    """Return what is said of columns and brushes where a third of the cells is selected."""
    one.select(np.arange(one.dataset.n_obs) % 3 == 0)
    frames = [frame for request in requests for frame in one.answer(request)]
    return [
        (frame.message, {name: np.nan_to_num(array, nan=-1).tolist() for name, array in frame.arrays.items()})
        for frame in frames
    ]


HERE = [{"obs": "donor", "in": ["d1 ü", "d3 ü"]}, {"obs": "lonely", "range": [None, 1]}]
ON_WORKERS = [
    {"not": {"obs": "cell_type", "in": ["T cell"]}},
    {"obs": "n_genes", "range": [200, None]},
    {"obs": "is_doublet", "in": [False]},
]


@pytest.mark.parametrize("filters", [[], HERE, ON_WORKERS])
def test_columns_and_brushes_are_counted_on_the_workers_as_without_a_cluster(pair, truth, filters, monkeypatch):
    set_looks(pair, color="obs:donor")
    dataset = pair[0].dataset
    names = [f"obs:{name}" for name in dataset.obs_columns] + [f"var:{dataset.var_names[0]}"]
    numbers = [f"obs:{c.name}" for c in dataset.obs_columns.values() if c.kind in ("float", "int")]
    rows = [[] if name in numbers or name[:3] == "var" else [1, 0] for name in names]
    filters = [*filters, {"var": dataset.var_names[0], "range": [None, 1.5]}] if filters else []
    asked = [p.AskColumns(names, [], filters), p.AskBrush(numbers[0], names, rows, filters)]
    alone = counted(pair[0], *asked)
    if filters[:2] != HERE:  # texts are evaluated in this process

        def refuse(*_, **__):
            raise AssertionError("a column was read in this process")

        for read in ("codes", "numbers", "vector"):
            monkeypatch.setattr(dataset, read, refuse)
    shared = counted(pair[1], *asked)
    monkeypatch.undo()
    assert len(alone) == len(shared) == 2 * len(names) + 1
    for one, other in zip(alone, shared, strict=True):
        assert one == other
    donors = pair[1].counts("donor")
    assert donors["all"].tolist() == truth.obs["donor"].value_counts().sort_index().tolist()
    bins = pair[1].counts(numbers[0])
    values = truth.obs[numbers[0][4:]]
    edges = [*(known := bins.index.dropna()).left, known.right[-1]]
    assert bins["all"].tolist()[: len(known)] == np.histogram(values[np.isfinite(values)], edges)[0].tolist()


def test_compositions_and_donors_are_those_found_without_a_cluster(pair):
    mask = np.random.default_rng(0).random(pair[0].dataset.n_obs) < 0.3
    for by in (None, "donor"):
        alone, shared = (one.composition("cell_type", mask, by) for one in pair)
        assert shared.equals(alone)
    for within in (mask, {"obs": "donor", "in": ["d1 ü", "d3 ü"]}):
        every_other = mask.cumsum() % 2 == 0
        alone, shared = (one.composition("cell_type", every_other, "donor", within) for one in pair)
        assert shared.equals(alone)
        alone, shared = (one.counts("cell_type", within) for one in pair)
        assert shared.equals(alone)


def test_plots_of_groups_are_those_made_without_a_cluster(pair):
    set_looks(pair, filters=({"obs": "donor", "in": ["d1 ü", "d3 ü"]},))
    genes = list(map(str, pair[0].dataset.var_names[:2]))
    alone, shared = (one.plots.violin(genes, "donor", None, None, None).frame() for one in pair)
    assert shared.equals(alone)
    assert list(alone.index) == ["d1 ü", "d3 ü"]


@pytest.mark.parametrize("filters", [[], [{"obs": "donor", "in": ["d1 ü", "d3 ü"]}]])
def test_names_and_contours_are_the_same(pair, filters):
    rule = {"obs": "donor", "in": ["d2 ü", "d3 ü"]}
    set_looks(pair, sets=({"name": "a", "rule": rule}, {"name": "b", "rule": {"not": rule}}))
    of_sets = p.AskContours("", filters, ["a", "b"]), p.AskDifference(["a", "b"], filters)
    of_column = p.AskLabels("donor", filters), p.AskContours("donor", filters), p.AskContours("", filters)
    for asked in (*of_column, *of_sets):
        (alone,), (shared,) = (list(one.answer(asked)) for one in pair)
        assert alone.message == shared.message
        for name, found in alone.arrays.items():
            assert found.size > 0
            np.testing.assert_array_equal(found, shared.arrays[name])


@pytest.mark.parametrize("which", [1, 3])  # each worker compiles what it has not compiled before
def test_datashader_on_the_workers_draws_the_same_picture(pair, which):
    set_looks(pair, color=columns(pair[0].dataset)[which])
    ours = image(ask(pair[0]))
    set_looks(pair, color=columns(pair[0].dataset)[which], aggregator="datashader")
    for one in pair:
        np.testing.assert_array_equal(image(ask(one)), ours)


@pytest.mark.parametrize(("statistic", "selected"), [("std", False), ("std", True), ("count", True), ("object", False)])
def test_numbers_of_pixels_are_the_same(pair, statistic, selected):
    from datashader import reductions as rd

    _, _, number, gene = columns(pair[0].dataset)
    named = rd.where(rd.max(number), gene) if statistic == "object" else statistic
    set_looks(pair, color=number, statistic=named)
    for one in pair:
        one.select(np.arange(one.dataset.n_obs) % 7 == 0 if selected else np.zeros(one.dataset.n_obs, dtype=bool))
    (alone,), (shared,) = (ask(one) for one in pair)
    # Sums of partitions and of all cells at once are added in another order, so their last bits may differ.
    np.testing.assert_allclose(shared.message.scale, alone.message.scale, rtol=1e-12)
    assert replace(shared.message, scale=alone.message.scale) == alone.message
    assert alone.message.statistic != ""
    np.testing.assert_array_equal(image([alone]), image([shared]))


@pytest.mark.parametrize("statistic", ["mean", "std"])
def test_one_outlier_does_not_merge_numbers_of_pixels_as_without_a_cluster(pair, statistic):
    set_looks(pair, color="outlier", statistic=statistic, vmin=0, vmax=1)
    alone, shared = (image(ask(one)).astype(int) for one in pair)
    codes = alone[..., 0] * 256 + alone[..., 1]
    np.testing.assert_array_equal(alone[..., 2:], shared[..., 2:])
    # Sums of partitions and of all cells at once are added in another order: a mean may round to the code beside.
    np.testing.assert_allclose(shared[..., 0] * 256 + shared[..., 1], codes, atol=1)
    assert np.unique(codes[alone[..., 2] > 0]).size > 255


@pytest.mark.parametrize("which", range(4))
def test_legends_speak_of_all_cells_and_points_of_the_same_sample(pair, which):
    set_looks(pair, color=columns(pair[0].dataset)[which])
    # A sparse gene travels as its non-zeros only where all of it is here.
    alone, shared = ([f for f in one.streams.show() if f.message.kind not in ("values", "nonzeros")] for one in pair)
    for one, other in zip(alone, shared, strict=True):
        assert one.message.kind == other.message.kind
        if one.message.kind == "points":
            np.testing.assert_array_equal(one.arrays["xy"], other.arrays["xy"])
        if one.message.kind == "color":
            names = (
                "spec",
                "name",
                "scale",
                "n_points",
                "n_obs",
                "n_missing",
                "categories",
                "counts",
                "colors",
                "lo",
                "hi",
            )
            assert [getattr(one.message, n) for n in names] == [getattr(other.message, n) for n in names]
            np.testing.assert_array_equal(one.arrays["histogram"], other.arrays["histogram"])
        if one.message.kind == "codes":
            np.testing.assert_array_equal(one.arrays["codes"], other.arrays["codes"])


@pytest.mark.parametrize("few", [False, True])
def test_times_in_nanoseconds_are_as_precise_as_without_a_cluster(pair, few):
    set_looks(pair, color="read_at", render="auto", max_points=2_500)
    found = []
    for one in pair:
        frames = (
            ask(one, few=True) if few else [f for f in one.streams.show() if f.message.kind in ("points", "values")]
        )
        parts = [{"values": f.arrays["codes"], **f.arrays} if few else f.arrays for f in frames]
        xy, codes = (np.concatenate([part[name] for part in parts if name in part]) for name in ("xy", "values"))
        drawn = (xy != 65_535).all(axis=1)
        order = np.lexsort(xy[drawn].T)
        found.append(codes[drawn][order].astype(int))
    assert np.unique(found[0]).size > 500
    np.testing.assert_allclose(found[0], found[1], atol=1)


def test_a_highlighted_category_is_on_top_as_without_a_cluster(pair):
    set_looks(pair, color="cell_type")
    for one in pair:
        one.select(np.arange(one.dataset.n_obs) % 7 == 0)
    for code in (0, 1, 99):  # the last is what a front-end may still ask of the coloring before
        np.testing.assert_array_equal(*(image(ask(one, highlighted=code)) for one in pair))


def test_an_embedding_that_cannot_be_read_leaves_the_cells_on_show(client, truth, tmp_path):
    n_before = sum(client.run(n_open).values())
    path = make_cxg(tmp_path / "s.cxg", truth)
    for file in (path / "emb" / "spatial" / "__fragments").rglob("*.tdb"):
        file.unlink()
    with open_dataset(str(path)) as dataset:
        settings = Settings(embedding="umap", render="raster", color="cell_type")
        one = Session(
            dataset, settings, read_with=lambda *a: Loader(*a, holder=cluster_holder(client, Source.of(str(path))))
        )
        before = image(ask(one))
        with pytest.raises(DamagedStore, match="emb/spatial"):
            one.check.place(replace(settings, embedding="spatial"))
        np.testing.assert_array_equal(image(ask(one)), before)
        assert one.polygon_mask([(-1, -1), (1, -1), (1, 1)]).any()
        one.close()
        assert sum(client.run(n_open).values()) == n_before


def test_a_lasso_excludes_hidden_cells_on_the_workers(pair):
    color = columns(pair[0].dataset)[1]
    label = str(pair[0].dataset.codes(color.removeprefix("obs:")).categories[0])
    set_looks(pair, color=color, hidden=(label,))
    x0, x1, y0, y1 = pair[0].loader.of(pair[0].settings).bounds().extent
    polygon = [x0, y0, x1, y0, x1, (y0 + y1) / 2, x0, y1]
    for one in pair:
        list(one.answer(p.Lasso(polygon, "replace")))
    np.testing.assert_array_equal(pair[0].mask, pair[1].mask)
    assert 0 < pair[0].mask.sum() < pair[0].dataset.n_obs
    np.testing.assert_array_equal(image(ask(pair[0])), image(ask(pair[1])))


@pytest.mark.parametrize("code", [-1, 0, 1])
def test_a_category_is_all_its_cells_those_without_a_place_too(pair, truth, code):
    set_looks(pair, color="obs:cell_type")
    codes = truth.obs["cell_type"].cat.codes.to_numpy()
    assert not np.isfinite(pair[0].dataset.embedding()).all()
    for one in pair:
        list(one.answer(p.Category("obs:cell_type", code, "replace")))
        np.testing.assert_array_equal(one.mask, codes == code)


@pytest.mark.parametrize("which", range(4))
def test_the_selection_is_counted_alike(pair, which):
    set_looks(pair, color=columns(pair[0].dataset)[which])
    found = []
    for one in pair:
        one.select(np.arange(one.dataset.n_obs) % 3 == 1)
        found.append(next(one.answer(p.Count())))
    np.testing.assert_array_equal(found[0].arrays["counts"], found[1].arrays["counts"])
    assert found[0].message.n_missing == found[1].message.n_missing
    counts = found[0].arrays["counts"]
    of_each = counts[:64] if which > 1 else counts  # of numbers bins of logarithms follow
    total = of_each.sum() + found[0].message.n_missing
    assert total == (0 if which == 0 else pair[0].mask.sum())


@pytest.mark.parametrize("which", range(4))
def test_the_cell_under_the_pointer_is_that_of_one_process(pair, which):
    set_looks(pair, color=columns(pair[0].dataset)[which])
    for one in pair:
        ask(one)
    xy = pair[0].dataset.embedding()
    for row in np.flatnonzero(np.isfinite(xy).all(axis=1))[:5]:
        x, y = map(float, xy[row])
        told = [next(one.answer(p.Hover(x, y, 0.01, 0.01))).message for one in pair]
        assert told[0] == told[1]
        assert told[0].row >= 0


@pytest.mark.parametrize("filters", [(), ({"obs": "n_genes", "range": [1000, None]},)])
@pytest.mark.parametrize("which", range(4))
def test_many_cells_under_the_pointer_are_summarized_as_without_a_cluster(pair, which, filters):
    hidden = (str(pair[0].dataset.obs()["cell_type"].cat.categories[0]),) if which == 1 else ()
    set_looks(pair, color=columns(pair[0].dataset)[which], filters=filters, hidden=hidden)
    x0, x1, y0, y1 = pair[0].loader.of(pair[0].settings).bounds().extent
    place = ((x0 + x1) / 2, (y0 + y1) / 2, (x1 - x0) / 4, (y1 - y0) / 5)
    for one in pair:
        ask(one)
    told = [next(one.answer(p.Hover(*place))).message for one in pair]
    assert told[0].n_beneath > 100
    assert replace(told[0], row=0) == replace(told[1], row=0)  # of equally near cells each may name another


@pytest.mark.parametrize("which", range(4))
def test_close_by_the_same_cells_come(pair, which):
    set_looks(pair, color=columns(pair[0].dataset)[which], render="auto", max_points=2_500)
    found = []
    for one in pair:
        frames = ask(one, few=True)
        assert {frame.message.kind for frame in frames} == {"cells"}
        xy, codes = (np.concatenate([frame.arrays[name] for frame in frames]) for name in ("xy", "codes"))
        order = np.lexsort(xy.T)
        found.append((xy[order], codes[order] if codes.size else codes))
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1].astype(int), found[1][1].astype(int), atol=1)


def test_the_picture_of_a_saved_notebook_is_drawn_from_the_sample(pair):
    for color in columns(pair[0].dataset):
        set_looks(pair, color=color)
        alone, shared = (np.asarray(Image.open(io.BytesIO(still_png(one, None, SIZE, max_points=400)))) for one in pair)
        assert (np.abs(alone.astype(int) - shared) <= 3).mean() > 0.999


def test_points_can_be_requested_with_a_cluster(pair):
    set_looks(pair, color=columns(pair[0].dataset)[1], render="points")
    one, other = (next(session.streams.points()) for session in pair)
    assert not other.message.aggregated
    np.testing.assert_array_equal(one.arrays["xy"], other.arrays["xy"])


def test_the_table_holds_the_same_rows_and_places(pair):
    _, group, number, gene = columns(pair[0].dataset)
    table = {"columns": [group, number, gene], "sort": number, "descending": True}
    asked = p.AskTable(table, 5, 50, filters=[{"obs": number.removeprefix("obs:"), "range": [None, 1e9]}])
    set_looks(pair)
    ask(pair[1])  # before a first picture no place is told
    (one,), (other,) = ([*session.answer(asked)] for session in pair)
    assert one.message == other.message
    assert len(one.message.rows) == 50
    np.testing.assert_array_equal(one.arrays["xy"], other.arrays["xy"])
    assert np.isfinite(one.arrays["xy"]).all()


def test_the_order_of_categories_travels_from_the_workers(client, tmp_path, truth):
    stages = pd.Categorical(truth.obs.index.str[-1], categories=list("9876543210"), ordered=True)
    path = str(make_anndata(tmp_path, replace(truth, obs=truth.obs.assign(stage=stages))))
    with open_dataset(path) as dataset:
        settings = Settings(embedding=dataset.default_embedding, render="raster", color="stage")
        held = partial(Loader, holder=cluster_holder(client, Source.of(path)))
        shared = Session(dataset, settings, read_with=held)
        legend = next(shared.streams.color()).message
        shared.close()
    assert (legend.ordered, legend.categories) == (True, list("9876543210"))
