"""A page that `w.save` wrote opens from the disk without a network: it pans, zooms, tells of cells and recolors."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.color.palettes import category_palette
from tests.browser.axe import violations
from tests.browser.panels_page import expect
from tests.memory import small

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

N = 3_000
EVIL = "</title></script><script>window.ran = 1</script><!--"


def open_file(chromium: Any, path: Path, **options: Any) -> Any:
    """A page of a file that is ready, as `open_any` opens it."""
    page = open_any(chromium, path, **options)
    ready(page)
    return page


def open_any(chromium: Any, path: Path, *, dark: bool = False, width: int = 1000, height: int = 640) -> Any:
    """A page of a file, with what it asked for elsewhere and what went wrong as `page.wrong`."""
    scheme = "dark" if dark else "light"
    context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.on("console", lambda message: page.wrong.append(message.text))
    page.on("request", lambda one: one.url.startswith(("file:", "blob:", "data:")) or page.wrong.append(one.url))
    page.goto(path.as_uri())
    return page


def ready(page: Any) -> None:
    page.locator(".cxg-widget[data-cxg-state=ready]").wait_for()


def canvas(page: Any) -> np.ndarray:
    ready(page)
    page.wait_for_timeout(250)
    url = page.locator("canvas.cxg-plot").first.evaluate("(canvas) => canvas.toDataURL()")
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(url.split(",")[1]))).convert("RGBA"))


def colors_of(picture: np.ndarray) -> set[str]:
    opaque = picture[picture[..., 3] == 255][:, :3]
    values, counts = np.unique(opaque.reshape(-1, 3), axis=0, return_counts=True)
    return {"#{:02x}{:02x}{:02x}".format(*one) for one in values[counts > 200]}


@pytest.fixture(scope="module")
def data() -> Any:
    one = small(N)
    one.title = EVIL
    return one


def test_a_file_pans_zooms_tells_of_cells_and_recolors_without_kernel_or_network(
    chromium: Any, data: Any, tmp_path: Path
) -> None:
    how = {"pinned_genes": ["DENSE"], "labels": "cell_type", "hover": ["n_genes", "donor name"], "opacity": 1.0}
    w = CxgWidget(data, color="cell_type", **how)
    w.save(tmp_path / "a b.html")
    page = open_file(chromium, tmp_path / "a b.html")
    assert page.title() == EVIL
    stored = category_palette(list(data.codes("cell_type").categories), {"B cell": "#123456"}, None)
    first = canvas(page)
    assert set(stored) <= colors_of(first)
    assert page.locator(".legend .row .label").all_inner_texts() == [*data.codes("cell_type").categories, "(missing)"]
    box = page.locator("[role=application]").bounding_box()
    pan_and_zoom(page, box, first)
    alone, place = most_alone(data.embedding("umap")), data_to_px(first, data.embedding("umap"), box)
    for row in alone:
        page.mouse.move(*place(row))
        tip = page.locator(".tooltip")
        tip.get_by_text(re.compile(rf"^cell {row}$")).wait_for()
        record = data.obs_record(int(row))
        told = dict(zip(tip.locator("dt").all_inner_texts(), tip.locator("dd").all_inner_texts(), strict=True))
        assert told == {"n_genes": str(record["n_genes"]), "donor name": record["donor name"]}
        assert tip.locator(".value").inner_text() == (record["cell_type"] or "(missing)")
    color_by_a_gene(page, data.vector("DENSE").dense(N), alone, place, box)
    page.locator("[role=application]").focus()
    page.keyboard.press("l")
    assert (
        page.locator(".notice")
        .inner_text()
        .startswith("This file contains cell_type, DENSE, n_genes and 1 more. Open the dataset for anything else.")
    )
    assert page.locator(".toolbar").get_by_role("button", name="Lasso").count() == 0
    assert page.evaluate("window.ran") is None
    assert page.wrong == []
    page.context.close()
    w.close()


def pan_and_zoom(page: Any, box: dict[str, float], first: np.ndarray) -> None:
    """Scroll to zoom, a drag moves what is drawn, and a button shows everything again."""
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(300)
    closer = canvas(page)
    assert (closer[..., 3] > 0).mean() > 1.5 * (first[..., 3] > 0).mean()
    page.mouse.down()
    page.mouse.move(middle[0] + 80, middle[1] + 30, steps=4)
    page.mouse.up()
    np.testing.assert_array_equal(closer[100:-100, 100:-200], canvas(page)[130:-70, 180:-120])
    page.get_by_role("button", name="Reset view").click()
    page.wait_for_timeout(500)
    np.testing.assert_array_equal(canvas(page), first)


def color_by_a_gene(page: Any, values: np.ndarray, rows: np.ndarray, place: Any, box: dict[str, float]) -> None:
    """A pinned gene is found by its name, and colors the cells between the limits in the legend."""
    viridis = pytest.importorskip("matplotlib").colormaps["viridis"]
    page.get_by_role("combobox", name="Color by").click()
    page.keyboard.type("dens")
    page.get_by_role("option", name=re.compile("DENSE")).wait_for()
    page.keyboard.press("Enter")
    page.locator(".legend.continuous").wait_for()
    assert page.get_by_role("heading", name="DENSE").is_visible()
    low, high = (float(one.input_value()) for one in page.locator(".legend input[type=text]").all()[:2])
    assert (low, high) == pytest.approx((values.min(), values.max()), rel=1e-3)
    picture = canvas(page)
    for row in rows:
        x, y = place(row)
        found = picture[round(y - box["y"]), round(x - box["x"]), :3].astype(int)
        expected = 255 * np.array(viridis((values[row] - low) / (high - low))[:3])
        assert np.abs(found - expected).max() <= 4


def most_alone(xy: np.ndarray, n: int = 3) -> np.ndarray:
    """The cells that are furthest from any other, but for those at the very edge."""
    near = np.array([np.partition(np.hypot(*(xy - one).T), 1)[1] for one in xy])
    inside = ((xy > np.quantile(xy, 0.01, axis=0)) & (xy < np.quantile(xy, 0.99, axis=0))).all(axis=1)
    return np.argsort(np.where(inside, -near, 0))[:n]


def data_to_px(picture: np.ndarray, xy: np.ndarray, box: dict[str, float]) -> Any:
    """Where a place is on the screen: what is drawn spans what the cells do, as much on either axis."""
    lines, columns = np.nonzero(picture[..., 3])
    low, high = xy.min(axis=0), xy.max(axis=0)
    left, right, top, bottom = columns.min(), columns.max() + 1, lines.min(), lines.max() + 1
    scale = picture.shape[1] / box["width"]
    size = (right - left - (bottom - top)) / ((high - low)[0] - (high - low)[1])
    center = (left + right) / 2, (top + bottom) / 2
    middle = (low + high) / 2

    def place(row: int) -> tuple[float, float]:
        x, y = (xy[row] - middle) * size
        return box["x"] + (center[0] + x) / scale, box["y"] + (center[1] - y) / scale

    return place


def test_panels_filters_and_a_hidden_category_are_in_the_file_as_on_the_screen(
    chromium: Any, data: Any, tmp_path: Path
) -> None:
    w = CxgWidget(data, color="cell_type", hidden=["T cell"], panels=[{}, {"embedding": "pca", "color": "n_counts"}])
    w.filter("n_genes > 2000")
    w.save(tmp_path / "a.html", width=820, height=420)
    passes = data.numbers("n_genes") > 2000
    shown = passes & (data.codes("cell_type").codes != 0)
    page = open_file(chromium, tmp_path / "a.html", dark=True, width=700, height=500)
    page.locator("[role=application]").nth(1).wait_for()
    page.wait_for_timeout(1_000)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(24, 26, 29)"
    assert f"{shown.sum():,} of {passes.sum():,} cells shown" in page.locator(".status").inner_text()
    page.get_by_role("combobox", name="Color by").click()
    page.get_by_role("option", name="n_counts").click()
    page.locator(".legend.continuous").wait_for()  # and the cells of that category stay hidden
    page.locator(".status").get_by_text(f"{shown.sum():,} of {passes.sum():,} cells shown").wait_for()
    page.get_by_role("combobox", name="Color by").click()
    page.get_by_role("option", name="cell_type").click()
    assert violations(page, "body") == {}
    page.get_by_role("button", name="Show all").click()
    page.locator(".status").get_by_text(re.compile(rf"^{passes.sum():,} cells$")).wait_for()
    assert page.wrong == []
    page.context.close()
    w.close()


def test_what_is_hidden_in_another_legend_leaves_counts_of_the_cells_that_pass(
    chromium: Any, data: Any, tmp_path: Path
) -> None:
    w = CxgWidget(data, color="cell_type")
    w.select({"is_doublet": True})
    w.save(tmp_path / "a.html", colors=["is_doublet"])
    kinds, doublet = data.codes("cell_type"), np.asarray(data.codes("is_doublet").codes) == 1
    passes = kinds.codes != 0
    page = open_file(chromium, tmp_path / "a.html")
    page.get_by_role("option", name=re.compile("^T cell")).click()
    page.get_by_role("combobox", name="Color by").click()
    page.get_by_role("option", name="is_doublet").click()
    row = page.get_by_role("option", name=re.compile("^True"))
    page.locator(".status").get_by_text(f"{(doublet & passes).sum():,} pass").wait_for()
    assert row.locator(".counts").inner_text().split() == [str((doublet & passes).sum())] * 2
    n, others = passes.sum(), (~doublet & passes).sum()
    described = page.locator("#described")
    expect(described).to_contain_text(f"False {others:,} ({100 * others / n:.0f}\u00a0%)")
    page.locator(".status").get_by_role("button", name="Clear").click()
    told = f"{(~doublet).sum():,} cells, {others:,} pass"
    expect(page.get_by_role("option", name=re.compile("^False"))).to_have_attribute("title", re.compile(told))
    assert page.wrong == []
    page.context.close()
    w.close()


def test_where_limits_are_finer_than_the_numbers_of_a_file_its_page_says_how_far_colors_round(
    chromium: Any, tmp_path: Path
) -> None:
    dataset = small(300)
    dataset._obs["n_counts"] = np.append(np.random.default_rng(0).random(299), 1e6)
    w = CxgWidget(dataset, color="n_counts", vmax=1e6, vmin=0)
    w.save(tmp_path / "outlier.html")
    page = open_file(chromium, tmp_path / "outlier.html")
    upper = page.get_by_label("Upper limit: a number")
    upper.fill("500000")
    upper.press("Enter")
    page.wait_for_timeout(300)
    assert page.locator(".notice").count() == 0
    upper.fill("100")
    upper.press("Enter")
    # 65,534 steps from 0 to a million: 6.55 of them up to 100.
    page.locator(".notice").get_by_text("Colors between 0 and 100 round to 7 steps").wait_for()
    assert page.wrong == []
    page.context.close()
    w.close()


@pytest.mark.parametrize("background", [None, "white"])
def test_a_page_in_a_frame_takes_the_background_of_the_site_unless_it_has_one_of_its_own(
    chromium: Any, tmp_path: Path, background: str | None
) -> None:
    widget = CxgWidget(small(N), color="cell_type", background=background)
    widget.save(tmp_path / "cells.html")
    widget.close()
    site = tmp_path / "site.html"
    site.write_text('<iframe src="cells.html" width="900" height="600"></iframe>', encoding="utf-8")
    page = chromium.new_context(color_scheme="light", offline=True).new_page()
    page.goto(site.as_uri())
    frame = page.frames[1]
    frame.locator(".cxg-widget[data-cxg-state=ready]").wait_for()
    seen = []
    for named in ("dark", "white"):
        page.evaluate("(background) => frames[0].postMessage({ background }, '*')", named)
        theme = "dark" if named == "dark" and background is None else "light"
        frame.locator(f".cxg-widget[data-theme={theme}], .cxg-widget :is([data-theme={theme}])").first.wait_for()
        seen.append(frame.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    dark = "rgb(24, 26, 29)" if background is None else "rgb(255, 255, 255)"
    assert seen == [dark, "rgb(255, 255, 255)"]


def test_an_exported_notebook_has_live_pages_that_open_once_they_are_seen_and_pictures_on_paper(
    chromium: Any, data: Any, tmp_path: Path
) -> None:
    nbformat, nbconvert = pytest.importorskip("nbformat.v4"), pytest.importorskip("nbconvert")
    w = CxgWidget(data, color="cell_type", opacity=1.0)
    shown = [nbformat.new_output("execute_result", w.embed(colors=["DENSE"])._repr_mimebundle_()) for _ in range(2)]
    notebook = nbformat.new_notebook(cells=[nbformat.new_code_cell("w.embed()", outputs=[one]) for one in shown])
    html, _ = nbconvert.HTMLExporter(template_name="basic").from_notebook_node(
        notebook
    )  # of others, scripts are far away
    (tmp_path / "notebook.html").write_text(f"<body>{html}</body>", encoding="utf-8")
    page = open_any(chromium, tmp_path / "notebook.html", dark=True, height=700)
    first, second = page.frames[1:]
    ready(first)
    assert page.locator("iframe").nth(0).bounding_box()["height"] == 600
    stored = category_palette(list(data.codes("cell_type").categories), {"B cell": "#123456"}, None)
    assert set(stored) <= colors_of(canvas(first))
    # The notebook is white whatever the system prefers, and so are its frames.
    assert first.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    around = {"color: rgb(230, 230, 230)": 24, "color: rgb(230, 230, 230); background: #eee": 255}
    for style, red in around.items():
        page.evaluate("(style) => document.body.setAttribute('style', style)", style)
        page.locator("iframe").nth(0).dispatch_event("load")
        first.locator(f"html[data-background={'dark' if red == 24 else 'white'}]").wait_for()
        assert first.evaluate("getComputedStyle(document.body).backgroundColor").startswith(f"rgb({red},")
    first.get_by_role("option", name=re.compile("^T cell")).click()
    first.locator(".status").get_by_text("cells shown").wait_for()
    first.get_by_role("combobox", name="Color by").click()
    first.get_by_role("option", name=re.compile("DENSE")).click()
    first.locator(".legend.continuous").wait_for()
    inner = first.locator("canvas.cxg-plot").bounding_box()
    lines, columns = np.nonzero(canvas(first)[..., 3])
    page.mouse.move(inner["x"] + float(columns[len(columns) // 2]), inner["y"] + float(lines[len(lines) // 2]))
    first.locator(".tooltip").get_by_text(re.compile(r"^(cell \d+|\d+ cells)$")).wait_for()
    assert second.locator("canvas.cxg-plot").count() == 0
    page.locator("iframe").nth(1).scroll_into_view_if_needed()
    ready(second)
    assert set(stored) <= colors_of(canvas(second))
    assert first.evaluate("window.ran") is None
    assert page.wrong == []
    page.emulate_media(media="print")
    assert [page.locator(one).nth(1).is_visible() for one in ("iframe", "img")] == [False, True]
    page.context.close()
    w.close()


def test_a_frame_whose_host_lets_no_page_open_leaves_the_picture_to_see(
    chromium: Any, data: Any, tmp_path: Path
) -> None:
    w = CxgWidget(data, color="cell_type", opacity=1.0)
    policy = "<meta http-equiv='Content-Security-Policy' content=\"script-src 'unsafe-inline'\">"
    dark = "<style>:root { color-scheme: dark }</style>"
    (tmp_path / "site.html").write_text(policy + dark + w.embed().html, encoding="utf-8")
    page = open_any(chromium, tmp_path / "site.html", dark=True)
    page.frames[1].locator("html[hidden]").wait_for(state="attached")
    assert "#123456" in colors_of(np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGBA")))
    page.context.close()
    w.close()


def test_an_embedded_page_is_live_where_a_module_renders_it_into_a_shadow_root_as_the_directive_of_myst_does(
    data: Any, chromium: Any, tmp_path: Path
) -> None:
    w = CxgWidget(data, color="cell_type", opacity=1.0)
    rendered = """<div id="root"></div><script type="module">
        const widget = { render({ el }) { el.innerHTML = PAGE; } };
        const el = document.createElement("div");
        document.querySelector("#root").attachShadow({ mode: "open" }).append(el);
        widget.render({ el });
    </script>"""
    page_of_widget = json.dumps(w.embed().html).replace("</", "<\\/")
    (tmp_path / "myst.html").write_text(rendered.replace("PAGE", page_of_widget), encoding="utf-8")
    page = open_any(chromium, tmp_path / "myst.html")
    ready(page.frames[1])
    assert "#123456" in colors_of(canvas(page.frames[1]))
    page.context.close()
    w.close()
