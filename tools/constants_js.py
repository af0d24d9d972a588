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
    ("MOST_PINNED", "Maximum number of pinned genes.", gene_sets.MOST_PINNED),
    ("MOST_BLENDED", "Maximum number of genes with one hue each.", blend.MOST_BLENDED),
    ("STATISTICS_OF_POINTS", "Statistics that points can also show.", list(statistic.OF_CELLS)),
    ("MOST_PANELS", "Maximum number of panels side by side.", looks.MOST_PANELS),
    ("PAPERS", "Backgrounds of saved pictures.", {name: theme(PAPERS[name]) for name in ("white", "dark")}),
    ("PLAIN", "Points without a coloring.", {"light": rgb.PLAIN_LIGHT, "dark": rgb.PLAIN_DARK}),
    ("MISSING_GREY", "Points without a value.", {"light": rgb.MISSING_LIGHT, "dark": rgb.MISSING_DARK}),
    (
        "LEFT_OUT_GREY",
        "Filtered-out points, where they are drawn.",
        {"light": rgb.LEFT_OUT_LIGHT, "dark": rgb.LEFT_OUT_DARK},
    ),
    (
        "ZERO_GREY",
        "Points whose number is 0, where zeros are grey.",
        {"light": rgb.ZERO_LIGHT, "dark": rgb.ZERO_DARK},
    ),
    (
        "MOST_KEY_ROWS",
        "Maximum number of rows of the key next to a picture; it counts the others.",
        legend_words.MOST_KEY_ROWS,
    ),
    ("KEY_PX", "Sizes and positions in a picture with its key.", {name: getattr(figure, name) for name in KEY_PX}),
    (
        "MOST_FIELDS",
        "Columns in the tooltip by default, in addition to the color.",
        hover_fields.MOST_FIELDS,
    ),
    ("MANY", "Number of cells under the pointer from which the tooltip summarizes them.", under_pointer.MANY),
    ("MOST_IN_CROWD", "Maximum number of categories named for many cells, largest first.", pointer.MOST_NAMED),
    ("EMPTY_LABEL", "Label of a category whose name is empty.", names.EMPTY_LABEL),
    ("LONGEST_LABEL", "Maximum length of a label in a sentence.", names.LONGEST_LABEL),
    ("LOG", "Prefix of a column whose logarithm is an axis.", column_pairs.LOG),
    ("MAX_ROWS", "Maximum number of rows of the table in one request.", parsing.MAX_ROWS),
    ("FINEST_SHARE", "Maximum error of a code on the colormap, of 256 colors.", level_choice.FINEST),
    ("COARSE_PX", "Size of a step of positions from which a lattice would show.", portrait.COARSE_PX),
    ("DETAIL", "Width of the area of finer points, in widths of the view.", portrait.DETAIL),
    ("SQUARE_PX", "Width up to which points are squares; wider ones are discs.", by_numpy.SQUARE_PX),
    ("ENCLOSED", "Shares of the cells that contours enclose.", ENCLOSED),
    ("VEIL", "Opacity of the veil over the points below the map of a difference.", difference.VEIL),
    ("MOST_BINS", "Maximum number of bins of an open column of numbers.", coded.MOST_BINS),
    ("MOST_COUNTED", "Rows of a column that are counted apart from all.", column_counts.MOST_COUNTED),
    ("MOST_SETS_ON_PLOT", "Maximum number of sets with contours.", checks.MOST_SETS_ON_PLOT),
    ("COMPARED", "Numbers of a compared gene, in the order of messages.", list(comparison_frames.COLUMNS)),
    ("DIMMED", "Share of the color of a dimmed point.", rgb.DIMMED),
    (
        "GREYED",
        "Grey that dimmed points fade to, not to the page, to stay visible: share of the way from page to ink.",
        {"light": rgb.GREYED_LIGHT, "dark": rgb.GREYED_DARK},
    ),
    ("QUIET_INK", "Share of ink in quiet text; the rest is the page.", paper.QUIET),
    ("FAINT_INK", "Share of ink in faint lines.", paper.FAINT),
    ("FAINTEST", "Minimum opacity, of 255, of a dimmed pixel in an image.", shading.CONTEXT_ALPHA),
    (
        "SEEN_IN_THE_DARK",
        "Relative luminance from which a color has a contrast of 2 with a dark page.",
        rgb._SEEN_IN_THE_DARK,
    ),
    ("MARGIN", "Margin around all points on each side, as a share of their extent.", view._MARGIN),
    (
        "BASIS",
        "Number of first points from which the crowding of a view and its limits are estimated.",
        crowding.BASIS,
    ),
    (
        "SOLID_UP_TO",
        "Multiple of the number of few cells up to which a view keeps some of their look.",
        crowding._SOLID_UP_TO,
    ),
    ("WIDEST_SPOT_PX", "Maximum width of a spot of a section.", tissue.WIDEST_SPOT_PX),
    ("BEHIND", "Number of cells that a color represents at least.", crowding.BEHIND),
    ("WIDER", "Width of the tile by which a tile of few points is smoothed, in tile widths.", crowding._WIDER),
    ("ENDS", "Quantiles of the displayed numbers at the ends of the colors.", crowding._ENDS),
    ("FINEST", "Smallest tile that measures crowding, as a share of the extent.", crowding._FINEST),
    (
        "STEPS",
        "Steps from the mean to the highest number of a pixel; each recomputes the numbers of all points.",
        crowding._STEPS,
    ),
    (
        "COVER",
        "Side of a tile, in diameters of a point: below 1, since most points that share a pixel are in crowded tiles.",
        crowding._COVER,
    ),
    ("FADING", "Power of the layers of points in their opacity.", crowding._FADING),
    ("PALEST", "Minimum opacity of a point if opacity follows density.", crowding.PALEST),
    (
        "FILLING",
        "Share of a view that all points together may cover before they are drawn smaller.",
        crowding._FILLING,
    ),
]


SCALARS = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null"}
COSTS: list[tuple[str, str, tuple[Cost, ...]]] = [
    ("READ", "Settings whose change reads other data in the kernel.", ("points", "color")),
    ("OVERLAYS", "Settings of overlays above or below the points.", ("overlays",)),
    ("TUNED", "Settings that change colors and sizes, but no positions.", ("tuning", "image")),
]


def js() -> str:
    """Return the text of constants.js."""
    head = (
        "/** Settings of a user, and constants that the kernel also draws with. Written by tools/constants_js.py. */\n"
    )
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
        declaration("DEFAULTS", "Values that tests start from.", {one.name: one.default for one in synced}, "Settings"),
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
