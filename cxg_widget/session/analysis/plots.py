"""Plots of groups of cells: resolves names, sums up the genes, and makes the plot."""
# Changes with cxg_widget/widget/plots.py and cxg_widget/draw/plots/gene_matrix.py: options of plots of groups.
# Changes with cxg_widget/draw/plots/violins.py and cxg_widget/draw/plots/bars.py: options of plots of groups.

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from cxg_widget.color.colormap_lookup import check_colormap, stops_of
from cxg_widget.color.palettes import category_palette
from cxg_widget.color.paper import PAPERS
from cxg_widget.compare.gene_by_group import Binned, Floats, GroupTable, Summed, binned, medians, summed
from cxg_widget.compare.plotted_groups import CellGroups, GroupNames, paired
from cxg_widget.datasets.base.values import Codes, Vector
from cxg_widget.display.color_target import Target, as_float, is_number, resolve
from cxg_widget.draw.plots.bars import Bars
from cxg_widget.draw.plots.gene_matrix import GeneMatrix
from cxg_widget.draw.plots.plot_style import Look
from cxg_widget.draw.plots.violins import Violins
from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from cxg_widget.session.analysis.meant import population_of
from cxg_widget.session.pictures.figure_files import paper_name
from cxg_widget.session.streams.chunks import stored_colors
from cxg_widget.text.names import join_missing, label_of, not_found, shown, without_prefix

if TYPE_CHECKING:
    from cxg_widget.cells.loader import Loader
    from cxg_widget.display.settings import Settings
    from cxg_widget.session.display_state import DisplayState

MOST_GENES = 1_000
_SCALES = (None, "var", "group")
Heads = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class _Grouped:
    """Columns that group cells, the groups, and which cells count, in words."""

    codes: tuple[Codes, ...]
    groups: CellGroups
    names: GroupNames
    cells: str


class GroupPlots:
    """Makes plots of the cells that pass the filters, or of other cells."""

    def __init__(self, loader: Loader, display: DisplayState) -> None:
        self._loader, self._display, self._dataset = loader, display, loader.dataset

    def genes(
        self, kind: type[GeneMatrix], genes: Any, by: Any, by2: Any, within: Any, *, layer: str | None,
        standard_scale: Any, swap_axes: bool, cmap: Any,
    ) -> GeneMatrix:  # fmt: skip
        """Make a plot of genes by groups; parameters and errors as those of `CxgWidget.dotplot`."""
        if standard_scale not in _SCALES:
            raise InvalidValue(f"standard_scale must be None, 'var' or 'group'; found {shown(standard_scale)}")
        settings = self._display.settings
        layer = settings.layer if layer is None else layer
        wanted, heads = self._listed(genes, settings, layer)
        stops = settings.cmap if cmap is None else check_colormap(cmap)
        grouped = self._grouped((by, by2), within)
        sums = tuple(summed(vector, grouped.groups) for vector in self._vectors(wanted, layer))
        table = GroupTable(grouped.names, tuple(name for name, _ in wanted), sums)
        return kind(
            table, self._look(grouped.names, settings, 0, stops, cells=grouped.cells), heads,
            standard_scale=standard_scale, swap_axes=bool(swap_axes),
        )  # fmt: skip

    def violin(self, genes: Any, by: Any, by2: Any, within: Any, layer: str | None) -> Violins:
        """Make violins; parameters and errors as those of `CxgWidget.violin`."""
        settings = self._display.settings
        layer = settings.layer if layer is None else layer
        wanted, _ = self._listed(genes, settings, layer)
        grouped = self._grouped((by, by2), within)
        found: list[tuple[Summed, Binned, Floats]] = []
        for vector in self._vectors(wanted, layer):
            known = summed(vector, grouped.groups)
            found.append((known, binned(vector, grouped.groups, known), medians(vector, grouped.groups)))
        table = GroupTable(grouped.names, tuple(name for name, _ in wanted), tuple(known for known, _, _ in found))
        look = self._look(grouped.names, settings, len(grouped.codes) - 1, settings.cmap, cells=grouped.cells)
        return Violins(table, tuple(bins for _, bins, _ in found), tuple(middle for *_, middle in found), look)

    def bars(self, column: Any, by: Any, within: Any, *, share: bool) -> Bars:
        """Make stacked bars; parameters and errors as those of `CxgWidget.bars`."""
        settings = self._display.settings
        name = self._column(column, "column")
        grouped = self._grouped((by, None), within)
        if name == grouped.names.columns[0]:
            raise InvalidValue(f"bars() needs two different columns, bars(column, by); found {shown(name)} twice")
        codes = self._dataset.codes(name)
        counts = paired(grouped.groups, codes)
        n_cells = counts.sum(axis=0)
        kept = np.flatnonzero(n_cells[:-1])
        parts = self._names((name,), (codes,), kept[:, None], n_cells[kept], int(n_cells[-1]))
        shown_parts = [*kept, *([len(n_cells) - 1] if n_cells[-1] else [])]
        look = self._look(parts, settings, 0, settings.cmap, title=f"{name} by {grouped.names.columns[0]}",
                          note=self._note(grouped.names, grouped.cells))  # fmt: skip
        return Bars(grouped.names, parts, counts[:, shown_parts], look, share=bool(share))

    # --- genes and columns -------------------------------------------------------------------------------------------

    def _listed(self, genes: Any, settings: Settings, layer: str | None) -> tuple[list[tuple[str, Target]], Heads]:
        """Find genes by name: one gene, a list, a gene set, or {name of a set: genes}."""
        heads: Heads = ()
        if not isinstance(genes, Mapping):
            wanted = self._one_list(genes, settings, layer)
        else:
            parts = {str(name): self._one_list(some, settings, layer) for name, some in genes.items()}
            wanted = [one for some in parts.values() for one in some]
            stops = np.cumsum([len(some) for some in parts.values()]).tolist()
            starts = [0, *stops[:-1]]
            heads = tuple(zip(parts, starts, stops, strict=False))
        if not 1 <= len(wanted) <= MOST_GENES:
            noun = self._dataset.var_noun
            raise InvalidValue(f"a plot takes 1 to {MOST_GENES:,} {noun.many}; found {len(wanted):,}")
        return wanted, heads

    def _one_list(self, genes: Any, settings: Settings, layer: str | None) -> list[tuple[str, Target]]:
        noun = self._dataset.var_noun
        if isinstance(genes, str):
            target = resolve(genes, self._dataset, layer, settings.own_gene_sets)
            genes = target.genes if target.source == "set" else [genes]
        if not isinstance(genes, Sequence | np.ndarray) and not hasattr(genes, "tolist"):
            raise InvalidValue(
                f"a plot takes a {noun.one}, a list of {noun.many} or {{name: list}}; found {shown(genes)}"
            )
        found: list[tuple[str, Target]] = []
        described: list[str] = []
        for name in genes:
            if not isinstance(name, str):
                raise InvalidValue(f"{noun.many} must be given by name; found {shown(name)}")
            try:
                found.append((name, self._number(name, layer)))
            except UnknownName as error:
                described.append(str(error) if not described else shown(name))
        if described:
            raise UnknownName(join_missing(described))
        return found

    def _number(self, name: str, layer: str | None) -> Target:
        """Return the gene or numeric obs column of a name."""
        target = resolve(name, self._dataset, layer)
        if target.source not in ("obs", "var") or not is_number(target, self._dataset):
            what = "a set" if target.source == "set" else "an obs column without numbers"
            raise InvalidValue(
                f"{shown(name)} is {what}; a plot takes {self._dataset.var_noun.many} and obs columns of numbers"
            )
        return target

    def _column(self, name: Any, what: str) -> str:
        """Return the obs column of categories or integers (clusters) of a name."""
        if not isinstance(name, str):
            raise InvalidValue(f"{what} must be the name of an obs column; found {shown(name)}")
        known = self._dataset.obs_columns
        found = str(without_prefix(name, known))
        if found not in known:
            raise UnknownName(not_found("obs column", name, known))
        if known[found].kind == "float":
            raise InvalidValue(
                f"{what} must be an obs column of categories or whole numbers; {shown(found)} has fractions"
            )
        return found

    # --- reading -----------------------------------------------------------------------------------------------------

    def _grouped(self, by: tuple[Any, Any], within: Any) -> _Grouped:
        columns = tuple(
            self._column(name, what) for name, what in zip(by, ("by", "by2"), strict=True)
            if name is not None or what == "by"
        )  # fmt: skip
        if len(set(columns)) < len(columns):
            raise InvalidValue(f"by2 must be another column than by; found {shown(columns[0])} twice")
        within = "filter" if within is None else within
        population = population_of(within, self._loader, self._display)
        mask = population.mask
        codes = tuple(self._dataset.codes(name) for name in columns)
        groups = CellGroups.of(codes, mask)
        if not groups.n_groups:
            empty = {"selection": "none is selected", "filter": "none passes the filters"}
            none = empty.get(within, "none is within") if isinstance(within, str) else "none is within"
            why = "none of them has a category" if mask is None or mask.any() else none
            raise SelectionError(f"a plot needs {self._dataset.obs_noun.many} in groups by {columns[0]!r}, and {why}.")
        names = self._names(columns, codes, groups.places, groups.n_cells, groups.n_without)
        return _Grouped(codes, groups, names, population.description)

    def _names(
        self,
        columns: tuple[str, ...],
        codes: tuple[Codes, ...],
        places: NDArray[Any],
        n_cells: NDArray[Any],
        n_without: int,
    ) -> GroupNames:
        kinds = tuple(self._dataset.obs_columns[name].kind == "categorical" for name in columns)
        categories, ordered = tuple(one.categories for one in codes), tuple(one.ordered for one in codes)
        return GroupNames(columns, categories, kinds, ordered, places, n_cells, n_without)

    def _vectors(self, wanted: list[tuple[str, Target]], layer: str | None) -> Iterator[Vector]:
        """Yield genes and columns in their order; genes are read together."""
        vectors = self._dataset.vectors([target.name for _, target in wanted if target.source == "var"], layer)
        for _, target in wanted:
            if target.source == "var":
                yield next(vectors)
            else:
                yield Vector(as_float(self._dataset.numbers(target.name)))

    # --- style -------------------------------------------------------------------------------------------------------

    def _look(
        self,
        names: GroupNames,
        settings: Settings,
        colored_by: int,
        cmap: Any,
        *,
        title: str = "",
        cells: str = "",
        note: str | None = None,
    ) -> Look:
        """Return the style; colored_by: column that colors the groups; cells: text after their number."""
        paper = PAPERS[paper_name(settings)]
        column, categories = names.columns[colored_by], names.categories[colored_by]
        stored = stored_colors(column, settings, self._dataset)
        palette = category_palette([label_of(one) for one in categories], stored, settings.palette)
        colors = tuple(palette[at] for at in names.places[:, colored_by].tolist())
        stops = tuple(stops_of(cmap, dark=paper.is_dark))
        title = title or f"by {' and '.join(names.columns)}"
        return Look(paper, colors, stops, title, self._note(names, cells) if note is None else note)

    def _note(self, names: GroupNames, cells: str) -> str:
        n = int(names.n_cells.sum())
        described = self._dataset.obs_noun.counted(n)
        without = f"; {names.n_without:,} without a category left out" if names.n_without else ""
        return f"{described}{cells and f' {cells}'}{without}"
