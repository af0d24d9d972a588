"""The notebook that this kernel runs, where its host names one."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any


def notebook_path() -> str:
    """Return the path of the notebook as JupyterLab, VS Code or marimo gives it; "" where none does."""
    return _of_vscode() or _of_marimo() or os.environ.get("JPY_SESSION_NAME", "")


def _of_vscode() -> str:
    shell: Any = None
    with suppress(Exception):  # a shell of any version
        shell = sys.modules["IPython"].get_ipython()
    path = getattr(shell, "user_ns", {}).get("__vsc_ipynb_file__")
    return path if isinstance(path, str) else ""


def _of_marimo() -> str:
    path: Any = None
    with suppress(Exception):  # marimo has no public name for it; without it the states are those of no notebook
        path = sys.modules["marimo._runtime.context"].get_context().filename
    return path if isinstance(path, str) else ""
