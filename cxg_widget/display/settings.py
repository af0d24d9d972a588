"""All settings: each is declared once, with default, check and the cost of a change.

Traits, `CxgWidget.state`, checks and the front-end's twin (js/src/wire/constants.js) are derived from `Settings`.
"""
# Changes with cxg_widget/color/scale.py: kinds of a scale of colors.
# Changes with cxg_widget/color/paper.py: backgrounds of saved pictures.
# Changes with js/src/page/parts/toolbar.js: tools of the toolbar.
# Changes with cxg_widget/code/writers.py: the settings.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.colormap_lookup import check_colormap
from cxg_widget.color.limits import ColorRule, ScaleName, check_center, check_limit
from cxg_widget.color.palettes import check_palette
from cxg_widget.color.paper import PAPERS
from cxg_widget.datasets.base.column_pairs import EmbeddingName
from cxg_widget.display import checks
from cxg_widget.display.by_sets import key_of_sets
from cxg_widget.display.checks import Check, alone, check_names, check_two, choice, flag, number
from cxg_widget.display.color_target import ColorTrait, OwnSets, is_of_sets
from cxg_widget.display.looks import apply_panel, check_looks
from cxg_widget.display.statistic import OF_CELLS, OF_PIXELS, check_statistic
from cxg_widget.display.study_design import check_design
from cxg_widget.display.table_setting import check_table
from cxg_widget.display.views import check_views
from cxg_widget.errors import InvalidValue, Overtaken
from cxg_widget.rules.named import expanded, filter_by
from cxg_widget.rules.packed_rows import PackedRows
from cxg_widget.text.names import shown
from cxg_widget.wire.protocol import Density, Filtered

if TYPE_CHECKING:
    from cxg_widget.annotations.log import Log
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.rules.forms import Rule
    from cxg_widget.wire.protocol import Aggregate


PlaceKey = tuple[EmbeddingName | None, tuple[int, int]]
"""An embedding and two of its axes."""
MAX_POINTS = 2_000_000
"""Datasets with up to this many cells are sent as points; of larger ones, a sample is sent and views are aggregated."""
CONTOUR_SHARES = (0.5, 0.9)
"""Shares of cells that contours enclose."""
ENCLOSED = " and ".join(f"{100 * share:.0f} %" for share in CONTOUR_SHARES)
Tool = Literal["pan", "lasso", "rectangle"]
PANELS = ("columns", "genes", "sets", "annotations", "table", "compare", "study")
"""Panels of the second bundle, which is sent when the first of them opens."""
Cost = Literal["points", "color", "palette", "filter", "image", "tuning", "overlays", "nothing"]
"""What a change recomputes: coordinates of points, their colors, colors of categories, which cells count, images of a
view, only the drawing, what lies over or under the points, or nothing."""


def _setting(
    default: Any,
    check: Check,
    doc: str,
    *,
    cost: Cost = "nothing",
    is_synced: bool = True,
    js: str = "",
    step: str | None = "",
    needs_kernel: bool = True,
) -> Any:
    about = {
        "check": check,
        "doc": doc,
        "cost": cost,
        "is_synced": is_synced,
        "js": js,
        "step": step,
        "needs_kernel": needs_kernel,
    }
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class Settings:
    """All settings of a widget at one time; lists are tuples here."""

    embedding: EmbeddingName | None = _setting(
        None, checks.embedding,
        "name of the embedding, or two numeric obs columns or genes as axes: ('n_genes', 'CD3E')", cost="points",
        js="string | string[] | null",
    )  # fmt: skip
    axes: tuple[int, int] = _setting(
        (0, 1), checks.axes, "two axes of the embedding, as x and y", cost="points", step="embedding"
    )
    annotations: tuple[Any, ...] = _setting(
        (), checks.logs, "annotations: {name, log} each, see `w.annotations`",
        cost="color", is_synced=False, js="any", step="annotation",
    )  # fmt: skip
    gene_sets: tuple[Any, ...] = _setting(
        (), checks.gene_sets, "gene sets of this widget: {name: genes}, see `w.genes.sets`", cost="color",
        js="{name: string, genes: string[]}[]", step="set",
    )  # fmt: skip
    sets: tuple[Any, ...] = _setting(
        (), checks.sets, "named sets of cells, each with its rule", is_synced=False, js="any", step="set"
    )
    color: ColorTrait = _setting(
        None,
        checks.color,
        "obs column, gene, gene set or list of genes that colors the points; None = no color",
        cost="color",
    )
    layer: str | None = _setting(None, checks.layer, "layer that genes are read from; None = X", cost="color")
    cmap: Any = _setting(
        "viridis", alone(check_colormap), "colormap of numbers: a name, also of matplotlib, or a list of colors",
        cost="tuning", js="string | {name: string, stops: string[]}", step="colors", needs_kernel=False,
    )  # fmt: skip
    palette: Any = _setting(
        None, alone(check_palette), "colors of categories: a name, a list, {category: color} or None",
        cost="palette", js="any", step="colors", needs_kernel=False,
    )  # fmt: skip
    vmin: float | str | None = _setting(
        None, alone(check_limit, "vmin"), "lower color limit: number, percentile like 'p1', None = smallest value",
        cost="tuning", step="limits", needs_kernel=False,
    )  # fmt: skip
    vmax: float | str | None = _setting(
        None, alone(check_limit, "vmax"), "upper color limit: number, percentile like 'p99', None = largest value",
        cost="tuning", step="limits", needs_kernel=False,
    )  # fmt: skip
    limits: Literal["hold", "follow"] = _setting(
        "hold", choice("limits", ("hold", "follow")),
        "default color limits of many cells: 'hold' = those of the whole plot, 'follow' = those of the view",
        cost="tuning", needs_kernel=False,
    )  # fmt: skip
    center: float | None = _setting(
        None, alone(check_center), "value at the center of the colormap, with limits symmetric around it, or None",
        cost="tuning", step="color center", needs_kernel=False,
    )  # fmt: skip
    scale: ScaleName = _setting(
        "linear", choice("scale", get_args(ScaleName)), "scale of the colormap: 'linear' or 'log'",
        cost="tuning", step="color scale", needs_kernel=False,
    )  # fmt: skip
    zero: Literal["color", "grey"] = _setting(
        "color", choice("zero", ("color", "grey")),
        "cells with the value 0: 'color' = colored as others, 'grey' = pale, behind all others", cost="tuning",
        step="color of zeros", needs_kernel=False,
    )  # fmt: skip
    blend: Literal["mean", "colors"] = _setting(
        "mean", choice("blend", ("mean", "colors")),
        "color of several genes: their 'mean', or, of two or three, 'colors', a hue for each", cost="color",
        step="colors",
    )  # fmt: skip
    point_size: float | None = _setting(
        None, number("point_size", 0.1, 100, or_none=True), "diameter of a point, CSS px; None = by density",
        cost="tuning", step=None, needs_kernel=False,
    )  # fmt: skip
    opacity: float | None = _setting(
        None, number("opacity", 0, 1, or_none=True),
        "opacity of a point, 0 to 1; None = by density, lower if more cells share a pixel (categories)",
        cost="tuning", step=None, needs_kernel=False,
    )  # fmt: skip
    tool: Tool = _setting(
        "pan", choice("tool", get_args(Tool)), "action of dragging: 'pan', 'lasso' or 'rectangle'", step=None
    )
    pinned_genes: tuple[str, ...] = _setting(
        (), checks.pinned_genes, "genes pinned in the Genes panel, as `w.genes.pin` takes them", step="pin"
    )
    view: tuple[float, ...] | None = _setting(
        None,
        alone(checks.check_view),
        "visible range: x left, x right, y bottom, y top in data units; None = everything",
        step=None, needs_kernel=False,
    )  # fmt: skip
    height: int = _setting(
        600, number("height", 120, 10_000, int), "height of the widget, CSS px", step=None, needs_kernel=False
    )
    panel_width: int = _setting(
        236, number("panel_width", 160, 800, int), "width of the side panel, CSS px", step=None, needs_kernel=False
    )
    open_panels: tuple[str, ...] = _setting(
        (),
        alone(check_names, "open_panels", PANELS),
        f"names of the panels that are open: {', '.join(map(repr, PANELS))}",
        step=None,
    )
    wheel_zoom: bool = _setting(
        True,
        flag("wheel_zoom"),
        "whether the wheel zooms; with Ctrl or Cmd it always does",
        step=None, needs_kernel=False,
    )  # fmt: skip
    hidden: tuple[str, ...] = _setting(
        (), alone(checks.check_hidden), "labels of hidden categories", cost="image", step="filter"
    )
    filters: tuple[Any, ...] = _setting(
        (), checks.filters, "filters as rules: by obs columns, genes, and one query, see `w.filters`", cost="filter",
        js="any", step="filter",
    )  # fmt: skip
    table: Any = _setting(
        None, check_table, "columns, order and cells of the table, see `w.table`; None = defaults",
        js='{columns?: string[], sort?: string, descending?: boolean, of?: "filter" | "selection"} | null', step=None,
    )  # fmt: skip
    study_design: Any = _setting(
        None, check_design, "columns of samples and conditions of a study, see `w.study`; None = no study",
        js="{sample: string, condition: string, covariates: string[], pair: string | null, excluded: string[]} | null",
        step="study",
    )  # fmt: skip
    panels: tuple[Any, ...] = _setting(
        (), check_looks, "panels side by side, with the settings that each overrides", js="Look[]", step="panel",
    )  # fmt: skip
    views: tuple[Any, ...] = _setting(
        (), check_views, "views of panels in other embeddings; an embedding without one shows everything",
        js="{embedding: string | string[], view: number[]}[]", step=None, needs_kernel=False,
    )  # fmt: skip
    filtered: Filtered = _setting(
        "hide", choice("filtered", get_args(Filtered)),
        "filtered-out cells: 'hide' does not draw them, 'grey' draws them behind all others",
        cost="image", step="filter", needs_kernel=False,
    )  # fmt: skip
    hover: tuple[str, ...] | None = _setting(
        None, checks.hover, "obs columns and genes in the tooltip; None = the most informative",
        is_synced=False, step=None,
    )  # fmt: skip
    density: Density = _setting(
        "eq_hist", choice("density", get_args(Density)),
        "from cells per pixel to opacity: 'linear', 'log', 'cbrt' or 'eq_hist'", cost="image",
        step="opacity", needs_kernel=False,
    )  # fmt: skip
    labels: str | None = _setting(
        None,
        checks.categories_of("labels"),
        "obs column whose categories are written on the plot, where their cells are densest",
        cost="overlays",
    )
    contours: str | bool | tuple[str, ...] | None = _setting(
        None, checks.contours,
        f"obs column whose categories get contours around {ENCLOSED} of their cells; True = one for all cells; "
        "a list of names of sets = contours of these",
        cost="overlays", js="string | boolean | string[] | null",
    )  # fmt: skip
    difference: tuple[str, ...] | None = _setting(
        None, alone(check_two), "names of two sets: draw the log2 ratio of their densities",
        cost="overlays", js="string[] | null",
    )  # fmt: skip
    tissue: str | None = _setting(
        None, checks.tissue,
        "tissue image under a spatial embedding, 'library/resolution'; True = the best, None = none",
        cost="overlays", js="string | null",
    )  # fmt: skip
    tissue_opacity: float = _setting(
        1.0, number("tissue_opacity", 0, 1), "opacity of the tissue image, 0 to 1", step=None,
        cost="overlays", needs_kernel=False,
    )  # fmt: skip
    statistic: Any = _setting(
        "auto", alone(check_statistic),
        "value of a pixel with several cells: 'mean', 'max', 'min', 'sum', 'std', 'var' or 'count'; "
        "'auto' = mean, or max when zoomed in; or a datashader reduction of obs columns and genes",
        cost="image", js="string",
    )  # fmt: skip
    aggregator: str = _setting(
        "auto", choice("aggregator", ("auto", "datashader")),
        "aggregator of images: 'datashader', or 'auto' = faster loops where possible", is_synced=False, step=None,
    )  # fmt: skip
    render: str = _setting(
        "auto", choice("render", ("auto", "points", "raster")),
        "rendering: 'points', 'raster' = aggregated by the kernel, or 'auto' = by max_points", is_synced=False,
        step=None,
    )  # fmt: skip
    max_points: int = _setting(
        MAX_POINTS, number("max_points", 1, 100_000_000, int),
        "most cells to send as points; larger datasets are aggregated by view", is_synced=False, step=None,
    )  # fmt: skip
    legend: bool = _setting(True, flag("legend"), "whether saved pictures have a legend", step=None, needs_kernel=False)
    background: Literal["white", "dark", "transparent"] | None = _setting(
        None, choice("background", tuple(PAPERS), or_none=True),
        "background of saved pictures: 'white', 'dark', 'transparent', None = as on the screen", step=None,
        needs_kernel=False,
    )  # fmt: skip

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Settings:
        """Return settings with these values, as traits hold them."""
        return cls(**{name: _frozen(one) for name, one in values.items()})

    def having(self, values: Mapping[str, Any]) -> Settings:
        """Return these settings with other values of some, as traits hold them."""
        return self if not values else replace(self, **{name: _frozen(one) for name, one in values.items()})

    @property
    def place_key(self) -> PlaceKey:
        """Key of the coordinates."""
        return self.embedding, self.axes

    @property
    def filter_rules(self) -> list[Rule]:
        """The filters as self-contained rules: names of sets are replaced by their rules."""
        sets = {one["name"]: one["rule"] for one in self.sets}
        return [expanded(rule, sets) if "set" in rule.get("not", rule) else rule for rule in self.filters]

    def of_panel(self, panel: int) -> Settings:
        """Return the settings of a panel; 0 is the plot itself. Raises `Overtaken` if the panel was removed."""
        if panel == 0:
            return self
        look = self.look(panel)
        if not look:
            raise Overtaken("that panel was removed.")
        return apply_panel(self, look)

    def look(self, panel: int) -> Mapping[str, Any]:
        """Return the settings that a panel overrides; {} if there is no such panel."""
        return next((one for one in self.panels if one["id"] == panel), {})

    @property
    def panel_numbers(self) -> tuple[int, ...]:
        """Numbers of the panels, without the plot itself."""
        return tuple(one["id"] for one in self.panels if len(one) > 1)

    @property
    def places(self) -> dict[PlaceKey, int]:
        """Keys of coordinates of panels that differ from the plot's, each with the first panel that needs it."""
        panels = {self.of_panel(one).place_key: one for one in reversed(self.panel_numbers)}
        return {place: panel for place, panel in panels.items() if place != self.place_key}

    @property
    def sets_on_plot(self) -> tuple[str, ...]:
        """Names of the sets with contours or in the density difference."""
        return (*(self.contours if isinstance(self.contours, tuple) else ()), *(self.difference or ()))

    def rule_of_set(self, name: str) -> Rule:
        """Return the rule of a named set; raises `UnknownName` if there is none."""
        return filter_by(name, self.sets, kept=True)

    @property
    def own_gene_sets(self) -> OwnSets:
        """Gene sets of this widget, by name."""
        return {one["name"]: tuple(one["genes"]) for one in self.gene_sets}

    @property
    def is_of_pixels(self) -> bool:
        """Whether the statistic needs all cells of a pixel or has its own range, so that only images can show it."""
        return self.statistic not in OF_CELLS

    @property
    def is_blended(self) -> bool:
        """Whether genes are shown by a hue each."""
        return self.blend == "colors" and not isinstance(self.color, str | None) and len(self.color) > 1

    @property
    def color_key(self) -> tuple[Any, ...]:
        """Key of a coloring, by `resolve`; settings with equal keys share it."""
        if not isinstance(self.color, str):
            color = None if self.color is None else tuple(self.color)
            return (color, self.layer, (), self.color_rule) if self.is_blended else (color, self.layer)
        names = (self.color, self.color.removeprefix("set:"))
        own = tuple((one["name"], tuple(one["genes"])) for one in self.gene_sets if one["name"] in names)
        if self.sets and is_of_sets(self.color):
            return self.color, self.layer, own, key_of_sets(self.sets)
        log = self.log_of(self.color.removeprefix("obs:"))
        if log is not None:
            return self.color, self.layer, own, log.keys[-1]
        return (self.color, self.layer, own) if own else (self.color, self.layer)

    @property
    def color_rule(self) -> ColorRule:
        """How the colormap is applied to numbers."""
        return ColorRule(self.vmin, self.vmax, self.center, self.scale)

    def greyed(self, values: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which numbers are drawn gray: zeros, and values without a place on a log scale."""
        if self.scale == "log":
            return np.asarray(np.isfinite(values) & (values <= 0), dtype=np.bool_)
        return np.asarray((values == 0) & (self.zero == "grey"), dtype=np.bool_)

    def log_of(self, column: str) -> Log | None:
        """Return the log of an annotation; None if there is none of that name."""
        return next((one["log"] for one in self.annotations if one["name"] == column), None)

    def with_question(self, question: Aggregate) -> Settings:
        """Return the settings for an image request of a front-end, which may be newer than the synced ones.

        A statistic is a name there; for an object the page sends a text, and the object is kept.
        """
        requested = {one.name: getattr(question, one.name) for one in SETTINGS if one.cost == "image"}
        if not (self.is_of_pixels and requested["statistic"] in OF_PIXELS):
            del requested["statistic"]
        return replace(self, **{**requested, "hidden": tuple(requested["hidden"])})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@dataclass(frozen=True)
class Setting:
    """One setting as `Settings` declares it.

    check : returns the normalized value, or raises a sentence
    is_synced : whether the front-end knows it
    js : its JavaScript type, if that does not follow from the Python type
    step : word for its change in the history of undo, "" = its name; None = not undone: views, and the frame of the
        plot
    needs_kernel : False = a saved page, which has no kernel, can change it
    """

    name: str
    default: Any
    check: Check
    doc: str
    cost: Cost
    is_synced: bool
    js: str
    step: str | None
    needs_kernel: bool


SETTINGS = tuple(Setting(one.name, one.default, **one.metadata) for one in fields(Settings))
_MOST_OF_RANGE = 1_000_000
STATE = tuple(one.name for one in SETTINGS)
"""Names of all settings; `CxgWidget.state` holds those that differ from their default."""
BY_NAME = {one.name: one for one in SETTINGS}


def check(name: str, value: Any, dataset: Dataset, settings: Settings) -> Any:
    """Check the value of a setting and return it normalized.

    settings : the other settings, whose embedding, sets or gene sets it may name
    """
    if isinstance(value, range) and value[_MOST_OF_RANGE:]:
        raise InvalidValue(f"{name} takes no range of so many numbers; found {shown(value)}")
    return BY_NAME[name].check(value, dataset, settings)


def own_copy(value: Any, *, packs: bool = True) -> Any:
    """Return a deep copy of the lists and dicts of a value; other objects are shared.

    packs : True = turn packed rows into text, n/6 bytes; False = share them, since nobody changes them
    """
    if isinstance(value, PackedRows) and not packs:
        return value
    if isinstance(value, Mapping):
        return {name: own_copy(one, packs=packs) for name, one in value.items()}
    if isinstance(value, list):
        return [own_copy(one, packs=packs) for one in value]
    return tuple(own_copy(one, packs=packs) for one in value) if type(value) is tuple else value
