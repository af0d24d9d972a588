"""``cxg-widget validate``: check a CXG against the specification."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cxg_widget.cli.arguments import add_store, open_options
from cxg_widget.cli.text import printable, show, show_json
from cxg_widget.errors import CxgWidgetError, DatasetNotFound

if TYPE_CHECKING:
    from cxg_widget.datasets.cxg.validation import Report

_ENDING = "exit status: 0 valid (all MUST rules pass), 1 a MUST rule fails, 2 wrong usage or no store at PATH"


def add(commands: Any) -> None:
    """Add the command to the program."""
    validate = commands.add_parser("validate", help="check a CXG against the specification", epilog=_ENDING)
    add_store(validate)
    validate.add_argument("--quick", action="store_true", help="skip the values of the matrix")
    validate.add_argument("--json", action="store_true", help="print JSON")
    validate.set_defaults(command=run)


def run(options: argparse.Namespace) -> int:
    """Print violations of the specification; return the exit status."""
    from cxg_widget.datasets.cxg.validation import validate_apart

    try:
        report = validate_apart(options.path, quick=options.quick, options=open_options(options))
    except DatasetNotFound as error:
        print(f"cxg-widget: {printable(str(error))}", file=sys.stderr)
        return 2
    other = "" if report.valid else _other_format(options.path, open_options(options))
    if options.json:
        show_json(report.as_json())
    elif other:
        show([f"{options.path} is {other}, not a CXG; `cxg-widget convert {options.path} new.cxg` makes one."])
    else:
        show(_lines(report))
    return 0 if report.valid else 1


def _other_format(path: str, options: dict[str, Any]) -> str:
    """Return what the path is instead, such as "a Parquet file"; "" if it is a CXG or cannot be opened."""
    from cxg_widget.datasets.detection import detect
    from cxg_widget.datasets.readers import registered

    try:
        format_ = detect(path, options)
    except CxgWidgetError:
        return ""
    return "" if format_ == "cxg" else registered().readers[format_].what


def _lines(report: Report) -> Iterable[str]:
    for one in report.violations:
        yield f"{one.level:<6}  {one.where}: {one.found}"
        yield f"        should be {one.right}  [{one.rule}]"
    counts = {level: sum(one.level == level for one in report.violations) for level in ("MUST", "SHOULD")}
    version = f"CXG {report.version}" if report.version else "CXG"
    if not report.violations:
        yield f"{report.path}: valid {version}."
    else:
        verdict = f"valid {version}" if report.valid else "not valid"
        yield f"{report.path}: {verdict}; {counts['MUST']} MUST and {counts['SHOULD']} SHOULD rules fail."
