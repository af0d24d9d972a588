"""Numbers of cells, as users call them: counts, comparisons, markers, compositions, and all cells as arrays."""
# Changes with cxg_widget/compare/question.py: options of a comparison.
# Changes with cxg_widget/session/analysis/column_counts.py: options of counts.
# Changes with cxg_widget/compare/composition.py: options of a composition.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.compare.question import Question
from cxg_widget.datasets.base.contract import Form
from cxg_widget.errors import InvalidOption
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.table.forms import check_form, in_form
from cxg_widget.text.names import shown
from cxg_widget.widget.answering import AnsweringWidget

if TYPE_CHECKING:
    import xarray as xr

    from cxg_widget.compare.markers import Markers
    from cxg_widget.compare.result import Comparison


class AnalysingWidget(AnsweringWidget):
    """A widget that says how some of its cells differ from others."""

    def counts(self, column: str | Sequence[str], *, within: Any = None, form: Form | None = None) -> Any:
        """Count cells by the values of an obs column or gene, or by those of two or three genes together.

        Parameters
        ----------
        column : obs column or gene; "obs:NAME" and "var:NAME" force one. Or a list of two or three genes: their cells
            are counted by the part of its limits, which `vmin`, `vmax` and `scale` set as for `blend="colors"`, in
            which each gene lies: of two genes "low", "middle" or "high", of three "low" or "high"
        within : which cells are counted at all, in each of the three: "filter" = those that pass the filters,
            "selection", or other cells as `select` takes them; None = all
        form : "pandas", "polars" or "arrow" (a pyarrow.Table), whose first columns are the index; None = that of the
            table which the widget shows, else "pandas"

        Returns
        -------
        DataFrame of int64 with the columns `all`, `filtered` (cells that pass all filters but that of the column
        itself) and `selected`. Its index holds categories in their order, of text sorted; or equal
        intervals of numbers, of integers one each where there are few: as `numpy.histogram` has them, each holds its
        left end, the last one its right end too. Cells without a value, infinite numbers among them, come last where
        there are any. Of several genes the index has a level for each, and `filtered` are cells that pass all filters.

        Raises
        ------
        UnknownName
            If there is no such column.
        InvalidValue
            If it holds more than 65,534 distinct texts; if a list has other than two or three genes, or Dask's workers
            hold the cells.
        InvalidStore, DamagedStore
            If it cannot be read.
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
        """Compare two sets of cells gene by gene: which genes are higher in one, how much, and how surely.

        The matrix is read in blocks, of which nothing is kept; no gesture waits for it, and Ctrl-C ends it at once. The
        newest result is what the panel "compare" shows.

        Parameters
        ----------
        a, b : None or "selection" = the selection; the name of a set, a query ("n_genes > 500 and type == 'B cell'"), a
            set or a selection, a rule, a polygon; else as `select` takes it: {obs column: values}, a mask (n_obs,),
            rows, obs index labels. For b "rest" = all other cells, whatever the filters; of `within`, where given
        method : "t-test" = Welch's, of unequal variances; "wilcoxon" = rank sums, with ties corrected and without
            continuity correction; "pseudobulk" = sums of counts of each donor, a t-test of their log2 counts per
            million; "deseq2" = the same sums by PyDESeq2 (`pip install 'cxg-widget[deseq2]'`); "explorer" = the numbers
            of CELLxGENE Explorer, to reproduce lists made with it
        layer : name of the layer that is compared; None = X, whatever is on show
        normalize : "log1p_10k" compares log1p of counts per 10,000 of all genes of the cell; None = values as they are
        by : the obs column of donors, for "pseudobulk" and "deseq2"; else None. Where enough donors are on both sides,
            they are compared in pairs, without the others
        genes : names, or the name of a gene set; None = all
        fold : how `log2fc` is defined: "scanpy" = log2((expm1(mean_a) + 1e-9) / (expm1(mean_b) + 1e-9)), as scanpy has
            it, "pseudocount" = log2((mean of expm1 in a + 1) / (mean of expm1 in b + 1)), as Seurat has it;
            "pseudobulk" and "deseq2" have their own
        min_cells, min_donors : cells that a donor needs on a side, and donors that each side needs
        within : which cells count at all, in a, b and the rest: "filter" = those that pass the filters, "selection",
            or other cells as `a`; None = all, whatever the filters
        modality : of MuData, whose genes are compared, in its X or in its `layer`; None = those of all, side by side

        Returns
        -------
        what has `.frame()`, a DataFrame with a row for each gene, `.notes`, sentences on what the numbers are,
        `.log10_p`, `.u` and `.to_csv(path)`; by donors also `.donors` and `.sums`, by "explorer" `.listed(n)`

        Raises
        ------
        SelectionError
            If no cells are meant, a set holds too few, or both hold the same.
        UnknownName, InvalidValue, InvalidOption
            If there is no such layer, gene, method or definition, or `normalize` or a sum is given values that are no
            counts; the sentence names layers that hold counts.
        MissingDependency
            If "deseq2" is requested, and PyDESeq2 is not installed.
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
        """Say which genes mark some cells, or the cells of each value of a column.

        Parameters
        ----------
        a : as `compare` takes it, None = the selection
        against : "rest" = all other cells, whatever the filters; "neighborhood" = those nearest to the edge of `a` in
            the embedding on show, as many as `a` has, none farther off than the radius of `a` in one piece
        by : obs column of categories: each value against all other cells, for all values in one look at the matrix
        method, layer, normalize, genes, fold, within, modality : as `compare`; no methods by donor, and with `by` no
            "explorer"
        reference : a value of `by`, such as "control": each other value is compared with its cells alone; None = with
            all other cells

        Returns
        -------
        what `compare` returns, with `.background`, the cells of `against`: `w.sets["around"] = found.background` keeps
        and draws them. With `by` the same of each value, and `.frame()` is one DataFrame of all, indexed by `group` and
        var name; missing values are no group, but in the rest of each, and a value of one cell has NaN. With
        `reference` missing values count nowhere.

        Raises
        ------
        InvalidOption
            If `by` stands beside `a` or `against`, or `reference` without `by`.
        SelectionError
            As `compare`; if nothing lies around `a`, or a column has fewer than two values.
        UnknownName, InvalidValue, InvalidStore, DamagedStore, ClosedDataset
            As `compare`; if there is no such column or reference, or the column has too many values.

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
            raise InvalidOption("markers(by=...) compares each value with all others, and takes no a or against.")
        if by is None and reference is not None:
            way = "compare(a, b) takes any two sets"
            raise InvalidOption(f"reference={shown(reference)} is a value of by=, the obs column of groups; {way}.")
        requested = f"markers({'' if by is None else f'by={shown(by)}, '}method={method!r})"
        with self._session.costs.action("markers", requested=requested, less=question.lighter(by)):
            if by is not None:
                return comparisons.markers_by(by, question, within, reference)
            return comparisons.markers_of_set(a, against, question, within)

    def composition(
        self, column: str, of: Any = None, by: str | None = None, *, within: Any = None, form: Form | None = None
    ) -> Any:
        """Say how a set of cells falls to the values of a column, and what is enriched in it, against the other cells.

        Only cells that pass all filters count, those of the set too: without filters all cells. `within` names others.

        Parameters
        ----------
        column : obs column or gene; "obs:NAME" and "var:NAME" force one
        of : None = the selection; else as `compare` takes cells: a set or its name, {obs column: values}, a rule, a
            query, a mask (n_obs,), rows, a polygon, or obs index labels. A set comes before a cell of the same label.
        by : obs column of categories or few whole numbers, such as the donor: its values are tested against each other
            too
        within : which cells count at all, of the set and beside it: None or "filter" = those that pass the filters,
            "selection", or other cells as `select` takes them
        form : as of `counts`

        Returns
        -------
        DataFrame with the index of `counts`: categories or intervals, missing values last where there are any.

        - `n` : int64, cells of the set; `share` : their part of the set; `expected` : how many there would be by chance
        - `odds_ratio` : ad / bc of the set and the rest; inf where bc is 0, NaN where ad is too
        - `p` : chance of `n` cells or more among as many drawn blindly (hypergeometric, as a one-sided Fisher test);
          `p_adj` : adjusted over the rows (Benjamini and Hochberg); `log10_p` : where `p` is less than a float holds

        and with `by`, the mean over donors that have 10 cells in the set and in the rest, and the category at all:

        - `n_donors`, `n_left_out` : int64, donors that were tested, and all others with cells that count
        - `share_by`, `rest_by` : mean of their shares in the set, and in the rest
        - `p_by`, `p_by_adj` : paired t-test on the logits of both shares, half a cell added to each count: whether they
          are higher in the set, one-sided; NaN below two donors

        Cells of one donor resemble each other, so that `p` is small for what donors differ in; `p_by` is not.

        Raises
        ------
        UnknownName
            If there is no such column or set.
        InvalidValue
            If it holds more than 65,534 distinct texts; if `by` holds numbers, or is the column itself.
        SelectionError
            If no cells are meant, or none of them passes the filters.
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
            mask = None if of is None else self._session.cells(of).mask
            found = self._session.composition(column, mask, by, "filter" if within is None else within)
            return in_form(found, form or self._dataset.given_as)

    def aggregate(
        self, reduction: Any = None, *, color: Any = None, view: Any = None, width: int = 800, height: int = 600,
        within: Any = None,
    ) -> xr.DataArray | xr.Dataset:  # fmt: skip
        """Reduce all cells of a view to one value per pixel, exactly as datashader does, in blocks of rows.

        It reads all cells, however many are on show and whatever is hidden; those without coordinates count nowhere.

        Parameters
        ----------
        reduction : "count", "sum", "mean", "min", "max", "std", "var", "first" or "last", or an object of
            `datashader.reductions`, whose columns go by names as in `color`, "x" and "y" being the coordinates;
            None = what the widget shows: of numbers its `statistic`, which is the mean by "auto", else counts by
            category, or counts where there is no color
        color : obs column, gene, gene set or list of genes that a name reduces; None = what the widget shows, but
            "count" then counts all cells. "count" of categories counts each.
        view : x0, x1, y0, y1 in data units; None = where all cells lie
        width, height : px, up to 100 million
        within : "filter" takes only the cells that pass the filters, "selection" the selected ones; or
            other cells as `select` takes them; None = all

        Returns
        -------
        `xarray.DataArray` (y, x), y ascending, with the centres of the pixels in data units as coordinates: uint32
        counts, else float64 with NaN where a pixel has no value; with a last axis of categories for counts by category,
        in none of which a cell without one counts. An `xarray.Dataset` for a `datashader.summary`.

        Raises
        ------
        UnknownName
            If there is no such column, gene, gene set.
        InvalidValue
            If the reduction does not fit its columns, or view or size cannot be.
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
            return self._session.aggregate(reduction, color=color, view=view, width=width, height=height, within=within)
