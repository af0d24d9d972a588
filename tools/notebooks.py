"""Run the notebooks and save their outputs, so that a reader on the web sees tables and pictures.

::

    python -m tools.notebooks              # all of them
    python -m tools.notebooks 01 05        # those whose names begin with these
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from PIL import Image
from traitlets.config import Config

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LIVE = "application/vnd.jupyter.widget-view+json"
_COLORS = 256


class _Runner(NotebookClient):  # type: ignore[misc]
    """Keeps each picture as its cell showed it; in a live notebook all of them follow the widget."""

    def _update_display_id(self, *_: object) -> None:
        pass


def execute(notebook: nbformat.NotebookNode, client: type[NotebookClient] = NotebookClient, **options: Any) -> None:
    """Run the cells of a notebook in a kernel, whose sockets are files.

    A kernel is given free TCP ports and binds them a second later; by then another process may hold one.
    """
    with tempfile.TemporaryDirectory() as folder:
        sockets = Config({"KernelManager": {"transport": "ipc", "ip": str(Path(folder) / "kernel")}})
        client(notebook, config=sockets, **options).execute()


def run(path: Path, *, timeout_s: int = 1200) -> nbformat.NotebookNode:
    """Run a notebook in its folder and return it with all outputs."""
    notebook = nbformat.read(path, as_version=4)
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    os.environ["CXG_WIDGET_RESTORE"] = "0"  # its outputs must come from this run alone
    execute(notebook, _Runner, timeout=timeout_s, resources={"metadata": {"path": str(path.parent)}})
    return notebook


def tidy(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a notebook with the outputs that need no kernel, and a fingerprint of the code that made them.

    Of a widget its picture stays; the live view is nothing but an error message without a kernel.
    """
    tidied = nbformat.from_dict(notebook)
    tidied.metadata.pop("widgets", None)
    tidied.metadata["language_info"] = {"name": "python"}
    tidied.metadata["cxg_widget"] = {"ran": fingerprint(notebook)}
    for cell in tidied.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.execution_count = None
            cell.outputs = [kept for kept in map(_tidy_output, cell.outputs) if kept is not None]
    return tidied


def _tidy_output(output: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    if output.output_type == "stream":
        return output if output.name == "stdout" else None
    data = output.get("data", {})
    if LIVE in data:
        return None
    kept = {name: data[name] for name in ("text/html", "text/plain") if name in data}
    if "image/png" in data:
        kept = {"image/png": _smaller(data["image/png"])}
    return nbformat.v4.new_output("display_data", data=kept)


def _smaller(png: str) -> str:
    """Return a picture of no more than 256 colors, which takes a third of the bytes."""
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def fingerprint(notebook: nbformat.NotebookNode) -> str:
    """Return a hash of the code of a notebook."""
    code = "\0".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    return hashlib.sha256(code.encode()).hexdigest()[:16]


def main(names: list[str]) -> None:
    """Run the notebooks named, or all, and write them."""
    os.environ.setdefault("CXG_LARGE_CELLS", "1000000")  # the number that the notebook names for its saved outputs
    for path in NOTEBOOKS:
        if not names or path.name.startswith(tuple(names)):
            nbformat.write(tidy(run(path)), path)
            print(f"{path.name}: {path.stat().st_size / 1000:,.0f} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
