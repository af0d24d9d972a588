"""What was done in a widget, as code and text need it: the data, settings, cells by rules, and calls with options."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.change.known import Unread
from cxg_widget.change.reactions import OwnLimits
from cxg_widget.color.palettes import category_palette
from cxg_widget.compute.bits import count_bits, pack_mask
from cxg_widget.datasets import is_in_memory
from cxg_widget.display.color_target import color_of_itself
from cxg_widget.display.settings import Settings
from cxg_widget.display.study_design import StudyDesign
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.combining import fitting
from cxg_widget.rules.forms import Rule, describe_rule
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.rules.rule import may_change
from cxg_widget.session.analysis.calls import Call, CallCells
from cxg_widget.session.streams.chunks import stored_colors
from cxg_widget.text.names import label_of

if TYPE_CHECKING:
    from cxg_widget.annotations.log import Log
    from cxg_widget.session.session import Session

_PACKAGES = ("cxg-widget", "numpy", "pandas", "scipy")


class Source(NamedTuple):
    """The data of a widget.

    path : path or address, as it was given
    options : options of `open_dataset` that were given
    title : without the size
    size : numbers of cells and genes in words
    identity : digest of the data, the same when they are opened again
    """

    path: str
    options: Mapping[str, Any]
    is_in_memory: bool
    title: str
    size: str
    format: str
    n_obs: int
    identity: str


class Cells(NamedTuple):
    """Some cells, and how they were chosen.

    name : of the set, or in words; None for unnamed cells
    rule : rule that finds exactly these cells; packed rows if there is no other
    n : number of cells; None if they cannot be found in these data
    within : name of the parent set
    """

    name: str | None
    rule: Rule
    n: int | None
    within: str | None = None

    @property
    def words(self) -> str:
        """The rule in words: "cell_type NK cell", "a polygon", "picked rows"."""
        return describe_rule(self.rule)


@dataclass(frozen=True)
class MadeCall:
    """A call with its cells found by rules; see `session.analysis.calls.Call`."""

    call: Call
    cells: Mapping[str, Cells]


class Records:
    """What was done in one widget, now; reads data only where cells are checked against their rules.

    Parameters
    ----------
    options : options of `open_dataset` that were given to the widget
    path : path that was given to the widget; "" = that of the dataset

    Attributes
    ----------
    source : the data
    first : settings of an untouched widget of these data
    settings : current settings
    """

    def __init__(self, session: Session, options: Mapping[str, Any] = MappingProxyType({}), path: str = "") -> None:
        self._session = session
        self.dataset = session.dataset
        self.settings = session.settings
        self.first = Settings(embedding=self.dataset.default_embedding, color=color_of_itself(self.dataset))
        self._options, self._path, self._selected = options, path, session.display.selected()
        self._calls = session.display.calls_by_number()

    @cached_property
    def source(self) -> Source:
        """The data of the widget."""
        dataset = self.dataset
        size = f"{dataset.obs_noun.counted(dataset.n_obs)}, {dataset.var_noun.counted(dataset.n_var)}"
        return Source(
            self._path or dataset.uri, dict(self._options), is_in_memory(dataset),
            dataset.title.removesuffix(f" ({size})"), size, dataset.format, dataset.n_obs, dataset.content_identity,
        )  # fmt: skip

    @cached_property
    def versions(self) -> dict[str, str]:
        """Versions of Python and of the packages that compute the numbers."""
        return {"python": platform.python_version(), **{name: metadata.version(name) for name in _PACKAGES}}

    @cached_property
    def selection(self) -> Cells:
        """The selected cells."""
        mask, rule = self._selected
        return self.cells_of(CallCells("the selection", rule, pack_mask(mask)))

    @cached_property
    def sets(self) -> tuple[Cells, ...]:
        """The sets of cells, in their order."""
        return tuple(
            Cells(one["name"], one["rule"], self._size_of(one["rule"]), one.get("within")) for one in self.settings.sets
        )

    @cached_property
    def n_filtered(self) -> int:
        """Number of cells that pass the filters."""
        passing = self._session.loader.of(self.settings).filtered()
        return self.dataset.n_obs if passing is None else int(np.count_nonzero(passing))

    @cached_property
    def annotations(self) -> Mapping[str, Log]:
        """The steps of each annotation, by its name."""
        return {one["name"]: one["log"] for one in self.settings.annotations}

    def label_counts(self, annotation: str) -> dict[str, int]:
        """Return the number of cells of each label of an annotation."""
        codes = self._session.loader.replay.codes(self.annotations[annotation])
        counts = np.bincount(codes.codes[codes.codes >= 0], minlength=len(codes.categories))
        return dict(zip(codes.categories, counts.tolist(), strict=True))

    @cached_property
    def calls(self) -> tuple[MadeCall, ...]:
        """Comparisons, compositions, plots and saved pictures, each once, in the order of their first calls."""
        return self.calls_of(self._calls)

    def calls_of(self, numbers: Iterable[int]) -> tuple[MadeCall, ...]:
        """Return the calls with these numbers that are still remembered, each once, in the order of their first."""
        found = _without_repeated(self._calls[number] for number in numbers if number in self._calls)
        return tuple(MadeCall(one, {name: self.cells_of(cells) for name, cells in one.cells.items()}) for one in found)

    @cached_property
    def filter_rule(self) -> Rule | None:
        """The rule of the cells that pass the filters; None without filters, or if they are too many for one rule."""
        return fitting({"and": [*self.settings.filter_rules]}) if self.settings.filters else None

    def table_columns(self) -> list[str]:
        """Return the columns of the table."""
        return list(self._session.table.columns())

    def category_colors(self, column: str, settings: Settings) -> list[str]:
        """Return the color of each category of an obs column or annotation; [] if it has none or the data have it."""
        dataset = self.dataset
        log = settings.log_of(column)
        if log is None and (dataset.obs_columns[column].kind != "categorical" or settings.palette is None):
            return []
        codes = dataset.codes(column) if log is None else self._session.loader.replay.codes(log)
        labels = list(map(label_of, codes.categories))
        return category_palette(labels, stored_colors(column, settings, dataset), settings.palette)

    def has_one_sample_a_pair(self, design: Mapping[str, Any]) -> bool:
        """Return whether no value of `pair` of a study has several samples of one condition, which count as one."""
        found = self._session.studies.samples_of(replace(StudyDesign.read(design), excluded=()))
        keys = [key for key in zip(found.condition.tolist(), found.pairs, strict=True) if key[1]]
        return len({*keys}) == len(keys)

    def foresee(self, settings: Settings, values: Mapping[str, Any], limits: OwnLimits) -> tuple[Settings, OwnLimits]:
        """Return what settings and limits of colors become if some are changed; others may follow them."""
        try:
            found = self._session.changes.foresee(settings, dict(values), limits)
        except (CxgWidgetError, Unread):  # a name that is gone by now
            return settings.having(dict(values)), limits
        return found.settings, found.limits

    def cells_of(self, cells: CallCells) -> Cells:
        """Return cells with a rule that finds exactly these cells in the current data."""
        rule = cells.rule
        if rule is None or not self.is_rule_of(rule, cells.bits):
            rule = PackedRows(cells.bits, self.dataset.n_obs, self.dataset.obs_identity)
        return Cells(cells.name, rule, count_bits(cells.bits))

    def is_rule_of(self, rule: Rule, bits: NDArray[np.uint8]) -> bool:
        """Return whether a rule finds exactly these cells, without labels that may change."""
        try:
            is_same = bool(np.array_equal(pack_mask(self._session.loader.mask_of(rule)), bits))
        except CxgWidgetError:  # it used a name that is gone
            return False
        return is_same and not may_change(rule, self.dataset)

    def _size_of(self, rule: Rule) -> int | None:
        try:
            return count_bits(self._session.set_bits.of(rule))
        except CxgWidgetError:  # rows of other data
            return None


def _without_repeated(calls: Iterable[Call]) -> list[Call]:
    """Return each call once, in the place of its first, with the result of its last."""
    found: list[Call] = []
    for one in calls:
        at = found.index(one) if one in found else len(found)
        found[at : at + 1] = [one]
    return found
