"""The parts of a SOMA experiment by their paths: obs, and var, layers and embeddings of one measurement."""

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
"""Names of the layer that is the matrix where nobody says: of tiledbsoma, and of the CELLxGENE Census."""
_DEEPEST = 3

Note = Callable[[str], None]
Members = dict[str, tuple[str, str | None]]
"""Path below the root and kind, "array" or "group", by name."""


@dataclass(frozen=True)
class Experiment:
    """Paths below the root.

    Attributes
    ----------
    version : of the encoding, as the store names it
    measurement, measurements : the one that is read, and the names of all
    obs, var : the tables
    layers : X by name; the main matrix first
    obsm : embeddings by name
    uns : the group of unstructured values, None where there is none
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

    Raises
    ------
    InvalidStore
        If there is no experiment, it is of a later version, or a part is missing that every one has.
    UnknownName
        If it has no such measurement.
    DamagedStore
        If a group cannot be read.
    """
    group = store.groups("")[0]
    version = _checked(store, group)
    top = _members(store, "", group, note)
    obs, ms = _part(store, top, "obs", "array", ""), _part(store, top, "ms", "group", "")
    if "spatial" in top:
        note("spatial scenes are left out: images, points and shapes of SOMA are not drawn.")
    measurements = {name: path for name, (path, kind) in _below(store, ms, note).items() if kind != "array"}
    name = _chosen(store, measurements, wanted, note)
    parts = _below(store, measurements[name], note)
    var = _part(store, parts, "var", "array", f"{measurements[name]}/")
    names = [one for one in ("X", "obsm") if one in parts]
    found = dict(zip(names, store.groups(*(parts[one][0] for one in names)), strict=True))
    arrays = {one: _arrays(store, parts[one][0], group, note) for one, group in found.items()}
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


def _checked(store: Root, group: StoredGroup) -> str:
    """Return the version of an experiment; raise `InvalidStore` for other groups and later versions."""
    kind, version = (_text(group.metadata.get(key)) for key in (TYPE, VERSION))
    if kind != _EXPERIMENT:
        raise InvalidStore(f"'{store.uri}' is a {kind or 'TileDB group'}, not a {_EXPERIMENT}{_advice(store, kind)}.")
    if version.split(".")[0] not in ("1", ""):
        raise InvalidStore(
            f"'{store.uri}' is encoded as version {shown(version)} of SOMA; this release reads version 1. "
            "Look for a newer cxg-widget, or write an .h5ad with tiledbsoma.io.to_h5ad()."
        )
    return version


def _advice(store: Root, kind: str) -> str:
    """Say what to open instead."""
    if kind == "SOMAMeasurement":
        return "; open the experiment above it, with measurement="
    found = list(_experiments(store, "", _DEEPEST))
    if not found:
        return " and holds none"
    listed = ", ".join(f"'{store.uri.rstrip('/')}/{path}'" for path in found[:3])
    return f"; open {'its experiment' if len(found) == 1 else 'one of its experiments'}: {listed}"


def _experiments(store: Root, path: str, depth: int) -> list[str]:
    below = {name: one for name, (one, kind) in _below(store, path, _nobody).items() if kind != "array"}
    groups = store.groups(*below.values())
    found = []
    for one, group in zip(below.values(), groups, strict=True):
        if _text(group.metadata.get(TYPE)) == _EXPERIMENT:
            found.append(one)
        elif depth > 1:
            found += _experiments(store, one, depth - 1)
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


def _arrays(store: Root, path: str, group: StoredGroup, note: Note) -> dict[str, str]:
    return {name: one for name, (one, kind) in _members(store, path, group, note).items() if kind != "group"}


def _below(store: Root, path: str, note: Note) -> Members:
    return _members(store, path, store.groups(path)[0], note)


def _members(store: Root, path: str, group: StoredGroup, note: Note) -> Members:
    """Return the members of a group, sorted by name; those outside of the store are not followed."""
    found: Members = {}
    for name, uri, kind in sorted(group.members, key=lambda one: one[0] or one[1]):
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
    """Tell nobody."""
