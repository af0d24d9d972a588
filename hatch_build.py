"""Build the JavaScript bundle when the package is built, unless it is there already."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLE = Path("cxg_widget", "static", "widget.js")


class BundleHook(BuildHookInterface):
    """Run esbuild for a wheel or an sdist; an editable installation builds with `make build` instead."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002, fixed by hatchling
        """Make `cxg_widget/static/widget.js`, or say in one sentence what is missing."""
        root = Path(self.root)
        if version == "editable" or (root / BUNDLE).exists():
            return
        npm = shutil.which("npm")
        if npm is None or shutil.which("node") is None:
            raise SystemExit(f"{BUNDLE} is not built and Node.js (20 or newer, with npm) is not installed to build it.")
        if not (root / "js" / "node_modules").exists():
            subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=root / "js", check=True)
        subprocess.run([npm, "run", "--silent", "build"], cwd=root / "js", check=True)
