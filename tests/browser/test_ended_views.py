"""Views that end: the page keeps nothing of them while their widget goes on."""

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
