"""The legend of a picture in words, as js/src/words/legend_words.js writes it."""
# Changes with js/src/words/legend_words.js: the words of a key.
# Changes with cxg_widget/color/scale.py: kinds of a scale of colors.

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.colormap_lookup import stops_of
from cxg_widget.color.paper import PAPERS
from cxg_widget.color.rgb import rgb_hex
from cxg_widget.color.scale import Range, scale_of
from cxg_widget.display.settings import Settings
from cxg_widget.text.names import EMPTY_LABEL, missing_label
from cxg_widget.text.nouns import Noun, capitalized
from cxg_widget.text.numbers import share, short_count, short_number
from cxg_widget.wire.levels import Levels
from cxg_widget.wire.protocol import LEFT_OUT_LABEL, MISSING_LABEL, Color

MOST_KEY_ROWS = 60


@dataclass(frozen=True)
class Key:
    """Legend of a picture; all texts as written.

    size : number of cells, of shown ones, of selected ones, and of selected ones that pass the filters
    heading, detail : of the color
    rows : label, count and "#rrggbb" of each visible category, then of missing cells, with "" for a color, among
        passing cells; then of filtered-out cells
    more : visible categories that are not among the rows
    ramp : colors of a bar, low to high, as "#rrggbb"; empty without a bar
    ends : its two limits
    middle : number in its middle, if that is not half way between them
    sentence : text instead of a bar
    """

    title: str = ""
    size: str = ""
    heading: str = ""
    detail: str = ""
    rows: tuple[tuple[str, str, str], ...] = ()
    more: int = 0
    ramp: tuple[str, ...] = ()
    ends: tuple[str, str] = ("", "")
    middle: str = ""
    sentence: str = ""


def key_of(
    legend: Color,
    quantiles: NDArray[np.float64],
    settings: Settings,
    *,
    title: str,
    noun: Noun,
    n_selected: int,
    n_passing: int | None = None,
    statistic: str = "",
    automatic: tuple[float, float] | None = None,
    n_shown: int | None = None,
    dark: bool = False,
) -> Key:
    """Return the legend of a coloring.

    legend : the coloring as sent to the front-end; its counts are of passing cells
    quantiles : float64 (1001,) of a numeric one, 0, 0.001, ..., 1
    noun : the store's noun for observations
    n_passing : number of selected cells that pass the filters; None = there is no filter
    statistic : name of the number of a shared pixel
    automatic : limits that fit the picture, as codes 0..LEVELS of the values; None = the range of the data
    n_shown : number of cells that pass all filters and are not hidden; None = those that are not hidden
    dark : whether the picture is dark, which drops the darkest colors of a bar
    """
    n_shown = _n_shown(legend, settings) if n_shown is None else n_shown
    size = _size(legend, n_shown, noun, n_selected, n_passing)
    left_out = _left_out(legend.n_obs - n_shown, settings, dark=dark)
    if legend.scale == "none":
        return Key(title, size, capitalized(noun.many) if left_out else "", rows=left_out)
    named = Key(title, size, legend.name, legend.detail)
    missing = [(missing_label(legend.spec), short_count(legend.n_missing), "")] if legend.n_missing else []
    if legend.scale == "categorical":
        hidden = set(settings.hidden)
        shown = [i for i, label in enumerate(legend.categories) if label not in hidden]
        rows = shown if len(shown) <= MOST_KEY_ROWS else largest_of(legend, shown, MOST_KEY_ROWS)
        listed = [(_label(legend.categories[i]), _count(legend.counts, i), legend.colors[i]) for i in rows]
        missing = missing if MISSING_LABEL not in hidden else []
        colors = legend.dark_colors if dark else legend.colors
        listed += [(name, limits, colors[code]) for name, limits, code in legend.corners]
        return replace(named, rows=(*listed, *missing, *left_out), more=len(shown) - len(rows))
    named = replace(named, rows=(*missing, *left_out))
    if legend.n_missing >= legend.n_obs or math.isnan(legend.lo):
        return replace(named, sentence="No values.")
    if legend.lo == legend.hi:
        return replace(named, sentence=f"All values are {short_number(legend.lo)}.")
    stops = stops_of(settings.cmap, dark=dark)
    suiting = None if automatic is None else Levels(*legend.levels or (legend.lo, legend.hi)).ends_at(automatic)
    known = Range(legend.lo, legend.hi, quantiles, legend.least)
    scale = scale_of(settings.color_rule, known, suiting)
    details = legend.detail, statistic, "log scale" if scale.is_log else ""
    named = replace(
        named, detail=" · ".join(filter(None, details)), rows=(*_zeros(legend, settings, dark), *named.rows)
    )
    if scale.is_log and legend.hi <= 0:
        return replace(named, sentence="No values above 0.")
    middle = "" if scale.middle is None else short_number(scale.middle)
    ends = ends_of(scale.low, scale.high, legend.least if scale.is_log else legend.lo, legend.hi)
    return replace(named, ramp=tuple(stops), ends=ends, middle=middle)


def count_passing(legend: Color, counts: Sequence[int], n_missing: int) -> Color:
    """Return a legend with counts of passing cells; their zeros are not counted."""
    lo = legend.lo if legend.n_missing < legend.n_obs else math.nan  # there is no value, whatever passes
    return replace(
        legend, counts=list(counts[: len(legend.counts)]), n_missing=n_missing, lo=lo,
        # -1 means that passing zeros were not counted.
        n_zero=-(legend.n_zero > 0), n_negative=-(legend.n_negative > 0),
    )  # fmt: skip


def _zeros(legend: Color, settings: Settings, dark: bool) -> list[tuple[str, str, str]]:
    """Return the row of gray zeros, if there are any; n_zero -1 = not counted."""
    is_log = settings.scale == "log"
    if not (is_log or settings.zero == "grey"):
        return []
    n = legend.n_zero + (legend.n_negative if is_log else 0)
    color = rgb_hex(PAPERS["dark" if dark else "white"].zero)
    label = "≤ 0" if is_log and legend.lo < 0 else "0"
    return [(label, share(n, legend.n_obs) if n > 0 else "", color)] if n else []


def ends_of(low: float, high: float, lo: float, hi: float) -> tuple[str, str]:
    """Return both limits in words, with "≤" and "≥" if the color at that end also means values beyond it."""
    beyond = ">" if low == high else "≥"
    return f"{'≤ ' if low > lo else ''}{short_number(low)}", f"{f'{beyond} ' if high < hi else ''}{short_number(high)}"


def _n_shown(legend: Color, settings: Settings) -> int:
    """Count the cells that the legend does not hide."""
    hidden, counts = set(settings.hidden), [*legend.counts, legend.n_missing]
    if not hidden or legend.scale != "categorical" or not legend.counts:
        return legend.n_obs
    labels = [*legend.categories, MISSING_LABEL]
    return sum(n for label, n in zip(labels, counts, strict=True) if label not in hidden)


def _left_out(n: int, settings: Settings, *, dark: bool) -> tuple[tuple[str, str, str], ...]:
    """Return the row of filtered-out cells, if they are drawn."""
    if settings.filtered == "hide" or n == 0:
        return ()
    return ((LEFT_OUT_LABEL, short_count(n), rgb_hex(PAPERS["dark" if dark else "white"].left_out)),)


def _size(legend: Color, n_shown: int, noun: Noun, n_selected: int, n_passing: int | None) -> str:
    total = noun.counted(legend.n_obs)
    shown = "" if n_shown == legend.n_obs else f"{n_shown:,}"
    if n_selected:
        passing = f" · {share(n_selected, legend.n_obs)}" if n_passing is None else f", {n_passing:,} pass"
        return f"{n_selected:,} of {total} selected{passing}{f', {shown} shown' if shown else ''}"
    return f"{shown} of {total} shown" if shown else total


def largest_of(legend: Color, shown: list[int], most: int) -> list[int]:
    """Return the largest categories, up to a limit, largest first, or in order if they are ordered."""
    found = sorted(shown, key=lambda i: (-legend.counts[i] if legend.counts else 0, i))[:most]
    return sorted(found) if legend.ordered else found


def _label(category: str) -> str:
    return category or EMPTY_LABEL


def _count(counts: list[int], i: int) -> str:
    return short_count(counts[i]) if counts else ""


def lines_of(key: Key) -> list[str]:
    """Return the legend as lines of text."""
    named = f"{key.heading} ({key.detail})" if key.detail else key.heading
    bar = f"{key.ends[0]} to {key.ends[1]}" if key.ramp else key.sentence
    bar += f", {key.middle} in the middle" if key.middle else ""
    rows = [f"{label}: {count}" if count else label for label, count, _ in key.rows]
    more = f"and {key.more:,} more" if key.more else ""
    return [line for line in (key.title, key.size, named, bar, *rows, more) if line]
