"""The plot and its panels as calls of scanpy, with the colors of categories in `adata.uns`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from cxg_widget.code.scanpy_cells import NotInScanpy, column, gene, mask, var_name
from cxg_widget.code.statement import Expression, call, literal, quoted
from cxg_widget.display.color_target import is_of_sets, resolve
from cxg_widget.display.looks import apply_panel
from cxg_widget.errors import CxgWidgetError

if TYPE_CHECKING:
    from cxg_widget.code.script import Script
    from cxg_widget.display.settings import Settings

PLOTTED = ("color", "palette", "embedding", "axes", "layer", "panels", "cmap", "vmin", "vmax")
"""Settings that these calls say."""


def write_plots(script: Script) -> None:
    """Write the plot of each panel, several of one embedding in one call; only if something of them was chosen."""
    now, first = script.now, script.records.first
    if all(getattr(now, name) == getattr(first, name) for name in PLOTTED):
        return
    looks = now.panels or ({"id": 0},)
    waiting: list[tuple[str, Settings, list[str]]] = []
    for look in looks:
        shown = apply_panel(now, look) if len(look) > 1 else now
        try:
            part = f"adata[{mask(look['within'], script)}]" if "within" in look else "adata"
            color = _color(script, shown)
        except NotInScanpy as reason:
            script.remark(f"Not possible in scanpy: the plot colored by {shown.color}; it lacks {reason}.")
            continue
        key = replace(shown, color=None, panels=())
        if waiting and waiting[-1][:2] == (part, key):
            waiting[-1][2].append(color)
        else:
            waiting.append((part, key, [color]))
    for part, shown, colors in waiting:
        _write_plot(script, part, shown, colors)


def _write_plot(script: Script, part: str, shown: Settings, colors: list[str]) -> None:
    named = [one for one in colors if one]
    color: Expression = literal(named[0] if len(named) == 1 else named)
    given: dict[str, Expression] = {"color": color} if named else {}
    if shown.layer is not None:
        given["layer"] = quoted(shown.layer)
    for name, theirs in (("cmap", "color_map"), ("vmin", "vmin"), ("vmax", "vmax")):
        value = getattr(shown, name)
        if value != getattr(script.records.first, name) and isinstance(value, str | int | float):
            given[theirs] = literal(value)
    if isinstance(shown.embedding, str):
        axes: dict[str, Expression] = {} if shown.axes == (0, 1) else {"dimensions": literal(shown.axes)}
        script.add(call("sc.pl.embedding", part, quoted(shown.embedding), **given, **axes))
        return
    x, y = (str(one).removeprefix("obs:") for one in shown.embedding or ("", ""))
    if not {x, y} <= {*script.dataset.obs_columns}:
        script.remark(f"Not possible in scanpy: axes {x} and {y}.")
        return
    script.add(call("sc.pl.scatter", part, x=quoted(x), y=quoted(y), **given))


def _color(script: Script, shown: Settings) -> str:
    """Return the name to color by, "" = none, and write what it needs."""
    if isinstance(shown.color, str) and is_of_sets(shown.color):
        name = shown.color.removeprefix("sets:")
        if name not in script.sets:
            raise NotInScanpy("one color for each of several sets")
        script.add(f"{column(name)} = pd.Categorical(sets[{quoted(name)}].astype(str))")
        return name
    try:
        target = resolve(shown.color, script.dataset, shown.layer, shown.own_gene_sets)
    except CxgWidgetError:
        raise NotInScanpy(f"the color {shown.color!r}") from None
    if target.source == "none":
        return ""
    if target.source == "obs":
        if colors := script.records.category_colors(target.name, shown):
            script.assign(f"adata.uns[{quoted(f'{target.name}_colors')}]", literal(colors))
        return target.name
    if target.source == "var":
        return var_name(target.name, shown.layer, script)
    if target.source == "blend" or not target.genes:
        raise NotInScanpy("a color from several genes")
    names = ", ".join(gene(one, shown.layer, script) for one in target.genes)
    title = target.name or f"mean of {len(target.genes)} genes"
    script.add(f"{column(title)} = np.mean([{names}], axis=0)")
    return title
