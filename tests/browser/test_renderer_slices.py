"""The picture is the same whichever way it came about: in slices, after a lost context, of a million points."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser

RED = [255, 0, 0]
BLUE = [0, 0, 255]


# --- the same picture, whichever way it came about -------------------------------------------------------------------


@pytest.mark.parametrize("size", [1.5, 6])
@pytest.mark.parametrize("scale", ["continuous", "categorical"])
def test_drawing_in_many_slices_equals_drawing_at_once(page: Any, scale: str, size: float) -> None:
    differing, drawn = run(
        page,
        f"""const N = 110_000, FIRST = 65_536; // which come ahead of all others in any case
        const data = clusters(N);
        const codes = "{scale}" === "continuous" ? data.values : data.codes;
        const show = async (chunk) => {{
          const w = open_({{ traits: {{ point_size: {size} }} }});
          sendColor(w.model, {{ scale: "{scale}", codes, colors: OKABE, hold: true }});
          for (let at = 0, to, seq; at < N; at = to) {{
            to = Math.min(N, at + (at === 0 ? FIRST : chunk));
            seq = sendPoints(w.model, {{ xy: data.xy, from: at, to, seq }});
            sendCodes(w.model, seqs.color, "{scale}", codes, at, to);
            await frame();
            await frame();
          }}
          await ready(w);
          return w;
        }};
        const [once, slowly] = [await show(N), await show(7_000)];
        return [difference(pixels(once), pixels(slowly)), slowly.host.dataset.cxgDrawn];""",
    )
    assert differing == 0
    assert drawn == "110000"


@pytest.mark.parametrize("drawn_by", ["gpu"], indirect=True)
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
        window.gl = globalThis[Symbol.for("cxg-widget/gl/3")].gl;
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


def test_twenty_widgets_at_once_all_show_their_own_points(page: Any, drawn_by: str) -> None:
    n_wrong, n_contexts = run(
        page,
        """forgetCard();
        let contexts = 0;
        for (const { prototype } of [HTMLCanvasElement, OffscreenCanvas]) {
          replace(prototype, "getContext", (make) => function (kind, ...more) {
            if (kind === "webgl2") contexts++;
            return make.call(this, kind, ...more);
          });
        }
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
    assert n_contexts == (1 if drawn_by == "gpu" else 0)


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


@pytest.mark.parametrize("drawn_by", ["gpu"], indirect=True)
def test_a_context_that_stays_away_leaves_the_drawing_to_the_processor_until_it_is_back(page: Any) -> None:
    assert run(
        page,
        """hasten();
        const w = open_();
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const { gl } = globalThis[Symbol.for("cxg-widget/gl/3")];
        const losing = gl.getExtension("WEBGL_lose_context");
        losing.loseContext();
        while (w.widget.store.get().drawnBy === "gpu") await sleep(20);
        await ready(w);
        const found = [w.widget.store.get().drawnBy, pixel(w, 200, 200)];
        const restored = new Promise((done) => gl.canvas.addEventListener("webglcontextrestored", done));
        losing.restoreContext();
        await restored;
        await ready(w);
        return [...found, w.widget.store.get().drawnBy, pixel(w, 200, 200)];""",
    ) == ["cpu", [70, 110, 160], "gpu", [70, 110, 160]]


# --- a million points ------------------------------------------------------------------------------------------------

MILLION = """const data = clusters(1_000_000);
    const w = open_({ width: 800, height: 600, traits: { point_size: null } });
    sendColor(w.model, { scale: "continuous", codes: data.values });
    sendPoints(w.model, { xy: data.xy, chunk: 262_144 });
    await ready(w);
    const wheel = (deltaY) => w.plot.element.dispatchEvent(
      new WheelEvent("wheel", { deltaY, clientX: 400, clientY: 300, bubbles: true, cancelable: true }));
    """


def test_a_million_points_zoom_in_prefixes_and_then_complete(page: Any) -> None:
    prefixes, final = run(
        page,
        MILLION
        + """const prefixes = [];
        for (let i = 0; i < 60; i++) {
          wheel(i < 30 ? -20 : 20);
          await frame();
          prefixes.push(Number(w.host.dataset.cxgDrawn));
        }
        await ready(w);
        return [prefixes.slice(10), w.host.dataset.cxgDrawn];""",
    )
    assert final == "1000000"
    assert all(0 < drawn <= 1_000_000 for drawn in prefixes)


@pytest.mark.parametrize("drawn_by", ["gpu"], indirect=True)
def test_each_point_is_drawn_once_while_chunks_arrive(page: Any) -> None:
    submitted, shown = run(
        page,
        """let submitted = 0;
        replace(WebGL2RenderingContext.prototype, "drawArrays", (draw) => function (mode, first, count) {
          if (count > 1) submitted += count;
          return draw.call(this, mode, first, count);
        });
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


def test_a_recolor_never_thins_the_picture_out(page: Any) -> None:
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
