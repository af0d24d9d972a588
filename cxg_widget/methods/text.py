"""The methods of an analysis as text for a paper: data, cells, tests with their definitions, and references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cxg_widget.code.records import Cells, MadeCall, Records
from cxg_widget.compare.gene_tests import FORMULAS
from cxg_widget.compare.question import METHODS, Question
from cxg_widget.methods.references import References
from cxg_widget.rules.forms import describe_rule
from cxg_widget.text.nouns import Noun

_MOST_GENES = 10
_PACKAGES = {"python": "Python", "numpy": "NumPy", "pandas": "pandas", "scipy": "SciPy"}
_FILTERED = "the filtered cells"


@dataclass(frozen=True)
class Writing:
    """What a text is written with.

    works : numbers the works that are cited
    noun : of the cells
    known : names of cells that are described already, each with its words
    """

    works: References
    noun: Noun
    known: frozenset[tuple[str | None, str]]

    def cite(self, *keys: str) -> str:
        """Return the citation of works, as "[1, 2]"."""
        return self.works.cite(*keys)


Definition = Callable[[Question, Writing], str]


def _pseudobulk(question: Question, text: Writing) -> str:
    return (
        f"{_sums(question, text)} Log2 counts per million, with a prior count of 2 scaled by the total as in edgeR "
        f"{text.cite('edger')}, were compared by Welch's t-test {text.cite('welch')}, or by the paired t-test if at "
        f"least {question.min_donors} values of {_plain(question.by)} had {text.noun.many} on both sides."
    )


def _deseq2(question: Question, text: Writing) -> str:
    return (
        f"{_sums(question, text)} The sums were compared by the Wald test of DESeq2 {text.cite('deseq2')}, computed by "
        f"PyDESeq2 {text.cite('pydeseq2')}, in pairs if at least {question.min_donors} values of "
        f"{_plain(question.by)} had {text.noun.many} on both sides. Their p-values were adjusted by DESeq2."
    )


def _sums(question: Question, text: Writing) -> str:
    n = text.noun.counted(question.min_cells)
    return (
        f"Counts were summed over the {text.noun.many} of each {_plain(question.by)} on each side, if it had {n} or "
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
_PLOTS: Mapping[str, Callable[[Mapping[str, Any], Noun], str]] = {
    "dotplot": lambda of, noun: (
        f"A dot plot shows means, and shares of {noun.many} above 0, of {_genes(of)} by {_plain(of['by'])}"
    ),
    "heatmap": lambda of, _: f"A heatmap shows means of {_genes(of)} by {_plain(of['by'])}",
    "violin": lambda of, _: f"Violins show the distribution of {_plain(of['gene'])} by {_plain(of['by'])}",
    "bars": lambda of, noun: (
        f"Bars show the {'shares' if of.get('share', True) else 'numbers'} of {noun.many} by {_plain(of['column'])} in "
        f"each {_plain(of['by'])}"
    ),
}


def methods_text(records: Records) -> str:
    """Return paragraphs of plain text: data and cells, then what was computed, then references."""
    filters = [describe_rule(rule) for rule in records.settings.filters]
    known = {(one.name, one.words) for one in records.sets} | {(_FILTERED, " and ".join(filters))}
    text = Writing(References(), records.dataset.obs_noun, frozenset(known))
    results = (sentence for one in records.calls for sentence in _call(one, text))
    paragraphs = [" ".join([_data(records), *_cells(records, filters)]), " ".join(dict.fromkeys(results))]
    if listed := text.works.listed():
        paragraphs.append("\n".join(["References", *listed]))
    return "\n\n".join(filter(None, paragraphs))


def _data(records: Records) -> str:
    source, noun = records.source, records.dataset.obs_noun
    used = [f"{title} {records.versions[name]}" for name, title in _PACKAGES.items()]
    return (
        f"{_plain(source.title)} ({noun.counted(source.n_obs)}, {records.dataset.var_noun.counted(source.n_var)}) was "
        f"analyzed with cxg-widget {records.versions['cxg-widget']} in {used[0]}, with {_listed(used[1:])}."
    )


def _cells(records: Records, filters: Sequence[str]) -> Iterator[str]:
    """Yield a sentence each for filters, sets and labels."""
    noun = records.dataset.obs_noun
    if filters:
        yield f"Filters kept {records.n_filtered:,} of {noun.counted(records.source.n_obs)}: {'; '.join(filters)}."
    if records.sets:
        yield f"Sets of {noun.many}: {'; '.join(map(_described, records.sets))}."
    for name in records.annotations:
        counts = records.label_counts(name).items()
        labels = "; ".join(f"{_plain(label)} (n = {n:,})" for label, n in counts) or "none"
        yield f"Labels of {_plain(name)} were assigned to {noun.many}: {labels}."


def _described(cells: Cells) -> str:
    """Return the name of a set, how it was chosen, and its number of cells."""
    n = "not in these data" if cells.n is None else f"n = {cells.n:,}"
    inside = f", within {_plain(cells.within)}" if cells.within else ""
    return f"{_plain(cells.name)} ({cells.words}{inside}; {n})"


def _call(one: MadeCall, text: Writing) -> Iterator[str]:
    """Yield the sentences about a call; definitions are the same for all calls of a method."""
    method = one.call.method
    if method in ("compare", "markers"):
        yield from _comparison(one, text)
    elif method == "composition":
        yield from _composition(one, text)
    elif method in _PLOTS:
        yield f"{_PLOTS[method](one.call.options, text.noun)}{_among(one)}{_chosen(one, text)}."


def _comparison(one: MadeCall, text: Writing) -> Iterator[str]:
    call, known = one.call, Question.__dataclass_fields__
    # by= names the groups of markers, and the samples of a comparison.
    taken = {name for name in known if call.method == "compare" or name != "by"}
    question = Question(**{name: value for name, value in call.options.items() if name in taken})
    sentence = call.description.replace(" compared with ", " was compared with ", 1)
    sentence = f"E{sentence[1:]}" if sentence.startswith("each of ") else sentence
    # Without the numbers by which the kind of values was judged.
    values = [note.removeprefix("Tested: ").partition(": ")[0].rstrip(".") for note in call.notes if "Tested: " in note]
    yield f"{'; tested: '.join([sentence, *values])}{_chosen(one, text)}."
    yield from (note.replace(": `.background`", "") for note in call.notes if note.startswith("The neighborhood is "))
    yield DEFINITIONS[question.method](question, text)
    if any(note.startswith("log2fc (") for note in call.notes):
        formula, work = FORMULAS[question.fold], text.cite(_FOLDS[question.fold])
        yield f"Log2 fold changes by {question.fold}'s definition are {formula} {work}."
    if question.method not in ("deseq2", "explorer"):
        yield _adjusted("the genes of each comparison", text)
    if not METHODS[question.method].by_donor:
        yield (
            f"Tests of {text.noun.many} take each {text.noun.one} as an independent sample: their p-values describe "
            f"these {text.noun.many}, and are no evidence for other donors {text.cite('squair')}."
        )


def _composition(one: MadeCall, text: Writing) -> Iterator[str]:
    options, n, many = one.call.options, one.call.n, text.noun.many
    column, by, n_of = _plain(options["column"]), options.get("by"), n["of"]
    yield (
        f"Categories of {column} were counted in {_plain(one.cells['of'].name or f'some {many}')} "
        f"({text.noun.counted(n_of)}) and in the other {text.noun.counted(n['within'] - n_of)}{_among(one)}"
        f"{_chosen(one, text)}. Enrichment was tested by the probability of as many or more {many} in a random draw "
        f"(hypergeometric, the same as Fisher's one-sided exact test {text.cite('fisher')})."
    )
    yield _adjusted("the categories", text)
    if by is not None:
        yield (
            f"With one value per {_plain(by)} that had 10 {many} or more in the set and in the rest, the logits of "
            f"both shares, with half a {text.noun.one} added to each count {text.cite('haldane', 'anscombe')}, were "
            "compared by a one-sided paired t-test."
        )


def _adjusted(what: str, text: Writing) -> str:
    return f"P-values were adjusted over {what} by the method of Benjamini and Hochberg {text.cite('bh')}."


def _among(one: MadeCall) -> str:
    within = one.cells.get("within")
    return "" if within is None else f" among {_plain(within.name or 'some')} (n = {within.n:,})"


def _chosen(one: MadeCall, text: Writing) -> str:
    """Return how cells were chosen that were neither described before nor are by their names."""
    new = [cells for cells in one.cells.values() if (cells.name, cells.words) not in text.known]
    new = [cells for cells in new if cells.words != cells.name]
    told = [f"{_plain(cells.name or 'unnamed')}: {cells.words}" for cells in new]
    return f" ({'; '.join(told)})" if told else ""


def _genes(options: Mapping[str, Any]) -> str:
    genes = options["genes"]
    names = [genes] if isinstance(genes, str) else [str(one) for one in genes]
    more = [f"{len(names) - _MOST_GENES} more"] if len(names) > _MOST_GENES else []
    return _listed([*map(_plain, names[:_MOST_GENES]), *more])


def _listed(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def _plain(name: Any) -> str:
    """Return a name in one line."""
    return " ".join(str(name).split())
