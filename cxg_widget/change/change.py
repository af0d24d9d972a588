"""The one way in which settings change: what is requested, all that follows from it, what to read first, what to send.

change(settings, {"color": "CD3E"}, known).settings.vmax    # the limit that was set when CD3E was shown last
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from cxg_widget.change.known import Known
from cxg_widget.change.legend import hide_and_filter
from cxg_widget.change.limits import OF_COLORING, follow_coloring
from cxg_widget.change.names import follow_annotations, follow_gene_sets, follow_sets
from cxg_widget.change.place import follow_embedding, keep_views
from cxg_widget.change.sends import DRAWN, Send, sends
from cxg_widget.color.limits import LIMITS, OwnLimits
from cxg_widget.display.settings import BY_NAME, STATE, Settings

Follow = Callable[[Settings, Settings, frozenset[str], Known], dict[str, Any]]
"""Takes settings before and now, the names of those that were requested, and what is known; returns what follows."""
REACTIONS: tuple[tuple[frozenset[str], Follow], ...] = (
    (frozenset({"embedding", "axes"}), follow_embedding),
    (frozenset({"annotations"}), follow_annotations),
    (frozenset({"gene_sets"}), follow_gene_sets),
    (frozenset({"sets"}), follow_sets),
    # After those that may take the color or filters away.
    (frozenset({"color", "hidden", "filters", "sets", "annotations"}), hide_and_filter),
    (frozenset({"embedding", "axes", "panels"}), keep_views),
)
"""Each with the settings that it follows, in the order in which they act."""
READS: dict[str, str] = {
    **{name: "place" for name, one in BY_NAME.items() if one.cost == "points"},
    **{name: "coloring" for name, one in BY_NAME.items() if one.cost == "color"},
    "hidden": "hidden", "filters": "filters", "statistic": "statistic", "palette": "palette", "panels": "panels",
    "labels": "landmarks", "contours": "landmarks", "difference": "landmarks",
    **dict.fromkeys((*LIMITS, "scale"), "limits"),
}  # fmt: skip
"""What has to be read and to fit before a setting is taken: a method of `session.settings_check.SettingsCheck` each."""


@dataclass(frozen=True)
class Change:
    """One change of settings.

    Attributes
    ----------
    before, settings : before and after it
    requested : the names of the settings that were requested
    names : of those that have other values: what was requested first, then what followed
    limits : the color limits of all colorings shown so far
    reads : what has to be read before the change is shown, as `READS` has it
    sends : what the front-end gets anew
    """

    before: Settings
    settings: Settings
    requested: frozenset[str]
    names: tuple[str, ...]
    limits: OwnLimits
    reads: tuple[str, ...]
    sends: tuple[Send, ...]


def change(settings: Settings, requested: Mapping[str, Any], known: Known) -> Change:
    """Return the change of settings that was requested, with all that follows from it.

    Parameters
    ----------
    requested : values of settings, each of which its check has returned

    Raises
    ------
    Unread
        If something has to be known first.
    CxgWidgetError
        If the values do not go together.
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
