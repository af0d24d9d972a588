"""``cxg-widget convert``: write any store anew as a CXG or an .h5ad."""

from __future__ import annotations

import argparse
from typing import Any

from cxg_widget.cli.arguments import add_options, add_store, open_options
from cxg_widget.cli.text import section, show


def add(commands: Any) -> None:
    """Add the command to the program."""
    convert = commands.add_parser("convert", help="convert a store to CXG or AnnData .h5ad")
    add_store(convert, "source", "IN")
    add_options(convert)
    convert.add_argument("target", metavar="OUT", help="output path, ending in .cxg or .h5ad")
    convert.add_argument("--format", choices=["cxg", "h5ad"], help="output format, if OUT has another ending")
    convert.add_argument("--source-format", metavar="FORMAT", help="format of IN (default: detected)")
    convert.add_argument("--layer", metavar="NAME", help="layer to convert as the matrix (default: main matrix)")
    convert.add_argument("--best", action="store_true", help="smallest output; takes several times as long")
    convert.add_argument(
        "--explorer-diffexp",
        action="store_true",
        help="store a dense matrix as differential expression in CELLxGENE needs it; slow for single genes",
    )
    convert.set_defaults(command=run)


def run(options: argparse.Namespace) -> None:
    """Write the store, and say what it holds and what it could not take."""
    from cxg_widget.convert import convert

    done = convert(
        options.source,
        options.target,
        format=options.format,
        source_format=options.source_format,
        layer=options.layer,
        best=options.best,
        explorer_diffexp=options.explorer_diffexp,
        **open_options(options),
    )
    values = (
        "no matrix" if done.n_values is None else f"{done.n_values:,} values, {'dense' if done.dense else 'sparse'}"
    )
    show([f"Wrote {done.n_obs:,} obs x {done.n_var:,} var ({values}) to {done.target}"])
    show(section("not converted exactly", [(sentence,) for sentence in done.left_out]))
