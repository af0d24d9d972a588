"""What is shipped, the cost of an import, and the example of the README; `make release-check` builds and installs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zlib
from pathlib import Path
from typing import Any

import pytest

from cxg_widget.datasets.cxg.demo import write_demo
from hatch_build import ReadmeHook
from tools.release_check import compare, listed

ROOT = Path(__file__).parent.parent
BUNDLE, PANELS, FILE = (f"cxg_widget/static/{name}.js" for name in ("widget", "panels", "file"))
BUDGET_BYTES = {BUNDLE: 150 * 1024, PANELS: 98 * 1024, FILE: 24 * 1024}  # of the second what is sent, deflated
HEAVY = ("tiledb", "pandas", "numpy", "datashader", "xarray", "anywidget", "ipywidgets", "IPython")

needs_bundle = pytest.mark.skipif(
    not all((ROOT / name).exists() for name in BUDGET_BYTES), reason="the bundle is not built: make build"
)


def test_a_file_beyond_the_list_and_a_line_without_a_file_are_told() -> None:
    found = {pattern.replace("*", "a") for pattern in listed("wheel")}
    assert compare("wheel", found) == []
    assert compare("wheel", found - {"cxg_widget/py.typed"} | {"tests/data.zip"}) == [
        "tests/data.zip is not listed",
        "no file matches cxg_widget/py.typed",
    ]


def test_links_of_the_readme_to_files_are_absolute_where_the_package_index_shows_them() -> None:
    metadata: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    ReadmeHook(str(ROOT), {}).update(metadata)
    links = re.findall(r"""(?:\]\(|src="|href=")([^)\s"]+)""", metadata["readme"]["text"])
    addresses = [link for link in links if not link.startswith("#")]
    assert addresses
    assert [link for link in addresses if not link.startswith("https://")] == []
    of_file = re.compile(re.escape(metadata["urls"]["Repository"]) + "/(?:blob|raw|tree)/[^/]+/(.+)")
    files = [found[1] for found in map(of_file.match, addresses) if found]
    assert [name for name in files if not (ROOT / name.partition("#")[0]).exists()] == []


@needs_bundle
@pytest.mark.parametrize("name", BUDGET_BYTES)
def test_a_bundle_is_within_its_budget(name: str) -> None:
    code = (ROOT / name).read_bytes()
    assert len(zlib.compress(code, 9) if name == PANELS else code) <= BUDGET_BYTES[name]


@needs_bundle
def test_the_second_bundle_holds_no_lit_html_of_its_own() -> None:
    walks = {name: "createTreeWalker" in (ROOT / name).read_text() for name in BUDGET_BYTES}  # as lit-html does
    assert walks == {BUNDLE: True, PANELS: False, FILE: False}


@needs_bundle
@pytest.mark.parametrize("name", BUDGET_BYTES)
def test_a_bundle_fetches_no_code_and_no_fonts(name: str) -> None:
    text = (ROOT / name).read_text()
    assert not re.search(r"""(import\s*\(?|@import\s*|src\s*=\s*|url\()\s*["']?(https?:)?//""", text)


def test_a_build_without_node_says_so_in_one_sentence(tmp_path: Path) -> None:
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "cxg_widget").mkdir()
    (tmp_path / "cxg_widget" / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--wheel", str(tmp_path)],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "is not built and Node.js (20 or newer, with npm) is not installed" in done.stdout + done.stderr


def test_importing_the_package_imports_no_heavy_library() -> None:
    code = f"import sys, cxg_widget; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"


@needs_bundle
def test_the_example_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code
    write_demo(tmp_path / "demo.cxg", 2_000)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in code:
        exec(compile(block, "README.md", "exec"), names)
    assert len(names["cells"]) > 0  # type: ignore[arg-type]
    assert names["state"]["color"] == ["NKG7", "GNLY", "PRF1"]  # type: ignore[index]


def test_every_file_that_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
