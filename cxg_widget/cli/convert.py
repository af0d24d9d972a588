"""``cxg-widget convert``: write a store as a CXG or an .h5ad."""
# Changes with cxg_widget/convert/conversion.py: options of a conversion.

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cxg_widget.cli.arguments import add_options, add_store, embedding, open_options
from cxg_widget.cli.text import section, show

if TYPE_CHECKING:
    from cxg_widget.convert import Conversion


def add(commands: Any) -> None:
    """Add the command to the program."""
    convert = commands.add_parser("convert", help="convert a store to CXG or AnnData .h5ad")
    add_store(convert, "source", "IN")
    add_options(convert)
    convert.add_argument("target", metavar="OUT", help="output path, ending in .cxg or .h5ad")
    convert.add_argument("--format", choices=["cxg", "h5ad"], help="output format, if OUT has another ending")
    convert.add_argument("--source-format", metavar="FORMAT", help="format of IN (default: detected)")
    convert.add_argument("--layer", metavar="NAME", help="layer to convert as the matrix (default: main matrix)")
    convert.add_argument(
        "--where",
        metavar="QUERY",
        help="convert only the cells that match a query, such as \"tissue == 'lung' and n_genes > 500\"",
    )
    convert.add_argument(
        "--genes", nargs="+", metavar="GENE", help="convert only these genes: names, or a file with one per line"
    )
    convert.add_argument(
        "--embedding",
        action="append",
        type=embedding,
        default=[],
        metavar="[NAME=]X,Y",
        help="a further embedding: two columns or genes, or a .csv whose first column names cells (repeatable)",
    )
    convert.add_argument("--best", action="store_true", help="smallest output; takes several times as long")
    convert.add_argument(
        "--explorer-diffexp",
        action="store_true",
        help="store a dense matrix as differential expression in CELLxGENE needs it; slow for single genes",
    )
    convert.set_defaults(command=run)


def run(options: argparse.Namespace) -> None:
    """Write the store, and print what it contains and what could not be converted."""
    from cxg_widget.convert import convert
    from cxg_widget.files.kept_folder import has_kept

    try:
        done = _convert(convert, options)
    except KeyboardInterrupt:
        if has_kept(Path(options.target)):
            print("What was read is kept; run the same command again to go on.", file=sys.stderr)
        raise
    values = (
        "no matrix" if done.n_values is None else f"{done.n_values:,} values, {'dense' if done.dense else 'sparse'}"
    )
    show([f"Wrote {done.n_obs:,} obs x {done.n_var:,} var ({values}) to {done.target}"])
    show(section("not converted exactly", [(sentence,) for sentence in done.left_out]))


def _convert(convert: Callable[..., Conversion], options: argparse.Namespace) -> Conversion:
    return convert(
        options.source,
        options.target,
        format=options.format,
        source_format=options.source_format,
        layer=options.layer,
        where=options.where,
        genes=_genes(options.genes),
        embeddings=dict(options.embedding) or None,
        best=options.best,
        explorer_diffexp=options.explorer_diffexp,
        **open_options(options),
    )


def _genes(given: list[str] | None) -> list[str] | str | None:
    """Return names as a list, or one file as its path; split names separated by commas."""
    if given is None:
        return None
    if len(given) == 1 and Path(given[0]).expanduser().is_file():
        return given[0]
    return [name for one in given for name in one.split(",") if name]
