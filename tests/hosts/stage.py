"""A widget in an open notebook of JupyterLab, as the end-to-end tests handle it."""

from __future__ import annotations

import json

from tests.browser.rest import WATCH, rest
from tests.browser.shown import WAIT_S, Shown
from tools.lab import Traffic, new_page, open_notebook, write_notebook

DRAWN_BY = """(who) => {
    if (who === null) delete globalThis.__CXG_DRAWN_BY__;
    else globalThis.__CXG_DRAWN_BY__ = who;
    delete globalThis[Symbol.for("cxg-widget/gl/3")];
}"""


class Stage(Shown):
    """An open notebook, whose cells tests replace: opening another takes 8 seconds of the processor."""

    def __init__(self, browser, lab, folder, name="stage.ipynb", init_script=WATCH):
        self.lab = lab
        write_notebook(folder / name, "")
        self.page = new_page(browser, init_script=init_script)
        self.page.set_default_timeout(1000 * WAIT_S)
        self.traffic = Traffic(self.page, "comm_msg")
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.notebook = open_notebook(self.page, lab, name)

    def show(self, code, *, drawn_by=None, wait=True):
        """Close all widgets, put these cells in place of all others, run them, and wait until every point is drawn.

        drawn_by : "gpu" or "cpu"; otherwise the widget finds out, as on a page that has just been opened
        """
        self.ask("import ipywidgets; ipywidgets.Widget.close_all()")
        self.page.mouse.move(2, 2)
        self.complaints.clear()
        self.page.evaluate(DRAWN_BY, drawn_by)
        self.notebook.replace(*([code] if isinstance(code, str) else code))
        self.notebook.run_all(timeout_s=90)
        if wait:
            self.settle()
        return self

    def reopen(self):
        """Load JupyterLab and the notebook anew, from its file."""
        self.page.goto("about:blank")
        open_notebook(self.page, self.lab, self.notebook.path)

    def close(self):
        self.page.context.close()

    def rest(self):
        """Wait until what was asked for has been answered, whatever that brings."""
        rest(self.notebook)
        return self

    def ask(self, code):
        return self.notebook.ask(code)

    def json(self, expression):
        return json.loads(self.notebook.ask(f"import json; print(json.dumps({expression}))"))

    def set_theme(self, name):
        """Change the theme of JupyterLab, and wait until the cover that hides the change is gone."""
        self.page.evaluate("(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")
