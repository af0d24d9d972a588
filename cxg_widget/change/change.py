"""Computes a change of settings: the new settings, what to read first, and what to send.

change(settings, {"color": "CD3E"}, known).settings.vmax    # the limit set when CD3E was last shown
"""
# Changes with cxg_widget/session/changes.py: what is read before a setting is taken.
# Changes with cxg_widget/display/looks.py: what panels override.

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from cxg_widget.change.known import Known
from cxg_widget.change.reactions import (
    OF_COLORING,
    OwnLimits,
    follow_annotations,
    follow_coloring,
    follow_embedding,
    follow_gene_sets,
    follow_sets,
    hide_and_filter,
    keep_views,
)
from cxg_widget.color.limits import LIMITS
from cxg_widget.display.settings import BY_NAME, STATE, Settings

Stream = Literal["all", "points", "color", "color and filter", "palette", "filter", "place", "look"]
DRAWN = frozenset(
    [name for name, one in BY_NAME.items() if one.cost in ("points", "color", "palette", "filter")]
    + [*LIMITS, "scale", "hidden", "sets", "panels", "statistic", "render", "max_points"]
)
"""Settings that streams depend on; the front-end applies all others by itself."""


class Send(NamedTuple):
    """A stream to send, of the plot or of a panel."""

    stream: Stream
    panel: int = 0


def sends(before: Settings, now: Settings, known: Known) -> tuple[Send, ...]:
    """Return the streams that must be sent again."""
    is_other_mode = known.render_mode(before) != known.render_mode(now)
    plot = _of_all(before, now) if is_other_mode else _of_plot(before, now, known)
    return (*plot, *_of_panels(before, now, known, is_other_mode=is_other_mode))


def _of_all(before: Settings, now: Settings) -> Iterator[Send]:
    yield Send("all")
    if before.filters and not now.filters:  # "all" does not send an empty filter
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
    """Return whether other cells pass the filters or are shown; the filter of the legend is drawn by codes."""
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


Follow = Callable[[Settings, Settings, frozenset[str], Known], dict[str, Any]]
"""Takes the settings before and now, the requested names, and what is known; returns settings that follow."""
REACTIONS: tuple[tuple[frozenset[str], Follow], ...] = (
    (frozenset({"embedding", "axes"}), follow_embedding),
    (frozenset({"annotations"}), follow_annotations),
    (frozenset({"gene_sets"}), follow_gene_sets),
    (frozenset({"sets"}), follow_sets),
    # After those that may remove the color or filters.
    (frozenset({"color", "hidden", "filters", "sets", "annotations"}), hide_and_filter),
    (frozenset({"embedding", "axes", "panels"}), keep_views),
)
"""Reactions with the settings that trigger them, in order."""
READS: dict[str, str] = {
    **{name: "place" for name, one in BY_NAME.items() if one.cost == "points"},
    **{name: "coloring" for name, one in BY_NAME.items() if one.cost == "color"},
    "hidden": "hidden", "filters": "filters", "statistic": "statistic", "palette": "palette", "panels": "panels",
    "labels": "landmarks", "contours": "landmarks", "difference": "landmarks",
    **dict.fromkeys((*LIMITS, "scale"), "limits"),
}  # fmt: skip
"""What must be read and checked for a setting: a method of `session.changes.SettingsCheck` each."""


@dataclass(frozen=True)
class Change:
    """One change of settings.

    requested : names of the requested settings
    names : names of the changed settings: requested ones first, then those that followed
    limits : color limits of all colorings shown so far
    reads : what must be read before the change is shown, as in `READS`
    sends : streams that the front-end gets again
    """

    before: Settings
    settings: Settings
    requested: frozenset[str]
    names: tuple[str, ...]
    limits: OwnLimits
    reads: tuple[str, ...]
    sends: tuple[Send, ...]


def change(settings: Settings, requested: Mapping[str, Any], known: Known) -> Change:
    """Return a requested change of settings with its consequences.

    requested : values of settings, each returned by its check

    Raises `Unread` if something must be read first, `CxgWidgetError` if the values do not fit together.
    """
    wanted, now, limits = frozenset(requested), settings.having(requested), known.limits
    changed = {name for name in requested if getattr(settings, name) != getattr(now, name)}
    for followed, follow in REACTIONS:
        if not followed.isdisjoint(changed):
            found = follow(settings, now, wanted, known)
            now = now.having(found)
            changed |= {name for name in found if getattr(settings, name) != getattr(now, name)}
    if not OF_COLORING.isdisjoint(changed):
        found, limits = follow_coloring(settings, now, wanted, known)
        now = now.having(found)
    names = [name for name in STATE if getattr(settings, name) != getattr(now, name)]
    reads = dict.fromkeys(READS[name] for name in STATE if name in wanted and name in READS)
    sent = () if DRAWN.isdisjoint(names) else sends(settings, now, known)
    ordered = sorted(names, key=lambda name: name not in wanted)
    return Change(settings, now, wanted, tuple(ordered), limits, tuple(reads), sent)
