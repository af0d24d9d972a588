"""Cells chosen by a lasso in the plot, as a table beside it: shiny run app.py."""

from shiny import App, reactive, render, ui
from shinywidgets import output_widget, reactive_read, render_widget

from cxg_widget import CxgWidget, demo

app_ui = ui.page_sidebar(
    ui.sidebar(
        ui.input_select("color", "Color by", ["cell_type", "donor", "CD3E", "NKG7"]),
        ui.output_text("selected"),
        ui.output_data_frame("composition"),
    ),
    output_widget("cells", height="580px"),
    title="cxg-widget in Shiny",
)


def server(input, output, session):  # noqa: ARG001, fixed by Shiny
    """Make one widget for each session, and what depends on it."""
    widget = CxgWidget(demo(cells=20_000), color="cell_type", height=560, restore=False)
    session.on_ended(widget.close)

    @render_widget
    def cells():
        return widget

    @reactive.effect
    def _():
        widget.color = input.color()

    @render.text
    def selected():
        return f"{reactive_read(widget, 'n_selected'):,} of {widget.dataset.n_obs:,} cells selected"

    @render.data_frame
    def composition():
        reactive_read(widget, "n_selected")
        return widget.counts("cell_type")[["selected"]].reset_index()


app = App(app_ui, server)
