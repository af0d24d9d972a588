"""Laws of repainting: where most cells have none of a gene, only the others are drawn, and nobody can tell."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.engine import run

pytestmark = pytest.mark.browser

N = 12_000
SHOW = f"""
const {{ xy, codes }} = clusters({N});
const level = (code, i, every) => (code === 2 && i % every === 0 ? 1 + ((i * 7919) % 65534) : 0);
const genes = [3, 5].map((every) => Uint16Array.from(codes, (code, i) => level(code, i, every)));
const nEntries = genes.map((gene) => gene.filter((code) => code > 0).length);
const show = async (options, color) => {{
  const w = open_(options);
  color(w);
  sendPoints(w.model, {{ xy }});
  await ready(w);
  return w;
}};
const byCategory = (w) => sendColor(w.model, {{ scale: "categorical", codes, colors: OKABE }});
const byGene = (which) => (w) => sendGene(w.model, {{ codes: genes[which] }});
let drawn = 0;
replace(WebGL2RenderingContext.prototype, "drawArrays", (drawArrays) => function (mode, first, count) {{
  if (mode === this.POINTS) drawn += count;
  drawArrays.call(this, mode, first, count);
}});
"""


def test_a_gene_over_the_picture_at_hand_draws_its_cells_alone_and_is_the_same_picture(
    page: Any, drawn_by: str
) -> None:
    found = run(
        page,
        f"""{SHOW}
        const w = await show({{ traits: {{ point_size: 2, opacity: 1 }} }}, byCategory);
        const results = [];
        for (const which of [0, 1]) {{
          drawn = 0;
          byGene(which)(w);
          await ready(w);
          const cost = drawn;
          const fresh = await show({{ traits: {{ point_size: 2 }} }}, byGene(which));
          const hasPoints = pixels(fresh).some((value) => value > 0);
          results.push([difference(pixels(w), pixels(fresh)), cost, nEntries[which], hasPoints]);
          fresh.close();
        }}
        return results;""",
    )
    for different, cost, n_entries, has_points in found:
        assert has_points
        assert different == 0
        assert cost == n_entries or drawn_by == "cpu"


@pytest.mark.parametrize("change", ["['vmax', 0.3]", "['vmin', 0.5]", "['cmap', 'magma']"])
def test_limits_and_colormaps_of_a_gene_draw_its_cells_alone_and_give_the_same_picture(
    page: Any, drawn_by: str, change: str
) -> None:
    different, cost, n_entries = run(
        page,
        f"""{SHOW}
        const [name, value] = {change};
        const w = await show({{ traits: {{ point_size: 2 }} }}, byGene(0));
        drawn = 0;
        w.widget.actions.setTrait(name, value);
        await ready(w);
        const cost = drawn;
        const fresh = await show({{ traits: {{ point_size: 2, [name]: value }} }}, byGene(0));
        return [difference(pixels(w), pixels(fresh)), cost, nEntries[0]];""",
    )
    assert different == 0
    assert cost == n_entries or drawn_by == "cpu"


@pytest.mark.parametrize(
    ("why", "traits", "before"),
    [
        ("some cells were hidden", "{ point_size: 2, hidden: ['category 2'] }", ""),
        ("points have soft edges", "{ point_size: 8 }", ""),
        ("points are transparent", "{ point_size: 2, opacity: 0.5 }", ""),
        (
            "cells are selected",
            "{ point_size: 2 }",
            "sendSelection(w.model, Array.from(codes, (code) => Number(code === 2)));",
        ),
        ("the picture was half there", "{ point_size: 2 }", "half = true;"),
        ("the picture has moved", "{ point_size: 2 }", "w.model.set('view', [0.3, 0.7, 0.3, 0.7]);"),
    ],
)
def test_everything_is_drawn_anew_where_places_alone_do_not_say_what_points_cover(
    page: Any, drawn_by: str, why: str, traits: str, before: str
) -> None:
    different, cost = run(
        page,
        f"""{SHOW}
        let half = false;
        const begin = async () => {{
          const w = open_({{ traits: {traits} }});
          byCategory(w);
          sendPoints(w.model, {{ xy, to: {N} / 2 }});
          await sleep(50);
          {before}
          if (!half) {{
            sendPoints(w.model, {{ xy, from: {N} / 2, seq: seqs.points }});
            await ready(w);
          }}
          return w;
        }};
        const w = await begin();
        drawn = 0;
        byGene(0)(w);
        if (half) sendPoints(w.model, {{ xy, from: {N} / 2, seq: seqs.points }});
        w.model.set("hidden", []);
        await ready(w);
        const cost = drawn;
        const fresh = open_({{ traits: {{ ...{traits}, hidden: [], view: w.model.get("view") }} }});
        byGene(0)(fresh);
        sendPoints(fresh.model, {{ xy }});
        const flags = Array.from(codes, (code) => Number(code === 2));
        if ({str("selected" in why).lower()}) sendSelection(fresh.model, flags);
        await ready(fresh);
        return [difference(pixels(w), pixels(fresh)), cost];""",
    )
    assert different == 0
    assert cost >= N or why == "the picture has moved" or drawn_by == "cpu"


def test_hidden_then_shown_values_never_leave_a_hole(page: Any) -> None:
    different = run(
        page,
        f"""{SHOW}
        const w = await show({{ traits: {{ point_size: 2 }} }}, byGene(0));
        byCategory(w);
        await ready(w);
        w.model.set("hidden", ["category 2"]);
        await ready(w);
        byGene(1)(w);
        await ready(w);
        const fresh = await show({{ traits: {{ point_size: 2, hidden: ["category 2"] }} }}, byGene(1));
        return difference(pixels(w), pixels(fresh));""",
    )
    assert different == 0


@pytest.mark.parametrize(
    "traits", ["{ point_size: 2, opacity: 1 }", "{ point_size: 8, opacity: 1 }", "{ point_size: 3, opacity: 0.5 }"]
)
def test_what_the_filters_leave_out_is_not_drawn_and_comes_back(page: Any, traits: str) -> None:
    found = run(
        page,
        f"""{SHOW}
        const passes = Array.from(codes, (_, i) => Number(i % 3 === 0));
        const some = Array.from(codes, (_, i) => Number(i % 2 === 0));
        const byNothing = (w) => sendColor(w.model, {{ scale: "none", n: codes.length }});
        const nowhere = xy.map((at, i) => (passes[i >> 1] ? at : NaN));
        const results = [];
        const cases = [[byCategory, false], [byGene(0), false], [byNothing, true], [byGene(0), true]];
        for (const [paint, isSelecting] of cases) {{
          const begin = async () => {{
            const w = await show({{ traits: {traits} }}, paint);
            if (isSelecting) sendSelection(w.model, some);
            await ready(w);
            return w;
          }};
          const [w, gone] = [await begin(), await begin()];
          const all = pixels(w);
          sendFilter(w.model, passes);
          sendPoints(gone.model, {{ xy: nowhere }});
          await Promise.all([ready(w), ready(gone)]);
          const [filtered, expected] = [pixels(w), pixels(gone)];
          sendFilter(w.model, passes.map(() => 1));
          await ready(w);
          results.push([difference(filtered, expected), difference(filtered, all) > 0, difference(pixels(w), all)]);
          w.close();
          gone.close();
        }}
        return results;""",
    )
    assert found == [[0, True, 0]] * 4
