"""Opacity follows density where categories share pixels: in points, in images, and from one to the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.spatial.view import contain, within
from tests.browser.engine import run
from tests.browser.served_widget import ServedWidget
from tests.browser.test_figures import on_screen
from tests.memory import small

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

BLOB = """
const random = (seed) => () => ((seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff), seed / 0x80000000);
const next = random(5);
/** A Gaussian blob around the middle, with a standard deviation of 0.12. */
const blob = (n) => Array.from({ length: n }, () => {
  const [r, way] = [0.12 * Math.sqrt(-2 * Math.log(1 - next())), 2 * Math.PI * next()];
  return [0.5 + r * Math.cos(way), 0.5 + r * Math.sin(way)];
});
const shown = async (n, traits = {}) => {
  const w = open_({ traits: { view: [0, 1, 0, 1], point_size: 2, ...traits } });
  sendColor(w.model, { scale: "categorical", codes: new Uint8Array(n), colors: ["#0000ff"] });
  sendPoints(w.model, { xy: [...blob(n - 2), [0, 0], [1, 1]] });
  await ready(w);
  return w;
};
/** How far the pixels within 20 px of a place are from white, 0 to 1. */
const ink = (w, x) => {
  let sum = 0;
  for (let i = 0; i < 100; i++) sum += 255 - pixel(w, x - 10 + (i % 10) * 2, 190 + 2 * Math.floor(i / 10))[0];
  return sum / 100 / 255;
};
"""


def test_the_middle_of_a_blob_of_one_category_is_stronger_than_its_rim(page: Any) -> None:
    middle, rim, was = run(
        page,
        f"""{BLOB}
        const [now, before] = [await shown(100_000), await shown(100_000, {{ opacity: 1 }})];
        return [ink(now, 200), ink(now, 290), [ink(before, 200), ink(before, 290)]];""",
    )
    assert min(was) > 0.9  # a flat blob
    assert middle > 0.9
    assert rim < 0.8 * middle


def test_where_cells_have_room_beside_each_other_they_are_opaque(page: Any) -> None:
    few, close, faint = run(
        page,
        f"""{BLOB}
        const alpha = (w, of) => {{
          const found = pixels(w).filter((one, i) => i % 4 === 3 && one > 0);
          return found.reduce((a, b) => of(a, b));
        }};
        const [few, many] = [await shown(100), await shown(100_000)];
        const faint = alpha(many, Math.min);
        many.model.set("view", [0.6, 0.61, 0.5, 0.51]);
        await ready(many);
        return [alpha(few, Math.max), alpha(many, Math.max), faint];""",
    )
    assert (few, close) == (255, 255)
    assert 38 <= faint <= 120


def test_a_selection_and_numbers_leave_points_as_they_were(page: Any) -> None:
    found = run(
        page,
        f"""{BLOB}
        const most = async (w) => {{
          await ready(w);
          const found = pixels(w);
          let pale = 0;
          for (let at = 3; at < found.length; at += 4) pale += found[at] > 0 && found[at] < 255;
          return pale;
        }};
        const w = await shown(20_000);
        const pale = [await most(w)];
        w.widget.actions.highlight(0);
        pale.push(await most(w));
        w.widget.actions.highlight(-1);
        pale.push(await most(w));
        return pale;""",
    )
    assert found[0] > 1_000
    assert found[1] == 0
    assert found[2] == found[0]


def test_an_image_is_as_strong_as_the_cells_that_take_its_place(chromium: Any) -> None:
    n, found = 60_000, []
    data = small(n)
    xy = data.embedding("umap")
    middle, side = np.median(xy, axis=0), np.ptp(xy, axis=0) / 4
    asked = (middle[0] - side[0], middle[0] + side[0], middle[1] - side[1], middle[1] + side[1])
    stage = ServedWidget(chromium, CxgWidget(data, height=420), width=760, height=460)
    view = contain(asked, stage.plot(0)[2:], y_down=False)
    stage.close()
    n_inside = int(within(xy, (*sorted(view[:2]), *sorted(view[2:]))).sum())
    assert 10_000 < n_inside < 50_000
    for max_points in (n_inside + n // 100, n_inside - n // 100):
        w = CxgWidget(small(n), color="cell_type", height=420, max_points=max_points, view=view)
        stage = ServedWidget(chromium, w, width=760, height=460)
        found.append(255 - on_screen(stage).mean(axis=2))
        kinds = {kind for kind, _, _ in stage.said}
        assert ("image" in kinds, "cells" in kinds) == (max_points < n_inside, max_points > n_inside)
        stage.close()
    points, image = found
    blocks = [one[: one.shape[0] // 20 * 20, : one.shape[1] // 20 * 20] for one in (points, image)]
    means = [one.reshape(one.shape[0] // 20, 20, -1, 20).mean(axis=(1, 3)) for one in blocks]
    assert points.mean() == pytest.approx(image.mean(), rel=0.15)
    assert np.corrcoef(means[0].ravel(), means[1].ravel())[0, 1] > 0.97
