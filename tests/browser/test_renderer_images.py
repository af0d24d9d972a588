"""Pictures of all cells, which the kernel makes and the front-end colors and moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cxg_widget.color.colormaps import COLORMAPS
from cxg_widget.color.rgb import hex_rgb
from tests.browser.engine import run

pytestmark = pytest.mark.browser

RED = [255, 0, 0]
GREEN = [0, 255, 0]
BLUE = [0, 0, 255]
MISSING = [205, 205, 205]


# Waits for each question in turn; `asked` holds them.
SURVEY = """const asked = [], answers = [];
    const answer = (ask, model) => ask.kind === "aggregate" && (asked.push(ask), answers.shift()?.(ask, model));
    const until = async (n) => { while (asked.length < n) await sleep(5); };"""


def test_numbers_have_exactly_the_colors_of_the_colormap(page: Any) -> None:
    codes = [0, 128, 129, 20_000, 65_534, 65_535]
    bands = [[code >> 8, code & 255, 255, 255] for code in codes]
    stops = np.array([hex_rgb(color) for color in COLORMAPS["viridis"]], dtype=float)
    at = np.array(codes[:-1]) / 65_534 * 255
    table = [np.interp(np.arange(256) / 255 * (len(stops) - 1), np.arange(len(stops)), stops[:, i]) for i in range(3)]
    expected = [[round(float(table[i][int(one + 0.5)])) for i in range(3)] for one in at] + [MISSING]
    found = run(
        page,
        f"""{SURVEY}
        answers.push((ask, model) => sendImage(model, ask, {{ bands: {bands}, content: "numbers" }}));
        const w = open_({{ answer }});
        sendColor(w.model, {{ scale: "continuous", codes: Uint16Array.from([9]) }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated: true }});
        await ready(w);
        return {list(range(len(codes)))}.map((i) => pixel(w, (400 * (i + 0.5)) / {len(codes)}, 200));""",
    )
    np.testing.assert_allclose(found, expected, atol=1)


def test_colors_are_those_of_the_image_and_let_the_page_through(page: Any) -> None:
    bands = [[230, 159, 0, 255], [1, 2, 3, 255], [200, 100, 50, 128], [9, 9, 9, 0]]
    found = run(
        page,
        f"""{SURVEY}
        answers.push((ask, model) => sendImage(model, ask, {{ bands: {bands} }}));
        const w = open_({{ answer }});
        sendColor(w.model, {{ scale: "categorical", codes: Uint8Array.from([0]), colors: ["#ff0000"] }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated: true }});
        await ready(w);
        return [50, 150, 250, 350].map((x) => pixel(w, x, 200));""",
    )
    expected = [[c * a / 255 + 255 * (1 - a / 255) for c in (r, g, b)] for r, g, b, a in bands]
    np.testing.assert_allclose(found, expected, atol=1.5)


def test_an_image_moves_with_the_camera_and_points_show_only_beside_it(page: Any) -> None:
    inside, point_in, point_out, n_asked = run(
        page,
        f"""{SURVEY}
        answers.push((ask, model) => sendImage(model, ask, {{ bands: [[0, 0, 255, 255]], view: [0, 0.5, 0, 1] }}));
        const w = open_({{ traits: {{ view: [0, 1, 0, 1] }}, answer }});
        sendColor(w.model, {{ scale: "categorical", codes: Uint8Array.from([0, 0]), colors: ["#ff0000"] }});
        sendPoints(w.model, {{ xy: [[0.25, 0.5], [0.75, 0.5]], aggregated: true }});
        await until(1);
        await sleep(300);
        w.model.set("view", [0.2, 1.2, 0, 1]); // of which no answer comes
        await until(2);
        await sleep(300);
        return [pixel(w, 100, 100), pixel(w, 20, 200), pixel(w, 220, 200), asked.length];""",
    )
    assert inside == BLUE
    assert point_in == BLUE  # the point is where the image is
    assert point_out == RED
    assert n_asked == 2


def test_an_image_is_asked_for_without_the_highlight_of_a_category_that_is_hidden(page: Any) -> None:
    found = run(
        page,
        f"""{SURVEY}
        const image = (ask, model) => sendImage(model, ask, {{ bands: [[0, 0, 255, 255]] }});
        answers.push(image, image, image, image);
        const w = open_({{ answer }});
        sendColor(w.model, {{ scale: "categorical", codes: Uint8Array.from([0, 1]), colors: ["#ff0000", "#0000ff"] }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5], [0.25, 0.5]], aggregated: true }});
        await ready(w);
        w.widget.actions.highlight(1);
        await until(2), await ready(w);
        w.widget.actions.toggleCategory(1);
        await until(3), await ready(w);
        w.widget.actions.toggleCategory(1);
        await until(4), await ready(w);
        return asked.map((ask) => [ask.highlighted, ask.hidden.length]);""",
    )
    assert found == [[-1, 0], [1, 0], [-1, 1], [1, 0]]


def test_what_the_picture_is_made_of_is_known_and_that_a_view_is_empty(page: Any) -> None:
    points, image = run(
        page,
        f"""{SURVEY}
        const told = async (w) => (await ready(w), Object.values(w.widget.store.get().inView).join(" "));
        const views = async (w) => {{
          const found = [await told(w)];
          for (const view of [[5, 6, 5, 6], null]) {{
            w.model.set("view", view);
            found.push(await told(w));
          }}
          return found;
        }};
        const made = (aggregated) => {{
          const w = open_({{ answer }});
          sendColor(w.model, {{ scale: "categorical", codes: Uint8Array.from([0]), colors: ["#ff0000"] }});
          sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated }});
          return w;
        }};
        const found = [await views(made(false))];
        for (const n_inside of [9, 0, 9]) {{
          answers.push((ask, model) => sendImage(model, ask, {{ bands: [[0, 0, 255, 255]], n_inside }}));
        }}
        return [...found, await views(made(true))];""",
    )
    assert points == ["points ", "points nothing", "points "]
    assert image == ["image ", "image nothing", "image "]


def test_an_image_of_another_coloring_is_never_shown(page: Any) -> None:
    found, drawn = run(
        page,
        f"""{SURVEY}
        answers.push((ask, model) => sendImage(model, ask, {{ bands: [[0, 0, 255, 255]], seq: seqs.color - 1 }}));
        answers.push((ask, model) => sendImage(model, ask, {{ bands: [[0, 255, 0, 255]], n_inside: 7 }}));
        const w = open_({{ answer }});
        sendColor(w.model, {{ scale: "categorical", codes: Uint8Array.from([0]), colors: ["#ff0000"] }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated: true }});
        const seen = [];
        for (let i = 0; i < 400 && asked.length < 2; i++) {{
          await sleep(10);
          seen.push(String(pixel(w, 100, 100)));
        }}
        await ready(w);
        return [[...new Set(seen), String(pixel(w, 100, 100))], w.host.dataset.cxgDrawn];""",
    )
    assert "0,0,255" not in found
    assert found[-1] == "0,255,0"
    assert drawn == "7"


def test_where_the_kernel_draws_no_image_the_points_stay_and_it_is_said_once(page: Any) -> None:
    center, n_asked, message = run(
        page,
        f"""{SURVEY}
        const refusal = {{ kind: "error", of: "aggregate", type: "E", message: "no" }};
        answers.push((ask, model) => model.say({{ ...refusal, id: ask.id }}));
        const w = open_({{ answer }});
        sendColor(w.model, {{ scale: "categorical", codes: Uint8Array.from([0]), colors: ["#ff0000"] }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated: true }});
        await ready(w);
        w.widget.actions.dismissError();
        await sleep(500);
        return [pixel(w, 200, 200), asked.length, w.widget.store.get().error];""",
    )
    assert (center, n_asked, message) == (RED, 1, None)


def test_a_png_of_an_image_has_pixels_of_its_own(page: Any) -> None:
    size, question, left, right = run(
        page,
        f"""{SURVEY}
        answers.push((ask, model) => sendImage(model, ask, {{ bands: [[0, 0, 255, 255]] }}));
        answers.push((ask, model) => sendImage(model, ask, {{ bands: [[255, 0, 0, 255], [0, 255, 0, 255]] }}));
        const w = open_({{ answer }});
        sendColor(w.model, {{ scale: "none", n: 1 }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated: true }});
        await ready(w);
        const image = await createImageBitmap(await w.plot.png(3));
        const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
        context.drawImage(image, 0, 0);
        const at = (x, y) => [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
        const {{ width, height, diameter }} = asked[1];
        return [[image.width, image.height], [width, height, diameter], at(300, 600), at(900, 600)];""",
    )
    assert size == [1200, 1200]
    assert question == [1200, 1200, 24]
    assert (left, right) == (RED, GREEN)


def test_a_plot_without_room_asks_for_nothing(page: Any) -> None:
    assert (
        run(
            page,
            f"""{SURVEY}
        answers.push((ask, model) => sendImage(model, ask, {{ bands: [[0, 0, 255, 255]] }}));
        const w = open_({{ answer }});
        sendColor(w.model, {{ scale: "none", n: 1 }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated: true }});
        await ready(w);
        w.host.style.display = "none";
        await sleep(100);
        w.widget.actions.highlight(0);
        w.plot.setTheme({{ background: [17, 17, 17], foreground: [226, 229, 233], dark: true }});
        await sleep(300);
        return asked.length;""",
        )
        == 1
    )


@pytest.mark.parametrize("drawn_by", ["gpu"], indirect=True)
def test_closing_gives_back_what_was_taken(page: Any) -> None:
    left = run(
        page,
        """forgetCard();
        let buffers = 0;
        for (const kind of ["Buffer", "Framebuffer", "VertexArray", "Texture", "Renderbuffer"]) {
          for (const [verb, step] of [["create", 1], ["delete", -1]]) {
            replace(WebGL2RenderingContext.prototype, verb + kind, (inner) => function (what) {
              if (step > 0 || what !== null) buffers += step;
              return inner.call(this, what);
            });
          }
        }
        const w = open_();
        sendColor(w.model, { scale: "categorical", codes: Uint8Array.from([0]), colors: ["#ff0000"] });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        sendSelection(w.model, [1]);
        await ready(w);
        const held = buffers;
        w.close();
        return [held > 5, buffers];""",
    )
    assert left == [True, 0]
