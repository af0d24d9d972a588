"""Sentences about comparisons of genes and compositions, with the definitions of their tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from cxg_widget.code.records import MadeCall
from cxg_widget.compare.gene_tests import FORMULAS
from cxg_widget.compare.question import METHODS, Question
from cxg_widget.methods.writing import Writing, adjusted, among, chosen, plain

Definition = Callable[[Question, Writing], str]


def _pseudobulk(question: Question, text: Writing) -> str:
    return (
        f"{_sums(question, text)} Log2 counts per million, with a prior count of 2 scaled by the total as in edgeR "
        f"{text.cite('edger')}, were compared by Welch's t-test {text.cite('welch')}, or by the paired t-test if at "
        f"least {question.min_donors} values of {plain(question.by)} had {text.noun.many} on both sides."
    )


def _deseq2(question: Question, text: Writing) -> str:
    return (
        f"{_sums(question, text)} The sums were compared by the Wald test of DESeq2 {text.cite('deseq2')}, computed by "
        f"PyDESeq2 {text.cite('pydeseq2')}, in pairs if at least {question.min_donors} values of "
        f"{plain(question.by)} had {text.noun.many} on both sides. Their p-values were adjusted by DESeq2."
    )


def _sums(question: Question, text: Writing) -> str:
    n = text.noun.counted(question.min_cells)
    return (
        f"Counts were summed over the {text.noun.many} of each {plain(question.by)} on each side, if it had {n} or "
        f"more there {text.cite('squair')}."
    )


DEFINITIONS: Mapping[str, Definition] = {
    "t-test": lambda _, text: (
        f"Welch's t-test is two-sided, with the degrees of freedom of Welch and Satterthwaite {text.cite('welch')}."
    ),
    "wilcoxon": lambda _, text: (
        "Wilcoxon's rank-sum test is two-sided, by the normal approximation, with ties corrected and without "
        f"continuity correction {text.cite('wilcoxon', 'mann')}."
    ),
    "pseudobulk": _pseudobulk,
    "deseq2": _deseq2,
    "explorer": lambda _, text: (
        f"The t-test of CELLxGENE Explorer divides both variances by the smaller number of {text.noun.many} "
        f"{text.cite('cellxgene')}. Its p-values were adjusted by Bonferroni's method over all genes."
    ),
}
"""What a method of comparison computes, by its name in `METHODS`."""
_FOLDS = {"scanpy": "scanpy", "pseudocount": "seurat"}


def comparison(one: MadeCall, text: Writing) -> Iterator[str]:
    """Yield the sentences about a comparison, or markers."""
    call, known = one.call, Question.__dataclass_fields__
    # by= names the groups of markers, and the samples of a comparison.
    taken = {name for name in known if call.method == "compare" or name != "by"}
    question = Question(**{name: value for name, value in call.options.items() if name in taken})
    sentence = call.description.replace(" compared with ", " was compared with ", 1)
    sentence = f"E{sentence[1:]}" if sentence.startswith("each of ") else sentence
    # Without the numbers by which the kind of values was judged.
    values = [note.removeprefix("Tested: ").partition(": ")[0].rstrip(".") for note in call.notes if "Tested: " in note]
    yield f"{'; tested: '.join([sentence, *values])}{chosen(one, text)}."
    yield from (note.replace(": `.background`", "") for note in call.notes if note.startswith("The neighborhood is "))
    yield DEFINITIONS[question.method](question, text)
    if any(note.startswith("log2fc (") for note in call.notes):
        formula, work = FORMULAS[question.fold], text.cite(_FOLDS[question.fold])
        yield f"Log2 fold changes by {question.fold}'s definition are {formula} {work}."
    if question.method not in ("deseq2", "explorer"):
        yield adjusted("the genes of each comparison", text)
    if not METHODS[question.method].by_donor:
        yield (
            f"Tests of {text.noun.many} take each {text.noun.one} as an independent sample: their p-values describe "
            f"these {text.noun.many}, and are no evidence for other donors {text.cite('squair')}."
        )


def composition(one: MadeCall, text: Writing) -> Iterator[str]:
    """Yield the sentences about a composition."""
    options, n, many = one.call.options, one.call.n, text.noun.many
    column, by, n_of = plain(options["column"]), options.get("by"), n["of"]
    yield (
        f"Categories of {column} were counted in {plain(one.cells['of'].name or f'some {many}')} "
        f"({text.noun.counted(n_of)}) and in the other {text.noun.counted(n['within'] - n_of)}{among(one)}"
        f"{chosen(one, text)}. Enrichment was tested by the probability of as many or more {many} in a random draw "
        f"(hypergeometric, the same as Fisher's one-sided exact test {text.cite('fisher')})."
    )
    yield adjusted("the categories", text)
    if by is not None:
        yield (
            f"With one value per {plain(by)} that had 10 {many} or more in the set and in the rest, the logits of "
            f"both shares, with half a {text.noun.one} added to each count {text.cite('haldane', 'anscombe')}, were "
            "compared by a one-sided paired t-test."
        )
