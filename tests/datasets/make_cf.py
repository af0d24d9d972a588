"""Write small TileDB-CF dataspaces as their various writers do, with plain TileDB, and the truth they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import tiledb

from tests.datasets.make_cxg import Truth

WRITERS = ("xarray", "netcdf", "creator", "legacy", "unlimited", "sparse", "labelled")
DIMS = ("time", "lat", "lon")
SHAPE = (3, 5, 4)
MEANINGS = ("sea", "land", "ice")
FILL, SCALE, OFFSET = -1, 0.5, 900.0
LONG_NAMES = {
    "temperature": "Air temperature",
    "pressure": "Surface pressure",
    "elevation": "Height above sea",
    "daylight": "Sun is up",
}
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "lat": {"units": "degrees_north"},
    "lon": {"units": "degrees_east"},
    "temperature": {"long_name": LONG_NAMES["temperature"], "units": "degC"},
    "pressure": {
        "long_name": LONG_NAMES["pressure"],
        "_FillValue": FILL,
        "scale_factor": SCALE,
        "add_offset": OFFSET,
    },
    "elevation": {"long_name": LONG_NAMES["elevation"], "units": "m"},
    "surface": {"flag_values": (0, 1, 2), "flag_meanings": " ".join(MEANINGS)},
    "daylight": {"long_name": LONG_NAMES["daylight"]},
}
ON = {
    "time": ("time",),
    "lat": ("lat",),
    "lon": ("lon",),
    "temperature": DIMS,
    "pressure": DIMS,
    "elevation": ("lat", "lon"),
    "surface": ("lat", "lon"),
    "region": ("lat",),
    "daylight": ("time",),
}
"""The dimensions of each variable."""


def make_stored(seed: int = 0) -> dict[str, np.ndarray]:
    """Return the variables as they are stored: packed, with flags, with fill values."""
    rng = np.random.default_rng(seed)
    temperature = rng.normal(15, 5, SHAPE).astype(np.float32)
    temperature[0, 1, 2] = np.nan
    pressure = rng.integers(0, 300, SHAPE).astype(np.int16)
    pressure[1, 2, 3] = pressure[2, 4, 0] = FILL
    surface = rng.integers(0, 3, SHAPE[1:]).astype(np.int8)
    surface[3, 1] = 9
    region = np.empty(SHAPE[1], dtype=object)
    region[:] = ["arctic", "northern", "équator", "southern", ""]
    return {
        "time": np.array([0, 6, 12], dtype=np.int32),
        "lat": np.array([80.0, 40.0, 0.0, -40.0, -80.0]),
        "lon": np.array([-170.5, -60.0, 10.0, 120.25], dtype=np.float32),
        "temperature": temperature,
        "pressure": pressure,
        "elevation": rng.integers(-50, 4000, SHAPE[1:]).astype(np.int32),
        "surface": surface,
        "region": region,
        "daylight": np.array([False, True, True]),
    }


def meant(stored: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return what the variables mean."""
    found = dict(stored)
    found["pressure"] = np.where(stored["pressure"] == FILL, np.nan, stored["pressure"] * SCALE + OFFSET)
    labels = np.array([*MEANINGS, None], dtype=object)
    found["surface"] = labels[np.where(stored["surface"] > 2, 3, stored["surface"])]
    return found


def make_table(stored: Mapping[str, np.ndarray], dims: Sequence[str] = DIMS) -> pd.DataFrame:
    """Return every variable on these dimensions as a column, a row for each combination of positions."""
    values = meant(stored)
    index = np.indices([len(stored[dim]) for dim in dims])
    place = dict(zip(dims, index.reshape(len(dims), -1), strict=True))
    columns = {name: values[name][tuple(place[dim] for dim in ON[name])] for name in ON if set(ON[name]) <= set(dims)}
    columns = {name: columns[name] for name in (*dims, *(one for one in columns if one not in dims))}
    if "surface" in columns:
        columns["surface"] = pd.Categorical(columns["surface"], categories=list(MEANINGS))
    return pd.DataFrame(
        {name: pd.Series(one, dtype="str") if name == "region" else one for name, one in columns.items()}
    )


def make_cf_truth(order: Sequence[str], table: pd.DataFrame | None = None, title: str = "toy") -> Truth:
    """Return the truth of a store whose arrays hold the variables in this order."""
    obs = make_table(make_stored()) if table is None else table
    obs = obs[[*DIMS, *order]]
    labels = [name for name in order if name in LONG_NAMES]
    time, lat, lon = (obs[name].to_numpy(np.float64) for name in DIMS)
    embeddings = {"lon_lat": (lon, lat), "time_lat": (time, lat), "time_lon": (time, lon)}
    return Truth(
        obs[labels].to_numpy(np.float64).astype(np.float32),
        obs,
        labels,
        [LONG_NAMES[name] for name in labels],
        {name: np.column_stack(pair) for name, pair in embeddings.items()},
        title=title,
    )


def make_cf(path: Path, writer: str) -> Truth:
    """Write the small dataspace as one of `WRITERS` does, and return what it holds."""
    return {
        "xarray": _xarray,
        "netcdf": _netcdf,
        "creator": _creator,
        "legacy": _legacy,
        "unlimited": _unlimited,
        "sparse": _sparse,
        "labelled": _labelled,
    }[writer](path)


def _xarray(path: Path) -> Truth:
    """One array for each variable, named after it; the attribute of a coordinate is "lat_"."""
    stored = make_stored()
    write_group(path, {"title": "toy"})
    for name, values in stored.items():
        attr = f"{name}_" if name in DIMS else name
        write_dense(path / name, {dim: len(stored[dim]) for dim in ON[name]}, {attr: values}, dtype=np.uint32,
                    attributes={attr: ATTRIBUTES.get(name, {})}, group=path)  # fmt: skip
    return make_cf_truth(sorted(name for name in stored if name not in DIMS))


def _netcdf(path: Path) -> Truth:
    """Arrays counted, all variables of the same dimensions in one; coordinates are "lat.data", fills in the schema."""
    stored = make_stored()
    write_group(path, {"title": "toy", "Conventions": "CF-1.8", "history": "made"})
    groups = [("time", "daylight"), ("lat", "region"), ("lon",), ("elevation", "surface"), ("temperature", "pressure")]
    for number, names in enumerate(groups):
        domains = {dim: (0, 9_999) if dim == "time" else len(stored[dim]) for dim in ON[names[-1]]}
        attrs = {f"{name}.data" if name in DIMS else name: stored[name] for name in names}
        said = {attr: tupled(ATTRIBUTES.get(attr.removesuffix(".data"), {})) for attr in attrs}
        said.get("pressure", {}).pop("_FillValue", None)
        write_dense(path / f"array{number}", domains, attrs, attributes=said, fills={"pressure": FILL}, group=path)
    return make_cf_truth(["daylight", "region", "elevation", "surface", "temperature", "pressure"])


def _creator(path: Path) -> Truth:
    """Arrays of any name with several attributes each, registered by absolute URIs; dimensions do not begin at 0."""
    stored = make_stored()
    write_group(path, {"title": "toy"})
    domains = {"time": (1, 3), "lat": (-2, 2), "lon": (10, 13)}
    arrays = {
        "axes_lat": ("lat", "region"),
        "axes_lon": ("lon",),
        "axes_time": ("time", "daylight"),
        "fields": ("pressure", "temperature"),
        "ground": ("surface", "elevation"),
    }
    for array, names in arrays.items():
        attrs = {f"{name}.data" if name in DIMS else name: stored[name] for name in names}
        write_dense(path / array, {dim: domains[dim] for dim in ON[names[-1]]}, attrs, dtype=np.int64,
                    attributes={attr: ATTRIBUTES.get(attr.removesuffix(".data"), {}) for attr in attrs},
                    group=path, relative=False)  # fmt: skip
    return make_cf_truth(["region", "daylight", "pressure", "temperature", "surface", "elevation"])


def _legacy(path: Path) -> Truth:
    """Format 0.1: nothing is registered, the group's metadata lie in an array, dimensions are "lat.index"."""
    stored = make_stored()
    write_group(path, {})
    write_dense(path / "__tiledb_group", {"i": 1}, {"a": np.zeros(1, dtype=np.int32)}, data=False)
    with tiledb.open(str(path / "__tiledb_group"), "w") as array:
        array.meta["title"] = "toy"
    arrays = [("lat", "region"), ("lon",), ("time", "daylight"), ("temperature", "pressure"), ("elevation", "surface")]
    for names in arrays:
        domains = {f"{dim}.index": len(stored[dim]) for dim in ON[names[-1]]}
        write_dense(path / f"of_{'_'.join(ON[names[-1]])}", domains, {name: stored[name] for name in names},
                    attributes={name: ATTRIBUTES.get(name, {}) for name in names})  # fmt: skip
    return make_cf_truth(["region", "elevation", "surface", "daylight", "temperature", "pressure"])


def _unlimited(path: Path) -> Truth:
    """The xarray writer with an unlimited time, written in two steps, and small tiles."""
    stored = make_stored()
    write_group(path, {"title": "toy", "__tiledb_array_fixed_dimensions.lat": "lat"})
    for name, values in stored.items():
        attr = f"{name}_" if name in DIMS else name
        domains = {dim: (0, 2**32 - 100) if dim == "time" else len(stored[dim]) for dim in ON[name]}
        write_dense(path / name, domains, {attr: values}, dtype=np.uint32, tile=2, data=False,
                    attributes={attr: ATTRIBUTES.get(name, {})}, group=path)  # fmt: skip
        with tiledb.open(str(path / name), "w") as array:
            for start in range(0, len(values), 2):
                part = values[start : start + 2]
                array[tuple(slice(start if n == 0 else 0, (start if n == 0 else 0) + side)
                            for n, side in enumerate(part.shape))] = part  # fmt: skip
    return make_cf_truth(sorted(name for name in stored if name not in DIMS))


def _sparse(path: Path) -> Truth:
    """coords_to_dims: coordinates are dimensions, each cell of a sparse array is one observation; some are missing."""
    stored = make_stored()
    table = make_table(stored)
    table = table.drop(index=[3, 17, 18, 40, 59]).sort_values(list(DIMS)).reset_index(drop=True)
    table["time"] = table["time"].astype(np.int64)
    write_group(path, {"title": "toy"})
    for names in (("elevation", "surface"), ("region",), ("daylight",), ("temperature", "pressure")):
        dims = ON[names[0]]
        index = np.indices([len(stored[dim]) for dim in dims]).reshape(len(dims), -1)
        coords = {dim: stored[dim][place].astype(np.int64 if dim == "time" else np.float64)
                  for dim, place in zip(dims, index, strict=True)}  # fmt: skip
        kept = np.ones(index.shape[1], dtype=bool)
        if dims == DIMS:
            kept[[3, 17, 18, 40, 59]] = False
        write_sparse(path / f"on_{'_'.join(dims)}", {dim: one[kept] for dim, one in coords.items()},
                     {name: stored[name].reshape(-1)[kept] for name in names},
                     attributes={name: ATTRIBUTES.get(name, {}) for name in names},
                     dim_attributes={dim: ATTRIBUTES.get(dim, {}) for dim in dims}, group=path)  # fmt: skip
    table["lon"] = table["lon"].astype(np.float64)
    return make_cf_truth(["region", "elevation", "surface", "daylight", "temperature", "pressure"], table)


def _labelled(path: Path) -> Truth:
    """Format 0.1: data dimensions with axis labels: "lat" is a float in a sparse array, "lat.index" its position."""
    stored = make_stored()
    table = make_table(stored).drop(index=[0, 33]).sort_values(list(DIMS)).reset_index(drop=True)
    write_group(path, {})
    write_dense(path / "__tiledb_group", {"i": 1}, {"a": np.zeros(1, dtype=np.int32)}, data=False)
    with tiledb.open(str(path / "__tiledb_group"), "w") as array:
        array.meta["title"] = "toy"
    labels = {"time": stored["time"].astype(np.int64), "lat": stored["lat"], "lon": stored["lon"].astype(np.float64)}
    for names in (("lat", "region"), ("lon",), ("time", "daylight"), ("elevation", "surface")):
        domains = {f"{dim}.index": len(stored[dim]) for dim in ON[names[-1]]}
        attrs = {name: labels.get(name, stored[name]) for name in names}
        write_dense(path / f"of_{'_'.join(ON[names[-1]])}", domains, attrs,
                    attributes={name: ATTRIBUTES.get(name, {}) for name in names})  # fmt: skip
    index = np.indices(SHAPE).reshape(3, -1)
    kept = np.delete(np.arange(index.shape[1]), [0, 33])
    coords = {dim: labels[dim][place[kept]] for dim, place in zip(DIMS, index, strict=True)}
    write_sparse(path / "data", coords, {name: stored[name].reshape(-1)[kept] for name in ("temperature", "pressure")},
                 attributes={name: ATTRIBUTES[name] for name in ("temperature", "pressure")})  # fmt: skip
    table["time"], table["lon"] = table["time"].astype(np.int64), table["lon"].astype(np.float64)
    return make_cf_truth(["temperature", "pressure", "region", "elevation", "surface", "daylight"], table)


def write_group(path: Path, metadata: Mapping[str, Any]) -> None:
    tiledb.group_create(str(path))
    with tiledb.Group(str(path), "w") as group:
        for key, value in metadata.items():
            group.meta[key] = value


def write_dense(
    path: Path,
    domains: Mapping[str, int | tuple[int, int]],
    attrs: Mapping[str, np.ndarray],
    *,
    dtype: Any = None,
    tile: int | None = None,
    attributes: Mapping[str, Mapping[str, Any]] | None = None,
    fills: Mapping[str, Any] | None = None,
    nullable: Sequence[str] = (),
    data: bool = True,
    group: Path | None = None,
    relative: bool = True,
) -> None:
    """Write one dense array; a domain is a size, or the first and the last index."""
    limits = {dim: one if isinstance(one, tuple) else (0, one - 1) for dim, one in domains.items()}
    dtype = dtype or (np.int64 if any(low < 0 for low, _ in limits.values()) else np.uint64)
    dims = [
        tiledb.Dim(dim, domain=(low, high), tile=min(tile or 100, high - low + 1), dtype=dtype)
        for dim, (low, high) in limits.items()
    ]
    schema = [attr_of(name, values, (fills or {}).get(name), name in nullable) for name, values in attrs.items()]
    tiledb.Array.create(str(path), tiledb.ArraySchema(tiledb.Domain(*dims), schema))
    if data:
        shape = next(iter(attrs.values())).shape
        with tiledb.open(str(path), "w") as array:
            if all(low >= 0 for low, _ in limits.values()):
                corners = zip(limits.values(), shape, strict=True)
                array[tuple(slice(low, low + side) for (low, _), side in corners)] = dict(attrs)
            else:
                array[:] = dict(attrs)
    finish(path, attributes, {}, group, relative=relative)


def write_sparse(
    path: Path,
    coords: Mapping[str, np.ndarray],
    attrs: Mapping[str, np.ndarray],
    *,
    attributes: Mapping[str, Mapping[str, Any]] | None = None,
    dim_attributes: Mapping[str, Mapping[str, Any]] | None = None,
    duplicates: bool = False,
    group: Path | None = None,
    **options: Any,
) -> None:
    """Write one sparse array, its cells in an order of their own."""
    dims = [tiledb.Dim(name, domain=domain_of(values.dtype), tile=None, dtype=values.dtype)
            for name, values in coords.items()]  # fmt: skip
    schema = tiledb.ArraySchema(
        tiledb.Domain(*dims),
        [attr_of(name, values) for name, values in attrs.items()],
        sparse=True,
        capacity=8,
        allows_duplicates=duplicates,
        **options,
    )
    tiledb.Array.create(str(path), schema)
    append_cells(path, coords, attrs)
    finish(path, attributes, dim_attributes or {}, group)


def append_cells(path: Path, coords: Mapping[str, np.ndarray], attrs: Mapping[str, np.ndarray]) -> None:
    order = np.random.default_rng(1).permutation(len(next(iter(coords.values()))))
    with tiledb.open(str(path), "w") as array:
        array[tuple(values[order] for values in coords.values())] = {name: one[order] for name, one in attrs.items()}


def domain_of(dtype: np.dtype) -> tuple[Any, Any]:
    limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return (limits.min, limits.max) if dtype.kind == "f" else (limits.min + 1, limits.max - 1)


def attr_of(name: str, values: np.ndarray, fill: Any = None, nullable: bool = False) -> tiledb.Attr:
    filters = tiledb.FilterList([tiledb.ZstdFilter()])
    if values.dtype == object:
        return tiledb.Attr(name, dtype="U", var=True, filters=filters)
    return tiledb.Attr(name, dtype=values.dtype, fill=fill, filters=filters, nullable=nullable)


def finish(
    path: Path,
    attributes: Mapping[str, Mapping[str, Any]] | None,
    dim_attributes: Mapping[str, Mapping[str, Any]],
    group: Path | None,
    *,
    relative: bool = True,
) -> None:
    """Write the metadata of attributes and dimensions, and register the array with a group."""
    with tiledb.open(str(path), "w") as array:
        for prefix, said in (("__tiledb_attr", attributes or {}), ("__tiledb_dim", dim_attributes)):
            for name, values in said.items():
                for key, value in values.items():
                    array.meta[f"{prefix}.{name}.{key}"] = value
    if group is not None:
        with tiledb.Group(str(group), "w") as registered:
            registered.add(path.name if relative else str(path), name=path.name, relative=relative)


def tupled(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers as the netCDF writer keeps them: a tuple of one."""
    return {key: (value,) if isinstance(value, int | float) else value for key, value in attributes.items()}
