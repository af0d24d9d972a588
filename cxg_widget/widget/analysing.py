"""Statistics of cells as methods of the widget: counts, comparisons, markers, compositions, aggregation."""
# Changes with cxg_widget/compare/question.py: options of a comparison.
# Changes with cxg_widget/session/analysis/column_counts.py: options of counts.
# Changes with cxg_widget/compare/composition.py: options of a composition.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.compare.question import Question
from cxg_widget.datasets.base.contract import Form
from cxg_widget.errors import InvalidOption
from cxg_widget.session.analysis.meant import FILTER, with_values
from cxg_widget.table.forms import check_form, in_form
from cxg_widget.text.names import shown
from cxg_widget.widget.answering import AnsweringWidget

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from cxg_widget.compare.markers import Markers
    from cxg_widget.compare.result import Comparison


class AnalysingWidget(AnsweringWidget):
    """A widget that counts and compares groups of cells."""

    def counts(self, column: str | Sequence[str], *, within: Any = None, form: Form | None = None) -> Any:
        """Count cells by the values of an obs column or a gene, or by the levels of two or three genes.

        Parameters
        ----------
        column : obs column or gene; "obs:NAME" and "var:NAME" force one. Or a list of two or three genes: each gene is
            split into parts of its limits, which `vmin`, `vmax` and `scale` set as for `blend="colors"`. Two genes have
            the parts "low", "middle" and "high", three genes "low" and "high"
        within : cells that count: "filter" = those that pass the filters, "selection" = the selected ones, or other
            cells as `select` takes them; None = all
        form : type of the table: "pandas", "polars" or "arrow" (a pyarrow.Table); the last two have the index as their
            first columns. None = the type of the table that the widget shows, else "pandas"

        Returns
        -------
        DataFrame of int64 with the columns `all`, `filtered` (cells that pass all filters except that of the column
        itself) and `selected`. The index has the categories in their order (text is sorted), or equal intervals of
        numbers, as `numpy.histogram` makes them: each includes its left end, the last one both ends. A column of few
        distinct integers has one row per integer. Cells without a finite value are in the last row, if there are any.
        Of several genes the index has a level per gene, and `filtered` are the cells that pass all filters.

        Raises
        ------
        UnknownName
            If there is no such column.
        InvalidValue
            If the column has more than 65,534 distinct texts, the list has not two or three genes, or a list is given
            and Dask workers hold the cells.
        InvalidStore, DamagedStore
            If the column cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.counts("cell_type").loc["NK cell"].to_dict()
        {'all': 80, 'filtered': 80, 'selected': 80}
        """
        self._check_open()
        within = with_values(within)
        check_form(form)
        with self._session.costs.action("counts"):
            return in_form(self._session.counts(column, within), form or self._dataset.given_as)

    def compare(
        self, a: Any = None, b: Any = "rest", *, method: str = "t-test", layer: str | None = None,
        normalize: str | None = None, by: str | None = None, genes: Sequence[str] | str | None = None,
        fold: str = "scanpy", min_cells: int = 10, min_donors: int = 3, within: Any = None,
        modality: str | None = None,
    ) -> Comparison:  # fmt: skip
        """Compare two sets of cells gene by gene: means, shares, fold changes and p-values.

        The matrix is read in blocks and not kept in memory. The page stays responsive meanwhile; Ctrl-C stops the
        comparison. The Compare panel shows the newest result.

        Parameters
        ----------
        a, b : None or "selection" = the selected cells; the name of a set, a query ("n_genes > 500 and type == 'B
            cell'"), a set, a selection, a rule or a polygon; {obs column: values}, a mask (n_obs,), rows or obs index
            labels, as `select` takes them. b="rest" = all cells outside `a`, filtered out or not; with `within`, only
            those of it
        method : "t-test" = Welch's t-test; "wilcoxon" = Wilcoxon rank-sum test with tie correction, without continuity
            correction; "pseudobulk" = t-test on log2 counts per million of the summed counts of each donor; "deseq2" =
            PyDESeq2 on the same sums (`pip install 'cxg-widget[deseq2]'`); "explorer" = the method of CELLxGENE
            Explorer, to reproduce its lists
        layer : name of the layer to compare; None = X, whatever layer the plot shows
        normalize : "log1p_10k" = compare log1p of counts per 10,000 of all genes of a cell; None = values as stored
        by : obs column of donors, required by "pseudobulk" and "deseq2"; None with the other methods. If enough donors
            have cells on both sides, the test is paired and leaves out the other donors
        genes : list of genes, or the name of a gene set; None = all
        fold : definition of `log2fc`: "scanpy" = log2((expm1(mean_a) + 1e-9) / (expm1(mean_b) + 1e-9)); "pseudocount" =
            log2((mean of expm1 in a + 1) / (mean of expm1 in b + 1)), as Seurat defines it. "pseudobulk" and "deseq2"
            use their own
        min_cells, min_donors : least cells of a donor on a side, and least donors on each side, of a method by donor
        within : cells that take part in a, b and "rest": "filter" = those that pass the filters, "selection", or other
            cells as `a`; None = all, whatever the filters
        modality : modality of MuData whose genes are compared, in its X or in `layer`; None = genes of all modalities

        Returns
        -------
        result with `.frame()`, a DataFrame with a row per gene; `.notes`, sentences that explain the numbers;
        `.log10_p`, `.u` and `.to_csv(path)`. Methods by donor add `.donors` and `.sums`, "explorer" adds `.listed(n)`

        Raises
        ------
        SelectionError
            If a set has no cells or too few, or both sets have the same cells.
        UnknownName, InvalidValue, InvalidOption
            If there is no such layer, gene, method or fold, or if a method or `normalize` needs counts and the values
            are not counts; the sentence names layers that hold counts.
        MissingDependency
            If `method="deseq2"` and PyDESeq2 is not installed.
        InvalidStore, DamagedStore
            If the matrix cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> found = w.compare({"cell_type": "NK cell"}, method="wilcoxon")
        >>> found.frame().index[0]
        'SYNG00000000137'
        >>> found.sets
        ('cell_type NK cell', 'the rest')
        """
        self._check_open()
        a, b, within = with_values(a, b, within)
        comparisons = self._session.comparisons
        genes = comparisons.genes_meant(genes)
        layer = Question.layer_of(self._dataset, modality, layer, genes)
        question = Question(method, layer, normalize, genes, fold, by, min_cells, min_donors)
        question.check(self._dataset)
        with self._session.costs.action("compare", requested=f"compare(method={method!r})", less=question.lighter()):
            return comparisons.compare_cells(a, b, question, within)

    def markers(
        self, a: Any = None, against: str = "rest", *, by: str | None = None, method: str = "t-test",
        layer: str | None = None, normalize: str | None = None, genes: Sequence[str] | str | None = None,
        fold: str = "scanpy", within: Any = None, modality: str | None = None, reference: Any = None,
    ) -> Comparison | Markers:  # fmt: skip
        """Find the genes that mark some cells, or each category of a column.

        Parameters
        ----------
        a : cells, as `compare` takes them; None = the selection
        against : "rest" = all other cells, whatever the filters; "neighborhood" = the cells nearest to the edge of `a`
            in the current embedding: at most as many as `a` has, and no farther from it than its radius
        by : obs column of categories: compare each category with all other cells, in one pass over the matrix
        method, layer, normalize, genes, fold, within, modality : as in `compare`, but no method by donor, and no
            "explorer" with `by`
        reference : a category of `by`, such as "control": compare each other category with the cells of this one; None
            = with all other cells

        Returns
        -------
        result as of `compare`, with `.background`, the cells of `against`: `w.sets["around"] = found.background` names
        them and shows them. With `by`, a result per category, and one `.frame()` of all, indexed by `group` and var
        name. Missing values are no group, but part of each rest; with `reference` they are left out. A category of one
        cell has NaN.

        Raises
        ------
        InvalidOption
            If `by` is combined with `a` or `against`, or `reference` is given without `by`.
        SelectionError
            As in `compare`; if there are no cells around `a`, or the column has fewer than two categories.
        UnknownName, InvalidValue, InvalidStore, DamagedStore, ClosedDataset
            As in `compare`; if there is no such column or reference, or the column has too many categories.

        Examples
        --------
        >>> found = w.markers(by="cell_type")
        >>> found["naive B cell"].frame().index[0]
        'SYNG00000000183'
        """
        self._check_open()
        a, within = with_values(a, within)
        comparisons = self._session.comparisons
        genes = comparisons.genes_meant(genes)
        layer = Question.layer_of(self._dataset, modality, layer, genes)
        question = Question(method, layer, normalize, genes, fold)
        if by is not None and (a is not None or against != "rest"):
            raise InvalidOption("markers(by=...) compares each category with all other cells; leave out a and against.")
        if by is None and reference is not None:
            way = "compare(a, b) takes any two sets"
            raise InvalidOption(f"reference={shown(reference)} needs by=, the obs column of the groups; {way}.")
        requested = f"markers({'' if by is None else f'by={shown(by)}, '}method={method!r})"
        with self._session.costs.action("markers", requested=requested, less=question.lighter(by)):
            if by is not None:
                return comparisons.markers_by(by, question, within, reference)
            return comparisons.markers_of_set(a, against, question, within)

    def quick_markers(self, what: Any = None, n: int = 20) -> pd.DataFrame:
        """Rank the genes that set some cells apart from all others, in milliseconds, from sums kept on disk.

        The genes have the order of Welch's t-test, as of `markers`, but no p-values. The first call of a dataset reads
        the matrix once, and keeps the sums of each gene over tiles of the current embedding: see "Markers while you
        draw" in the Compare panel, which shows the same numbers. Cells of one column, as {"cell_type": "NK cell"}, have
        sums of their own, over the values of the column. Counts are compared as log1p of counts per 10,000.

        Parameters
        ----------
        what : None = the selected cells; else cells as `compare` takes them
        n : number of genes

        Returns
        -------
        DataFrame indexed by var name, highest t first: float64 `mean_a` and `mean_b`, means in the cells and in all
        others; `share_a` and `share_b`, shares of cells above 0; `log2fc`, as of `compare`, NaN for scaled values; and
        bool `exact`. Cells of tiles that are partly among the cells are read. If that takes over 256 MB, or the store
        is remote, they are estimated from their tile, and `exact` is False.

        Raises
        ------
        SelectionError
            If `what` names no cells.
        InvalidValue
            If `n` is no positive integer, or the dataset has no genes.
        InvalidOption
            If Dask workers hold the cells.
        InvalidStore, DamagedStore
            If the matrix cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> found = w.quick_markers({"cell_type": "NK cell"}, n=5)
        >>> found.index[0], bool(found["exact"].all())
        ('SYNG00000000105', True)
        """
        self._check_open()
        what = with_values(what)
        with self._session.costs.action("quick_markers"):
            return self._session.quick.table(what, n)

    def composition(
        self, column: str, of: Any = None, by: str | None = None, *, within: Any = None, form: Form | None = None
    ) -> Any:
        """Count the categories of a column in a set of cells, and test which are enriched against the other cells.

        Only cells that pass all filters count, in the set and outside of it. `within` takes other cells instead.

        Parameters
        ----------
        column : obs column or gene; "obs:NAME" and "var:NAME" force one
        of : None = the selection; else cells as `compare` takes them: a set or its name, {obs column: values}, a rule,
            a query, a mask (n_obs,), rows, a polygon, or obs index labels. A name that is both a set and a label is the
            set
        by : obs column of categories or few integers, such as the donor, for a second test with one value per donor
        within : cells that count, in the set and outside: None or "filter" = those that pass the filters, "selection",
            or other cells as `select` takes them
        form : as in `counts`

        Returns
        -------
        DataFrame with the index of `counts`: categories or intervals, and missing values last if there are any.

        - `n` : int64, cells of the set; `share` : their share of the set; `expected` : number expected by chance
        - `odds_ratio` : ad / bc of the set and the rest; inf where bc is 0, NaN where ad is 0 too
        - `p` : probability of `n` or more cells in a random draw (hypergeometric, the same as a one-sided Fisher test);
          `p_adj` : adjusted over the rows (Benjamini and Hochberg); `log10_p` : for a `p` too small for a float

        With `by`, statistics over the donors that have 10 cells in the set, 10 cells in the rest, and the category:

        - `n_donors`, `n_left_out` : int64, donors in the test, and the other donors that have cells
        - `share_by`, `rest_by` : mean share in the set, and in the rest
        - `p_by`, `p_by_adj` : one-sided paired t-test on the logits of both shares, with half a cell added to each
          count, for a higher share in the set; NaN below two donors

        Cells of one donor are alike, so `p` is also small where only donors differ. `p_by` is not.

        Raises
        ------
        UnknownName
            If there is no such column or set.
        InvalidValue
            If the column has more than 65,534 distinct texts, or `by` holds numbers or is the column itself.
        SelectionError
            If the set has no cells, or none of them passes the filters.
        InvalidStore, DamagedStore
            If a column cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> w.composition("donor", {"cell_type": "NK cell"})["n"].sum().item()
        80
        """
        self._check_open()
        of, within = with_values(of, within)
        check_form(form)
        with self._session.costs.action("composition"):
            cells = self._session.cells(of)
            within = FILTER if within is None else within
            found = self._session.composition(column, cells.mask, by, within)
            self._note("composition", within, {"of": cells}, column=column, by=by)
            return in_form(found, form or self._dataset.given_as)

    def aggregate(
        self, reduction: Any = None, *, color: Any = None, view: Any = None, width: int = 800, height: int = 600,
        within: Any = None,
    ) -> xr.DataArray | xr.Dataset:  # fmt: skip
        """Reduce all cells of a view to one value per pixel, exactly as datashader does, in blocks of rows.

        All cells count, also hidden ones and those beyond `max_points`; cells without coordinates do not.

        Parameters
        ----------
        reduction : "count", "sum", "mean", "min", "max", "std", "var", "first" or "last"; or an object of
            `datashader.reductions`, whose columns are named as in `color`, and "x" and "y" for the coordinates. None =
            what the widget shows: its `statistic` of numbers (the mean if that is "auto"), counts by category, or plain
            counts without a color
        color : obs column, gene, gene set or list of genes to reduce; None = that of the widget, but "count" then
            counts all cells. With a column of categories, "count" counts each category
        view : x0, x1, y0, y1 in data units; None = the extent of all cells
        width, height : px; at most 100 million pixels
        within : "filter" = only the cells that pass the filters, "selection" = only the selected ones, or other cells
            as `select` takes them; None = all

        Returns
        -------
        `xarray.DataArray` (y, x), y ascending, with the centers of the pixels in data units as coordinates: counts are
        uint32, other values float64 with NaN where a pixel has none. Counts by category have a third axis of
        categories, in which cells without a category do not count. A `datashader.summary` gives an `xarray.Dataset`.

        Raises
        ------
        UnknownName
            If there is no such column, gene or gene set.
        InvalidValue
            If the reduction does not fit its columns, or the view or the size is invalid.
        InvalidStore, DamagedStore
            If a column cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> image = w.aggregate("mean", color="CD3E", width=200, height=150)
        >>> image.dims, image.shape
        (('y', 'x'), (150, 200))
        """
        self._check_open()
        within = with_values(within)
        with self._session.costs.action("aggregate", less="a smaller width and height"):
            options = {"color": color, "view": view, "width": width, "height": height}
            found = self._session.aggregate(reduction, within=within, **options)
            self._note("aggregate", within, reduction=reduction, **options)
            return found
