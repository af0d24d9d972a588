"""Points that the filters leave out and that stay grey, beside and beneath all others."""

from __future__ import annotations

from typing import Any

import pytest

from cxg_widget.color.rgb import LEFT_OUT_DARK, LEFT_OUT_LIGHT
from cxg_widget.wire.protocol import LEFT_OUT_ALPHA
from tests.browser.engine import run

pytestmark = pytest.mark.browser

RED, BLUE, WHITE = [255, 0, 0], [0, 0, 255], [255, 255, 255]
GREY = list(LEFT_OUT_LIGHT)


@pytest.mark.parametrize("size", [2, 8])
def test_points_that_do_not_pass_and_hidden_categories_are_grey_beneath_all_others(page: Any, size: int) -> None:
    found = run(
        page,
        f"""const w = open_({{ traits: {{ point_size: {size} }} }});
        const codes = Uint8Array.from([0, 1, 1, 255]);
        sendColor(w.model, {{ scale: "categorical", codes, colors: ["#ff0000", "#0000ff"] }});
        sendPoints(w.model, {{ xy: [[0.5, 0.5], [0.5, 0.5], [0.25, 0.5], [0.75, 0.5]] }});
        sendFilter(w.model, [1, 0, 0, 1]);
        const look = async () => {{
          await ready(w);
          return [200, place(0.25), place(0.75)].map((x) => pixel(w, x, 200));
        }};
        const found = [await look()];
        w.model.set("filtered", "grey");
        found.push(await look());
        w.model.set("hidden", ["(missing)", "category 0"]);
        found.push(await look());
        w.model.set("hidden", []);
        sendSelection(w.model, [0, 1, 1, 1]);
        found.push(await look());
        w.model.set("filtered", "hide");
        found.push(await look());
        return found;""",
    )
    missing, dimmed = [205, 205, 205], [240, 199, 199]
    assert found == [
        [RED, WHITE, missing], [RED, GREY, missing], [GREY, GREY, GREY], [dimmed, GREY, missing],
        [dimmed, WHITE, missing],
    ]  # fmt: skip


@pytest.mark.parametrize("dark", [False, True])
def test_an_image_of_numbers_has_the_same_grey_where_it_marks_none_but_such_cells(page: Any, dark: bool) -> None:
    bands = [[255, 255, LEFT_OUT_ALPHA, 255], [255, 254, 41, 255], [255, 254, 255, 255], [0, 0, 0, 255]]
    found = run(
        page,
        f"""const answer = (ask, model) =>
          ask.kind === "aggregate" && sendImage(model, ask, {{ bands: {bands}, content: "numbers" }});
        const w = open_({{ dark: {str(dark).lower()}, answer, traits: {{ filtered: "grey" }} }});
        sendColor(w.model, {{ scale: "continuous", codes: Uint16Array.from([0, 0]) }});
        sendFilter(w.model, [1, 0]);
        sendPoints(w.model, {{ xy: [[0.5, 0.5], [0.5, 0.5]], aggregated: true }});
        sendSelection(w.model, [0, 1]);
        await ready(w);
        return [...[50, 250, 350].map((x) => pixel(w, x, 20)), w.background];""",
    )
    assert found[0] == list(LEFT_OUT_DARK if dark else LEFT_OUT_LIGHT)
    assert found[2] == found[3]
    assert found[1] not in found[::2]


def test_what_is_asked_of_the_kernel_says_the_choice_and_points_are_not_asked_for(page: Any) -> None:
    asked = run(
        page,
        """const asked = [];
        const answer = (ask, model) => {
          if (ask.kind !== "begun") asked.push(ask); // comes in its own time
          if (ask.kind === "aggregate") sendImage(model, ask, { bands: [[9, 9, 9, 255]] });
        };
        const w = open_({ answer });
        sendColor(w.model, { scale: "none", n: 1 });
        sendPoints(w.model, { xy: [[0.5, 0.5]], aggregated: true });
        await ready(w);
        const n = asked.length;
        w.model.set("filtered", "grey");
        while (asked.length === n) await sleep(5);
        await ready(w);
        return [asked[n - 1].filtered, ...asked.slice(n).map(({ kind, filtered }) => [kind, filtered])];""",
    )
    assert asked == ["hide", ["aggregate", "grey"]]
