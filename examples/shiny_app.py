"""Cells chosen by a lasso in the plot, counted beside it: shiny run shiny_app.py."""

from shiny import App, reactive, render, ui
from shinywidgets import output_widget, reactive_read, render_widget

from cxg_widget import CxgWidget, demo, open_dataset

dataset = open_dataset(demo(cells=20_000))  # one for all visitors

app_ui = ui.page_sidebar(
    ui.sidebar(
        ui.input_select("color", "Color by", ["cell_type", "donor", "CD3E", "NKG7"]),
        ui.output_text("selected"),
        ui.output_data_frame("counts"),
    ),
    output_widget("cells", height="580px"),
)


def server(input, output, session):
    """Make one widget for each visitor, and what depends on it."""
    widget = CxgWidget(dataset, color="cell_type", height=560, restore=False)
    session.on_ended(widget.close)

    @render_widget
    def cells():
        return widget

    @reactive.effect
    def _():
        widget.color = input.color()

    @render.text
    def selected():
        return f"Selected: {reactive_read(widget, 'n_selected'):,} of {dataset.n_obs:,}"

    @render.data_frame
    def counts():
        reactive_read(widget, "n_selected")
        return widget.counts("cell_type")[["selected"]].reset_index()


app = App(app_ui, server)
