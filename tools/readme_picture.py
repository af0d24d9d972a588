"""Take the picture of the README again: the demo in JupyterLab, with panels, sets and contours.

::

    python tools/readme_picture.py     # writes docs/screenshot.png
"""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from PIL import Image

from .lab import JupyterLab, launch_browser, new_page, open_notebook, write_notebook

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "screenshot.png"
CODE = """
from cxg_widget import CxgWidget, demo
w = CxgWidget(demo("demo.cxg"), color="cell_type", height=720)
w.sets.add("cytotoxic", w.sets.apply({"query": "NKG7 > 1 and GNLY > 1"}))
w.sets.add("IFN-beta", {"condition": "IFN-beta"}, within="cytotoxic")
w.sets.add("control", {"condition": "control"}, within="cytotoxic")
w.sets.add("B cells", {"cell_type": ["naive B cell", "memory B cell"]})
w.contours = ["cytotoxic", "B cells"]
w.grid(["cell_type", "CD3E", "NKG7", {"embedding": "pca"}])
w.open_panels = ["sets"]
w
"""
WAIT_MS = 6_000
"""Until everything is drawn."""


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder, JupyterLab(folder) as lab, launch_browser() as browser:
        write_notebook(Path(folder) / "a.ipynb", [CODE])
        page = new_page(browser, width=1700, height=1000)
        notebook = open_notebook(page, lab, "a.ipynb")
        notebook.run_all(timeout_s=180)
        widget = notebook.widget()
        widget.scroll_into_view_if_needed()
        page.wait_for_timeout(WAIT_MS)
        page.mouse.move(0, 0)
        taken = Image.open(io.BytesIO(widget.screenshot())).convert("RGB")
    taken.save(PICTURE, optimize=True)


if __name__ == "__main__":
    main()
