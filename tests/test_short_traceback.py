"""What a notebook shows of an exception of this package: the reader's own lines and the sentence, in a real kernel."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.datasets.make_cxg import make_cxg, make_truth

if TYPE_CHECKING:
    import nbformat

MINE = "def mine(value):\n    w.color = value\n\n\nmine('cell_typ')"
WRONG = {
    "a color set in a function": (MINE, "UnknownName", "w.color = value"),
    "a value": ("w.opacity = 3", "InvalidValue", "w.opacity = 3"),
    "values held together": ("with w.hold_trait_notifications():\n    w.cmap = 'x'", "UnknownName", "w.hold_trait"),
    "the constructor": ("CxgWidget(path, colour='x')", "InvalidOption", "CxgWidget(path, colour='x')"),
    "a query that pandas refuses": ("w.select(query='n_genes > ')", "SelectionError", "w.select(query='n_genes > ')"),
}


@pytest.fixture(scope="module")
def errors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, nbformat.NotebookNode]:
    """Run each mistake in a kernel of its own notebook; return what it shows."""
    import nbformat  # which takes a second, and as a rule one process of two

    from tools.notebooks import execute

    path = make_cxg(tmp_path_factory.mktemp("store") / "small.cxg", make_truth())
    opening = f"from cxg_widget import CxgWidget\n\npath = {str(path)!r}\nw = CxgWidget(path)"
    sources = [opening, *(source for source, _, _ in WRONG.values()), "%xmode Verbose\nw.opacity = 3"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    execute(notebook, allow_errors=True, timeout=100, kernel_name="python3")
    found = [[one for one in cell.outputs if one.output_type == "error"] for cell in notebook.cells]
    assert found[0] == []
    return dict(zip([*WRONG, "in full"], [one[0] for one in found[1:]], strict=True))


def text_of(error: nbformat.NotebookNode) -> str:
    return re.sub("\x1b\\[[0-9;]*m", "", "\n".join(error.traceback))


@pytest.mark.parametrize("mistake", WRONG)
def test_a_mistake_shows_the_line_that_made_it_and_the_sentence_and_nothing_between(errors, mistake: str) -> None:
    error, (_, name, line) = errors[mistake], WRONG[mistake]
    lines = text_of(error).rstrip().splitlines()
    assert error.ename == name
    assert lines[-1] == f"{name}: {error.evalue}"
    assert any(line in one for one in lines)
    assert len(lines) <= 16
    assert not any("cxg_widget/" in one or "traitlets" in one for one in lines)


def test_who_asks_for_all_of_it_gets_all_of_it(errors) -> None:
    assert "traitlets.py" in text_of(errors["in full"])
    assert Path("cxg_widget", "widget", "changing.py").as_posix() in text_of(errors["in full"])
