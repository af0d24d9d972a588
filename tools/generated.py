"""Write files that are generated from the Python package, or report which are stale."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent


def write(texts: Mapping[Path, str], arguments: list[str], command: str) -> int:
    """Write each text to its path; with --check among the arguments, name those that differ and the command instead.

    Returns
    -------
    the exit status: 1 where a file is stale
    """
    if "--check" not in arguments:
        for path, text in texts.items():
            path.write_text(text, "utf-8")
        return 0
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} is stale: run {command}")
    return int(bool(stale))
