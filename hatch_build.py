"""Build the JavaScript bundles when the package is built, unless they are there already."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUNDLES = [Path("cxg_widget", "static", name) for name in ("widget.js", "panels.js", "file.js")]


class BundleHook(BuildHookInterface):
    """Run esbuild for a wheel or an sdist; an editable installation builds with `make build` instead."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002, fixed by hatchling
        """Make `cxg_widget/static/*.js`, or say in one sentence what is missing."""
        root = Path(self.root)
        lacking = [bundle for bundle in BUNDLES if not (root / bundle).exists()]
        if version == "editable" or not lacking:
            return
        npm = shutil.which("npm")
        if npm is None or shutil.which("node") is None:
            what = f"{lacking[0]} is not built and Node.js (20 or newer, with npm) is not installed to build it."
            raise SystemExit(what)
        if not (root / "js" / "node_modules").exists():
            subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=root / "js", check=True)
        subprocess.run([npm, "run", "--silent", "build"], cwd=root / "js", check=True)
