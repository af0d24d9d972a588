"""``cxg-widget versions``: the versions that a bug report needs."""

from __future__ import annotations

import argparse
import platform
import re
from importlib import metadata
from typing import Any

from cxg_widget.cli.text import show

_HOSTS = ("jupyterlab", "notebook", "ipykernel", "voila", "marimo", "shinywidgets", "panel", "anndata", "scanpy")
"""Packages that display the widget or give it data, required or not."""
_FOR_USERS = re.compile(r"(?!.*extra ==)|.*extra == ['\"](all|dask|deseq2)['\"]")
"""Requirements for users, without those for developers."""


def add(commands: Any) -> None:
    """Add the command to the program."""
    versions = commands.add_parser("versions", help="print the versions of Python, the system and the packages in use")
    versions.set_defaults(command=run)


def run(_: argparse.Namespace) -> None:
    """Print one line per installed package."""
    show([f"python {platform.python_version()}", f"system {platform.platform()}", *_installed()])


def _installed() -> list[str]:
    needed = [
        re.split(r"[^\w.-]", one, maxsplit=1)[0]
        for one in metadata.requires("cxg-widget") or ()
        if _FOR_USERS.match(one)
    ]
    lines = []
    for name in ("cxg-widget", *sorted({*needed, *_HOSTS} - {"cxg-widget"})):
        try:
            lines.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            continue
    return lines
