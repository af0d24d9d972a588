"""What the front-end gets anew after a change: the difference between settings before and now, as streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from cxg_widget.change.known import Known
from cxg_widget.color.limits import LIMITS
from cxg_widget.display.settings import BY_NAME, Settings

Stream = Literal["all", "points", "color", "color and filter", "palette", "filter", "place", "look"]
DRAWN = frozenset(
    [name for name, one in BY_NAME.items() if one.cost in ("points", "color", "palette", "filter")]
    + [*LIMITS, "scale", "hidden", "sets", "panels", "statistic", "render", "max_points"]
)
"""The settings that streams are made of; the front-end draws by all others alone."""


class Send(NamedTuple):
    """A stream to be sent: of the plot, or of a panel beside it."""

    stream: Stream
    panel: int = 0


def sends(before: Settings, now: Settings, known: Known) -> tuple[Send, ...]:
    """Return what is sent anew."""
    is_other_mode = known.render_mode(before) != known.render_mode(now)
    plot = _of_all(before, now) if is_other_mode else _of_plot(before, now, known)
    return (*plot, *_of_panels(before, now, known, is_other_mode=is_other_mode))


def _of_all(before: Settings, now: Settings) -> Iterator[Send]:
    yield Send("all")
    if before.filters and not now.filters:  # of which "all" says nothing
        yield Send("filter")


def _of_plot(before: Settings, now: Settings, known: Known) -> Iterator[Send]:
    is_filtered = _is_filtered_anew(before, now, known)
    is_recolored = known.are_other_codes(before, now)
    if before.place_key != now.place_key:
        yield Send("points")
    if is_recolored:  # in one stream with the filter, so that no cell flashes up
        yield Send("color and filter" if is_filtered else "color")
        return
    if before.palette != now.palette or (before.sets != now.sets and known.target(now).source == "sets"):
        yield Send("palette")
    if is_filtered:
        yield Send("filter")


def _is_filtered_anew(before: Settings, now: Settings, known: Known) -> bool:
    """Say whether other cells pass the filters, or others of them are shown; the legend's filter is drawn by codes."""
    others = known.filters_except_legend(now)
    if known.filters_except_legend(before) != others or (before.annotations != now.annotations and now.filters):
        return True
    is_counted_anew = before.filters != now.filters
    if now.hidden or before.hidden:
        is_other = before.hidden != now.hidden or before.sets != now.sets
        is_counted_anew |= is_other and known.legend_column(now) is None
    return bool(others) and is_counted_anew


def _of_panels(before: Settings, now: Settings, known: Known, *, is_other_mode: bool) -> Iterator[Send]:
    for place, panel in now.places.items():
        if is_other_mode or place not in before.places:
            yield Send("place", panel)
    for panel in now.panel_numbers:
        is_new = panel not in before.panel_numbers
        look, look_before = now.of_panel(panel), before.of_panel(0 if is_new else panel)
        if is_new:
            yield Send("look", panel)
        elif is_other_mode or known.are_other_codes(look_before, look):
            yield Send("color", panel)
        elif look.palette != look_before.palette:
            yield Send("palette", panel)
        if not is_new and look.filters != look_before.filters:
            yield Send("filter", panel)
