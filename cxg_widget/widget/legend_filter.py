"""What the legend hides and the filter of the column it shows, which are one thing under two names."""

from __future__ import annotations

from typing import Any

from cxg_widget.display.settings import Settings
from cxg_widget.rules.filters import hidden_by, hiding, is_of_values
from cxg_widget.rules.forms import Rule
from cxg_widget.session.session import Session


class LegendFilter:
    """Keeps the settings `hidden` and `filters` in agreement, whichever of them was set."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def hidden(self, settings: Settings) -> list[str]:
        """Return the labels that are hidden by the filter of the column on show."""
        rule = self._rule(settings)
        if rule is None:
            return []
        labels = [] if "not" in rule else self._session.coloring(settings).labels
        return hidden_by(rule, labels)

    def still_hidden(self, settings: Settings) -> list[str]:
        """Return what is hidden once filters have changed; of a legend of no column, as of sets, all that was."""
        return list(settings.hidden) if self._session.legend_column(settings) is None else self.hidden(settings)

    def filters(self, settings: Settings) -> list[Rule]:
        """Return the filters, that of the column on show as `hidden` has it."""
        rule, column = self._rule(settings), self._session.legend_column(settings)
        if column is None or list(settings.hidden) == self.hidden(settings):
            return list(settings.filters)
        hides = [hiding(column, settings.hidden)] if settings.hidden else []
        at = list(settings.filters).index(rule) if rule is not None else len(settings.filters)
        return [*settings.filters[:at], *hides, *settings.filters[at + (rule is not None) :]]

    def agreed(self, values: dict[str, Any], settings: Settings) -> dict[str, Any]:
        """Return values set together so that both agree: a filter of that column counts, else what is hidden."""
        if "hidden" not in values and "filters" not in values:
            return values
        if self._rule(settings) is not None:
            return {**values, "hidden": self.hidden(settings)}
        return {**values, "filters": self.filters(settings)}

    def _rule(self, settings: Settings) -> Rule | None:
        column = self._session.legend_column(settings) if settings.filters else None
        return next((one for one in settings.filters if is_of_values(one, column)), None)
