"""What the axes measure, at the edges of the plot and of the pictures that are saved; the engine alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser


@pytest.fixture
def drawn_by() -> str:
    """Who draws has no say in what lies beside the points."""
    return "cpu"


NASTY = "<img src=x onerror=window.hacked=1>"
OPEN = """hasten();
    const w = open_({{ width: {width}, height: {height}, dark: {dark} }});
    sendColor(w.model, {{ scale: "none", n: 2 }});
    sendPoints(w.model, {{ xy: [[0, 200], [60, 2000]], extent: [0, 60, 200, 2000], labels: {labels} }});
    await ready(w);"""


def opened(*labels: str, width: int = 600, height: int = 400, dark: str = "false") -> str:
    return OPEN.format(width=width, height=height, dark=dark, labels=list(labels))


def test_names_are_text_and_shortened_where_they_are_too_long(page: Any) -> None:
    found = run(
        page,
        opened(NASTY, "long " * 60) + "return [...w.host.querySelectorAll('.name')].map((one) => one.textContent);",
    )
    assert found[0] == NASTY
    assert found[1].startswith("long long ")
    assert found[1].endswith("…")
    assert len(found) == 2
    assert page.evaluate("() => window.hacked") is None


def test_what_is_written_lies_beside_the_points_and_not_on_itself(page: Any) -> None:
    """By the boxes of the browser's own font, where the layout reckons with an average one."""
    boxes = np.array(
        run(
            page,
            opened("retention time (min)", "m/z")
            + """const { left, top } = w.host.getBoundingClientRect();
            return [w.plot.element, ...w.host.querySelectorAll(".axis text")].map((one) => one.getBoundingClientRect())
              .map((box) => [box.left - left, box.top - top, box.right - left, box.bottom - top]);""",
        )
    )
    assert len(boxes) >= 9
    assert boxes.min() >= 0
    assert boxes[0, 2] - boxes[0, 0] > 500
    assert boxes[:, 2].max() <= 600
    assert boxes[:, 3].max() <= 400
    for i, a in enumerate(boxes):
        for b in boxes[i + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)


@pytest.mark.parametrize("view", ["null", "[10, 12, 300, 400]"])
def test_the_canvas_ends_where_the_view_does_and_points_are_drawn_nowhere_else(page: Any, view: str) -> None:
    """`w.view` is what lies between the axes, to the pixel, however near the lowest points are to the numbers."""
    edges, canvas, plot = run(
        page,
        opened("time (min)", "m/z")
        + f"""w.model.set("view", {view});
        await ready(w);
        const box = (one) => ["left", "top", "right", "bottom"].map((edge) => one.getBoundingClientRect()[edge]);
        return [JSON.parse(w.host.dataset.cxgView), box(w.canvas), box(w.plot.element)];""",
    )
    assert edges == pytest.approx(json.loads(view) or [-2.4, 62.4, 200 - 72, 2000 + 72])
    assert canvas == pytest.approx(plot, abs=1)
    assert plot[0] > 20
    assert plot[3] < 400 - 20


@pytest.mark.parametrize("labels", [(), ("time (min)", "m/z")])
def test_axes_without_names_and_low_plots_leave_all_room_to_the_points(page: Any, labels: tuple[str, ...]) -> None:
    height = 149 if labels else 400
    n_axes, *size = run(
        page,
        opened(*labels, height=height)
        + "return [w.host.querySelectorAll('.axis').length, w.canvas.clientWidth, w.canvas.clientHeight];",
    )
    assert [n_axes, *size] == [0, 600, height]


def test_axes_come_and_go_with_the_points(page: Any) -> None:
    counts = run(
        page,
        opened("time (min)", "m/z")
        + """const count = () => w.host.querySelectorAll(".axis text").length;
        const counts = [count()];
        sendPoints(w.model, { xy: [[0.2, 0.3], [0.7, 0.6]] });
        await ready(w);
        counts.push(count());
        sendPoints(w.model, { xy: [[1, 2], [3, 4]], extent: [1, 3, 2, 4], labels: ["a", "b"] });
        await ready(w);
        return [...counts, count()];""",
    )
    assert counts[1] == 0
    assert min(counts[0], counts[2]) >= 6


PICTURES = {
    "downloaded": "const scale = 2; const picture = () => w.plot.png(scale);",
    "kept in the notebook": """const scale = 1;
        const picture = async () => {
          const kept = () => w.model.saved.at(-1)?._snapshot?.png;
          while (!kept()) await sleep(20);
          const bytes = Uint8Array.from(atob(kept()), (letter) => letter.charCodeAt(0));
          w.model.saved.length = 0;
          return new Blob([bytes]);
        };""",
}


@pytest.mark.parametrize("dark", ["false", "true"])
@pytest.mark.parametrize("kind", PICTURES)
def test_a_saved_picture_has_the_axes_where_the_screen_has_them(page: Any, kind: str, dark: str) -> None:
    """Each text of the screen has ink in the picture, at its place; without axes there is none."""
    told = run(
        page,
        opened("retention time (min)", "m/z", dark=dark)
        + PICTURES[kind]
        + """const { left, top } = w.host.getBoundingClientRect();
        const boxes = [...w.host.querySelectorAll(".axis text")].map((one) => one.getBoundingClientRect());
        const inked = async () => {
          const image = await createImageBitmap(await picture());
          const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
          pen.drawImage(image, 0, 0);
          return boxes.map((box) => {
            const [x, y] = [box.left - left, box.top - top].map((one) => Math.floor(one * scale));
            const { data } = pen.getImageData(x, y, Math.ceil(box.width * scale), Math.ceil(box.height * scale));
            let most = 0;
            for (let i = 0; i < data.length; i += 4) most = Math.max(most, Math.abs(data[i] - w.background[0]));
            return most;
          });
        };
        const withAxes = await inked();
        sendPoints(w.model, { xy: [[0, 0], [1, 1]] });
        await ready(w);
        return [withAxes, await inked()];""",
    )
    with_axes, without = told
    assert len(with_axes) >= 8
    assert min(with_axes) > 60
    assert sum(ink > 60 for ink in without) <= 1  # a point may lie where a word was


@pytest.mark.parametrize("drawn_by", ["gpu", "cpu"])
@pytest.mark.parametrize("kind", PICTURES)
def test_a_saved_picture_has_its_points_where_the_screen_has_them(page: Any, kind: str) -> None:
    told = run(
        page,
        """hasten();
        const w = open_({ width: 600, height: 400, traits: { point_size: 12 } });
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[30, 1100]], extent: [0, 60, 200, 2000], labels: ["time", "m/z"] });
        await ready(w);"""
        + PICTURES[kind]
        + """const image = await createImageBitmap(await picture());
        const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
        pen.drawImage(image, 0, 0);
        const plot = w.plot.element.getBoundingClientRect();
        const { left, top } = w.host.getBoundingClientRect();
        const at = (dx) => [...pen.getImageData(Math.round((plot.left - left + plot.width / 2 + dx) * scale),
          Math.round((plot.top - top + plot.height / 2) * scale), 1, 1).data].slice(0, 3);
        return [image.width / scale, image.height / scale, at(0), at(-8), at(8)];""",
    )
    width, height, middle, left, right = told
    assert [width, height] == [600, 400]
    assert max(middle) < 250 or min(middle) < 200
    assert left == right == [255, 255, 255]
