"""What a user of the widget can set and observe: the synced traits and their defaults, nothing else."""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets

from cxg_widget.display.settings import MAX_POINTS
from cxg_widget.errors import InvalidOption
from cxg_widget.text.names import misspelt

STATE = (
    "embedding", "axes", "color", "layer", "cmap", "palette", "vmin", "vmax", "point_size", "opacity", "tool", "view",
    "height", "panel_width", "wheel_zoom", "hidden", "hover", "density", "statistic", "aggregator", "render",
    "max_points", "legend", "background",
)  # fmt: skip
"""The traits that make up a view; `CxgWidget.state` holds those that differ from their default."""


class _Setting(traitlets.Any):
    """A trait whose values `options.check` judges, None among them, which traitlets would let pass unseen."""

    allow_none = False


def _synced(default: Any, doc: str) -> Any:
    return _Setting(default, help=doc).tag(sync=True)


def _name_of(statistic: Any, _: Any) -> str:
    return statistic if isinstance(statistic, str) else repr(statistic)


def _of_name(name: Any, widget: Any) -> Any:
    """Return what is set where the page sends back its name, which stands for an object here."""
    return widget.statistic if name == _name_of(widget.statistic, widget) else name


class WidgetTraits(anywidget.AnyWidget):
    """The synced traits; each is checked in `options.py`.

    Raises
    ------
    InvalidOption
        When a name is set that is none of them, but nearly so: `w.colour = "CD3E"` would change nothing, unseen.
    """

    embedding = _synced(None, "name of the embedding on show")
    axes = _synced([0, 1], "which two axes of the embedding are x and y")
    color = _synced(None, "what the points are coloured by")
    layer = _synced(None, "layer that genes are read from; None = X")
    cmap = _synced("viridis", "colormap of numbers")
    palette = _synced(None, "colours of categories: a name, a list, {category: colour} or None")
    vmin = _synced(None, "lower colour limit: number, percentile like 'p1', None = smallest value")
    vmax = _synced(None, "upper colour limit: number, percentile like 'p99', None = largest value")
    point_size = _synced(None, "diameter of a point, CSS px; None = by density")
    opacity = _synced(1.0, "opacity of a point, 0 to 1")
    tool = _synced("pan", "what dragging does: 'pan', 'lasso' or 'rectangle'")
    view = _synced(None, "x left, x right, y bottom, y top on show, data units; None = everything")
    height = _synced(600, "height of the widget, CSS px")
    panel_width = _synced(236, "width of the side panel, CSS px")
    wheel_zoom = _synced(True, "the wheel zooms where the pointer rests on the plot; with Ctrl or Cmd it always does")
    hidden = _synced([], "labels of the categories that are not drawn")
    density = _synced("eq_hist", "from cells per pixel to opacity: 'linear', 'log', 'cbrt' or 'eq_hist'")
    statistic = _synced(
        "auto",
        "number of a pixel that several cells share: their 'mean', 'max', 'min', 'sum', 'std', 'var' or 'count'; "
        "'auto', from max to mean; or a datashader reduction of obs columns and genes",
    ).tag(to_json=_name_of, from_json=_of_name)
    aggregator = _Setting("auto", help="who sums the cells of images: 'datashader', or 'auto', mostly faster loops")
    render = _Setting("auto", help="'points', 'raster' (aggregated by the kernel), or 'auto', by max_points")
    hover = _Setting(None, help="obs columns and genes told of the cell under the pointer; None = those that say most")
    max_points = _Setting(MAX_POINTS, help="most cells to send as points; of more, views are aggregated")
    legend = _synced(True, "whether pictures that are saved say what their colours mean")
    background = _synced(None, "of pictures that are saved: 'white', 'dark', 'transparent', None = as on the screen")
    n_selected = traitlets.Int(0, read_only=True, help="number of selected cells").tag(sync=True)
    _snapshot = traitlets.Dict(help="the last picture, for a notebook without a kernel").tag(
        sync=True, echo_update=False
    )

    def __setattr__(self, name: str, value: Any) -> None:
        meant = None if name.startswith("_") or hasattr(type(self), name) else misspelt(name, STATE)
        if meant is not None:
            raise InvalidOption(f"CxgWidget has no trait {name!r}. Did you mean {meant!r}?")
        super().__setattr__(name, value)
