"""A notebook open in JupyterLab: run its cells, read their outputs, find its widgets."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page
from playwright.sync_api import TimeoutError as PageTimeout


class CellFailed(AssertionError):
    """A cell raised, or did not finish in time."""


@dataclass(frozen=True)
class Output:
    """The output of a cell.

    Attributes
    ----------
    text : everything printed, then the plain text of results, without the final line break
    error : "Name: message" of the exception, or ""
    """

    text: str
    error: str = ""
    types: tuple[str, ...] = field(default=(), repr=False)


class Notebook:
    """An open notebook; cells are numbered from 0."""

    def __init__(self, page: Page, path: str) -> None:
        self.page = page
        self.path = path

    def wait_for_kernel(self, timeout_s: float = 60) -> None:
        """Wait until the kernel is connected and idle."""
        self._wait_for(
            "p.sessionContext.session?.kernel?.connectionStatus === 'connected' "
            "&& p.sessionContext.session.kernel.status === 'idle'",
            timeout_s,
        )

    def run_all(self, timeout_s: float = 60) -> None:
        """Run every cell; raise `CellFailed` at the first that fails."""
        self._command("notebook:run-all-cells", timeout_s)
        for number, output in enumerate(self.outputs()):
            if output.error:
                raise CellFailed(f"cell {number} of {self.path}: {output.error}")

    def run(self, number: int, timeout_s: float = 60) -> Output:
        """Run one cell and return its output; raise `CellFailed` if it raised."""
        self.evaluate("(p, n) => { p.content.activeCellIndex = n; p.content.deselectAll(); }", number)
        self._command("notebook:run-cell", timeout_s)
        output = self.outputs()[number]
        if output.error:
            raise CellFailed(f"cell {number} of {self.path}: {output.error}")
        return output

    def execute(self, code: str, timeout_s: float = 60) -> str:
        """Run `code` in a new cell at the end of the notebook and return the text it puts out."""
        return self.run(self.add(code), timeout_s).text

    def ask(self, code: str, timeout_s: float = 60) -> str:
        """Run `code` in the kernel without a cell, and return what it prints; the notebook looks as before."""
        reply: dict[str, str] = self.evaluate(_ASK, [code, timeout_s * 1000])
        if reply["error"]:
            raise CellFailed(f"{reply['error']} in:\n{code}")
        return reply["text"].rstrip("\n")

    def add(self, code: str) -> int:
        """Append a code cell and return its number."""
        number: int = self.evaluate(_ADD, code)
        return number

    def replace(self, *cells: str) -> None:
        """Replace all cells by these code cells."""
        self.evaluate(_REPLACE, list(cells))

    def outputs(self) -> list[Output]:
        """Return the output of each cell so far."""
        return [_read_output(outputs) for outputs in self.evaluate(_OUTPUTS)]

    def cell(self, number: int) -> Locator:
        """Return the element of a cell, scrolled into view.

        JupyterLab takes cells that are off screen out of the page.
        """
        self.evaluate("(p, n) => p.content.scrollToItem(n)", number)
        return self.page.locator(f'.jp-Notebook .jp-Cell[data-windowed-list-index="{number}"]')

    def widget(self, number: int | None = None, selector: str = "canvas", timeout_s: float = 60) -> Locator:
        """Return the output of cell `number`, or the first, that contains `selector`, also in a shadow root."""
        scope = self.page.locator(".jp-Notebook") if number is None else self.cell(number)
        found = scope.locator(".jp-OutputArea-output").filter(has=self.page.locator(selector)).first
        found.wait_for(state="visible", timeout=timeout_s * 1000)
        return found

    def restart(self, timeout_s: float = 60) -> None:
        """Restart the kernel; widgets lose their kernel side."""
        self.evaluate("async (p) => { await p.sessionContext.session.kernel.restart(); }")
        self.wait_for_kernel(timeout_s)

    def shutdown(self) -> None:
        """End the kernel; whoever opens the notebook next gets a new one."""
        self.evaluate("async (p) => { await p.sessionContext.shutdown(); }")

    def save(self) -> None:
        """Save the notebook to its file, with outputs and widget state."""
        self.evaluate("async (p) => { await p.context.save(); }")

    def _command(self, name: str, timeout_s: float) -> None:
        """Run a JupyterLab command on this notebook and wait until its cells have finished."""
        self.wait_for_kernel(timeout_s)
        mark = secrets.token_hex(4)
        self.evaluate(_COMMAND, [name, mark])
        try:
            self.page.wait_for_function("(mark) => window.cxgDone === mark", arg=mark, timeout=timeout_s * 1000)
        except PageTimeout as error:
            raise CellFailed(f"'{name}' in {self.path} did not end within {timeout_s} s: {self.outputs()}") from error

    def _wait_for(self, condition: str, timeout_s: float) -> None:
        self.page.wait_for_function(
            f"(path) => {{ const p = ({_PANEL})(path); return !!p && ({condition}); }}",
            arg=self.path,
            timeout=timeout_s * 1000,
        )

    def evaluate(self, script: str, argument: object = None) -> Any:
        """Run a JavaScript function of (notebook panel, argument) and return its value."""
        return self.page.evaluate(
            f"async ([path, argument]) => ({script})(({_PANEL})(path), argument)", [self.path, argument]
        )


def write_notebook(path: str | os.PathLike[str], *cells: str, text: str = "") -> Path:
    """Write a notebook of these code cells, and optionally a last cell of text; return its path."""
    import nbformat  # which takes a second, and most tests in a browser open no notebook

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    if text:
        notebook.cells.append(nbformat.v4.new_markdown_cell(text))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)
    return Path(path)


def _read_output(outputs: list[dict[str, Any]]) -> Output:
    text, error, types = "", "", []
    for output in outputs:
        if output["output_type"] == "stream":
            text += _joined(output["text"])
        elif output["output_type"] == "error":
            error = f"{output['ename']}: {output['evalue']}"
        else:
            types += list(output["data"])
            text += _joined(output["data"].get("text/plain", "")) + "\n"
    return Output(text.rstrip("\n"), error, tuple(types))


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


_PANEL = """(path) => window.jupyterapp &&
  [...window.jupyterapp.shell.widgets("main")].find((one) => one.context?.path === path && one.sessionContext)"""
_OUTPUTS = "(p) => p.content.widgets.map((cell) => cell.model.outputs?.toJSON() ?? [])"
_ADD = """(p, source) => {
  const notebook = p.content.model.sharedModel;
  notebook.insertCell(notebook.cells.length, { cell_type: "code", source });
  return notebook.cells.length - 1;
}"""
_REPLACE = """(p, sources) => {
  const notebook = p.content.model.sharedModel;
  notebook.transact(() => {
    notebook.deleteCellRange(0, notebook.cells.length);
    notebook.insertCells(0, sources.map((source) => ({ cell_type: "code", source })));
  });
}"""
_COMMAND = """(p, [name, mark]) => {
  window.jupyterapp.shell.activateById(p.id);
  const done = () => { window.cxgDone = mark; };
  window.jupyterapp.commands.execute(name).then(done, done);
}"""
_ASK = """async (p, [code, wait]) => {
  const future = p.sessionContext.session.kernel.requestExecute({ code, store_history: false });
  const reply = { text: "", error: "" };
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === "stream") reply.text += content.text;
    if (header.msg_type === "execute_result") reply.text += content.data["text/plain"];
    if (header.msg_type === "error") reply.error = content.ename + ": " + content.evalue;
  };
  const late = new Promise((_, fail) => setTimeout(fail, wait, new Error("no answer from the kernel")));
  await Promise.race([future.done, late]);
  return reply;
}"""
