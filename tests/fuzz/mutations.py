"""What is done to a store: a seed chooses the mutation, the file and the place, the same each time."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tiledb

_UNIQUE = re.compile(
    r"[0-9a-f]{32,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|__\d{10,}_\d{10,}|[01]{10,}[0-9a-f]*|\d{10,}"
)
_TEXT = re.compile(rb'"(?:[^"\\\n]|\\.){0,40}"|-?\d+(?:\.\d+)?|true|false|null|[\[\]{}:,]')
_HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 3, 2**31, 10**18, 2**64, 0.5, 1e308, "", "x", "\x00", "../..", "<b>", "x" * 5_000, [], [1], {},
    {"a": 1}, [[0, 1]], "2", "NaN", ["x", "x"], -(2**63),
)  # fmt: skip
Rng = np.random.Generator


def files_of(store: Path) -> list[Path]:
    """Return the files in an order that does not depend on the random parts of their names."""
    if store.is_file():
        return [store]
    found = [one for one in store.rglob("*") if one.is_file()]
    return sorted(found, key=lambda one: (canonical(one, store), one.stat().st_mtime_ns, one.name))


def canonical(path: Path, store: Path) -> str:
    """Return a path within a store without the random parts of its names."""
    return _UNIQUE.sub("*", path.relative_to(store.parent).as_posix())


def mutate(store: Path, rng: Rng, ways: Mapping[str, Callable[[Path, Rng], str]] | None = None) -> tuple[str, str]:
    """Damage a store in one of some ways, None = `MUTATIONS`; return the name of the mutation and where it was."""
    ways = MUTATIONS if ways is None else ways
    names = list(ways)
    for _ in range(100):
        name = names[int(rng.integers(len(names)))]
        where = ways[name](store, rng)
        if where:
            return name, where
    raise ValueError(f"nothing of {store} can be damaged")


def bits(store: Path, rng: Rng) -> str:
    """Flip one to eight bits of one file."""
    path, content = _file(store, rng)
    if not content:
        return ""
    for at in rng.integers(len(content), size=int(rng.integers(1, 9))):
        content[at] ^= 1 << int(rng.integers(8))
    path.write_bytes(content)
    return canonical(path, store)


def zeros(store: Path, rng: Rng) -> str:
    """Overwrite a block of one file with zeros, as a hole in a copy leaves."""
    path, content = _file(store, rng)
    if not content:
        return ""
    at, n = int(rng.integers(len(content))), int(2 ** rng.integers(0, 13))
    content[at : at + n] = bytes(len(content[at : at + n]))
    path.write_bytes(content)
    return canonical(path, store)


def cut(store: Path, rng: Rng) -> str:
    """Cut the end of one file off."""
    path, content = _file(store, rng)
    if not content:
        return ""
    path.write_bytes(content[: int(rng.integers(len(content)))])
    return canonical(path, store)


def grow(store: Path, rng: Rng) -> str:
    """Write more behind the end of one file."""
    path, content = _file(store, rng)
    path.write_bytes(bytes(content) + rng.bytes(int(rng.integers(1, 4096))))
    return canonical(path, store)


def delete(store: Path, rng: Rng) -> str:
    """Lose one file."""
    path, _ = _file(store, rng)
    path.unlink()
    return canonical(path, store)


def delete_folder(store: Path, rng: Rng) -> str:
    """Lose one folder with all that is in it."""
    folders = sorted((one for one in store.rglob("*") if one.is_dir()), key=lambda one: (canonical(one, store), one))
    if not folders:
        return ""
    folder = folders[int(rng.integers(len(folders)))]
    shutil.rmtree(folder)
    return canonical(folder, store)


def swap(store: Path, rng: Rng) -> str:
    """Give two files each other's contents."""
    files = files_of(store)
    if len(files) < 2:
        return ""
    one, other = (files[at] for at in rng.choice(len(files), 2, replace=False))
    ours, theirs = one.read_bytes(), other.read_bytes()
    one.write_bytes(theirs)
    other.write_bytes(ours)
    return f"{canonical(one, store)} and {canonical(other, store)}" if ours != theirs else ""


def text(store: Path, rng: Rng) -> str:
    """Replace a word, number or sign of something like JSON within a file by another."""
    path, content = _file(store, rng)
    tokens = list(_TEXT.finditer(bytes(content[:200_000])))
    if not tokens:
        return ""
    token = tokens[int(rng.integers(len(tokens)))]
    new = json.dumps(_HOSTILE[int(rng.integers(len(_HOSTILE)))]).encode()
    if store.is_file():  # what lies behind must stay where it is
        new = new[: len(token[0])].ljust(len(token[0]))
    content[token.start() : token.end()] = new
    path.write_bytes(content)
    return f"{canonical(path, store)}: {token[0]!r} is {new[:40]!r}"


def value(store: Path, rng: Rng) -> str:
    """Change one value of a JSON document, of TileDB's metadata or of HDF5's attributes, by the proper means."""
    if store.suffix == ".h5ad":
        return _hdf5(store, rng)
    documents = [one for one in files_of(store) if one.name.endswith(".json") or one.name.startswith(".z")]
    if store.is_dir() and documents:
        path = documents[int(rng.integers(len(documents)))]
        changed, where = replaced(json.loads(path.read_bytes()), rng)
        path.write_text(json.dumps(changed))
        return f"{canonical(path, store)}: {where}"
    return _tiledb(store, rng) if store.is_dir() and list(store.rglob("__schema")) else ""


def replaced(document: Any, rng: Rng, where: str = "") -> tuple[Any, str]:
    """Return a document with one value somewhere in it replaced or lost."""
    if isinstance(document, dict | list) and document and rng.random() < 0.85:
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        key = keys[int(rng.integers(len(keys)))]
        copy: Any = document.copy()
        if rng.random() < 0.1:
            del copy[key]
            return copy, f"{where}/{key} is lost"
        copy[key], where = replaced(document[key], rng, f"{where}/{key}")
        return copy, where
    new = _HOSTILE[int(rng.integers(len(_HOSTILE)))]
    return new, f"{where} is {json.dumps(new)[:40]}"


def _hdf5(store: Path, rng: Rng) -> str:
    import h5py

    with h5py.File(store, "r+") as file:
        names: list[str] = ["/"]
        file.visit(names.append)
        node = file[names[int(rng.integers(len(names)))]]
        new = _HOSTILE[int(rng.integers(len(_HOSTILE)))]
        new = new if isinstance(new, bool | float | str) or (isinstance(new, int) and abs(new) < 2**63) else [0, 1]
        new = new.replace("\x00", "?") if isinstance(new, str) else new
        if len(node.attrs) and rng.random() < 0.6:
            key = sorted(node.attrs)[int(rng.integers(len(node.attrs)))]
            if rng.random() < 0.2:
                del node.attrs[key]
                return f"attribute {key} of {node.name} is lost"
            node.attrs[key] = new
            return f"attribute {key} of {node.name} is {str(new)[:40]}"
        if node.name == "/":
            return ""
        name, attrs = node.name, dict(node.attrs)
        del file[name]
        if rng.random() < 0.3:
            return f"{name} is lost"
        file[name] = new
        file[name].attrs.update({} if rng.random() < 0.5 else {k: v for k, v in attrs.items() if k != "categories"})
        return f"{name} is {str(new)[:40]}"


def _tiledb(store: Path, rng: Rng) -> str:
    groups = [one.parent for one in files_of(store) if one.parent.name in ("__schema", "__group", "__meta")]
    places = sorted({one.parent if one.name.startswith("__") else one for one in groups})
    kept = [one for one in places if tiledb.object_type(str(one)) in ("array", "group")]
    at = kept[int(rng.integers(len(kept)))]
    opened = tiledb.open(str(at)) if tiledb.object_type(str(at)) == "array" else tiledb.Group(str(at))
    with opened as one:
        meta = {key: one.meta[key] for key in one.meta}
    if not meta:
        return ""
    key = sorted(meta)[int(rng.integers(len(meta)))]
    try:
        document = json.loads(meta[key])
    except (TypeError, ValueError):
        document = None
    changed, where = replaced(meta[key] if document is None else document, rng)
    stored = json.dumps(changed) if document is not None or not isinstance(changed, int | float | str) else changed
    stored = stored if not isinstance(stored, int) or abs(stored) < 2**63 else str(stored)
    is_array = tiledb.object_type(str(at)) == "array"
    with tiledb.open(str(at), "w") if is_array else tiledb.Group(str(at), "w") as one:
        if rng.random() < 0.1:
            del one.meta[key]
            return f"metadata {key} of {canonical(at, store)} is lost"
        one.meta[key] = stored
    return f"metadata {key} of {canonical(at, store)}: {where}"


def _file(store: Path, rng: Rng) -> tuple[Path, bytearray]:
    files = files_of(store)
    path = files[int(rng.integers(len(files)))]
    return path, bytearray(path.read_bytes())


MUTATIONS: dict[str, Callable[[Path, Rng], str]] = {
    one.__name__: one for one in (bits, zeros, cut, grow, delete, delete_folder, swap, text, value)
}
