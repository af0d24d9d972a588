"""Laws of the session: what is answered, what is read, what stays."""

import io
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from PIL import Image

from cxg_widget.cells.local import LocalHolder
from cxg_widget.display.hover import text_of
from cxg_widget.display.settings import Settings
from cxg_widget.errors import DamagedStore, InvalidValue, ProtocolError, SelectionError
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small
from tests.stills import still_png
from tests.unit.test_encoding import decode
from tests.unit.test_polygon import by_ray_casting


def session(n_obs=1000, color=None, *, embedding="umap", **options):
    look_keys = {"axes", "hidden", "palette", "layer", "cmap", "vmin", "vmax", "opacity"}
    settings = {key: options.pop(key) for key in list(options) if key in look_keys}
    return Session(small(n_obs, **options), Settings(embedding=embedding, color=color, **settings))


def kinds(frames):
    return [frame.message.kind for frame in frames]


def test_ready_is_answered_by_dataset_then_color_and_points_in_turn():
    one = session(200_000, "cell_type")
    found = kinds(one.answer(p.Ready(p.VERSION)))
    assert found[0] == "dataset"
    assert found[1:5] == ["color", "points", "codes", "points"]
    assert found.count("points") == 2
    assert "selection" not in found


def test_points_are_the_embedding_in_display_order():
    one = session(300)
    (frame,) = one.streams.points()
    x0, x1, y0, y1 = frame.message.extent
    truth = one.dataset.embedding("umap")[one.held.order.rows]
    decoded = frame.arrays["xy"] / 65534 * [x1 - x0, y1 - y0] + [x0, y0]
    assert np.abs(decoded - truth).max() <= max(x1 - x0, y1 - y0) / 65534


@pytest.mark.parametrize("axes", [(0, 1), (2, 4), (4, 0), (3, 3)])
def test_any_two_axes_of_a_wide_embedding_can_be_shown(axes):
    one = session(300, embedding="pca", axes=axes)
    np.testing.assert_array_equal(one.held.xy(), small(300).embedding("pca", axes))
    (frame,) = one.streams.points()
    assert frame.message.axes == list(axes)


def test_coloring_by_a_category_sends_its_codes_counts_and_colors():
    one = session(1000, "cell_type")
    legend, *chunks = one.streams.color()
    truth = one.dataset.obs(["cell_type"])["cell_type"]
    assert legend.message.scale == "categorical"
    assert legend.message.categories == list(truth.cat.categories)
    assert legend.message.counts == truth.value_counts(sort=False).tolist()
    assert legend.message.n_missing == truth.isna().sum()
    assert legend.message.colors[1] == "#123456"
    expected = np.where(truth.isna(), 255, truth.cat.codes.astype(int))[one.held.order.rows]
    np.testing.assert_array_equal(decode(chunks, 1000), expected)


@pytest.mark.parametrize("name", ["n_counts", "n_genes", "CD3E", "DENSE", "ZERO"])
def test_numbers_and_genes_arrive_as_what_pandas_and_numpy_hold(name):
    one = session(1000, name)
    legend, *chunks = one.streams.color()
    data = one.dataset
    truth = data.obs([name])[name].to_numpy(float) if name in data.obs_columns else data.values(name).astype(float)
    assert legend.message.lo == pytest.approx(np.nanmin(truth))
    assert legend.message.hi == pytest.approx(np.nanmax(truth))
    assert legend.message.n_missing == np.isnan(truth).sum()
    decoded = decode(chunks, 1000).astype(float)
    decoded[decoded == 65535] = np.nan
    decoded = legend.message.lo + decoded / 65534 * (legend.message.hi - legend.message.lo)
    np.testing.assert_allclose(
        decoded, truth[one.held.order.rows], atol=np.ptp(truth[~np.isnan(truth)]) / 65534 + 1e-12
    )


@pytest.mark.parametrize("color", [("CD3E", "MS4A1"), "pair", "set:pair", ("CD3E", "DENSE"), ("DENSE",)])
def test_several_genes_mean_their_mean(color):
    one = session(1000, color)
    names = ["CD3E", "MS4A1"] if isinstance(color, str) else list(color)
    truth = np.mean([one.dataset.values(name).astype(float) for name in names], axis=0)
    data = one.coloring().data
    np.testing.assert_allclose(data.vector.dense(1000), truth, rtol=1e-6)


def test_a_gene_is_headed_by_its_symbol_however_it_was_asked_for():
    data = small(100, aliases=("CD3 epsilon", "", "zero", "dense"))
    for asked, name, detail in [("CD3 epsilon", "CD3 epsilon", "CD3E"), ("CD3E", "CD3 epsilon", "CD3E"),
                                ("MS4A1", "MS4A1", "gene")]:  # fmt: skip
        legend = next(Session(data, Settings(embedding="umap", color=asked)).streams.color()).message
        assert (legend.name, legend.detail) == (name, detail)


@pytest.mark.parametrize("column", ["cell_type", "donor name"])
def test_a_column_with_more_categories_than_codes_tell_apart_is_refused(monkeypatch, column):
    for module in ("cxg_widget.display.color_target", "cxg_widget.datasets.base.obs_columns"):
        monkeypatch.setattr(f"{module}.MAX_LABELS", 2)
    with pytest.raises(InvalidValue, match=f"obs column {column!r} has more than 2 distinct values"):
        session(100, column).coloring()


def test_coordinates_that_an_index_holds_are_not_read_again():
    one = session(1000)
    expected = one.dataset.embedding("umap")
    one.prepare()
    one.dataset.reads.clear()
    np.testing.assert_array_equal(one.loader.of(one.settings).xy(), expected)
    assert one.dataset.reads == []


def test_a_color_change_reads_one_column_and_nothing_else():
    one = session(1000)
    list(one.streams.show())
    one.dataset.reads.clear()
    one.settings = Settings(embedding="umap", color="CD3E")
    list(one.streams.color())
    assert one.dataset.reads == ["X/CD3E"]
    one.dataset.reads.clear()
    one.settings = Settings(embedding="umap", color="n_counts")
    list(one.streams.color())
    assert one.dataset.reads == ["obs/n_counts"]


def test_threads_that_want_the_same_read_it_once():
    one = session(50_000, "CD3E")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: (one.held.place(), one.coloring(), one.held.order), range(16)))
    assert sorted(one.dataset.reads) == ["X/CD3E", "emb/umap"]


def test_a_newer_color_ends_the_older_stream_between_two_chunks():
    one = session(3_000_000, "n_genes")
    older = one.streams.color()
    assert next(older).message.kind == "color"
    newer = one.streams.color()
    next(newer)
    assert list(older) == []
    assert len(list(newer)) > 1


def test_a_lasso_selects_exactly_the_cells_inside():
    one = session(5000)
    polygon = np.array([[-1, -1], [7, 0], [2, 3], [1, 8]], dtype=float)
    (frame,) = one.answer(p.Lasso(polygon.ravel().tolist(), "replace"))
    truth = by_ray_casting(one.dataset.embedding("umap"), polygon)
    np.testing.assert_array_equal(one.mask, truth)
    bits = np.unpackbits(frame.arrays["bits"], count=5000, bitorder="little").astype(bool)
    np.testing.assert_array_equal(bits, truth[one.held.order.rows])
    assert frame.message.n_selected == truth.sum()
    assert frame.arrays["bits"].nbytes == 625


def test_a_lasso_around_nothing_selects_nothing_and_sends_no_bits():
    one = session(100)
    (frame,) = one.answer(p.Lasso([100, 100, 101, 100, 101, 101], "replace"))
    assert frame.message.n_selected == 0
    assert frame.arrays["bits"].size == 0


def test_a_gesture_does_not_select_what_the_legend_hides_but_python_does():
    one = session(2000, "cell_type", hidden=("T cell", p.MISSING_LABEL))
    everything = [-100, -100, 100, -100, 100, 100, -100, 100]
    list(one.answer(p.Lasso(everything, "replace")))
    column = one.dataset.obs(["cell_type"])["cell_type"]
    np.testing.assert_array_equal(one.mask, (column.notna() & (column != "T cell")).to_numpy())
    assert one.polygon_mask(np.reshape(everything, (-1, 2))).all()


@pytest.mark.parametrize("wrong", [[0, 0, 1], [0, 0, 1, 1], []])
def test_a_broken_lasso_is_refused_and_the_selection_stays(wrong):
    one = session(100)
    one.select(np.arange(100) < 7)
    with pytest.raises((SelectionError, ValueError)):
        list(one.answer(p.Lasso(wrong, "replace")))
    assert one.mask.sum() == 7


def test_hover_finds_the_nearest_cell_and_says_what_it_is():
    one = session(1000, "cell_type")
    xy = one.dataset.embedding("umap")
    place = xy[17] + np.float32(0.001)
    (frame,) = one.answer(p.Hover(float(place[0]), float(place[1]), 0.5, 0.5))
    row = int(np.argmin(np.hypot(*(xy.astype(float) - place).T)))
    assert frame.message.row == row
    assert frame.message.name == f"cell {row}"
    record = one.dataset.obs().iloc[row]
    shown = dict(frame.message.fields)
    assert shown["donor name"] == record["donor name"]
    expected = record["cell_type"] if isinstance(record["cell_type"], str) else p.MISSING_LABEL
    assert frame.message.value == expected
    assert "cell_type" not in shown


@pytest.mark.parametrize("first", [0, 250_000, 1_700_000_000_000_000_000])
def test_an_integer_is_told_with_all_its_digits_colored_by_or_not(first):
    numbers = first + np.arange(60)
    dataset = MemoryDataset({"number": numbers}, np.zeros((60, 1), np.float32), ["G"], {"umap": np.eye(60, 2)})
    plain, colored = (Session(dataset, Settings(embedding="umap", color=color)) for color in (None, "number"))
    told = [next(one.answer(p.Hover(0.0, 1.0, 0.1, 0.1))).message for one in (plain, colored)]
    assert told[0].fields == [["number", str(numbers[1])]]
    assert told[1].value == str(numbers[1])


def test_a_negative_zero_is_told_as_zero():
    assert text_of(-0.0) == "0"


def test_hover_finds_what_lies_on_the_rim_of_its_circle_and_nothing_beyond():
    one = session(1000, "cell_type")
    x, y = one.dataset.embedding("umap")[17].astype(float)
    (frame,) = one.answer(p.Hover(x + 1e-4, y, 1e-4 * 1.001, 1e-4 * 1.001))
    assert frame.message.row == 17
    (frame,) = one.answer(p.Hover(x + 1e-4, y, 1e-4 * 0.9, 1e-4 * 0.9))
    assert frame.message.row == -1


_FIRST = ["cell_type", "is_doublet", "n_counts", "n_genes", "donor name"]


@pytest.mark.parametrize(
    ("uri", "n_rows", "n_bytes", "expected"),
    [
        ("/a/b", 100, 0, [(_FIRST, True)]),
        ("s3://a/b", 100, 10_000, []),
        ("/a/b", 99, 10_000, [(_FIRST[:4], False)]),
        ("/a/b", 99, 1_000, [(_FIRST[:3], False)]),
        ("/a/b", 99, 0, [([], False)]),
    ],
)
def test_what_hovering_tells_is_read_once_and_whole_where_it_is_small_and_near(
    monkeypatch, uri, n_rows, n_bytes, expected
):
    monkeypatch.setattr("cxg_widget.display.hover_fields._HELD_ROWS", n_rows)
    monkeypatch.setattr("cxg_widget.display.hover_fields._HELD_BYTES", n_bytes)
    one, held = session(100), []
    one.dataset.uri = uri
    monkeypatch.setattr(one.dataset, "hold", lambda columns, *, index: held.append((columns, index)))
    one.pointer.prepare()
    one.pointer.prepare()
    assert held == expected


def test_hover_away_from_every_cell_finds_none():
    (frame,) = session(100).answer(p.Hover(1000, 1000, 1, 1))
    assert frame.message.row == -1


def test_zoom_sends_the_points_in_view_more_precisely():
    one = session(5000)
    (frame,) = one.answer(p.Zoom([0.5, 0.6, -0.1, 0.1]))
    xy = one.dataset.embedding("umap")[one.held.order.rows]
    inside = (xy[:, 0] >= 0.5) & (xy[:, 0] <= 0.6) & (xy[:, 1] >= -0.1) & (xy[:, 1] <= 0.1)
    np.testing.assert_array_equal(frame.arrays["index"], np.flatnonzero(inside))
    decoded = frame.arrays["xy"] / 65534 * [0.1, 0.2] + [0.5, -0.1]
    np.testing.assert_allclose(decoded, xy[inside], atol=4e-6)


@pytest.mark.parametrize(
    "wrong",
    [
        p.Zoom([0, 1]), p.Zoom([0, 0, 0, 1]), p.Ready(99), p.Aggregate([0, 0, 0, 0], 10, 10, 1, -1, False),
        p.Aggregate([0, 1, 0, 1], 10**6, 10**6, 1, -1, False), p.Aggregate([0, 1, 0, 1], 0, 10, 1, -1, False),
    ],
)  # fmt: skip
def test_a_request_beyond_reason_is_refused_in_one_sentence(wrong):
    with pytest.raises(ProtocolError):
        list(session(100).answer(wrong))


def test_percentiles_of_large_numbers_keep_their_resolution():
    data = small(1000)
    data._obs["n_genes"] = 2**40 + np.arange(1000)
    legend = next(Session(data, Settings(embedding="umap", color="n_genes")).streams.color())
    lo, hi = legend.message.lo, legend.message.hi
    quantiles = lo + legend.arrays["quantiles"].astype(float) * (hi - lo)
    np.testing.assert_allclose(quantiles, np.quantile(data._obs["n_genes"], np.linspace(0, 1, 1001)), atol=1e-3)


def test_search_finds_columns_sets_and_genes_best_first():
    one = session(100)

    def labels(query):
        (frame,) = one.answer(p.Search(query, 10))
        return [match["label"] for match in frame.message.matches]

    assert labels("cd3e") == ["CD3E"]
    assert labels("n_") == ["n_genes", "n_counts"]
    assert labels("name") == ["donor name"]
    assert labels("nothing like it") == []
    assert labels("")[:2] == ["cell_type", "n_counts"]
    (frame,) = one.answer(p.Search("", 3))
    assert frame.message.n_more == 10 - 3


def test_a_failing_gene_leaves_the_points_and_the_last_coloring():
    one = session(100, "cell_type", broken=["X/CD3E"])
    list(one.streams.show())
    one.settings = Settings(embedding="umap", color="CD3E")
    with pytest.raises(DamagedStore, match="X/CD3E"):
        list(one.streams.color())
    one.settings = Settings(embedding="umap", color="cell_type")
    assert kinds(one.streams.color()) == ["color", "codes"]


def test_show_says_what_failed_and_sends_the_rest():
    one = session(100, "cell_type", broken=["emb/umap"])
    found = list(one.streams.show())
    assert sorted(kinds(found)) == ["codes", "color", "error"]
    (error,) = [frame.message for frame in found if frame.message.kind == "error"]
    assert (error.of, error.type) == ("points", "DamagedStore")


def test_a_kernel_drawn_picture_shows_each_category_in_its_color_and_high_values_on_top():
    one = session(2000, "cell_type", palette={"T cell": "#ff0000", "B cell": "#00ff00"}, opacity=1.0)
    image = np.array(Image.open(io.BytesIO(still_png(one, (-4, 12, -4, 12), (200, 200)))))
    assert image.shape == (200, 200, 3)
    found = {tuple(pixel) for pixel in image.reshape(-1, 3)}
    assert {(255, 0, 0), (0, 255, 0), (255, 255, 255)} <= found


@pytest.mark.parametrize("render", ["points", "raster"])
@pytest.mark.parametrize(("limit", "expected"), [(None, "low"), (0.0, "low"), (-1.0, "high")])
def test_a_kernel_drawn_gene_of_one_value_has_the_highest_color_only_above_equal_limits(render, limit, expected):
    one = Session(small(300), Settings(embedding="umap", color="ZERO", render=render, vmin=limit, vmax=limit))
    image = np.array(Image.open(io.BytesIO(still_png(one, (-4, 12, -4, 12), (200, 200)))))
    found = {tuple(pixel) for pixel in image.reshape(-1, 3)}
    ends = {"low": (68, 1, 84), "high": (253, 231, 37)}  # of viridis
    assert ends.pop(expected) in found
    assert not found & set(ends.values())


@pytest.mark.parametrize("render", ["points", "raster"])
def test_a_kernel_drawn_view_is_drawn_from_the_cells_in_it_however_few_of_all_they_are(render):
    one = Session(small(100_000), Settings(embedding="umap", render=render))
    xy = one.held.xy()
    corner = np.argsort(np.hypot(*(xy - [6, 1]).T))[:60]
    view = (*np.sort(xy[corner][:, 0])[[0, -1]].tolist(), *np.sort(xy[corner][:, 1])[[0, -1]].tolist())
    size = (400, 400)
    image = np.array(Image.open(io.BytesIO(still_png(one, view, size, max_points=200)))).astype(int)
    left, right, bottom, top = view
    unit = max((right - left) / 400, (top - bottom) / 400)
    px = np.column_stack([200 + (xy[:, 0] - (left + right) / 2) / unit, 200 - (xy[:, 1] - (bottom + top) / 2) / unit])
    inked = (image != 255).any(axis=2)
    at = px[corner].astype(int).clip(0, 399)
    assert inked[at[:, 1], at[:, 0]].mean() > 0.95
    assert inked.mean() < 0.9


def test_the_y_axis_of_a_tissue_image_points_down():
    data = small(10)
    data.embeddings = {"spatial": 2}
    data._xy = {"spatial": data._xy["umap"]}
    (frame,) = Session(data, Settings(embedding="spatial")).streams.points()
    assert frame.message.y_down is True


def test_the_rest_of_many_points_waits_until_the_first_are_drawn(monkeypatch):
    monkeypatch.setattr("cxg_widget.session.streams.first_paint._MANY_POINTS", 100_000)
    monkeypatch.setattr("cxg_widget.session.streams.first_paint._FIRST_POINTS_S", 60)
    one = session(200_000, "cell_type")
    stream = one.answer(p.Ready(p.VERSION))
    first = [next(stream) for _ in range(4)]
    assert kinds(first) == ["dataset", "color", "points", "codes"]
    with ThreadPoolExecutor(1) as pool:
        rest = pool.submit(lambda: list(stream))
        assert not rest.done()
        assert list(one.answer(p.Begun())) == []
        sent = first + rest.result()
    chunks = [frame.message for frame in sent if frame.message.kind == "points"]
    assert [chunk.start for chunk in chunks[1:]] == [chunk.stop for chunk in chunks[:-1]]
    assert chunks[-1].stop == 200_000


def test_points_that_nobody_draws_are_sent_all_the_same(monkeypatch):
    monkeypatch.setattr("cxg_widget.session.streams.first_paint._MANY_POINTS", 100_000)
    one = session(200_000, "cell_type")
    chunks = [frame.message for frame in one.answer(p.Ready(p.VERSION)) if frame.message.kind == "points"]
    assert chunks[-1].stop == 200_000


@pytest.fixture
def one_of_many(monkeypatch):
    monkeypatch.setattr("cxg_widget.session.streams.first_paint._MANY_POINTS", 100_000)
    return session(200_000, "cell_type")


def first_four(one):
    frames = list(islice(one.answer(p.Ready(p.VERSION)), 4))
    assert kinds(frames) == ["dataset", "color", "points", "codes"]
    return frames


def packed(frames):
    return [(content, [bytes(buffer) for buffer in buffers]) for content, buffers in (one.pack() for one in frames)]


def test_what_is_sent_early_is_what_a_front_end_gets_first_when_it_asks(one_of_many):
    early = list(one_of_many.streams.early())
    assert [one.message.stop for one in early if one.message.kind in ("points", "codes")] == [65_536, 65_536]
    assert packed(first_four(one_of_many)) == packed(early)


def test_who_asks_again_gets_everything_anew(one_of_many):
    list(one_of_many.streams.early())
    (_, color, points, _), (_, later_color, later_points, _) = first_four(one_of_many), first_four(one_of_many)
    assert later_color.message.seq > color.message.seq
    assert later_points.message.seq > points.message.seq


def test_another_color_than_the_early_one_is_a_newer_one(one_of_many):
    _, color, points, _ = one_of_many.streams.early()
    one_of_many.settings = replace(one_of_many.settings, color="donor name")
    _, later_color, same_points, _ = first_four(one_of_many)
    assert later_color.message.seq > color.message.seq
    assert same_points.message.seq == points.message.seq


def test_points_drawn_before_they_were_asked_for_hold_nothing_back(one_of_many, monkeypatch):
    monkeypatch.setattr("cxg_widget.session.streams.first_paint._FIRST_POINTS_S", 60)
    list(one_of_many.streams.early())
    list(one_of_many.answer(p.Begun()))
    chunks = [frame.message for frame in one_of_many.answer(p.Ready(p.VERSION)) if frame.message.kind == "points"]
    assert chunks[-1].stop == 200_000


def test_few_points_are_not_sent_early():
    assert list(session(1_000, "cell_type").streams.early()) == []


def test_what_fails_early_is_told_to_whoever_asks(one_of_many):
    one_of_many.settings = replace(one_of_many.settings, color="no such column")
    assert kinds(one_of_many.streams.early()) == ["dataset"]
    assert "error" in kinds(islice(one_of_many.answer(p.Ready(p.VERSION)), 3))


def test_cells_that_pass_are_counted_once_for_a_coloring_and_filters_whatever_is_selected(monkeypatch):
    one, counted = session(1000, "cell_type"), []
    count = LocalHolder.count_selected
    monkeypatch.setattr(LocalHolder, "count_selected", lambda self, mask: counted.append(mask) or count(self, mask))
    obs = one.dataset.obs(["cell_type", "donor name", "n_genes"]).astype({"donor name": "category"})
    for least in (500, 2000):
        one.settings = one.settings.having({"filters": [{"obs": "n_genes", "range": [least, None]}]})
        passes = obs[obs["n_genes"] >= least]
        for color in ("cell_type", "donor name"):
            one.settings = one.settings.having({"color": color})
            counted.clear()
            for n_selected in (0, 10, 20):
                one.select(np.arange(1000) < n_selected)
                (frame,) = one.answer(p.Count())
                truth = passes[color].cat.codes.value_counts()
                categories = range(len(obs[color].cat.categories))
                expected = [int(truth.get(code, 0)) for code in (*categories, -1)]
                np.testing.assert_array_equal(frame.arrays["passing"], expected)
            assert len(counted) == 4, "the selected cells three times, those that pass once"
