"""The command line ``cxg-widget``: finds and runs the command, and prints errors in one sentence."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from cxg_widget import __version__
from cxg_widget.cli import COMMANDS
from cxg_widget.cli.text import printable
from cxg_widget.errors import CxgWidgetError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : those after the program's name; None = those of this process

    Returns
    -------
    0 on success; 1 after an error, which is one sentence on stderr, or if `validate` finds a violation. Wrong usage
    exits with 2
    """
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int | None] = options.command
    try:
        status = command(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _fail("interrupted.")
    except BrokenPipeError:
        # The reader of our output has closed the pipe; Python would print one more error when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (CxgWidgetError, OSError) as error:
        return _fail(str(error))
    return status or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cxg-widget", description="Single-cell data stored in CXG.")
    parser.add_argument("--version", action="version", version=f"cxg-widget {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser


def _fail(sentence: str) -> int:
    print(f"cxg-widget: {printable(sentence)}", file=sys.stderr)
    return 1
