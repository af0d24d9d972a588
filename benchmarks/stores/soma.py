"""A TileDB-SOMA experiment with the tiles that tiledbsoma 2.3 chooses; read with tiledb-py and tiledbsoma."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.stores.cells import COLUMN, make_cells
from benchmarks.stores.contender import scatter

TILE, CAPACITY = 2048, 100_000


def write_soma(path: Path, n_obs: int) -> None:
    """Write obs, and var, X and an embedding of one measurement."""
    import tiledb

    cells = make_cells(n_obs)
    _group(path, "SOMAExperiment", ("obs", "ms"))
    _group(path / "ms", "SOMACollection", ("RNA",))
    _group(path / "ms/RNA", "SOMAMeasurement", ("var", "X", "obsm"))
    _group(path / "ms/RNA/X", "SOMACollection", ("data",))
    _group(path / "ms/RNA/obsm", "SOMACollection", ("X_umap",))
    codes = cells.obs[COLUMN].cat
    kinds = tiledb.Enumeration(COLUMN, False, codes.categories.to_numpy(str))
    columns = {"obs_id": np.array(cells.obs.index, dtype="U"), COLUMN: codes.codes.to_numpy(np.int8)}
    _frame(path / "obs", columns, {COLUMN: kinds})
    _frame(path / "ms/RNA/var", {"var_id": np.array(cells.var_labels, dtype="U")}, {})
    X = cells.X.tocoo()
    _matrix(path / "ms/RNA/X/data", X.shape, X.row, X.col, X.data)
    xy = cells.embeddings["umap"]
    rows, axes = np.indices(xy.shape)
    _matrix(path / "ms/RNA/obsm/X_umap", xy.shape, rows.ravel(), axes.ravel(), xy.ravel())
    for name in ("", "ms", "ms/RNA", "ms/RNA/X", "ms/RNA/obsm"):
        with tiledb.Group(str(path / name), "w") as group:
            for member in _MEMBERS.pop(path / name):
                group.add(member, name=member, relative=True)


_MEMBERS: dict[Path, tuple[str, ...]] = {}


def _group(path: Path, kind: str, members: tuple[str, ...]) -> None:
    import tiledb

    tiledb.Group.create(str(path))
    with tiledb.Group(str(path), "w") as group:
        group.meta["soma_object_type"], group.meta["soma_encoding_version"] = kind, "1.1.0"
    _MEMBERS[path] = members


def _frame(path: Path, columns: dict[str, NDArray[Any]], enumerations: dict[str, Any]) -> None:
    import tiledb

    n = len(next(iter(columns.values())))
    packed = tiledb.FilterList([tiledb.ZstdFilter(3)])
    domain = tiledb.Domain(
        tiledb.Dim("soma_joinid", domain=(0, n - 1), tile=min(n, TILE), dtype=np.int64, filters=packed)
    )
    attrs = [
        tiledb.Attr(
            name, dtype="U" if values.dtype.kind == "U" else values.dtype, var=values.dtype.kind == "U", filters=packed,
            enum_label=enumerations[name].name if name in enumerations else None,
        )
        for name, values in columns.items()
    ]  # fmt: skip
    schema = tiledb.ArraySchema(
        domain, attrs, sparse=True, capacity=CAPACITY, enums=list(enumerations.values()) or None
    )
    tiledb.Array.create(str(path), schema)
    with tiledb.open(str(path), "w") as array:
        array[np.arange(n)] = columns
        array.meta["soma_object_type"], array.meta["soma_encoding_version"] = "SOMADataFrame", "1.1.0"


def _matrix(
    path: Path, shape: tuple[int, ...], rows: NDArray[Any], columns: NDArray[Any], values: NDArray[Any]
) -> None:
    import tiledb

    packed = tiledb.FilterList([tiledb.ZstdFilter(3)])
    dims = [
        tiledb.Dim(f"soma_dim_{axis}", domain=(0, n - 1), tile=min(n, TILE), dtype=np.int64, filters=packed)
        for axis, n in enumerate(shape)
    ]
    attr = tiledb.Attr("soma_data", dtype=np.float32, filters=packed)
    tiledb.Array.create(str(path), tiledb.ArraySchema(tiledb.Domain(*dims), [attr], sparse=True, capacity=CAPACITY))
    with tiledb.open(str(path), "w") as array:
        array[rows.astype(np.int64), columns.astype(np.int64)] = values.astype(np.float32)
        array.meta["soma_object_type"], array.meta["soma_encoding_version"] = "SOMASparseNDArray", "1.1.0"


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
        self._obs = self._tiledb.open(f"{self._path}/obs")
        self._X = self._tiledb.open(f"{self._path}/ms/RNA/X/data")
        with self._tiledb.open(f"{self._path}/ms/RNA/var") as var:
            names = var.query(attrs=["var_id"])[:]["var_id"]
        self._positions = {name: at for at, name in enumerate(names)}
        self._n_obs = self._X.shape[0]

    def gene(self, name: str) -> NDArray[np.float32]:
        found = self._X.multi_index[:, self._positions[name]]
        return scatter(self._n_obs, found["soma_dim_0"], found["soma_data"])

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self._obs.query(attrs=[column])[:][column]
        return codes

    def frame(self, column: str) -> Any:
        import pandas as pd

        found = self._obs.query(attrs=[column, "obs_id"])[:]
        labels = self._obs.enum(column).values()
        return pd.DataFrame({column: pd.Categorical.from_codes(found[column], labels)}, index=found["obs_id"])


class TileDBSOMA:
    """tiledbsoma."""

    libraries: ClassVar[tuple[str, ...]] = ("tiledbsoma",)

    def __init__(self, path: Path) -> None:
        self._path = str(path)

    def prepare(self) -> None:
        import tiledbsoma

        self._tiledbsoma = tiledbsoma

    def open(self) -> None:
        self._experiment = self._tiledbsoma.open(self._path)
        names = self._experiment.ms["RNA"].var.read(column_names=["var_id"]).concat()["var_id"].to_pylist()
        self._positions = {name: at for at, name in enumerate(names)}
        self._n_obs = self._experiment.obs.count

    def gene(self, name: str) -> NDArray[np.float32]:
        X = self._experiment.ms["RNA"].X["data"]
        found = X.read((slice(None), [self._positions[name]])).tables().concat()
        return scatter(self._n_obs, found["soma_dim_0"].to_numpy(), found["soma_data"].to_numpy())

    def codes(self, column: str) -> NDArray[Any]:
        codes: NDArray[Any] = self.frame(column)[column].cat.codes.to_numpy()
        return codes

    def frame(self, column: str) -> Any:
        return self._experiment.obs.read(column_names=["obs_id", column]).concat().to_pandas().set_index("obs_id")
