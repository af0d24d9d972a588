"""Finds the changes of a session's settings, and reads what they need: a change that cannot be shown is refused."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

from cxg_widget.cells.loader import Loader
from cxg_widget.change.change import READS, Change, change
from cxg_widget.change.known import Unread
from cxg_widget.change.sends import Send, sends
from cxg_widget.color.limits import OwnLimits
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.display.settings import Settings, check
from cxg_widget.display.target import Target
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.rules.filters import check_filters
from cxg_widget.session.display_state import DisplayState
from cxg_widget.session.settings_check import SettingsCheck

FIRST = ("embedding", "gene_sets", "annotations", "sets")
"""Settings that others may name, each of which may name those before it."""
ALL = frozenset(READS.values())


class Changes:
    """The changes of one session.

    Attributes
    ----------
    limits : the color limits of all colorings shown so far
    """

    def __init__(self, loader: Loader, display: DisplayState, settings_check: SettingsCheck) -> None:
        self._loader, self._display, self._check = loader, display, settings_check
        self._dataset = loader.dataset
        self.limits = OwnLimits()

    def checked(self, requested: Mapping[str, Any]) -> dict[str, Any]:
        """Return values as they are kept, each checked beside what else is requested; the dataset has annotations then.

        Raises
        ------
        CxgWidgetError
            If one does not fit.
        """
        found, named = dict(requested), self._display.settings
        for name in FIRST:
            if name in requested:
                found[name] = check(name, requested[name], self._dataset, named)
                named = named.having({name: found[name]})
            if name == "annotations" in requested and len(requested) > 1:  # the others may name those
                self._loader.put_labels(_Known(self._loader, self._check, self.limits).annotations(named))
        if isinstance(requested.get("filters"), Mapping):
            layer = requested.get("layer", named.layer)
            found["filters"] = check_filters(requested["filters"], self._dataset, layer, named.sets)
        left = {name: value for name, value in found.items() if name not in FIRST}
        return {**found, **{name: check(name, value, self._dataset, named) for name, value in left.items()}}

    def find(self, requested: Mapping[str, Any], needs: Collection[str] = ALL) -> Change:
        """Return the change to some values, which have been checked, with all that follows; nothing is changed.

        Parameters
        ----------
        needs : what is read before, of what the change needs

        Raises
        ------
        CxgWidgetError
            If the values do not go together, cannot be read or do not fit what is read.
        """
        found = self._find(requested)
        try:
            for need in found.reads:
                if need in needs:
                    self._check.read(need, found.settings)
        except CxgWidgetError:
            self._check.give_up()
            raise
        # Which limits a coloring takes over depends on its numbers, which are known only now.
        return self._find(requested) if "coloring" in needs and "coloring" in found.reads else found

    def sends(self, settings: Settings) -> tuple[Send, ...]:
        """Return what other settings send anew."""
        return sends(self._display.settings, settings, _Known(self._loader, self._check, self.limits))

    def _find(self, requested: Mapping[str, Any]) -> Change:
        now, known = self._display.settings, _Known(self._loader, self._check, self.limits)
        if "annotations" in requested:  # the dataset has those of before too until the change is shown
            own = known.annotations(now) | known.annotations(now.having({"annotations": requested["annotations"]}))
            self._loader.put_labels(own)
        while True:
            try:
                return change(now, requested, known)
            except Unread as unread:
                known.read(unread.settings)


class _Known:
    """What is known of a dataset, as `change.known.Known` has it."""

    def __init__(self, loader: Loader, settings_check: SettingsCheck, limits: OwnLimits) -> None:
        self._loader, self._check, self.limits = loader, settings_check, limits
        self._labels: dict[Hashable, Sequence[str]] = {}

    @property
    def dataset(self) -> Dataset:
        return self._loader.dataset

    def annotations(self, settings: Settings) -> dict[str, Codes]:
        return {one["name"]: self._loader.replay.codes(one["log"]) for one in settings.annotations}

    def target(self, settings: Settings) -> Target:
        return self._loader.target(settings)

    def legend_column(self, settings: Settings) -> str | None:
        return self._loader.legend_column(settings)

    def labels(self, settings: Settings) -> Sequence[str]:
        key = settings.color_key
        if key not in self._labels:
            known = self._loader.of(settings).known_coloring()
            if known is None:
                raise Unread(settings)
            self._labels[key] = known.labels
        return self._labels[key]

    def read(self, settings: Settings) -> None:
        """Read the labels that color the cells."""
        self._labels[settings.color_key] = self._loader.of(settings).coloring().labels

    def fits(self, settings: Settings) -> bool:
        try:
            self._check.limits(settings)
        except InvalidValue:
            return False
        return True

    def render_mode(self, settings: Settings) -> object:
        return settings.render, settings.max_points, self._loader.is_of_pixels(settings)

    def are_other_codes(self, before: Settings, now: Settings) -> bool:
        if before.color_key != now.color_key:
            return True
        # Of the same numbers, limits may need finer codes.
        is_same_rule = before.color_rule == now.color_rule
        return not is_same_rule and self._loader.of(before).levels() != self._loader.of(now).levels()

    def filters_except_legend(self, settings: Settings) -> tuple[object, ...]:
        return self._loader.filters_except_legend(settings)
