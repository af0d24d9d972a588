"""Caches everything read from a dataset, each part until its key changes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping
from contextlib import suppress
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cxg_widget.annotations.replay import Replay
from cxg_widget.cells.holder import Holder
from cxg_widget.cells.indexed import RECENT_BYTES
from cxg_widget.cells.local import LocalHolder
from cxg_widget.cells.sample import Sample
from cxg_widget.compute.bits import pack_mask
from cxg_widget.compute.cache import ByteCache, Memo
from cxg_widget.compute.pending import Pending
from cxg_widget.counts.counter import Counter
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.datasets.base.lifetime import Meter
from cxg_widget.datasets.base.values import freeze
from cxg_widget.display.by_sets import resolve_sets, set_codes
from cxg_widget.display.color_target import Target, blended, is_number, is_of_sets, resolve
from cxg_widget.display.settings import Settings
from cxg_widget.errors import Overtaken
from cxg_widget.rules.crossfilter import Crossfilter
from cxg_widget.rules.filters import is_of_values
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.forms.cells import check_rows
from cxg_widget.rules.named import digest_of
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.rules.rule import is_by_rows, mask_of
from cxg_widget.wire.order import DisplayOrder

_MOST_TARGETS = 8
_Made = TypeVar("_Made")
Bits = NDArray[np.uint8]
_MOST_BYTES = 256 << 20


class Loader:
    """Caches everything read from one dataset in slots of a memo; `of` returns the holder of the cells.

    Parameters
    ----------
    seed : of the draw order and of samples
    tell_progress : called with 0 to 1 while an index is built
    holder : returns the holder of the cells for this loader and some settings

    Attributes
    ----------
    memo : data for the current settings
    recent : earlier colorings
    replay : labels of the logs of annotations
    places : keys of the coordinates in use
    indexes_wanted : keys of the indexes under construction that are still needed; others are dropped
    has_parts : whether linked panels show parts of the cells in turn
    elsewhere : counts reads of the store by others, such as the workers of a cluster
    reading_near : lock held while the cells of one view are read
    """

    def __init__(
        self,
        dataset: Dataset,
        seed: int,
        tell_progress: Callable[[float], None],
        holder: Callable[[Loader, Settings], Holder] = LocalHolder,
    ) -> None:
        self.dataset = dataset
        self.tell_progress = tell_progress
        self.memo = Memo()
        self.recent = ByteCache(RECENT_BYTES, lambda coloring: coloring.nbytes)
        self.crossfilter = Crossfilter(dataset, self.mask_of)
        self.counter = Counter(dataset, self.crossfilter)
        self.replay = Replay(dataset.with_own_columns())
        self.set_bits = SetBits(dataset)
        self.indexing = Pending()
        self.places: frozenset[Hashable] = frozenset()
        self.indexes_wanted: frozenset[Hashable] = frozenset()
        self.has_parts = False
        self.elsewhere = Meter()
        self.reading_near = threading.Lock()
        self._seed = seed
        self._holder = holder
        self._targets: dict[Hashable, Target] = {}

    def of(self, settings: Settings) -> Holder:
        """Return the holder of the cells for some settings."""
        if settings.sets:  # they may belong to a change that is not shown yet
            self.crossfilter.know_sets(settings.sets)
        return self._holder(self, settings)

    def target(self, settings: Settings) -> Target:
        """Return the target of the color; cached for the last few names."""
        key, known = settings.color_key, self._targets
        if key not in known:
            # A new dict, since several threads read the old one.
            last = [*known.items()][-_MOST_TARGETS:]
            self._targets = known = {**dict(last), key: self._find_target(settings)}
        return known[key]

    def _find_target(self, settings: Settings) -> Target:
        if is_of_sets(settings.color):
            names, own = [one["name"] for one in settings.sets], settings.own_gene_sets
            of_sets = resolve_sets(settings.color, names, self.dataset, settings.layer, own)
            if of_sets is not None:
                return of_sets
        color, layer, *more = settings.color_key
        target = resolve(color, self.dataset, layer, dict(more[0]) if more else {})
        return blended(target, self.dataset) if settings.is_blended else target

    def labels(self, settings: Settings, target: Target) -> Codes | None:
        """Return the labels of the annotation, or the sets, that color the cells; None for other colors."""
        if target.source == "sets":
            of_sets = settings.sets, self.set_bits.of, self.dataset.n_obs
            return self.memo.keep("set codes", settings.color_key, lambda: set_codes(target.name, *of_sets))
        log = settings.log_of(target.name) if target.source == "obs" else None
        return None if log is None else self.replay.codes(log)

    def annotations(self, settings: Settings) -> dict[str, Codes]:
        """Return the labels of all annotations of some settings, by name; raises as `Replay.codes`."""
        return {one["name"]: self.replay.codes(one["log"]) for one in settings.annotations}

    def has_labels(self, columns: Mapping[str, Codes]) -> bool:
        """Return whether the dataset has exactly these annotations."""
        own = self.dataset.own_columns
        return own.keys() == columns.keys() and all(own[name] is codes for name, codes in columns.items())

    def put_labels(self, columns: Mapping[str, Codes]) -> bool:
        """Give the dataset exactly these annotations; return whether any is new.

        Drops what is cached by the name of a column.
        """
        if self.has_labels(columns):
            return False
        self.dataset.put_columns(columns)
        self._targets = {}  # a name may mean an annotation now
        self.crossfilter.keep(())
        self.counter.keep(())
        self.set_bits.forget()  # also those of rules that use labels
        for slot in ("groups", "columns", "catalogue", "describer", "names", "contours", "table_keys", "counter"):
            self.memo.drop(slot)
        return True

    def filters_except_legend(self, settings: Settings) -> tuple[Any, ...]:
        """Return the filters except that of the legend, whose categories are hidden while drawing."""
        column = self.legend_column(settings) if settings.filters else None
        return tuple(one for one in settings.filters if not is_of_values(one, column))

    def legend_column(self, settings: Settings) -> str | None:
        """Return the obs column whose categories the legend lists; None if it lists none."""
        target = self.target(settings)
        return target.name if target.source == "obs" and not is_number(target, self.dataset) else None

    def is_of_pixels(self, settings: Settings) -> bool:
        """Return whether the displayed numbers are of pixels, not of cells."""
        return settings.is_of_pixels and is_number(self.target(settings), self.dataset)

    def mask_of(self, rule: Rule) -> NDArray[np.bool_]:
        """Evaluate a rule: on the workers that hold the cells, if rows alone suffice."""
        shared = self.memo.in_slot("shared")
        if shared is not None and is_by_rows(rule, self.dataset):
            with suppress(Overtaken):  # of cells that are no longer shown; the rule means the same ones
                found: NDArray[np.bool_] = shared.rule_mask(rule)
                return found
        return mask_of(rule, self.dataset)

    def share(self, slot: str, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return a value that all widgets over the dataset have in common while one of them holds it."""
        return self.dataset._shared.get_or_make((slot, key), make)

    @property
    def is_elsewhere(self) -> bool:
        """Whether Dask workers hold the cells."""
        return self._holder is not LocalHolder

    def order(self) -> DisplayOrder:
        """Return the draw order of all rows."""
        n_obs, seed = self.dataset.n_obs, self._seed
        return self.memo.keep("order", None, lambda: self.share("order", seed, lambda: DisplayOrder(n_obs, seed)))

    def sample(self, n_points: int) -> Sample:
        """Return the rows of the sample, for aggregated views."""
        return self.memo.keep("sample", n_points, lambda: Sample(self.dataset.n_obs, n_points, self._seed))

    def show(self, panels: Iterable[Settings]) -> None:
        """Keep the data of the plot, the first panel, and of the other panels, and drop the rest."""
        plot, *others = panels
        of_each = [[one.color_key, one.place_key, (*one.place_key, one.max_points)] for one in (plot, *others)]
        self.places = frozenset(one.place_key for one in (plot, *others))
        self.memo.share([key for keys in of_each for key in keys] if others else (), of_each[0])

    def want_index(self, place: Hashable) -> None:
        """Register the index to build, and drop those for places that are no longer shown."""
        self.indexes_wanted = (self.indexes_wanted & self.places if place in self.places else frozenset()) | {place}

    def give_up_index(self) -> None:
        """Drop the indexes under construction; the next request for one starts again."""
        self.indexes_wanted = frozenset()
        self.indexing.drop()

    def close(self) -> None:
        """Release everything and drop an index under construction; Jupyter keeps a closed widget forever."""
        # First, so that reads that end later are not cached.
        held = self.memo.close()
        for slot in ("indexed", "shared"):
            for cells in held.get(slot, {}).values():
                cells.close()
        self.crossfilter.keep(())
        self.counter.close()
        self.replay.close()
        self.set_bits.forget()
        self.dataset.put_columns({})
        self.recent.limit_bytes = 0  # reads that end later are not cached either
        self.recent.clear()


class SetBits:
    """The cells of sets of one dataset, by the digests of their rules."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._bits = ByteCache(_MOST_BYTES, attrgetter("nbytes"))

    def of(self, rule: Rule) -> Bits:
        """Return the cells of the rule of a set as packed bits, read-only; raises as `rules.rule.mask_of`."""
        if isinstance(rule, PackedRows):
            check_rows(rule, self._dataset)
            return rule.bits
        return self._bits.get_or_load(digest_of(rule), lambda: freeze(pack_mask(mask_of(rule, self._dataset))))

    def know(self, rule: Rule, bits: Bits) -> None:
        """Cache the known cells of a rule; a rule of rows has its own."""
        if not isinstance(rule, PackedRows):
            self._bits.put(digest_of(rule), freeze(bits))

    def forget(self) -> None:
        """Drop all cells, since columns that rules use have changed."""
        self._bits.clear()
