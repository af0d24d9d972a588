"""What `w.save` draws is what the canvas of a page shows, pixel for pixel; a page opens the SVG with all its words."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cxg_widget import CxgWidget
from tests.browser.served_widget import ServedWidget
from tests.memory import small
from tools.lab import new_page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

N = 5_000
LOOKS: dict[str, dict[str, Any]] = {
    "categories": {"color": "cell_type"},
    "numbers": {"color": "n_counts", "point_size": 2},
    "large and pale": {"color": "MS4A1", "point_size": 9, "opacity": 0.4},
    "some grey": {"color": "cell_type", "filtered": "grey", "hidden": ["T cell"]},
    "close by": {"color": "cell_type", "view": [0, 2, 0, 1.5]},
    "image of categories": {"color": "cell_type", "render": "raster"},
    "image of numbers": {"color": "n_counts", "render": "raster", "cmap": "magma"},
    "numbers of pixels": {"color": "n_genes", "statistic": "sum"},
    "crowded categories": {"color": "cell_type", "point_size": 6},
    "crowded, without a coloring": {"color": None, "point_size": 2.5},
    "categories of a view": {"color": "cell_type", "max_points": 2_000, "view": [0, 2, 0, 1.5]},
    "image of few cells": {"color": "cell_type", "max_points": 4_000},
    "cells of a view": {"color": "n_counts", "max_points": 2_000, "view": [0, 2, 0, 1.5]},
}
DIMMED = ("categories", "numbers", "some grey", "image of categories", "image of numbers", "cells of a view")
"""Those that are asked with a selection too: points of each kind, and images."""


@pytest.fixture(scope="module")
def served(chromium: Any) -> Iterator[ServedWidget]:
    one = ServedWidget(chromium, CxgWidget(small(N), color="cell_type", height=420), width=760, height=460)
    yield one
    one.close()


def on_screen(stage: ServedWidget) -> np.ndarray:
    """The canvas of the plot on white, once it shows all there is."""
    for _ in range(20):  # an answer may lead to the next question
        stage.tell()
        if stage.page.locator(".cxg-widget[data-cxg-state=ready]").count():
            break
    url = stage.page.locator("canvas.cxg-plot").evaluate("(canvas) => canvas.toDataURL()")
    rgba = np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGBA")).astype(float)
    return rgba[..., :3] * rgba[..., 3:] / 255 + 255 - rgba[..., 3:]


@pytest.mark.parametrize(("look", "selects"), [*((look, False) for look in LOOKS), *((look, True) for look in DIMMED)])
def test_a_saved_png_equals_the_canvas(served: ServedWidget, tmp_path: Path, look: str, selects: bool) -> None:
    w = served.widget
    w.state = {"height": 420, **LOOKS[look]}
    w.select(np.arange(N) % 3 == 0) if selects else w.clear_selection()
    screen = on_screen(served)
    height, width = screen.shape[:2]
    w.save(tmp_path / "a.png", dpi=96, width=width, height=height, legend=False)
    saved = np.asarray(Image.open(tmp_path / "a.png")).astype(float)
    assert (screen < 250).any(axis=2).mean() > 0.05
    assert (np.abs(saved - np.round(screen)).max(axis=2) <= 1).mean() >= 0.999


def test_a_browser_shows_the_svg_as_the_png_is(chromium: Any, tmp_path: Path) -> None:
    w = CxgWidget(small(N), color="cell_type", height=300, labels="cell_type")
    w.save(tmp_path / "a.svg", dpi=96)
    w.save(tmp_path / "a.png", dpi=96)
    png = np.asarray(Image.open(tmp_path / "a.png")).astype(float)
    page = new_page(chromium, width=png.shape[1], height=png.shape[0])
    page.goto((tmp_path / "a.svg").as_uri())
    shown = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(float)
    words = page.evaluate("[...document.querySelectorAll('text')].map((one) => one.textContent)")
    page.context.close()
    assert "<img src=x onerror=alert(1)>" in words
    assert np.abs(shown[40:, :380] - png[40:, :380]).mean() < 4  # an image of SVG may lie between the pixels


def test_the_menu_gives_the_pdf_and_the_page_that_the_kernel_writes(served: ServedWidget, tmp_path: Path) -> None:
    w, page = served.widget, served.page
    w.state = {"height": 420, "color": "cell_type"}
    w.clear_selection()
    served.tell()
    page.get_by_role("button", name="Save picture").click()
    served.tell()
    with page.expect_download() as download:
        page.get_by_role("button", name="PDF").click()
        served.tell()
    download.value.save_as(tmp_path / "a.pdf")
    assert download.value.suggested_filename == "memory-cell_type.pdf"
    _, _, width, height = served.plot(0)
    reader = pytest.importorskip("pypdf", reason="PDF is read with pypdf").PdfReader(tmp_path / "a.pdf")
    assert "T cell" in reader.pages[0].extract_text()
    objects = [one.get_object() for one in reader.pages[0]["/Resources"]["/XObject"].values()]
    sizes = [(one["/Width"], one["/Height"]) for one in objects if one["/Subtype"] == "/Image"]
    assert sizes == [(round(width * 3.125), round(height * 3.125))]
    assert page.locator(".popover:not(.openers)").count() == 0
    page.get_by_role("button", name="Save picture").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="HTML").click()
        served.tell()
    assert download.value.suggested_filename == "memory-cell_type.html"
    assert download.value.path().read_text(encoding="utf-8").startswith("<!doctype html>")
    page.get_by_role("button", name="Save picture").click()
    w.open_panels = ["sets"]
    served.tell()
    for name in ("Copy code", "Copy methods", "Copy as code"):
        button = page.get_by_role("button", name=name)
        button.press("Enter")
        served.tell()
        spoken = page.locator(".spoken").filter(has_text="copied")
        spoken.wait_for(state="attached")
        (
            page.get_by_title("copied", exact=True) if name.endswith("as code") else button.filter(has_text="copied")
        ).wait_for()
    page.keyboard.press("Escape")
