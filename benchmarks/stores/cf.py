"""A TileDB-CF dataspace: a grid of times, latitudes and longitudes; read with tiledb-py."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.stores.cells import Request

N_TIMES = 10
DIMS = ("time", "lat", "lon")
GENES = ("temperature", "humidity", "wind", "pressure")
COLUMN = "surface"
MEANINGS = ("sea", "land", "ice", "lake")
FILL, SCALE, OFFSET = -1, 0.5, 900.0


def request() -> Request:
    return Request(GENES, COLUMN)


def write_cf(path: Path, n_obs: int) -> None:
    """Write one array for each variable, as the xarray writer does; `n_obs` is a multiple of 10."""
    from tests.datasets.make_cf import write_dense, write_group

    rng = np.random.default_rng(0)
    n_lat = max(side for side in range(1, math.isqrt(n_obs // N_TIMES) + 1) if n_obs // N_TIMES % side == 0)
    shape = (N_TIMES, n_lat, n_obs // N_TIMES // n_lat)
    sides = dict(zip(DIMS, shape, strict=True))
    axes = {"time": np.arange(shape[0]) * 24.0, "lat": np.linspace(-80, 80, shape[1])}
    axes["lon"] = np.linspace(-180, 179, shape[2])
    cubes: dict[str, Any] = {name: rng.normal(size=shape).astype(np.float32) for name in GENES[:-1]}
    cubes["pressure"] = rng.integers(FILL, 300, shape).astype(np.int16)
    cubes[COLUMN] = rng.integers(0, len(MEANINGS), shape).astype(np.int8)
    attributes: dict[str, dict[str, Any]] = {
        "time": {"units": "hours"},
        "lat": {"units": "degrees_north"},
        "lon": {"units": "degrees_east"},
        "pressure": {"_FillValue": FILL, "scale_factor": SCALE, "add_offset": OFFSET},
        COLUMN: {"flag_values": tuple(range(len(MEANINGS))), "flag_meanings": " ".join(MEANINGS)},
    }
    write_group(path, {"title": "a grid"})
    for name, values in (axes | cubes).items():
        attr = f"{name}_" if name in DIMS else name
        domains = {name: sides[name]} if name in DIMS else sides
        found = {attr: attributes.get(name, {})}
        write_dense(path / name, domains, {attr: values}, dtype=np.uint32, attributes=found, group=path)


class TileDB:
    """tiledb-py."""

    libraries: ClassVar[tuple[str, ...]] = ("tiledb",)

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def prepare(self) -> None:
        import pandas  # noqa: F401
        import tiledb

        self._tiledb = tiledb

    def open(self) -> None:
        with self._tiledb.Group(self._path) as group:
            self._uris = {member.name: member.uri for member in group}
        self._schemas = {name: self._tiledb.ArraySchema.load(uri) for name, uri in self._uris.items()}

    def gene(self, name: str) -> NDArray[np.float32]:
        values, found = self._read(name)
        missing = values == found["_FillValue"] if "_FillValue" in found else None
        if "scale_factor" in found:
            values = values * np.float32(found["scale_factor"]) + np.float32(found["add_offset"])
        if missing is not None:
            values[missing] = np.nan
        return values

    def codes(self, column: str) -> NDArray[Any]:
        return self._read(column)[0]

    def frame(self, column: str) -> Any:
        import pandas as pd

        values, found = self._read(column)
        return pd.DataFrame({column: pd.Categorical.from_codes(values, found["flag_meanings"].split())})

    def _read(self, name: str) -> tuple[NDArray[Any], dict[str, Any]]:
        prefix = f"__tiledb_attr.{name}."
        with self._tiledb.open(self._uris[name]) as array:
            found = {key.removeprefix(prefix): value for key, value in array.meta.items() if key.startswith(prefix)}
            return array[:][name].reshape(-1), found
