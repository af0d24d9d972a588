"""Files written into: hostile links, two writers beside a reader, kills; ``python -m tests.fuzz.written``."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from cxg_widget import CxgWidget
from cxg_widget.convert import convert
from cxg_widget.errors import CxgWidgetError
from cxg_widget.table.csv import write_csv
from tests.memory import small

PLACES = ("obs", "obs/__categories", "obs/__categories/mine", "obs/mine", "obs/uns", "obs/mine/codes", "obs/cell_type")
LEADS = ("/", "/obs", "/uns", "/obs/cell_type", "/mine", "/nowhere", "/obs/mine")


def links(rng: np.random.Generator, folder: Path) -> str:
    """Save labels into an .h5ad with links of any kind at some places; no other object may change."""
    ours, theirs = folder / "ours.h5ad", folder / "theirs.h5"
    convert(small(50), ours, progress=False)
    shutil.copy2(ours, theirs)
    with h5py.File(theirs, "r+") as file:
        file["mine"] = np.arange(50)
    with h5py.File(ours, "r+") as file:
        for _ in range(rng.integers(1, 4)):
            _link(file, str(rng.choice(PLACES)), str(rng.choice(LEADS)), int(rng.integers(5)))
    before, other, kept = ours.read_bytes(), theirs.read_bytes(), _objects(ours)
    widget = CxgWidget(small(50))
    widget.annotations.new("mine").assign("x", [1])
    widget.annotations.new("uns").assign("y", [2])
    try:
        widget.annotations.save(into=ours, on_conflict=str(rng.choice(["ours", "theirs", "error"])))
    except CxgWidgetError:
        assert ours.read_bytes() == before, "refused, and changed"
        outcome = "one sentence"
    else:
        assert _objects(ours) == kept, "another object changed"
        outcome = "written"
    finally:
        widget.close()
    assert theirs.read_bytes() == other, "another file changed"
    assert {one.name for one in folder.iterdir()} == {ours.name, theirs.name}, "something is left"
    return outcome


def _link(file: Any, place: str, lead: str, kind: int) -> None:
    with suppress(KeyError, ValueError, RuntimeError, OSError, TypeError):  # one that HDF5 does not make here
        if place in file:
            file.move(place, f"kept {place.replace('/', ' ')}")
        if kind == 0:
            file[place] = h5py.SoftLink(lead)
        elif kind == 1:
            file[place] = h5py.ExternalLink("theirs.h5", lead)
        elif kind == 2:
            file[place] = file[lead]
        elif kind == 3:
            layout = h5py.VirtualLayout((50,), int)
            layout[:] = h5py.VirtualSource("theirs.h5", "mine", (50,))
            file.create_virtual_dataset(place, layout)
        else:
            file.create_dataset(place, (50,), int, external=[("theirs.h5", 2048, 400)])


def _objects(path: Path) -> dict[str, Any]:
    """Return the links of a file by their paths, but for those that saving changes, and the bytes of datasets."""
    found: dict[str, Any] = {}
    ours = ("obs/mine", "obs/uns", "obs/__categories/mine", "obs/__categories/uns")

    def walk(group: Any, above: str) -> None:
        for name in group:
            full, link = f"{above}{name}", group.get(name, getlink=True)
            if full.startswith(ours):
                continue
            if not isinstance(link, h5py.HardLink):
                found[full] = (type(link).__name__, link.path)
                continue
            one = group[name]
            if isinstance(one, h5py.Group):
                found[full] = "group"
                if above.count("/") < 6:
                    walk(one, f"{full}/")
            else:
                found[full] = str(one.is_virtual or one.external or np.asarray(one[()]).tolist())

    with h5py.File(path) as file:
        walk(file, "")
    return found


def writers(rng: np.random.Generator, folder: Path) -> str:
    """Let two processes replace one file some times; each look of a reader finds one of three whole texts."""
    path, sizes = folder / "a.csv", rng.integers(1, 2_000_000, 3)
    whole = [letter * int(size) for letter, size in zip("abc", sizes, strict=True)]
    write_csv(path, [whole[2]])
    children = [_forked(lambda text=text: [write_csv(path, [text]) for _ in range(30)]) for text in whole[:2]]
    looks, alive = 0, set(children)
    while alive:
        assert path.read_text() in whole, "a torn file"
        looks += 1
        for child in tuple(alive):
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                alive.remove(child)
                assert status == 0, "a writer failed"
    assert path.read_text() in whole[:2], "neither of the two"
    assert os.listdir(folder) == ["a.csv"], "something is left"
    LOOKS["looks"] += looks
    return "whole"


LOOKS: Counter[str] = Counter()


def kills(rng: np.random.Generator, folder: Path) -> str:
    """Kill a process while it writes; the file is the old or the new one, and the next writer leaves nothing else."""
    path, size = folder / "a.csv", int(rng.integers(1, 5_000_000))
    write_csv(path, ["old"])
    path.chmod(0o600)
    child = _forked(lambda: write_csv(path, ["n" * size]))
    time.sleep(float(rng.exponential(0.006)))
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    text, left = path.read_text(), len(os.listdir(folder)) > 1
    assert text in ("old", "n" * size), "a torn file"
    assert path.stat().st_mode & 0o777 == 0o600, "other permissions"
    write_csv(path, ["next"])
    assert os.listdir(folder) == ["a.csv"], "something is left"
    return (
        "finished" if status == 0 else f"killed, {'old' if text == 'old' else 'new'}{', a folder left' if left else ''}"
    )


def _forked(act: Any) -> int:
    child = os.fork()
    if child:
        return child
    try:
        act()
    except BaseException:
        os._exit(1)
    os._exit(0)


SURFACES = {"links": links, "writers": writers, "kills": kills}


def run(surface: str, seed: int) -> str:
    """Return what became of one seed of a surface; what breaks a law begins with "finding"."""
    with tempfile.TemporaryDirectory(prefix="cxg-written-") as folder:
        try:
            return SURFACES[surface](np.random.default_rng([seed, *surface.encode()]), Path(folder))
        except Exception as error:
            return f"finding: {type(error).__name__}: {error}"[:200]


def main() -> int:
    """Run each surface for so many seconds; exit status 1 where there is a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.written", description=__doc__)
    parser.add_argument("--seconds", type=float, default=20, help="for each surface")
    parser.add_argument("--seed", type=int, default=None, help="the first seed; the time where not given")
    options, found = parser.parse_args(), 0
    for surface in SURFACES:
        seed, counts = int(time.time()) if options.seed is None else options.seed, Counter[str]()
        end = time.monotonic() + options.seconds
        while time.monotonic() < end:
            outcome = run(surface, seed)
            counts[outcome] += 1
            if outcome.startswith("finding"):
                found += 1
                print(surface, seed, outcome, flush=True)
            seed += 1
        print(surface, dict(counts.most_common()), dict(LOOKS) if surface == "writers" else "", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
