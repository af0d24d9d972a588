"""What readers of an exported notebook see: HTML with the picture and its legend, and an image for paper."""

import base64
import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

CODE = """import ipywidgets as iw
from cxg_widget import CxgWidget
from tests.memory import small
alone = CxgWidget(small(), color="cell_type", height=300)
alone"""
BOXES = """a = CxgWidget(small(), color="CD3E", height=300)
b = CxgWidget(small(), color="n_counts", height=300, legend=False)
iw.HBox([a, iw.Tab([iw.VBox([b])])])"""


@pytest.fixture(scope="module")
def executed():
    """A notebook with a widget alone and one with two in boxes, run without a browser; its state is not saved."""
    nbformat = pytest.importorskip("nbformat")
    notebooks = pytest.importorskip("tools.notebooks")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in (CODE, BOXES)])
    root = {"metadata": {"path": str(Path(__file__).parent.parent)}}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_PREFER_ENV_PATH", "1")
        notebooks.execute(notebook, timeout=120, store_widget_state=False, resources=root)
    return notebook


def pictures(found):
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(one))).convert("RGB")) for one in found]


def test_html_shows_a_picture_of_every_widget_also_of_those_in_boxes(executed):
    exporter = pytest.importorskip("nbconvert").HTMLExporter()
    page, _ = exporter.from_notebook_node(executed)
    images = pictures(re.findall(r'src="data:image/png;base64,([^"]+)"', page))
    assert [image.shape[0] for image in images] == [340, 340, 300]
    assert images[0].shape[1] > images[1].shape[1] > 400 == images[2].shape[1]
    assert page.count("Legend as text") == 2
    assert re.search(r"<div>T cell: [\d,]+</div>", page)
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "<img src=x" not in page


@pytest.mark.parametrize("exporter", ["LatexExporter", "MarkdownExporter"])
def test_paper_and_markdown_get_the_picture_with_its_legend(executed, exporter):
    made = getattr(pytest.importorskip("nbconvert"), exporter)()
    if exporter == "MarkdownExporter":
        made.exclude_output_prompt = True
    text, resources = made.from_notebook_node(executed)
    images = pictures(map(base64.b64encode, resources["outputs"].values()))
    images = images or pictures(re.findall(r'src="data:image/png;base64,([^"]+)"', text))
    assert [image.shape[0] for image in images] == [340, 340, 300]


def test_the_live_view_and_the_plain_text_of_a_box_are_those_of_ipywidgets(executed):
    live = executed.cells[1].outputs[0]
    assert live.output_type == "execute_result"
    assert set(live.data) == {"text/plain", "application/vnd.jupyter.widget-view+json"}
    assert live.data["text/plain"].startswith("HBox(children=")
