"""Reads snapshots of an atlas: the table versions that belong together; supports three generations of the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cxg_widget.datasets.atlas.lance_tables import LanceTable, table_names
from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.errors import InvalidStore, InvalidValue, UnknownName
from cxg_widget.text.half_characters import load_json

VERSIONS, LAYOUTS = "atlas_versions", "_feature_layouts"
_FIELDS = {"version", "registry_table_names", "feature_layouts_table_version"}

Pinned = tuple[str, int]


@dataclass(frozen=True)
class Snapshot:
    """One snapshot.

    obs_tables : table name to its pinned version
    datasets : name and version of the table of datasets
    registries : feature space to name and version of its registry
    layouts : version of the table of feature layouts
    created_at : as recorded; "" if it is not recorded
    available : the numbers of all snapshots
    """

    version: int
    obs_tables: Mapping[str, int]
    datasets: Pinned
    registries: Mapping[str, Pinned]
    layouts: int
    created_at: str
    available: tuple[int, ...]

    def choose_obs_table(self, wanted: str | None, uri: str) -> Pinned:
        """Return the name and the version of the table of observations; None = the only one.

        Raises
        ------
        UnknownName
            If the snapshot has no such table.
        InvalidValue
            If the snapshot has several tables and `wanted` is None.
        """
        if wanted is not None:
            if wanted not in self.obs_tables:
                raise UnknownName(f"{uri}: no obs table {wanted!r}; this snapshot has {sorted(self.obs_tables)}.")
            return wanted, self.obs_tables[wanted]
        if len(self.obs_tables) > 1:
            raise InvalidValue(f"{uri}: several obs tables {sorted(self.obs_tables)}; choose one with obs_table=.")
        return next(iter(self.obs_tables.items()))


def read_snapshot(folder: Path, wanted: int | None, uri: str, meter: Meter) -> Snapshot:
    """Read the record of one snapshot; None = the newest. The meter counts the bytes read."""
    records = _records(folder, uri, meter)
    available = tuple(sorted(_whole(record, "version", uri) for record in records))
    if not available:
        raise InvalidStore(f"{uri}: the atlas has no snapshot yet; call atlas.snapshot() in homeobox.")
    version = available[-1] if wanted is None else wanted
    if version not in available:
        raise UnknownName(f"{uri}: snapshot {version} not found; available {list(available)}.")
    record = next(one for one in records if one["version"] == version)
    obs_tables = _obs_tables(record, uri)
    if not obs_tables:
        raise InvalidStore(f"{uri}: snapshot {version} lists no obs table.")
    return Snapshot(
        version=version,
        obs_tables=obs_tables,
        datasets=(_text(record, "dataset_table_name", uri), _whole(record, "dataset_table_version", uri)),
        registries=_registries(record, uri),
        layouts=_whole(record, "feature_layouts_table_version", uri),
        created_at=str(record.get("created_at") or ""),
        available=available,
    )


def _records(folder: Path, uri: str, meter: Meter) -> list[dict[str, Any]]:
    """Return the rows of the table of snapshots: `atlas_versions`, else the first table with its columns."""
    names = table_names(folder)
    if LAYOUTS not in names:
        raise InvalidStore(f"{uri}: lance_db/ has no table {LAYOUTS!r}, so this is not an atlas (found: {names[:6]}).")
    for name in [VERSIONS] if VERSIONS in names else names:
        table = LanceTable(folder, name, None, uri)
        is_record = set(table.schema.names) >= _FIELDS
        found: list[dict[str, Any]] = table.read(table.schema.names).to_pylist() if is_record else []
        meter.add(*table.traffic)
        if is_record:
            return found
    raise InvalidStore(f"{uri}: the atlas has no snapshot yet (no table {VERSIONS!r}); call atlas.snapshot().")


def _obs_tables(record: Mapping[str, Any], uri: str) -> dict[str, int]:
    """Return the obs tables: a JSON object of all, or in older records one table, `obs` or before that `cell`."""
    if record.get("obs_table_versions") is not None:
        return {name: _number(value, name, uri) for name, value in _mapping(record, "obs_table_versions", uri).items()}
    for kind in ("obs", "cell"):
        if record.get(f"{kind}_table_name"):
            return {_text(record, f"{kind}_table_name", uri): _whole(record, f"{kind}_table_version", uri)}
    return {}


def _registries(record: Mapping[str, Any], uri: str) -> dict[str, Pinned]:
    names = _mapping(record, "registry_table_names", uri)
    versions = _mapping(record, "registry_table_versions", uri)
    missing = sorted(names.keys() - versions.keys())
    if missing or not all(isinstance(name, str) for name in names.values()):
        raise InvalidStore(f"{uri}: the snapshot lists registries without a version: {missing or names}.")
    return {space: (name, _number(versions[space], space, uri)) for space, name in names.items()}


def _mapping(record: Mapping[str, Any], field: str, uri: str) -> dict[str, Any]:
    try:
        found, _ = load_json(record.get(field) or "{}")
    except (TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise InvalidStore(
            f"{uri}: {field} of the snapshot is not a JSON object of names; found {str(record[field])[:80]!r}."
        )
    return found


def _whole(record: Mapping[str, Any], field: str, uri: str) -> int:
    return _number(record.get(field), field, uri)


def _number(value: Any, what: str, uri: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise InvalidStore(f"{uri}: the snapshot gives {value!r} as the version of {what!r}; it must be a number.")
    return value


def _text(record: Mapping[str, Any], field: str, uri: str) -> str:
    value = record.get(field)
    if not isinstance(value, str) or not value:
        raise InvalidStore(f"{uri}: the snapshot gives {value!r} as {field}; it must be the name of a table.")
    return value
