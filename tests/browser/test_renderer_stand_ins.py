"""Without a graphics card or without a kernel, and the pictures that are kept."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser

GREEN = [0, 255, 0]
WHITE = [255, 255, 255]


BOTH = """
const data = clusters(20_000);
const draw = async (drawnBy, scale, traits, change) => {
  globalThis.__CXG_DRAWN_BY__ = drawnBy;
  const w = open_({ traits });
  const [codes, missing] = scale === "continuous" ? [data.values, 65535] : [data.codes, 255];
  codes.forEach((_, i) => i % 50 === 0 && (codes[i] = missing));
  sendColor(w.model, { scale, codes, colors: OKABE });
  sendPoints(w.model, { xy: data.xy });
  await ready(w);
  change?.(w);
  await ready(w);
  if (w.widget.store.get().drawnBy !== drawnBy) throw new Error("drawn by another");
  const found = pixels(w);
  w.close();
  return found;
};
/** Of two pictures: the share of pixels with anything in them, and of those with another color. */
const compare = (a, b) => {
  const found = [0, 0];
  for (let at = 0; at < a.length; at += 4) {
    const lit = (p, i) => (i < 3 ? (p[at + i] * p[at + 3]) / 255 : p[at + i]);
    const by = [0, 1, 2, 3].map((i) => Math.abs(lit(a, i) - lit(b, i)));
    found[0] += a[at + 3] > 0;
    found[1] += Math.max(...by) > 32;
  }
  return found.map((sum) => sum / (a.length / 4));
};
const both = async (...look) => compare(await draw("gpu", ...look), await draw("cpu", ...look));
"""


@pytest.mark.parametrize("drawn_by", ["gpu"], indirect=True)
@pytest.mark.parametrize(
    "settings",
    [
        '"categorical", { point_size: 2 }',
        "\"categorical\", { point_size: 1.4, hidden: ['category 2'], opacity: 1 }",
        '"categorical", { point_size: 3 }, (w) => w.widget.actions.highlight(3)',
        '"continuous", { point_size: 2 }',
        "\"continuous\", { point_size: 3, vmin: 0.3, vmax: 'p90', cmap: 'magma' }, select",
        '"continuous", { point_size: 2, view: [0.3, 0.6, 0.3, 0.6] }',
        '"categorical", { point_size: 9 }',
        '"categorical", { point_size: 9, opacity: 0.5 }',
        '"continuous", { point_size: 9, opacity: 0.5 }',
        '"continuous", { point_size: 2, opacity: 0.3 }',
    ],
)
def test_with_and_without_a_graphics_card_the_picture_is_the_same(page: Any, settings: str) -> None:
    """Up to points whose edge lies near the middle of a pixel: drivers place points to a sixteenth of one."""
    select = "const select = (w) => sendSelection(w.model, Array.from(data.codes, (code) => Number(code === 2)));"
    inked, different = run(page, f"{BOTH} {select} return both({settings});")
    assert inked > 0.02
    assert different < 0.08 * inked


CARD = """
forgetCard();
delete globalThis.__CXG_DRAWN_BY__;
replace(WebGL2RenderingContext.prototype, "getParameter", (ask) => function (name) {
  const found = ask.call(this, name);
  return typeof found === "string" ? CARD : found;
});
const data = clusters(20_000);
const w = open_({ traits: { point_size: 3, opacity: 1 } });
sendColor(w.model, { scale: "categorical", codes: data.codes, colors: OKABE });
sendPoints(w.model, { xy: data.xy });
await ready(w);
const { store } = w.widget;
const before = [store.get().drawnBy, pixels(w)];
const inked = [];
"""


@pytest.mark.parametrize("drawn_by", ["whoever can"], indirect=True)
@pytest.mark.parametrize(("card", "then"), [("ANGLE (NVIDIA)", "gpu"), ("ANGLE (Google, SwiftShader driver)", "cpu")])
def test_a_card_takes_over_after_the_first_picture_which_stays_until_then(page: Any, card: str, then: str) -> None:
    first, second, least, different = run(
        page,
        CARD.replace("CARD;", f"{card!r};").replace("? CARD", f"? {card!r}")
        + """const shown = () => {
          const page = new OffscreenCanvas(400, 400).getContext("2d", { willReadFrequently: true });
          for (const canvas of w.host.querySelectorAll("canvas.cxg-plot")) page.drawImage(canvas, 0, 0);
          return page.getImageData(0, 0, 400, 400).data.reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0), 0);
        };
        for (const end = performance.now() + 2_000; performance.now() < end; await frame()) inked.push(shown());
        await ready(w);
        const all = before[1].reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0), 0);
        return [before[0], store.get().drawnBy, Math.min(...inked) / all, difference(before[1], pixels(w)) / all];""",
    )
    assert (first, second) == ("cpu", then)
    assert least > 0.95
    assert different < 0.1


@pytest.mark.parametrize("drawn_by", ["cpu"], indirect=True)
def test_the_kept_picture_shows_where_no_kernel_answers(page: Any) -> None:
    found = run(
        page,
        """hasten();
        const canvas = document.createElement("canvas");
        const png = canvas.toDataURL("image/png").split(",")[1];
        document.body.insertAdjacentHTML("beforeend", "<p class='cxg-static-abc'>stand-in</p>");
        const w = open_({ traits: { _snapshot: { id: "abc", png, width: 30, height: 20 } } });
        const hidden = getComputedStyle(document.querySelector(".cxg-static-abc")).display;
        const shown = w.host.querySelector("img") !== null;
        const link = () => w.widget.store.get().link;
        while (link() === "connecting") await sleep(20);
        const found = [hidden, shown, link()];
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        return [...found, link(), w.host.querySelector("img")];""",
    )
    assert found == ["none", True, "offline", "live", None]


@pytest.mark.parametrize(
    "go",
    ['w.model.fire("comm_live_update")', "w.model.send = () => { throw new Error(); }; w.widget.actions.search('a')"],
)
def test_where_the_kernel_has_gone_the_picture_stays_alone_and_it_is_known(page: Any, go: str) -> None:
    found = run(
        page,
        """document.body.insertAdjacentHTML("beforeend", "<p class='cxg-static-abc'>stand-in</p>");
        const w = open_({ traits: { _snapshot: { id: "abc" } } });
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const before = pixels(w);
        const { link } = w.widget.store.get();
        GO;
        while (w.widget.store.get().link === "live") await sleep(20);
        const standIn = getComputedStyle(document.querySelector(".cxg-static-abc")).display;
        return [link, w.widget.store.get().link, difference(before, pixels(w)), standIn];""".replace("GO", go),
    )
    assert found == ["live", "offline", 0, "none"]


@pytest.mark.parametrize("drawn_by", ["cpu"], indirect=True)
def test_a_settled_picture_is_handed_over_once(page: Any) -> None:
    first, second, size = run(
        page,
        """hasten();
        const w = open_();
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        const count = () => w.model.saved.filter(({ _snapshot }) => _snapshot?.png);
        while (count().length === 0) await sleep(20);
        const first = count().length;
        await sleep(6_000);
        return [first, count().length, count()[0]._snapshot];""",
    )
    assert (first, second) == (1, 1)
    assert (size["width"], size["height"]) == (400, 400)
    assert base64.b64decode(size["png"]).startswith(b"\x89PNG")


@pytest.mark.parametrize("drawn_by", ["gpu"], indirect=True)
def test_changes_of_color_send_no_picture_until_the_plot_rests_and_then_one_of_256_colors(page: Any) -> None:
    during, at_save, after, kind = run(
        page,
        """const w = open_();
        const data = clusters(20_000);
        const count = () => w.model.saved.filter(({ _snapshot }) => _snapshot?.png).length;
        for (let seq = 1; seq <= 4; seq++) {
          sendColor(w.model, { seq, scale: "continuous", codes: data.values });
          if (seq === 1) sendPoints(w.model, { xy: data.xy });
          await ready(w);
          await sleep(700);
        }
        const during = count();
        dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true }));
        while (count() === 0) await sleep(20);
        const atSave = count();
        await sleep(6_000);
        const [png] = w.model.saved.flatMap(({ _snapshot }) => _snapshot?.png ?? []);
        return [during, atSave, count(), atob(png).charCodeAt(25)];""",
    )
    assert (during, at_save, after) == (0, 1, 1)
    assert kind == 3  # PNG, section 11.2.2: indexed colors


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


def test_the_picture_is_hidden_only_while_a_view_of_the_widget_is_there(page: Any) -> None:
    found = run(
        page,
        """document.body.insertAdjacentHTML("beforeend", "<p class='cxg-static-abc'>stand-in</p>");
        const shown = () => getComputedStyle(document.querySelector(".cxg-static-abc")).display !== "none";
        const w = open_({ traits: { _snapshot: { id: "abc" } } });
        const first = shown();
        const second = w.widget.createPlot(w.host);
        w.plot.destroy();
        const last = shown();
        second.destroy();
        return [first, last, shown()];""",
    )
    assert found == [False, False, True]
