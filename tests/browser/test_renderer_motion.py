"""Points travel to another embedding, and the exact picture is there at the end, or at once where somebody wants it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser

OPEN = """let now = performance.now();
    replace(performance, "now", () => () => now);
    const COLORS = ["#ff0000", "#00ff00", "#0000ff"];
    const [HERE, THERE] = [[[0, 0], [1, 0], [0.5, 1]], [[1, 1], [0.2, 0.6], [0.9, 0]]];
    const BEYOND = [[0, 0.5], [1, 0.5], [0, 1]];
    const shown = async (at, embedding = "umap") => {
      const one = open_({ traits: { point_size: 12 } });
      sendPoints(one.model, { xy: at, embedding });
      sendColor(one.model, { scale: "categorical", codes: Uint8Array.of(0, 1, 2), colors: COLORS });
      await ready(one);
      return one;
    };
    const exact = async (at) => { const one = await shown(at); const found = pixels(one); one.close(); return found; };
    const frames = async (n = 6) => { for (let i = 0; i < n; i++) await frame(); };
    /** Where each color is seen, as shares of the extent. */
    const places = (w) => {
      const data = pixels(w);
      return [0, 1, 2].map((channel) => {
        let [n, x, y] = [0, 0, 0];
        for (let i = 0; i < data.length; i += 4)
          if (data[i + 3] > 200 && data[i + channel] > 200) { n++; x += (i / 4) % 400; y += Math.floor(i / 4 / 400); }
        return n === 0 ? null : [(x / n + 0.5 - 200) / 400 * 1.08 + 0.5, 0.5 - (y / n + 0.5 - 200) / 400 * 1.08];
      });
    };
    const w = await shown(HERE);
    const go = async (at, embedding) => { sendPoints(w.model, { xy: at, embedding }); await frames(); };
"""


def near(found: Any, expected: Any) -> bool:
    return found == [pytest.approx(one, abs=0.006) for one in expected]


def test_half_way_each_point_is_in_the_middle_and_at_the_end_the_picture_is_exact(page: Any) -> None:
    found = run(
        page,
        OPEN
        + """const start = places(w);
        await go(THERE, "other");
        const begun = places(w);
        now += 300;
        await frames();
        const [middle, state] = [places(w), w.host.dataset.cxgState];
        now += 301;
        await ready(w);
        return { start, begun, middle, state, off: difference(pixels(w), await exact(THERE)) };""",
    )
    here, there = [[0, 0], [1, 0], [0.5, 1]], [[1, 1], [0.2, 0.6], [0.9, 0]]
    assert near(found["start"], here)
    assert near(found["begun"], here)
    middle = [[(a + b) / 2 for a, b in zip(*pair, strict=True)] for pair in zip(here, there, strict=True)]
    assert near(found["middle"], middle)
    assert found["state"] != "ready"
    assert found["off"] == 0


def test_the_next_change_begins_where_the_points_are_and_a_move_shows_them_where_they_belong(page: Any) -> None:
    found = run(
        page,
        OPEN
        + """await go(THERE, "other");
        now += 300;
        await frames();
        const middle = places(w);
        await go(BEYOND, "third");
        const begun = places(w);
        w.model.set("view", [-0.04, 1.04, -0.04, 1.04]);
        await ready(w);
        return { middle, begun, off: difference(pixels(w), await exact(BEYOND)) };""",
    )
    assert near(found["begun"], found["middle"])
    assert found["off"] == 0


@pytest.mark.parametrize("how", ["no motion is wanted", "the place is the same", "an image of all cells is shown"])
def test_nothing_travels_where(page: Any, how: str) -> None:
    wanted = "replace(window, 'matchMedia', () => (query) => ({ matches: query.includes('reduce') }));"
    found = run(
        page,
        OPEN
        + (wanted if how == "no motion is wanted" else "")
        + f"""const isImage = {str("image" in how).lower()};
        if (isImage) w.widget.store.set({{ points: {{ ...w.widget.store.get().points, aggregated: true }} }});
        const embedding = {"'umap'" if "same" in how else "'other'"};
        sendPoints(w.model, {{ xy: THERE, embedding, aggregated: isImage }});
        await frames();
        const shownAt = places(w);
        const fading = w.host.querySelectorAll("canvas:not(.cxg-plot):not(.cxg-landmarks)").length;
        return {{ shownAt, fading }};""",
    )
    assert near(found["shownAt"], [[1, 1], [0.2, 0.6], [0.9, 0]])
    assert found["fading"] == ("image" in how)
