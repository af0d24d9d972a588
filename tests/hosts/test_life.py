"""What happens to a widget around its picture: themes, views, reloads, restarts, saved notebooks, hostile names."""

import json

import numpy as np
import pytest

from cxg_widget import CxgWidget
from tests.browser.panels_page import expect
from tests.browser.served_stage import ServedStage
from tests.browser.shown import ring
from tests.memory import small

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

SHOW = "from cxg_widget import CxgWidget\nw = CxgWidget('small.cxg', color='cell_type', height=420)\nw"


@pytest.fixture
def open_stage(show_in_lab):
    """Show cells, and expect no script errors."""
    shown = []

    def build(code=SHOW, **how):
        shown.append(show_in_lab(code, **how))
        return shown[-1]

    yield build
    assert [stage.complaints for stage in shown if stage.complaints] == []


@pytest.fixture
def serve(chromium):
    """Show a dataset in a page without a host, and expect no script errors."""
    shown = []

    def build(dataset):
        shown.append(ServedStage(chromium, CxgWidget(dataset, color="cell_type", height=420)))
        return shown[-1]

    yield build
    assert [stage.complaints for stage in shown if stage.complaints] == []
    for stage in shown:
        stage.close()


def test_the_theme_of_the_host_is_followed_live(open_stage):
    stage = open_stage()
    light = stage.background()
    assert np.mean(light) > 200
    stage.set_theme("JupyterLab Dark")
    stage.until(lambda: np.mean(stage.background()) < 60)
    stage.set_theme("JupyterLab Light")
    stage.until(lambda: stage.background() == light)


def test_two_views_of_one_widget_show_the_same_and_share_changes(open_stage):
    stage = open_stage([SHOW, "w"])
    hosts = stage.page.locator(".cxg-widget")
    hosts.nth(1).scroll_into_view_if_needed()
    stage.page.locator(".cxg-widget[data-cxg-state=ready]").nth(1).wait_for()
    assert hosts.count() == 2
    stage.set("w.color = 'CD3E'; w.select(list(range(100)))")
    stage.page.locator(".cxg-widget[data-cxg-state=ready]").nth(1).wait_for()
    for i in range(2):
        hosts.nth(i).get_by_text("100 of 3,000").first.wait_for()
        hosts.nth(i).get_by_text("CD3E").first.wait_for()


def test_widgets_in_a_row_share_its_width(open_stage):
    code = "import ipywidgets as iw\nfrom cxg_widget import CxgWidget\n"
    code += "iw.HBox([CxgWidget('small.cxg', color='cell_type', height=240, max_points=n) for n in (300, 9000)])"
    stage = open_stage(code)
    hosts = stage.page.locator(".cxg-widget")
    stage.page.locator(".cxg-widget[data-cxg-state=ready]").nth(1).wait_for()
    widths = [hosts.nth(i).bounding_box()["width"] for i in range(2)]
    assert min(widths) > 250
    assert max(widths) - min(widths) < 2
    assert [hosts.nth(i).get_attribute("data-cxg-drawn") for i in range(2)] == ["3000", "3000"]


def test_reloading_the_page_brings_the_picture_and_the_selection_back(open_stage):
    stage = open_stage()
    stage.set("w.color = 'CD3E'; w.select(list(range(50)))")
    before = stage.pixels()
    stage.notebook.save()
    stage.page.reload()
    stage.notebook.wait_for_kernel()
    stage.settle()
    assert stage.json("w.n_selected") == 50
    stage.shows("50 of 3,000")
    after = stage.pixels()
    assert after.shape == before.shape
    assert (np.abs(after.astype(int) - before) > 30).any(axis=2).mean() < 0.01


def test_after_a_kernel_restart_the_state_rebuilds_the_view(open_stage):
    stage = open_stage()
    stage.set("w.color = 'CD3E'; w.cmap = 'magma'; w.vmax = 'p99'")
    state, before = stage.json("w.state"), stage.pixels()
    stage.notebook.restart()
    number = stage.notebook.add(f"from cxg_widget import CxgWidget\nw = CxgWidget('small.cxg', **{state!r})\nw")
    stage.notebook.run(number)
    cell = stage.notebook.cell(number)
    cell.locator(".cxg-widget[data-cxg-state=ready]").wait_for()
    assert stage.json("w.state") == state
    stage.rest()
    after = stage.pixels(cell.locator("canvas.cxg-plot"))
    assert after.shape == before.shape
    assert (np.abs(after.astype(int) - before) > 30).any(axis=2).mean() < 0.01


def test_sets_and_labels_are_offered_after_a_kernel_restart_and_back_by_one_click(open_stage, tmp_path):
    keeping = f"import os\nos.environ.update(CXG_WIDGET_RESTORE='1', CXG_WIDGET_CACHE_DIR={str(tmp_path)!r})\n"
    stage = open_stage(keeping + SHOW.replace("color='cell_type', ", ""))
    stage.set("w.sets.add('B', {'cell_type': w.dataset.codes('cell_type').categories[0]}); w.sets.add('rows', [1, 2])")
    stage.set("w.annotations.new('mine').assign('mine too', w.sets['B']); w.color = 'mine'")
    state, n = stage.json("w.state"), stage.json("len(w.sets['B'])")
    stage.notebook.restart()
    stage.notebook.run(0)
    cell = stage.notebook.cell(0)
    cell.locator(".cxg-widget[data-cxg-state=ready]").wait_for()
    assert stage.json("len(w.sets)") == 0
    cell.get_by_role("button", name=f"Restore 2 sets and {n:,} unsaved labels from").click()
    cell.locator(".offer").wait_for(state="detached")
    assert stage.json("w.state") == state
    cell.get_by_text("mine too").first.wait_for()
    assert stage.json("[w.undo(), len(w.sets), w.redo(), len(w.sets)]") == [True, 0, True, 2]


DIE = """() => void jupyterapp.shell.currentWidget.sessionContext.session.kernel
    .requestExecute({ code: "import os; os._exit(1)" })"""


@pytest.mark.parametrize("is_dead", [False, True], ids=["restarted", "dead and back"])
def test_a_widget_whose_kernel_is_another_says_so_keeps_its_picture_and_moves_it(open_stage, is_dead):
    stage = open_stage()
    before = stage.pixels()
    if is_dead:
        stage.page.evaluate(DIE)
        stage.page.locator(".jp-Dialog").get_by_role("button", name="Ok").click()
    else:
        stage.notebook.restart()
    stage.host.get_by_text("The kernel restarted. Run this cell again.").wait_for()
    assert stage.host.get_by_role("combobox", name="Color by").is_disabled()
    np.testing.assert_array_equal(stage.pixels(), before)
    left, right, *_ = stage.view()
    stage.zoom_in(stage.spot(0.5, 0.5))
    zoomed = stage.view()
    assert zoomed[1] - zoomed[0] < (right - left) / 1.5
    assert (np.abs(stage.pixels().astype(int) - before) > 30).any(axis=2).mean() > 0.01


def test_a_saved_notebook_holds_a_picture_and_none_of_the_data(open_stage, folder):
    stage = open_stage()
    stage.set("w.color = 'CD3E'; w.vmax = 0.5; w.select(list(range(500)))")

    def kept():
        stage.notebook.save()
        outputs = json.loads((folder / stage.notebook.path).read_text())["cells"][0]["outputs"]
        (still,) = (output["data"] for output in outputs if "image/png" in output["data"])
        return still if "CD3E" in "".join(still["text/html"]) else None

    told = "".join(stage.until(kept)["text/html"])  # what is on show now, not when the cell was run
    assert "500 of 3,000 cells selected" in told
    assert "≥ 0.5" in told
    text = (folder / stage.notebook.path).read_text()
    assert len(text) < 1_000_000
    names = stage.json("w.dataset.obs_names([0, 1, 2]).tolist()")
    assert not any(name in text for name in names)


SAVE_STATE = "() => jupyterapp.commands.execute('@jupyter-widgets/jupyterlab-manager:saveWidgetState')"
OPEN = "(path) => jupyterapp.commands.execute('docmanager:open', { path })"
CLOSE = "() => jupyterapp.commands.execute('application:close')"


def test_a_saved_notebook_without_a_kernel_shows_the_picture_whether_or_not_the_state_of_widgets_is_saved(
    open_stage, folder
):
    boxes = "import ipywidgets as iw\nws = [CxgWidget('small.cxg', height=300, **one) for one in ("
    boxes += "{'color': 'donor'}, {'color': 'CD3E', 'max_points': 300})]\niw.HBox([ws[0], iw.VBox([ws[1]])])"
    stage = open_stage([SHOW, boxes])
    for i in range(3):
        stage.page.locator(".cxg-widget").nth(i).scroll_into_view_if_needed()
        stage.page.locator(".cxg-widget[data-cxg-state=ready]").nth(i).wait_for()
        if i == 0:  # the boxes are seen together
            stage.until(lambda: stage.json("'png' in w._snapshot"))
    stage.until(lambda: stage.json("all('png' in one._snapshot for one in [w, *ws])"))
    file, with_state = folder / stage.notebook.path, folder / "with_state.ipynb"
    stage.notebook.save()
    without_state = file.read_text()
    stage.page.evaluate(SAVE_STATE)
    stage.notebook.save()
    stage.page.evaluate(SAVE_STATE)
    stage.notebook.shutdown()
    file.rename(with_state)
    file.write_text(without_state)
    assert ["widgets" in json.loads(one.read_text())["metadata"] for one in (file, with_state)] == [False, True]

    def check(who):
        shown = stage.page.locator(f"{who} img").filter(visible=True)
        expect(shown).to_have_count(3)
        for i in range(3):
            shown.nth(i).scroll_into_view_if_needed()
            assert shown.nth(i).bounding_box()["width"] > 300
            assert len(shown.nth(i).screenshot()) > 8000
        expect(stage.page.locator(".jp-OutputArea img").filter(visible=True)).to_have_count(3)  # none of them twice

    stage.reopen()  # with a fresh kernel that knows no widget
    check(".jp-OutputArea")
    stage.page.evaluate(OPEN, with_state.name)
    check(".cxg-widget")
    stage.page.evaluate(CLOSE)


def test_a_category_named_like_markup_is_text(serve):
    stage = serve(small(500))
    dialogs = []
    stage.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    stage.shows("<img src=x onerror=alert(1)>")
    assert stage.host.locator("img[src=x]").count() == 0
    row = stage.json("int((w.dataset.obs()['cell_type'] == '<img src=x onerror=alert(1)>').to_numpy().argmax())")
    at = stage.to_px([stage.json(f"w.dataset.embedding('umap')[{row}].tolist()")])[0]
    stage.page.mouse.move(at[0] + 30, at[1])
    stage.page.mouse.move(*at)
    stage.rest()
    assert stage.host.locator("img[src=x]").count() == 0
    assert dialogs == []


@pytest.mark.parametrize("drawn_by", ["gpu", "cpu"])
def test_with_and_without_a_graphics_card_there_is_a_picture_and_the_lasso_is_the_same(open_stage, drawn_by):
    stage = open_stage(drawn_by=drawn_by)
    assert len(stage.colors(10)) > 5
    stage.set("w.tool = 'lasso'")
    drawn = ring(*stage.spot(0.5, 0.5), 120, 100)
    stage.drag(drawn)
    polygon = stage.to_data(drawn).tolist()
    assert stage.json("w.selection.rows.tolist()") == stage.json(f"w.select(polygon={polygon}).rows.tolist()")
    assert stage.json("w.n_selected") > 0


def test_a_lost_context_is_restored_to_the_same_picture(open_stage):
    stage = open_stage(drawn_by="gpu")
    before = stage.pixels()
    lost = stage.page.evaluate(
        """async () => {
          const shared = globalThis[Symbol.for("cxg-widget/gl/3")];
          const gl = shared.gl;
          const extension = gl.getExtension("WEBGL_lose_context");
          extension.loseContext();
          await new Promise((done) => setTimeout(done, 300));
          const was = gl.isContextLost();
          extension.restoreContext();
          return was;
        }"""
    )
    assert lost
    stage.until(lambda: not stage.page.evaluate("() => globalThis[Symbol.for('cxg-widget/gl/3')].gl.isContextLost()"))
    stage.settle()
    np.testing.assert_array_equal(stage.pixels(), before)


def test_twenty_widgets_of_a_notebook_are_drawn_and_share_one_webgl_context(open_stage):
    code = "from IPython.display import display\nfrom cxg_widget import CxgWidget\n"
    code += "for n in range(20):\n    display(CxgWidget('small.cxg', color='cell_type', height=200, restore=False))"
    stage = open_stage(code, drawn_by="gpu")  # browsers drop the oldest of more than 16 contexts
    hosts = stage.page.locator(".cxg-widget")
    expect(hosts).to_have_count(20)
    for n in [*range(20), 0]:
        hosts.nth(n).scroll_into_view_if_needed()
        stage.page.locator(".cxg-widget[data-cxg-state=ready]").nth(n).wait_for()
        canvas = hosts.nth(n).locator("canvas.cxg-plot").last
        # One that comes into view is drawn at a later frame.
        stage.until(lambda canvas=canvas: len(np.unique(stage.pixels(canvas).reshape(-1, 3), axis=0)) > 50)
    assert not stage.page.evaluate("() => globalThis[Symbol.for('cxg-widget/gl/3')].gl.isContextLost()")


def test_letters_after_a_press_on_the_line_under_the_plot_change_no_cell(open_stage):
    stage = open_stage()
    cells = stage.page.locator(".jp-Notebook .jp-Cell")
    before = cells.count()
    stage.host.locator(".status .what").click()
    for key in "bxa":
        stage.page.keyboard.press(key)
    stage.rest()
    assert cells.count() == before
    assert stage.json("w.open_panels") == ["annotations"]  # a key of the widget


def test_categories_hidden_while_the_kernel_is_busy_are_hidden_in_the_image(open_stage, folder):
    stage = open_stage(SHOW.replace("420", "480, max_points=300"))
    labels = stage.json("list(w.dataset.obs()['cell_type'].cat.categories[:4])")
    number = stage.notebook.add("import os, time\nwhile not os.path.exists('go_on'):\n    time.sleep(0.02)")
    stage.notebook.cell(number).locator(".cm-content").first.click()
    stage.page.keyboard.press("Shift+Enter")
    stage.page.locator(".jp-Notebook-ExecutionIndicator[data-status=busy]").wait_for()
    stage.canvas.scroll_into_view_if_needed()
    for label in labels:  # the host keeps back all but the first
        stage.host.get_by_role("option", name=label).first.click()
    (folder / "go_on").touch()
    stage.until(lambda: sorted(stage.json("w.hidden")) == sorted(labels))
    stage.settle()
    found = stage.pixels()
    stage.set("w.hidden = []")
    assert (stage.pixels() != found).any(axis=2).mean() > 0.01
    stage.set(f"w.hidden = {labels!r}")
    np.testing.assert_array_equal(stage.pixels(), found)


def test_a_damaged_gene_is_reported_in_the_widget_and_the_picture_stays(serve):
    stage = serve(small(500, broken=["X/CD3E"]))
    stage.color_by("CD3E")
    stage.shows("X/CD3E cannot be read")
    assert stage.json("w.color") == "cell_type"
    stage.shows("T cell")
    stage.color_by("MS4A1").settle()
    stage.shows_no("X/CD3E cannot be read")


def test_in_a_host_that_drops_binary_data_one_sentence_names_the_calls_that_show_the_plot(serve):
    stage = serve(small(500))
    stage.ask("w.color = 'CD3E'")
    said = stage.served._flushed()
    stage.page.evaluate("take", [["msg", one[1], []] if one[0] == "msg" else one for one in said])
    stage.shows('This host drops binary data: show the plot by w.embed() or w.save("page.html").')
