"""Sets as GeoJSON features for QuPath, spatialdata and geopandas, and rules of sets from features."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.display.settings import own_copy
from cxg_widget.errors import CxgWidgetError, DatasetNotFound, InvalidStore, InvalidValue
from cxg_widget.files.target import local_path
from cxg_widget.files.writing import writing
from cxg_widget.rules.forms import Rule, check_rule
from cxg_widget.spatial.polygon import as_polygon, contains_each
from cxg_widget.text.names import shortened, shown

OWN = "cxg_widget"
"""Member of a feature or collection for data that GeoJSON has no member for."""
_GEOMETRIES = ("Polygon", "MultiPolygon", "GeometryCollection", "Point", "MultiPoint")

Ring = list[list[float]]


@dataclass(frozen=True)
class Place:
    """Coordinates of a document: an embedding, or two columns as a list, and two of its axes."""

    embedding: Any
    axes: tuple[int, int]

    def rule(self, ring: Any) -> Rule:
        """Return the rule of the cells in a ring; raises `SelectionError` if it is invalid."""
        polygon = as_polygon(ring)
        closed = len(polygon) > 3 and bool((polygon[0] == polygon[-1]).all())
        corners = (polygon[:-1] if closed else polygon).tolist()
        return {"polygon": corners, "embedding": self.embedding, "axes": list(self.axes)}

    def ring_of(self, rule: Rule) -> Ring | None:
        """Return the corners of a rule that is a single polygon in these coordinates, else None."""
        if "polygon" not in rule or (rule["embedding"], tuple(rule.get("axes", (0, 1)))) != (self.embedding, self.axes):
            return None
        found: Ring = as_polygon(rule["polygon"]).tolist()
        return found


# Files.


def save_geojson(path: str | os.PathLike[str], document: Mapping[str, Any]) -> None:
    """Write a document to a file atomically; raises as `Sets.to_geojson`."""
    file = _checked(path)
    with writing(file, replaces=True) as place, place.partial.open("w", encoding="utf-8") as target:
        json.dump(document, target, ensure_ascii=False, allow_nan=False)


def read_geojson(path: str | os.PathLike[str]) -> Any:
    """Read the document of a file; raises as `Sets.from_geojson`."""
    file = _checked(path)
    if not file.is_file():
        raise DatasetNotFound(f"'{file}': no such file.")
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidStore(f"'{file}' cannot be read as GeoJSON: {shortened(str(error), 200).rstrip('.')}.") from error


def _checked(path: str | os.PathLike[str]) -> Path:
    file = local_path(path)
    if file.suffix not in (".geojson", ".json"):
        raise InvalidValue(f"sets are saved in a .geojson or .json; found {shown(os.fspath(path))}")
    return file


# Sets as features.


def features_of(
    rule_of_set: Rule, color: str, place: Place, places: Callable[[str], NDArray[np.float32]]
) -> list[dict[str, Any]]:
    """Return the features of a set: one, or one per polygon if several overlap.

    A set that is not made of polygons becomes a MultiPoint with its rule.

    rule_of_set : {"name", "rule"}, and "within" for a set inside another
    places : returns the coordinates of the cells of a set, float32 (k, 2), without cells that have none
    """
    name, rule = rule_of_set["name"], rule_of_set["rule"]
    own = {key: rule_of_set[key] for key in ("within",) if key in rule_of_set}
    geometries = _polygons(rule, place)
    if geometries is None:
        points = places(name)
        known = points[np.isfinite(points).all(axis=1)].astype(np.float64)
        geometries, own = [{"type": "MultiPoint", "coordinates": known.tolist()}], {**own, "rule": own_copy(rule)}
    rgb = [int(color[at : at + 2], 16) for at in (1, 3, 5)]
    properties = {"objectType": "annotation", "name": name, "classification": {"name": name, "color": rgb}, OWN: own}
    return [{"type": "Feature", "geometry": one, "properties": properties} for one in geometries]


def _polygons(rule: Rule, place: Place) -> list[dict[str, Any]] | None:
    """Return the polygons of a rule, None if it has other parts."""
    parts = [_with_holes(one, place) for one in _alternatives(rule)]
    known = [one for one in parts if one is not None]
    if len(known) < len(parts) or not parts:
        return None
    if len(known) > 1 and all(_are_apart(a[0], b[0]) for a, b in combinations(known, 2)):
        return [{"type": "MultiPolygon", "coordinates": [[*map(_closed, one)] for one in known]}]
    return [{"type": "Polygon", "coordinates": [*map(_closed, one)]} for one in known]


def _alternatives(rule: Rule) -> list[Rule]:
    return [inner for one in rule["or"] for inner in _alternatives(one)] if "or" in rule else [rule]


def _with_holes(rule: Rule, place: Place) -> list[Ring] | None:
    """Return a ring and its holes; None if a rule has other parts, or a hole crosses the edge."""
    if "minus" not in rule:
        ring = place.ring_of(rule)
        return None if ring is None else [ring]
    first, second = rule["minus"]
    ring, holes = place.ring_of(first), [place.ring_of(one) for one in _alternatives(second)]
    cut = [one for one in holes if one is not None]
    if ring is None or len(cut) < len(holes) or not all(_holds(ring, one) for one in cut):
        return None
    return [ring, *cut] if all(_are_apart(a, b) for a, b in combinations(cut, 2)) else None


def _closed(ring: Ring) -> Ring:
    return [*ring, ring[0]]


def _holds(outer: Ring, inner: Ring) -> bool:
    return not _cross(outer, inner) and bool(contains_each(np.array(inner, np.float32), np.array(outer)).all())


def _are_apart(a: Ring, b: Ring) -> bool:
    (low_a, high_a), (low_b, high_b) = (np.array([np.min(one, axis=0), np.max(one, axis=0)]) for one in (a, b))
    if (high_a < low_b).any() or (high_b < low_a).any():
        return True
    return not (_cross(a, b) or _holds_first(a, b) or _holds_first(b, a))


def _holds_first(outer: Ring, inner: Ring) -> bool:
    return bool(contains_each(np.array(inner[:1], np.float32), np.array(outer))[0])


def _cross(a: Ring, b: Ring) -> bool:
    """Return whether an edge of one ring crosses one of the other."""
    first, second = np.array(b), np.roll(np.array(b), -1, axis=0)
    for start, end in zip(np.array(a), np.roll(np.array(a), -1, axis=0), strict=True):
        sides = _side(start, end, first) * _side(start, end, second)
        others = _side(first, second, start) * _side(first, second, end)
        near = (np.minimum(first, second) <= np.maximum(start, end)) & (
            np.maximum(first, second) >= np.minimum(start, end)
        )
        if ((sides <= 0) & (others <= 0) & near.all(axis=1)).any():
            return True
    return False


def _side(a: Any, b: Any, point: Any) -> Any:
    return np.sign(
        (b[..., 0] - a[..., 0]) * (point[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (point[..., 0] - a[..., 0])
    )


# Features as sets.


@dataclass(frozen=True)
class ReadSet:
    """A set read from features: its rule, color ("#rrggbb") and parent set, if given."""

    name: str
    rule: Rule
    color: str | None
    within: str | None


def place_in(document: Any) -> Place | None:
    """Return the coordinates of a document, if it was written by this package."""
    own = document.get(OWN) if isinstance(document, Mapping) else None
    if not isinstance(own, Mapping) or not isinstance(own.get("embedding"), str | list):
        return None
    axes = own.get("axes", [0, 1])
    if not isinstance(axes, list) or len(axes) != 2 or not all(type(one) is int for one in axes):
        return None
    return Place(own["embedding"], (axes[0], axes[1]))


def sets_of(document: Any, place: Place) -> tuple[list[ReadSet], int]:
    """Return the sets of a document, in order, and the number of features without an area.

    Polygons of one name are one set. A feature without polygons is read if it has a rule of this package.

    Raises
    ------
    InvalidValue, SelectionError
        If it is not GeoJSON, or a polygon or rule in it is invalid.
    """
    rules: dict[str, list[Rule]] = {}
    properties_of: dict[str, Mapping[str, Any]] = {}
    n_left_out = 0
    for at, feature in enumerate(_features(document)):
        properties = feature.get("properties")
        properties = properties if isinstance(properties, Mapping) else {}
        name = _name_of(properties) or f"region {at + 1}"
        try:
            found = _rules_of(feature.get("geometry"), properties, place)
        except (CxgWidgetError, RecursionError) as error:
            raise InvalidValue(f"feature {at + 1} ({shown(name)}): {error}") from error
        if not found:
            n_left_out += 1
            continue
        rules.setdefault(name, []).extend(found)
        properties_of.setdefault(name, properties)
    sets = [
        ReadSet(
            name,
            found[0] if len(found) == 1 else {"or": found},
            _color_of(properties_of[name]),
            _own(properties_of[name]).get("within"),
        )
        for name, found in rules.items()
    ]
    return sets, n_left_out


def _features(document: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the features of a collection, a list, a single feature, or a bare geometry."""
    kind = document.get("type") if isinstance(document, Mapping) else None
    if kind == "FeatureCollection":
        document = document.get("features")
    elif kind == "Feature":
        document = [document]
    elif kind in _GEOMETRIES:
        document = [{"type": "Feature", "geometry": document}]
    if not isinstance(document, Sequence) or isinstance(document, str | bytes):
        raise InvalidValue(
            f"GeoJSON is a FeatureCollection, a feature, a list of features or a geometry; found {shown(document)}"
        )
    for one in document:
        if not isinstance(one, Mapping) or one.get("type") != "Feature":
            raise InvalidValue(f"the features of GeoJSON are objects of type 'Feature'; found {shown(one)}")
        yield one


def _rules_of(geometry: Any, properties: Mapping[str, Any], place: Place) -> list[Rule]:
    kind = geometry.get("type") if isinstance(geometry, Mapping) else None
    if kind == "GeometryCollection":
        return [rule for one in _listed(geometry.get("geometries")) for rule in _rules_of(one, {}, place)]
    if kind == "Polygon":
        return [_area(geometry.get("coordinates"), place)]
    if kind == "MultiPolygon":
        return [_area(one, place) for one in _listed(geometry.get("coordinates"))]
    rule = _own(properties).get("rule")
    return [] if rule is None else [check_rule(rule)]


def _area(rings: Any, place: Place) -> Rule:
    """Return the rule of a polygon and its holes."""
    found = [place.rule([corner[:2] for corner in map(_listed, _listed(ring))]) for ring in _listed(rings)]
    if not found:
        raise InvalidValue("a polygon lists its rings, the outer one first; found none")
    outer, *holes = found
    if not holes:
        return outer
    return {"minus": [outer, holes[0] if len(holes) == 1 else {"or": holes}]}


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        raise InvalidValue(f"coordinates are lists of numbers; found {shown(value)}")
    return list(value)


def _own(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    own = properties.get(OWN)
    return own if isinstance(own, Mapping) else {}


def _name_of(properties: Mapping[str, Any]) -> str:
    """Return the name of a feature or of its class; QuPath writes both."""
    kind = properties.get("classification")
    for name in (properties.get("name"), kind.get("name") if isinstance(kind, Mapping) else kind):
        if isinstance(name, str) and name.strip():
            return name
    return ""


def _color_of(properties: Mapping[str, Any]) -> str | None:
    """Return the color of a feature or of its class: three numbers, or one integer before QuPath 0.4."""
    kind = properties.get("classification")
    for held in (properties, kind if isinstance(kind, Mapping) else {}):
        color, packed = held.get("color"), held.get("colorRGB")
        if (
            isinstance(color, list | tuple)
            and len(color) == 3
            and all(type(one) is int and 0 <= one < 256 for one in color)
        ):
            return "#{:02x}{:02x}{:02x}".format(*color)
        if type(packed) is int:
            return f"#{packed & 0xFFFFFF:06x}"
    return None
