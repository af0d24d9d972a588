"""Write cxg_widget/color/glasbey.py: 256 colors that are far apart and show on a white and on a dark plot.

The first ten are Tableau's. Needs `pip install glasbey`, which is used for nothing else.
Usage: python tools/glasbey_py.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from cxg_widget.color.palettes import TABLEAU  # noqa: E402

COUNT = 256
LIGHTNESS = (27, 64)
"""Bounds of the J of CIECAM02: the widest that leave every color 2:1 on white and on #1e1e1e."""

TEXT = '''"""256 colors that are far apart and show on a white and on a dark plot, the first ten those of Tableau.

Written by tools/glasbey_py.py with the library glasbey. Source: Glasbey et al., "Colour displays for categorical
images", Color Research & Application (2007).
"""

from __future__ import annotations

_DIGITS = """
{rows}
"""

GLASBEY: tuple[str, ...] = tuple(f"#{{digits}}" for digits in _DIGITS.split())
'''


def main() -> None:
    """Make the palette and write it."""
    import glasbey

    colors = glasbey.extend_palette(list(TABLEAU[::2]), COUNT, lightness_bounds=LIGHTNESS, optimize_palette=False)
    digits = [color.removeprefix("#") for color in colors]
    rows = "\n".join(" ".join(digits[start : start + 15]) for start in range(0, COUNT, 15))
    (ROOT / "cxg_widget" / "color" / "glasbey.py").write_text(TEXT.format(rows=rows), "utf-8")


if __name__ == "__main__":
    main()
