"""``cxg-widget convert``: write any store anew as a CXG or an .h5ad."""

from __future__ import annotations

import argparse
from typing import Any

from cxg_widget.cli.arguments import add_options, add_store, open_options
from cxg_widget.cli.text import section, show


def add(commands: Any) -> None:
    """Add the command to the program."""
    convert = commands.add_parser("convert", help="write a store anew, as a CXG or an AnnData .h5ad")
    add_store(convert, "source", "IN")
    add_options(convert)
    convert.add_argument("target", metavar="OUT", help="the store to make, ending in .cxg or .h5ad")
    convert.add_argument("--format", choices=["cxg", "h5ad"], help="what to make, where OUT does not end so")
    convert.add_argument("--source-format", metavar="FORMAT", help="open IN as such without looking")
    convert.add_argument("--layer", metavar="NAME", help="the layer to carry as the matrix (the main matrix)")
    convert.add_argument("--best", action="store_true", help="compress as well as possible, in several times the time")
    convert.add_argument(
        "--explorer-diffexp",
        action="store_true",
        help="store a dense matrix as differential expression in CELLxGENE reads it; slow for single genes",
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
    show(section("not carried as it was", [(sentence,) for sentence in done.left_out]))
