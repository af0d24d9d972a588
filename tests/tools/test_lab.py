"""The harness itself, tried on a small widget: what the other browser tests rely on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tools.lab import CellFailed, JupyterLab, Notebook, Traffic, new_page, open_notebook, write_notebook

pytestmark = pytest.mark.browser

WIDGET = '''
import anywidget, traitlets
class Square(anywidget.AnyWidget):
    """A canvas that WebGL2 fills with the color of a trait."""
    _esm = """
    function render({ model, el }) {
      const root = el.attachShadow({ mode: "open" });
      const canvas = root.appendChild(document.createElement("canvas"));
      const gl = canvas.getContext("webgl2", { preserveDrawingBuffer: true });
      const draw = () => { gl.clearColor(...model.get("color"), 1); gl.clear(gl.COLOR_BUFFER_BIT); };
      model.on("change:color", draw);
      model.on("msg:custom", (message, buffers) => {
        model.set("received", buffers[0].byteLength);
        model.save_changes();
      });
      draw();
    }
    export default { render };
    """
    color = traitlets.List([1, 0, 0]).tag(sync=True)
    received = traitlets.Int(0).tag(sync=True)
square = Square()
square
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lab")
    write_notebook(path / "square.ipynb", WIDGET, "print('second'); 6 * 7")
    write_notebook(path / "broken.ipynb", "1 / 0")
    return path


@pytest.fixture(scope="module")
def lab(folder: Path) -> Iterator[JupyterLab]:
    with JupyterLab(folder, theme="dark") as one:
        yield one


@pytest.fixture(scope="module")
def page(chromium: Browser) -> Iterator[Page]:
    opened = new_page(chromium, scale=2)
    yield opened
    opened.context.close()


@pytest.fixture(scope="module")
def traffic(page: Page) -> Traffic:
    return Traffic(page)


@pytest.fixture(scope="module")
def notebook(page: Page, traffic: Traffic, lab: JupyterLab) -> Notebook:
    one = open_notebook(page, lab, "square.ipynb")
    one.run_all()
    return one


def test_running_all_cells_gives_their_outputs(notebook: Notebook) -> None:
    assert notebook.outputs()[1].text == "second\n42"
    assert "application/vnd.jupyter.widget-view+json" in notebook.outputs()[0].types


def test_the_kernel_is_the_python_that_runs_the_tests(notebook: Notebook) -> None:
    import sys

    assert notebook.ask("import sys; print(sys.executable)") == sys.executable


def test_a_new_cell_is_run_and_its_text_returned(notebook: Notebook) -> None:
    assert notebook.execute("print(1); print(2); 'three'") == "1\n2\n'three'"


def test_asking_the_kernel_adds_no_cell(notebook: Notebook) -> None:
    before = len(notebook.outputs())
    assert notebook.ask("print(6 * 7)") == "42"
    assert len(notebook.outputs()) == before
    with pytest.raises(CellFailed, match="ZeroDivisionError"):
        notebook.ask("1 / 0")


def test_webgl_draws_the_color_that_the_kernel_set(notebook: Notebook, tmp_path: Path) -> None:
    from PIL import Image

    widget = notebook.widget(0)
    notebook.ask("square.color = [0, 0, 1]")
    notebook.page.wait_for_timeout(300)
    widget.locator("canvas").screenshot(path=tmp_path / "square.png")
    image = Image.open(tmp_path / "square.png").convert("RGB")
    assert image.getpixel((image.width // 2, image.height // 2)) == (0, 0, 255)
    assert image.width == 600, "300 CSS pixels at scale 2"


def test_bytes_sent_by_the_kernel_are_counted(notebook: Notebook, traffic: Traffic) -> None:
    traffic.reset()
    notebook.ask("square.send({}, [bytes(1_000_000)])")
    notebook.page.wait_for_timeout(500)
    assert 1_000_000 <= traffic.received_bytes < 1_100_000
    assert notebook.ask("print(square.received)") == "1000000"


def test_the_theme_is_the_requested_one(notebook: Notebook) -> None:
    assert notebook.page.evaluate("document.body.dataset.jpThemeLight") == "false"


def test_running_changes_no_file_until_it_is_saved(notebook: Notebook, folder: Path) -> None:
    assert "second\\n" not in (folder / "square.ipynb").read_text()


def test_nothing_covers_the_page(notebook: Notebook) -> None:
    assert notebook.page.locator(".jp-Dialog, .Toastify__toast").count() == 0


def test_a_cell_that_raises_is_reported_by_name(chromium: Browser, lab: JupyterLab) -> None:
    notebook = open_notebook(new_page(chromium), lab, "broken.ipynb")
    with pytest.raises(CellFailed, match=r"cell 0 of broken.ipynb: ZeroDivisionError"):
        notebook.run_all()


def test_a_restarted_kernel_forgets(notebook: Notebook) -> None:
    notebook.restart()
    with pytest.raises(CellFailed, match="NameError"):
        notebook.ask("square")
