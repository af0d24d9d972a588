"""Parameters of a comparison, the table of its methods, and the comparison of two sets of cells."""
# Changes with cxg_widget/widget/analysing.py and cxg_widget/session/analysis/comparison.py: options of a comparison.
# Changes with cxg_widget/wire/messages/comparison.py: options of a comparison.
# Changes with js/src/panels/compare/comparison_requests.js: options of a comparison.
# Changes with js/src/panels/compare/question_form.js: options of a comparison.
# Changes with cxg_widget/compare/markers.py: options of markers.

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cxg_widget.compare.compared_groups import Grouping
from cxg_widget.compare.gene_tests import FOLDS, NEEDS_LINEAR, Tested, rank_sum, welch
from cxg_widget.compare.matrix_statistics import Gathered, MatrixStats, ValueKind
from cxg_widget.compare.moments import Floats, Summary
from cxg_widget.compare.result import Comparison, fold_of, notes_of, scaled_genes
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import InvalidOption, InvalidValue, SelectionError, UnknownName
from cxg_widget.text.names import describe_layer, join_missing, not_found, shown

if TYPE_CHECKING:
    import pandas as pd


class Method(NamedTuple):
    """A method of comparison.

    by_donor : whether donors are the samples; `donors/by_sums.py` then compares, else `compare`
    takes_groups : whether it compares all groups of a column at once, and takes `normalize`
    needs_ranks : whether it ranks cells by each gene, and so needs all values of a gene at once
    """

    title: str
    by_donor: bool = False
    takes_groups: bool = False
    least_cells: int = 1
    needs_ranks: bool = False


METHODS = {
    "t-test": Method("Welch's t-test", takes_groups=True, least_cells=2),
    "wilcoxon": Method("Wilcoxon's rank-sum test", takes_groups=True, needs_ranks=True),
    "pseudobulk": Method("sums of donors, a t-test of log2 CPM", by_donor=True),
    "deseq2": Method("sums of donors, DESeq2 by PyDESeq2", by_donor=True),
    "explorer": Method("CELLxGENE Explorer's t-test"),
}
NORMALIZATIONS = ("log1p_10k",)
_FOLD = "scanpy"


@dataclass(frozen=True)
class Question:
    """Parameters of a comparison.

    method : a name of `METHODS`
    layer : None = the main matrix
    normalize : "log1p_10k" = log1p of counts per 10,000; None = values as stored
    genes : names; None = all
    fold : a name of `FOLDS`
    by : obs column of donors, for methods by donor
    min_cells : least cells of a donor on a side
    min_donors : least donors on a side
    """

    method: str = "t-test"
    layer: str | None = None
    normalize: str | None = None
    genes: Sequence[str] | None = None
    fold: str = _FOLD
    by: str | None = None
    min_cells: int = 10
    min_donors: int = 3

    @property
    def title(self) -> str:
        """The method in words."""
        return METHODS[self.method].title

    @property
    def needs_ranks(self) -> bool:
        """Whether the method ranks cells."""
        # Also for an unchecked method: out-of-memory advice is given for any question.
        return self.method in METHODS and METHODS[self.method].needs_ranks

    @staticmethod
    def layer_of(
        dataset: Dataset, modality: str | None, layer: str | None, genes: Sequence[str] | None = None
    ) -> str | None:
        """Return the layer of a modality, so that only its genes are compared; None = layer of all genes.

        Raises `InvalidOption` or `UnknownName` if the dataset has no modalities, or not this one.
        """
        if modality is None:
            alone = _modality_of(dataset, genes) if layer is None and genes else None
            return layer if alone is None else f"{alone}:X"
        if not dataset.modalities:
            raise InvalidOption(f"modality={shown(modality)} is for MuData; {dataset.title} has one matrix.")
        if modality not in dataset.modalities:
            raise UnknownName(not_found("modality", modality, dataset.modalities, dataset.title))
        return layer if layer is not None and layer.startswith(f"{modality}:") else f"{modality}:{layer or 'X'}"

    def check(self, dataset: Dataset) -> None:
        """Raise `InvalidValue`, `InvalidOption` or `UnknownName` if a parameter is unknown or does not fit."""
        for what, word, known in (
            ("method", self.method, METHODS),
            ("fold", self.fold, FOLDS),
            ("normalization", self.normalize, (None, *NORMALIZATIONS)),
        ):
            if not isinstance(word, str | None) or word not in known:
                raise InvalidValue(not_found(what, word, [one for one in known if one], "compare()"))
        self._check_options(dataset)
        if self.layer is not None and self.layer not in dataset.layers:
            raise UnknownName(not_found("layer", self.layer, dataset.layers, dataset.title))
        if not len(dataset.names_in(self.layer).var_labels):
            raise InvalidValue(f"{dataset.title} has no {dataset.var_noun.many} to compare by.")

    def _check_options(self, dataset: Dataset) -> None:
        """Refuse options that do not fit the method."""
        if METHODS[self.method].by_donor:
            self._check_donors(dataset)
        elif self.by is not None:
            many = dataset.obs_noun.many
            raise InvalidOption(
                f"by={shown(self.by)} does not apply to method={self.method!r}, whose samples are {many}; leave it out."
            )
        if self.normalize is not None and self.layer is None and len(dataset.modalities) > 1:
            raise InvalidOption(
                f"normalize={self.normalize!r} takes the {dataset.var_noun.many} of one modality: "
                f"modality={dataset.modalities[0]!r}, or {', '.join(map(repr, dataset.modalities[1:]))}."
            )
        if self.normalize is not None and not METHODS[self.method].takes_groups:
            what = "takes X as the store has it" if self.method == "explorer" else "sums counts"
            raise InvalidOption(f"normalize={self.normalize!r} does not go with method={self.method!r}, which {what}.")

    def _check_donors(self, dataset: Dataset) -> None:
        if not isinstance(self.by, str):
            raise InvalidOption(f"method={self.method!r} needs by=, the obs column of donors; found {shown(self.by)}")
        if self.by not in dataset.obs_columns:
            raise UnknownName(not_found("obs column", self.by, dataset.obs_columns, dataset.title))
        if self.fold != _FOLD:
            raise InvalidOption(f"fold={self.fold!r} does not go with method={self.method!r}, which has its own.")
        for name, number, least in (("min_cells", self.min_cells, 1), ("min_donors", self.min_donors, 2)):
            # In Python True is an int.
            given: object = number
            if isinstance(given, bool) or not isinstance(given, int | np.integer) or number < least:
                raise InvalidValue(f"{name} takes a whole number from {least} on; found {shown(given)}")

    def lighter(self, by: str | None = None) -> str:
        """Suggest a question that needs less memory, for the groups of a column `by`, None = two sets."""
        genes = "genes=[...]" if self.genes is None else "fewer genes"
        method = ", method='t-test'" if self.needs_ranks else ""
        return f"{genes}{method} or {'fewer {cells}' if by is None else 'a column of fewer groups'}"

    def positions(self, dataset: Dataset) -> NDArray[np.int64] | None:
        """Return the positions of the genes, int64, ascending and distinct; None = all."""
        if self.genes is None:
            return None
        if isinstance(self.genes, str) or not len(self.genes):
            raise InvalidValue(f"genes= takes a list of names; found {shown(self.genes)}")
        names = dataset.names_in(self.layer)
        found: list[int] = []
        unknown: list[str] = []
        for name in self.genes:
            try:
                found.append(names.find_var(name))
            except UnknownName as error:
                unknown.append(str(error) if not unknown else shown(name))
        if unknown:
            raise UnknownName(join_missing(unknown))
        made = [name for name, at in zip(self.genes, found, strict=True) if at >= len(names.var_labels)]
        if made:
            raise InvalidValue(
                f"{shown(made[0])} is computed on demand and is not a column of the matrix, so it cannot be compared."
            )
        # A name may be given twice, and the matrix is read in ascending order.
        return np.unique(np.asarray(found, dtype=np.int64))

    def names(self, dataset: Dataset) -> pd.Index:
        """Return the var names of the genes, those of `positions`."""
        import pandas as pd

        labels = np.asarray(list(dataset.names_in(self.layer).var_labels), dtype=object)
        positions = self.positions(dataset)
        names = labels if positions is None else labels[positions]
        found: pd.Index = pd.Index(names, name=dataset.index_name("var"))
        return found

    def check_cells(
        self, a: NDArray[np.bool_], b: NDArray[np.bool_], set_names: tuple[str, str], dataset: Dataset
    ) -> None:
        """Raise `SelectionError` if the sets have too few cells, or cells in common."""
        noun, method = dataset.obs_noun, METHODS[self.method]
        for mask, name in zip((a, b), set_names, strict=True):
            n = int(np.count_nonzero(mask))
            if n < method.least_cells:
                other = "; method='wilcoxon' takes one" if n == 1 else ""
                raise SelectionError(
                    f"{name} holds {noun.counted(n)}; {method.title} needs {method.least_cells} or more in each "
                    f"set{other}."
                )
        n_both = int(np.count_nonzero(a & b))
        if n_both:
            raise SelectionError(
                f"{' and '.join(set_names)} have {noun.counted(n_both)} in common, but a test needs disjoint sets: "
                "remove them from one, as in w.sets['a'] - w.sets['b']."
            )


def _modality_of(dataset: Dataset, genes: Sequence[str]) -> str | None:
    """Return the one modality that has all these genes; None if there is none."""
    names = dataset.names_in(None)
    if not dataset.modalities or not all(names.has_var(gene) for gene in genes):
        return None
    labels = [names.var_labels[names.find_var(gene)] for gene in genes]
    fitting = [one for one in dataset.modalities if all(label.startswith(f"{one}:") for label in labels)]
    return max(fitting, key=len, default=None)  # the name of one may start with that of another: "rna" and "rna:v3"


def compare(
    matrix: MatrixStats, a: NDArray[np.bool_], b: NDArray[np.bool_], question: Question, *,
    set_names: tuple[str, str] = ("a", "b"),
) -> Comparison:  # fmt: skip
    """Compare two sets of cells gene by gene.

    a, b : bool (n_obs,)

    Raises
    ------
    InvalidValue, UnknownName
        If a method, layer, gene or fold is unknown, or the values are not of the kind that it needs.
    SelectionError
        If a set has too few cells, or both have cells in common.
    InvalidStore, DamagedStore
        If the matrix cannot be read.
    Cancelled
        If `cancelled()` returned True.
    """
    matrix.check(question)
    question.check_cells(a, b, set_names, matrix.dataset)
    if METHODS[question.method].by_donor:
        from cxg_widget.compare.donors.by_sums import compare_donors

        return compare_donors(matrix, a, b, question, set_names)
    kind, found = scan(matrix, Grouping.of_sets(a, b), question)
    n_cells = int(np.count_nonzero(a)), int(np.count_nonzero(b))
    return _result(matrix.dataset, found, kind, question, (set_names, n_cells))


def scan(matrix: MatrixStats, grouping: Grouping, question: Question) -> tuple[ValueKind, Gathered]:
    """Pass over the matrix for a question; return the kind of its values, and the sums."""
    question.positions(matrix.dataset)  # an unknown gene raises before anything is read
    kind = _judged(matrix, grouping, question)
    linear = question.fold in NEEDS_LINEAR and kind.kind != "scaled"
    # Ends the progress bar in the page, also after an error.
    try:
        return kind, matrix.gather(grouping, question, linear=linear)
    finally:
        matrix.tell(1.0, "")


def _judged(matrix: MatrixStats, grouping: Grouping, question: Question) -> ValueKind:
    """Return the kind of the values; refuse to normalize values that are not counts."""
    kind = matrix.kind(grouping, question.layer)
    if question.normalize is None or kind.kind not in ("log1p", "scaled"):
        return kind
    where = describe_layer(question.layer)
    raise InvalidValue(f"normalize={question.normalize!r} takes counts, and {where} holds {kind.reason}.")


def _result(
    dataset: Dataset, found: Gathered, kind: ValueKind, question: Question,
    sets: tuple[tuple[str, str], tuple[int, int]],
) -> Comparison:  # fmt: skip
    (a, b), (set_names, n_cells) = found.groups, sets
    names = question.names(dataset)
    counts = [f"{name} ({dataset.obs_noun.counted(n)})" for name, n in zip(set_names, n_cells, strict=True)]
    sentence = f"{counts[0]} compared with {counts[1]} by {dataset.var_noun.counted(len(names))}: "
    sentence += f"{question.title}, log2 fold change ({question.fold}'s definition)"
    tested, auc, u = tests_of(found, 0, a, b)
    fold = fold_of(a, b, kind, question, scaled_genes(kind, question, dataset))
    made = Comparison(sentence, (), names, a, b, fold, tested, auc, u, sets=set_names)
    if question.method == "explorer":
        from cxg_widget.compare.explorer import as_in_explorer

        return as_in_explorer(made, n_cells, dataset, question, kind)
    return replace(made, notes=notes_of(dataset, question, kind, (a, b), tested))


def tests_of(found: Gathered, group: int, a: Summary, b: Summary) -> tuple[Tested, Floats, Floats]:
    """Return the test of the cells of a group, AUC and U, which are NaN without ranks."""
    if found.rank_sums is None or found.ties is None:
        nothing = np.full(a.mean.shape, np.nan)
        return welch(a, b), nothing, nothing
    ties = found.ties if found.ties.ndim == 1 else found.ties[group]
    tested, u, auc = rank_sum(found.rank_sums[group], ties, a.n, b.n)
    return tested, auc, u
