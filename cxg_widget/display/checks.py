"""Checks of what a user may set: one function per trait, one sentence per mistake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, get_args

import numpy as np

from cxg_widget.color.colormaps import COLORMAPS
from cxg_widget.color.limits import check_limit
from cxg_widget.color.palettes import check_palette
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.statistic import check_statistic
from cxg_widget.display.target import resolve
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from cxg_widget.text.names import nearest, not_found, shown, text_of
from cxg_widget.wire.bounds import MAX_EDGE

TOOLS = ("pan", "lasso", "rectangle")
RENDERERS = ("auto", "points", "raster")
DENSITIES = ("linear", "log", "cbrt", "eq_hist")
AGGREGATORS = ("auto", "datashader")
_CORNERS = 4
_CONTAINERS = (list, tuple, dict, set, frozenset, np.ndarray)


class Given(Enum):
    """Whether a keyword was given, where None is a value of its own."""

    NOT = "not given"

    def __repr__(self) -> str:
        return f"<{self.value}>"


def split_options(
    options: Mapping[str, Any], traits: Iterable[str], opening: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide keywords into traits and options of `open_dataset`.

    Raises
    ------
    InvalidOption
        For a keyword that is neither; the sentence names the nearest valid ones.
    """
    known, more = list(traits), list(opening)
    for name in options:
        if name not in known and name not in more:
            close = nearest(name, known + more, 1) if isinstance(name, str) else []
            hint = f"Did you mean {close[0]!r}?" if close else "help(CxgWidget) and help(open_dataset) list them."
            raise InvalidOption(f"CxgWidget has no option {shown(name)}. {hint}")
    return (
        {name: value for name, value in options.items() if name in known},
        {name: value for name, value in options.items() if name not in known},
    )


def check_embedding(value: Any, dataset: Dataset) -> str | None:
    """Return the name of an embedding as the dataset spells it; None is the default one, where there is any."""
    return dataset.default_embedding if value is None else dataset.find_embedding(value)


def check_layer(value: Any, dataset: Dataset) -> str | None:
    """Return the name of a layer; None is X."""
    if value is None or (isinstance(value, str) and value in dataset.layers):
        return value
    raise UnknownName(not_found("layer", value, dataset.layers))


def check_choice(name: str, value: Any, choices: Sequence[str]) -> str:
    """Return one of a few names."""
    if isinstance(value, str) and value in choices:
        return value
    raise UnknownName(not_found(name, value, choices, "this version"))


def check_number(name: str, value: Any, low: float, high: float) -> float:
    """Return a number within bounds."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if is_number and low <= value <= high:
        return float(value)
    raise InvalidValue(f"{name} must be a number from {low:g} to {high:g}; found {shown(value)}")


def check_flag(name: str, value: Any) -> bool:
    """Return True or False, which nothing else stands for."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InvalidValue(f"{name} must be True or False; found {shown(value)}")


def check_view(value: Any) -> list[float] | None:
    """Return a view: x left, x right, y bottom, y top in data units; None shows everything."""
    if value is None:
        return None
    try:
        view = [float(edge) for edge in value]
    except (TypeError, ValueError, OverflowError):
        view = []
    is_finite = all(abs(edge) <= MAX_EDGE for edge in view)  # and no NaN
    if len(view) != _CORNERS or not is_finite or view[0] >= view[1] or view[2] == view[3]:
        wanted = f"x0 < x1 and y0, y1 in data units, none beyond {MAX_EDGE:g}"
        raise InvalidValue(f"view must be {wanted}, or None; found {shown(value)}")
    return view


def check_hidden(value: Any) -> list[str]:
    """Return the labels of hidden categories."""
    labels = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if isinstance(value, str) or any(label is value or isinstance(label, _CONTAINERS) for label in labels):
        raise InvalidValue(f"hidden must be a list of category labels; found {shown(value)}")
    return [text_of(label) for label in labels]


def check_mode(value: Any, modes: Any) -> Any:
    """Return the name of a selection mode."""
    if isinstance(value, str) and value in get_args(modes):
        return value
    raise UnknownName(not_found("selection mode", value, get_args(modes), "select()"))


def check_color(value: Any, dataset: Dataset) -> str | list[str] | None:
    """Return what to colour by, as it was given; a gene may be one of X or of any layer. See `coloring.resolve`."""
    if hasattr(value, "tolist"):  # an array, a pandas Index or Series
        value = value.tolist()
    try:
        resolve(value, dataset)
    except UnknownName:
        if not any(_is_known(value, dataset, layer) for layer in dataset.layers):
            raise
    return value if value is None or isinstance(value, str) else list(value)


def _is_known(color: Any, dataset: Dataset, layer: str) -> bool:
    try:
        resolve(color, dataset, layer)
    except UnknownName:
        return False
    return True


def check_hover(value: Any, dataset: Dataset) -> list[str] | None:
    """Return the fields told of the cell under the pointer, as they were given; None = the default ones."""
    if value is None:
        return None
    value = value.tolist() if hasattr(value, "tolist") else value
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) and name for name in names):
        many = dataset.var_noun.many
        raise InvalidValue(f"hover must be a list of obs columns and {many}, or None; found {shown(value)}")
    for name in names:
        check_color(name, dataset)
    return list(dict.fromkeys(names))


_OF_DATASET: dict[str, Callable[[Any, Dataset], Any]] = {
    "embedding": check_embedding,
    "color": check_color,
    "layer": check_layer,
    "hover": check_hover,
}
_OF_VALUE: dict[str, Callable[[Any], Any]] = {
    "cmap": partial(check_choice, "colormap", choices=tuple(COLORMAPS)),
    "palette": check_palette,
    "vmin": partial(check_limit, "vmin"),
    "vmax": partial(check_limit, "vmax"),
    "point_size": lambda value: None if value is None else check_number("point_size", value, 0.1, 100),
    "opacity": lambda value: check_number("opacity", value, 0, 1),
    "tool": partial(check_choice, "tool", choices=TOOLS),
    "view": check_view,
    "height": lambda value: int(check_number("height", value, 120, 10_000)),
    "panel_width": lambda value: int(check_number("panel_width", value, 160, 800)),
    "wheel_zoom": partial(check_flag, "wheel_zoom"),
    "hidden": check_hidden,
    "density": partial(check_choice, "density", choices=DENSITIES),
    "statistic": check_statistic,
    "aggregator": partial(check_choice, "aggregator", choices=AGGREGATORS),
    "render": partial(check_choice, "render", choices=RENDERERS),
    "legend": partial(check_flag, "legend"),
    "background": lambda value: None if value is None else check_choice("background", value, tuple(PAPERS)),
    "max_points": lambda value: int(check_number("max_points", value, 1, 100_000_000)),
}


def check(name: str, value: Any, dataset: Dataset, embedding: str | None) -> Any:
    """Check the value of a trait and return it as it is kept.

    Parameters
    ----------
    embedding : the embedding on show, whose axes `axes` names

    Raises
    ------
    UnknownName, InvalidValue, InvalidStore
        With what was asked, what was found and what would be right.
    """
    if name == "axes":
        return list(dataset.check_axes(value, embedding))
    if name in _OF_DATASET:
        return _OF_DATASET[name](value, dataset)
    return _OF_VALUE[name](value)
