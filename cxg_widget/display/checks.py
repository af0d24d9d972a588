"""Checks of settings: each returns the normalized value, or raises one sentence that says what is valid."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from cxg_widget.annotations.log import check_annotations, check_free
from cxg_widget.annotations.replay import is_stored
from cxg_widget.annotations.sidecar import read_annotations
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.by_sets import resolve_sets
from cxg_widget.display.color_target import OwnSets, is_of_sets, resolve
from cxg_widget.display.gene_sets import check_gene_sets, check_pinned, describe_unknown
from cxg_widget.errors import InvalidOption, InvalidValue, UnknownName
from cxg_widget.rules.filters import check_filters
from cxg_widget.rules.named import check_sets
from cxg_widget.rules.rule import check_names as check_names_of
from cxg_widget.text.names import nearest, not_found, shown, text_of
from cxg_widget.text.warned import warn_caller
from cxg_widget.wire.parsing import MAX_EDGE

if TYPE_CHECKING:
    from cxg_widget.display.settings import Settings


Check = Callable[[Any, Dataset, "Settings"], Any]
"""Takes a value, the dataset and all other settings."""
MOST_SETS_ON_PLOT = 8
"""As many as there are colors that color-blind people can distinguish."""
_CORNERS = 4
_CONTAINERS = (list, tuple, dict, set, frozenset, np.ndarray)


class Given(Enum):
    """Marks a keyword as not given, where None is a value of its own."""

    NOT = "not given"

    def __repr__(self) -> str:
        return f"<{self.value}>"


def split_options(
    options: Mapping[str, Any], traits: Iterable[str], opening: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Divide keywords into traits and options of `open_dataset`."""
    known, more = list(traits), list(opening)
    for name in options:
        if name not in known and name not in more:
            close = nearest(name, known + more, 1) if isinstance(name, str) else []
            hint = f"Did you mean {close[0]!r}?" if close else "help(CxgWidget) and help(open_dataset) list them."
            raise InvalidOption(f"CxgWidget has no option {shown(name)}. {hint}")
    # `table` is both: the table of cells as a mapping, and the name of a table of SpatialData.
    of_store = {name for name, one in options.items() if name not in known or (name in more and isinstance(one, str))}
    return (
        {name: value for name, value in options.items() if name not in of_store},
        {name: value for name, value in options.items() if name in of_store},
    )


# Checks that several settings share.


def alone(judge: Callable[..., Any], *before: Any) -> Check:
    """Return a check that only needs the value; `before` are its leading arguments."""
    return lambda value, _, __: judge(*before, value)


def choice(name: str, choices: Sequence[str], *, or_none: bool = False) -> Check:
    """Return a check for one of a few names."""

    def judge(value: Any) -> str | None:
        if (value is None and or_none) or (isinstance(value, str) and value in choices):
            return value
        raise UnknownName(not_found(name, value, choices, "this version"))

    return alone(judge)


def number(name: str, low: float, high: float, kind: type = float, *, or_none: bool = False) -> Check:
    """Return a check for a number within bounds, converted to float or int."""

    def judge(value: Any) -> Any:
        if value is None and or_none:
            return None
        is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
        if is_number and low <= value <= high:
            return kind(value)
        raise InvalidValue(f"{name} must be a number from {low:g} to {high:g}; found {shown(value)}")

    return alone(judge)


def flag(name: str) -> Check:
    """Return a check for True or False; other values are not converted."""

    def judge(value: Any) -> bool:
        if isinstance(value, bool | np.bool_):
            return bool(value)
        raise InvalidValue(f"{name} must be True or False; found {shown(value)}")

    return alone(judge)


# Checks of a single setting.


def check_view(value: Any) -> list[float] | None:
    """Return a view: x left, x right, y bottom, y top in data units; None = everything."""
    if value is None:
        return None
    try:
        view = [float(edge) for edge in value]
    except (TypeError, ValueError, OverflowError):
        view = []
    is_finite = all(abs(edge) <= MAX_EDGE for edge in view)  # excludes NaN too
    if len(view) != _CORNERS or not is_finite or view[0] >= view[1] or view[2] == view[3]:
        wanted = f"x0 < x1 and y0, y1 in data units, none beyond {MAX_EDGE:g}"
        raise InvalidValue(f"view must be {wanted}, or None; found {shown(value)}")
    return view


def check_hidden(value: Any) -> list[str]:
    """Return the labels of hidden categories."""
    labels = list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
    if isinstance(value, str) or any(label is value or isinstance(label, _CONTAINERS) for label in labels):
        raise InvalidValue(f"hidden must be a list of category labels; found {shown(value)}")
    return [text_of(label) for label in labels]


def filters(value: Any, dataset: Dataset, _: Settings) -> list[Any]:
    """Return filters as rules, one per column, gene or query; see `rules.filters`."""
    return check_filters(value, dataset)


def sets(value: Any, dataset: Dataset, _: Settings) -> list[Any]:
    """Return named rules that fit the dataset; see `rules.named`."""
    found = check_sets(value)
    check_names_of({"or": [one["rule"] for one in found]}, dataset)
    return found


def logs(value: Any, dataset: Dataset, settings: Settings) -> list[Any]:
    """Return annotations with free names: their logs, or the content of a file; see `annotations.log`.

    An annotation that was saved into the store is one of its columns now, and is dropped here.
    """
    is_path = isinstance(value, str | os.PathLike)
    found = check_annotations(read_annotations(value, dataset) if is_path else value)
    kept = []
    for one in found:
        name, log = one["name"], one["log"]
        if is_stored(name, log, dataset):
            described = f"{shown(name)} is now an obs column of {dataset.title}, with the labels of the annotation"
            warn_caller(
                f"{described}; w.annotations.new(name, of={shown(name)}) makes an annotation that starts with them."
            )
        else:
            check_free(name, dataset, settings.own_gene_sets)
            kept.append(one)
    return kept


def check_names(name: str, choices: Sequence[str], value: Any) -> list[str]:
    """Return some of a few names, without duplicates."""
    if not isinstance(value, list | tuple):
        raise InvalidValue(f"{name} must be a list of some of {', '.join(map(repr, choices))}; found {shown(value)}")
    for one in value:
        if not isinstance(one, str) or one not in choices:
            raise UnknownName(not_found(name, one, choices, "this version"))
    return list(dict.fromkeys(value))


def check_mode(value: Any, modes: Any) -> Any:
    """Return the name of a selection mode."""
    if isinstance(value, str) and value in get_args(modes):
        return value
    raise UnknownName(not_found("selection mode", value, get_args(modes), "select()"))


def embedding(value: Any, dataset: Dataset, _: Settings | None = None) -> str | list[str] | None:
    """Return the name of an embedding as the dataset spells it, or two columns; None = the default."""
    found = dataset.default_embedding if value is None else dataset.find_embedding(value)
    return list(found) if isinstance(found, tuple) else found


def axes(value: Any, dataset: Dataset, settings: Settings) -> list[int]:
    """Return two axes of the current embedding."""
    return list(dataset.check_axes(value, settings.embedding))


def layer(value: Any, dataset: Dataset, _: Settings | None = None) -> str | None:
    """Return the name of a layer; None is X."""
    if value is None or (isinstance(value, str) and value in dataset.layers):
        return value
    raise UnknownName(not_found("layer", value, dataset.layers))


def color(value: Any, dataset: Dataset, settings: Settings) -> str | list[str] | None:
    """Return the color as given; a gene may be in X or in any layer. See `target.resolve`."""
    if hasattr(value, "tolist"):  # an array, a pandas Index or Series
        value = value.tolist()
    sets, gene_sets = [one["name"] for one in settings.sets], settings.own_gene_sets
    if not is_of_sets(value) or resolve_sets(value, sets, dataset, None, gene_sets) is None:
        _check_vector(value, dataset, gene_sets)
    return value if value is None or isinstance(value, str) else list(value)


def _check_vector(value: Any, dataset: Dataset, sets: OwnSets) -> None:
    try:
        resolve(value, dataset, None, sets)
    except UnknownName:
        if not any(_is_known(value, dataset, one, sets) for one in dataset.layers):
            raise


def _is_known(value: Any, dataset: Dataset, in_layer: str, sets: OwnSets) -> bool:
    try:
        resolve(value, dataset, in_layer, sets)
    except UnknownName:
        return False
    return True


def categories_of(name: str, *, or_true: bool = False) -> Check:
    """Return a check for the name of an obs column of categories; None and, if True is allowed, False mean none."""

    def judge(value: Any, dataset: Dataset, _: Settings) -> str | bool | None:
        if value is None or (or_true and isinstance(value, bool | np.bool_)):
            return True if value else None
        columns = {one.name: one.kind for one in dataset.obs_columns.values() if one.kind not in ("int", "float")}
        if isinstance(value, str) and value in columns:
            return value
        if isinstance(value, str) and value in dataset.obs_columns:
            kind = dataset.obs_columns[value].kind
            raise InvalidValue(f"{name} must be an obs column of categories; {shown(value)} holds numbers ({kind})")
        raise UnknownName(not_found("obs column of categories", value, columns))

    return judge


def contours(value: Any, dataset: Dataset, settings: Settings) -> str | bool | list[str] | None:
    """Return the groups that get contours: categories of a column, True = all cells, or named sets; None = none."""
    if not isinstance(value, list | tuple):
        found: str | bool | None = categories_of("contours", or_true=True)(value, dataset, settings)
        return found
    names = _names_of_sets("contours", value)
    if len(names) > MOST_SETS_ON_PLOT:
        raise InvalidValue(f"contours run around at most {MOST_SETS_ON_PLOT} sets; found {len(names)}")
    return names or None


def tissue(value: Any, dataset: Dataset, _: Settings) -> str | None:
    """Return the name of an image of a section; True = the best one, the name of a library = its best."""
    if value is None or value is False:
        return None
    sections = dataset.sections()
    names = [*sections.images, *sections.faults]
    if not names:
        raise InvalidValue(f"this dataset has no image of a section for tissue; found {shown(value)}")
    if value is True:
        value = names[0]
    found = [name for name in names if isinstance(value, str) and value in (name, name.rpartition("/")[0])]
    if not found:
        raise UnknownName(not_found("image of a section", value, names))
    dataset.find_image(found[0])
    return found[0]


def check_two(value: Any) -> list[str] | None:
    """Return the names of the two sets whose densities are compared; None = no comparison."""
    names = None if value is None else _names_of_sets("difference", value)
    if names is not None and len(names) != 2:
        raise InvalidValue(f"difference must be the names of two different sets, or None; found {shown(value)}")
    return names


def _names_of_sets(name: str, value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) and one for one in value):
        raise InvalidValue(f"{name} must be a list of names of sets, or None; found {shown(value)}")
    return list(dict.fromkeys(value))


def hover(value: Any, dataset: Dataset, settings: Settings) -> list[str] | None:
    """Return the fields of the tooltip, as given; None = the default ones."""
    if value is None:
        return None
    value = value.tolist() if hasattr(value, "tolist") else value
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) and name for name in names):
        many = dataset.var_noun.many
        raise InvalidValue(f"hover must be a list of obs columns and {many}, or None; found {shown(value)}")
    for name in names:
        _check_vector(name, dataset, settings.own_gene_sets)
    return list(dict.fromkeys(names))


def pinned_genes(value: Any, dataset: Dataset, _: Settings) -> list[str]:
    """Return the pinned genes; see `gene_sets.check_pinned`."""
    return check_pinned(value, dataset)


def gene_sets(value: Any, dataset: Dataset, _: Settings) -> list[dict[str, Any]]:
    """Return gene sets with only genes of the dataset; a warning lists the other names."""
    found = check_gene_sets(value, dataset)
    if found.unknown:
        warn_caller(describe_unknown(found.unknown))
    return [{"name": name, "genes": genes} for name, genes in found.sets.items()]
