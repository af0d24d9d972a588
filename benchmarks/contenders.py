"""The three contenders as code of notebook cells: what to prepare, show, change and read back."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.data import CATEGORIES, FIRST_CATEGORY, Store

HEIGHT_PX = 600
FLOOR_PX = (610, 570)
"""Height of the plot, without the panels of the widget."""


@dataclass(frozen=True)
class Contender:
    """One widget as notebook code.

    Attributes
    ----------
    prepare : imports, and reading what the widget cannot read by itself; not timed
    show : makes and shows the widget; timed
    category, gene : change the color to the name that replaces `NAME`; timed
    lasso : dragging then draws a lasso, and `seen` gets the time when the DataFrame of the selected cells exists
    select : selects the cells of `polygon`, by position where the widget has no polygons
    frames : title -> code of a DataFrame of the selection
    """

    name: str
    prepare: str
    show: str
    category: str
    gene: str
    lasso: str = ""
    select: str = ""
    frames: tuple[tuple[str, str], ...] = ()


def cxg_widget(store: Store) -> Contender:
    """Ours; it reads the store itself."""
    return Contender(
        "cxg-widget",
        prepare="import numpy, pandas\nfrom cxg_widget import CxgWidget",
        show=f"w = CxgWidget({str(store.path)!r}, color={FIRST_CATEGORY!r}, height={HEIGHT_PX}, point_size=2)\nw",
        category="w.color = 'NAME'",
        gene="w.color = 'var:NAME'",
        lasso=_OBSERVE.format(
            selected="w.selection.obs(['cell_type'])", observe="w.on_selection(note)", tool="w.tool = 'lasso'"
        ),
        select="w.select(polygon=polygon)",
        frames=(("one column", "w.selection.obs(['cell_type'])"), ("all columns", "w.selection.obs()")),
    )


def floor(store: Store) -> Contender:
    """The bare widget, with its bytes ready."""
    genes = (*store.genes, store.dense_gene)
    return Contender(
        "floor",
        prepare=f"""from pathlib import Path
from benchmarks.floor import Arrays, Floor
arrays = Arrays(Path({str(store.path)!r}), {(FIRST_CATEGORY, *CATEGORIES)!r}, {genes!r})""",
        show=f"w = Floor(arrays, {FIRST_CATEGORY!r}, width={FLOOR_PX[0]}, height={FLOOR_PX[1]})\nw",
        category="w.show_codes('NAME')",
        gene="w.show_gene('NAME')",
    )


def jupyter_scatter(store: Store) -> Contender:
    """The peer, with a DataFrame in memory that already has all columns that will be requested."""
    genes = (*store.genes, store.dense_gene)
    return Contender(
        "jupyter-scatter",
        prepare=f"""from pathlib import Path
import jscatter, numpy, pandas
from benchmarks.contenders import make_frame
frame = make_frame(Path({str(store.path)!r}), {(FIRST_CATEGORY, *CATEGORIES)!r}, {genes!r})""",
        show=f"""look = dict(color_by={FIRST_CATEGORY!r}, height={HEIGHT_PX}, size=2)
scatter = jscatter.Scatter(data=frame, x='x', y='y', **look)
w = scatter.widget
scatter.show()""",
        category="scatter.color(by='NAME'); None",
        gene="scatter.color(by='NAME'); None",
        lasso=_OBSERVE.format(
            selected="frame.iloc[scatter.selection()][['cell_type']]",
            observe="w.observe(note, 'selection')",
            tool="scatter.mouse('lasso')",
        ),
        select="scatter.selection(inside(polygon)); None",
        frames=(("one column", "frame.iloc[scatter.selection()][['cell_type']]"),
                ("all columns", "frame.iloc[scatter.selection()]")),
    )  # fmt: skip


_OBSERVE = """import time
seen = []
def note(*_):
    selected = {selected}
    seen.append((time.time() * 1000, len(selected)))
{observe}
{tool}
None"""


def make_frame(path, columns, genes):
    """Read a DataFrame for jupyter-scatter: x, y, categoricals, genes."""
    import numpy as np
    import pandas as pd

    from benchmarks.data import read_codes, read_gene, read_xy

    xy = read_xy(path)
    frame = pd.DataFrame({"x": xy[:, 0], "y": xy[:, 1]})
    for name in columns:
        codes, categories = read_codes(path, name)
        frame[name] = pd.Categorical.from_codes(codes, categories)
    for name in genes:
        rows, values = read_gene(path, name)
        frame[name] = np.zeros(len(xy), np.float32)
        frame.loc[rows, name] = values
    return frame


ALL = (cxg_widget, floor, jupyter_scatter)
