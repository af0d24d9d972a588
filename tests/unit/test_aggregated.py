"""Laws of `w.aggregate`: what plain datashader makes of a DataFrame of all cells, read in blocks of bounded memory."""

import json
import re
import tracemalloc
from importlib.util import find_spec
from pathlib import Path

import datashader as ds
import numpy as np
import pandas as pd
import pytest
import tiledb
import xarray as xr
from datashader import reductions as rd

import cxg_widget
from cxg_widget import CxgWidget
from cxg_widget.cells.loader import Loader
from cxg_widget.datasets.base.dataset import Codes, Column, Dataset, Vector
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.display.settings import Settings
from cxg_widget.errors import ClosedDataset, CxgWidgetError, InvalidValue, SelectionError, UnknownName
from cxg_widget.session.analysis.aggregated import aggregated
from tests.memory import MemoryDataset, small

pytestmark = pytest.mark.slow
PLAIN = pytest.mark.usefixtures("plain_datashader")

PAGE = Path(__file__).parents[2] / "docs" / "aggregate.md"
VIEW, SIZE = (-2.0, 5.0, -1.5, 8.0), {"width": 17, "height": 11}
NAMES = ("count", "sum", "mean", "min", "max", "std", "var", "first", "last")


def dataset_and_frame():
    """A dataset some of whose cells have no place, and all of it as a DataFrame made of its arrays by pandas alone."""
    dataset = small(600)
    xy = dataset._xy["umap"]
    xy[5], xy[6], xy[7, 1] = np.nan, (np.inf, 0), np.nan
    obs, cell_type = dataset._obs, dataset._obs["cell_type"]
    frame = pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1]})
    for name in ("n_counts", "n_genes"):
        frame[name] = obs[name]
    frame["is_doublet"] = obs["is_doublet"].astype(np.uint8)
    frame["cell_type"] = pd.Categorical.from_codes(cell_type.codes, cell_type.categories)
    for position, gene in enumerate(dataset._genes):
        frame[gene] = dataset._x[:, position]
    frame["pair"] = frame[["CD3E", "MS4A1"]].mean(axis=1)
    return dataset, frame


def of_datashader(frame, reduction, view=VIEW, width=17, height=11):
    left, right, bottom, top = view
    canvas = ds.Canvas(width, height, x_range=(left, right), y_range=(min(bottom, top), max(bottom, top)))
    return canvas.points(frame, "x", "y", reduction)


def assert_same(found, expected):
    assert type(found) is type(expected)
    assert found.attrs == expected.attrs
    if isinstance(found, xr.Dataset):
        for name in expected:
            assert_same(found[name], expected[name])
        return
    assert (found.dims, found.dtype, list(found.coords)) == (expected.dims, expected.dtype, list(expected.coords))
    xr.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.fixture
def blocks(monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.base.column_values.ROWS_PER_BLOCK", 70)


@pytest.fixture
def make():
    made = []

    def build(dataset, **options):
        made.append(CxgWidget(dataset, **options))
        return made[-1]

    yield build
    for widget in made:
        widget.close()


REDUCED = dict(zip(NAMES, ("n_counts", "is_doublet", "CD3E") * 3, strict=True))
AVERAGED = ("n_genes", "DENSE", "pair", "CD3E")


@pytest.fixture
def alone(plain_datashader):
    """What datashader makes of names and means, one array each, as it does in one pass."""
    _, frame = dataset_and_frame()
    asked = {name: getattr(rd, name)(color) for name, color in REDUCED.items()}
    found = of_datashader(frame, rd.summary(**asked, **{color: rd.mean(color) for color in AVERAGED}))
    return {name: found[name].assign_attrs(found.attrs) for name in found.data_vars}


@PLAIN
@pytest.mark.parametrize(("name", "color"), REDUCED.items())
def test_a_name_over_any_column_is_what_datashader_makes_of_all_cells(name, color, make, blocks, alone):
    w = make(dataset_and_frame()[0])
    assert_same(w.aggregate(name, color=color, view=VIEW, **SIZE), alone[name])
    w.color = color
    if name != "count":
        assert_same(w.aggregate(name, view=VIEW, **SIZE), alone[name])


@PLAIN
@pytest.mark.parametrize("color", ["n_genes", "DENSE", "pair", ["CD3E", "MS4A1"], "var:CD3E"])
def test_numbers_genes_and_means_of_genes_are_averaged_where_nothing_else_is_asked(color, make, blocks, alone):
    dataset, _ = dataset_and_frame()
    expected = alone["pair" if isinstance(color, list) else color.removeprefix("var:")]
    for found in (make(dataset, color=color).aggregate(view=VIEW, **SIZE), make(dataset).aggregate(
        color=color, view=VIEW, **SIZE
    )):  # fmt: skip
        np.testing.assert_allclose(found, expected, rtol=2e-7)  # the mean of genes is one of float32


@PLAIN
@pytest.mark.parametrize(
    ("statistic", "color", "expected"),
    [
        ("auto", None, rd.mean("n_counts")),
        ("min", None, rd.min("n_counts")),
        ("count", None, rd.count("n_counts")),
        ("sum", "DENSE", rd.sum("DENSE")),
        (rd.where(rd.max("n_counts"), "DENSE"), None, rd.where(rd.max("n_counts"), "DENSE")),
        (rd.max("n_counts"), "DENSE", rd.mean("DENSE")),
    ],
)
def test_numbers_are_reduced_by_the_statistic_on_show_where_nothing_else_is_asked(statistic, color, expected, make):
    dataset, frame = dataset_and_frame()
    w = make(dataset, color="n_counts", statistic=statistic)
    assert_same(w.aggregate(color=color, view=VIEW, **SIZE), of_datashader(frame, expected))


@PLAIN
def test_without_a_color_all_cells_with_a_place_are_counted(make, blocks):
    dataset, frame = dataset_and_frame()
    w = make(dataset, color=None)
    expected = of_datashader(frame, rd.count())
    assert_same(w.aggregate(view=VIEW, **SIZE), expected)
    w.color = "n_counts"
    assert_same(w.aggregate("count", view=VIEW, **SIZE), expected)
    assert w.aggregate("count", **SIZE).sum() == len(frame) - 3


@PLAIN
def test_categories_are_counted_apart_and_cells_without_one_in_none(make, blocks):
    dataset, frame = dataset_and_frame()
    assert frame["cell_type"].isna().any()
    expected = of_datashader(frame.dropna(subset="cell_type"), rd.by("cell_type", rd.count()))
    w = make(dataset, color="cell_type")
    for found in (w.aggregate(view=VIEW, **SIZE), w.aggregate("count", color="cell_type", view=VIEW, **SIZE)):
        assert_same(found, expected)
        assert found.coords["cell_type"].to_numpy().tolist() == list(frame["cell_type"].cat.categories)
    found = make(dataset, color="is_doublet").aggregate(view=VIEW, **SIZE)
    np.testing.assert_array_equal(
        found.sel(is_doublet=True), of_datashader(frame[frame["is_doublet"] == 1], rd.count())
    )


OBJECTS = {
    "by": rd.by("cell_type", rd.mean("CD3E")),
    "integers as categories": rd.by("n_genes", rd.count()),
    "where": rd.where(rd.max("n_counts"), "DENSE"),
    "row": rd.where(rd.min("n_counts")),
    "summary": rd.summary(
        any=rd.any("n_counts"), modulo=rd.by(rd.category_modulo("n_genes", 3), rd.count()), coordinate=rd.mean("y"),
        several=rd.max_n("CD3E", 2), std=rd.std("MS4A1"), by=rd.by("cell_type", rd.last("n_genes")),
    ),
}  # fmt: skip


@PLAIN
@pytest.mark.parametrize("name", OBJECTS)
def test_an_object_of_datashader_reduces_the_columns_and_genes_it_names(name, make, blocks):
    dataset, frame = dataset_and_frame()
    known = frame.dropna(subset="cell_type") if name == "by" else frame
    if name == "summary":
        dataset._obs["cell_type"].codes[:] = np.abs(dataset._obs["cell_type"].codes)
        known = frame.assign(cell_type=pd.Categorical.from_codes(
            np.abs(frame["cell_type"].cat.codes), frame["cell_type"].cat.categories
        ))  # fmt: skip
    if name == "integers as categories":
        known = frame.assign(n_genes=frame["n_genes"].astype("category"))
    assert_same(make(dataset).aggregate(OBJECTS[name], view=VIEW, **SIZE), of_datashader(known, OBJECTS[name]))


@PLAIN
def test_a_prefix_says_which_of_two_columns_of_one_name_is_meant(make):
    dataset, frame = dataset_and_frame()
    rng = np.random.default_rng(2)
    extra = {"CD3E": rng.normal(size=600), "x": rng.normal(size=600)}
    both = MemoryDataset({**extra}, dataset._x, list(dataset._genes), dataset._xy)
    w = make(both)
    known = frame.assign(**{"obs:CD3E": extra["CD3E"], "var:CD3E": frame["CD3E"], "obs:x": extra["x"]})
    asked = rd.summary(obs=rd.max("obs:CD3E"), var=rd.max("var:CD3E"), of_obs=rd.max("obs:x"), place=rd.max("x"))
    assert_same(w.aggregate(asked, view=VIEW, **SIZE), of_datashader(known, asked))


@PLAIN
def test_within_the_selection_only_selected_cells_count(make, blocks):
    dataset, frame = dataset_and_frame()
    w = make(dataset, color="n_counts")
    for rows in (np.arange(600) % 3 == 0, np.arange(600) == 333, np.zeros(600, bool)):
        w.select(rows)
        for name in ("count", "mean"):
            column = None if name == "count" else "n_counts"
            expected = of_datashader(frame[rows], getattr(rd, name)(column))
            assert_same(w.aggregate(name, within="selection", view=VIEW, **SIZE), expected)
    w.select(np.arange(600) >= 590)
    rows = w.aggregate(rd.where(rd.max("n_genes")), within="selection", **SIZE).to_numpy()
    assert set(rows[rows >= 0]) <= set(range(590, 600))


@PLAIN
@pytest.mark.parametrize(
    ("view", "size"),
    [
        (VIEW, (1, 1)),
        ((1.0, 1.5, 8.0, -1.5), (9, 4)),  # y points down
        ((100.0, 101.0, 0.0, 1.0), (3, 3)),
        ((0, 1, 0, 1), (1, 200)),
    ],
)
def test_any_view_is_cut_into_pixels_as_datashader_does_y_ascending(view, size, make, blocks):
    dataset, frame = dataset_and_frame()
    found = make(dataset).aggregate("count", view=view, width=size[0], height=size[1])
    assert_same(found, of_datashader(frame, rd.count(), view, *size))
    assert (np.diff(found["y"]) > 0).all()


@PLAIN
def test_everything_is_in_view_where_none_is_given(make, blocks):
    dataset, frame = dataset_and_frame()
    finite = frame[np.isfinite(frame[["x", "y"]]).all(axis=1)]
    expected = ds.Canvas(30, 20).points(finite, "x", "y", rd.count())
    for render in ("points", "raster"):
        assert_same(make(dataset, render=render).aggregate("count", width=30, height=20), expected)
    found = make(dataset, view=[0, 1, 0, 1]).aggregate("count")
    assert (found.sizes["x"], found.sizes["y"], int(found.sum())) == (800, 600, len(finite))


@PLAIN
def test_cells_in_one_place_have_room_around_them(make):
    for n in (1, 3):
        x = np.ones((n, 1), np.float32)
        one = MemoryDataset({}, x, ["A"], {"umap": np.full((n, 2), 7, np.float32)})
        expected = ds.Canvas(3, 3).points(pd.DataFrame({"x": [7.0] * n, "y": [7.0] * n}), "x", "y", rd.count())
        assert_same(make(one).aggregate("count", width=3, height=3), expected)


@PLAIN
def test_no_cell_with_a_place_leaves_planes_empty(make):
    nowhere = MemoryDataset({}, np.ones((4, 1), np.float32), ["A"], {"umap": np.full((4, 2), np.nan, np.float32)})
    assert not make(nowhere).aggregate("count", **SIZE).any()
    assert make(nowhere).aggregate("mean", color="A", **SIZE).isnull().all()


@PLAIN
@pytest.mark.parametrize("options", [{"render": "points"}, {"render": "raster"}, {"max_points": 50}, {"axes": [1, 0]}])
def test_the_answer_is_that_of_all_cells_however_they_are_shown(options, make):
    dataset, frame = dataset_and_frame()
    swapped = frame.rename(columns={"x": "y", "y": "x"}) if "axes" in options else frame
    w = make(dataset, color="cell_type", hidden=["T cell"], **options)
    expected = of_datashader(swapped, rd.mean("n_counts"))
    assert_same(w.aggregate("mean", color="n_counts", view=VIEW, **SIZE), expected)
    assert w.aggregate(view=VIEW, **SIZE).sel(cell_type="T cell").sum() > 0


INDEXED = {
    "all cells": (lambda w, **more: w.aggregate("count", **more), None, rd.count()),
    "of a category": (lambda w, **more: w.aggregate(**more), "cell_type", rd.by("cell_type", rd.count())),
    "of another column": (
        lambda w, **more: w.aggregate(rd.by("n_genes", rd.count()), **more), "n_genes", rd.by("n_genes", rd.count())
    ),
}  # fmt: skip


@PLAIN
@pytest.mark.parametrize("name", INDEXED)
def test_an_index_counts_the_same_cells_as_rows_do(name, make, monkeypatch):
    dataset, frame = dataset_and_frame()
    frame["n_genes"] = frame["n_genes"].astype("category")
    count, column, reduction = INDEXED[name]
    w = make(dataset, color="cell_type", render="raster")
    w._session.prepare_index()
    monkeypatch.setattr("cxg_widget.draw.aggregate.by_rows.sums_over", None)
    for rows in (np.ones(600, bool), np.arange(600) % 3 == 0, np.zeros(600, bool)):
        known = frame[rows].dropna(subset=column or ["x"])
        if not rows.all():
            w.select(rows)
        more = {} if rows.all() else {"within": "selection"}
        for view, size in ((VIEW, (17, 11)), ((1.0, 1.5, 8.0, -1.5), (9, 4)), ((100.0, 101.0, 0.0, 1.0), (3, 3))):
            found = count(w, view=view, width=size[0], height=size[1], **more)
            assert_same(found, of_datashader(known, reduction, view, *size))
            np.testing.assert_array_equal(found, of_datashader(known, reduction, view, *size))


@PLAIN
def test_counts_by_an_index_are_refused_and_named_as_those_by_rows(make):
    w = make(dataset_and_frame()[0], color="cell_type", render="raster")
    by_rows = w.aggregate(**SIZE)
    with pytest.raises(InvalidValue, match="1,000,000,000") as of_rows:
        w.aggregate(rd.by("n_genes", rd.count()), width=5_000, height=5_000)
    w._session.prepare_index()
    xr.testing.assert_identical(w.aggregate(**SIZE), by_rows)
    with pytest.raises(InvalidValue, match=re.escape(str(of_rows.value))):
        w.aggregate(rd.by("n_genes", rd.count()), width=5_000, height=5_000)


@PLAIN
def test_only_what_is_reduced_is_read():
    dataset, _ = dataset_and_frame()
    loader = Loader(dataset, 0, lambda _: None)
    aggregated(loader.of(Settings(embedding="umap", color="cell_type")), None, "count", **SIZE)
    aggregated(loader.of(Settings(embedding="umap")), None, "max", color="CD3E", view=VIEW, **SIZE)
    assert set(dataset.reads) == {"emb/umap", "X/CD3E"}


class Endless(Dataset):
    """Many cells that are made when they are read, and kept nowhere."""

    format = "endless"

    def __init__(self, n_obs):
        super().__init__("endless")
        self.title, self.n_obs, self.n_var = "endless", n_obs, 1
        self.obs_columns = {"value": Column("value", "float"), "kind": Column("kind", "categorical", 3)}
        self.var_columns, self.embeddings, self.default_embedding = {}, {"umap": 2}, "umap"
        self.obs_index = self.var_index = None

    def _read_embedding_block(self, name, axes, start, stop):
        return np.random.default_rng(start).random((stop - start, 2), dtype=np.float32)

    def _read_obs_block(self, name, start, stop):
        numbers = np.arange(start, stop)
        return Codes((numbers % 3).astype(np.int8), ("a", "b", "c")) if name == "kind" else numbers / 1e3

    def _read_vector_block(self, position, layer, start, stop):
        return Vector(np.ones(stop - start, np.float32))

    def _whole(self, *asked):
        raise AssertionError("this would be all rows at once")

    _read_obs = _read_embedding = _read_vector = _read_var = _whole

    def _release(self):
        pass


def test_memory_is_that_of_a_block_and_the_planes(monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.base.column_values.ROWS_PER_BLOCK", 1 << 14)
    asked = rd.summary(n=rd.by("kind", rd.count()), mean=rd.mean("value"), top=rd.where(rd.max("value")))

    def reduce_all(n_obs):
        loader = Loader(Endless(n_obs), 0, lambda _: None)
        found = aggregated(loader.of(Settings(embedding="umap")), None, asked, **SIZE)
        assert int(found["n"].sum()) == n_obs
        assert found["top"].max() == n_obs - 1

    reduce_all(1)  # what datashader compiles is kept
    limit = 320 * 2**14  # bytes; one column of all rows takes 8 MB
    for _ in range(3):  # threads that other tests left may hold memory meanwhile, and never give any
        tracemalloc.start()
        reduce_all(1_000_000)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        if peak < limit:
            break
    assert peak < limit


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return write_demo(tmp_path_factory.mktemp("demo") / "demo.cxg", 3_000, 30)


@PLAIN
def test_a_cxg_is_what_datashader_makes_of_its_arrays_read_with_tiledb(demo, make, monkeypatch):
    monkeypatch.setattr("cxg_widget.datasets.base.column_values.ROWS_PER_BLOCK", 1_000)
    with tiledb.open(str(demo / "obs")) as array:
        obs, hints = array[:], json.loads(array.meta["cxg_schema"])
    with tiledb.open(str(demo / "emb" / "umap")) as array:
        xy = array[:]
    with tiledb.open(str(demo / "Xc")) as array:
        entries = array[:]
    w = make(str(demo))
    gene = w.dataset.var_names[3]
    frame = pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1], "n_counts": obs["n_counts"], "gene": np.float32(0)})
    of_gene = entries["var"] == 3
    frame.loc[entries["obs"][of_gene], "gene"] = entries[""][of_gene]
    labels = hints["cell_type"]["categories"]
    frame["cell_type"] = pd.Categorical.from_codes(obs["cell_type"], labels)
    assert_same(w.aggregate("std", color="n_counts", view=VIEW, **SIZE), of_datashader(frame, rd.std("n_counts")))
    assert_same(w.aggregate("mean", color=gene, view=VIEW, **SIZE), of_datashader(frame, rd.mean("gene")))
    found = w.aggregate(color="cell_type", view=VIEW, **SIZE)
    expected = of_datashader(frame.dropna(subset="cell_type"), rd.by("cell_type", rd.count()))
    assert_same(found, expected)


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        ({"reduction": "median"}, InvalidValue, "no reduction 'median'"),
        ({"reduction": 3}, InvalidValue, "3 is no reduction"),
        ({"reduction": rd.mode("n_counts")}, InvalidValue, "no reduction of points"),
        (
            {"reduction": "mean", "color": "cell_type"},
            InvalidValue,
            "the mean needs numbers.*'cell_type' is categorical",
        ),
        ({"reduction": rd.mean("cell_type")}, InvalidValue, "needs numbers"),
        ({"reduction": rd.by("CD3E", rd.count())}, InvalidValue, "by.. needs categories; 'var:CD3E' holds numbers"),
        ({"reduction": rd.mean("CD3")}, UnknownName, "Did you mean 'CD3E'"),
        ({"reduction": rd.count(), "color": "CD3E"}, InvalidValue, "names its columns itself"),
        ({"color": "n_count"}, UnknownName, "Did you mean 'n_counts'"),
        ({"color": 3}, InvalidValue, "color must be"),
        ({"width": 0}, InvalidValue, "width and height must be"),
        ({"width": 10.5}, InvalidValue, "width and height must be"),
        ({"height": True}, InvalidValue, "width and height must be"),
        ({"width": 20_000, "height": 5_001}, InvalidValue, "100,000,000"),
        ({"reduction": rd.by("n_genes", rd.count()), "width": 5_000, "height": 5_000}, InvalidValue, "1,000,000,000"),
        ({"view": (1, 1, 2, 3)}, InvalidValue, "view must be"),
        ({"view": "all"}, InvalidValue, "view must be"),
        ({"view": (1e9, 1e9 + 1e-7, 0, 1)}, InvalidValue, "too narrow"),
        ({"within": 3}, SelectionError, "3 does not name cells; give"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(asked, error, said, make):
    w = make(small(800))
    with pytest.raises(error, match=said) as caught:
        w.aggregate(**asked)
    assert isinstance(caught.value, CxgWidgetError)
    assert len(str(caught.value)) < 400


def test_a_widget_without_a_color_says_that_a_mean_needs_a_column(make):
    with pytest.raises(InvalidValue, match="name one"):
        make(small(), color=None).aggregate("mean")


def test_a_closed_widget_says_so(make):
    w = make(small())
    w.close()
    with pytest.raises(ClosedDataset):
        w.aggregate()


# What a result is handed to.


@PLAIN
@pytest.mark.skipif(not PAGE.exists(), reason="an sdist has no docs")
def test_the_examples_of_the_page_run(demo, make):
    w = make(str(demo), color="cell_type")
    named = {"w": w, "path": str(demo), "cxg_widget": cxg_widget}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(blocks) == 5
    for block in blocks:
        wanted = re.findall(r"^(?:import|from) (\w+)", block, flags=re.MULTILINE)
        if all(find_spec(library) for library in wanted):
            exec(block, named)
    named["w"].close()
    assert named["counts"].dims == ("y", "x", "cell_type")


@PLAIN
def test_datashader_shades_it_as_its_own(make):
    transfer = pytest.importorskip("datashader.transfer_functions")
    dataset, frame = dataset_and_frame()
    w = make(dataset, color="cell_type")
    known = frame.dropna(subset="cell_type")
    for found, expected in (
        (w.aggregate("mean", color="n_counts", view=VIEW, **SIZE), of_datashader(frame, rd.mean("n_counts"))),
        (w.aggregate(view=VIEW, **SIZE), of_datashader(known, rd.by("cell_type", rd.count()))),
    ):
        np.testing.assert_array_equal(transfer.shade(found), transfer.shade(expected))


@PLAIN
def test_matplotlib_draws_it_where_the_cells_are(make):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("agg")
    from matplotlib import pyplot

    found = make(small()).aggregate("mean", color="n_counts", view=VIEW, **SIZE)
    axes = found.plot().axes
    np.testing.assert_allclose((*axes.get_xlim(), *axes.get_ylim()), VIEW)
    image = pyplot.imshow(found, origin="lower", extent=[*found.x_range, *found.y_range])
    np.testing.assert_array_equal(image.get_array().filled(np.nan), found)
    np.testing.assert_allclose(image.get_extent(), VIEW)
    pyplot.close("all")


@PLAIN
def test_hvplot_and_holoviews_draw_it_where_the_cells_are(make):
    pytest.importorskip("hvplot", reason="hvplot is not installed")
    import holoviews
    import hvplot.xarray  # noqa: F401

    found = make(small()).aggregate("mean", color="n_counts", view=VIEW, **SIZE)
    image = found.hvplot.image("x", "y")
    for one in (image, holoviews.Image(found)):
        np.testing.assert_allclose(one.bounds.lbrt(), (VIEW[0], VIEW[2], VIEW[1], VIEW[3]))
        np.testing.assert_array_equal(one.dimension_values(2, flat=False), found)


def test_a_bar_of_progress_comes_only_where_the_work_lasts(capsys):
    from cxg_widget.convert.progress import progress_bar

    for delay_s, is_told in ((1e6, False), (0.0, True)):
        with progress_bar(True, delay_s=delay_s) as tell:
            tell("aggregate", 0.5)
        assert ("aggregate" in capsys.readouterr().err) == is_told
