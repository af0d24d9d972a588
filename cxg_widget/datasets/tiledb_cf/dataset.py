"""Reads a TileDB-CF dataspace as a `Dataset`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import tiledb
from numpy.typing import NDArray

from cxg_widget.datasets.base.column_values import as_strings
from cxg_widget.datasets.base.dataset import DEFAULT_CACHE_BYTES, Column, Dataset, Vector
from cxg_widget.datasets.base.lifetime import Traffic
from cxg_widget.datasets.base.matrix_block import DenseBlock, MatrixBlock
from cxg_widget.datasets.base.matrix_contract import Grain
from cxg_widget.datasets.base.values import Codes, Values
from cxg_widget.datasets.tiledb_access.contexts import make_context
from cxg_widget.datasets.tiledb_access.listing import absolute, lists_in_one, name_of
from cxg_widget.datasets.tiledb_cf.choice import check_options, choose
from cxg_widget.datasets.tiledb_cf.coordinates import Axes, role_of
from cxg_widget.datasets.tiledb_cf.dataspace import Dataspace
from cxg_widget.datasets.tiledb_cf.features import Feature, Features
from cxg_widget.datasets.tiledb_cf.grid import DenseGrid
from cxg_widget.datasets.tiledb_cf.group import read_group
from cxg_widget.datasets.tiledb_cf.reads import Reads
from cxg_widget.datasets.tiledb_cf.units import label_of, mean_nothing, share_units, unit_of
from cxg_widget.datasets.tiledb_cf.variables import Variable
from cxg_widget.text.nouns import Noun

_TEXTS = ("long_name", "standard_name", "units")
_VAR_COLUMNS = ("long_name", "standard_name", "units", "variable")


class CfDataset(Dataset):
    """A TileDB-CF dataspace of any writer.

    The observations are the combinations of positions along some dimensions, or the cells of a sparse array. Variables
    on any of those dimensions are obs columns, broadcast to all rows. Numeric variables that are not coordinates are
    also vars. Pairs of coordinates are the embeddings.

    Parameters
    ----------
    uri : a directory, or a URI that TileDB reads
    observations : names of the dimensions whose combinations are the observations, the last one fastest; None = those
        of the variable with the most cells
    isel : dimension to position; these dimensions are not part of the observations
    cache_bytes : memory for cached reads
    ctx, config : a TileDB context, or settings for one, such as {"vfs.s3.region": "eu-central-1"}
    storage_options : such settings by their fsspec names, such as {"key": ..., "secret": ..., "endpoint_url": ...}

    Raises
    ------
    InvalidStore
        If no array can be read, or if arrays disagree about the domain of a dimension.
    UnknownName, InvalidValue
        If there is no such dimension or position, or if there are more than 200 million observations.
    DamagedStore
        If the group cannot be read. Missing data raise an error only when they are read.
    StorageError
        If the storage denies access, fails or times out.
    """

    format: ClassVar[str] = "tiledb-cf"
    _no_embedding: ClassVar[str] = "no two numeric coordinates or variables to draw"
    alias_columns: ClassVar[tuple[str, ...]] = ("long_name",)
    id_columns: ClassVar[tuple[str, ...]] = ("variable",)
    var_noun = Noun("variable", "variables")

    def __init__(
        self,
        uri: str,
        *,
        observations: Sequence[str] | None = None,
        isel: Mapping[str, int] | None = None,
        cache_bytes: int = DEFAULT_CACHE_BYTES,
        ctx: tiledb.Ctx | Mapping[str, Any] | None = None,
        config: Mapping[str, Any] | tiledb.Config | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(uri, cache_bytes=cache_bytes)
        options = check_options(observations, isel)
        self._reads = Reads(absolute(uri), uri, make_context(uri, ctx, config, storage_options))
        self.is_remote = self._reads.is_remote
        try:
            self._group = read_group(self._reads, self._note)
            self._space = Dataspace(self._reads, self._group, self._note)
            self._observations, self._isel = choose(self._reads, self._space, options, self._cached)
            self._describe()
        except BaseException:
            self._reads.close()
            raise

    def _describe(self) -> None:
        features = Features(self._space, self._observations, self._isel, self._note)
        self._columns, self._vars = features.columns, features.vars
        is_grid = isinstance(self._observations, DenseGrid) and len(self._observations.dims) > 1
        self.obs_noun = Noun("grid point", "grid points") if is_grid else Noun("point", "points")
        title = self._space.metadata.get("title")
        self.title = title if isinstance(title, str) and title else name_of(self.uri)
        self.n_obs, self.n_var = self._observations.n, len(self._vars)
        self.obs_columns = {name: _column(name, feature.variable) for name, feature in self._columns.items()}
        self.var_index = "feature"
        present = [name for name in _VAR_COLUMNS if any(self._var_texts(name))]
        self.var_columns = {name: Column(name, "string") for name in present}
        self._pairs = Axes(self._observations.dims, features.along, features.whole).pairs()
        self.embeddings = dict.fromkeys(self._pairs, 2)
        self.default_embedding = next(iter(self._pairs), None)
        self.default_color = self._first_on_the_grid()
        if not self._pairs:
            self._note(f"{self._no_embedding}.")

    def _first_on_the_grid(self) -> str | None:
        """Return the first var that has all dimensions of the observations, else the first var."""
        dims = set(self._observations.dims)
        whole = (one for one in self._vars if dims <= set(one.variable.dims))
        first = next(whole, next(iter(self._vars), None))
        return None if first is None else f"var:{first.label}"

    def _read_obs(self, name: str, rows: NDArray[np.int64] | None) -> Values:
        if rows is None:
            return self._read_obs_block(name, 0, self.n_obs)
        feature = self._columns[name]
        return _meant(feature.variable, self._observations.take(feature.variable, rows, feature.at))

    def _read_obs_block(self, name: str, start: int, stop: int) -> Values:
        feature = self._columns[name]
        return _meant(feature.variable, self._block(feature, start, stop))

    def _read_var(self, name: str) -> Values:
        return as_strings(self._var_texts(name))

    def _var_texts(self, name: str) -> list[str]:
        if name == self.var_index:
            return [feature.label for feature in self._vars]
        if name == "variable":
            return [feature.variable.name for feature in self._vars]
        return [_text_of_feature(feature, name) for feature in self._vars]

    def _read_vector(self, position: int, layer: str | None) -> Vector:
        return self._read_vector_block(position, layer, 0, self.n_obs)

    def _read_vector_block(self, position: int, layer: str | None, start: int, stop: int) -> Vector:  # noqa: ARG002
        values = self._block(self._vars[position], start, stop)
        return Vector(np.array(values, dtype=np.float32))

    def _read_grain(self, layer: str | None) -> Grain:  # noqa: ARG002 - no layers
        return Grain((self.n_obs, self.n_var), self.n_obs * self.n_var, 8, 1, 1, cuts=True, is_dense=True)

    def _read_rows(self, rows: NDArray[np.int64], layer: str | None) -> MatrixBlock:  # noqa: ARG002
        found = np.empty((len(rows), self.n_var), dtype=np.float32)
        for position, feature in enumerate(self._vars):
            found[:, position] = self._some(feature, rows)
        return DenseBlock(found)

    def _read_columns(
        self, positions: NDArray[np.int64], rows: NDArray[np.int64] | None, layer: str | None
    ) -> MatrixBlock:
        if rows is None:
            return super()._read_columns(positions, rows, layer)
        found = [self._some(self._vars[position], rows) for position in positions.tolist()]
        return DenseBlock(np.array(found, dtype=np.float32).reshape(len(positions), len(rows)))

    def _some(self, feature: Feature, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the decoded values of ascending rows; consecutive rows are read as one block."""
        if len(rows) and rows[-1] - rows[0] == len(rows) - 1:
            return self._block(feature, int(rows[0]), int(rows[-1]) + 1)
        return self._observations.take(feature.variable, rows, feature.at)

    def _read_embedding_block(self, name: str, axes: tuple[int, int], start: int, stop: int) -> NDArray[Any]:
        pair = self._pairs[name]
        values = {axis: self._axis(pair[axis], start, stop) for axis in set(axes)}
        return np.column_stack([values[axis] for axis in axes])

    def _axis_labels(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        x, y = (self._pairs[name][axis] for axis in axes)
        if share_units(x, y):
            return None
        return self._label(x), self._label(y)

    def _axis_names(self, name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
        x, y = (self._pairs[name][axis] for axis in axes)
        return None if mean_nothing(x, y) else (self._label(x), self._label(y))

    def _label(self, variable: Variable) -> str:
        return label_of(variable, from_first=self._origin(variable) != 0)

    def _axis(self, variable: Variable, start: int, stop: int) -> NDArray[np.float32]:
        values = self._block(Feature(variable.name, variable, {}), start, stop)
        origin = self._origin(variable)
        return np.asarray(values - origin if origin else values, dtype=np.float32)

    def _origin(self, variable: Variable) -> float:
        """Return the origin to subtract from a time axis, so that neighboring times stay distinct in float32."""
        if role_of(variable)[0] != "time" or self.n_obs < 2:
            return 0.0
        return self._read_once(f"origin of {variable.name}", lambda: self._find_origin(variable))

    def _find_origin(self, variable: Variable) -> float:
        ends = np.array([0, self.n_obs - 1])
        first, last = self._observations.take(variable, ends, {}).astype(np.float64).tolist()
        if not np.isfinite([first, last]).all() or abs(np.spacing(np.float32(first))) * 10_000 < abs(last - first):
            return 0.0
        self._note(f"{variable.name} is drawn as the difference from its first value, {first!r}.")
        return float(first)

    def _block(self, feature: Feature, start: int, stop: int) -> NDArray[Any]:
        return self._observations.block(feature.variable, start, stop, feature.at)

    def _read_identity(self) -> str:
        if self.is_remote and not lists_in_one(self.uri):
            return super()._read_identity()
        cut = ",".join(f"{dim}={position}" for dim, position in sorted(self._isel.items()))
        return f"{self._reads.state(self._group.arrays)}#{','.join(self._observations.dims)}#{cut}"

    def _read_details(self) -> dict[str, Any]:
        shown = {one.variable.name: one.variable for one in (*self._columns.values(), *self._vars)}
        return {
            "layout": self._group.layout,
            "observations": list(self._observations.dims),
            "isel": dict(self._isel),
            "dimensions": {name: dim.size for name, dim in self._space.dimensions.items()},
            "variables": {
                name: {"dims": list(one.dims), **{key: one.text_of(key) for key in _TEXTS if one.text_of(key)}}
                for name, one in shown.items()
            },
            "metadata": {name: _plain(value) for name, value in self._space.metadata.items()},
        }

    def _read_sizes(self) -> dict[str, int]:
        paths = list(self._group.arrays)
        return dict(zip(paths, self._reads.sizes(paths), strict=True))

    @property
    def reads_ahead(self) -> bool:
        """Whether TileDB may combine reads into fewer requests."""
        return self._reads.reads_ahead

    def _read_traffic(self) -> Traffic:
        return self._reads.traffic()

    def _release(self) -> None:
        self._reads.close()


def _column(name: str, variable: Variable) -> Column:
    encoding = variable.encoding
    assert encoding.kind is not None
    n_categories = {"categorical": len(encoding.categories), "boolean": 2}.get(encoding.kind)
    unit = unit_of(variable) if encoding.kind in ("int", "float") else ""
    return Column(name, encoding.kind, n_categories, unit)


def _meant(variable: Variable, values: NDArray[Any]) -> Values:
    return Codes(values, variable.encoding.categories) if variable.encoding.kind == "categorical" else values


def _text_of_feature(feature: Feature, key: str) -> str:
    text = feature.variable.text_of(key)
    if key == "long_name" and text and feature.label != feature.variable.name:
        return text + feature.label.removeprefix(feature.variable.name)
    return text


def _plain(value: Any) -> Any:
    """Return a metadata value as JSON can hold it: text, a number, a list of these, else its text."""
    if isinstance(value, str | int):
        return value
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, tuple | list | np.ndarray):
        return [_plain(one) for one in np.asarray(value).ravel().tolist()]
    if isinstance(value, float | np.floating) and np.isfinite(value):
        return float(value)
    return str(value)
