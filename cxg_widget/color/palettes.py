"""Colors of categories: color-blind-safe defaults, and user palettes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cxg_widget.color.css_colors import to_hex
from cxg_widget.color.glasbey import GLASBEY
from cxg_widget.errors import InvalidValue
from cxg_widget.text.names import not_found, shown, text_of

OKABE_ITO = ("#0072b2", "#d98900", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b7bd4b", "#8c8c8c")
"""Okabe and Ito, "Color Universal Design" (2008), adapted to white and dark pages: black is replaced by a gray, yellow
and orange are darker, and remain distinguishable for color-blind readers."""

TABLEAU = (
    *("#1f77b4", "#a4b7d1", "#ff7f0e", "#e2ab77", "#2ca02c", "#8dc482", "#d62728", "#ff9896", "#9467bd", "#c1b0cd"),
    *("#8c564b", "#c49c94", "#e377c2", "#dba8be", "#7f7f7f", "#b6b6b6", "#bcbd22", "#bab97d", "#17becf", "#8fbdc6"),
)
"""Tableau 10, each followed by a lighter variant: highest CIELAB lightness on white, 0.8 of its chroma."""

IN_TURN = (*OKABE_ITO, *GLASBEY[10:])
"""Colors assigned one after the other, so that none changes when more are added; without the first ten of Glasbey,
which are close to Okabe and Ito's."""

PALETTES = ("okabe-ito", "glasbey", "tab10", "tab20")


def default_palette(count: int) -> list[str]:
    """Return `count` colors: Okabe-Ito up to 8, Glasbey above, repeating after 256."""
    return list(OKABE_ITO[:count]) if count <= len(OKABE_ITO) else named_palette("glasbey", count)


def named_palette(name: str, count: int) -> list[str]:
    """Return `count` colors of a named palette, repeating it if it is too short."""
    key = name.lower().replace("_", "-")
    if key == "okabe-ito":
        base: Sequence[str] = OKABE_ITO
    elif key == "glasbey":
        base = GLASBEY
    elif key in ("tab10", "tab20"):
        base = TABLEAU[::2] if key == "tab10" else TABLEAU
    else:
        raise InvalidValue(not_found("palette", name, PALETTES, "this version"))
    return [base[i % len(base)] for i in range(count)]


def check_palette(palette: Any) -> str | list[str] | dict[str, str] | None:
    """Check the trait `palette` and return it with every color as "#rrggbb".

    palette : None (default), the name of a palette, colors in the order of the categories, or {category: color}
    """
    if palette is None:
        return None
    if isinstance(palette, str):
        named_palette(palette, 1)
        return palette
    if isinstance(palette, Mapping):
        return {text_of(label): check_color(color) for label, color in palette.items()}
    if isinstance(palette, Sequence) and len(palette) > 0:
        return [check_color(color) for color in palette]
    raise InvalidValue(
        f"palette must be None, a name ({', '.join(PALETTES)}), a list of colors or {{category: color}}; "
        f"found {shown(palette)}"
    )


def check_color(color: Any) -> str:
    """Return a color as "#rrggbb"; raises `InvalidValue` if it is invalid."""
    parsed = to_hex(color)
    if parsed is None:
        raise InvalidValue(f"{shown(color)} is no color; write '#rrggbb', a CSS name or three numbers")
    return parsed


def category_palette(
    labels: Sequence[str], stored: Mapping[str, str], palette: str | Sequence[str] | Mapping[str, str] | None
) -> list[str]:
    """Return one "#rrggbb" per label: from the user's palette, else the store, else the default."""
    if isinstance(palette, str):
        return named_palette(palette, len(labels))
    if isinstance(palette, Sequence):
        return [palette[i % len(palette)] for i in range(len(labels))]
    own = palette or {}
    found = [own.get(label) or stored.get(label) for label in labels]
    return [color or default for color, default in zip(found, default_palette(len(labels)), strict=True)]
