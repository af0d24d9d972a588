"""A field on a cluster answers exactly as one index over all rows in this process does."""

from __future__ import annotations

import io
import logging
from itertools import product

import numpy as np
import pytest

from cxg_widget.cells.cluster import ClusterCells, Source
from cxg_widget.cells.sample import Sample
from cxg_widget.datasets import Codes, open_dataset
from cxg_widget.display.color_target import Target, read, resolve
from cxg_widget.display.coloring import Coloring
from cxg_widget.draw.aggregate.canvas import aggregate
from cxg_widget.draw.aggregate.image_columns import arrange, arrange_mask
from cxg_widget.errors import StorageDenied, UnknownName
from cxg_widget.spatial import SpatialIndex
from cxg_widget.spatial.polygon import in_polygon
from cxg_widget.wire.encoding import category_counts, describe
from cxg_widget.wire.protocol import MISSING_LABEL
from tests.cluster.conftest import N_OBS, n_open, shown_by
from tests.datasets.make_cxg import make_cxg

VIEWS = [(-4.0, 4.0, -4.0, 4.0), (0.1, 0.9, 1.2, -0.4), (50.0, 60.0, 50.0, 60.0)]
COLORS = ["cell_type", "many", "size", "is_doublet", "donor", "n_genes", "score", "constant", "lonely", "read_at",
          "ENSG0001",
          "ENSG0003", ["ENSG0000", "ENSG0002"]]  # fmt: skip
NOTHING = Coloring(Target("none"))
POLYGON = np.array([[-1, -1], [1.5, -0.5], [0.2, 1.9], [-1, 0.5]])


@pytest.fixture(scope="module")
def here(store):
    """The dataset in this process, and the index over all its rows."""
    with open_dataset(store) as dataset:
        yield dataset, SpatialIndex.build(dataset.embedding())


@pytest.fixture(scope="module")
def field(client, store):
    one = ClusterCells(client, Source.of(store), N_OBS, rows_per_partition=700)
    yield one
    one.close()


def labels_but(coloring, visible):
    """The labels of those categories, missing last, that are not visible; None = all are."""
    labels = [*coloring.labels, MISSING_LABEL]
    return [] if visible is None else [label for label, seen in zip(labels, visible, strict=True) if not seen]


def same_planes(found, expected):
    for name in ("totals", "missing", "peak"):
        one, other = getattr(found, name), getattr(expected, name)
        if name == "missing" and (one is None or other is None):
            assert one is None or not one.any()
            assert other is None or not other.any()
        elif one is not None or other is not None:
            np.testing.assert_array_equal(one, other, err_msg=name)


def test_the_partitions_cover_all_rows_once(field):
    assert len(field._parts.blocks) == 5
    assert [start for start, _ in field._parts.blocks[1:]] == [stop for _, stop in field._parts.blocks[:-1]]
    assert (field._parts.blocks[0][0], field._parts.blocks[-1][1]) == (0, N_OBS)


def test_extent_and_missing_are_those_of_the_embedding(field, truth):
    xy = truth.embeddings["umap"]
    finite = xy[np.isfinite(xy).all(axis=1)]
    x0, y0, x1, y1 = *finite.min(axis=0), *finite.max(axis=0)
    assert field.extent == pytest.approx((x0, x1, y0, y1), abs=0)
    assert field.n_missing == len(xy) - len(finite) > 0


@pytest.mark.parametrize("view", VIEWS)
def test_counts_are_exact(field, truth, view):
    x, y = truth.embeddings["umap"].T
    x0, x1, y0, y1 = view
    inside = (x >= x0) & (x <= x1) & (y >= min(y0, y1)) & (y <= max(y0, y1))
    assert field.count(view) == np.count_nonzero(inside)


@pytest.mark.parametrize("color", [None, *COLORS], ids=str)
def test_planes_are_those_of_one_index(field, here, color):
    dataset, index = here
    target, data = Target("none"), None
    if color is not None:
        target = resolve(color, dataset)
        data = read(target, dataset, None)
        data = data if isinstance(data, Codes) else describe(data, N_OBS)
    column = arrange(index, data)
    rng = np.random.default_rng(0)
    selected = rng.random(N_OBS) < 0.3
    colors = rng.integers(0, 255, (len(data.categories), 3), dtype=np.uint8) if isinstance(data, Codes) else None
    visible = rng.random(len(data.categories) + 1) < 0.8 if isinstance(data, Codes) else None
    coloring = Coloring(target) if color is None else field.summary(target)
    hidden = () if visible is None else labels_but(coloring, visible)
    ways = ({}, {"visible": visible}, {"spread": 3, "statistic": "max"}, {"statistic": "both"})
    weights = {"mean": 0.0, "both": 0.5, "max": 1.0}
    turn = [None, *COLORS].index(color)
    for number, (view, options) in enumerate(product(VIEWS, ways)):
        if (number + number // len(ways) + turn) % 2:  # of any two colors, one is asked for in each view in each way
            continue
        mask = selected if (number // 2 + turn // 2) % 2 else None  # each way with and without, in turn
        shown = shown_by(
            coloring,
            () if colors is None else colors,
            hidden if "visible" in options else (),
            mask=np.zeros(N_OBS, bool) if mask is None else mask,
            weight=weights[options.get("statistic", "mean")],
        )
        found = field.image(shown, view, (40, 30), options.get("spread", 1))
        bits = None if mask is None else arrange_mask(index, mask)
        same_planes(found, aggregate(index, column, view, (40, 30), colors=colors, selected=bits, **options))


@pytest.mark.parametrize("color", COLORS, ids=str)
def test_a_summary_equals_that_of_one_process(field, here, color):
    dataset, _ = here
    target = resolve(color, dataset)
    data, summary = read(target, dataset, None), field.summary(target)
    if isinstance(data, Codes):
        assert summary.codes.categories == data.categories
        assert summary.counts() == category_counts(data)
        return
    numbers = describe(data, N_OBS)
    assert (summary.limits, summary.numbers.n_missing) == ((numbers.lo, numbers.hi), numbers.n_missing)
    np.testing.assert_array_equal(summary.numbers.histogram, numbers.histogram)
    np.testing.assert_allclose(
        summary.numbers.quantiles, numbers.quantiles, atol=(numbers.hi - numbers.lo) / 65534, rtol=0
    )


def test_a_polygon_is_tested_bit_for_bit(field, truth):
    found = field.polygon_mask(POLYGON)
    np.testing.assert_array_equal(found, in_polygon(truth.embeddings["umap"], POLYGON))
    assert 0 < np.count_nonzero(found) < N_OBS


@pytest.mark.parametrize("point", [(0.0, 0.0), (1.3, -2.0), (9.0, 9.0)])
def test_the_nearest_cell_is_the_nearest_of_all_and_never_a_hidden_one(field, here, truth, point):
    dataset, _ = here
    codes = dataset.codes("cell_type")
    for visible in (None, np.array([True, False, False, True, False])):
        xy = truth.embeddings["umap"].astype(np.float64).copy()
        if visible is not None:
            xy[~visible[codes.codes]] = np.nan
        distance = np.hypot(*(xy - point).T)
        distance[~np.isfinite(distance)] = np.inf
        expected = int(np.argmin(distance)) if distance.min() <= 1.5 else None
        coloring = field.summary(Target("obs", "cell_type"))
        found = field.nearest(*point, 1.5, shown_by(coloring, hidden=labels_but(coloring, visible)))
        assert found == (None if expected is None else (expected, *truth.embeddings["umap"][expected]))


@pytest.mark.parametrize("stretch", [0.01, 7.0])
def test_where_the_axes_have_scales_of_their_own_the_nearest_cell_is_that_on_the_screen(field, truth, stretch):
    xy = truth.embeddings["umap"].astype(np.float64)
    for point in ((0.0, 0.0), (1.3, -2.0), (9.0, 9.0)):
        distance = np.hypot(*((xy - point) * (1, stretch)).T)
        distance[~np.isfinite(distance)] = np.inf
        expected = int(np.argmin(distance)) if distance.min() <= 1.5 else None
        found = field.nearest(*point, 1.5, shown_by(NOTHING), stretch=stretch)
        assert (None if found is None else found[0]) == expected


@pytest.mark.parametrize("color", [None, "cell_type", "score", "ENSG0001"])
def test_a_sample_is_random_rows_with_their_places_and_values(field, here, truth, color):
    dataset, _ = here
    target = None if color is None else resolve(color, dataset)
    rows = Sample(N_OBS, 500, 7).rows
    assert len(set(rows.tolist())) == len(rows) == 500
    assert rows.tolist() != sorted(rows.tolist())
    xy, coloring = field.take(rows, NOTHING if target is None else field.summary(target))
    stored = truth.embeddings["umap"][rows]
    drawn = np.isfinite(stored).all(axis=1)
    np.testing.assert_array_equal(xy[drawn], stored[drawn])
    assert np.isnan(xy[~drawn]).all()
    if target is None:
        assert coloring is NOTHING
        return
    data = read(target, dataset, None)
    if isinstance(data, Codes):
        np.testing.assert_array_equal(coloring.codes.codes[drawn], data.codes[rows][drawn])
    else:
        dense = data.dense(N_OBS)[rows]
        step = np.nanmax(data.values) - min(np.nanmin(data.values), 0)
        np.testing.assert_allclose(coloring.numbers.dense()[drawn], dense[drawn], atol=step / 65534)


def test_other_axes_of_another_embedding_are_another_field(client, store, truth):
    field = ClusterCells(client, Source.of(store), N_OBS, "X_pca", (3, 1), rows_per_partition=1000)
    x, y = truth.embeddings["pca"][:, [3, 1]].astype(np.float32).T
    assert field.extent == (x.min(), x.max(), y.min(), y.max())
    field.close()


def test_two_columns_are_a_field_whose_ties_at_zero_are_counted(client, store, here):
    dataset, _ = here
    gene = str(dataset.var_labels[0])
    pair = dataset.find_embedding(("n_genes", f"var:{gene}"))
    expected = np.column_stack([dataset.numbers("n_genes"), dataset.values(gene)]).astype(np.float32)
    field = ClusterCells(client, Source.of(store), N_OBS, pair, rows_per_partition=1000)
    np.testing.assert_array_equal(field.coordinates(np.arange(0, N_OBS, 7)), expected[::7])
    x, y = expected.T
    assert field.extent == (x.min(), x.max(), y.min(), y.max())
    assert field.count((0, x.max(), 0, 0)) == np.count_nonzero(y == 0)
    field.close()


def test_one_dataset_is_open_in_each_worker_and_none_after_the_end(client, store):
    source = Source.of(store)
    before = client.run(n_open)
    first, second = (ClusterCells(client, source, N_OBS, rows_per_partition=300) for _ in range(2))
    first.summary(Target("obs", "cell_type"))
    assert all(count == before[worker] + 1 for worker, count in client.run(n_open).items())
    first.close()
    assert second.summary(Target("obs", "cell_type")).labels
    second.close()
    assert client.run(n_open) == before


def test_a_read_error_on_a_worker_has_the_sentence_of_one_process(client, field, tmp_path):
    with pytest.raises(UnknownName, match="no such column"):
        field.summary(Target("var", "no such column"))
    with pytest.raises(FileNotFoundError, match="no such file"):
        ClusterCells(client, Source.of(tmp_path / "no.cxg"), 10)


@pytest.fixture(params=["sparse", "dense"])
def folder(request, truth, tmp_path):
    return make_cxg(tmp_path / f"{request.param}.cxg", truth, request.param)


def test_every_layout_is_read_from_a_bucket_as_one_is_from_a_folder(client, field, truth, folder, object_store):
    uri = object_store.put(folder, f"cluster/{folder.name}")
    source = Source.of(uri, storage_options=object_store.storage_options)
    there = ClusterCells(client, source, N_OBS, rows_per_partition=1500)
    for target in (
        Target("obs", "cell_type"),
        Target("var", "ENSG0001"),
        Target("mean", genes=("ENSG0000", "ENSG0002")),
    ):
        coloring = field.summary(target)
        shown = shown_by(coloring, np.full((len(coloring.labels), 3), 7, dtype=np.uint8))
        found = [one.image(shown, VIEWS[0], (20, 20), 1) for one in (there, field)]
        same_planes(*found)
    np.testing.assert_array_equal(there.polygon_mask(POLYGON), in_polygon(truth.embeddings["umap"], POLYGON))
    there.close()


def test_secrets_are_in_no_repr_no_task_name_and_no_log(client, object_store, store):
    options = {**object_store.storage_options, "secret": "hush-hush", "key": "intruder"}
    source = Source.of("s3://cells/cluster/x.cxg", storage_options=options)
    assert "hush-hush" not in repr(source)
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    for name in ("distributed", "distributed.worker", "distributed.scheduler"):
        logging.getLogger(name).addHandler(handler)
    with pytest.raises(StorageDenied) as caught:
        ClusterCells(client, source, 10)
    keys = client.run_on_scheduler(lambda dask_scheduler: " ".join(map(str, dask_scheduler.tasks)))
    logs = str(client.get_worker_logs()) + str(client.get_scheduler_logs())
    for text in (str(caught.value), repr(caught.value), keys, logs, log.getvalue()):
        assert "hush-hush" not in text
        assert "intruder" not in text
