"""The methods of an analysis as text for a paper: data, cells, tests with their definitions, and references."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from cxg_widget.code.records import Cells, MadeCall, Records
from cxg_widget.methods.comparisons import comparison, composition
from cxg_widget.methods.references import References
from cxg_widget.methods.studies import study
from cxg_widget.methods.writing import Writing, among, chosen, listed, plain
from cxg_widget.rules.forms import describe_rule
from cxg_widget.text.nouns import Noun

_MOST_GENES = 10
_PACKAGES = {"python": "Python", "numpy": "NumPy", "pandas": "pandas", "scipy": "SciPy"}
_FILTERED = "the filtered cells"
_PLOTS: Mapping[str, Callable[[Mapping[str, Any], Noun], str]] = {
    "dotplot": lambda of, noun: (
        f"A dot plot shows means, and shares of {noun.many} above 0, of {_genes(of)} by {plain(of['by'])}"
    ),
    "heatmap": lambda of, _: f"A heatmap shows means of {_genes(of)} by {plain(of['by'])}",
    "violin": lambda of, _: f"Violins show the distribution of {plain(of['gene'])} by {plain(of['by'])}",
    "bars": lambda of, noun: (
        f"Bars show the {'shares' if of.get('share', True) else 'numbers'} of {noun.many} by {plain(of['column'])} in "
        f"each {plain(of['by'])}"
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
    source = records.source
    used = [f"{title} {records.versions[name]}" for name, title in _PACKAGES.items()]
    return (
        f"{plain(source.title)} ({source.size}) was analyzed with cxg-widget {records.versions['cxg-widget']} in "
        f"{used[0]}, with {listed(used[1:])}."
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
        labels = "; ".join(f"{plain(label)} (n = {n:,})" for label, n in counts) or "none"
        yield f"Labels of {plain(name)} were assigned to {noun.many}: {labels}."


def _described(cells: Cells) -> str:
    """Return the name of a set, how it was chosen, and its number of cells."""
    n = "not in these data" if cells.n is None else f"n = {cells.n:,}"
    inside = f", within {plain(cells.within)}" if cells.within else ""
    return f"{plain(cells.name)} ({cells.words}{inside}; {n})"


def _call(one: MadeCall, text: Writing) -> Iterator[str]:
    """Yield the sentences about a call; definitions are the same for all calls of a method."""
    method = one.call.method
    if method in ("compare", "markers"):
        yield from comparison(one, text)
    elif method == "composition":
        yield from composition(one, text)
    elif method.startswith("study."):
        yield from study(one, text)
    elif method == "quick_markers":
        yield (
            f"Genes of {plain(one.cells['a'].name or 'some')} ({text.noun.counted(one.call.n['a'])}) were ranked by "
            f"the statistic of Welch's t-test {text.cite('welch')}, without p-values{chosen(one, text)}."
        )
    elif method in _PLOTS:
        yield f"{_PLOTS[method](one.call.options, text.noun)}{among(one)}{chosen(one, text)}."


def _genes(options: Mapping[str, Any]) -> str:
    genes = options["genes"]
    names = [genes] if isinstance(genes, str) else [str(one) for one in genes]
    more = [f"{len(names) - _MOST_GENES} more"] if len(names) > _MOST_GENES else []
    return listed([*map(plain, names[:_MOST_GENES]), *more])
