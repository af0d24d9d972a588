"""Without WebGL or without a kernel, and the pictures that are kept."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser

GREEN = [0, 255, 0]
WHITE = [255, 255, 255]


def test_without_webgl_the_kernel_draws_and_the_picture_moves_at_once(page: Any) -> None:
    found = run(
        page,
        """globalThis.__CXG_NO_WEBGL__ = true;
        const answer = async (content, model) => {
          const { kind, id, view, width, height } = content;
          if (kind !== "draw") return;
          const canvas = new OffscreenCanvas(width, height);
          const context = canvas.getContext("2d");
          context.fillStyle = "#00ff00";
          context.fillRect(0, 0, width, height);
          const png = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
          model.say({ kind: "picture", id, view, width, height }, { png });
        };
        const w = open_({ answer });
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const found = [w.widget.store.get().drawnBy, pixel(w, 10, 10)];
        const away = new WheelEvent("wheel", { deltaY: 300, clientX: 200, clientY: 200, cancelable: true });
        w.plot.element.dispatchEvent(away);
        found.push(pixel(w, 10, 10));
        await sleep(600);
        await ready(w);
        return [...found, pixel(w, 10, 10), (await w.plot.png(2)).size > 0];""",
    )
    assert found == ["kernel", GREEN, WHITE, GREEN, True]


def test_without_webgl_axes_with_units_of_their_own_ask_for_all_that_the_plot_has_room_for(page: Any) -> None:
    views, size, hover = run(
        page,
        """globalThis.__CXG_NO_WEBGL__ = true;
        const asked = [];
        const answer = (content) => void (["draw", "hover"].includes(content.kind) && asked.push(content));
        const w = open_({ answer });
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0, 200], [60, 2000]], extent: [0, 60, 200, 2000], labels: ["time (min)", "m/z"] });
        await sleep(400);
        w.widget.actions.setTrait("view", [10, 20, 300, 310]);
        const at = new PointerEvent("pointermove", { clientX: 100, clientY: 100, bubbles: true });
        w.plot.element.dispatchEvent(at);
        await sleep(400);
        const view = JSON.parse(w.host.dataset.cxgView);
        const { width, height } = w.plot.element.getBoundingClientRect();
        return [[asked[0].view, view], [width, height], asked.find(({ kind }) => kind === "hover")];""",
    )
    assert views[0] == pytest.approx([-2.4, 62.4, 128, 2072])
    assert views[1] == pytest.approx([10, 20, 300, 310])
    assert hover["radius_x"] / (10 / size[0]) == pytest.approx(hover["radius_y"] / (10 / size[1]))
    assert [hover["x"], hover["y"]] == pytest.approx([10 + 100 / size[0] * 10, 310 - 100 / size[1] * 10])


def test_the_kept_picture_shows_where_no_kernel_answers(page: Any) -> None:
    found = run(
        page,
        """const canvas = document.createElement("canvas");
        const png = canvas.toDataURL("image/png").split(",")[1];
        document.body.insertAdjacentHTML("beforeend", "<p class='cxg-static-abc'>stand-in</p>");
        const w = open_({ traits: { _snapshot: { id: "abc", png, width: 30, height: 20 } } });
        const hidden = getComputedStyle(document.querySelector(".cxg-static-abc")).display;
        const shown = w.host.querySelector("img") !== null;
        await sleep(8_300);
        const { link } = w.widget.store.get();
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        return [hidden, shown, link, w.widget.store.get().link, w.host.querySelector("img")];""",
    )
    assert found == ["none", True, "offline", "live", None]


def test_a_settled_picture_is_handed_over_once(page: Any) -> None:
    first, second, size = run(
        page,
        """const w = open_();
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const count = () => w.model.saved.filter(({ _snapshot }) => _snapshot?.png);
        await sleep(2_200);
        const first = count().length;
        await sleep(2_000);
        return [first, count().length, count()[0]._snapshot];""",
    )
    assert (first, second) == (1, 1)
    assert (size["width"], size["height"]) == (400, 400)
    assert base64.b64decode(size["png"]).startswith(b"\x89PNG")


def test_a_png_has_the_size_asked_for_and_the_background(page: Any) -> None:
    assert run(
        page,
        """const w = open_({ dark: true });
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const image = await createImageBitmap(await w.plot.png(2));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data];
        return [image.width, image.height, at(3, 3), at(400, 400)];""",
    ) == [800, 800, [17, 17, 17, 255], [120, 165, 215, 255]]


def test_no_cell_at_all_is_a_finished_picture(page: Any) -> None:
    assert (
        run(
            page,
            """const w = open_();
        sendColor(w.model, { scale: "none", n: 0 });
        sendPoints(w.model, { xy: [], extent: [0, 0, 0, 0] });
        await ready(w);
        return w.host.dataset.cxgDrawn;""",
        )
        == "0"
    )
