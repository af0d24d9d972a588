"""Views whose cell runs again: the page keeps no more of them than of another widget."""

import pytest

from tests.browser.test_ended_views import FEW, N_VIEWS, counted

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

CONTROL = """
import anywidget
class Plain(anywidget.AnyWidget):
    _esm = "export default { render({ el }) { el.textContent = 'plain'; el.dataset.cxgState = 'ready'; } };"
Plain()
"""
WIDGET = "from cxg_widget import CxgWidget\nCxgWidget('small.cxg', color='cell_type', restore=False)"


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
    # The first page of a server may also let go of what it loaded: the widget owes nothing for that.
    assert widget[0] - max(control[0], 0) < 3 * FEW
    assert widget[1] - max(control[1], 0) < FEW
