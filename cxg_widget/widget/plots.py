"""Plots of groups of cells as methods of the widget, and decorators that reject scanpy's names of parameters."""
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
from cxg_widget.session.analysis.meant import FILTER, with_values
from cxg_widget.text.names import shown
from cxg_widget.widget.answering import AnsweringWidget

P = ParamSpec("P")
R = TypeVar("R")
_LESS = "fewer genes, or fewer {cells} by within="


def scanpy_names(**own: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a method so that a parameter named as in scanpy raises an error that gives the name here.

    Parameters
    ----------
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
    """Decorate a method so that it has the signature of another, and gets all arguments by name."""
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

        # `inspect.signature` follows `__wrapped__`, so it is set last.
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
        """Plot genes by groups of cells as dots: the area is the share of cells above 0, the color the mean.

        Parameters
        ----------
        genes : a gene, a list of genes, the name of a gene set, or {name: list} for sets with brackets; numeric obs
            columns too. "obs:NAME", "var:NAME" and "set:NAME" force one
        by : obs column of categories or integers (clusters), in the order of the legend; groups without cells and cells
            without a category are left out
        by2 : second column; each pair of categories with cells is then a group
        layer : layer of the genes; None = that of the widget
        within : cells that count: None or "filter" = those that pass the filters, "selection", or other cells as
            `select` takes them
        standard_scale : scale the means from 0 to 1 for the colors: "var" = per gene, "group" = per group; None = no
            scaling
        swap_axes : whether genes are rows
        cmap : as the trait; None = that of the widget

        Returns
        -------
        plot with `.frame()` and `.figure()`, a `matplotlib.figure.Figure`; a notebook displays it. `["mean"]` and
        `["share"]` of the frame are groups by genes, equal to `dot_color_df` and `dot_size_df` of `scanpy.pl.dotplot`

        Raises
        ------
        UnknownName, InvalidValue
            If there is no such gene, column or layer, a column has fractions, or there are more than 1,000 genes or
            5,000 groups.
        SelectionError
            If no cells count.
        InvalidStore, DamagedStore
            If a column cannot be read.
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
        """Plot the mean of genes by groups of cells as a heat map, as `scanpy.pl.matrixplot` does.

        Parameters and errors are those of `dotplot`.

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
        """Plot the distribution of a gene in groups of cells: a Gaussian kernel density of 200 bins, and the median.

        Parameters
        ----------
        gene : a gene or a numeric obs column; a list is drawn one below the other
        by, by2, layer, within : as in `dotplot`; violins have the colors of `by2` if it is given, else of `by`

        Returns
        -------
        plot with `.frame()` (count, mean, median, lowest and highest value), `.bins(gene)`, the cells of each bin, and
        `.figure()`, a `matplotlib.figure.Figure`; a notebook displays it

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
        within = FILTER if within is None else with_values(within)
        with self._session.costs.action("violin", less=_LESS):
            found = self._session.plots.violin(gene, by, by2, within, layer)
            self._note("violin", within, gene=gene, by=by, by2=by2, layer=layer)
            return found

    def bars(self, column: str, by: str, *, within: Any = None, share: bool = True) -> Bars:
        """Plot the composition of groups of cells as stacked bars.

        Parameters
        ----------
        column : obs column of categories, the parts of each bar, in its colors
        by : obs column of categories, a bar for each
        within : as in `dotplot`
        share : True = all bars have the length 1; False = the length is the number of cells

        Returns
        -------
        plot with `.frame()`, counts as `pandas.crosstab` returns them, and `.figure()`, a `matplotlib.figure.Figure`; a
        notebook displays it

        Raises
        ------
        as `dotplot`

        Examples
        --------
        >>> w.bars("cell_type", "condition").frame().to_numpy().sum().item()
        1000
        """
        self._check_open()
        within = FILTER if within is None else with_values(within)
        with self._session.costs.action("bars"):
            found = self._session.plots.bars(column, by, within, share=share)
            self._note("bars", within, column=column, by=by, share=None if share else False)
            return found

    def _of_genes(self, kind: type[GeneMatrix], *, within: Any, **requested: Any) -> GeneMatrix:
        self._check_open()
        within = FILTER if within is None else with_values(within)
        method = "dotplot" if kind is DotPlot else "heatmap"
        with self._session.costs.action(method, less=_LESS):
            found = self._session.plots.genes(kind, within=within, **requested)
            given = {**requested, "swap_axes": requested["swap_axes"] or None}
            self._note(method, within, **given)
            return found
