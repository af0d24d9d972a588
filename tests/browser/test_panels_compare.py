"""The panel of comparisons of a real widget: a hand compares, sorts, cuts off, brushes; the numbers are Python's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.wire import protocol
from cxg_widget.wire.frames import Frame
from tests.browser.axe import violations
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]

N, N_GENES = 600, 300


def three_types() -> MemoryDataset:
    """Cells of three types, log1p values, a gene that has one value in all cells, names that are no markup."""
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, N).astype(np.int8)
    fold = np.exp(rng.normal(0, 0.8, (3, N_GENES)))
    x = np.log1p(rng.poisson(rng.gamma(1, 1.0, N_GENES) * fold[codes]) / 2).astype(np.float32)
    x[:, 3] = 0
    names = [f"G{i}" for i in range(N_GENES)]
    names[0], names[1] = "<b>G0</b>", "=G1"
    xy = (np.eye(3)[codes][:, :2] * 6 + rng.normal(size=(N, 2))).astype(np.float32)
    obs = {"type": Codes(codes, ("<i>A</i>", "B", "C")), "score": xy[:, 0].copy()}
    return MemoryDataset(obs, x, names, {"umap": xy})


@pytest.fixture(scope="module")
def widget() -> Iterator[CxgWidget]:
    one = CxgWidget(three_types(), color="type", height=680)
    one.sets.add("<i>A</i>", {"type": "<i>A</i>"})
    yield one
    one.close()


@pytest.fixture
def panel(chromium: Any, widget: CxgWidget, request: Any) -> Iterator[tuple[ServedWidget, Any]]:
    served = ServedWidget(chromium, widget, height=720, **request.param)
    widget.open_panels = ["compare"]
    served.tell()
    yield served, served.page.locator("#compare")
    served.leave()


def listed(panel: Any) -> list[str]:
    """Return the names of the rows in sight."""
    return list(panel.locator(".lines [role=rowheader]").all_inner_texts())


def settle(served: ServedWidget) -> None:
    """Let the kernel answer, and the page draw it."""
    for _ in range(2):
        served.tell()


def cut(frame: pd.DataFrame) -> pd.DataFrame:
    """Return what passes the cut-offs that are set at first."""
    return frame[(frame["log2fc"].abs() >= 1) & (frame["p_adj"] <= 0.05)]


@pytest.mark.parametrize("panel", [{"width": 1100}], indirect=True)
def test_a_hand_compares_and_table_volcano_gene_set_and_file_hold_what_python_has(
    panel: tuple[ServedWidget, Any], widget: CxgWidget, tmp_path: Path
) -> None:
    served, panel_ = panel
    panel_.get_by_label("Compare", exact=True).select_option("set:<i>A</i>")
    panel_.get_by_label("by", exact=True).select_option("wilcoxon")
    panel_.get_by_role("button", name="Compare", exact=True).click()
    settle(served)
    found = widget._session.comparisons._made.found
    frame = cut(found.frame())
    rows = listed(panel_)
    assert len(rows) > 4
    assert rows == frame.index[: len(rows)].tolist()  # the highest statistic first
    for head, ascending in (("p_adj", True), ("log2fc", False), ("log2fc", True)):
        column = panel_.get_by_role("columnheader", name=head)
        column.click()
        expect(column).to_have_attribute("aria-sort", "ascending" if ascending else "descending")
        wanted = frame[head].to_numpy()
        shown = frame.loc[listed(panel_), head].to_numpy()
        np.testing.assert_allclose(shown, np.sort(wanted)[:: 1 if ascending else -1][: len(shown)], rtol=1e-6)
    assert violations(served.page, "#el") == {}

    chosen = panel_.locator(".lines .line").nth(2)
    name = chosen.locator("[role=rowheader]").inner_text()
    chosen.click()
    settle(served)
    assert widget.color == f"var:{name}"
    expect(panel_.locator(".line[aria-selected=true] [role=rowheader]")).to_have_text(name)
    panel_.get_by_role("button", name=f"Pin {name}").click()
    settle(served)
    assert widget.genes.pinned == (name,)

    volcano = panel_.locator(".volcano")
    box = volcano.bounding_box()
    # A drag over the left half chooses what is lower in a.
    served.page.mouse.move(box["x"] + 34, box["y"] + 1)
    served.page.mouse.down()
    middle = box["x"] + 33 + (box["width"] - 41) / 2
    served.page.mouse.move(middle, box["y"] + box["height"] - 34, steps=3)
    served.page.mouse.up()
    lower = frame[frame["log2fc"] < 0]
    expect(panel_.get_by_text(f"{len(lower)} of 300 genes")).to_be_visible()
    panel_.get_by_label("Name of a gene set").fill("<u>lower</u>")
    panel_.get_by_role("button", name="Create gene set").click()
    settle(served)
    assert sorted(widget.genes.sets["<u>lower</u>"]) == sorted(lower.index)
    with served.page.expect_download() as download:
        panel_.get_by_role("button", name="CSV").click()
        settle(served)
    found.to_csv(tmp_path / "python.csv")
    assert Path(download.value.path()).read_bytes() == (tmp_path / "python.csv").read_bytes()


@pytest.mark.parametrize("panel", [{"width": 900}], indirect=True)
def test_a_hand_compares_two_categories_of_a_column_and_the_numbers_are_pythons(
    panel: tuple[ServedWidget, Any], widget: CxgWidget
) -> None:
    served, panel_ = panel
    before = widget._session.comparisons._made
    for side, category in (("Compare", "B"), ("with", "C")):
        panel_.get_by_label(side, exact=True).select_option(label="type")
        settle(served)
        field = panel_.locator("select[aria-label='Category of type']").nth(0 if side == "Compare" else 1)
        expect(field.locator("option")).to_have_text(["<i>A</i>", "B", "C"])
        field.select_option(label=category)
    assert violations(served.page, "#el") == {}
    panel_.get_by_role("button", name="Compare", exact=True).click()
    settle(served)
    made = widget._session.comparisons._made
    assert made is not before
    wanted = widget.compare({"type": "B"}, {"type": "C"}).frame()
    pd.testing.assert_frame_equal(made.found.frame(), wanted)
    line = panel_.locator(".question-line")
    expect(line).to_be_visible()
    assert line.evaluate("(one) => one.scrollWidth <= one.clientWidth"), "it wraps, and is not cut"


@pytest.mark.parametrize("panel", [{"width": 500, "dark": True}], indirect=True)
def test_markers_of_python_are_shown_by_group_and_a_point_that_is_clicked_is_the_row_in_the_table(
    panel: tuple[ServedWidget, Any], widget: CxgWidget
) -> None:
    served, panel_ = panel
    found = widget.markers(by="type")
    settle(served)
    panel_.get_by_label("Group").select_option(label="B")
    panel_.get_by_label("Group").press("v")  # the letter that opens the panel, and is meant for the list
    settle(served)
    expect(panel_.locator(".what")).to_have_text(found["B"].description)  # drawn with its rows
    names = cut(found["B"].frame()).index
    assert listed(panel_) == names[: len(listed(panel_))].tolist()
    box = panel_.locator(".volcano").bounding_box()
    tip = panel_.locator(".volcano .value")
    for step in range(60):
        served.page.mouse.move(box["x"] + box["width"] - 8 - 2 * step, box["y"] + 10 + 3 * step)
        if tip.count() and tip.inner_text() in names:
            break
    pointed = tip.inner_text()
    served.page.mouse.down()
    served.page.mouse.up()
    settle(served)
    assert widget.color == f"var:{pointed}"
    expect(panel_.locator(".line[aria-selected=true] [role=rowheader]")).to_have_text(pointed)
    panel_.get_by_label("Find genes").fill(" =g1")
    expect(panel_.locator(".lines")).not_to_contain_text("G2")
    panel_.get_by_role("button", name="Show all").click()
    heads = panel_.get_by_role("columnheader", name="statistic")
    for _ in range(2):  # what was not tested is last in both directions
        heads.evaluate("(one) => one.click()")
        panel_.get_by_role("grid").focus()
        served.page.keyboard.press("Control+End")
        expect(panel_.locator(".lines [role=rowheader]").last).to_have_text("G3")
    assert violations(served.page, "#el", "color-contrast", "scrollable-region-focusable") == {}


@pytest.mark.parametrize("panel", [{"width": 600}, {"width": 900, "dark": True}], indirect=True)
def test_the_column_that_the_table_is_sorted_by_is_in_sight_beside_the_names(
    panel: tuple[ServedWidget, Any], widget: CxgWidget
) -> None:
    served, panel_ = panel
    widget.compare("<i>A</i>", method="wilcoxon")
    settle(served)

    def check(name: str) -> None:
        expect(panel_.get_by_role("columnheader", name=name, exact=True)).not_to_have_attribute("aria-sort", "none")
        served.page.wait_for_function(
            """() => {
                const grid = document.querySelector("#el > *").shadowRoot.querySelector("#compare [role=grid]");
                const head = grid.querySelector("[aria-sort$=scending]").getBoundingClientRect();
                const names = grid.querySelector(".datum").getBoundingClientRect();
                const { left } = grid.getBoundingClientRect();
                return head.left >= names.right - 1 && head.right <= left + grid.clientWidth + 2;
            }"""
        )

    check("statistic")
    head = panel_.get_by_role("columnheader", name="n_b", exact=True)
    head.evaluate("(one) => one.click()")  # a click scrolls nothing
    check("n_b")
    panel_.get_by_role("columnheader", name="log2fc").evaluate("(one) => one.click()")
    check("log2fc")


@pytest.mark.parametrize("panel", [{"width": 900}], indirect=True)
def test_while_a_comparison_reads_the_panel_and_the_footer_say_what_and_how_much_of_it(
    panel: tuple[ServedWidget, Any],
) -> None:
    served, panel_ = panel
    panel_.get_by_label("Compare", exact=True).select_option("set:<i>A</i>")
    served.page.evaluate("() => { window.toKernel = () => new Promise(() => {}); }")  # it has not answered yet
    panel_.get_by_role("button", name="Compare", exact=True).click()
    expect(panel_.get_by_text("Reading…")).to_be_visible()
    for done, what in ((0.6, "Reading genes 12,000 of 20,000"), (0.05, "Ranking genes 1,000 of 20,000")):
        content, _ = Frame(protocol.Progress("reading", done, "compare", what)).pack(0)
        served.page.evaluate("(content) => take([['msg', content, []]])", content)
        expect(panel_.get_by_text(f"{what}, {100 * done:.0f}\u00a0%")).to_be_visible()
        expect(served.page.locator(".status, .aside").get_by_text(f"{what}, {100 * done:.0f} %").first).to_be_visible()
    content, _ = Frame(protocol.Progress("reading", 1.0, "compare")).pack(0)
    served.page.evaluate("(content) => take([['msg', content, []]])", content)
    expect(served.page.get_by_text("of 20,000")).to_have_count(0)


def test_a_category_among_hundreds_with_a_long_name_is_chosen_in_a_line_that_is_not_cut(chromium: Any) -> None:
    n = 1_200
    names = tuple(f"a category with a name that is far too long for its field {i}" for i in range(400))
    rng = np.random.default_rng(6)
    obs = {"cluster of many": Codes((np.arange(n) % 400).astype(np.int16), names)}
    x = rng.normal(size=(n, 4)).astype(np.float32)
    widget = CxgWidget(MemoryDataset(obs, x, list("abcd"), {"umap": x[:, :2]}), height=500)
    served = ServedWidget(chromium, widget, width=900, height=900)
    widget.open_panels = ["compare"]
    served.tell()
    panel_ = served.page.locator("#compare")
    panel_.get_by_label("Compare", exact=True).select_option(label="cluster of many")
    settle(served)
    field = panel_.get_by_label("Category of cluster of many")
    expect(field.locator("option")).to_have_count(400)
    field.select_option(label=names[377])
    expect(field).to_have_attribute("title", names[377])
    line = panel_.locator(".question-line")
    assert line.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    panel_.get_by_role("button", name="Compare", exact=True).click()
    settle(served)
    found = widget._session.comparisons._made.found.frame().loc[list("abcd")]
    is_it = np.arange(n) % 400 == 377
    np.testing.assert_allclose(found["mean_a"], x[is_it].mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(found["mean_b"], x[~is_it].mean(axis=0), rtol=1e-4, atol=1e-6)
    served.close()


def wait_for_test(served: ServedWidget, panel: Any) -> None:
    """Let the exact test take the place of the list."""
    for _ in range(10):
        settle(served)
        if panel.locator(".volcano").count():
            return


# What is held still is read after 150 ms, sooner than a test sees the estimate before it.
NEVER_STILL = """() => {
    globalThis.ownTimeout ??= setTimeout;
    globalThis.setTimeout = (job, ms, ...rest) => (ms === 150 ? 0 : ownTimeout(job, ms, ...rest));
}"""
STILL_AS_BUILT = "() => void (globalThis.setTimeout = ownTimeout)"


def see(served: ServedWidget, shown: Any) -> None:
    """Answer the page until something is shown."""
    for _ in range(10):
        settle(served)
        if shown.count():
            break
    expect(shown).to_be_visible()


def brush_until(served: ServedWidget, caption: Any) -> None:
    """Drag in the histogram of a column until an estimate follows, which takes the sums of the column, and release."""
    mouse = served.page.mouse
    served.page.evaluate(NEVER_STILL)
    served.tell()
    row = served.page.locator(".columns li").filter(has_text="score").first
    row.locator(".opener").click()
    strip = row.get_by_role("slider")
    for _ in range(10):
        settle(served)
        if strip.count():
            break
    box = strip.bounding_box()
    y = box["y"] + box["height"] / 2
    mouse.move(box["x"] + 0.43 * box["width"], y)
    mouse.down()
    for at in range(40):
        mouse.move(box["x"] + (0.7 + 0.005 * at) * box["width"], y)
        settle(served)
        if caption.count():
            break
    expect(caption).to_be_visible()
    served.page.evaluate(STILL_AS_BUILT)
    mouse.up()


@pytest.mark.parametrize("panel", [{"width": 1100}], indirect=True)
def test_genes_follow_a_lasso_and_a_brush_as_an_estimate_and_exact_ones_take_their_place(
    panel: tuple[ServedWidget, Any], widget: CxgWidget
) -> None:
    served, panel_ = panel
    mouse = served.page.mouse
    left, top, width, height = served.plot(0)
    corners = [(left + x * width, top + y * height) for x, y in ((0.1, 0.5), (0.3, 0.1), (0.6, 0.5), (0.3, 0.95))]
    widget.tool = "lasso"
    served.tell()
    served.said.clear()
    mouse.move(*corners[0])
    mouse.down()
    mouse.move(*corners[1], steps=4)
    served.page.keyboard.press("Escape")
    mouse.up()
    settle(served)
    assert not any(kind in ("quick", "comparison") for kind, *_ in served.said)  # the switch is off

    switch = panel_.get_by_label("Markers while you draw")
    switch.press("Space")
    for _ in range(2):
        settle(served)
    assert served.plot(0)[3] > 100
    served.page.evaluate(NEVER_STILL)
    mouse.move(*corners[0])
    mouse.down()
    for corner in corners[1:]:
        mouse.move(*corner, steps=4)
    caption = panel_.get_by_text("≈ estimate against")
    see(served, caption)
    expect(panel_.locator(".quick tbody tr")).to_have_count(20)
    expect(panel_.locator(".quick td").first).to_contain_text("≈")
    assert violations(served.page, "#el") == {}
    served.page.evaluate(STILL_AS_BUILT)
    mouse.move(corners[-1][0] + 1, corners[-1][1])
    see(served, panel_.get_by_text("exact sums"))
    mouse.up()
    wait_for_test(served, panel_)
    frame = widget.markers(
        normalize="log1p_10k" if widget._session.quick._held[False][1].sketch.is_normalized else None
    ).frame()
    settle(served)
    assert listed(panel_)[:4] == cut(frame).index[:4].tolist()
    assert len(set(widget.quick_markers().index) & set(frame.index[:20])) >= 18

    widget.open_panels = ["columns", "compare"]
    brush_until(served, caption)
    wait_for_test(served, panel_)
    assert 0 < widget.filters.mask.sum() < N
    expect(panel_.locator(".what")).to_contain_text("filtered cells")
    expect(panel_.get_by_label("Compare", exact=True)).to_have_value("filter")
    pd.testing.assert_frame_equal(
        widget._session.comparisons._made.found.frame(), widget.markers("filter", normalize=None).frame()
    )
    widget.filters.clear()
    widget.open_panels = ["compare"]
    switch.click()
    widget.clear_selection()
    widget.tool = "pan"
    served.tell()
