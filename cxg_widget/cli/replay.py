"""``cxg-widget replay``: apply the state of a widget to other data, and report what fits."""

from __future__ import annotations

import argparse
import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cxg_widget.cli.arguments import add_options, add_store, open_options
from cxg_widget.cli.text import section, show
from cxg_widget.errors import DatasetNotFound, InvalidValue

if TYPE_CHECKING:
    from cxg_widget.replay.report import ReplayReport


def add(commands: Any) -> None:
    """Add the command to the program."""
    replay = commands.add_parser("replay", help="apply the state of a widget to other data, and report what fits")
    replay.add_argument("state", metavar="STATE", help="JSON file of w.state")
    add_store(replay)
    add_options(replay)
    replay.add_argument("--source", metavar="PATH", help="the store that the state is from, for numbers before")
    replay.add_argument("--report", metavar="FILE.html", help="write the report, with both plots, to a page")
    replay.set_defaults(command=run)


def run(options: argparse.Namespace) -> None:
    """Print what fits and the numbers of cells, and write the report."""
    from cxg_widget.datasets import open_dataset
    from cxg_widget.replay.fitting import check_state
    from cxg_widget.replay.replay import replay, report_path, save_report, session_on

    state, path = check_state(_read_json(options.state)), report_path(options.report)
    with ExitStack() as stack:
        dataset = stack.enter_context(open_dataset(options.path, **open_options(options)))
        session, source = stack.enter_context(session_on(dataset)), None
        if options.source is not None:
            source = stack.enter_context(session_on(stack.enter_context(open_dataset(options.source))))
        found = replay(state, session, source)
        if path is not None:
            save_report(path, found, session, source)
    _print(found)
    if path is not None:
        show([f"Wrote {path}"])


def _read_json(path: str) -> Any:
    try:
        return json.loads(Path(path).read_bytes())
    except FileNotFoundError:
        raise DatasetNotFound(f"{path!r}: no such file; json.dump(w.state, file) writes one.") from None
    except (ValueError, RecursionError):
        raise InvalidValue(f"{path!r} is not JSON; json.dump(w.state, file) writes the state of a widget.") from None


def _print(found: ReplayReport) -> None:
    from cxg_widget.replay.report import rows_of

    show([found.title, *(f"  {one}" for one in (found.summary, *found.notes))])
    show(section("does not fit", [(one.setting, one.name, one.fault) for one in found.parts if one.fault]))
    numbers = [(one.kind, one.name, *map(_number, (one.before, one.after))) for one in rows_of(found)]
    show(section("cells", [("", "", "before", "after"), *numbers]))


def _number(n: int | None) -> str:
    return "-" if n is None else f"{n:,}"
