"""The command line ``cxg-widget``: parse arguments, call the package, print; nothing else is decided here."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget import __version__
from cxg_widget.errors import CxgWidgetError

if TYPE_CHECKING:
    from cxg_widget.datasets.base import Column, Dataset


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : what follows the program's name; None = those of this process

    Returns
    -------
    0 when done, 1 after an error, which is told in one sentence on stderr; wrong usage exits with 2
    """
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], None] = options.command
    try:
        command(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail("interrupted.")
    except BrokenPipeError:
        # Whoever read our output has seen enough; Python would complain once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (CxgWidgetError, OSError) as error:
        return _fail(str(error))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cxg-widget", description="Single-cell data stored in CXG.")
    parser.add_argument("--version", action="version", version=f"cxg-widget {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    demo = commands.add_parser("demo", help="write a synthetic CXG to try the widget with")
    demo.add_argument("path", nargs="?", default="demo.cxg", metavar="PATH", help="the store to make (demo.cxg)")
    demo.add_argument("--cells", type=_count, default=100_000, metavar="N", help="number of cells (100000)")
    demo.add_argument("--genes", type=_count, default=300, metavar="M", help="number of genes (300)")
    demo.add_argument("--seed", type=int, default=0, metavar="S", help="other numbers give other data (0)")
    demo.add_argument("--force", action="store_true", help="replace what is at PATH")
    demo.set_defaults(command=_demo)

    inspect = commands.add_parser("inspect", help="say what a store holds")
    inspect.add_argument("path", metavar="PATH", help="a path, or a URI such as s3://bucket/data.cxg")
    inspect.add_argument(
        "--storage-option",
        action="append",
        type=_named,
        default=[],
        metavar="NAME=VALUE",
        help="for a URI: endpoint_url, region, anon, key, secret, ... (may be given several times)",
    )
    inspect.set_defaults(command=_inspect)
    return parser


def _demo(options: argparse.Namespace) -> None:
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


def _inspect(options: argparse.Namespace) -> None:
    from cxg_widget.datasets import open_dataset

    given: dict[str, Any] = {"storage_options": dict(options.storage_option)} if options.storage_option else {}
    with open_dataset(options.path, **given) as dataset:
        for line in _summary(dataset):
            print(_printable(line))


def _summary(dataset: Dataset) -> Iterable[str]:
    """Write what a dataset holds, a line each."""
    yield dataset.title
    yield f"  format      {dataset.format}"
    yield f"  shape       {dataset.n_obs:,} obs x {dataset.n_var:,} var"
    embeddings = [
        f"{name} ({width}){' *' if name == dataset.default_embedding else ''}"
        for name, width in dataset.embeddings.items()
    ]
    yield f"  embeddings  {', '.join(embeddings) or 'none'}"
    yield from _section("obs columns", [(name, _kind(column)) for name, column in dataset.obs_columns.items()])
    yield from _section("gene sets", [(name, _some(genes)) for name, genes in dataset.gene_sets.items()])
    yield from _section("notes", [(note, "") for note in dataset.notes])


def _section(title: str, rows: Sequence[tuple[str, str]]) -> Iterable[str]:
    if not rows:
        return
    yield f"  {title}"
    width = max(len(name) for name, _ in rows)
    for name, what in rows:
        yield f"    {name:<{width}}  {what}".rstrip()


def _kind(column: Column) -> str:
    return column.kind if column.n_categories is None else f"{column.kind} ({column.n_categories:,})"


def _some(genes: Sequence[str], count: int = 6) -> str:
    more = f" and {len(genes) - count} more" if len(genes) > count else ""
    return ", ".join(genes[:count]) + more


def _printable(line: str) -> str:
    """Escape what could steer the terminal; names come from files of anybody's making."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)


def _show_progress(what: str, part: float) -> None:
    end = "\n" if part >= 1 else ""
    print(f"\r{what:<6} {part:4.0%}", end=end, file=sys.stderr, flush=True)


def _count(text: str) -> int:
    """Read a number of 1 or more, such as 100000, 100_000 or 1e6."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not (number >= 1 and number.is_integer()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(number)


def _named(text: str) -> tuple[str, str | bool]:
    """Read NAME=VALUE; true and false are meant as such."""
    name, given, value = text.partition("=")
    if not given or not name:
        raise argparse.ArgumentTypeError("an option is written NAME=VALUE")
    return name, {"true": True, "false": False}.get(value.lower(), value)


def _fail(sentence: str) -> int:
    print(f"cxg-widget: {sentence}", file=sys.stderr)
    return 1
