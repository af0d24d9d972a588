"""Sets as GeoJSON, read by shapely: the areas that we write hold the cells of the sets, and are valid."""

from __future__ import annotations

import numpy as np
import pytest

from cxg_widget import CxgWidget
from tests.memory import MemoryDataset

shapely = pytest.importorskip("shapely", reason="shapely is not installed (`make test-peers` has it)")

N_OBS = 4_000
XY = np.random.default_rng(7).uniform(-10, 10, (N_OBS, 2)).astype(np.float32)


def star(rng, radius, *, at=(0, 0), n=40):
    """Return a ring around a place whose corners lie at any distances, which does not cross itself."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, n))
    reach = rng.uniform(0.6, 1.0, n) * radius
    return np.column_stack([np.cos(angle) * reach + at[0], np.sin(angle) * reach + at[1]])


@pytest.fixture
def widget():
    shown = CxgWidget(MemoryDataset({}, np.zeros((N_OBS, 1), np.float32), ["g"], {"spatial": XY}))
    yield shown
    shown.close()


@pytest.mark.parametrize("seed", range(5))
def test_areas_are_valid_and_hold_the_cells_of_their_set(seed, widget):
    rng = np.random.default_rng(seed)
    widget.select(polygon=star(rng, 5, at=(-4, 0)))
    widget.select(polygon=star(rng, 1.2, at=(-4, 0)), mode="subtract")
    widget.select(polygon=star(rng, 2, at=(6, 6)), mode="add")
    mask = widget.sets.add("area").mask
    (feature,) = widget.sets.to_geojson()["features"]
    area = shapely.geometry.shape(feature["geometry"])
    assert area.geom_type == "MultiPolygon"
    assert area.is_valid
    np.testing.assert_array_equal(shapely.contains_xy(area, XY[:, 0].astype(float), XY[:, 1].astype(float)), mask)


@pytest.mark.parametrize("seed", range(5))
def test_regions_that_shapely_makes_are_sets_of_the_cells_in_them(seed, widget):
    rng = np.random.default_rng(100 + seed)
    rings = [star(rng, rng.uniform(1, 5), at=rng.uniform(-5, 5, 2)) for _ in range(5)]
    area = shapely.union_all([shapely.Polygon(ring).buffer(0.1) for ring in rings[:4]]) - shapely.Polygon(rings[4])
    widget.sets.from_geojson(area)
    expected = shapely.contains_xy(area, XY[:, 0].astype(float), XY[:, 1].astype(float))
    assert 0 < expected.sum() < N_OBS
    np.testing.assert_array_equal(widget.sets["region 1"].mask, expected)


def test_a_lasso_that_crosses_itself_holds_the_same_cells_once_it_is_made_valid(widget):
    widget.select(polygon=np.random.default_rng(2).uniform(-9, 9, (12, 2)))
    mask = widget.sets.add("crossed").mask
    (feature,) = widget.sets.to_geojson()["features"]
    area = shapely.make_valid(shapely.geometry.shape(feature["geometry"]))
    np.testing.assert_array_equal(shapely.contains_xy(area, XY[:, 0].astype(float), XY[:, 1].astype(float)), mask)


def test_geopandas_reads_names_and_gives_them_back(widget, tmp_path):
    geopandas = pytest.importorskip("geopandas", reason="geopandas is not installed (`make test-peers` has it)")
    widget.select(polygon=star(np.random.default_rng(0), 4))
    mask = widget.sets.add("a region").mask
    widget.sets.to_geojson(tmp_path / "a.geojson")
    frame = geopandas.read_file(tmp_path / "a.geojson")
    assert frame["name"].tolist() == ["a region"]
    del widget.sets["a region"]
    frame[["name", "geometry"]].to_file(tmp_path / "again.geojson", driver="GeoJSON")
    for source in (frame, tmp_path / "again.geojson"):
        assert widget.sets.from_geojson(source) == ["a region"]
        np.testing.assert_array_equal(widget.sets["a region"].mask, mask)
        del widget.sets["a region"]
