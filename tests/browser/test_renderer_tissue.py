"""The image of the section beneath the points: in place, y down, in saved pictures too, and sent when it is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.browser.engine import run, serve
from tests.unit.test_tissue import BLUE, GREEN, NAME, RED, YELLOW, section

pytestmark = pytest.mark.browser

OPEN = """hasten();
    const kinds = [];
    const traits = { embedding: "spatial", tissue: TISSUE, legend: true, point_size: null };
    const w = open_({ traits, dark: DARK, answer: byKernel });
    w.widget.store.set({ landmarks: createLandmarks });
    await ready(w);
    await frame();
    const under = w.host.querySelector(".cxg-tissue");
    const pixels = (canvas) => [...canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data];
    const shown = async () => {
      const told = () => w.host.querySelector(".cxg-landmarks").getAttribute("aria-label") ?? "";
      while (!told().startsWith("Tissue image")) await sleep(10);
      await frame();
      await frame();
    };
    const view = () => JSON.parse(w.host.dataset.cxgView);"""


@pytest.fixture
def drawn_by() -> str:
    """Who draws the points has no say in what lies beneath them."""
    return "cpu"


def opened(page: Any, body: str, *, dark: bool = False, tissue: str | None = NAME, **settings: Any) -> Any:
    serve(page, Session(section(), Settings(embedding="spatial", color=None, **settings)))
    named = "null" if tissue is None else f'"{tissue}"'
    return run(page, OPEN.replace("DARK", str(dark).lower()).replace("TISSUE", named) + body)


def test_nothing_is_drawn_beyond_the_outline_of_a_turned_image(page: Any) -> None:
    outline = ((1500.0, 0.0), (2900.0, 1000.0), (1500.0, 1900.0), (100.0, 900.0))
    dataset = section()
    found = dataset.sections()
    images = {name: replace(image, outline=outline) for name, image in found.images.items()}
    dataset.sections = lambda: replace(found, images=images)
    dataset.find_image = images.__getitem__
    serve(page, Session(dataset, Settings(embedding="spatial", color=None)))
    begin = OPEN.replace("DARK", "true").replace("TISSUE", f'"{NAME}"')
    pixels, view = run(page, begin + "await shown(); return [pixels(under), view()];")
    for place, color in (((1100, 600), RED), ((1900, 600), GREEN), ((1100, 1300), BLUE), ((1900, 1300), YELLOW)):
        np.testing.assert_allclose(at(pixels, view, *place), [*color, 255], atol=6)
    for corner in ((150, 50), (2850, 50), (150, 1850), (2850, 1850)):
        assert at(pixels, view, *corner)[3] == 0


def at(pixels: list[int], view: list[float], x: float, y: float, side: int = 400) -> list[int]:
    """Return red, green, blue and opacity at a place in data units, on a picture of the whole plot."""
    left, right, bottom, top = view
    column, line = int(side * (x - left) / (right - left)), int(side * (top - y) / (top - bottom))
    return list(np.array(pixels).reshape(side, side, 4)[line, column])


@pytest.mark.parametrize("render", ["points", "raster"])
@pytest.mark.parametrize("dark", [False, True])
def test_each_quadrant_lies_at_its_coordinates_and_y_points_down(page: Any, dark: bool, render: str) -> None:
    body = "await shown(); return [pixels(under), view()];"
    pixels, view = opened(page, body, dark=dark, render=render)
    assert view[2] > view[3]
    for place, color in (((700, 500), RED), ((2300, 500), GREEN), ((700, 1500), BLUE), ((2300, 1500), YELLOW)):
        np.testing.assert_allclose(at(pixels, view, *place), [*color, 255], atol=6)
    # Middle px of the image meet at 1,495 and 995: line 100 and column 150 begin half a px before.
    for x, y, color in ((1465, 965, RED), (1525, 965, GREEN), (1465, 1025, BLUE), (1525, 1025, YELLOW)):
        np.testing.assert_allclose(at(pixels, view, x, y)[:3], color, atol=60)
    assert at(pixels, view, 1500, -200)[3] == 0


def test_a_saved_picture_has_the_image_beneath_the_points_and_the_scale_bar(page: Any) -> None:
    on_picture, view = opened(
        page,
        """await shown();
        w.model.set("legend", false);
        const image = await createImageBitmap(await w.plot.png(1));
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        return [[...context.getImageData(0, 0, 400, 400).data], view()];""",
    )
    for place, color in (((700, 500), RED), ((2300, 500), GREEN), ((700, 1500), BLUE), ((2300, 1500), YELLOW)):
        np.testing.assert_allclose(at(on_picture, view, *place), [*color, 255], atol=6)
    np.testing.assert_allclose(at(on_picture, view, 100, 100)[:3], (70, 110, 160), atol=6)  # a spot, above
    # A spot of 100 units is as wide as 100 units are.
    left, right, bottom, top = view
    line = np.array(on_picture).reshape(400, 400, 4)[int(400 * (top - 100) / (top - bottom)), :200, :3]
    wide = (np.abs(line - np.array((70, 110, 160))).max(axis=1) < 40).sum()
    assert wide == pytest.approx(100 * 400 / (right - left), abs=2)


def test_nothing_of_the_image_is_asked_for_until_it_is_shown_and_no_more_than_once_for_one_picture(page: Any) -> None:
    kinds = opened(
        page,
        """const tissues = () => asked(w.model).filter(({ kind }) => kind === "tissue").length;
        await sleep(400);
        const before = tissues();
        w.model.set("tissue", "V1/hires");
        await shown();
        await sleep(400);
        const once = tissues();
        w.model.set("tissue_opacity", 0.5);
        await frame();
        await frame();
        const faded = pixels(under)[4 * (100 * 400 + 60) + 3];
        w.model.set("tissue", null);
        await frame();
        await frame();
        return [before, once, faded, under.hidden, tissues()];""",
        tissue=None,
    )
    assert kinds[:2] == [0, 1]
    assert kinds[2] == pytest.approx(128, abs=1)
    assert kinds[3:] == [True, 1]
