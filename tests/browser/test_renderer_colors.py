"""What each pixel's color is: what lies on top, what is not drawn, which colors."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from cxg_widget.color.colormaps import COLORMAPS
from cxg_widget.color.paper import PAPERS
from cxg_widget.color.rgb import DIMMED, ramp, seen_in_the_dark
from tests.browser.engine import run

pytestmark = pytest.mark.browser

RED = [255, 0, 0]
GREEN = [0, 255, 0]
BLUE = [0, 0, 255]
WHITE = [255, 255, 255]
MISSING = [205, 205, 205]


# --- what lies on top ------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("lo", "hi", "vmax", "expected"), [(0, 0, None, "low"), (3, 3, 3.0, "low"), (0, 9, 0.0, "high")]
)
def test_between_equal_limits_only_what_is_above_them_has_the_highest_color(
    page: Any, lo: float, hi: float, vmax: float | None, expected: str
) -> None:
    code, traits = (0 if lo == hi else 5), json.dumps({"point_size": 8, "vmin": vmax, "vmax": vmax})
    found = run(
        page,
        f"""const w = open_({{ traits: {traits} }});
        sendColor(w.model, {{ scale: "continuous", lo: {lo}, hi: {hi}, codes: Uint16Array.from([{code}]) }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]] }});
        await ready(w);
        return pixel(w, 200, 200);""",
    )
    assert found == {"low": [68, 1, 84], "high": [253, 231, 37]}[expected]  # the two ends of viridis


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
    assert np.abs(PAPERS["white"].dim(np.array(BLUE, dtype=np.uint8)).astype(int) - beside).max() <= 2
    assert after == BLUE


def test_the_highlight_of_a_hidden_category_dims_nothing_and_comes_back_with_it(page: Any) -> None:
    hidden, back = run(
        page,
        """const w = open_();
        const codes = Uint8Array.from([0, 1, 255]);
        sendColor(w.model, { scale: "categorical", codes, colors: ["#ff0000", "#0000ff"] });
        sendPoints(w.model, { xy: [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5]] });
        const look = async () => (await ready(w), [0.5, 0.25, 0.75].map((x) => pixel(w, place(x), 200)));
        w.widget.actions.highlight(0);
        w.widget.actions.toggleCategory(0);
        const found = [await look()];
        w.widget.actions.toggleCategory(0);
        return [...found, await look()];""",
    )
    assert hidden == [[255, 255, 255], BLUE, MISSING]
    assert back[0] == RED
    assert 190 < min(back[1]) < max(back[1]) < 245
    assert 225 < min(back[2]) == max(back[2]) < 245


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
    assert rest == [199, 199, 240]  # 16 % of the blue on a grey of 0.93


# --- what is not drawn -----------------------------------------------------------------------------------------------


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


# --- colors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 3, 5])
def test_categories_have_exactly_their_colors(page: Any, size: int) -> None:
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


def test_the_limits_of_another_coloring_are_not_used_before_it_is_drawn(page: Any) -> None:
    before, waiting, after, limits = run(
        page,
        """const w = open_({ traits: { color: "a", vmax: 5 } });
        const codes = Uint16Array.from([32767, 32767]);
        sendColor(w.model, { scale: "continuous", codes, lo: 0, hi: 10 });
        sendPoints(w.model, { xy: [[0.5, 0.5], [0.5, 0.5]] });
        await ready(w);
        const found = [pixel(w, 200, 200)];
        const shown = () => w.widget.store.get().traits.vmax;
        w.widget.actions.setTrait("color", "b");
        w.model.set("vmax", null); // as the kernel does at once
        const limits = [shown()];
        const next = sendColor(w.model, { scale: "continuous", codes, lo: 0, hi: 10, hold: true });
        sendCodes(w.model, next, "continuous", codes, 0, 1);
        await frame();
        await frame();
        found.push(pixel(w, 200, 200));
        sendCodes(w.model, next, "continuous", codes, 1, 2);
        await ready(w);
        limits.push(shown());
        w.model.set("vmax", 3); // from Python
        return [...found, pixel(w, 200, 200), [...limits, shown()]];""",
    )
    assert before == waiting == [253, 231, 37]
    assert abs(after[0] - 33) <= 3
    assert limits == [5, None, 3]


def test_limits_follow_again_after_a_coloring_has_failed(page: Any) -> None:
    limits = run(
        page,
        """const w = open_({ traits: { color: "a", vmax: 5 } });
        sendColor(w.model, { scale: "continuous", codes: Uint16Array.from([9]), lo: 0, hi: 10 });
        sendPoints(w.model, { xy: [[0.5, 0.5]] });
        await ready(w);
        w.widget.actions.setTrait("color", "b");
        w.model.set("vmax", null);
        w.model.say({ kind: "error", of: "color", name: "UnknownName", message: "no b" });
        w.model.set("color", "a");
        w.model.set("vmax", 5);
        sendColor(w.model, { scale: "continuous", codes: Uint16Array.from([9]), lo: 0, hi: 10 });
        await ready(w);
        const found = [w.widget.store.get().traits.vmax];
        w.widget.actions.setTrait("vmax", 4);
        return [...found, w.widget.store.get().traits.vmax];""",
    )
    assert limits == [5, 4]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("code", [0, 9000, 65534])
def test_unselected_and_low_numbers_can_be_seen_as_the_kernel_draws_them(page: Any, code: int, dark: bool) -> None:
    dimmed, full, ground = run(
        page,
        f"""const w = open_({{ dark: {str(dark).lower()}, traits: {{ point_size: 8 }} }});
        const codes = Uint16Array.from([{code}, {code}]);
        sendColor(w.model, {{ scale: "continuous", codes }});
        sendPoints(w.model, {{ xy: [[0.25, 0.5], [0.75, 0.5]] }});
        sendSelection(w.model, [0, 1]);
        await ready(w);
        return [pixel(w, place(0.25), 200), pixel(w, place(0.75), 200), w.background];""",
    )
    if dark:
        assert contrast(full, ground) >= 2
    assert 1.15 <= contrast(dimmed, ground) <= 2.1
    stops = COLORMAPS["viridis"]
    drawn = ramp(seen_in_the_dark(stops) if dark else stops)[round(255 * code / 65534)]
    assert np.abs(drawn.astype(int) - full).max() <= 2
    assert np.abs(PAPERS["dark" if dark else "white"].dim(drawn).astype(int) - dimmed).max() <= 2


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("content", ["numbers", "colors"])
def test_what_is_unselected_in_an_image_looks_as_it_does_among_points(page: Any, content: str, dark: bool) -> None:
    unselected, selected = round(255 * DIMMED), 255
    rgb = (253, 231, 37)  # the end of viridis
    numbers = [[255, 254, alpha, 255] for alpha in (unselected, selected)] + [[0, 0, 0, 255]]
    bands = numbers if content == "numbers" else [[*rgb, alpha] for alpha in (unselected, selected, 0)]
    found = run(
        page,
        f"""const answer = (ask, model) =>
          ask.kind === "aggregate" && sendImage(model, ask, {{ bands: {bands}, content: "{content}" }});
        const w = open_({{ dark: {str(dark).lower()}, answer }});
        sendColor(w.model, "{content}" === "numbers"
          ? {{ scale: "continuous", codes: Uint16Array.from([0]) }}
          : {{ scale: "categorical", codes: Uint8Array.from([0]), colors: ["#fde725"] }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5]], aggregated: true }});
        sendSelection(w.model, [1]);
        await ready(w);
        return [...[70, 200, 330].map((x) => pixel(w, x, 20)), w.background];""",
    )
    dimmed, full, empty, ground = found
    expected = PAPERS["dark" if dark else "white"].dim(np.array(rgb, dtype=np.uint8))
    assert np.abs(np.array(rgb) - full).max() <= 2
    assert np.abs(expected.astype(int) - dimmed).max() <= 2
    assert empty == ground
    assert contrast(dimmed, ground) >= 1.15


def contrast(one: Any, other: Any) -> float:
    """Of two colors, rgb 0 to 255, as WCAG 2.2 has it."""
    channels = np.array([one, other]) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    low, high = sorted(linear @ (0.2126, 0.7152, 0.0722) + 0.05)
    return float(high / low)


def test_a_palette_and_a_recolor_change_pixels_and_keep_the_old_picture_until_complete(page: Any) -> None:
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


@pytest.mark.parametrize("size", [2, 8])
@pytest.mark.parametrize("scale", ["linear", "log"])
def test_grey_zeros_lie_above_missing_values_and_beneath_the_lowest_number(page: Any, scale: str, size: int) -> None:
    traits = json.dumps({"point_size": size, "zero": "grey", "scale": scale})
    found = run(
        page,
        f"""const w = open_({{ traits: {traits} }});
        const codes = Uint16Array.from([1, 0, 65535, 0, 65535]);
        sendColor(w.model, {{ scale: "continuous", codes, lo: 0, hi: 65534 }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5], [0.25, 0.5], [0.25, 0.5]] }});
        await ready(w);
        return [pixel(w, 200, 200), pixel(w, place(0.25), 200)];""",
    )
    assert found == [[68, 1, 84], [217, 217, 217]]  # the first color of viridis, and the grey of zeros
