"""Build the package as it is released, install it as a user does, and look at both files: ``make release-check``.

Leaves the checked sdist and wheel in ``dist/``. Node.js is hidden from everything: the bundles are shipped.
``make release-check TAG=v0.1.0`` also fails where the tag is not that of the version.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
LIST = ROOT / "tools" / "release_files.txt"
SUFFIXES = {"sdist": ".tar.gz", "wheel": ".whl"}
DEMO = """
from pathlib import Path
import cxg_widget
from cxg_widget import CxgWidget, demo
widget = CxgWidget(demo("demo.cxg", 2_000), color="cell_type")
widget.select({"cell_type": ["naive B cell"]})
widget.save("still.png", dpi=96)
widget.save("page.html")
assert len(widget.selection.obs()) > 0
assert Path("still.png").read_bytes().startswith(b"\\x89PNG")
assert "site-packages" in cxg_widget.__file__, cxg_widget.__file__
print(cxg_widget.__version__)
"""


def main() -> int:
    """Build, compare and install; return 0, or print one sentence and return 1."""
    shutil.rmtree(DIST, ignore_errors=True)
    try:
        built = {kind: build(ROOT, DIST, kind) for kind in SUFFIXES}
        check_tag(os.environ.get("TAG"), built["wheel"].name.split("-")[1])
        run([sys.executable, "-m", "twine", "check", "--strict", *map(str, built.values())])
        for kind, file in built.items():
            problems = compare(kind, names(file))
            if problems:
                where = f"Change {LIST.relative_to(ROOT)} or pyproject.toml."
                raise RuntimeError(f"{file.name}: {'; '.join(problems)}. {where}")
            print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB, {len(names(file))} files, as listed")
            print(f"  installed alone, version {try_alone(file)}: demo written, opened, drawn")
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def check_tag(tag: str | None, version: str) -> None:
    """Raise RuntimeError if a tag is given and is not that of the version."""
    if tag and tag != f"v{version}":
        raise RuntimeError(f"The tag is {tag} and pyproject.toml has version {version}; tag v{version}.")


def build(source: Path, out: Path, kind: str) -> Path:
    """Build a "wheel" or an "sdist" of the project in `source` without Node.js and the network; return the file."""
    run([sys.executable, "-m", "build", "--no-isolation", f"--{kind}", "--outdir", str(out), str(source)])
    return next(out.glob(f"*{SUFFIXES[kind]}"))


def names(file: Path) -> set[str]:
    """Return the files in an sdist or wheel, without the folder that holds an sdist."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            return {name for name in wheel.namelist() if not name.endswith("/")}
    with tarfile.open(file) as sdist:
        return {one.name.partition("/")[2] for one in sdist.getmembers() if one.isfile()}


def compare(kind: str, found: Iterable[str]) -> list[str]:
    """Return what differs between the files of a build and the list that the repository keeps."""
    found, patterns = set(found), listed(kind)
    unlisted = sorted(name for name in found if not any(fnmatchcase(name, pattern) for pattern in patterns))
    absent = [pattern for pattern in patterns if not any(fnmatchcase(name, pattern) for name in found)]
    return [f"{name} is not listed" for name in unlisted] + [f"no file matches {pattern}" for pattern in absent]


def listed(kind: str) -> list[str]:
    """Return the patterns for the files of one kind."""
    lines = [line.split() for line in LIST.read_text().splitlines() if line and not line.startswith("#")]
    return [pattern for where, pattern in lines if where in (kind, "both")]


def try_alone(file: Path) -> str:
    """Install a file in an empty environment without Node.js and open the demo there; return its version."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder, "environment")
        run([sys.executable, "-m", "venv", "--without-pip", str(environment)])
        python = str(environment / ("Scripts" if os.name == "nt" else "bin") / "python")
        pip = [sys.executable, "-m", "pip", "--python", python]
        run([*pip, "install", "--quiet", "--disable-pip-version-check", "--no-input", "--no-compile", str(file)])
        run([*pip, "check", "--disable-pip-version-check"])
        return run([python, "-I", "-c", DEMO], cwd=folder).strip()


def run(command: list[str], cwd: str | Path = ROOT) -> str:
    """Run a command that finds no other program; return its output, or raise RuntimeError with all it said."""
    with tempfile.TemporaryDirectory() as nothing:
        environment = os.environ | {"PATH": nothing, "CXG_WIDGET_CACHE_DIR": nothing}
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{done.stdout}{done.stderr}\n'{' '.join(command[:6])} …' failed.")
    return done.stdout


if __name__ == "__main__":
    raise SystemExit(main())
