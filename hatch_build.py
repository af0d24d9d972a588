"""Build the JavaScript bundles when the package is built, unless they are there; make the README's links absolute."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

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


class ReadmeHook(MetadataHookInterface):
    """Give the package index the README with links that work there: those to files of the repository made absolute."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the field `readme`, which pyproject.toml leaves to this hook."""
        repository, version = metadata["urls"]["Repository"], metadata["version"]

        def absolute(found: re.Match[str]) -> str:
            start, path = found.groups()
            view = "raw" if path.endswith((".png", ".svg", ".gif")) else "blob"
            return f"{start}{repository}/{view}/v{version}/{path}"

        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        text = re.sub(r"""(\]\(|(?:src|srcset|href)=")(?![a-z]+:|#)([^)\s"]+)""", absolute, text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
