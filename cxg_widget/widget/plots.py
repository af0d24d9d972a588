"""Plots of groups of cells, as users call them; decorators of public methods refuse parameters as scanpy names them."""
# Changes with cxg_widget/session/analysis/plots.py: options of plots of groups.

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper, wraps
from inspect import signature
from typing import Any, Literal, ParamSpec, TypeVar

from cxg_widget.draw.plots.bars import Bars
from cxg_widget.draw.plots.gene_matrix import DotPlot, GeneMatrix, HeatMap
from cxg_widget.draw.plots.violins import Violins
from cxg_widget.errors import InvalidOption
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.text.names import shown
from cxg_widget.widget.answering import AnsweringWidget

P = ParamSpec("P")
R = TypeVar("R")
_LESS = "fewer genes, or fewer {cells} by within="


def scanpy_names(**own: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a method so that it names its own parameter where it is given that of scanpy.

    own : scanpy's name to ours
    """

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        name = method.__name__

        @wraps(method)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            found = [theirs for theirs in kwargs if theirs in own]
            if found:
                works = ", ".join(f"{own[theirs]}={shown(kwargs[theirs])}" for theirs in found)
                raise InvalidOption(f"{name}() takes {works}; found {', '.join(f'{theirs}=' for theirs in found)}")
            return method(*args, **kwargs)

        return checked

    return decorate


def like(model: Callable[P, R]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Decorate a method so that it takes what another takes, and is given all of it by name."""
    parameters = signature(model)

    def decorate(method: Callable[..., R]) -> Callable[P, R]:
        @wraps(method)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = parameters.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{method.__name__}() {error}") from None
            given.apply_defaults()
            return method(**given.arguments)

        # `inspect.signature` follows what is wrapped last.
        return update_wrapper(called, model, assigned=())

    return decorate


class PlottingWidget(AnsweringWidget):
    """A widget that plots groups of its cells."""

    @scanpy_names(groupby="by", var_names="genes")
    def dotplot(
        self, genes: str | Sequence[str] | Mapping[str, Sequence[str]], by: str, *, by2: str | None = None,
        layer: str | None = None, within: Any = None, standard_scale: Literal["var", "group"] | None = None,
        swap_axes: bool = False, cmap: Any = None,
    ) -> GeneMatrix:  # fmt: skip
        """Show genes by groups of cells as dots: their area is the share of cells above 0, their color the mean.

        Parameters
        ----------
        genes : a gene, a list, a gene set by its name, or {name: list} for sets with brackets; obs columns of numbers
            too. "obs:NAME", "var:NAME" and "set:NAME" force one
        by : obs column of categories or whole numbers (clusters), in the order of the legend; those without
            cells are left out, and so are cells without a category
        by2 : another one; then each pair that has cells is a group
        layer : of genes; None = that of the widget
        within : which cells count: None or "filter" = those that pass the filters, "selection", or other cells
            as `select` takes them
        standard_scale : stretches the means to 0 to 1 for the colors, of each gene ("var") or each group ("group")
        swap_axes : whether genes are rows
        cmap : as the trait; None = that of the widget

        Returns
        -------
        plot with `.frame()`, whose `["mean"]` and `["share"]` are groups by genes as `scanpy.pl.dotplot` has them in
        `dot_color_df` and `dot_size_df`, and `.figure()`, a `matplotlib.figure.Figure`; a notebook shows it

        Raises
        ------
        UnknownName, InvalidValue
            If there are no such genes, columns or layer, a column has fractions, or there are more than 1,000 genes or
            5,000 groups.
        SelectionError
            If no cells are meant.
        InvalidStore, DamagedStore
            If what is requested cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> plot = w.dotplot(["CD3E", "NKG7"], "cell_type")
        >>> plot.frame()["mean"].idxmax().to_dict()
        {'CD3E': 'regulatory T cell', 'NKG7': 'CD8+ effector T cell'}
        """
        return self._of_genes(
            DotPlot, genes=genes, by=by, by2=by2, layer=layer, within=within, standard_scale=standard_scale,
            swap_axes=swap_axes, cmap=cmap,
        )  # fmt: skip

    @scanpy_names(groupby="by", var_names="genes")
    @like(dotplot)
    def heatmap(self, **requested: Any) -> GeneMatrix:
        """Show the means of genes by groups of cells as colors, as `scanpy.pl.matrixplot` does; else as `dotplot`.

        Examples
        --------
        >>> plot = w.heatmap(["CD3E", "NKG7"], "cell_type", standard_scale="var")
        """
        return self._of_genes(HeatMap, **requested)

    @scanpy_names(groupby="by", keys="gene")
    def violin(
        self, gene: str | Sequence[str], by: str, *, by2: str | None = None, layer: str | None = None,
        within: Any = None,
    ) -> Violins:  # fmt: skip
        """Show how a gene is distributed in groups of cells: a Gaussian kernel estimate of 200 bins, and the median.

        Parameters
        ----------
        gene : a gene or an obs column of numbers; several are drawn below each other
        by, by2, layer, within : as `dotplot`; violins have the colors of `by2` where there is one, else of `by`

        Returns
        -------
        plot with `.frame()` (count, mean, median and ends), `.bins(gene)`, how many cells each bin has, and
        `.figure()`, a `matplotlib.figure.Figure`; a notebook shows it

        Raises
        ------
        as `dotplot`

        Examples
        --------
        >>> plot = w.violin("NKG7", "condition")
        >>> plot.frame().index.tolist()
        ['control', 'IFN-beta']
        """
        self._check_open()
        within = with_values(within)
        with self._session.costs.action("violin", less=_LESS):
            return self._session.plots.violin(gene, by, by2, within, layer)

    def bars(self, column: str, by: str, *, within: Any = None, share: bool = True) -> Bars:
        """Show how the cells of each group fall to the categories of a column, as stacked bars.

        Parameters
        ----------
        column : obs column of categories, which part the bars; they have its colors
        by : another one: a bar for each of its categories
        within : as `dotplot`
        share : whether all bars are as long; else they are as long as they have cells

        Returns
        -------
        plot with `.frame()`, counts as `pandas.crosstab` has them, and `.figure()`, a `matplotlib.figure.Figure`; a
        notebook shows it

        Raises
        ------
        as `dotplot`

        Examples
        --------
        >>> w.bars("cell_type", "condition").frame().to_numpy().sum().item()
        1000
        """
        self._check_open()
        within = with_values(within)
        with self._session.costs.action("bars"):
            return self._session.plots.bars(column, by, within, share=share)

    def _of_genes(self, kind: type[GeneMatrix], *, within: Any, **requested: Any) -> GeneMatrix:
        self._check_open()
        within = with_values(within)
        with self._session.costs.action("dotplot" if kind is DotPlot else "heatmap", less=_LESS):
            return self._session.plots.genes(kind, within=within, **requested)
