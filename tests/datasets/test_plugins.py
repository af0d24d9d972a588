"""Readers of other packages: registered by an entry point, found, opened, and kept from harming each other."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.datasets.readers import GROUP, registered
from cxg_widget.errors import InvalidOption, MissingDependency, UnknownFormat
from cxg_widget.testing.matrix import MatrixLaws

ROOT = Path(__file__).parent.parent.parent
DOCS = (ROOT / "docs" / "add_a_store.md").read_text(encoding="utf-8")


def code_of_docs(language: str, number: int = 0) -> str:
    return re.findall(rf"```{language}\n(.*?)```", DOCS, re.DOTALL)[number]


def install(folder: Path, package: str, source: str, entry: str) -> None:
    """Lay a distribution out as pip does: a module, and a folder of metadata beside it."""
    folder.mkdir(exist_ok=True)
    (folder / f"{package}.py").write_text(source, encoding="utf-8")
    metadata = folder / f"{package}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[{GROUP}]\n{entry}\n")


def entry_of_docs() -> str:
    ((name, value),) = tomllib.loads(code_of_docs("toml"))["project"]["entry-points"][GROUP].items()
    return f"{name} = {value}"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(50, 3)), columns=["x", "y", "weight"])
    frame.to_csv(tmp_path / "run.points", index=False)
    return tmp_path / "run.points"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Return a folder whose distributions are installed for one test."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    registered.cache_clear()
    before = set(sys.modules)
    yield folder
    registered.cache_clear()
    for module in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]


OPEN = """
import json, sys
from cxg_widget import CxgWidget, open_dataset

with open_dataset(sys.argv[1]) as dataset:
    widget = CxgWidget(sys.argv[1], color="weight")
    widget.select(polygon=[(0, 0), (0, 9), (9, 9), (9, 0)])
    print(json.dumps([dataset.format, dataset.title, dataset.embedding().tolist(),
                      dataset.numbers("weight").tolist(), len(widget.selection)]))
"""


def test_the_reader_of_the_docs_opens_its_store_from_a_distribution_of_its_own(table: Path, tmp_path: Path) -> None:
    install(tmp_path / "site", "points_reader", code_of_docs("python"), entry_of_docs())
    path = os.pathsep.join([str(tmp_path / "site"), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", OPEN, str(table)],
        env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    format_, title, xy, weights, n_selected = json.loads(done.stdout)
    truth = pd.read_csv(table)
    assert (format_, title) == ("points", "run.points")
    np.testing.assert_array_equal(xy, truth[["x", "y"]].to_numpy(np.float32))
    np.testing.assert_array_equal(weights, truth["weight"])
    assert n_selected == ((truth["x"] > 0) & (truth["y"] > 0)).sum()


def laws_of_docs(folder: Path, reader: str, *which: str) -> subprocess.CompletedProcess[str]:
    """Run the contract over a reader as the docs do, in a project of its own."""
    install(folder / "site", "points_reader", reader, entry_of_docs())
    (folder / "test_points.py").write_text(code_of_docs("python", 1), encoding="utf-8")
    path = os.pathsep.join([str(folder / "site"), str(ROOT)])
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--strict-markers", "-W",
         "error::pytest.PytestWarning", "test_points.py", *which],
        cwd=folder, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_the_store_of_the_docs_obeys_the_contract_that_is_shipped(tmp_path: Path) -> None:
    done = laws_of_docs(tmp_path, code_of_docs("python"))
    assert done.returncode == 0, done.stdout
    passed, skipped = (int(re.search(rf"(\d+) {what}", done.stdout)[1]) for what in ("passed", "skipped"))
    assert passed > 25
    assert skipped == len([name for name, law in vars(MatrixLaws).items() if name.startswith("test_")])


BREAKS = {
    "test_a_whole_read_in_blocks_is_the_whole": ("values[rows]", "values[:len(rows)]"),
    "test_axes_choose_columns_of_an_embedding": ("[:, axes]", ""),
    "test_obs_is_the_frame_that_was_stored": ("to_numpy(float)", "to_numpy(float) + 1"),
}


def test_the_contract_that_is_shipped_finds_a_store_that_breaks_a_law(tmp_path: Path) -> None:
    source = code_of_docs("python")
    for right, wrong in BREAKS.values():
        assert right in source
        source = source.replace(right, wrong)
    done = laws_of_docs(tmp_path, source, "-k", " or ".join(BREAKS))
    assert done.returncode == 1
    failed = set(re.findall(r"^FAILED .*TestPoints::(\w+)", done.stdout, re.MULTILINE))
    assert failed == set(BREAKS), done.stdout
    assert "assert" in done.stdout


def test_pytest_is_asked_for_by_the_contract_alone_and_in_a_sentence() -> None:
    code = (
        "import sys; sys.modules.update(pytest=None, hypothesis=None)\n"
        "import cxg_widget.datasets, cxg_widget.widget.widget\n"
        "try:\n    import cxg_widget.testing\nexcept cxg_widget.CxgWidgetError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout == "cxg_widget.testing needs pytest and hypothesis: pip install 'cxg-widget[testing]'\n"


def test_a_reader_takes_part_in_every_sentence_about_formats(site: Path, table: Path, make) -> None:
    source = code_of_docs("python").replace("suffixes=", "options=('shade',), suffixes=")
    install(site, "points_reader", source, entry_of_docs())
    with pytest.raises(InvalidOption, match=r"option 'shade' applies to a table of points; .* is a CXG"):
        open_dataset(make(), shade=1)
    table.rename(table.with_name("other"))
    with pytest.raises(UnknownFormat, match=r"not a CXG, .*a table of points.* \(found: a file\)\.$"):
        open_dataset(table.with_name("other"))
    with open_dataset(table.with_name("other"), format="points") as dataset:
        assert dataset.n_obs == 50


def test_two_readers_of_one_format_are_named_and_neither_is_used(site: Path, table: Path, make) -> None:
    for package in ("one_points", "other_points"):
        install(site, package, code_of_docs("python"), f"points = {package}:READER")
    with pytest.raises(MissingDependency) as caught:
        open_dataset(table, format="points")
    assert str(caught.value) == (
        "the format 'points' is read by one_points and by other_points; uninstall all but one."
    )
    with open_dataset(make()) as dataset:
        assert dataset.format == "cxg"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import no_such_library", r"cannot be imported \(ModuleNotFoundError: .*no_such_library"),
        ("1 / 0", r"cannot be imported \(ZeroDivisionError"),
        ("READER = 3", r"is a int, not a Reader"),
    ],
)
def test_a_reader_that_fails_is_named_where_it_is_asked_for_and_harms_no_other(
    site: Path, table: Path, make, source: str, sentence: str
) -> None:
    install(site, "broken", source, "points = broken:READER")
    with open_dataset(make()) as dataset:
        assert dataset.format == "cxg"
    with pytest.raises(MissingDependency, match=f"^the reader of 'points' in broken {sentence}"):
        open_dataset(table, format="points")
    with pytest.raises(UnknownFormat, match=f"found: a file.* Also, the reader of 'points' in broken {sentence}"):
        open_dataset(table)


def test_a_reader_that_cannot_say_what_it_sees_harms_no_other(site: Path, make) -> None:
    source = code_of_docs("python").replace("suffixes=", "order=-1, looks_like=lambda path: 1 / 0, suffixes=")
    install(site, "points_reader", source, entry_of_docs())
    with pytest.warns(UserWarning, match="the reader of 'points' failed to detect"), open_dataset(make()) as dataset:
        assert dataset.format == "cxg"


def test_a_special_kind_of_hdf5_is_asked_before_the_reader_of_any_hdf5(site: Path, tmp_path: Path) -> None:
    source = code_of_docs("python").replace(".points", ".loom")
    install(site, "points_reader", source, entry_of_docs())
    assert [*registered().readers].index("points") < [*registered().readers].index("h5ad")


def test_readers_are_those_of_the_entry_points_of_all_packages() -> None:
    known = entry_points(group=GROUP)
    assert {*registered().readers, *registered().unusable} == set(known.names) > {"cxg", "h5ad"}


def test_every_word_of_this_package_is_the_format_of_what_it_opens() -> None:
    from pkgutil import resolve_name

    for word, reader in registered().readers.items():
        opener = resolve_name(reader.opens)
        assert getattr(opener, "format", word) == word


def test_without_its_metadata_the_package_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, make) -> None:
    monkeypatch.setattr("cxg_widget.datasets.readers.distributions", lambda: ())
    registered.cache_clear()
    with pytest.raises(MissingDependency, match="not registered in this environment; install it again"):
        open_dataset(make())
    registered.cache_clear()
