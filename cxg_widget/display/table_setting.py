"""The setting `table`: columns, order and cells of the table of cells."""
# Changes with cxg_widget/widget/table.py and cxg_widget/session/analysis/table.py: what the table shows.
# Changes with js/src/panels/table/row_requests.js: what the table shows.

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from cxg_widget.display.color_target import NO_SETS, OwnSets, Target, resolve
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown
from cxg_widget.wire.protocol import TableOf

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings

INDEX = "index"
"""Sorts the table by the obs index; a column of that name is "obs:index"."""
MOST_COLUMNS = 100


@dataclass(frozen=True)
class TableSetting:
    """The setting `table` with its defaults.

    columns : "obs:NAME", "var:NAME" or "set:NAME"; None = the most informative, and the color
    sort : one such name, "index", or None = the order of the store
    descending : whether the highest come first; cells without a value are always last
    of : cells that pass the "filter", or the "selection"
    """

    columns: tuple[str, ...] | None = None
    sort: str | None = None
    descending: bool = False
    of: TableOf = "filter"

    @classmethod
    def read(cls, value: Mapping[str, Any] | None) -> TableSetting:
        """Return a setting from the value of the trait."""
        given = dict(value or {})
        return cls(**{**given, "columns": tuple(given["columns"])} if given.get("columns") is not None else given)

    def as_json(self) -> dict[str, Any] | None:
        """Return the value of the trait: what differs from the defaults, None if nothing does."""
        columns = None if self.columns is None else list(self.columns)
        given = {"columns": columns, "sort": self.sort, "descending": self.descending, "of": self.of}
        default = {"columns": None, "sort": None, "descending": False, "of": "filter"}
        return {name: one for name, one in given.items() if one != default[name]} or None


def check_table(value: Any, dataset: Dataset, settings: Settings) -> dict[str, Any] | None:
    """Return the normalized setting `table`, with unambiguous names of columns."""
    value = getattr(value, "setting", value)  # a `w.table` object
    value = value.as_json() if isinstance(value, TableSetting) else value
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise InvalidValue(f"table must be a dict with columns, sort, descending and of; found {shown(value)}")
    known = tuple(TableSetting.__dataclass_fields__)
    for name in value:
        if name not in known:
            raise UnknownName(not_found("setting of the table", name, known, "w.table"))
    setting = TableSetting(
        _columns(value.get("columns"), dataset, settings.own_gene_sets),
        _sort(value.get("sort"), dataset, settings.own_gene_sets),
        _flag(value.get("descending", False)),
        _of(value.get("of", "filter")),
    )
    return setting.as_json()


def _columns(value: Any, dataset: Dataset, sets: OwnSets) -> tuple[str, ...] | None:
    value = value.tolist() if hasattr(value, "tolist") else value
    if value is None:
        return None
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) and name for name in names):
        raise InvalidValue(
            f"table.columns must be a list of obs columns and {dataset.var_noun.many}, or None; found {shown(value)}"
        )
    found = tuple(dict.fromkeys(spec_of(name, dataset, sets) for name in names))
    if len(found) > MOST_COLUMNS:
        raise InvalidValue(f"the table has room for {MOST_COLUMNS} columns; found {len(found):,}")
    return found


def _sort(value: Any, dataset: Dataset, sets: OwnSets) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidValue(f"table.sort must be the name of a column, 'index' or None; found {shown(value)}")
    if not value:
        return None
    return INDEX if value == INDEX else spec_of(value, dataset, sets)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise InvalidValue(f"table.descending must be True or False; found {shown(value)}")
    return value


def _of(value: Any) -> TableOf:
    if isinstance(value, str) and value in get_args(TableOf):
        found: TableOf = value  # type: ignore[assignment]
        return found
    raise UnknownName(not_found("choice of table.of", value, get_args(TableOf), "w.table"))


def spec_of(name: str, dataset: Dataset, sets: OwnSets = NO_SETS) -> str:
    """Return an unambiguous name of a column of the table; a gene may be in X or in any layer."""
    try:
        return resolve(name, dataset, None, sets).spec
    except UnknownName:
        for layer in dataset.layers:
            if dataset.names_in(layer).has_var(name.removeprefix("var:")):
                return resolve(name, dataset, layer).spec
        raise


def without(value: Mapping[str, Any] | None, names: Collection[str]) -> dict[str, Any] | None:
    """Return the value of the trait without deleted columns."""
    table = dict(value or {})
    if table.get("columns") is not None:
        table["columns"] = [one for one in table["columns"] if one not in names]
    if table.get("sort") in names:
        del table["sort"]
    return table or None


def columns_nobody_chose(coloring: Target, telling: Sequence[str]) -> list[str]:
    """Return the default columns: the color, and the most informative obs columns."""
    is_column = coloring.source in ("obs", "var", "set")
    return list(dict.fromkeys([*([coloring.spec] if is_column else []), *(f"obs:{name}" for name in telling)]))
