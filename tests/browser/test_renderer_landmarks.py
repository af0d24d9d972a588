"""Names and contours over the points: the same over images and in saved pictures, and never in the way of a hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import ndimage

from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.browser.engine import run, serve
from tests.memory import small

pytestmark = pytest.mark.browser

OPEN = """hasten();
    const w = open_({ traits: { labels: "cell_type", contours: "cell_type" }, dark: DARK, answer: byKernel });
    w.widget.store.set({ landmarks: createLandmarks });
    await ready(w);
    const overlay = w.host.querySelector(".cxg-landmarks");
    while (!/^Names of .+Contours/.test(overlay.getAttribute("aria-label") ?? "")) await sleep(10);
    await frame();
    const ink = () => [...overlay.getContext("2d").getImageData(0, 0, overlay.width, overlay.height).data];"""


@pytest.fixture
def drawn_by() -> str:
    """Who draws the points has no say in what lies over them."""
    return "cpu"


def opened(page: Any, body: str, *, dark: bool = False, **settings: Any) -> Any:
    serve(page, Session(small(3000), Settings(embedding="umap", color="cell_type", **settings)))
    return run(page, OPEN.replace("DARK", str(dark).lower()) + body)


def test_over_points_and_over_an_image_lies_the_same(page: Any) -> None:
    told, over_points = opened(page, "return [overlay.getAttribute('aria-label'), ink()];")
    names, contours = told.removeprefix("Names of cell_type: ").split(". ")
    assert set(names.split(", ")) == {"T cell", "B cell", "<img src=x onerror=alert(1)>"}
    assert contours == "Contours around each cell_type."
    assert page.locator("img").count() == 0
    assert sum(value > 0 for value in over_points[3::4]) > 2000
    run(page, "renew();")
    assert opened(page, "return ink();", render="raster") == over_points


@pytest.mark.parametrize("dark", [False, True])
def test_a_saved_picture_has_them_where_the_screen_has_them(page: Any, dark: bool) -> None:
    differing, on_screen = opened(
        page,
        """const picture = async () => {
          const image = await createImageBitmap(await w.plot.png(1));
          const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        };
        const lies = await picture();
        const shown = ink();
        w.model.set("labels", null);
        w.model.set("contours", null);
        await frame();
        const bare = await picture();
        const places = (test) => Array.from({ length: shown.length / 4 }, (_, i) => i).filter(test);
        const differs = (i) => [0, 1, 2].some((one) => Math.abs(lies[4 * i + one] - bare[4 * i + one]) > 8);
        return [places(differs), places((i) => shown[4 * i + 3] > 0)];""",
        dark=dark,
    )
    assert len(differing) > 1000
    assert set(differing) <= set(on_screen)


def test_a_click_on_a_name_selects_its_category_and_a_drag_or_the_wheel_moves_the_plot(page: Any) -> None:
    asked = opened(
        page,
        """const { element } = w.plot;
        const { labels } = w.widget.store.get();
        const view = JSON.parse(w.host.dataset.cxgView);
        const [x0, x1, y0, y1] = labels.extent;
        const at = [x0 + (x1 - x0) * labels.arrays.xy[0] / 65534, y0 + (y1 - y0) * labels.arrays.xy[1] / 65534];
        const x = 400 * (at[0] - view[0]) / (view[1] - view[0]);
        const y = 400 * (view[3] - at[1]) / (view[3] - view[2]);
        const { left, top } = element.getBoundingClientRect();
        const say = (Event, type, dx = 0, more = {}) => element.dispatchEvent(new Event(
          type, { clientX: left + x + dx, clientY: top + y, button: 0, pointerId: 1, bubbles: true, ...more }));
        element.setPointerCapture = () => {};
        const chosen = () => asked(w.model).filter(({ kind }) => kind === "category");
        const kinds = () => chosen().map(({ color, code, mode }) => [color, code, mode]);
        say(PointerEvent, "pointerdown"), say(PointerEvent, "pointerup");
        say(MouseEvent, "click", 0, { shiftKey: true });
        say(PointerEvent, "pointerdown"), say(PointerEvent, "pointermove", 40, { buttons: 1 });
        say(PointerEvent, "pointerup", 40), say(MouseEvent, "click", 40);
        const moved = w.host.dataset.cxgView;
        say(PointerEvent, "pointermove", 40);
        await sleep(400);
        say(WheelEvent, "wheel", 40, { deltaY: -100, ctrlKey: true });
        await frame();
        return [kinds(), labels.codes[0], JSON.stringify(view) !== moved, moved !== w.host.dataset.cxgView];""",
    )
    assert asked == [[["obs:cell_type", asked[1], "add"]], asked[1], True, True]


SETS = (
    {"name": "t", "rule": {"obs": "cell_type", "in": ["T cell"]}},
    {"name": "<b>rest</b>", "rule": {"not": {"obs": "cell_type", "in": ["T cell"]}}},
)


def compared(page: Any, body: str, *, dark: bool = False, **settings: Any) -> Any:
    session = Session(small(3000), Settings(embedding="umap", color="cell_type", sets=SETS, **settings))
    session.settings = session.settings
    serve(page, session)
    opening = OPEN.replace("DARK", str(dark).lower()).replace("^Names of .+Contours", "^Difference")
    named = 'difference: ["t", "<b>rest</b>"], steps: { undo: "", redo: "", n: 1 }'
    return run(page, opening.replace('labels: "cell_type", contours: "cell_type"', named) + body)


@pytest.mark.parametrize("dark", [False, True])
def test_the_difference_of_two_sets_lies_the_same_over_points_and_over_an_image_in_its_colors(
    page: Any, dark: bool
) -> None:
    body = """const { difference } = w.widget.store.get();
        const { arrays, ...about } = difference;
        return [overlay.getAttribute("aria-label"), ink(), about, [...arrays.codes], [...arrays.COLORS],
          JSON.parse(w.host.dataset.cxgView)];""".replace("COLORS", "dark_colors" if dark else "colors")
    told, over_points, about, codes, colors, view = compared(page, body, dark=dark)
    assert told.startswith("Difference: log2 density ratio of t (")
    assert page.locator("b").count() == 0
    pixels = np.array(over_points).reshape(400, 400, 4)[..., :3].astype(int)
    lines, columns = about["shape"]
    x0, x1, y0, y1 = about["extent"]
    left, right, bottom, top = view
    plane, table = np.array(codes).reshape(lines, columns), np.array(colors).reshape(255, 3)
    off = []
    for line, column in np.argwhere(ndimage.binary_erosion(plane < 255, iterations=3)):
        x, y = x0 + (column + 0.5) / columns * (x1 - x0), y0 + (line + 0.5) / lines * (y1 - y0)
        at = int(400 * (top - y) / (top - bottom)), int(400 * (x - left) / (right - left))
        off.append(np.abs(pixels[at] - table[plane[line, column]]).max())
    assert len(off) > 500
    assert np.quantile(off, 0.95) < 24
    run(page, "renew();")
    assert compared(page, body, dark=dark, render="raster")[1] == over_points


def test_of_two_columns_the_plot_tells_how_many_lie_at_zero(page: Any) -> None:
    dataset = small(3000)
    pair = ("var:CD3E", "var:MS4A1")
    zeros = dataset.embedding(pair) == 0
    n, (n_x, n_y) = int(zeros.all(axis=1).sum()), zeros.sum(axis=0)
    serve(page, Session(dataset, Settings(embedding=pair, color="cell_type")))
    told, inked, away = run(
        page,
        f"""const w = open_({{ traits: {{ embedding: {list(pair)} }}, answer: byKernel }});
        w.widget.store.set({{ landmarks: createLandmarks }});
        await ready(w);
        const overlay = w.host.querySelector(".cxg-landmarks");
        while (!overlay.getAttribute("aria-label")) await sleep(10);
        await frame();
        const ink = () => overlay.getContext("2d").getImageData(0, 0, overlay.width, overlay.height).data;
        const told = overlay.getAttribute("aria-label");
        const inked = ink().filter((value, i) => i % 4 === 3 && value > 0).length;
        w.model.set("view", [1, 2, 1, 2]);
        await ready(w);
        await frame();
        return [told, inked, ink().some((value) => value > 0)];""",
    )
    counted = f"{n:,} of 3,000 cells lie at (0, 0), {n_x:,} at CD3E = 0, {n_y:,} at MS4A1 = 0."
    assert told == f"{counted} Bars along 0 show how the cells at 0 are distributed."
    assert inked > 500
    assert not away


@pytest.mark.parametrize("render", ["points", "raster"])
def test_bars_beside_a_line_at_zero_are_as_long_as_cells_there_are_many(page: Any, render: str) -> None:
    dataset = small(3000)
    pair = ("obs:n_counts", "var:MS4A1")
    x, y = dataset.embedding(pair).T
    serve(page, Session(dataset, Settings(embedding=pair, color="cell_type", render=render)))
    pixels, width, view = run(
        page,
        f"""const w = open_({{ traits: {{ embedding: {list(pair)}, render: "{render}" }}, answer: byKernel }});
        w.widget.store.set({{ landmarks: createLandmarks }});
        await ready(w);
        const overlay = w.host.querySelector(".cxg-landmarks");
        while (!overlay.getAttribute("aria-label")) await sleep(10);
        await frame();
        const {{ width, height }} = overlay;
        const ink = overlay.getContext("2d").getImageData(0, 0, width, height).data;
        return [[...ink.filter((_, i) => i % 4 === 3)], width, JSON.parse(w.host.dataset.cxgView)];""",
    )
    inked = np.array(pixels).reshape(-1, width) > 60
    left, right, bottom, top = view
    line = len(inked) * top / (top - bottom)  # px from the top at which y is 0
    along = x[(y == 0) & (left <= x) & (x <= right)]
    bars = np.bincount(((along - left) / (right - left) * width // 3).astype(int), minlength=-(-width // 3))
    origin = int((0 - left) / (right - left) * width // 3)
    most = np.delete(bars, origin).max() if 0 <= origin < len(bars) else bars.max()
    expected = np.minimum(bars / most, 1) * min(30, len(inked) - line - 2)
    drawn = inked[int(np.ceil(line + 2)) :, 1::3].sum(axis=0)[: len(expected)]
    assert bars.sum() > 1000
    assert (expected > 5).sum() > 12
    assert np.quantile(np.abs(drawn - expected[: len(drawn)]), 0.95) <= 2
