"""Pinned genes and gene sets: checks of names, and parsing of lists and GMT files."""
# Changes with js/src/panels/genes/paste_field.js: lists of genes as users paste them.

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cxg_widget.display.color_target import OwnSets, set_noun_of
from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import BROKEN, shown

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.datasets.base.var_names import VarNames

MOST_PINNED = 100
"""Most genes that can be pinned."""
MOST_SETS = 500
MOST_NAMES = 50_000
"""Limit of all sets together; they are part of the widget's state, which notebooks store."""
LONGEST_NAME = 200
"""Longest name of a gene or set, in characters."""
_BETWEEN = re.compile(r"[\s,;]+")
_LEAST_OF_GMT = 3
_MOST_LISTED = 8


@dataclass(frozen=True)
class GeneLists:
    """Gene sets with only genes of the dataset, by name, and the names that were skipped."""

    sets: dict[str, list[str]]
    unknown: tuple[str, ...] = ()


def by_name(records: Iterable[Mapping[str, Any]]) -> OwnSets:
    """Return gene sets by name, from records {"name", "genes"}."""
    return {one["name"]: tuple(one["genes"]) for one in records}


def check_pinned(value: Any, dataset: Dataset) -> list[str]:
    """Return pinned genes as given, without duplicates by any of their names."""
    of_all, of_x = _names_of(dataset), dataset.names_in(None)
    found: dict[Any, str] = {}
    for given in dict.fromkeys(_listed(value, f"pinned_genes must be a list of {dataset.var_noun.many}")):
        name = given if _has(of_all, given) else given.removeprefix("var:")
        place = of_x.find_var(name) if of_x.has_var(name) or not _has(of_all, name) else name
        found.setdefault(place, name)
    if len(found) > MOST_PINNED:
        raise InvalidValue(f"at most {MOST_PINNED} {dataset.var_noun.many} can be pinned; found {len(found):,}")
    return list(found.values())


def check_gene_sets(value: Any, dataset: Dataset) -> GeneLists:
    """Return gene sets with only genes of the dataset; case is ignored.

    value : {name: list of genes}, or records as the setting holds them
    """
    noun, many = set_noun_of(dataset), dataset.var_noun.many
    sets = _by_name(value, f"gene_sets must be {{name: list of {many}}}")
    listed = {name: _listed(genes, f"{noun.a} must be a list of {many}") for name, genes in sets.items()}
    for name in listed:
        is_text = isinstance(name, str) and 0 < len(name.strip()) <= len(name) <= LONGEST_NAME
        if not is_text or BROKEN.search(name):
            raise InvalidValue(f"the name of {noun.a} has 1 to {LONGEST_NAME} letters; found {shown(name)}")
    found = _known_in(listed, dataset)
    for name, genes in found.sets.items():
        if not genes:
            raise _names_none(name, listed[name], dataset)
    return found


def read_lists(text: str, name: str, dataset: Dataset) -> GeneLists:
    """Parse gene sets: a GMT, or names separated by spaces, commas, semicolons or new lines.

    A line of a GMT has name, description and genes, separated by tabs. Sets without a gene of the dataset are skipped.

    name : of the set, if the text has none
    """
    lines = [line.rstrip("\r").split("\t") for line in text.removeprefix("\ufeff").split("\n") if line.strip()]
    if not _is_gmt(lines, dataset):
        return check_gene_sets({name: [one for one in _BETWEEN.split(text) if one]}, dataset)
    listed = {title.strip()[:LONGEST_NAME] or name: [one for one in genes if one.strip()] for title, _, *genes in lines}
    found = _known_in(listed, dataset)
    kept = {title: genes for title, genes in found.sets.items() if genes}
    if not kept:
        raise _names_none(*next(iter(listed.items())), dataset)
    return GeneLists(kept, found.unknown)


def free_name(taken: Collection[str], dataset: Dataset) -> str:
    """Return a free name for an unnamed set."""
    noun, number = set_noun_of(dataset).one, 1
    while f"{noun} {number}" in taken:
        number += 1
    return f"{noun} {number}"


def describe_unknown(unknown: Sequence[str]) -> str:
    """Return the sentence for skipped names."""
    listed, more = ", ".join(map(shown, unknown[:_MOST_LISTED])), len(unknown) - _MOST_LISTED
    others = f" and {more:,} more" if more > 0 else ""
    return f"Not found, skipped: {listed}{others}."


def _known_in(listed: Mapping[str, Sequence[str]], dataset: Dataset) -> GeneLists:
    """Return lists with only genes of the dataset, without duplicates; and the other names."""
    n_names, noun = sum(map(len, listed.values())), set_noun_of(dataset)
    if len(listed) > MOST_SETS or n_names > MOST_NAMES:
        bounds = f"at most {MOST_SETS:,} {noun.many} of {MOST_NAMES:,} names together can be kept"
        raise InvalidValue(f"{bounds}; found {len(listed):,} of {n_names:,}")
    wanted, names = list(dict.fromkeys(one.strip() for genes in listed.values() for one in genes)), _names_of(dataset)
    known = {name: name for name in wanted if _has(names, name)}
    spelt = _by_case(dataset) if len(known) < len(wanted) else {}
    known |= {name: spelt[name.casefold()] for name in wanted if name not in known and name.casefold() in spelt}
    sets = {
        name: list(dict.fromkeys(known[one.strip()] for one in genes if one.strip() in known))
        for name, genes in listed.items()
    }
    return GeneLists(sets, tuple(name for name in wanted if name not in known))


def _by_name(value: Any, wanted: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    are_records = isinstance(value, list | tuple) and all(
        isinstance(one, Mapping) and set(one) == {"name", "genes"} for one in value
    )
    names = [one["name"] for one in value] if are_records else []
    if not are_records or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise InvalidValue(f"{wanted}; found {shown(value)}")
    return {one["name"]: one["genes"] for one in value}


def _listed(value: Any, wanted: str) -> list[str]:
    value = value.tolist() if hasattr(value, "tolist") else value
    is_list = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    names = list(value) if is_list else []
    if not is_list or not all(isinstance(one, str) and len(one) <= LONGEST_NAME for one in names):
        raise InvalidValue(f"{wanted}, of {LONGEST_NAME} letters at most; found {shown(value)}")
    return names


def _names_none(name: str, listed: Sequence[str], dataset: Dataset) -> UnknownName:
    what = f"{set_noun_of(dataset).one} {shown(name)} names no {dataset.var_noun.one} of this dataset"
    example = f", as {', '.join(map(shown, listed[:3]))}" if listed else ""
    return UnknownName(f"{what}; it lists {len(listed):,}{example}.")


def _is_gmt(lines: list[list[str]], dataset: Dataset) -> bool:
    """Return whether all lines are those of a GMT; a row of a spreadsheet starts with two genes."""
    if not lines or min(map(len, lines)) < _LEAST_OF_GMT:
        return False
    names = _names_of(dataset)
    return not all(_has(names, line[0].strip()) and _has(names, line[1].strip()) for line in lines)


def _names_of(dataset: Dataset) -> Collection[VarNames]:
    """Return the names of the vars of X and of all layers."""
    return list(dict.fromkeys(dataset.names_in(layer) for layer in (None, *dataset.layers)))


def _has(names: Collection[VarNames], name: str) -> bool:
    return any(one.has_var(name) for one in names)


def _by_case(dataset: Dataset) -> dict[str, str]:
    """Return the genes of X by case-folded name; readable names take precedence."""
    names = dataset.names_in(None)
    spelt: dict[str, str] = {}
    for one in (*(names.var_aliases or ()), *names.var_labels):
        spelt.setdefault(one.casefold(), one)
    return spelt
