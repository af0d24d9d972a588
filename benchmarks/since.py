"""This version compared with an earlier commit: all headline figures of both, in turns, on one machine.

``make bench THEN=dfae87c``, or ``python -m benchmarks.since dfae87c``, writes `since.md`; without a commit it compares
with the last tag. The earlier version is cloned and installed into a separate environment. The code of this version
measures both, in JupyterLab and in Python; figures are medians of all rounds. The run ends with an error, after the
table is written, if a figure exceeds 1.1 times the earlier one by more than a frame of the screen or the resolution of
its clock. A dash means that the earlier version cannot do this.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks import browser, contenders, data, kernel, machine
from benchmarks.browser import Measures, Stage
from benchmarks.data import HERE, RAW, Store
from benchmarks.report import OURS
from benchmarks.since_report import write
from tools.lab import CellFailed, JupyterLab, launch_browser

REPORT = HERE / "since.md"
SIZES = ("1m",)
ROUNDS = 3


@dataclass(frozen=True)
class Tree:
    """A checkout of this project, and the interpreter that has its packages."""

    title: str
    root: Path
    python: str


def build(commit: str) -> Tree:
    """Return a clone at a commit, built in a separate environment, once per commit."""
    name = _git(HERE.parent, "rev-parse", "--short", f"{commit}^{{commit}}")
    root = RAW / "then" / name
    if not root.exists():
        _git(HERE.parent, "clone", "--quiet", "--shared", str(HERE.parent), str(root))
        _git(root, "checkout", "--quiet", "--detach", name)
    subprocess.run(["make", "--silent", "setup"], cwd=root, check=True)
    return Tree(commit, root, str(root / ".venv" / "bin" / "python"))


def last_tag() -> str:
    """Return the newest tag before this commit, or ""."""
    tags = _git(HERE.parent, "tag", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-creatordate")
    return tags.partition("\n")[0]


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def measure(trees: Sequence[Tree], store: Store, rounds: int) -> dict[str, Measures]:
    """Measure each tree in turn, `rounds` times round; return title -> measure -> values."""
    found: dict[str, Measures] = {tree.title: {} for tree in trees}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cxg-since-")))
        (folder / "benchmarks").symlink_to(HERE)  # this code, with the package of each interpreter
        labs = {tree: stack.enter_context(JupyterLab(folder, python=tree.python)) for tree in trees}
        chromium = stack.enter_context(launch_browser())
        for at in range(rounds):
            for tree, lab in labs.items():
                read = kernel.in_process(OURS, store, tree.python, folder)
                measured = {
                    **_in_browser(tree, lab, chromium, store),
                    **{f"reader: {key}": [value] for key, value in read.items()},
                }
                for key, values in measured.items():
                    found[tree.title].setdefault(key, []).extend(values)
                print(f"  {store.path.stem} round {at + 1}: {tree.title}", flush=True)
    return found


def _in_browser(tree: Tree, lab: JupyterLab, chromium: Browser, store: Store) -> Measures:
    contender = contenders.cxg_widget(store)
    with browser.staged(lab, chromium, store, contender) as stage:
        package = Path(stage.notebook.ask("import cxg_widget; print(cxg_widget.__file__)"))
        if tree.root.resolve() not in package.resolve().parents:
            raise RuntimeError(f"{tree.title} is {tree.root}, but its kernel imported {package}.")
        return stage.measure(contender) | _brush(stage) | _compare(stage)


def _compare(stage: Stage) -> Measures:
    try:
        return {"compare, ms": [stage.timed("w.compare('selection')") for _ in range(2)]}
    except CellFailed as error:
        if "AttributeError" in str(error):  # before there was `compare`
            return {}
        raise


def _brush(stage: Stage) -> Measures:
    """Brush a histogram of the panel of columns; a tree without that panel measures nothing."""
    widget = stage.notebook.widget(1)
    opener = widget.get_by_role("button", name="Columns", exact=True)
    if opener.count() == 0:
        return {}
    opener.click()
    row = widget.get_by_role("complementary", name="Columns").locator("li").filter(has_text="n_genes").first
    row.locator(".opener").click()
    strip = row.get_by_role("slider")
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    assert box is not None
    places = [(box["x"] + (0.2 + 0.01 * step) * box["width"], box["y"] + box["height"] / 2) for step in range(60)]
    stage.page.mouse.move(*places[0])
    stage.page.mouse.down()
    stage.page.mouse.move(*places[1])
    stage.page.wait_for_timeout(500)  # the kernel has answered
    stage.page.evaluate("(n) => cxgProbe.begin(n, false)", stage.store.n_obs)
    for place in places[2:]:
        stage.page.mouse.move(*place)
    took, frames = stage.page.evaluate("() => cxgProbe.shown()")
    stage.page.mouse.up()
    return {"brush frame, ms": [took / max(frames, 1)]}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and write; exit with an error where a figure has become worse."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.since", description=__doc__)
    parser.add_argument("commit", nargs="?", default=last_tag(), help="the earlier commit; default: the last tag")
    parser.add_argument("--sizes", nargs="+", choices=list(data.SHAPES), default=SIZES)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="%(default)s")
    options = parser.parse_args(arguments)
    if not options.commit:
        print("There is no tag to compare with; `make bench THEN=COMMIT` compares with a commit.")
        return
    then, now = build(options.commit), Tree("now", HERE.parent, sys.executable)
    facts = {**machine.facts(), "then": _git(then.root, "log", "-1", "--format=%h, %cs")}
    stores = [data.open_store(size) for size in options.sizes]
    found = {f"{store.n_obs:,} cells": measure((now, then), store, options.rounds) for store in stores}
    text, worse = write(found, facts, __doc__, then.title)
    REPORT.write_text(text, encoding="utf-8")
    if worse:
        sys.exit(f"Slower or larger than {then.title}: {'; '.join(worse)}.")


if __name__ == "__main__":
    main()
