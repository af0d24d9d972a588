"""Arguments that several commands share, and how their values are parsed."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any


def add_store(parser: argparse.ArgumentParser, name: str = "path", metavar: str = "PATH") -> None:
    """Add the argument for a store to read, and the option for remote storage."""
    parser.add_argument(name, metavar=metavar, help="a path, or a URI such as s3://bucket/data.cxg")
    parser.add_argument(
        "--storage-option",
        action="append",
        type=named,
        default=[],
        metavar="NAME=VALUE",
        help="for a URI: endpoint_url, region, anon, key, secret, ... (may be given several times)",
    )


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the argument for options of `open_dataset`."""
    parser.add_argument(
        "--option",
        action="append",
        type=option,
        default=[],
        metavar="NAME=VALUE",
        help="options of open_dataset(): key=rna, version=0, observations=peaks, 'isel={\"time\": -1}', ... "
        "(may be given several times)",
    )


def open_options(options: argparse.Namespace) -> dict[str, Any]:
    """Return the keyword arguments of `open_dataset`; {} if no options were given."""
    found = dict(getattr(options, "option", ()))
    return found | ({"storage_options": dict(options.storage_option)} if options.storage_option else {})


def embedding(text: str) -> tuple[str, tuple[str, str] | str]:
    """Parse [NAME=]X,Y or [NAME=]FILE.csv; the default name is made of both columns, or of the file."""
    name, given, axes = text.partition("=")
    name, axes = (name, axes) if given else ("", text)
    if axes.lower().endswith(".csv"):
        return name or Path(axes).stem, axes
    x, comma, y = axes.partition(",")
    if not comma or not x or not y or "," in y:
        raise argparse.ArgumentTypeError(f"{text!r} is neither two columns, as in n_genes,pct_mito, nor a .csv")
    return name or f"{x}_{y}", (x, y)


def count(text: str) -> int:
    """Parse a number of 1 or more, such as 100000, 100_000 or 1e6."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not (number >= 1 and number.is_integer()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(number)


def named(text: str) -> tuple[str, str | bool]:
    """Parse NAME=VALUE; true and false become booleans."""
    name, given, value = text.partition("=")
    if not given or not name:
        raise argparse.ArgumentTypeError("an option is written NAME=VALUE")
    return name, {"true": True, "false": False}.get(value.lower(), value)


def option(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE; a value that is JSON, such as a number or a list, is decoded, any other is text."""
    name, given, value = text.partition("=")
    if not given or not name:
        raise argparse.ArgumentTypeError("an option is written NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
