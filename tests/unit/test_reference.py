"""The reference in docs/api names all that is public, and each example in it runs."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import anywidget
import matplotlib as mpl
import numpy as np
import pytest

import cxg_widget
import cxg_widget.testing
from cxg_widget.cli import COMMANDS
from cxg_widget.cli.main import main
from cxg_widget.display.settings import Settings

ROOT = Path(__file__).parents[2]
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "api").glob("*.md")}
DIRECTIVE = re.compile(r"^\.\. auto(\w+):: (\S+)\n((?:   :.*\n)*)", re.M)
OF_THE_PAGE = {"n_selected", "steps"}
"""Traits that the front-end sets; a table has them."""
WITHOUT_EXAMPLE = {
    "cxg_widget.datasets.base.by_view.RowsInView": "only of stores with bounds of their own, as the demo is not",
    "cxg_widget.errors": "a module; each of its classes has one",
    "cxg_widget.errors.ProtocolError": "only a front-end whose messages break the schema meets it",
    "cxg_widget.compare.markers.Markers.to_scanpy": "scanpy is not needed for tests; test_scanpy_peer.py compares",
    "cxg_widget.compare.result.Comparison.to_scanpy": "the same",
    "cxg_widget.selection.selection.SelectedCells.to_anndata": "anndata is not needed for tests",
    "cxg_widget.testing.DatasetTests": "its example is a class of tests, which pytest runs",
}
"""Entries without an example, each with the reason."""
WITHOUT_A_VALUE = {"layer", "tissue"}
"""Settings whose example is their default, since the demo has neither layers nor images."""


def resolve(name: str) -> Any:
    """Return what a dotted name means; of a method the function, of a property the property."""
    parts = name.split(".")
    for at in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:at]))
        except ImportError:
            continue
        for part in parts[at:]:
            found = inspect.getattr_static(found, part) if isinstance(found, type) else getattr(found, part)
        return found
    raise AssertionError(f"{name} is nowhere")


def members_of(owner: Any, options: str) -> list[str]:
    """Return the members that a directive documents, as autodoc finds them: those with a docstring of their own."""
    given = re.search(r":members:(.*)", options)
    if given is None:
        return []
    out = re.search(r":exclude-members: (.*)", options)
    without = out[1].split(", ") if out else []
    if given[1].strip():
        return given[1].strip().split(", ")
    held = vars(owner)
    if inspect.ismodule(owner):
        return [name for name, one in held.items() if inspect.isclass(one) and one.__module__ == owner.__name__]
    return [name for name, one in held.items() if not name.startswith("_") and is_own(one) and name not in without]


def content_of(page: str, directive: str) -> list[str]:
    """Return the lines of a directive of a page."""
    return re.search(rf"```{{{directive}}}\n(.*?)```", PAGES[page], re.S)[1].splitlines()


def name_of_setting(line: str) -> str:
    return re.match(r"w\.(\w+)", line)[1]


def is_own(one: Any) -> bool:
    return isinstance(one, property | classmethod | staticmethod) or inspect.isfunction(one)


def documented(text: str) -> Iterator[tuple[str, Any]]:
    """Yield each entry of some text of the reference, with its members."""
    for _, name, options in DIRECTIVE.findall(text):
        owner = resolve(name)
        yield name, owner
        for member in members_of(owner, options):
            yield f"{name}.{member}", resolve(f"{name}.{member}")


ENTRIES = dict(entry for text in PAGES.values() for entry in documented(text))
LAST = {name.rpartition(".")[2] for name in ENTRIES}
EXAMPLES = [name for name in ENTRIES if name not in WITHOUT_EXAMPLE]


def test_every_name_that_the_package_exports_is_in_the_reference() -> None:
    names = {*cxg_widget.__all__, *cxg_widget.testing.__all__} - {"__version__", "errors"}
    assert names <= LAST
    assert {one.__name__ for one in vars(cxg_widget.errors).values() if inspect.isclass(one)} <= LAST


def test_every_public_method_and_property_of_a_widget_is_in_the_reference() -> None:
    own = set(dir(cxg_widget.CxgWidget)) - set(dir(anywidget.AnyWidget)) | {"close"}
    declared = {one.name for one in fields(Settings)}
    public = {name for name in own if not name.startswith("_")} - declared - OF_THE_PAGE
    assert public == {name.rpartition(".")[2] for name in ENTRIES if name.startswith("cxg_widget.CxgWidget.")}
    assert all(f"`w.{name}`" in PAGES["widget"] for name in OF_THE_PAGE)


def test_every_setting_stands_in_one_group_of_the_reference() -> None:
    examples = content_of("settings", "settings")
    named = [name_of_setting(line) for line in examples if line.startswith("w.")]
    assert examples[0].startswith("## ")
    assert list(dict.fromkeys(named)) == [name for name, _ in groupby(named)]
    assert set(named) == {one.name for one in fields(Settings)}
    assert all(one.metadata["doc"] for one in fields(Settings))


def test_every_public_member_of_a_dataset_is_in_the_reference_or_named_as_private() -> None:
    """Attributes stand in its docstring."""
    private = set(re.findall(r"`(\w+)`", PAGES["datasets"].partition("may change without notice:")[2].split("\n\n")[0]))
    own = {name for name in dir(cxg_widget.Dataset) if not name.startswith("_")}
    callables = {name for name in own if is_own(inspect.getattr_static(cxg_widget.Dataset, name))}
    public = {name.rpartition(".")[2] for name in ENTRIES if name.startswith("cxg_widget.Dataset.")}
    assert public & private == set()
    assert public | private == callables


def test_every_class_that_a_public_method_returns_is_in_the_reference() -> None:
    returned = {
        word
        for name, one in ENTRIES.items()
        if name.startswith(("cxg_widget.CxgWidget.", "cxg_widget.Dataset.")) and inspect.isfunction(one)
        for word in re.findall(r"\b[A-Z]\w+\b", str(inspect.unwrap(one).__annotations__.get("return", "")))
    }
    of_others = {"Any", "None", "Figure", "DataArray", "DataFrame", "NDArray", "Iterator", "Callable"}
    unions = {"EmbeddingName", "Extent", "Values"}  # of tuples and arrays; the docstring says of which
    assert returned - of_others - unions <= LAST


def test_every_public_field_of_a_class_is_among_its_attributes() -> None:
    """Those of a base class may stand there."""
    lacking = []
    for name, one in ENTRIES.items():
        if not inspect.isclass(one):
            continue
        words = "\n".join(inspect.getdoc(base) or "" for base in one.__mro__[:-1])
        names = [field.name for field in fields(one)] if is_dataclass(one) else getattr(one, "_fields", ())
        public = [field for field in names if not field.startswith("_")]
        lacking += [(name, field) for field in public if not re.search(rf"^(\w+, )*{field}\b.* : ", words, re.M)]
    assert lacking == []


def test_every_entry_of_the_reference_has_a_docstring() -> None:
    lacking = [name for name, one in ENTRIES.items() if not inspect.getdoc(inspect.unwrap(getattr(one, "fget", one)))]
    assert lacking == []


def test_the_docstring_of_a_public_function_names_each_parameter_or_the_function_with_the_same_ones() -> None:
    functions = {name: inspect.unwrap(getattr(one, "__func__", one)) for name, one in ENTRIES.items()}
    lacking = {}
    for name, function in functions.items():
        if inspect.isfunction(function):
            words = " ".join((inspect.getdoc(function) or "").partition("Examples\n---")[0].split())
            parameters = set(inspect.signature(function).parameters) - {"self", "cls"}
            lost = {one for one in parameters if not re.search(rf"\b{one}\b", words)}
            if lost and not re.search("[Pp]arameters( and errors)?( as)?( in)? `", words):
                lacking[name] = lost
    assert lacking == {}


def test_whatever_is_not_in_the_reference_is_said_to_be_private() -> None:
    assert (
        "This reference lists everything that is public. Any other module may change without notice." in PAGES["index"]
    )


def test_pages_notebooks_and_apps_import_only_what_is_in_the_reference() -> None:
    patterns = ("docs/**/*.md", "notebooks/*.ipynb", "examples/*.py", "README.md")
    of_authors = {"_build", "decisions", "listing"}
    pages = [page for one in patterns for page in ROOT.glob(one) if not of_authors & set(page.relative_to(ROOT).parts)]
    found = {
        (page.name, module, name.split(" as ")[0].strip())
        for page in pages
        for module, names in re.findall(r"\bfrom (cxg_widget\S*) import ([^\n\\\"]+)", page.read_text(encoding="utf-8"))
        for name in names.split("#")[0].strip("() ").split(",")
    }
    public = {name.rpartition(".")[0] for name in ENTRIES}
    assert len(found) > 20
    assert [one for one in found if one[1] not in public or one[2] not in LAST] == []


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return cxg_widget.demo(tmp_path_factory.mktemp("examples") / "blood.cxg", cells=1000)


@pytest.mark.docs
@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.filterwarnings("ignore")
def test_the_example_of_a_public_name_runs_and_shows_what_it_says(
    name: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    text = inspect.getdoc(ENTRIES[name]) or ""
    known = {one: getattr(cxg_widget, one) for one in cxg_widget.__all__} | vars(cxg_widget.errors)
    known |= {"demo": lambda: demo, "np": np, "cxg_widget": cxg_widget}
    if re.search(r"\bw\.", text):
        known["w"] = cxg_widget.CxgWidget(demo, color="cell_type")
        known["w"].select({"cell_type": "NK cell"})
    known["dataset"] = known["w"].dataset if "w" in known else cxg_widget.open_dataset(demo)
    example = doctest.DocTestParser().get_doctest(text, known, name, None, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=said.append)
    known.get("w", known["dataset"]).close()
    assert example.examples, "a public name needs an example"
    assert said == []


def test_each_name_without_an_example_is_there_and_says_why() -> None:
    assert [name for name, why in WITHOUT_EXAMPLE.items() if name not in ENTRIES or not why] == []
    runs = {name for name, one in ENTRIES.items() if re.search(r">>>(?!.*\+SKIP)", inspect.getdoc(one) or "")}
    assert runs == set(ENTRIES) - set(WITHOUT_EXAMPLE)


@pytest.mark.docs
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_example_of_each_setting_runs(demo: Path) -> None:
    with contextlib.closing(cxg_widget.CxgWidget(demo, color="cell_type")) as w:
        for line in content_of("settings", "settings"):
            if not line.startswith("w."):
                continue
            name = name_of_setting(line)
            before = repr(getattr(w, name))
            exec(line, {"w": w})
            assert name in WITHOUT_A_VALUE or repr(getattr(w, name)) != before


@pytest.mark.docs
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_examples_of_each_command_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "analysis.json").write_text('{"color": "cell_type", "pinned_genes": ["CD3E"]}')
    examples = [shlex.split(line) for line in content_of("command_line", "command-line")]
    assert {words[1] for words in examples} == {one.__name__.rpartition(".")[2] for one in COMMANDS}
    for program, *arguments in examples:
        assert program == "cxg-widget"
        assert main(arguments) == 0
