"""Search for colors as a user types: obs columns, gene sets and genes."""
# Changes with js/src/file/kernel.js: search by name, as a saved page does it.
# Changes with js/src/page/parts/search_matches.js: kinds of matches.
# Changes with js/src/panels/columns/columns_panel.js: words for kinds of columns.

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import TYPE_CHECKING, Any

from cxg_widget.display.color_target import NO_SETS, OwnSets, resolve
from cxg_widget.display.hover_fields import is_identifier
from cxg_widget.display.several_genes import mean_label
from cxg_widget.errors import CxgWidgetError

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

_BETWEEN = re.compile(r"[\s,;]+")
_DIGITS_LAST = str.maketrans({str(digit): chr(0xE000 + digit) for digit in range(10)})
_KINDS = ("obs", "sets", "set", "var")
_MOST_LISTED = 3


@dataclass(frozen=True)
class Match:
    """One match: `spec` is its key, the rest is for display; see `Catalogue.describe`."""

    spec: str
    label: str
    kind: str
    detail: str


class Catalogue:
    """Searches everything in a dataset that can color the points, by name.

    Matches are ranked: whole name, start of the name, start of a word, anywhere. Within a rank the order is obs
    columns, sets of cells, gene sets, genes; then shorter names first; then alphabetical, letters before digits.
    Identifiers and constant obs columns come last, unless the query is their whole name.
    """

    def __init__(self, dataset: Dataset, own: OwnSets = NO_SETS) -> None:
        self._dataset, self._own = dataset, own
        self._says_little = {
            f"obs:{one.name}" for one in dataset.obs_columns.values() if _says_little(one.name, dataset)
        }
        columns = sorted(_annotations(dataset), key=lambda one: one.spec in self._says_little)
        genes = _genes(dataset)
        self._first_gene = len(columns) + len(sets := _gene_sets(dataset, own))
        self._entries = columns + sets + genes
        self._folded = [_searchable(one).casefold() for one in self._entries]
        self._times = Counter(one.label for one in genes)
        self._genes: dict[str, str] | None = None

    def find(self, query: str, limit: int = 50, sets: Sequence[str] = ()) -> tuple[list[Match], int]:
        """Return the best `limit` matches and the number of further ones. An empty query matches everything.

        A column that the store would compute for this query comes first, and so does the mean of a list of genes.
        """
        wanted = query.strip(" \t\r\n,;").casefold()
        hits = [i for i, text in enumerate(self._folded) if wanted in text]
        made = [Match(f"var:{name}", alias, "var", name) for name, alias in self._dataset.derived_vars(query)]
        if made:
            hits = [i for i in hits if self._entries[i] not in made]
        made += self._mean(query)
        ranks = {i: _rank(self._folded[i], wanted) for i in hits} if wanted else {}
        best = nsmallest(limit, hits, key=lambda i: self._order(i, ranks[i])) if wanted else hits[:limit]
        ranked = [(ranks.get(i, 0), self._entries[i]) for i in best]
        named = [(_rank(one.label.casefold(), wanted) if wanted else 0, one) for one in self._of_cells(sets, wanted)]
        if named:
            ranked = sorted([*ranked, *named], key=lambda one: (one[0], _kind_of(one[1])))
        ranked.sort(key=lambda one: one[1].spec in self._says_little and (one[0] > 0 or not wanted))
        found = [*made, *(match for _, match in ranked)][:limit]
        return found, len(made) + len(hits) + len(named) - len(found)

    def _of_cells(self, names: Sequence[str], wanted: str) -> list[Match]:
        """Return matching sets of cells; the entry for all sets is first."""
        if not names:
            return []
        kind = f"sets of {self._dataset.obs_noun.many}"
        each = [Match("sets:", f"all {kind}", kind, ""), *(Match(f"sets:{name}", name, kind, "") for name in names)]
        return [one for one in each if wanted in one.label.casefold()]

    def describe(self, match: Match) -> dict[str, Any]:
        """Return a match with its value for the trait `color`: a readable name if that is unambiguous."""
        kind, _, name = match.spec.partition(":")
        if kind == "sets":
            return {**vars(match), "color": match.spec}
        if kind == "mean":
            return {**vars(match), "color": name.split(",")}
        if kind == "var" and self._times[match.label] == 1:
            name = match.label
        spec = f"{kind}:{name}"
        if not self._finds(spec, match):
            name, spec = match.spec.partition(":")[2], match.spec
        return {**vars(match), "spec": spec, "color": name if self._finds(name, match) else spec}

    def _finds(self, color: str, match: Match) -> bool:
        """Return whether a value of the trait `color` means a match."""
        kind, _, name = match.spec.partition(":")
        try:
            found = resolve(color, self._dataset, None, self._own)
            if kind == found.source == "var":
                return self._dataset.find_var(found.name) == self._dataset.find_var(name)
        except CxgWidgetError:
            return False
        return (found.source, found.name) == (kind, name)

    def _order(self, i: int, rank: int) -> tuple[Any, ...]:
        label = self._folded[i].partition("\n")[0]
        return rank, _kind_of(self._entries[i]), len(label), label.translate(_DIGITS_LAST)

    def _mean(self, query: str) -> list[Match]:
        """Return the mean of the genes that a query lists; a list separated by spaces needs at least two."""
        listed = list(dict.fromkeys(name for name in _BETWEEN.split(query) if name))
        if len(listed) < 2:
            return []
        named = {name: self._gene(name) for name in listed}
        genes = list(dict.fromkeys(gene for gene in named.values() if gene is not None))
        unknown = [name for name, gene in named.items() if gene is None]
        if not genes or (len(genes) < 2 and not re.search("[,;]", query)):
            return []
        more = f" and {len(unknown) - _MOST_LISTED:,} more" if len(unknown) > _MOST_LISTED else ""
        detail = f"{', '.join(unknown[:_MOST_LISTED])}{more} not found" if unknown else ", ".join(genes)
        noun = self._dataset.var_noun
        return [Match(f"mean:{','.join(genes)}", mean_label(noun.counted(len(genes))), "set", detail)]

    def _gene(self, name: str) -> str | None:
        """Return the gene for a typed name; case is ignored if that is unambiguous."""
        if self._genes is None:
            genes = range(self._first_gene, len(self._entries))
            self._genes = {
                part: self._listed(i) for i in reversed(genes) for part in self._folded[i].split("\n") if part
            }
        return name if self._dataset.names_in(None).has_var(name) else self._genes.get(name.casefold())

    def _listed(self, i: int) -> str:
        match = self._entries[i]
        return match.label if self._times[match.label] == 1 else match.spec.removeprefix("var:")


def _kind_of(match: Match) -> int:
    return _KINDS.index(match.spec.partition(":")[0])


def _says_little(name: str, dataset: Dataset) -> bool:
    return is_identifier(dataset.obs_columns[name], dataset.n_obs) or dataset.is_constant(name)


def _searchable(match: Match) -> str:
    return f"{match.label}\n{match.detail}" if match.kind == "var" else match.label


def _rank(text: str, wanted: str) -> int:
    label, _, detail = text.partition("\n")
    if wanted in (label, detail):
        return 0
    if label.startswith(wanted):
        return 1
    at = label.find(wanted)
    if at > 0 and not label[at - 1].isalnum():
        return 2
    return 3 if at > 0 else 4


def _annotations(dataset: Dataset) -> list[Match]:
    words = {"categorical": "categories", "boolean": "yes / no", "string": "text"}
    found = []
    for column in dataset.obs_columns.values():
        count = f"{column.n_categories:,} " if column.kind == "categorical" and column.n_categories else ""
        detail = count + words.get(column.kind, "number") if count != "1 " else "1 category"
        found.append(Match(f"obs:{column.name}", column.name, "obs", detail))
    return found


def _gene_sets(dataset: Dataset, own: OwnSets) -> list[Match]:
    noun = dataset.var_noun
    try:
        sets = {**own, **{name: genes for name, genes in dataset.gene_sets.items() if name not in own}}
    except CxgWidgetError:
        sets = dict(own)
    return [Match(f"set:{name}", name, "set", mean_label(noun.counted(len(genes)))) for name, genes in sets.items()]


def _genes(dataset: Dataset) -> list[Match]:
    try:
        labels, aliases = dataset.var_labels, dataset.var_aliases
    except CxgWidgetError:
        return []
    if aliases is None:
        return [Match(f"var:{label}", label, "var", "") for label in labels]
    return [
        Match(f"var:{label}", alias or label, "var", label if alias and alias != label else "")
        for label, alias in zip(labels, aliases, strict=True)
    ]
