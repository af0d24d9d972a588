"""Take the pictures of docs/get_started.md again, by running its code in JupyterLab.

::

    python -m tools.guide_pictures     # writes docs/pictures/

Each picture shows the widget after all code above it on the page; `figure.png` is what `w.save` writes.
"""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path

from PIL import Image

from .lab import JupyterLab, launch_browser, new_page, open_notebook, write_notebook

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "get_started.md"
PARTS = re.compile(r"```python\n(.*?)```|!\[[^\]]*\]\((pictures/\w+\.png)\)", re.DOTALL)
SAVED = "pictures/figure.png"
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
    """Write the pictures."""
    parts = PARTS.findall(PAGE.read_text(encoding="utf-8"))
    (DOCS / "pictures").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, JupyterLab(folder) as lab, launch_browser() as browser:
        (first, _), *others = parts
        write_notebook(Path(folder) / "a.ipynb", [first])
        page = new_page(browser, width=1200, height=1500)
        notebook = open_notebook(page, lab, "a.ipynb")
        notebook.run_all(timeout_s=180)
        for code, picture in others:
            if code:
                notebook.execute(code, timeout_s=180)
            elif picture == SAVED:
                notebook.execute(f'w.save("saved.png", width={WIDTH}, dpi=96)')
                (DOCS / picture).write_bytes(small((Path(folder) / "saved.png").read_bytes()))
            else:
                widget = notebook.widget()
                widget.scroll_into_view_if_needed()
                page.wait_for_timeout(WAIT_MS)
                page.mouse.move(0, 0)
                (DOCS / picture).write_bytes(small(widget.screenshot()))


if __name__ == "__main__":
    main()
