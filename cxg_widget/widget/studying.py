"""The study of a widget: samples compared between conditions."""
# Changes with cxg_widget/display/study_design.py: the design of a study.

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.display.study_design import StudyDesign, check_design
from cxg_widget.draw.plots.study_differences import DifferencesPlot
from cxg_widget.draw.plots.study_page import StudyPlot, page_of
from cxg_widget.draw.plots.study_points import CovariatePlot, MeasuredPlot
from cxg_widget.errors import UnknownName
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.study.shares import ShareMethod
from cxg_widget.text.names import not_found
from cxg_widget.widget.answering import AnsweringWidget

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from cxg_widget.session.analysis.study import Studies


class Study:
    """The study of a widget, with samples as the unit; `w.study(...)` returns it.

    Every call uses the design, filters and selection of the widget at that time.

    Examples
    --------
    >>> study = w.study(sample="donor", condition="condition")
    """

    def __init__(self, widget: StudyingWidget) -> None:
        self._widget = widget

    @property
    def design(self) -> dict[str, Any]:
        """The setting `study_design`: sample, condition, covariates, pair and excluded.

        Examples
        --------
        >>> w.study(sample="donor", condition="condition").design["sample"]
        'donor'
        """
        return dict(self._studies.samples().design.as_json())

    @property
    def samples(self) -> pd.DataFrame:
        """A row per sample: its columns, `n_cells` that pass the filters, `n_all`, and whether it is `excluded`.

        Examples
        --------
        >>> w.study(sample="donor", condition="condition").samples["n_all"].sum().item()
        1000
        """
        return self._studies.samples().frame(self._studies.population(None).mask)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on weaknesses of the design, and on excluded cells and samples.

        Examples
        --------
        >>> study = w.study(sample="donor", condition="condition")
        >>> all(note.endswith(".") for note in study.notes)
        True
        """
        return self._studies.notes(self._studies.samples(), self._studies.population(None), is_tested=False)

    def exclude(self, sample: str) -> None:
        """Exclude a sample from all results; one step of undo.

        Parameters
        ----------
        sample : name, as in the index of `samples`

        Raises
        ------
        UnknownName
            If there is no such sample.

        Examples
        --------
        >>> study = w.study(sample="donor", condition="condition")
        >>> study.exclude(study.samples.index[0])
        >>> study.samples["excluded"].sum().item()
        1
        """
        self._exclude(sample, is_out=True)

    def include(self, sample: str) -> None:
        """Include an excluded sample again; one step of undo.

        Parameters
        ----------
        sample : name, as in the index of `samples`

        Raises
        ------
        UnknownName
            If there is no such sample.

        Examples
        --------
        >>> study = w.study(sample="donor", condition="condition")
        >>> study.include(study.samples.index[0])
        """
        self._exclude(sample, is_out=False)

    def _exclude(self, sample: str, *, is_out: bool) -> None:
        samples = self._studies.samples()
        if sample not in samples.names:
            raise UnknownName(not_found("sample", sample, samples.names, "this study"))
        excluded = [one for one in samples.design.excluded if one != sample]
        self._widget.study_design = {
            **samples.design.as_json(),
            "excluded": [*excluded, sample] if is_out else excluded,
        }

    def composition(
        self, by: str | None = None, *, within: Any = "filter", method: ShareMethod = "logit"
    ) -> MeasuredPlot:
        """Compare the share of each cell type between conditions, with one value per sample.

        A share is the number of cells of the type, divided by the number of cells of the sample that count. Samples
        with fewer than 10 cells are not tested. Without pairs the test is Welch's t-test,
        `scipy.stats.ttest_ind(equal_var=False)`; with `pair` of the study, `scipy.stats.ttest_rel`. Shares add up to
        one: if one type grows, others shrink.

        Parameters
        ----------
        by : obs column of cell types; None = the share of the selection
        within : cells that count: "filter" = those that pass the filters, "selection" = the selected ones, or other
            cells as `select` takes them
        method : what is tested: "logit" = log2 of share / (1 - share), "clr" = log2 of the share minus its mean over
            the types of the sample (centered log ratio). Before, half a cell is added to each count of a sample of
            average size, and proportionally more or less to others

        Returns
        -------
        plot with `.frame()` (a row per category and sample: condition, n, share), `.test()` (a row per category and
        pair of conditions, a minus b: effect in log2 units, statistic, p, p_adj, n_a, n_b), `.figure()` and `.notes`

        Raises
        ------
        InvalidValue, UnknownName
            If the study was removed, there is no such column or method, or the column holds numbers.
        SelectionError
            If `by` is None and no cell is selected.
        InvalidStore, DamagedStore
            If a column cannot be read.

        Examples
        --------
        >>> shares = w.study(sample="donor", condition="condition").composition("cell_type")
        >>> shares.test().columns.tolist()
        ['effect', 'statistic', 'p', 'p_adj', 'n_a', 'n_b']
        """
        return self._studies.composition(by, with_values(within), method)

    def differences(
        self, by: str | None = None, *, within: Any = "filter", layer: str | None = None, min_cells: int = 10
    ) -> DifferencesPlot:
        """Count the genes that differ between conditions in each cell type, by sums of counts of samples (pseudobulk).

        The first call reads the whole matrix and caches its sums; later calls, with other cells or samples, read few
        cells. Values and tests are those of `compare(method="pseudobulk")`: log2 of counts per million, and
        Welch's t-test, or a paired t-test for samples with the same value of `pair` of the study. If the values are not
        counts, their means over the cells of each sample are tested. p is adjusted within each cell type and pair of
        conditions.

        Parameters
        ----------
        by : obs column of cell types; None = all cells together
        within : cells that count: "filter" = those that pass the filters, "selection" = the selected ones, or other
            cells as `select` takes them
        layer : name of the layer; None = X
        min_cells : minimum number of cells of a type in a sample

        Returns
        -------
        plot with `.frame()` (a row per type and pair of conditions: n_genes with p_adj < 0.05, n_tested, n_a, n_b),
        `.compare(category, a, b)` (the genes of one type and pair), `.figure()` and `.notes`

        Raises
        ------
        InvalidValue, UnknownName
            If the study was removed, there is no such column or layer, there are too many types, or values are not
            counts although a sample of them was.
        InvalidStore, DamagedStore
            If the matrix cannot be read.

        Examples
        --------
        >>> at = np.arange(80)
        >>> cells = {"x": at, "y": at, "gene_a": at % 3, "gene_b": at % 7, "donor": at // 10, "disease": at // 40}
        >>> w = CxgWidget(cells, var="gene_")
        >>> found = w.study(sample="donor", condition="disease").differences()
        >>> found.frame().columns.tolist()
        ['n_genes', 'n_tested', 'n_a', 'n_b']
        """
        genes, within = self._widget._session.study_genes, with_values(within)
        self._widget._check_open()
        with self._widget._session.costs.action("differences", requested="differences()", less="fewer types"):
            return genes.differences(by, within, layer=layer, min_cells=min_cells)

    def expression(
        self, genes: Any = None, by: str | None = None, *, within: Any = "filter", layer: str | None = None
    ) -> MeasuredPlot:
        """Compare genes between conditions, with one value per sample and cell type: pseudobulk.

        A value is the log2 counts per million of the counts summed over the cells of a type in a sample, as
        `compare(method="pseudobulk")` tests it; the total is that of all genes. Samples with fewer than 10 cells of the
        type have none. Values other than counts are averaged over cells instead, and the title says so. The tests are
        those of `composition`; p is adjusted over all rows.

        Parameters
        ----------
        genes : a gene, a list of genes, or the name of a gene set; None = the pinned genes
        by : obs column of cell types; None = all cells together
        within : cells that count, as in `composition`
        layer : name of the layer; None = X

        Returns
        -------
        plot with `.frame()` (a row per gene, type and sample: condition, n, value), `.test()`, `.figure()` and `.notes`

        Raises
        ------
        InvalidValue, UnknownName
            If the study was removed, there is no such gene, column or layer, no gene is named or pinned, or there are
            more than 10,000 rows.
        InvalidStore, DamagedStore
            If the matrix cannot be read.

        Examples
        --------
        >>> found = w.study(sample="donor", condition="condition").expression(["CD3E", "NKG7"])
        >>> found.frame().columns.tolist()
        ['condition', 'n', 'value']
        """
        part, within = self._widget._session.study_expression, with_values(within)
        genes = list(self._studies.pinned_genes) if genes is None else genes
        with self._widget._session.costs.action("expression", requested="expression()", less="fewer types"):
            return part.expression(genes, by, within, layer=layer)

    def covariates(self) -> CovariatePlot:
        """Return the covariates of the samples by condition.

        Returns
        -------
        plot with `.frame()` and `.figure()`

        Raises
        ------
        InvalidValue
            If the study was removed.

        Examples
        --------
        >>> w.study(sample="donor", condition="condition", covariates=["sex"]).covariates().frame().shape[1]
        2
        """
        return self._studies.covariates()

    def figure(self, by: str | None = None) -> Figure:
        """Return composition, pinned genes, genes that differ and covariates as one new `matplotlib.figure.Figure`.

        Parameters
        ----------
        by : obs column of cell types; None = neither composition nor genes that differ

        Raises
        ------
        InvalidValue, UnknownName
            If there is no such column, or the study has neither covariates nor `by`.
        MissingDependency
            If matplotlib is not installed.

        Examples
        --------
        >>> w.study(sample="donor", condition="condition").figure("cell_type").savefig("study.png")
        """
        parts: list[StudyPlot] = [] if by is None else [self.composition(by)]
        if self._studies.pinned_genes:
            parts.append(self.expression(by=by))
        if by is not None and len(self._widget._dataset.var_labels):
            parts.append(self.differences(by))
        if self._studies.samples().covariates or not parts:
            parts.append(self.covariates())
        return page_of(parts)

    @property
    def _studies(self) -> Studies:
        self._widget._check_open()
        return self._widget._session.studies

    def __repr__(self) -> str:
        design = self._widget.study_design
        if design is None:
            return "<Study: removed>"
        return f"<Study: samples by {design['sample']!r}, conditions by {design['condition']!r}>"


class StudyingWidget(AnsweringWidget):
    """A widget whose samples can be compared."""

    study_design: Any

    def study(
        self, sample: str | None = None, condition: str | None = None, covariates: Sequence[str] = (),
        pair: str | None = None,
    ) -> Study:  # fmt: skip
        """Declare a study: compare samples, never cells, between conditions.

        A sample is the cells of one value of `sample` in one value of `condition`. The design is the setting
        `study_design`: undo removes it, and `w.state` holds it. The panel Study shows the same results.

        Parameters
        ----------
        sample : obs column of samples, usually donors: at most 1,000; None = the current study
        condition : obs column of their conditions: at most 20
        covariates : other obs columns with one value per sample
        pair : obs column whose values pair samples of two conditions, such as the donor; None = samples are independent

        Returns
        -------
        study with `.samples`, `.notes`, `.composition(by)`, `.differences(by)`, `.covariates()`, `.exclude(sample)` and
        `.figure()`

        Raises
        ------
        UnknownName, InvalidValue
            If there is no such column, a column holds numbers or too many values, or both are the same.
        InvalidStore, DamagedStore
            If a column cannot be read.
        ClosedDataset
            If the widget was closed.

        Examples
        --------
        >>> study = w.study(sample="donor", condition="condition")
        >>> study.samples["n_all"].sum().item()
        1000
        """
        self._check_open()
        if sample is None and condition is None and self.study_design is not None:
            return Study(self)
        design = {"sample": sample, "condition": condition, "covariates": covariates, "pair": pair}
        value = check_design(design, self._dataset)
        assert value is not None
        kept = self.study_design
        if kept is not None and all(kept[name] == value[name] for name in ("sample", "condition")):
            value["excluded"] = kept["excluded"]
        self._session.studies.samples_of(StudyDesign.read({**value, "excluded": []}))
        self.study_design = value
        return Study(self)
