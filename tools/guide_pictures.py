"""Take the pictures of the pages again, by running their code in JupyterLab.

::

    python -m tools.guide_pictures                    # writes docs/pictures/
    python -m tools.guide_pictures compare_samples    # those of one page

Each picture shows the widget after all code above it on the page; `figure.png` is what `w.save` writes.
"""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from .lab import JupyterLab, launch_browser, new_page, open_notebook, write_notebook

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = [DOCS / "get_started.md", DOCS / "how_to/compare_samples.md", DOCS / "how_to/see_markers_while_you_draw.md"]
PARTS = re.compile(r"```python\n(.*?)```|!\[[^\]]*\]\((?:\.\./)?(pictures/\w+\.png)\)", re.DOTALL)
SAVED = "pictures/figure.png"
DRAWN = "pictures/quick_markers.png"
CORNERS = ((0.19, 0.74), (0.29, 0.57), (0.36, 0.56), (0.39, 0.72), (0.3, 0.79), (0.2, 0.78))
"""Of the lasso in `DRAWN`, as shares of the plot."""
WAIT_MS = 5_000
"""Until everything is drawn."""
WIDTH = 700
COLORS = (224, 160, 112, 80, 56)
MOST_BYTES = 60_000


def small(png: bytes) -> bytes:
    """Return a picture as wide as a page, in as many colors as fit."""
    taken = Image.open(io.BytesIO(png)).convert("RGB")
    scaled = taken.resize((WIDTH, round(taken.height * WIDTH / taken.width)), Image.Resampling.LANCZOS)
    for colors in COLORS:
        file = io.BytesIO()
        scaled.quantize(colors, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file, "png", optimize=True)
        if file.tell() <= MOST_BYTES:
            break
    return file.getvalue()


def main() -> None:
    """Write the pictures of the pages that are named, else of all."""
    os.environ["CXG_WIDGET_RESTORE"] = "0"  # states of whoever takes them are not offered in the pictures
    (DOCS / "pictures").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, JupyterLab(folder) as lab, launch_browser() as browser:
        for page in PAGES:
            if page.stem in (sys.argv[1:] or [page.stem]):
                take(page, lab, browser, Path(folder))


def take(file: Path, lab: JupyterLab, browser: Browser, folder: Path) -> None:
    """Write the pictures of one page."""
    (first, _), *others = PARTS.findall(file.read_text(encoding="utf-8"))
    write_notebook(folder / f"{file.stem}.ipynb", [first])
    page = new_page(browser, width=1200, height=1500)
    notebook = open_notebook(page, lab, f"{file.stem}.ipynb")
    notebook.run_all(timeout_s=180)
    for code, picture in others:
        if code:
            notebook.execute(code, timeout_s=180)
        elif picture == SAVED:
            notebook.execute(f'w.save("saved.png", width={WIDTH}, dpi=96)')
            (DOCS / picture).write_bytes(small((folder / "saved.png").read_bytes()))
        else:
            widget = notebook.widget()
            widget.scroll_into_view_if_needed()
            page.wait_for_timeout(WAIT_MS)
            page.mouse.move(0, 0)
            if picture == DRAWN:
                draw(page)
            (DOCS / picture).write_bytes(small(widget.screenshot()))
            page.mouse.up()
    notebook.shutdown()
    page.context.close()


def draw(page: Page) -> None:
    """Switch markers on and hold a lasso, as a reader of that page does."""
    page.get_by_label("Markers while you draw").press("Space")
    page.wait_for_timeout(WAIT_MS)
    plot = page.locator("[role=application]:visible").first.bounding_box()
    assert plot
    corners = [(plot["x"] + x * plot["width"], plot["y"] + y * plot["height"]) for x, y in CORNERS]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in corners[1:]:
        page.mouse.move(*corner, steps=8)
    page.wait_for_timeout(WAIT_MS)


if __name__ == "__main__":
    main()
