"""Views that end: the page keeps nothing of them while their widget goes on, nor when their cell runs again."""

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

N_VIEWS = 3
# Text nodes that a template of a view needs once; a whole view has 600 nodes and 40 listeners.
FEW = 8
VIEW_OF_A_MOMENT = """async () => {
  const el = document.body.appendChild(document.createElement("div"));
  const end = window.show(el);
  while (el.dataset.cxgState !== "ready") await new Promise(requestAnimationFrame);
  end();
  el.remove();
}"""
CONTROL = """
import anywidget
class Plain(anywidget.AnyWidget):
    _esm = "export default { render({ el }) { el.textContent = 'plain'; el.dataset.cxgState = 'ready'; } };"
Plain()
"""
WIDGET = "from cxg_widget import CxgWidget\nCxgWidget('small.cxg', color='cell_type', restore=False)"


def counted(page):
    """Return how many nodes and listeners a page holds, what is garbage taken away."""
    session = page.context.new_cdp_session(page)
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    found = session.send("Memory.getDOMCounters")
    session.detach()
    return found["nodes"], found["jsEventListeners"]


@pytest.mark.parametrize(
    ("n_plots", "panels"), [(1, ["columns", "genes", "sets", "annotations", "table", "compare"]), (2, [])]
)
def test_a_view_that_ends_leaves_no_nodes_and_no_listeners_with_its_widget(linked, n_plots, panels):
    linked.widget.open_panels = panels
    if n_plots == 2:
        linked.widget.grid(["donor", "LEFT"])
    linked.tell()
    nodes, listeners = counted(linked.page)
    for _ in range(N_VIEWS):
        linked.page.evaluate(VIEW_OF_A_MOMENT)
    after = counted(linked.page)
    assert after[0] - nodes <= FEW
    assert after[1] <= listeners


def test_a_cell_that_runs_again_keeps_no_more_of_the_page_than_another_widget_does(show_in_lab):
    growth = []
    for code in (CONTROL, WIDGET):
        stage = show_in_lab(code, wait=False)
        counts = []
        for n_runs in (1, N_VIEWS):  # what the first two need once is not counted
            for _ in range(n_runs):
                stage.notebook.run(0)
                stage.page.locator("[data-cxg-state=ready]").first.wait_for()
                stage.rest()
                stage.page.wait_for_timeout(500)  # the second module lays out what it has
            counts.append(counted(stage.page))
        growth.append([(b - a) / N_VIEWS for a, b in zip(*counts, strict=True)])
    control, widget = growth
    assert widget[0] - control[0] < 3 * FEW
    assert widget[1] - control[1] < FEW
