"""Show the demo: open its notebook in JupyterLab, or run it headless and check the picture.

::

    python tools/demo.py               # opens JupyterLab
    python tools/demo.py --headless    # exits with 0 only if points were drawn; leaves demo/screenshot.png
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from .lab import JupyterLab, launch_browser, new_page, open_notebook
from .picture import Picture, judge, largest_canvas

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = os.environ.get("NOTEBOOK", "notebooks/01_open_and_look.ipynb")
SCREENSHOT = ROOT / "demo" / "screenshot.png"


def show() -> int:
    """Open the notebook in the user's own browser; return when JupyterLab ends."""
    arguments = [f"--ServerApp.root_dir={ROOT}", f"--LabApp.default_url=/lab/tree/{NOTEBOOK}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    try:
        return subprocess.call([sys.executable, "-m", "jupyterlab", *arguments], cwd=ROOT)
    except KeyboardInterrupt:
        return 0


def run_unseen(wait_s: float = 60) -> int:
    """Run the notebook in a headless browser; return 0 if its widget draws a scatterplot within `wait_s`."""
    SCREENSHOT.parent.mkdir(exist_ok=True)
    with JupyterLab(ROOT) as lab, launch_browser() as browser:
        page = new_page(browser, width=1360, height=1000)
        complaints: list[str] = []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        notebook = open_notebook(page, lab, NOTEBOOK)
        notebook.run_all(timeout_s=180)
        widget = notebook.widget()
        widget.scroll_into_view_if_needed()
        end = time.monotonic() + wait_s
        while True:
            picture = judge(largest_canvas(widget).screenshot())
            if picture.is_scatterplot or time.monotonic() > end:
                break
            time.sleep(0.5)
        # The first chunk of points is already a picture; wait for the others.
        page.wait_for_timeout(2000)
        picture = judge(largest_canvas(widget).screenshot())
        widget.screenshot(path=SCREENSHOT)
    return _tell(picture, complaints)


def _tell(picture: Picture, complaints: list[str]) -> int:
    where = SCREENSHOT.relative_to(ROOT)
    figures = f"{picture.colored:.1%} of the pixels are colored, in {picture.n_colors} hues"
    if picture.is_scatterplot:
        print(f"The widget drew its points: {figures}. See {where}.")
        return 0
    print(f"The widget drew no scatterplot: {figures}. See {where}.", *complaints, sep="\n", file=sys.stderr)
    return 1


if __name__ == "__main__":
    raise SystemExit(run_unseen() if "--headless" in sys.argv[1:] or os.environ.get("HEADLESS") == "1" else show())
