"""The laws of the picture, read off pixels: the engine alone on a page that plays the kernel (renderer.js)."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pytest

from cxg_widget.colormaps import COLORMAPS
from cxg_widget.raster import hex_rgb
from tests.browser.engine import run

pytestmark = pytest.mark.browser

RED, GREEN, BLUE = [255, 0, 0], [0, 255, 0], [0, 0, 255]
WHITE = [255, 255, 255]
MISSING = [205, 205, 205]


# --- what lies on top -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 8])
@pytest.mark.parametrize("order", ["[0, 65534]", "[65534, 0]"])
def test_higher_values_lie_on_top_whatever_the_order(page: Any, size: int, order: str) -> None:
    low, high = [68, 1, 84], [253, 231, 37]  # the two ends of viridis
    found = run(
        page,
        f"""const w = open_({{ traits: {{ point_size: {size} }} }});
        sendColor(w.model, {{ scale: "continuous", codes: Uint16Array.from({order}) }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5], [0.5, 0.5]] }});
        await ready(w);
        return pixel(w, 200, 200);""",
    )
    assert found == high
    assert found != low


@pytest.mark.parametrize("size", [2, 8])
@pytest.mark.parametrize("scale", ["continuous", "categorical"])
def test_missing_values_lie_underneath_in_grey(page: Any, scale: str, size: int) -> None:
    make = "Uint16Array" if scale == "continuous" else "Uint8Array"
    missing = 65535 if scale == "continuous" else 255
    found = run(
        page,
        f"""const w = open_({{ traits: {{ point_size: {size} }} }});
        sendColor(w.model, {{ scale: "{scale}", codes: {make}.from([0, {missing}, {missing}]), colors: ["#ff0000"] }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5], [0.5, 0.5], [0.25, 0.5]] }});
        await ready(w);
        return [pixel(w, 200, 200), pixel(w, place(0.25), 200)];""",
    )
    assert found == [[68, 1, 84] if scale == "continuous" else RED, MISSING]


def test_a_highlighted_category_lies_on_top_of_the_others_which_are_dimmed(page: Any) -> None:
    above, beside, after = run(
        page,
        """const w = open_();
        sendColor(w.model, { scale: "categorical", codes: Uint8Array.from([0, 1, 1]), colors: ["#ff0000", "#0000ff"] });
        sendPoints(w.model, { xy: [[0.5, 0.5], [0.5, 0.5], [0.25, 0.5]] });
        await ready(w);
        w.widget.actions.highlight(0);
        await ready(w);
        const found = [pixel(w, 200, 200), pixel(w, place(0.25), 200)];
        w.widget.actions.highlight(-1);
        await ready(w);
        return [...found, pixel(w, 200, 200)];""",
    )
    assert above == RED
    assert beside[2] == 255
    assert min(beside) > 200
    assert after == BLUE


def test_a_selection_dims_the_rest_and_lies_on_top(page: Any) -> None:
    before, on_top, rest, cleared = run(
        page,
        """const w = open_();
        sendColor(w.model, { scale: "categorical", codes: Uint8Array.from([0, 1, 1]), colors: ["#ff0000", "#0000ff"] });
        sendPoints(w.model, { xy: [[0.5, 0.5], [0.5, 0.5], [0.25, 0.5]] });
        await ready(w);
        const found = [pixel(w, 200, 200)];
        sendSelection(w.model, [1, 0, 0]);
        await ready(w);
        found.push(pixel(w, 200, 200), pixel(w, place(0.25), 200));
        sendSelection(w.model, [0, 0, 0]);
        await ready(w);
        return [...found, pixel(w, 200, 200)];""",
    )
    assert before == cleared == BLUE
    assert on_top == RED
    assert rest == [214, 214, 255]  # 16 % of the blue on white


# --- what is not drawn ----------------------------------------------------------------------------------------------


def test_points_without_coordinates_are_not_drawn(page: Any) -> None:
    lit = run(
        page,
        """const w = open_();
        sendColor(w.model, { scale: "none", n: 3 });
        sendPoints(w.model, { xy: [[NaN, 0.5], [0.5, Infinity], [NaN, NaN]] });
        await ready(w);
        return [pixels(w).filter((_, i) => i % 4 === 3).some((alpha) => alpha > 0), w.host.dataset.cxgDrawn];""",
    )
    assert lit == [False, "3"]


def test_hidden_categories_are_not_drawn_and_come_back(page: Any) -> None:
    found = run(
        page,
        """const w = open_();
        const codes = Uint8Array.from([0, 1, 255]);
        sendColor(w.model, { scale: "categorical", codes, colors: ["#ff0000", "#0000ff"] });
        sendPoints(w.model, { xy: [[0.25, 0.5], [0.75, 0.5], [0.5, 0.75]] });
        await ready(w);
        const look = () => [pixel(w, place(0.25), 200), pixel(w, place(0.75), 200), pixel(w, 200, place(0.25))];
        const found = [look()];
        w.widget.actions.toggleCategory(0);
        await ready(w);
        found.push(look());
        w.widget.actions.setTrait("hidden", ["category 1", "(missing)"]);
        await ready(w);
        found.push(look());
        w.widget.actions.showAll();
        await ready(w);
        return [...found, look()];""",
    )
    everything = [RED, BLUE, MISSING]
    assert found == [everything, [WHITE, BLUE, MISSING], [RED, WHITE, WHITE], everything]


# --- colours --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3, 5])
def test_categories_have_exactly_their_colours(page: Any, size: int) -> None:
    """1,101 categories, each at a place of its own."""
    wrong = run(
        page,
        f"""const w = open_({{ traits: {{ point_size: {size} }} }});
        const k = 1101, columns = 34;
        const hex = (i) => "#" + ((i * 2654435761) >>> 8).toString(16).padStart(6, "0").slice(-6);
        const colors = Array.from({{ length: k }}, (_, i) => hex(i));
        const xy = colors.map((_, i) => [(i % columns) / 33, Math.floor(i / columns) / 33]);
        sendColor(w.model, {{ scale: "categorical", codes: Uint16Array.from(colors, (_, i) => i), colors }});
        sendPoints(w.model, {{ xy }});
        await ready(w);
        return colors.filter((color, i) => {{
          const [r, g, b] = pixel(w, place(xy[i][0]), 400 - place(xy[i][1]));
          return color !== "#" + [r, g, b].map((one) => one.toString(16).padStart(2, "0")).join("");
        }}).length;""",
    )
    assert wrong == 0


def test_limits_clip_and_move_without_a_question_to_the_kernel(page: Any) -> None:
    full, clipped, percentile, n_sent = run(
        page,
        """const w = open_();
        sendColor(w.model, { scale: "continuous", codes: Uint16Array.from([32767]), lo: 0, hi: 10 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const found = [pixel(w, 200, 200)];
        w.widget.actions.dragLimit("vmax", 5, false);
        await ready(w);
        found.push(pixel(w, 200, 200));
        w.widget.actions.dragLimit("vmin", "p60", false);
        await ready(w);
        return [...found, pixel(w, 200, 200), asked(w.model).length];""",
    )
    assert abs(full[0] - 33) <= 3  # the middle of viridis: 33, 145, 140
    assert clipped == [253, 231, 37]
    assert percentile in ([68, 1, 84], [253, 231, 37])  # limits crossed over
    assert n_sent == 0


def test_a_palette_and_a_recolour_change_pixels_and_keep_the_old_picture_until_complete(page: Any) -> None:
    found = run(
        page,
        """const w = open_();
        const codes = Uint8Array.from([0, 0]);
        const seq = sendColor(w.model, { scale: "categorical", codes, colors: ["#ff0000"] });
        sendPoints(w.model, { xy: [[0.5, 0.5], [0.5, 0.5]] });
        await ready(w);
        const found = [pixel(w, 200, 200)];
        w.model.say({ kind: "palette", seq, colors: ["#00ff00"] });
        await ready(w);
        found.push(pixel(w, 200, 200));
        const next = sendColor(w.model, { scale: "categorical", codes, colors: ["#0000ff"], hold: true });
        sendCodes(w.model, next, "categorical", codes, 0, 1);
        await sleep(120);
        found.push(pixel(w, 200, 200), w.host.dataset.cxgState);
        sendCodes(w.model, next, "categorical", codes, 1, 2);
        await ready(w);
        return [...found, pixel(w, 200, 200)];""",
    )
    assert found == [RED, GREEN, GREEN, "loading", BLUE]


def test_opacity_lets_what_lies_below_through(page: Any) -> None:
    found = run(
        page,
        """const w = open_({ traits: { opacity: 0.5 } });
        sendColor(w.model, { scale: "categorical", codes: Uint8Array.from([0]), colors: ["#ff0000"] });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        return pixel(w, 200, 200);""",
    )
    assert found[0] == 255
    assert abs(found[1] - 127) <= 2


# --- the same picture, whichever way it came about ------------------------------------------------------------------


@pytest.mark.parametrize("size", [1.5, 6])
@pytest.mark.parametrize("scale", ["continuous", "categorical"])
def test_drawing_in_many_slices_equals_drawing_at_once(page: Any, scale: str, size: float) -> None:
    differing, drawn = run(
        page,
        f"""const data = clusters(60_000);
        const codes = "{scale}" === "continuous" ? data.values : data.codes;
        const show = async (chunk) => {{
          const w = open_({{ traits: {{ point_size: {size} }} }});
          sendColor(w.model, {{ scale: "{scale}", codes, colors: OKABE, hold: true }});
          for (let at = 0, seq; at < 60_000; at += chunk) {{
            seq = sendPoints(w.model, {{ xy: data.xy, from: at, to: at + chunk, seq }});
            sendCodes(w.model, seqs.color, "{scale}", codes, at, Math.min(60_000, at + chunk));
            await frame();
            await frame();
          }}
          await ready(w);
          return w;
        }};
        const [once, slowly] = [await show(60_000), await show(7_000)];
        return [difference(pixels(once), pixels(slowly)), slowly.host.dataset.cxgDrawn];""",
    )
    assert differing == 0
    assert drawn == "60000"


def test_a_lost_context_keeps_its_picture_and_comes_back_with_the_same_pixels(page: Any) -> None:
    run(
        page,
        """const data = clusters(20_000);
        window.w = open_({ traits: { point_size: 3 } });
        sendColor(w.model, { scale: "continuous", codes: data.values });
        sendPoints(w.model, { xy: data.xy });
        sendSelection(w.model, Array.from({ length: 20_000 }, (_, i) => i % 3 === 0));
        await ready(w);
        window.before = pixels(w);
        window.gl = globalThis[Symbol.for("cxg-widget/gl/1")].gl;
        window.losing = gl.getExtension("WEBGL_lose_context");""",
    )
    shot = page.screenshot()
    run(page, "losing.loseContext(); await sleep(100);")
    assert page.screenshot() == shot
    differing = run(
        page,
        """w.canvas.width = 400; // clears it
        const restored = new Promise((done) => gl.canvas.addEventListener("webglcontextrestored", done));
        losing.restoreContext();
        await restored;
        await ready(w);
        return difference(before, pixels(w));""",
    )
    assert differing == 0


def test_twenty_widgets_at_once_all_show_their_own_points(page: Any) -> None:
    n_wrong, n_contexts = run(
        page,
        """let contexts = 0;
        const make = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
          if (kind === "webgl2") contexts++;
          return make.call(this, kind, ...more);
        };
        const makeOff = OffscreenCanvas.prototype.getContext;
        OffscreenCanvas.prototype.getContext = function (kind, ...more) {
          if (kind === "webgl2") contexts++;
          return makeOff.call(this, kind, ...more);
        };
        const all = [];
        for (let i = 0; i < 20; i++) {
          const w = open_({ width: 150, height: 100 + i });
          const colors = [i % 2 ? "#ff0000" : "#0000ff"];
          sendColor(w.model, { scale: "categorical", codes: Uint8Array.from([0]), colors });
          sendPoints(w.model, { xy: [[0.5, 0.5]] });
          all.push(w);
        }
        for (const w of all) await (w.host.scrollIntoView(), ready(w));
        const wrong = all.filter((w, i) => pixel(w, 75, (100 + i) / 2)[0] !== (i % 2 ? 255 : 0));
        all.forEach((w) => w.close());
        return [wrong.length, contexts];""",
    )
    assert n_wrong == 0
    assert n_contexts == 1


def test_views_of_one_model_share_the_camera(page: Any) -> None:
    same = run(
        page,
        """const w = open_();
        const other = document.createElement("div");
        other.className = "plot";
        other.style.cssText = "width:200px;height:200px";
        document.body.append(other);
        const second = w.widget.createPlot(other);
        second.setTheme({ background: [255, 255, 255], foreground: [0, 0, 0], dark: false });
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        w.model.set("view", [0.25, 0.75, 0, 0.5]);
        await ready(w);
        await ready({ host: other });
        const view = { canvas: other.querySelector("canvas"), plot: second };
        return [pixel(w, 200, 8 + 2), pixel(view, 100, 2), pixel(w, 200, 200)].map((one) => one[0] < 200);""",
    )
    assert same == [False, True, False]


def test_a_context_that_stays_away_leaves_the_drawing_to_the_kernel_until_it_is_back(page: Any) -> None:
    assert run(
        page,
        """const w = open_();
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const { gl } = globalThis[Symbol.for("cxg-widget/gl/1")];
        const losing = gl.getExtension("WEBGL_lose_context");
        losing.loseContext();
        await sleep(5_500);
        const drawnBy = [w.widget.store.get().drawnBy, w.model.sent.at(-1).content.kind];
        const restored = new Promise((done) => gl.canvas.addEventListener("webglcontextrestored", done));
        losing.restoreContext();
        await restored;
        await ready(w);
        return [...drawnBy, w.widget.store.get().drawnBy, pixel(w, 200, 200)];""",
    ) == ["kernel", "draw", "webgl", [70, 110, 160]]


# --- a million points -----------------------------------------------------------------------------------------------

MILLION = """const data = clusters(1_000_000);
    const w = open_({ width: 800, height: 600, traits: { point_size: null } });
    sendColor(w.model, { scale: "continuous", codes: data.values });
    sendPoints(w.model, { xy: data.xy, chunk: 262_144 });
    await ready(w, 30_000);
    const wheel = (deltaY) => w.plot.element.dispatchEvent(
      new WheelEvent("wheel", { deltaY, clientX: 400, clientY: 300, bubbles: true, cancelable: true }));
    """


def test_a_million_points_zoom_in_prefixes_and_then_complete(page: Any) -> None:
    prefixes, longest, final = run(
        page,
        MILLION
        + """const prefixes = [];
        let longest = 0, last = performance.now();
        for (let i = 0; i < 60; i++) {
          wheel(i < 30 ? -20 : 20);
          await frame();
          const now = performance.now();
          if (i > 5) longest = Math.max(longest, now - last);
          last = now;
          prefixes.push(Number(w.host.dataset.cxgDrawn));
        }
        await ready(w, 30_000);
        return [prefixes.slice(10), longest, w.host.dataset.cxgDrawn];""",
    )
    assert final == "1000000"
    assert all(0 < drawn <= 1_000_000 for drawn in prefixes)
    assert longest < 400  # generous: the machine may be busy


def test_each_point_is_drawn_once_while_chunks_arrive(page: Any) -> None:
    submitted, shown = run(
        page,
        """let submitted = 0;
        const draw = WebGL2RenderingContext.prototype.drawArrays;
        WebGL2RenderingContext.prototype.drawArrays = function (mode, first, count) {
          if (count > 1) submitted += count;
          return draw.call(this, mode, first, count);
        };
        const data = clusters(300_000);
        const w = open_();
        sendColor(w.model, { scale: "categorical", codes: data.codes, colors: OKABE, hold: true });
        for (let at = 0, seq; at < 300_000; at += 20_000) {
          seq = sendPoints(w.model, { xy: data.xy, from: at, to: at + 20_000, seq });
          sendCodes(w.model, seqs.color, "categorical", data.codes, at, at + 20_000);
          await frame();
        }
        await ready(w);
        return [submitted, w.host.dataset.cxgDrawn];""",
    )
    assert submitted == 300_000
    assert shown == "300000"


def test_a_recolour_never_thins_the_picture_out(page: Any) -> None:
    full, least = run(
        page,
        """const data = clusters(300_000);
        const w = open_({ traits: { point_size: 1 } });
        sendColor(w.model, { scale: "categorical", codes: data.codes, colors: OKABE });
        sendPoints(w.model, { xy: data.xy });
        await ready(w);
        const ink = () => pixels(w).reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0), 0);
        const full = ink();
        let least = full;
        sendColor(w.model, { scale: "continuous", codes: data.values, chunk: 100_000 });
        do {
          await frame();
          least = Math.min(least, ink());
        } while (w.host.dataset.cxgState !== "ready");
        return [full, least];""",
    )
    assert least > 0.8 * full


def test_a_zoom_beyond_the_codes_asks_for_detail_and_draws_it(page: Any) -> None:
    asked, lattice, drawn = run(
        page,
        """const step = 1 / 65534;
        const xy = [[0, 0], [1, 1], [0.5 + 0.3 * step, 0.5], [0.5 - 0.4 * step, 0.5]];
        const answer = (content, model) => {
          if (content.kind !== "zoom") return;
          const [x0, x1, y0, y1] = content.view;
          const xyCodes = xy.slice(2).flatMap(([x, y]) => [(x - x0) / (x1 - x0), (y - y0) / (y1 - y0)]);
          model.say({ kind: "detail", id: content.id, part: 0, parts: 1, extent: content.view },
            { index: Uint32Array.of(2, 3), xy: Uint16Array.from(xyCodes, (one) => Math.round(one * 65534)) });
        };
        const w = open_({ answer, traits: { point_size: 6 } });
        const codes = Uint8Array.from([0, 0, 0, 1]);
        sendColor(w.model, { scale: "categorical", codes, colors: ["#ff0000", "#0000ff"] });
        sendPoints(w.model, { xy });
        await ready(w);
        w.model.set("view", [0.5 - 2 * step, 0.5 + 2 * step, 0.5 - 2 * step, 0.5 + 2 * step]);
        await sleep(400);
        await ready(w);
        const asked = w.model.sent.filter(({ content }) => content.kind === "zoom").length;
        const lattice = [pixel(w, 200 + 30, 200), pixel(w, 200 - 40, 200)];
        return [asked, lattice, w.host.dataset.cxgDrawn];""",
    )
    assert asked == 1
    assert lattice == [RED, BLUE]
    assert drawn == "2"


# --- hands ----------------------------------------------------------------------------------------------------------

SQUARE = """const w = open_({ traits: { tool: "lasso" } });
    window.w = w;
    sendColor(w.model, { scale: "none", n: 1 });
    sendPoints(w.model, { xy: [[0.5, 0.5]] });
    await ready(w);"""


def lassos(page: Any) -> list[Any]:
    return page.evaluate("() => w.model.sent.map(({ content }) => content).filter(({ kind }) => kind === 'lasso')")


def test_a_lasso_sends_every_corner_in_data_units(page: Any) -> None:
    run(page, SQUARE)
    page.mouse.move(100, 100)
    page.mouse.down()
    for x, y in [(300, 100), (300, 100), (300, 300), (120, 310)]:
        page.mouse.move(x, y)
    assert "M100" in page.evaluate("() => w.host.querySelector('path').getAttribute('d')")
    page.mouse.up()
    assert page.evaluate("() => w.host.querySelector('path').getAttribute('d')") == ""
    (message,) = lassos(page)
    assert message["mode"] == "replace"
    to_data = [0.5 + (px - 200) / 400 * 1.08 for px in (100, 300, 300, 120)]
    assert message["polygon"][::2] == pytest.approx(to_data)
    assert message["polygon"][1::2] == pytest.approx([0.5 - (py - 200) / 400 * 1.08 for py in (100, 100, 300, 310)])


@pytest.mark.parametrize(("keys", "mode"), [(["Shift"], "add"), (["Alt"], "subtract"), (["Shift", "Alt"], "intersect")])
def test_keys_held_at_the_end_or_in_the_pan_tool_choose_the_mode(page: Any, keys: list[str], mode: str) -> None:
    run(page, SQUARE + "w.widget.actions.setTrait('tool', 'pan');")
    for key in keys:
        page.keyboard.down(key)
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(200, 100)
    page.mouse.move(200, 200)
    page.mouse.up()
    for key in keys:
        page.keyboard.up(key)
    assert [message["mode"] for message in lassos(page)] == [mode]


def test_a_click_selects_nothing_and_escape_ends_a_lasso(page: Any) -> None:
    run(page, SQUARE)
    page.mouse.click(150, 150)
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(200, 100)
    page.mouse.move(200, 200)
    page.keyboard.press("Escape")
    page.mouse.move(150, 250)
    page.mouse.up()
    assert lassos(page) == []


def test_a_rectangle_sends_four_corners(page: Any) -> None:
    run(page, SQUARE + "w.widget.actions.setTrait('tool', 'rectangle');")
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(180, 120)
    page.mouse.move(300, 250)
    page.mouse.up()
    (message,) = lassos(page)
    assert len(message["polygon"]) == 8


def test_a_drag_moves_the_picture_and_saves_the_view_once(page: Any) -> None:
    run(page, SQUARE + "w.widget.actions.setTrait('tool', 'pan'); w.model.saved.length = 0;")
    page.mouse.move(200, 200)
    page.mouse.down()
    page.mouse.move(250, 200, steps=5)
    page.mouse.up()
    page.wait_for_timeout(400)
    view, n_saved, at = page.evaluate("() => [w.model.get('view'), w.model.saved.length, pixel(w, 250, 200)]")
    assert n_saved == 1
    shift = 50 / 400 * 1.08
    assert view == pytest.approx([0.5 - 0.54 - shift, 0.5 + 0.54 - shift, 0.5 - 0.54, 0.5 + 0.54])
    assert at != WHITE
    page.keyboard.press("0")
    page.wait_for_timeout(400)
    assert page.evaluate("() => w.model.get('view')") is None


@pytest.mark.parametrize("how", ["middle", "space"])
def test_the_middle_button_and_space_pan_in_any_tool(page: Any, how: str) -> None:
    run(page, SQUARE)
    if how == "space":
        page.evaluate("() => w.plot.element.focus()")
        page.keyboard.down(" ")
    button = "middle" if how == "middle" else "left"
    page.mouse.move(200, 200)
    page.mouse.down(button=button)
    page.mouse.move(240, 200, steps=3)
    page.mouse.up(button=button)
    if how == "space":
        page.keyboard.up(" ")
    page.wait_for_timeout(300)
    assert lassos(page) == []
    assert page.evaluate("() => w.model.get('view')[0]") == pytest.approx(0.5 - 0.54 - 40 / 400 * 1.08)


def test_the_wheel_is_ignored_while_a_lasso_is_drawn(page: Any) -> None:
    run(page, SQUARE)
    page.mouse.move(100, 100)
    page.mouse.down()
    page.mouse.move(200, 100)
    page.mouse.wheel(0, -300)
    page.mouse.move(200, 200)
    page.mouse.up()
    page.wait_for_timeout(300)
    assert len(lassos(page)) == 1
    assert page.evaluate("() => w.model.get('view')") is None


def test_two_fingers_zoom_about_their_middle(page: Any) -> None:
    run(page, SQUARE)
    hand = page.context.new_cdp_session(page)
    for kind, spread in [("touchStart", 50), ("touchMove", 75), ("touchMove", 100)]:
        points = [{"x": 200 - spread, "y": 200, "id": 0}, {"x": 200 + spread, "y": 200, "id": 1}]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(400)
    left, right, *_ = page.evaluate("() => w.model.get('view')")
    assert right - left == pytest.approx(1.08 / 2, rel=0.05)
    assert (left + right) / 2 == pytest.approx(0.5, abs=0.02)
    assert lassos(page) == []


def test_keys_move_zoom_and_pick_tools(page: Any) -> None:
    run(page, SQUARE + "w.plot.element.focus();")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    page.wait_for_timeout(500)
    left, right, *_ = page.evaluate("() => w.model.get('view')")
    assert right - left == pytest.approx(1.08 / 1.25)
    page.keyboard.press("r")
    assert page.evaluate("() => w.model.get('tool')") == "rectangle"


def test_pointing_asks_once_it_rests_and_rings_the_cell(page: Any) -> None:
    answer = """({ kind, id }, model) => kind === "hover" &&
      model.say({ kind: "cell", id, row: 7, x: 0.5, y: 0.5, name: "c", value: "", fields: [] })"""
    run(page, SQUARE.replace("open_({", f"open_({{ answer: {answer},"))
    for x in range(150, 205, 5):
        page.mouse.move(x, 200)
    page.wait_for_timeout(300)
    n_asked, cell, ring = page.evaluate(
        """() => [w.model.sent.filter(({ content }) => content.kind === "hover").length, w.widget.store.get().cell.row,
        w.host.querySelector("circle").getAttribute("cx")]"""
    )
    assert 1 <= n_asked <= 3
    assert cell == 7
    assert float(ring) == pytest.approx(200)
    page.mouse.move(880, 690)
    assert page.evaluate("() => w.widget.store.get().cell") is None


# --- without WebGL, without a kernel --------------------------------------------------------------------------------


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


# --- pictures of all cells ------------------------------------------------------------------------------------------

# Waits for each question in turn; `asked` holds them.
SURVEY = """const asked = [], answers = [];
    const answer = (ask, model) => ask.kind === "aggregate" && (asked.push(ask), answers.shift()?.(ask, model));
    const until = async (n) => { while (asked.length < n) await sleep(5); };"""


def test_numbers_have_exactly_the_colours_of_the_colormap(page: Any) -> None:
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


def test_colours_are_those_of_the_image_and_let_the_page_through(page: Any) -> None:
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


def test_an_image_of_another_colouring_is_never_shown(page: Any) -> None:
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


def test_closing_gives_back_what_was_taken(page: Any) -> None:
    left = run(
        page,
        """let buffers = 0;
        for (const kind of ["Buffer", "Framebuffer", "VertexArray", "Texture", "Renderbuffer"]) {
          for (const [verb, step] of [["create", 1], ["delete", -1]]) {
            const inner = WebGL2RenderingContext.prototype[verb + kind];
            WebGL2RenderingContext.prototype[verb + kind] = function (what) {
              if (step > 0 || what !== null) buffers += step;
              return inner.call(this, what);
            };
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
