"""The panels, driven by keyboard and pointer on a page with a made-up model (panels.js)."""

from __future__ import annotations

import itertools
import re
from typing import Any

import pytest

from cxg_widget.wire.protocol import LEFT_OUT_LABEL
from tests.browser.panels_page import calls, expect, settle, show

pytestmark = pytest.mark.browser

NAMED = "button, input, select, [role=slider], [role=listbox], [role=option], [role=dialog], [tabindex='0']"


@pytest.fixture
def page(panels: Any) -> Any:
    return panels


def color_box(page: Any) -> Any:
    return page.get_by_role("combobox", name="Color by")


def search(page: Any, query: str) -> None:
    """Type into the color-by box, and wait until what is listed is what was found by all of it."""
    color_box(page).focus()
    page.keyboard.type(query)
    page.wait_for_function("(query) => store.get().found.query === query", arg=query)
    settle(page)


# --- the color-by box -----------------------------------------------------------------------------------------------


def test_typing_and_enter_colors_by_the_best_match(page: Any) -> None:
    color_box(page).focus()
    page.keyboard.type("cd3")
    expect(page.get_by_role("option", name="CD3E")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_function("() => calls.some(([name]) => name === 'setTrait')")
    assert calls(page, "setTrait") == [["color", "var:CD3E"]]
    expect(page.get_by_role("heading", name="CD3E")).to_be_visible()
    expect(color_box(page)).to_have_value("CD3E")
    assert color_box(page).get_attribute("aria-expanded") == "false"


@pytest.mark.parametrize("name", ["T cell markers", "percent_mito", "CD34"])
def test_a_name_that_was_found_is_shown_in_full_and_its_detail_takes_what_room_is_left(page: Any, name: str) -> None:
    search(page, name)
    option = page.get_by_role("option", name=name)
    expect(option).to_be_visible()
    cut = "(one) => one.scrollWidth > one.clientWidth"
    assert not option.locator(".label").evaluate(cut)
    inner = option.evaluate("(one) => [one.clientWidth, one.querySelector('.detail').getBoundingClientRect().right]")
    assert inner[1] <= option.bounding_box()["x"] + inner[0]


@pytest.mark.parametrize("width", [900, 460])
def test_the_list_of_results_is_wider_than_the_panel_and_cuts_no_count(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 600})
    settle(page)
    if not color_box(page).is_visible():
        page.get_by_role("button", name=re.compile("panel", re.IGNORECASE)).click()
    page.evaluate("() => { window.longColumn = 'cell_type_of_the_second_and_longest_annotation_of_all'; }")
    search(page, "c")
    expect(page.get_by_role("option", name="cluster")).to_be_visible()
    found, panel, root = (page.locator(one).bounding_box() for one in (".found", ".panel", ".root"))
    assert found["width"] > panel["width"]
    assert found["x"] >= root["x"]
    cut = "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)"
    assert page.locator(".found .detail").evaluate_all(cut) == []
    assert page.locator(".found .detail").count() >= 10


def test_a_list_of_genes_colors_by_their_mean(page: Any) -> None:
    color_box(page).focus()
    page.keyboard.type("CD3E, CD3D, FOO")
    expect(page.get_by_role("option", name="mean of 2 genes")).to_contain_text("FOO not found")
    page.keyboard.press("Enter")
    settle(page)
    assert calls(page, "setTrait") == [["color", ["CD3E", "CD3D"]]]
    expect(color_box(page)).to_have_value("mean of 2 genes")


def test_enter_before_the_answer_waits_for_the_answer(page: Any) -> None:
    page.evaluate("() => { window.searchDelay = 300; }")
    color_box(page).focus()
    page.keyboard.type("donor")
    page.keyboard.press("Enter")
    page.wait_for_function("() => calls.some(([name]) => name === 'setTrait')")
    assert calls(page, "setTrait") == [["color", "obs:donor_id"]]


def test_arrows_move_and_escape_changes_nothing(page: Any) -> None:
    box = color_box(page)
    box.focus()
    expect(page.get_by_role("option", name="No color")).to_be_visible()
    actives = []
    for key in ("ArrowDown", "ArrowDown", "End", "Home"):
        page.keyboard.press(key)
        settle(page)
        active = box.get_attribute("aria-activedescendant")
        actives.append(page.evaluate("(id) => root.getElementById(id).querySelector('.label').textContent", active))
    assert actives == ["No color", "cell_type", "T cell markers", "No color"]
    page.keyboard.press("Escape")
    settle(page)
    assert box.get_attribute("aria-expanded") == "false"
    expect(box).to_have_value("cell_type")
    assert calls(page, "setTrait") == []


def test_a_click_picks_and_no_color_is_a_choice(page: Any) -> None:
    color_box(page).click()
    page.get_by_role("option", name="No color").click()
    settle(page)
    assert calls(page, "setTrait") == [["color", None]]
    expect(color_box(page)).to_have_value("")


def test_an_empty_query_is_asked_on_focus_and_typing_is_asked_once_it_rests(page: Any) -> None:
    color_box(page).focus()
    typed = """(box) => ["c", "cd", "cd3", "cd34"].forEach((text) => {
        box.value = text;
        box.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    })"""
    color_box(page).evaluate(typed)  # faster than any hand, whatever the machine is doing
    page.wait_for_function("() => calls.some(([name, query]) => name === 'search' && query === 'cd34')")
    assert calls(page, "search") == [[""], ["cd34"]]


# --- the legend of numbers ------------------------------------------------------------------------------------------


def test_limits_are_typed_as_numbers_or_percentiles(page: Any) -> None:
    show(page, "gene")
    upper = page.get_by_role("textbox", name=re.compile("Upper limit"))
    for text in ("p99", "4.5", ""):
        upper.fill(text)
        upper.press("Enter")
        settle(page)
    assert calls(page, "setTrait") == [["vmax", "p99"], ["vmax", 4.5], ["vmax", None]]
    upper.fill("lots")
    upper.press("Enter")
    settle(page)
    assert upper.get_attribute("aria-invalid") == "true"
    expect(page.get_by_role("alert")).to_contain_text("a number or a percentile such as p99")
    upper.press("Escape")
    settle(page)
    assert upper.get_attribute("aria-invalid") == "false"
    assert page.get_by_role("alert").count() == 0
    expect(upper).to_have_value("6.42")


@pytest.mark.parametrize(("end", "typed", "sentence"), [
    ("Lower", "6.4", "The lower limit must not exceed the upper limit."),
    ("Lower", "p100", "The lower limit must not exceed the upper limit."),
    ("Upper", "0.25", "The upper limit must not be below the lower limit."),
])  # fmt: skip
def test_a_lower_limit_above_the_upper_one_is_refused_by_hand(page: Any, end: str, typed: str, sentence: str) -> None:
    show(page, "clipped")  # 0.5 to p99
    box = page.get_by_role("textbox", name=re.compile(f"{end} limit"))
    shown = box.input_value()
    box.fill(typed)
    box.press("Enter")
    settle(page)
    assert calls(page, "setTrait") == []
    assert box.get_attribute("aria-invalid") == "true"
    expect(page.get_by_role("alert")).to_have_text(sentence)
    box.press("Escape")
    settle(page)
    expect(box).to_have_value(shown)
    assert page.get_by_role("alert").count() == 0


def test_a_limit_moved_by_keys_stops_at_the_other_one(page: Any) -> None:
    show(page, "clipped")
    for name, key in (("Upper", "Home"), ("Lower", "End")):
        page.get_by_role("slider", name=f"{name} limit").focus()
        page.keyboard.press(key)
        settle(page)
    assert calls(page, "dragLimit") == [["vmax", 0.5, True], ["vmin", 0.5, True]]


def test_limits_are_dragged_and_only_the_end_is_final(page: Any) -> None:
    show(page, "gene")
    handle = page.get_by_role("slider", name="Lower limit")
    box = handle.bounding_box()
    page.mouse.move(box["x"] + 7, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 50, box["y"] + 30, steps=4)
    page.mouse.up()
    drags = calls(page, "dragLimit")
    assert {name for name, _, _ in drags} == {"vmin"}
    assert [done for _, _, done in drags] == [False] * (len(drags) - 1) + [True]
    assert 0 < drags[-1][1] < 6.42
    page.get_by_role("button", name="Reset", exact=True).click()
    assert calls(page, "setTrait") == [["vmin", None], ["vmax", None]]


def test_ten_arrows_on_a_limit_move_it_a_tenth_of_the_bar_however_fast_they_come(page: Any) -> None:
    show(page, "gene")
    handle = page.get_by_role("slider", name="Upper limit")
    handle.evaluate("""(handle) => {
        const key = { key: "ArrowLeft", bubbles: true, composed: true };
        for (let i = 0; i < 10; i++) handle.dispatchEvent(new KeyboardEvent("keydown", key));
    }""")  # faster than any drawing
    moved = [value for _, value, _ in calls(page, "dragLimit")]
    assert moved == pytest.approx([6.42 * (1 - i / 100) for i in range(1, 11)])
    settle(page)
    assert float(handle.get_attribute("aria-valuenow")) == pytest.approx(0.9 * 6.42)


def test_limits_move_by_keys_as_sliders_do_and_stop_at_each_other(page: Any) -> None:
    show(page, "gene")
    handle = page.get_by_role("slider", name="Upper limit")
    handle.focus()
    for key in ("Shift+ArrowLeft", "PageDown", "PageUp", "ArrowUp", "End", "Home"):
        page.keyboard.press(key)
        settle(page)
    found = [value / 6.42 for _, value, _ in calls(page, "dragLimit")]
    assert found == pytest.approx([0.9, 0.8, 0.9, 0.91, 1, 0])
    page.keyboard.press("End")
    lower = page.get_by_role("slider", name="Lower limit")
    lower.focus()
    for key in ("PageUp", "PageUp"):
        page.keyboard.press(key)
        settle(page)
    handle.focus()
    page.keyboard.press("Home")
    settle(page)
    assert calls(page, "dragLimit")[-1][:2] == ["vmax", pytest.approx(0.2 * 6.42)]
    assert float(handle.get_attribute("aria-valuemin")) == pytest.approx(0.2 * 6.42)
    assert float(lower.get_attribute("aria-valuemax")) == pytest.approx(0.2 * 6.42)


def test_the_histogram_of_the_selection_stands_in_front_of_that_of_all(page: Any) -> None:
    show(page, "countedGene")
    picture = page.get_by_role("img", name="selection in front")
    bars = [
        {int(i): 1 - float(top) for i, top in re.findall(r"M(\d+) 1V([\d.]+)", path.get_attribute("d"))}
        for path in picture.locator("path").all()
    ]
    of_all, selected = bars
    assert max(height for i, height in of_all.items() if i) == pytest.approx(1, abs=0.01)
    assert of_all[0] == selected[0] == 1  # zeros would flatten all others: their bars are cut
    assert picture.locator("xpath=..").locator(".cut").count() == 1
    high = max(selected, key=lambda i: selected[i] if i else 0)
    assert selected[high] == pytest.approx(of_all[high] / 4, abs=0.01)  # as the counts are: linear
    show(page, "gene")
    assert page.locator(".histogram .selected").get_attribute("d") == ""


def test_the_colormap_menu_opens_moves_and_closes_by_keys(page: Any) -> None:
    show(page, "gene")
    button = page.get_by_role("button", name="Colormap: viridis")
    button.focus()
    page.keyboard.press("Enter")
    settle(page)
    page.keyboard.press("ArrowDown")
    settle(page)
    page.keyboard.press("Enter")
    settle(page)
    assert calls(page, "setTrait") == [["cmap", "magma"]]
    assert page.get_by_role("listbox", name="Colormap").count() == 0
    assert page.evaluate("() => root.activeElement.getAttribute('aria-label')") == "Colormap: magma"


# --- everything else ------------------------------------------------------------------------------------------------


def test_tools_by_button_and_by_key(page: Any) -> None:
    page.get_by_role("button", name="Lasso").click()
    settle(page)
    assert page.get_by_role("button", name="Lasso").get_attribute("aria-pressed") == "true"
    page.keyboard.press("r")
    page.keyboard.press("0")
    assert calls(page, "setTrait") == [["tool", "lasso"], ["tool", "rectangle"]]
    assert calls(page, "resetView") == [[]]
    color_box(page).focus()
    page.keyboard.type("lpr0")
    assert len(calls(page, "setTrait")) == 2


def test_steps_are_undone_by_button_and_by_key_and_the_button_says_which(page: Any) -> None:
    back = page.get_by_role("button", name="Undo")
    expect(back).to_be_disabled()
    page.evaluate(
        "store.set({ traits: { ...store.get().traits, steps: { undo: 'filter', redo: 'selection', n: 1 } } })"
    )
    page.get_by_role("button", name="Undo filter").click()
    page.get_by_role("button", name="Redo selection").click()
    for keys in ("Control+z", "Control+Shift+Z", "Control+y"):
        page.keyboard.press(keys)
    color_box(page).focus()
    page.keyboard.press("Control+z")  # of what was typed
    assert calls(page, "undo") == [[False], [True], [False], [True], [True]]


def test_the_list_of_keys_opens_over_the_page_and_gives_the_focus_back(page: Any) -> None:
    plot = page.get_by_label("Scatterplot")
    plot.focus()
    page.keyboard.press("?")
    listed = page.get_by_role("dialog", name="Keys and gestures")
    expect(listed.get_by_role("button", name="Close")).to_be_focused()
    assert {"P", "L", "R", "0", "F", "C", "?", "+", "Home", "Backspace"} <= set(listed.locator("kbd").all_inner_texts())
    page.keyboard.press("L")
    assert calls(page, "setTrait") == []
    page.keyboard.press("Escape")
    expect(listed).to_have_count(0)
    expect(plot).to_be_focused()
    button = page.get_by_role("button", name="Keys and gestures")
    button.click()
    expect(listed).to_be_visible()
    page.mouse.click(5, 5)  # beside it
    expect(listed).to_have_count(0)
    expect(button).to_be_focused()


def test_the_picture_downloads_under_a_plain_name(page: Any) -> None:
    page.get_by_role("button", name="Save picture").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG 2×").click()
    assert download.value.suggested_filename == "PBMC_atlas_38_donors-cell_type.png"
    assert calls(page, "figure") == [[2]]
    expect(page.get_by_role("dialog", name="Save picture")).to_have_count(0)


def test_point_size_and_opacity_are_behind_one_button(page: Any) -> None:
    button = page.get_by_role("button", name="Settings")
    button.click()
    page.get_by_role("checkbox", name="Auto point size").uncheck()
    page.get_by_role("slider", name="Opacity").fill("0.5")
    page.evaluate("() => store.set({ traits: { ...store.get().traits, opacity: null } })")
    expect(page.get_by_role("slider", name="Opacity")).to_have_attribute("aria-valuetext", "automatic")
    page.get_by_role("checkbox", name="Auto opacity").uncheck()
    assert calls(page, "setTrait") == [["point_size", 3], ["opacity", 0.5], ["opacity", 1]]
    page.keyboard.press("Escape")
    settle(page)
    assert page.get_by_role("dialog").count() == 0


def test_how_pictures_are_saved_is_chosen_by_keyboard(page: Any) -> None:
    page.get_by_role("button", name="Settings").focus()
    page.keyboard.press("Enter")
    legend, background = page.get_by_role("checkbox", name="Legend in pictures"), page.get_by_label("Background")
    expect(legend).to_be_checked()
    assert background.input_value() == ""
    legend.focus()
    page.keyboard.press("Space")
    background.select_option("dark")
    background.select_option("as displayed")
    assert calls(page, "setTrait") == [["legend", False], ["background", "dark"], ["background", None]]
    settle(page)
    expect(legend).not_to_be_checked()


def test_what_is_filtered_out_is_chosen_between_gone_and_grey_and_told_of_as_such(page: Any) -> None:
    show(page, "greyed")
    page.mouse.move(300, 300)
    settle(page)
    assert page.locator(".tooltip").inner_text().split("\n") == [
        "AAAC-1", "CD8 T cell", LEFT_OUT_LABEL, "n_counts", "4,312",
    ]  # fmt: skip
    page.get_by_role("button", name="Notes on the plot").click()
    expect(page.get_by_role("dialog")).to_contain_text("; the others are grey.")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Settings").click()
    chosen = page.get_by_label("Filtered out")
    assert chosen.input_value() == "grey"
    chosen.select_option("hidden")
    assert calls(page, "setTrait") == [["filtered", "hide"]]


def test_names_and_contours_are_chosen_among_columns_of_categories_and_what_is_cut_is_told(page: Any) -> None:
    page.get_by_role("button", name="Settings").click()
    settle(page)
    names, contours = page.get_by_label("Names"), page.get_by_label("Contours")
    expect(names).to_be_visible()
    kinds = page.evaluate("() => store.get().dataset.columns.map(({ name, kind }) => [name, kind])")
    columns = [name for name, kind in kinds if kind not in ("int", "float")]
    assert names.locator("option").all_text_contents() == ["none", *columns]
    assert contours.locator("option").all_text_contents() == ["none", "all cells", *columns]
    names.select_option("cell_type")
    contours.select_option("all cells")
    names.select_option("none")
    assert calls(page, "setTrait") == [["labels", "cell_type"], ["contours", True], ["labels", None]]
    page.evaluate(
        "() => store.set({ contours: { column: 'cell_type', labels: Array(30).fill('x'), n_present: 1234 } })"
    )
    page.get_by_role("button", name="Notes on the plot").click()
    expect(page.get_by_role("dialog")).to_contain_text(
        "Contours outline the 30 largest of 1,234 categories of cell_type."
    )


def test_the_image_of_the_section_is_chosen_where_the_embedding_lies_on_one_and_its_opacity_where_it_is_shown(
    page: Any,
) -> None:
    page.get_by_role("button", name="Settings").click()
    settle(page)
    expect(page.get_by_label("Tissue")).to_have_count(0)  # it lies under no UMAP
    page.evaluate("() => store.set({ points: { ...store.get().points, yDown: true } })")
    images = page.locator("label", has_text="Tissue").locator("select")
    expect(images).to_be_visible()
    assert images.locator("option").all_text_contents() == ["none", "V1/hires", "<b>V1</b>/lowres"]
    images.select_option("V1/hires")
    page.get_by_label("Tissue opacity").fill("0.5")
    images.select_option("none")
    expect(page.get_by_label("Tissue opacity")).to_have_count(0)
    assert calls(page, "setTrait") == [["tissue", "V1/hires"], ["tissue_opacity", 0.5], ["tissue", None]]


def test_axes_are_chosen_where_there_are_more_than_two(page: Any) -> None:
    page.get_by_label("Embedding").select_option("X_pca")
    settle(page)
    page.get_by_label("Horizontal axis").select_option("7")
    settle(page)
    page.get_by_label("Vertical axis").select_option("7")
    assert calls(page, "setTrait") == [["embedding", "X_pca"], ["axes", [6, 1]], ["axes", [1, 6]]]


@pytest.mark.parametrize("corner", [(30, 60), (640, 60), (30, 500), (640, 500)])
def test_the_tooltip_stays_in_the_plot_and_off_the_pointer(page: Any, corner: tuple[int, int]) -> None:
    show(page, "cell")
    page.mouse.move(300, 300)
    page.mouse.move(*corner)
    settle(page)
    tip, plot = page.locator(".tooltip").bounding_box(), page.locator(".plot").bounding_box()
    assert plot["x"] <= tip["x"]
    assert tip["x"] + tip["width"] <= plot["x"] + plot["width"]
    assert plot["y"] <= tip["y"]
    assert tip["y"] + tip["height"] <= plot["y"] + plot["height"]
    over = tip["x"] <= corner[0] <= tip["x"] + tip["width"] and tip["y"] <= corner[1] <= tip["y"] + tip["height"]
    assert not over


def test_over_a_crowd_the_tooltip_tells_shares_of_categories_in_their_colors(page: Any) -> None:
    show(page, "crowd")
    page.mouse.move(300, 300)
    page.mouse.move(320, 300)
    settle(page)
    tip = page.locator(".tooltip")
    assert tip.locator(".name").text_content() == "364 cells"
    assert tip.locator("dt").all_text_contents() == ["CD8 T cell", "<b>no category</b>"]
    assert tip.locator("dd").all_text_contents() == ["57 %", "43 %"]
    swatch = tip.locator("dt").first.locator(".swatch").bounding_box()
    assert swatch["width"] == swatch["height"] > 8
    assert tip.locator(".swatch").count() == 1


@pytest.mark.parametrize("scene", ["categories", "many", "gene", "connecting", "offline", "empty", "error", "pca"])
def test_every_scene_is_as_high_as_asked_and_every_control_has_a_name(page: Any, scene: str) -> None:
    show(page, scene)
    assert page.evaluate("() => document.getElementById('el').getBoundingClientRect().height") == 520
    nameless = """(selector) => [...root.querySelectorAll(selector)].filter((one) => !one.hasAttribute('aria-label')
        && one.textContent.trim() === '' && one.closest('label') === null).map((one) => one.outerHTML.slice(0, 80))"""
    assert page.evaluate(nameless, NAMED) == []
    ids = page.evaluate("() => [...root.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))


def test_the_focus_goes_from_the_plot_to_the_panel(page: Any) -> None:
    names = []
    page.evaluate("() => document.activeElement.blur()")
    for _ in range(25):
        page.keyboard.press("Tab")
        settle(page)
        name = "() => (root.activeElement?.getAttribute('aria-label') ?? root.activeElement?.textContent ?? '').trim()"
        names.append(page.evaluate(name).split(";")[0])
        if names[-1] == "Color by":
            page.keyboard.press("Escape")
            settle(page)
    assert names[:24] == [
        "Pan", "Lasso", "Rectangle", "Reset view", "Save picture", "Settings", "Full screen",
        "Keys and gestures", "Columns", "Genes", "Sets of cells", "Annotations", "Table of cells", "Compare",
        "Study", "Scatterplot", "Notes on the plot", "Hide side panel", "Width of the side panel", "Embedding",
        "Color by", "Filter categories", "Sort by count", "Categories of cell_type",
    ]  # fmt: skip


def test_the_theme_follows_the_host(page: Any) -> None:
    assert page.evaluate("() => theme.dark") is False
    page.evaluate("() => document.body.classList.add('dark')")
    page.wait_for_function("() => theme.dark && String(theme.background) === '22,24,27'")
    page.evaluate("() => document.body.style.setProperty('--jp-layout-color0', '#fdf6e3')")
    page.wait_for_function("() => !theme.dark && String(theme.background) === '253,246,227'")
    assert page.evaluate("() => getComputedStyle(root.querySelector('.root')).backgroundColor") == "rgb(253, 246, 227)"


def test_in_a_narrow_place_the_panel_is_a_drawer(page: Any) -> None:
    page.set_viewport_size({"width": 460, "height": 600})
    settle(page)
    assert not page.locator("#panel").is_visible()
    width = page.locator(".plot").bounding_box()["width"]
    page.get_by_role("button", name="Show side panel").click()
    settle(page)
    assert page.locator("#panel").is_visible()
    assert page.locator(".plot").bounding_box()["width"] == width
    page.get_by_role("button", name="Hide side panel").click()
    settle(page)
    assert not page.locator("#panel").is_visible()


COVERED = """() => {
    const { left, top, right, bottom } = root.querySelector('.host').getBoundingClientRect();
    const found = [];
    const between = (from, to, share) => from + 1 + (to - from - 2) * share;
    for (let i = 0; i <= 24; i++) for (let j = 0; j <= 24; j++) {
      const at = root.elementFromPoint(between(left, right, i / 24), between(top, bottom, j / 24));
      if (at?.tagName !== 'CANVAS') found.push(at?.outerHTML.slice(0, 80));
    }
    return [found, right - left, bottom - top];
}"""


@pytest.mark.parametrize(
    ("width", "height", "least"),
    [(300, 160, 90), (300, 520, 450), (900, 160, 115), (900, 239, 190), (900, 240, 170), (900, 520, 450)],
)
def test_no_button_lies_on_the_plot(page: Any, width: int, height: int, least: int) -> None:
    """Whatever is drawn can be pointed at, to the corners, and a low widget is plot more than anything else."""
    page.set_viewport_size({"width": width + 32, "height": 600})
    page.evaluate("(height) => store.set({ traits: { ...store.get().traits, height } })", height)
    settle(page)
    settle(page)
    covered, across, down = page.evaluate(COVERED)
    assert covered == []
    assert across >= width - 240
    assert down >= least
    for name in ("Pan", "Rectangle", "Save picture", "Settings"):
        assert page.get_by_role("button", name=name, exact=True).is_visible()
    tools = page.locator(".toolbar").bounding_box()
    rest = [page.locator(part).bounding_box() for part in (".fold", ".status")]
    assert all(one["x"] + one["width"] <= width + 17 for one in rest)
    parts = [page.locator(f".status {part}").bounding_box() for part in (".what", ".aside", ".anchor")]
    assert all(a["x"] + a["width"] <= b["x"] for a, b in itertools.pairwise(parts))
    assert parts[0]["width"] > 80
    beside = [one["x"] >= tools["x"] + tools["width"] or one["y"] >= tools["y"] + tools["height"] for one in rest]
    assert beside == [True, True]


def test_loading_moves_nothing(page: Any) -> None:
    places = []
    for scene in ("connecting", "loading", "categories"):
        show(page, scene)
        places.append([page.locator(part).bounding_box() for part in (".plot", ".panel", ".status", ".legend")])
    assert places[0] == places[1] == places[2]


def test_destroy_leaves_nothing_behind(page: Any) -> None:
    page.evaluate("() => { calls.length = 0; destroy(); }")
    page.mouse.click(300, 300)
    page.keyboard.press("l")
    show(page, "gene")
    assert page.evaluate("() => calls") == [["destroy"]]
    assert page.evaluate("() => document.getElementById('el').childElementCount") == 0


def test_panels_speak_of_what_the_store_holds(page: Any) -> None:
    show(page, "spectra")
    assert page.locator(".what").text_content().strip().startswith("5 of 100,000 spectra selected")
    titles = [one.get_attribute("title") for one in page.locator(".rows .row, .row.missing").all()]
    assert len(titles) > 5
    assert all(" spectra" in title for title in titles)
    page.get_by_role("button", name="Notes on the plot").click()
    about = page.get_by_role("dialog", name="Notes on the plot")
    expect(about).to_contain_text("12 spectra have no coordinates")
    expect(about).to_contain_text("An image shows all spectra in view")
    page.get_by_role("combobox", name="Color by").click()
    headings = page.locator(".found .heading")
    expect(headings.nth(1)).to_have_text("m/z windows")
    show(page, "noSpectra")
    assert page.get_by_role("combobox", name="Color by").get_attribute("placeholder") == "Column or m/z window"
    expect(page.get_by_text("This dataset has no spectra.")).to_be_visible()
    expect(page.get_by_text("Color the spectra by any column or m/z window.")).to_be_visible()
    described = page.locator("#described").text_content()  # which names categories, as the data have them
    words = page.evaluate("""() => [...root.querySelectorAll('style')].reduce((text, { textContent }) => text.replace(
        textContent, ''), root.textContent) + [...root.querySelectorAll('[title]')].map((one) => one.title)""")
    assert not re.search(r"\b(cells?|genes?)\b", words.replace(described, ""))
