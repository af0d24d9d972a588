"""Cells chosen by a lasso in the plot, counted beside it: panel serve panel_app.py."""

import panel as pn
import param

from cxg_widget import CxgWidget, demo, open_dataset

pn.extension("ipywidgets")

dataset = pn.state.as_cached("cells", lambda: open_dataset(demo(cells=20_000)))  # one for all visitors


class Cells(param.Parameterized):
    """The widget of a visitor, and what depends on it."""

    color = param.Selector(label="Color by", objects=["cell_type", "donor", "CD3E", "NKG7"])
    n_selected = param.Integer()

    def __init__(self):
        super().__init__()
        self.widget = CxgWidget(dataset, color=self.color, height=560, restore=False)
        self.widget.observe(lambda change: self.param.update(n_selected=change["new"]), "n_selected")

    @param.depends("color", watch=True)
    def show_color(self):
        self.widget.color = self.color

    @param.depends("n_selected")
    def selected(self):
        return f"Selected: {self.n_selected:,} of {dataset.n_obs:,}"

    @param.depends("n_selected")
    def counts(self):
        return self.widget.counts("cell_type")[["selected"]]


cells = Cells()
pn.state.on_session_destroyed(lambda _: cells.widget.close())
plot = pn.pane.IPyWidget(cells.widget, sizing_mode="stretch_width")
pn.Row(pn.Column(cells.param.color, cells.selected, cells.counts), plot).servable()
