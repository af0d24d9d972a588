"""Write js/src/wire/constants.js: the settings of a widget, and the numbers that kernel and front-end both draw with.

Usage: python tools/constants_js.py [--check]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cxg_widget.cells import under_pointer  # noqa: E402
from cxg_widget.color import blend, paper, rgb  # noqa: E402
from cxg_widget.color.paper import PAPERS, Paper  # noqa: E402
from cxg_widget.counts import coded  # noqa: E402
from cxg_widget.datasets.base import column_pairs  # noqa: E402
from cxg_widget.display import checks, gene_sets, hover_fields, looks, statistic, tissue  # noqa: E402
from cxg_widget.display.settings import ENCLOSED, PANELS, SETTINGS, Cost, Setting, Settings  # noqa: E402
from cxg_widget.draw.aggregate import shading  # noqa: E402
from cxg_widget.draw.overlays import difference  # noqa: E402
from cxg_widget.draw.pages import figure, legend_words  # noqa: E402
from cxg_widget.draw.points import by_numpy, crowding  # noqa: E402
from cxg_widget.rules.form import Form  # noqa: E402
from cxg_widget.rules.forms import FORMS  # noqa: E402
from cxg_widget.session import pointer  # noqa: E402
from cxg_widget.session.analysis import column_counts, comparison_frames  # noqa: E402
from cxg_widget.session.pictures import portrait  # noqa: E402
from cxg_widget.spatial import view  # noqa: E402
from cxg_widget.text import names  # noqa: E402
from cxg_widget.wire import level_choice, parsing  # noqa: E402
from tools.generated import write  # noqa: E402

JS = ROOT / "js" / "src" / "wire" / "constants.js"


def theme(paper: Paper) -> dict[str, Any]:
    """Return a paper as a theme of the front-end."""
    return {"background": paper.ground, "foreground": paper.ink, "dark": paper.is_dark}


KEY_PX = (
    "PAD", "TOP", "TITLE_Y", "LINE", "ROW", "SWATCH", "BAR", "MARGIN", "SPACE", "GAP", "LEAST_TITLE", "LEAST_COLUMN",
    "WIDEST_COLUMN", "WIDEST_OF_TWO", "TWO_COLUMNS_FROM", "TITLE_PX", "HEADING_PX", "TEXT_PX", "SMALL_PX",
)  # fmt: skip
CONSTANTS: list[tuple[str, str, Any]] = [
    ("MOST_PINNED", "Genes that are pinned at once.", gene_sets.MOST_PINNED),
    ("MOST_BLENDED", "Genes that can have a hue each.", blend.MOST_BLENDED),
    ("STATISTICS_OF_POINTS", "Statistics that points can show too.", list(statistic.OF_CELLS)),
    ("MOST_PANELS", "Panels side by side at once.", looks.MOST_PANELS),
    ("PAPERS", "What pictures that are saved are drawn on.", {name: theme(PAPERS[name]) for name in ("white", "dark")}),
    ("PLAIN", "Points without a coloring.", {"light": rgb.PLAIN_LIGHT, "dark": rgb.PLAIN_DARK}),
    ("MISSING_GREY", "Points without a value.", {"light": rgb.MISSING_LIGHT, "dark": rgb.MISSING_DARK}),
    (
        "LEFT_OUT_GREY",
        "Points that the filters leave out, where they are drawn.",
        {"light": rgb.LEFT_OUT_LIGHT, "dark": rgb.LEFT_OUT_DARK},
    ),
    (
        "ZERO_GREY",
        "Points whose number is 0, where that is no color.",
        {"light": rgb.ZERO_LIGHT, "dark": rgb.ZERO_DARK},
    ),
    ("MOST_KEY_ROWS", "Rows of the key beside a picture, before it counts the others.", legend_words.MOST_KEY_ROWS),
    ("KEY_PX", "Sizes and places in a picture with its key.", {name: getattr(figure, name) for name in KEY_PX}),
    (
        "MOST_FIELDS",
        "Columns that the tooltip shows where none were chosen, apart from the one that colors.",
        hover_fields.MOST_FIELDS,
    ),
    ("MANY", "So many cells under the pointer are too many to name one.", under_pointer.MANY),
    ("MOST_IN_CROWD", "Categories that are named of many cells, the largest of them.", pointer.MOST_NAMED),
    ("EMPTY_LABEL", "Name of a category without letters.", names.EMPTY_LABEL),
    ("LONGEST_LABEL", "Letters of a label in a sentence.", names.LONGEST_LABEL),
    ("LOG", "What stands before a column whose logarithm is an axis.", column_pairs.LOG),
    ("MAX_ROWS", "Rows of the table that one request may name.", parsing.MAX_ROWS),
    ("FINEST_SHARE", "How far a code may move a number on the colormap, which has 256 colors.", level_choice.FINEST),
    ("COARSE_PX", "Steps of positions from which they would show as a lattice.", portrait.COARSE_PX),
    ("DETAIL", "How many times as wide as a view its finer points are.", portrait.DETAIL),
    ("SQUARE_PX", "Points up to so wide are squares, wider ones discs.", by_numpy.SQUARE_PX),
    ("ENCLOSED", "Shares of their cells that contours enclose.", ENCLOSED),
    ("VEIL", "Share of the page over the points beneath the map of a difference.", difference.VEIL),
    ("MOST_BINS", "Bins of an open column of numbers.", coded.MOST_BINS),
    ("MOST_COUNTED", "Rows of a column that are counted apart from all.", column_counts.MOST_COUNTED),
    ("MOST_SETS_ON_PLOT", "Sets that have contours at once.", checks.MOST_SETS_ON_PLOT),
    ("COMPARED", "Numbers of a compared gene, in the order in which they travel.", list(comparison_frames.COLUMNS)),
    ("DIMMED", "Share of its color that a dimmed point keeps.", rgb.DIMMED),
    (
        "GREYED",
        "What is dimmed fades into a grey, or it could not be seen: this share of the way from page to ink.",
        {"light": rgb.GREYED_LIGHT, "dark": rgb.GREYED_DARK},
    ),
    ("QUIET_INK", "How much of the ink quiet text has; the rest is the page.", paper.QUIET),
    ("FAINT_INK", "How much of it faint lines have.", paper.FAINT),
    ("FAINTEST", "The least opacity, of 255, of a pixel that is dimmed in an image.", shading.CONTEXT_ALPHA),
    (
        "SEEN_IN_THE_DARK",
        "Relative luminance from which a color has a contrast of 2 with a dark page.",
        rgb._SEEN_IN_THE_DARK,
    ),
    ("MARGIN", "Around all points on each side, as a share of what they take.", view._MARGIN),
    (
        "BASIS",
        "So many of the first points, which come ahead of the rest, tell how crowded a view is and its limits.",
        crowding.BASIS,
    ),
    (
        "SOLID_UP_TO",
        "In views of up to so many times as many cells as are few something is left of how few look.",
        crowding._SOLID_UP_TO,
    ),
    ("WIDEST_SPOT_PX", "No spot of a section is drawn wider.", tissue.WIDEST_SPOT_PX),
    ("BEHIND", "Cells that stand for the color of a crowded place.", crowding.BEHIND),
    ("WIDER", "How many times as wide the area is on which the number of a tile of few leans.", crowding._WIDER),
    ("ENDS", "Quantiles of what is shown at the ends of the colors.", crowding._ENDS),
    ("FINEST", "Share of the extent below which no tile tells how crowded it is.", crowding._FINEST),
    (
        "STEPS",
        "From the mean to the highest number of a pixel: each step means new numbers for all points.",
        crowding._STEPS,
    ),
    (
        "COVER",
        "What a point covers, beside its side: less, for more of those that share a pixel come from tiles of many.",
        crowding._COVER,
    ),
    ("FADING", "The power of the layers of points by which these fade.", crowding._FADING),
    ("PALEST", "No point is paler where opacity follows density.", crowding.PALEST),
    (
        "FILLING",
        "How many times over all points together may cover a view before they are drawn smaller.",
        crowding._FILLING,
    ),
]


SCALARS = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null"}
COSTS: list[tuple[str, str, tuple[Cost, ...]]] = [
    ("READ", "Settings that the kernel reads other data for.", ("points", "color")),
    ("OVERLAYS", "Settings of what lies over or under the points.", ("overlays",)),
    ("TUNED", "Settings that change colors and sizes, and move nothing.", ("tuning", "image")),
]


def js() -> str:
    """Return the text of constants.js."""
    head = "/** What a user can set, and what the kernel draws by as well. Written by tools/constants_js.py. */\n"
    return "\n".join([head, *settings(), *(declaration(*constant) for constant in CONSTANTS)]) + "\n"


def settings() -> list[str]:
    """Return the type of the synced settings, and their names by the cost of a change."""
    hints, synced = get_type_hints(Settings), [one for one in SETTINGS if one.is_synced]
    lines = [f" * @property {{{js_type(hints[one.name], one)}}} {one.name} {one.doc}" for one in synced]
    named = [("SYNCED", "All settings that the front-end knows.", [one.name for one in synced])]
    named += [(name, says, [one.name for one in synced if one.cost in costs]) for name, says, costs in COSTS]
    free = [one.name for one in synced if not one.needs_kernel]
    named += [("WITHOUT_KERNEL", "Settings that a saved page can change.", free)]
    return [
        look(hints),
        f"/** @typedef {{{twins(FORMS)}}} RuleForm key of a form of a rule in js/src/words/rule_forms.js */\n",
        f"/** @typedef {{{twins(one for one in FORMS if one.as_filter)}}} FilterForm key of those that filter */\n",
        f"/** @typedef {{{union(statistic.STATISTICS)}}} Statistic a statistic that has a name */\n",
        f"/** @typedef {{{union(PANELS)}}} PanelName */\n",
        "\n".join(["/**", " * @typedef {object} Settings", *lines, " */"]),
        *(declaration(*one, kind="(keyof Settings)[]") for one in named),
        declaration("DEFAULTS", "What tests begin with.", {one.name: one.default for one in synced}, "Settings"),
    ]


def look(hints: dict[str, Any]) -> str:
    """Return the type of what a panel overrides."""
    known = {one.name: one for one in SETTINGS}
    types = {one: js_type(hints[one], known[one]) if one in known else "any" for one in looks.NAMES}
    # None means the value of the widget, so it is left out; a color of None is a value, "no color".
    given = {one: kind if one == "color" else kind.removesuffix(" | null") for one, kind in types.items()}
    fields = ", ".join(["id: number", *(f"{one}?: {kind}" for one, kind in given.items())])
    return f"/** @typedef {{{{{fields}}}}} Look what a panel shows otherwise than the widget */\n"


def twins(forms: Iterable[Form]) -> str:
    """Return the type of the keys that forms have in JavaScript."""
    return union(dict.fromkeys(form.twin for form in forms))


def union(words: Iterable[str]) -> str:
    """Return the type of some words."""
    return " | ".join(json.dumps(one) for one in words)


def js_type(hint: Any, setting: Setting | None = None) -> str:
    """Return a type of Python as JSDoc writes it."""
    if setting is not None and setting.js:
        return setting.js
    if get_origin(hint) is Literal:
        return union(get_args(hint))
    if get_origin(hint) in (Union, UnionType):
        return " | ".join(dict.fromkeys(js_type(one) for one in get_args(hint)))
    if get_args(hint):  # of a list or a tuple
        return f"{js_type(get_args(hint)[0])}[]"
    return SCALARS[hint]


def declaration(name: str, meaning: str, value: Any, kind: str = "") -> str:
    """Return a constant with its meaning; two numbers have the type of a pair, a list that of its items."""
    text = json.dumps(value)
    for part in ("light", "dark", "white", "background", "foreground"):
        text = text.replace(f'"{part}":', f"{part}:")
    if not kind and isinstance(value, list):
        text = f"/** @type {{const}} */ ({text})"
    kind = kind or ("[number, number]" if isinstance(value, tuple) and len(value) == 2 else "")
    return f"/** {meaning}{kind and f' @type {{{kind}}}'} */\nexport const {name} = {text};"


def main(arguments: list[str]) -> int:
    """Write the file, or with --check report whether it is stale."""
    return write({JS: js()}, arguments, "python tools/constants_js.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
