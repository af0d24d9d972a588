"""Cells chosen by a lasso in the plot, counted beside it: solara run solara_app.py."""

import solara

from cxg_widget import CxgWidget, demo, open_dataset

dataset = open_dataset(demo(cells=20_000))  # one for all visitors


@solara.component
def Page():
    """Make one widget for each visitor, and what depends on it."""
    widget = solara.use_memo(lambda: CxgWidget(dataset, color="cell_type", height=560, restore=False), [])
    color = solara.use_reactive("cell_type")
    n_selected = solara.use_reactive(0)

    def follow():
        widget.observe(lambda change: n_selected.set(change["new"]), "n_selected")
        return widget.close

    def show_color():
        widget.color = color.value

    solara.use_effect(follow, [])
    solara.use_effect(show_color, [color.value])

    with solara.Sidebar():
        solara.Select("Color by", values=["cell_type", "donor", "CD3E", "NKG7"], value=color)
        solara.Text(f"Selected: {n_selected.value:,} of {dataset.n_obs:,}")
        solara.DataFrame(widget.counts("cell_type")[["selected"]].reset_index())
    solara.display(widget)
