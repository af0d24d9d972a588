"""Finds the parts of a SOMA experiment: obs, and the var, layers and embeddings of one measurement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cxg_widget.datasets.tiledb_access.lookups import StoredGroup
from cxg_widget.datasets.tiledb_access.root import Root
from cxg_widget.errors import InvalidStore, UnknownName
from cxg_widget.text.names import not_found, shown

TYPE, VERSION = "soma_object_type", "soma_encoding_version"
_EXPERIMENT, _USUAL = "SOMAExperiment", "RNA"
_MAIN = ("data", "raw")
"""Names of the default layer, as written by tiledbsoma and by the CELLxGENE Census."""
_DEEPEST = 3

Note = Callable[[str], None]
Members = dict[str, tuple[str, str | None]]
"""By name, the path below the root and the kind: "array", "group" or None = unknown."""


@dataclass(frozen=True)
class Experiment:
    """Paths below the root.

    Attributes
    ----------
    version : version of the encoding, as stored
    measurement, measurements : name of the measurement to read, and the names of all
    obs, var : paths of the tables
    layers : X by name; the main matrix first
    obsm : embeddings by name
    uns : group of unstructured values, None if there is none
    """

    version: str
    measurement: str
    measurements: tuple[str, ...]
    obs: str
    var: str
    layers: Mapping[str, str]
    obsm: Mapping[str, str]
    uns: str | None


def find_experiment(store: Root, wanted: str | None, note: Note) -> Experiment:
    """Return the parts of the experiment at the root.

    Parameters
    ----------
    wanted : name of a measurement; None = "RNA", or the first one
    """
    groups = _Groups(store, wanted or _USUAL)
    version = _checked(store, groups)
    top = _members(store, "", groups, note)
    obs, ms = _part(store, top, "obs", "array", ""), _part(store, top, "ms", "group", "")
    if "spatial" in top:
        note("spatial scenes are left out: images, points and shapes of SOMA are not drawn.")
    measurements = {name: path for name, (path, kind) in _members(store, ms, groups, note).items() if kind != "array"}
    name = _chosen(store, measurements, wanted, note)
    parts = _members(store, measurements[name], groups, note)
    var = _part(store, parts, "var", "array", f"{measurements[name]}/")
    groups.read(*(parts[one][0] for one in ("X", "obsm") if one in parts))
    arrays = {
        one: {
            name: path for name, (path, kind) in _members(store, parts[one][0], groups, note).items() if kind != "group"
        }
        for one in ("X", "obsm")
        if one in parts
    }
    return Experiment(
        version,
        name,
        tuple(measurements),
        obs,
        var,
        _main_first(arrays.get("X", {})),
        arrays.get("obsm", {}),
        parts["uns"][0] if "uns" in parts else None,
    )


class _Groups:
    """Cache of the groups of a store by path.

    measurement : a remote store reads its expected groups in parallel
    """

    def __init__(self, store: Root, measurement: str) -> None:
        self._store, below = store, f"ms/{measurement}"
        usual = ("", "ms", below, f"{below}/X", f"{below}/obsm")
        self._known = store.groups_ahead(*usual) if store.is_remote else {}

    def __call__(self, path: str) -> StoredGroup:
        self.read(path)
        return self._known[path]

    def read(self, *paths: str) -> None:
        """Read groups into the cache; raises if one cannot be read."""
        new = [path for path in paths if path not in self._known]
        self._known |= dict(zip(new, self._store.groups(*new), strict=True))


def _checked(store: Root, groups: _Groups) -> str:
    """Return the version of an experiment; raise `InvalidStore` for other groups and later versions."""
    metadata = groups("").metadata
    kind, version = (_text(metadata.get(key)) for key in (TYPE, VERSION))
    if kind != _EXPERIMENT:
        raise InvalidStore(
            f"'{store.uri}' is a {kind or 'TileDB group'}, not a {_EXPERIMENT}{_advice(store, kind, groups)}."
        )
    if version.split(".")[0] not in ("1", ""):
        raise InvalidStore(
            f"'{store.uri}' is encoded as version {shown(version)} of SOMA; this release reads version 1. "
            "Look for a newer cxg-widget, or write an .h5ad with tiledbsoma.io.to_h5ad()."
        )
    return version


def _advice(store: Root, kind: str, groups: _Groups) -> str:
    """Return advice on what to open instead."""
    if kind == "SOMAMeasurement":
        return "; open the experiment above it, with measurement="
    found = _experiments(store, "", groups, _DEEPEST)
    if not found:
        return " and holds none"
    listed = ", ".join(f"'{store.uri.rstrip('/')}/{path}'" for path in found[:3])
    return f"; open {'its experiment' if len(found) == 1 else 'one of its experiments'}: {listed}"


def _experiments(store: Root, path: str, groups: _Groups, depth: int) -> list[str]:
    below = [one for one, kind in _members(store, path, groups, _nobody).values() if kind != "array"]
    groups.read(*below)
    found = []
    for one in below:
        if _text(groups(one).metadata.get(TYPE)) == _EXPERIMENT:
            found.append(one)
        elif depth > 1:
            found += _experiments(store, one, groups, depth - 1)
    return found


def _chosen(store: Root, measurements: Mapping[str, str], wanted: str | None, note: Note) -> str:
    if not measurements:
        raise InvalidStore(f"{store.uri}: the experiment has no measurement under ms/.")
    if wanted is not None:
        if wanted not in measurements:
            raise UnknownName(not_found("measurement", wanted, measurements, store.uri))
        return wanted
    name = _USUAL if _USUAL in measurements else next(iter(measurements))
    if len(measurements) > 1:
        others = ", ".join(repr(one) for one in measurements if one != name)
        note(f"measurement {name!r} is open; pass measurement= for {others}.")
    return name


def _main_first(layers: Mapping[str, str]) -> dict[str, str]:
    main = next((name for name in _MAIN if name in layers), None)
    return {name: layers[name] for name in sorted(layers, key=lambda name: (name != main, name))}


def _members(store: Root, path: str, groups: _Groups, note: Note) -> Members:
    """Return the members of a group, sorted by name; skips members outside the store, with a note."""
    found: Members = {}
    for name, uri, kind in sorted(groups(path).members, key=lambda one: one[0] or one[1]):
        known = name or uri.rstrip("/").rpartition("/")[2]
        below = store.path_of(uri) or _moved(store, path, known)
        if below is None:
            note(f"member {known!r} lies outside the store ({uri}) and is not followed.")
        else:
            found[known] = (below, kind)
    return found


def _moved(store: Root, path: str, name: str) -> str | None:
    """Return the path of a member that was registered by an absolute URI before the store was moved."""
    below = f"{path}/{name}" if path else name
    inside = name not in ("", ".", "..") and store.path_of(f"{store.root}/{below}") == below
    return below if inside and store.kind(below) is not None else None


def _part(store: Root, members: Members, name: str, kind: str, where: str) -> str:
    path, found = members.get(name, ("", None))
    if not path or found not in (kind, None):
        raise InvalidStore(f"{store.uri}: not a SOMA experiment; {where}{name} is missing.")
    return path


def _text(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value or "")


def _nobody(sentence: str) -> None:
    """Discard a note."""
