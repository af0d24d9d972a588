"""Sets as GeoJSON and back: polygons, holes, points; what QuPath and geopandas write."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.values import Codes
from cxg_widget.errors import CxgWidgetError, DatasetNotFound, InvalidStore, InvalidValue, UnknownName
from tests.memory import MemoryDataset

N_OBS = 600
XY = np.random.default_rng(4).uniform(0, 10, (N_OBS, 2)).astype(np.float32)
XY[::97] = np.nan
TYPES = Codes((np.arange(N_OBS) % 3).astype(np.int8), ("B cell", "T cell", "NK"))


def box(x0, y0, x1, y1):
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


def in_box(x0, y0, x1, y1):
    """Return which cells lie in a box, of which none lies on the edge."""
    x, y = XY.T
    return (x > x0) & (x < x1) & (y > y0) & (y < y1)


@pytest.fixture
def widgets():
    made = []

    def make(**embeddings):
        held = {"spatial": XY, "umap": XY[:, ::-1].copy(), **embeddings}
        made.append(CxgWidget(MemoryDataset({"type": TYPES}, np.zeros((N_OBS, 2), np.float32), ["g", "h"], held)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def lassoed(widget, *lassos):
    """Return the cells of lassos, each with its mode."""
    for mode, corners in lassos:
        widget.select(polygon=corners, mode=mode)
    return widget.selection


OUTER, HOLE, SECOND, FAR, ACROSS = (1, 1, 6, 6), (2, 2, 3, 3), (4, 4, 5, 5), (7, 7, 9, 9), (5, 5, 8, 8)
LASSOS = {
    "one": ([("replace", OUTER)], ["Polygon"], in_box(*OUTER)),
    "a hole": ([("replace", OUTER), ("subtract", HOLE)], ["Polygon"], in_box(*OUTER) & ~in_box(*HOLE)),
    "two holes": (
        [("replace", OUTER), ("subtract", HOLE), ("subtract", SECOND)],
        ["Polygon"],
        in_box(*OUTER) & ~in_box(*HOLE) & ~in_box(*SECOND),
    ),
    "apart": ([("replace", OUTER), ("add", FAR)], ["MultiPolygon"], in_box(*OUTER) | in_box(*FAR)),
    "apart, with a hole": (
        [("replace", OUTER), ("subtract", HOLE), ("add", FAR)],
        ["MultiPolygon"],
        (in_box(*OUTER) & ~in_box(*HOLE)) | in_box(*FAR),
    ),
    "overlapping": ([("replace", OUTER), ("add", ACROSS)], ["Polygon", "Polygon"], in_box(*OUTER) | in_box(*ACROSS)),
    "a cut edge": ([("replace", OUTER), ("subtract", ACROSS)], ["MultiPoint"], in_box(*OUTER) & ~in_box(*ACROSS)),
    "both": ([("replace", OUTER), ("intersect", ACROSS)], ["MultiPoint"], in_box(*OUTER) & in_box(*ACROSS)),
}


@pytest.mark.parametrize("name", LASSOS)
def test_lassos_are_polygons_where_they_can_be_and_come_back_as_they_were(name, widgets, tmp_path):
    lassos, kinds, mask = LASSOS[name]
    widget = widgets()
    made = widget.sets.add(name, lassoed(widget, *[(mode, box(*corners)) for mode, corners in lassos]))
    widget.sets.recolor(name, "#12ab34")
    document = widget.sets.to_geojson()
    assert [one["geometry"]["type"] for one in document["features"]] == kinds
    for feature in document["features"]:
        assert feature["properties"]["name"] == name
        assert feature["properties"]["classification"] == {"name": name, "color": [0x12, 0xAB, 0x34]}
        for ring in rings_of(feature["geometry"]):
            assert ring[0] == ring[-1]
    path = tmp_path / "sets.geojson"
    assert widget.sets.to_geojson(path) is None
    assert json.loads(path.read_text()) == document
    other = widgets()
    assert other.sets.from_geojson(path) == [name]
    np.testing.assert_array_equal(other.sets[name].mask, mask)
    assert other.sets[name].rule == made.rule
    assert other.sets.colors[name] == "#12ab34"


def rings_of(geometry):
    if geometry["type"] == "MultiPoint":
        return []
    areas = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    return [ring for one in areas for ring in one]


@pytest.mark.parametrize(
    "what", [{"type": ["NK"]}, "type == 'NK'", np.arange(2, N_OBS, 3)], ids=["values", "query", "rows"]
)
def test_sets_that_are_no_polygon_are_the_points_of_their_cells_with_their_rule(what, widgets):
    widget = widgets()
    widget.sets.add("NK", what)
    (feature,) = widget.sets.to_geojson()["features"]
    assert feature["geometry"]["type"] == "MultiPoint"
    expected = XY[2::3].astype(np.float64)
    np.testing.assert_array_equal(feature["geometry"]["coordinates"], expected[np.isfinite(expected).all(axis=1)])
    other = widgets() if widget.sets["NK"].rule.get("rows") is None else widget  # rows fit their own dataset alone
    other.sets.from_geojson(json.loads(json.dumps(widget.sets.to_geojson())))
    np.testing.assert_array_equal(other.sets["NK"].mask, TYPES.codes == 2)


def test_coordinates_are_those_of_the_embedding_on_show(widgets):
    widget = widgets()
    widget.embedding = "umap"
    widget.sets.add("in umap", lassoed(widget, ("replace", box(*OUTER))))
    widget.embedding = "spatial"
    widget.sets.add("in spatial", lassoed(widget, ("replace", box(*FAR))))
    document = widget.sets.to_geojson()
    assert document["cxg_widget"] == {"embedding": "spatial", "axes": [0, 1]}
    assert [one["geometry"]["type"] for one in document["features"]] == ["MultiPoint", "Polygon"]
    other = widgets()
    other.embedding = "umap"  # the file says which one is meant
    other.sets.from_geojson(document)
    np.testing.assert_array_equal(other.sets["in spatial"].mask, in_box(*FAR))
    np.testing.assert_array_equal(other.sets["in umap"].mask, widget.sets["in umap"].mask)


def test_gates_hang_below_the_sets_that_hold_them(widgets):
    widget = widgets()
    widget.sets.add("tissue", lassoed(widget, ("replace", box(*OUTER))))
    widget.sets.add("NK in it", {"type": "NK"}, within="tissue")
    other = widgets()
    other.sets.from_geojson(widget.sets.to_geojson())
    assert other.sets.frame()["within"].tolist() == [None, "tissue"]
    other.sets.from_geojson({**polygon(box(*FAR)), "properties": {"name": "tissue"}})  # which holds it no more
    assert other.sets.frame().loc["NK in it", "within"] is None


def polygon(*rings, **properties):
    closed = [[*ring, ring[0]] for ring in rings]
    return {"type": "Feature", "geometry": {"type": "Polygon", "coordinates": closed}, "properties": properties}


def test_regions_of_qupath_are_called_by_their_name_or_their_class(widgets):
    # As QuPath 0.5 and, of the last one, 0.3 export annotations.
    document = [
        polygon(box(*OUTER), objectType="annotation", classification={"name": "Tumor", "color": [200, 0, 0]}),
        polygon(box(*FAR), objectType="annotation", classification={"name": "Tumor", "color": [200, 0, 0]}),
        polygon(box(*HOLE), objectType="annotation", name="vessel", classification={"name": "Other"}),
        polygon(box(*SECOND), classification={"name": "Stroma", "colorRGB": -6895466}),
        polygon(box(*ACROSS), isLocked=False),
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": [3, 3]}, "properties": {"name": "a mark"}},
    ]
    widget = widgets()
    with pytest.warns(UserWarning, match="left out 1 feature without a polygon"):
        assert widget.sets.from_geojson(document) == ["Tumor", "vessel", "Stroma", "region 5"]
    np.testing.assert_array_equal(widget.sets["Tumor"].mask, in_box(*OUTER) | in_box(*FAR))
    np.testing.assert_array_equal(widget.sets["vessel"].mask, in_box(*HOLE))
    assert widget.sets.colors["Tumor"] == "#c80000"
    assert widget.sets.colors["Stroma"] == "#96c896"
    assert len(set(widget.sets.colors.values())) == 4
    widget.undo()  # one step, however many sets
    assert list(widget.sets) == []


def test_what_has_a_geo_interface_and_nested_geometries_are_read(widgets):
    rings = (*box(*OUTER), (1, 1, 5)), (*box(*HOLE), (2, 2))  # as tuples, some with a height
    geometries = ({"type": "Polygon", "coordinates": rings},)
    region = SimpleNamespace(__geo_interface__={"type": "GeometryCollection", "geometries": geometries})
    widget = widgets()
    assert widget.sets.from_geojson(region) == ["region 1"]
    np.testing.assert_array_equal(widget.sets["region 1"].mask, in_box(*OUTER) & ~in_box(*HOLE))


@pytest.mark.parametrize(
    ("error", "sentence", "given"),
    [
        (InvalidValue, "GeoJSON is a FeatureCollection, a feature", {"type": "Topology"}),
        (InvalidValue, "GeoJSON is a FeatureCollection, a feature", 3),
        (InvalidValue, "the features of GeoJSON are objects of type 'Feature'; found 3", [3]),
        (InvalidValue, "this GeoJSON has no polygons", {"type": "Point", "coordinates": [0, 0]}),
        (InvalidValue, "this GeoJSON has no polygons", {"type": "FeatureCollection", "features": []}),
        (InvalidValue, "feature 1 ('a'): a polygon must have shape (k, 2)", polygon([[0, 0]], name="a")),
        (InvalidValue, "feature 1 ('a'): a polygon must be finite", polygon(box(0, 0, 1, np.nan), name="a")),
        (InvalidValue, "a polygon lists its rings", polygon(name="a")),
        (InvalidValue, "coordinates are lists of numbers; found 'abc'", {"type": "Polygon", "coordinates": "abc"}),
        (InvalidValue, "the name of a set is a text of at most 200 letters", polygon(box(*OUTER), name="a" * 201)),
        (
            UnknownName,
            "tissue_type",
            {"type": "Feature", "properties": {"cxg_widget": {"rule": {"obs": "tissue_type", "in": ["a"]}}}},
        ),
        (InvalidValue, "sets are saved in a .geojson or .json; found 'a.csv'", "a.csv"),
        (DatasetNotFound, "no such file", "nowhere.geojson"),
    ],
)  # fmt: skip
def test_what_makes_no_sets_is_one_sentence_and_makes_none(error, sentence, given, widgets):
    widget = widgets()
    widget.sets.add("mine", [0])
    with pytest.raises(error, match=re.escape(sentence)) as caught:
        widget.sets.from_geojson(given)
    assert "\n" not in str(caught.value)
    assert list(widget.sets) == ["mine"]


def test_a_file_that_is_no_json_and_a_widget_without_sets_are_one_sentence(widgets, tmp_path):
    path = tmp_path / "a.geojson"
    path.write_text("{" * 100_000)
    with pytest.raises(InvalidStore, match="cannot be read as GeoJSON"):
        widgets().sets.from_geojson(path)
    with pytest.raises(CxgWidgetError, match="this widget has no set to save"):
        widgets().sets.to_geojson()
