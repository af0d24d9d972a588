"""Pinned genes and gene sets as a user gives them: names that are checked, and lists that are read out of a text."""
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
"""Genes that are pinned at once."""
MOST_SETS = 500
MOST_NAMES = 50_000
"""In all sets together; they are part of the state of a widget, which notebooks keep."""
LONGEST_NAME = 200
"""Letters of the name of a gene or a set."""
_BETWEEN = re.compile(r"[\s,;]+")
_LEAST_OF_GMT = 3
_TOLD = 8


@dataclass(frozen=True)
class GeneLists:
    """Gene sets by name, of names that the dataset has, and the names that were left out."""

    sets: dict[str, list[str]]
    unknown: tuple[str, ...] = ()


def by_name(records: Iterable[Mapping[str, Any]]) -> OwnSets:
    """Return gene sets by name, from how the setting holds them: {"name", "genes"} each."""
    return {one["name"]: tuple(one["genes"]) for one in records}


def check_pinned(value: Any, dataset: Dataset) -> list[str]:
    """Return pinned genes as they were given, each once, whichever of its names is used."""
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
    """Return gene sets with the genes that the dataset has; case alone keeps none from being found.

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
    """Read gene sets out of a text: a GMT, or names apart by spaces, commas, semicolons or new lines.

    Each line of a GMT is the name of a set, a description and genes, apart by tabs; sets with no gene of the dataset
    are left out.

    name : of the set, where the text does not name it
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
    """Return a name for a set that was given none."""
    noun, number = set_noun_of(dataset).one, 1
    while f"{noun} {number}" in taken:
        number += 1
    return f"{noun} {number}"


def describe_unknown(unknown: Sequence[str]) -> str:
    """Write the sentence for names that were left out."""
    listed, more = ", ".join(map(shown, unknown[:_TOLD])), len(unknown) - _TOLD
    others = f" and {more:,} more" if more > 0 else ""
    return f"Not found, skipped: {listed}{others}."


def _known_in(listed: Mapping[str, Sequence[str]], dataset: Dataset) -> GeneLists:
    """Return lists with the genes that the dataset has, each once; and the other names."""
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
    """Say whether all lines are those of a GMT; a row of a spreadsheet begins with two genes."""
    if not lines or min(map(len, lines)) < _LEAST_OF_GMT:
        return False
    names = _names_of(dataset)
    return not all(_has(names, line[0].strip()) and _has(names, line[1].strip()) for line in lines)


def _names_of(dataset: Dataset) -> Collection[VarNames]:
    """Return what knows the vars of X and of the layers by name."""
    return list(dict.fromkeys(dataset.names_in(layer) for layer in (None, *dataset.layers)))


def _has(names: Collection[VarNames], name: str) -> bool:
    return any(one.has_var(name) for one in names)


def _by_case(dataset: Dataset) -> dict[str, str]:
    """Return the names of the genes of X by their letters, whatever their case; readable ones before others."""
    names = dataset.names_in(None)
    spelt: dict[str, str] = {}
    for one in (*(names.var_aliases or ()), *names.var_labels):
        spelt.setdefault(one.casefold(), one)
    return spelt
