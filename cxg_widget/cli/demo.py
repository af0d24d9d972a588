"""``cxg-widget demo``: write a synthetic CXG."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from cxg_widget.cli.arguments import count


def add(commands: Any) -> None:
    """Add the command to the program."""
    demo = commands.add_parser("demo", help="write a synthetic CXG to try the widget")
    demo.add_argument("path", nargs="?", default="demo.cxg", metavar="PATH", help="output path (default: demo.cxg)")
    demo.add_argument("--cells", type=count, default=100_000, metavar="N", help="number of cells (default: 100000)")
    demo.add_argument("--genes", type=count, default=300, metavar="M", help="number of genes (default: 300)")
    demo.add_argument("--seed", type=int, default=0, metavar="S", help="random seed (default: 0)")
    demo.add_argument("--force", action="store_true", help="overwrite PATH")
    demo.set_defaults(command=run)


def run(options: argparse.Namespace) -> None:
    """Write the store and print its path."""
    from cxg_widget.datasets.cxg.demo import write_demo

    path = write_demo(
        options.path,
        options.cells,
        options.genes,
        options.seed,
        force=options.force,
        progress=_show_progress if sys.stderr.isatty() else None,
    )
    print(f"Wrote {options.cells:,} synthetic cells x {options.genes:,} genes to {path}")


def _show_progress(what: str, part: float) -> None:
    end = "\n" if part >= 1 else ""
    print(f"\r{what:<6} {part:4.0%}", end=end, file=sys.stderr, flush=True)
