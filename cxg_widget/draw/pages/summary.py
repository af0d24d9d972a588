"""Describes the picture in text for screen readers, as js/src/words/summary.js does."""
# Changes with js/src/words/summary.js: the summary in words.

from __future__ import annotations

from collections.abc import Sequence

from cxg_widget.display.settings import Settings
from cxg_widget.draw.pages.legend_words import Key, largest_of
from cxg_widget.rules.forms import describe_rule
from cxg_widget.text.names import EMPTY_LABEL, in_a_line, missing_label
from cxg_widget.text.nouns import capitalized
from cxg_widget.text.numbers import share, short_count
from cxg_widget.wire.protocol import LEFT_OUT_LABEL, MISSING_LABEL, Color

MOST_NAMED = 5


def summary_of(key: Key, legend: Color, settings: Settings, axis_names: Sequence[str] = ()) -> str:
    """Describe a picture, a sentence per line: dataset, number of cells, embedding, colors and filters.

    legend : the coloring as sent to the front-end; its counts are of passing cells
    axis_names : titles of both axes; empty if they have none
    """
    lines = [key.title, key.size]
    if settings.embedding is not None:
        lines.append(_describe_place(settings, axis_names))
    lines += ["No color"] if legend.scale == "none" else _describe_color(key, legend, settings)
    if settings.labels is not None:
        lines.append(f"Names: {settings.labels}")
    if settings.contours is not None:
        of = settings.contours
        lines.append(f"Contours: {', '.join(of) if isinstance(of, tuple) else 'all' if of is True else of}")
    if settings.difference is not None:
        lines.append(f"Difference: {', '.join(settings.difference)}")
    if settings.filters:
        lines.append(f"Filters: {'; '.join(map(describe_rule, settings.filters))}")
    if settings.filtered == "grey":
        lines += [f"In grey: {n} {label}" for label, n, _ in key.rows[-1:] if label == LEFT_OUT_LABEL]
    return "\n".join(line if line.endswith(".") else f"{line}." for line in lines if line)


def _describe_place(settings: Settings, axis_names: Sequence[str]) -> str:
    if isinstance(settings.embedding, tuple):
        return f"Embedding: {' by '.join(axis_names)}"
    x, y = settings.axes
    axes = "" if (x, y) == (0, 1) else f", axes {x + 1} and {y + 1}"
    names = f", {axis_names[0]} by {axis_names[1]}" if axis_names else ""
    return f"Embedding: {settings.embedding}{axes}{names}"


def _describe_color(key: Key, legend: Color, settings: Settings) -> list[str]:
    named = f"Color: {key.heading} ({key.detail})" if key.detail else f"Color: {key.heading}"
    label = missing_label(legend.spec)
    missing_name = "Without a value" if label == MISSING_LABEL else capitalized(label)
    missing = [f"{missing_name}: {short_count(legend.n_missing)}"] if legend.n_missing else []
    if legend.scale == "continuous":
        return [f"{named}, {key.ends[0]} to {key.ends[1]}" if key.ramp else f"{named}. {key.sentence}", *missing]
    hidden, n = set(settings.hidden), len(legend.categories)
    shown = [i for i, label in enumerate(legend.categories) if label not in hidden]
    rows = [_describe_category(legend, i) for i in largest_of(legend, shown, MOST_NAMED)]
    hidden_text = f", {n - len(shown)} hidden" if len(shown) < n else ""
    what = "Largest" if len(shown) > len(rows) else "Shown"
    if legend.corners:
        return [named, *(f"{name}, {limits}" for name, limits, _ in legend.corners if limits), *missing]
    return [
        f"{named}, {n} {'category' if n == 1 else 'categories'}{hidden_text}",
        f"{what}: {', '.join(rows)}" if rows else "",
        *missing,
    ]


def _describe_category(legend: Color, i: int) -> str:
    label = in_a_line(legend.categories[i]) or EMPTY_LABEL
    if not legend.counts:
        return label
    return f"{label} {short_count(legend.counts[i])} ({share(legend.counts[i], sum(legend.counts) + legend.n_missing)})"
