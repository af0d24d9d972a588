"""Sizes and names that a store declares: one size is replaced by another, or half a character put into a name."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import tiledb

from tests.fuzz.mutations import Rng, canonical, files_of

_HALF, _HALF_BYTES = "x\ud800", b"\xed\xa0\x80"
_SIZED, _COUNTED = ("shape", "chunk"), ("number", "index", "length", "count")


def sizes(store: Path, rng: Rng) -> str:
    """Replace one size: of an array of zarr, HDF5 or TileDB, or a number of a table of Parquet."""
    if store.suffix == ".h5ad":
        return _hdf5_size(store, rng)
    if store.suffix == ".mzpeak":
        return _parquet_size(store, rng)
    documents = [name for name in _members(store) if Path(name).name.startswith(".z") or name.endswith("zarr.json")]
    return _json_size(store, documents, rng) if documents else _domain(store, rng)


def half(store: Path, rng: Rng) -> str:
    """Put half a character into one name or text."""
    if store.suffix == ".h5ad":
        return _hdf5_half(store, rng)
    documents = [name for name in _members(store) if name.endswith((".json", ".zattrs", ".zgroup", ".zarray"))]
    if documents and rng.random() < 0.5:
        return _json_half(store, documents, rng)
    folders = (
        sorted(one for one in store.rglob("*") if one.is_dir() and not one.name.startswith("__"))
        if store.is_dir()
        else []
    )
    if folders and rng.random() < 0.3:
        folder = folders[int(rng.integers(len(folders)))]
        os.rename(folder, os.fsencode(folder) + _HALF_BYTES)
        return f"name of {canonical(folder, store)}"
    return _bytes_half(store, rng)


DECLARED: dict[str, Callable[[Path, Rng], str]] = {"sizes": sizes, "names": half}


def _size(old: int, rng: Rng) -> int:
    sizes = (0, old - 1, old + 1, 2 * old, old + 1000, 2**31, 2**40, 2**62, -1)
    return int(sizes[int(rng.integers(len(sizes)))])


def _members(store: Path) -> list[str]:
    """Return the names of the files of a store, those within an archive too."""
    if store.is_dir():
        return [one.relative_to(store).as_posix() for one in files_of(store)]
    if not zipfile.is_zipfile(store):
        return []
    with zipfile.ZipFile(store) as archive:
        return archive.namelist()


def _load(store: Path, name: str) -> bytes:
    if store.is_dir():
        return (store / name).read_bytes()
    with zipfile.ZipFile(store) as archive:
        return archive.read(name)


def _put(store: Path, name: str, content: bytes) -> None:
    if store.is_dir():
        (store / name).write_bytes(content)
        return
    made = store.with_suffix(".made")
    with zipfile.ZipFile(store) as archive, zipfile.ZipFile(made, "w") as copy:
        for one in archive.namelist():
            copy.writestr(one, content if one == name else archive.read(one))
    shutil.move(made, store)


def _places(document: Any, is_wanted: Callable[[Any, Any], bool], key: Any = "") -> Iterator[tuple[Any, Any, Any]]:
    """Yield (container, key, value) of each wanted value of a JSON document."""
    for at, one in list(document.items() if isinstance(document, dict) else enumerate(document)):
        name = at if isinstance(document, dict) else key
        if is_wanted(name, one):
            yield document, at, one
        if isinstance(one, dict | list):
            yield from _places(one, is_wanted, name)


def _json_size(store: Path, documents: list[str], rng: Rng) -> str:
    name = documents[int(rng.integers(len(documents)))]
    document = json.loads(_load(store, name))
    found = list(_places(document, lambda key, one: any(word in str(key) for word in _SIZED) and isinstance(one, int)))
    if not found:
        return ""
    holder, key, old = found[int(rng.integers(len(found)))]
    holder[key] = _size(old, rng)
    _put(store, name, json.dumps(document).encode())
    return f"{name}: {old} is {holder[key]}"


def _hdf5_size(store: Path, rng: Rng) -> str:
    with h5py.File(store, "r+") as file:
        names: list[str] = []
        file.visititems(lambda name, node: names.append(name) if _is_sized(node) else None)
        node = file[names[int(rng.integers(len(names)))]]
        if isinstance(node, h5py.Group):
            shape = np.array(node.attrs["shape"])
            at = int(rng.integers(len(shape)))
            shape[at] = _size(int(shape[at]), rng)
            node.attrs["shape"] = shape
            return f"{node.name}: shape {shape.tolist()}"
        name, dtype, attrs, n = node.name, node.dtype, dict(node.attrs), node.shape[0]
        values, shape = node[()], (max(0, _size(n, rng)), *node.shape[1:])
        del file[name]
        if shape[0] > 2**60 and len(shape) > 1:
            shape = (2**40, *shape[1:])  # HDF5 itself counts elements in 63 bits
        chunks = tuple(min(64, max(one, 1)) for one in shape)
        made = file.create_dataset(name, shape, dtype, chunks=chunks, maxshape=(None,) * len(shape))
        made[: min(n, shape[0])] = values[: shape[0]]
        made.attrs.update({key: one for key, one in attrs.items() if key != "categories"})
        return f"{name}: shape {shape}"


def _is_sized(node: Any) -> bool:
    return "shape" in node.attrs if isinstance(node, h5py.Group) else bool(node.shape) and node.shape[0] > 0


def _domain(store: Path, rng: Rng) -> str:
    """Give an array of TileDB another domain, where its dimensions count."""
    arrays = sorted({one.parent.parent for one in files_of(store) if one.parent.name == "__schema"})
    array = arrays[int(rng.integers(len(arrays)))]
    schema = tiledb.ArraySchema.load(str(array))
    axes = [schema.domain.dim(at) for at in range(schema.domain.ndim)]
    counted = [at for at, dim in enumerate(axes) if dim.dtype.kind in "iu"]
    if not counted:
        return ""
    at = counted[int(rng.integers(len(counted)))]
    low, high = (int(one) for one in axes[at].domain)
    tile = max(1, int(axes[at].tile or 1))
    most = int(np.iinfo(axes[at].dtype).max) - 2 * tile
    new = min(max(low, low + _size(high - low + 1, rng) - 1), most)
    if new < low or new - low > 2**62:
        return ""
    dims = [
        dim if place != at else tiledb.Dim(
            name=dim.name, domain=(low, new), tile=min(tile, new - low + 1), dtype=dim.dtype,
            filters=dim.filters,
        )
        for place, dim in enumerate(axes)
    ]  # fmt: skip
    made = tiledb.ArraySchema(
        tiledb.Domain(*dims), [schema.attr(one) for one in range(schema.nattr)], sparse=schema.sparse,
        cell_order=schema.cell_order, tile_order=schema.tile_order, capacity=schema.capacity,
        coords_filters=schema.coords_filters, allows_duplicates=schema.sparse and schema.allows_duplicates,
    )  # fmt: skip
    beside = store.with_name("domain")
    tiledb.Array.create(str(beside), made)
    (written,) = (one for one in (beside / "__schema").iterdir() if one.is_file())
    for one in (array / "__schema").iterdir():
        if one.is_file():
            one.write_bytes(written.read_bytes())
    shutil.rmtree(beside)
    return f"domain of {axes[at].name} of {canonical(array, store)}: {high} is {new}"


def _parquet_size(store: Path, rng: Rng) -> str:
    names = [name for name in _members(store) if name.endswith(".parquet")]
    name = names[int(rng.integers(len(names)))]
    table = pq.read_table(BytesIO(_load(store, name)))
    rows = table.to_pylist()
    found = list(_places(rows, lambda key, one: type(one) is int and any(word in str(key) for word in _COUNTED)))
    if not found:
        return ""
    holder, key, old = found[int(rng.integers(len(found)))]
    holder[key] = _size(old, rng)
    out = BytesIO()
    try:
        pq.write_table(pa.Table.from_pylist(rows, table.schema), out)
    except (OverflowError, pa.ArrowInvalid):
        return ""
    _put(store, name, out.getvalue())
    return f"{name}: {key} {old} is {holder[key]}"


def _json_half(store: Path, documents: list[str], rng: Rng) -> str:
    name = documents[int(rng.integers(len(documents)))]
    document = json.loads(_load(store, name))
    found = list(_places(document, lambda key, one: isinstance(key, str) or isinstance(one, str)))
    if not found:
        return ""
    holder, key, old = found[int(rng.integers(len(found)))]
    if isinstance(holder, dict) and (not isinstance(old, str) or rng.random() < 0.5):
        holder[f"{key}{_HALF}"] = holder.pop(key)
    else:
        holder[key] = _HALF
    _put(store, name, json.dumps(document).encode())
    return f"{name}: at {key}"


def _hdf5_half(store: Path, rng: Rng) -> str:
    text = b"x" + _HALF_BYTES
    with h5py.File(store, "r+") as file:
        names: list[str] = []
        file.visit(names.append)
        name = names[int(rng.integers(len(names)))]
        node = file[name]
        if isinstance(node, h5py.Dataset) and h5py.check_string_dtype(node.dtype) and node.size and rng.random() < 0.5:
            node[(int(rng.integers(node.shape[0])),) if node.shape else ()] = text
            return f"text of {name}"
        words = [key for key, one in node.attrs.items() if isinstance(one, str)]
        if words and rng.random() < 0.4:
            key = words[int(rng.integers(len(words)))]
            node.attrs.create(key, text, dtype=h5py.string_dtype())
            return f"attribute {key} of {name}"
        file.move(name.encode(), name.encode() + text)
        return f"name of {name}"


def _bytes_half(store: Path, rng: Rng) -> str:
    files = files_of(store)
    path = files[int(rng.integers(len(files)))]
    content = bytearray(path.read_bytes())
    letters = [at for at in range(len(content) - 5) if content[at : at + 6].isalpha()]
    if not letters:
        return ""
    at = letters[int(rng.integers(len(letters)))]
    content[at : at + 3] = _HALF_BYTES
    path.write_bytes(content)
    return f"{canonical(path, store)}: letters at {at}"
