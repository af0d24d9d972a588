"""Runs ``cxg-widget`` as ``python -m cxg_widget``."""

from __future__ import annotations

from cxg_widget.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
