"""What a rule names that a dataset does not have, of every kind, in one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cxg_widget.errors import UnknownName
from cxg_widget.rules.advice import meant_query
from cxg_widget.rules.expression import missing_names, unknown_in
from cxg_widget.rules.forms import Rule
from cxg_widget.rules.grammar import parse
from cxg_widget.text.names import and_not, not_found, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset


class Lacking:
    """Collects what is not there while one looks at the parts of a rule, and tells all of it.

    Parameters
    ----------
    sets : names that {set} may have
    """

    def __init__(self, dataset: Dataset, sets: Iterable[str] = ()) -> None:
        self._dataset, self._sets = dataset, list(sets)
        self._columns: dict[str, None] = {}
        self._meant = ""
        self._others: dict[str, str] = {}
        """What is none of the columns, in words, by those words alone; and the sentence for it."""

    def look(self, rule: Rule) -> None:
        """Take note of what one rule, not those in it, names in vain."""
        dataset, layer = self._dataset, rule.get("layer")
        if layer is not None and layer not in dataset.layers:
            self._add("layer", layer, not_found("layer", layer, dataset.layers))
            layer = None
        if "obs" in rule and rule["obs"] not in dataset.obs_columns:
            self._columns[rule["obs"]] = None
        elif "var" in rule and not dataset.names_in(layer).has_var(rule["var"]):
            self._columns[rule["var"]] = None
        elif "query" in rule:
            unknown = unknown_in(parse(rule["query"]), dataset, layer)
            self._columns |= dict.fromkeys(unknown)
            if unknown and (meant := meant_query(rule["query"], dataset, layer)):
                self._meant = f" Did you mean {meant!r}?"
        elif "set" in rule and rule["set"] not in self._sets:
            self._add("set", rule["set"], not_found("set", rule["set"], self._sets, "this widget"))
        elif "polygon" in rule:
            self._embedding(rule["embedding"])

    def check(self) -> None:
        """Raise `UnknownName` where something is not there."""
        if self._columns:
            sentence = missing_names(list(self._columns), self._dataset, list(self._others))
            raise UnknownName(sentence + self._meant)
        if self._others:
            (_, sentence), *others = self._others.items()
            raise UnknownName(and_not([sentence, *(told for told, _ in others)]))

    def _add(self, kind: str, name: Any, sentence: str) -> None:
        self._others.setdefault(f"{kind} {shown(name)}", sentence)

    def _embedding(self, name: Any) -> None:
        """Look at an embedding; of two columns at each, and at the layer of both."""
        layer = [] if isinstance(name, str) else name[2:]
        for one in layer:
            if one not in self._dataset.layers:
                self._add("layer", one, not_found("layer", one, self._dataset.layers))
                layer = []
        for one in [name] if isinstance(name, str) else [[column, column, *layer] for column in name[:2]]:
            try:
                self._dataset.find_embedding(one)
            except UnknownName as error:
                is_name = isinstance(one, str)
                self._add("embedding" if is_name else "column", one if is_name else one[0], str(error))
