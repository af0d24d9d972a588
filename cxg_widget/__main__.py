"""Let ``python -m cxg_widget`` do what ``cxg-widget`` does."""

from __future__ import annotations

from cxg_widget.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
