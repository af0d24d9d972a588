"""Checks settings before they are on show, and reads what they need, so that a failure is raised where it began."""

from __future__ import annotations

from cxg_widget.cells.loader import Loader
from cxg_widget.color.limits import check_rule
from cxg_widget.display.coloring import Coloring
from cxg_widget.display.settings import Settings
from cxg_widget.display.target import is_number, resolve
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.rules.filters import lists_values
from cxg_widget.session.on_show import OnShow
from cxg_widget.text.names import shown
from cxg_widget.wire.quantise import Bounds


class SettingsCheck:
    """Checks settings against the dataset, and against each other."""

    def __init__(self, loader: Loader, on_show: OnShow) -> None:
        self._loader, self._on_show, self._dataset = loader, on_show, loader.dataset

    def limits(self, settings: Settings) -> None:
        """Check limits, centre and scale of some settings against each other, with numbers where these have been read.

        Raises
        ------
        InvalidValue
            If they do not go together.
        """
        known: Coloring | None = self._loader.memo.held("coloring", settings.color_key)
        are_numbers = known is not None and known.scale == "continuous" and not self._loader.is_of_pixels(settings)
        check_rule(settings.color_rule, known.numbers.quantile if known and are_numbers else None)

    def statistic(self, settings: Settings) -> None:
        """Check that a reduction of datashader gives one number for each pixel, of numbers that there are.

        Raises
        ------
        InvalidValue, UnknownName
            If it does not.
        """
        if isinstance(settings.statistic, str):
            return
        from cxg_widget.draw.aggregate import reduction_of

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
        """Read the columns of names and contours; sets are found when they are drawn.

        Raises
        ------
        CxgWidgetError
            If one cannot be read, or has too many categories.
        """
        for column in (settings.labels, settings.contours):
            if isinstance(column, str):
                self._loader.of(settings).category_counts(column, None)

    def place(self, settings: Settings) -> Bounds:
        """Read where the cells are as settings place them, and return within which bounds that is."""
        self.begin(settings)
        try:
            return self._loader.of(settings).place()
        except CxgWidgetError:
            self.give_up()
            raise

    def begin(self, settings: Settings) -> None:
        """Keep what settings show beside what is on show, until they are shown, or given up."""
        now = self._on_show.settings
        self._loader.show([now, *(now.of_panel(one) for one in now.panel_numbers), settings])

    def give_up(self) -> None:
        """Keep what is on show alone."""
        self.share(self._on_show.settings)

    def panels(self, settings: Settings) -> None:
        """Read what panels show, so that a failure is raised where it was caused.

        Raises
        ------
        InvalidValue
            If Dask's workers hold the cells, or limits do not go together.
        CxgWidgetError
            If something cannot be read.
        """
        if settings.panels and self._loader.is_elsewhere:
            many = self._dataset.obs_noun.many
            raise InvalidValue(f"panels beside each other are not for {many} that Dask's workers hold; color one plot.")
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
        """Keep what each panel shows, and return the settings of each."""
        panels = [settings.of_panel(one) for one in settings.panel_numbers]
        self._loader.show([settings, *panels])
        are_parts = any("within" in settings.look(one) for one in settings.panel_numbers)
        # The filter that a legend shows leaves out cells in panels of other colours alone.
        self._loader.has_parts = are_parts or (bool(panels) and any(map(lists_values, settings.filters)))
        return panels
