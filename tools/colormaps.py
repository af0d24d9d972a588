"""Write js/src/style/colormaps.js from cxg_widget/color/colormaps.py, or that file from matplotlib's tables.

Each colormap is a list of evenly spaced stops, linear in sRGB between them: as few as keep every channel within 2/255
of matplotlib's table. Usage: python tools/colormaps.py [--check | --from-matplotlib]; the last alone needs
matplotlib.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cxg_widget.color.colormaps import COLORMAPS  # noqa: E402
from tools.generated import write  # noqa: E402

JS, PYTHON = ROOT / "js" / "src" / "style" / "colormaps.js", ROOT / "cxg_widget" / "color" / "colormaps.py"

# The ramps of one hue begin at white in matplotlib, where low values would vanish on a white page.
PARTS = {"Greys": (0.15, 1.0), "Reds": (0.1, 1.0), "Blues": (0.1, 1.0)}
NAMES = ["viridis", "magma", "inferno", "plasma", "cividis", "turbo", "Greys", "Reds", "Blues", "RdBu_r"]
WORST = 2.0 / 255
STOPS = (5, 9, 13, 17, 25, 33, 49)


def table(name: str) -> NDArray[np.float64]:
    """Return 256 colors, float64 (256, 3), 0..1."""
    import matplotlib

    low, high = PARTS.get(name, (0.0, 1.0))
    colors: NDArray[np.float64] = matplotlib.colormaps[name](np.linspace(low, high, 256))[:, :3]
    return colors


def stops(name: str) -> list[str]:
    """Return the fewest stops, "#rrggbb", that draw the same colors."""
    wanted, at = table(name), np.linspace(0, 1, 256)
    found: list[str] = []
    for count in STOPS:
        places = np.linspace(0, 1, count)
        rounded = np.rint([np.interp(places, at, channel) * 255 for channel in wanted.T]) / 255
        drawn = np.array([np.interp(at, places, channel) for channel in rounded])
        found = ["#" + "".join(f"{round(value * 255):02x}" for value in color) for color in rounded.T]
        if np.abs(drawn - wanted.T).max() <= WORST:
            break
    return found


def js_text(maps: dict[str, list[str]]) -> str:
    """Return the text of js/src/style/colormaps.js."""
    packed = "\n".join(
        f"  {name}: {json.dumps(''.join(color[1:] for color in colors))}," for name, colors in maps.items()
    )
    return f"""/** Colormaps: evenly spaced stops, linear in sRGB between them. Written by tools/colormaps.py. */

/** @type {{Record<string, string>}} six hex digits a stop */
const PACKED = {{
{packed}
}};

/** @type {{Record<string, string[]>}} name -> "#rrggbb" stops, low to high */
export const COLORMAPS = Object.fromEntries(
  Object.entries(PACKED).map(([name, digits]) => [name, (digits.match(/.{{6}}/g) ?? []).map((stop) => `#${{stop}}`)]),
);
"""


def python_text(maps: dict[str, list[str]]) -> str:
    """Return the text of cxg_widget/color/colormaps.py."""
    rows = []
    for name, colors in maps.items():
        rows.append(f'    "{name}": [')
        for start in range(0, len(colors), 8):
            rows.append("        " + ", ".join(f'"{color}"' for color in colors[start : start + 8]) + ",")
        rows.append("    ],")
    body = "\n".join(rows)
    return f'''"""Colormaps: evenly spaced stops, linear in sRGB between them. Written by tools/colormaps.py."""

# fmt: off
COLORMAPS: dict[str, list[str]] = {{
{body}
}}
'''


def main(arguments: list[str]) -> int:
    """Write the JavaScript, or with --check report whether it is stale; with --from-matplotlib write both."""
    maps = COLORMAPS
    if "--from-matplotlib" in arguments:
        maps = {name: stops(name) for name in NAMES}
        PYTHON.write_text(python_text(maps), "utf-8")
    return write({JS: js_text(maps)}, arguments, "python tools/colormaps.py")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
