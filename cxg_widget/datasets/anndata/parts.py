"""Finds the AnnData in a store: at its root, or one of several in MuData and SpatialData."""

from __future__ import annotations

from cxg_widget.datasets.anndata.node import Group
from cxg_widget.errors import DamagedStore, InvalidStore, OtherFormat, UnknownName
from cxg_widget.text.names import not_found

_FOLDERS = ("mod", "tables", "table")
_FOREIGN = {
    "perhaps a loom file, which CxgWidget(anndata.io.read_loom(path)) shows": {"matrix", "row_attrs", "col_attrs"},
    "perhaps a count matrix of Cell Ranger, which opens from a local disk: download it": {"matrix"},
    "perhaps an image pyramid": {"0"},
}


def find_part(root: Group, key: str | None, what: str) -> Group:
    """Return the group with obs and var.

    Parameters
    ----------
    root : root group of the store
    key : path of the group, or the name of one of several; None = the root
    what : kind of file for messages, such as "HDF5 file"

    Raises
    ------
    OtherFormat
        If it is MuData or SpatialData.
    InvalidStore, UnknownName
        If it is something else, or there is nothing at `key`.
    """
    if key is None:
        if is_anndata(root):
            return root
        raise _refusal(root, what)
    parts = find_parts(root)
    for path in (key, *(f"{folder}/{key}" for folder in _FOLDERS)):
        found = root.get(path)
        if isinstance(found, Group) and is_anndata(found):
            return found
    if isinstance(root.get(key), Group):
        raise InvalidStore(f"'{root.uri}': {key} is not AnnData (no obs/var).{_choose(parts)}")
    raise UnknownName(not_found("part", key, parts, f"'{root.uri}'"))


def find_parts(root: Group) -> list[str]:
    """Return the paths of the AnnData below a store's root."""
    found = []
    for folder in _FOLDERS:
        group = root.get(folder)
        if isinstance(group, Group):
            members = [(name, _member(group, name)) for name in group.names()]
            found += [f"{folder}/{name}" for name, one in members if isinstance(one, Group) and is_anndata(one)]
    return found


def is_mudata(root: Group) -> bool:
    """Return whether a root group is MuData."""
    return root.encoding.lower() == "mudata" or (not root.encoding and isinstance(_member(root, "mod"), Group))


def is_anndata(group: Group) -> bool:
    """Return whether a group is AnnData: has obs and var, and is neither MuData nor SpatialData."""
    if is_mudata(group) or "spatialdata_attrs" in group.attrs:
        return False
    return _member(group, "obs") is not None and _member(group, "var") is not None


def _member(group: Group, name: str) -> object:
    try:
        return group.get(name)
    except (InvalidStore, DamagedStore):
        return None


def _refusal(root: Group, what: str) -> InvalidStore:
    parts, names = find_parts(root), root.names()
    if is_mudata(root):
        format_ = "h5mu" if what.startswith("HDF5") else "zarr-mudata"
        sentence = f"'{root.uri}' is MuData, which format={format_!r} opens as a whole.{_choose(parts)}"
        return OtherFormat(sentence, format_)
    if "spatialdata_attrs" in root.attrs or {"images", "points", "shapes", "tables"} & set(names):
        sentence = f"'{root.uri}' is SpatialData, which format='spatialdata' opens with its images.{_choose(parts)}"
        return InvalidStore(sentence) if what.startswith("HDF5") else OtherFormat(sentence, "spatialdata")
    shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    guess = next((f"; {guess}" for guess, members in _FOREIGN.items() if members <= set(names)), "")
    missing = "/".join(name for name in ("obs", "var") if name not in names)
    why = f"no {missing}; " if missing else ""
    return InvalidStore(f"'{root.uri}': {what} but not AnnData ({why}top-level keys: {shown or 'none'}{guess}).")


def _choose(parts: list[str]) -> str:
    if not parts:
        return " It contains no AnnData."
    return f" Choose one with key=: {', '.join(repr(part) for part in parts)}."
