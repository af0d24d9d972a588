"""Changes of a session's settings: checks them, and reads what they need, so that only showable ones are applied."""
# Changes with cxg_widget/change/change.py: what is read before a setting is taken.

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from typing import Any

from cxg_widget.cells.loader import Loader
from cxg_widget.change.change import READS, Change, Send, change, sends
from cxg_widget.change.known import Unread
from cxg_widget.change.reactions import OwnLimits
from cxg_widget.color.limits import check_rule
from cxg_widget.datasets.base.dataset import Codes, Dataset
from cxg_widget.display.color_target import Target, is_number, resolve
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings, check
from cxg_widget.errors import CxgWidgetError, InvalidValue, UnknownName
from cxg_widget.rules.filters import check_filters, lists_values
from cxg_widget.rules.named import check_known, check_named
from cxg_widget.session.display_state import DisplayState
from cxg_widget.text.names import shown
from cxg_widget.text.warned import warn_caller
from cxg_widget.wire.quantise import Bounds


class SettingsCheck:
    """Checks settings against the dataset, and against each other."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader, self._display, self._dataset = loader, display, loader.dataset

    def read(self, what: str, settings: Settings) -> None:
        """Read what a setting needs, by the names of `change.change.READS`; raises if it is unreadable or invalid."""
        readers: dict[str, Callable[[Settings], object]] = {
            "place": self.place, "coloring": self.coloring, "hidden": self.hidden, "filters": self.filters,
            "statistic": self.statistic, "palette": self.palette, "panels": self.panels, "landmarks": self.landmarks,
            "limits": self.limits,
        }  # fmt: skip
        readers[what](settings)

    def coloring(self, settings: Settings) -> None:
        """Read the coloring; raises as `Holder.coloring`."""
        self._loader.of(settings).coloring()

    def hidden(self, settings: Settings) -> None:
        """Check that hidden labels are categories of the coloring; raises as `Coloring.check_hidden`."""
        if settings.hidden:
            self._loader.of(settings).coloring().check_hidden(settings.hidden)

    def named(self, settings: Settings) -> None:
        """Check that sets named by filters, contours and the difference exist."""
        check_named(settings.filters, settings.sets)
        self.on_plot(settings)

    def on_plot(self, settings: Settings) -> None:
        """Check that sets with contours or in the difference exist; raises `UnknownName`."""
        check_known(settings.sets_on_plot, settings.sets)

    def filters(self, settings: Settings) -> None:
        """Find the cells that pass all filters; raises as `named` and `rules.rule.mask_of`."""
        self.named(settings)
        self._loader.of(settings).filtered()

    def palette(self, settings: Settings) -> None:
        """Warn about a palette with unknown categories; raises `UnknownName` if it has no others."""
        if sentence := self.misfit(settings):
            if not set(settings.palette).intersection(self._loader.of(settings).coloring().labels):
                raise UnknownName(f"palette: {sentence}")
            warn_caller(f"palette: {sentence}")

    def misfit(self, settings: Settings) -> str:
        """Return the sentence about an unknown category of a palette; "" if there is none."""
        is_by_name = isinstance(settings.palette, Mapping)
        return self._loader.of(settings).coloring().misfit(settings.palette) if is_by_name else ""

    def limits(self, settings: Settings) -> None:
        """Check limits, center and scale against each other, using numbers that were read."""
        known: Coloring | None = self._loader.memo.held("coloring", settings.color_key)
        are_numbers = known is not None and known.scale == "continuous" and not self._loader.is_of_pixels(settings)
        check_rule(settings.color_rule, known.numbers.quantile if known and are_numbers else None)

    def statistic(self, settings: Settings) -> None:
        """Check that a datashader reduction gives one number per pixel, from numeric columns that exist."""
        if isinstance(settings.statistic, str):
            return
        from cxg_widget.draw.aggregate.reductions import reduction_of

        plan = reduction_of(settings.statistic)
        if not plan.is_plane:
            raise InvalidValue(
                f"statistic must give one number for each pixel; {shown(settings.statistic)} gives several"
            )
        for column in plan.columns:
            if not is_number(resolve(column, self._dataset, settings.layer, settings.own_gene_sets), self._dataset):
                raise InvalidValue(
                    f"statistic must be of numbers; {shown(column)} of {shown(settings.statistic)} holds none"
                )

    def landmarks(self, settings: Settings) -> None:
        """Read the columns of labels and contours; sets are found when they are drawn."""
        self.named(settings)
        for column in (settings.labels, settings.contours):
            if isinstance(column, str):
                self._loader.of(settings).category_counts(column, None)

    def place(self, settings: Settings) -> Bounds:
        """Read the coordinates for some settings, and return their bounds."""
        self.begin(settings)
        try:
            return self._loader.of(settings).place()
        except CxgWidgetError:
            self.give_up()
            raise

    def begin(self, settings: Settings) -> None:
        """Hold the data of new settings in addition to the current ones, until these settings are shown or dropped."""
        now = self._display.settings
        self._loader.show([now, *(now.of_panel(one) for one in now.panel_numbers), settings])

    def give_up(self) -> None:
        """Keep only the data of the settings that are shown."""
        self.share(self._display.settings)

    def panels(self, settings: Settings) -> None:
        """Read the data of panels, so that an error is raised where it was caused."""
        if settings.panels and self._loader.is_elsewhere:
            many = self._dataset.obs_noun.many
            raise InvalidValue(
                f"panels side by side are not available for {many} that Dask's workers hold; color one plot."
            )
        try:
            for look in self.share(settings):
                if look.place_key != settings.place_key:
                    self._loader.of(look).place()
                self._loader.of(look).coloring()
                self.limits(look)
                self._loader.of(look).filtered()
        except CxgWidgetError:
            self.give_up()
            raise

    def share(self, settings: Settings) -> list[Settings]:
        """Keep the data of each panel, and return the settings of each."""
        panels = [settings.of_panel(one) for one in settings.panel_numbers]
        self._loader.show([settings, *panels])
        are_parts = any("within" in settings.look(one) for one in settings.panel_numbers)
        # The filter that a legend shows excludes cells only in panels of other colors.
        self._loader.has_parts = are_parts or (bool(panels) and any(map(lists_values, settings.filters)))
        return panels


FIRST = ("embedding", "gene_sets", "annotations", "sets")
"""Settings that others may name; each may also name those before it."""
ALL = frozenset(READS.values())


class Changes:
    """The changes of one session."""

    def __init__(self, loader: Loader, display: DisplayState, settings_check: SettingsCheck) -> None:
        self._loader, self._display, self._check = loader, display, settings_check
        self._dataset = loader.dataset
        self.limits = OwnLimits()

    def checked(self, requested: Mapping[str, Any]) -> dict[str, Any]:
        """Return normalized values, checked together; the dataset then has the requested annotations."""
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
        """Return the change to some checked values, with all that follows; nothing is changed.

        needs : which of the needed data to read first
        """
        found = self._find(requested)
        try:
            for need in found.reads:
                if need in needs:
                    self._check.read(need, found.settings)
        except CxgWidgetError:
            self._check.give_up()
            raise
        # Which limits a coloring inherits depends on its numbers, which are only known now.
        return self._find(requested) if "coloring" in needs and "coloring" in found.reads else found

    def foresee(self, settings: Settings, requested: Mapping[str, Any], limits: OwnLimits) -> Change:
        """Return a change of other settings than those of now; nothing is changed.

        limits : of the colorings shown until then

        Raises
        ------
        CxgWidgetError, Unread
            If it uses names that are gone by now, or the labels of a color must be read.
        """
        return change(settings, requested, _Known(self._loader, self._check, limits))

    def sends(self, settings: Settings) -> tuple[Send, ...]:
        """Return the streams that other settings would send again."""
        return sends(self._display.settings, settings, _Known(self._loader, self._check, self.limits))

    def _find(self, requested: Mapping[str, Any]) -> Change:
        now, known = self._display.settings, _Known(self._loader, self._check, self.limits)
        if "annotations" in requested:  # until the change is shown, the dataset also has the previous ones
            own = known.annotations(now) | known.annotations(now.having({"annotations": requested["annotations"]}))
            self._loader.put_labels(own)
        while True:
            try:
                return change(now, requested, known)
            except Unread as unread:
                known.read(unread.settings)


class _Known:
    """Knowledge about a dataset, as `change.known.Known` requires it."""

    def __init__(self, loader: Loader, settings_check: SettingsCheck, limits: OwnLimits) -> None:
        self._loader, self._check, self.limits = loader, settings_check, limits
        self._labels: dict[Hashable, Sequence[str]] = {}

    @property
    def dataset(self) -> Dataset:
        return self._loader.dataset

    def annotations(self, settings: Settings) -> dict[str, Codes]:
        return self._loader.annotations(settings)

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
        """Read the labels of the coloring."""
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
        # New limits of the same numbers may need finer codes.
        is_same_rule = before.color_rule == now.color_rule
        return not is_same_rule and self._loader.of(before).levels() != self._loader.of(now).levels()

    def filters_except_legend(self, settings: Settings) -> tuple[object, ...]:
        return self._loader.filters_except_legend(settings)
