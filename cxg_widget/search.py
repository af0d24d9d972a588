"""Find what one can colour by: obs columns, gene sets and genes, as a user types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cxg_widget.errors import CxgWidgetError

if TYPE_CHECKING:
    from cxg_widget.datasets.base import Dataset


@dataclass(frozen=True)
class Match:
    """One thing to colour by: `spec` is the value of the trait `color`, the rest is for the eye."""

    spec: str
    label: str
    kind: str
    detail: str


class Catalogue:
    """Everything of a dataset that can colour its points, searched by name.

    Matches are ranked: the whole name, then its beginning, then the beginning of a word in it, then anywhere;
    within a rank obs columns come before gene sets before genes, each in the order of the store.
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._entries = _annotations(dataset) + _gene_sets(dataset) + _genes(dataset)
        self._folded = [_searchable(one).casefold() for one in self._entries]

    def find(self, query: str, limit: int = 50) -> tuple[list[Match], int]:
        """Return the best `limit` matches and how many more there are. An empty query finds everything.

        What the store would make for this query comes first.
        """
        wanted = query.strip().casefold()
        hits = [i for i, text in enumerate(self._folded) if wanted in text]
        if wanted:
            hits.sort(key=lambda i: _rank(self._folded[i], wanted))
        made = [Match(f"var:{name}", alias, "var", name) for name, alias in self._dataset.derived_vars(query)]
        if made:
            hits = [i for i in hits if self._entries[i] not in made]
        found = [*made, *(self._entries[i] for i in hits[:limit])][:limit]
        return found, len(made) + len(hits) - len(found)


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
        found.append(Match(f"obs:{column.name}", column.name, "obs", count + words.get(column.kind, "number")))
    return found


def _gene_sets(dataset: Dataset) -> list[Match]:
    try:
        sets = dataset.gene_sets
    except CxgWidgetError:
        return []
    noun = dataset.var_noun
    return [Match(f"set:{name}", name, "set", f"mean of {noun.counted(len(genes))}") for name, genes in sets.items()]


def _genes(dataset: Dataset) -> list[Match]:
    try:
        labels, aliases = dataset.var_labels, dataset.var_aliases
    except CxgWidgetError:
        return []
    if aliases is None:
        return [Match(f"var:{label}", label, "var", "") for label in labels]
    return [
        Match(f"var:{label}", alias or label, "var", label if alias else "")
        for label, alias in zip(labels, aliases, strict=True)
    ]
