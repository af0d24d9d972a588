"""Names in a state that a dataset lacks, of every setting, in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.display.color_target import is_of_sets
from cxg_widget.errors import CxgWidgetError
from cxg_widget.rules.forms import check_rule, form_of, within
from cxg_widget.rules.missing_names import MissingNames


def missing_in(state: Mapping[str, Any], dataset: Dataset) -> MissingNames:
    """Return the names in a state that a dataset lacks: columns, genes, layers, embeddings and sets.

    state : possibly invalid; what has no names is passed over
    dataset : with the annotations of the state that fit it, whose names it then has
    """
    sets = [one["name"] for one in _entries(state, "sets") if isinstance(one.get("name"), str)]
    own = [one["name"] for one in _entries(state, "gene_sets") if isinstance(one.get("name"), str)]
    groups = {*own, *dataset.gene_sets}
    missing = MissingNames(dataset, sets)
    layer = _layer_of(state, dataset)

    def add_color(name: str) -> None:
        if is_of_sets(name):
            if name.removeprefix("sets:") != name:
                missing.add_set(name.removeprefix("sets:"))
        elif name.removeprefix("set:") not in groups:
            missing.add_name(name, layer)

    for rule in _rules(state):
        for one, _ in within(rule):
            form_of(one).find_missing(one, missing)
    for look in (state, *_entries(state, "panels")):
        if isinstance(look.get("layer"), str):
            missing.add_layer(look["layer"])
        if isinstance(look.get("embedding"), str | list | tuple):
            with suppress(CxgWidgetError, TypeError):
                missing.add_embedding(look["embedding"], (0, 1))
        _each(look.get("color"), add_color)
    for name in ("hover", "labels"):
        _each(state.get(name), add_color)
    if isinstance(state.get("contours"), list | tuple):
        _each(state["contours"], missing.add_set)
    else:
        _each(state.get("contours"), missing.add_obs)
    _each(state.get("difference"), missing.add_set)
    design = state.get("study_design")
    for name in ("sample", "condition", "covariates", "pair"):
        _each(design.get(name) if isinstance(design, Mapping) else None, missing.add_obs)
    _each(state.get("pinned_genes"), lambda name: missing.add_var(name.removeprefix("var:"), None))
    for one in _entries(state, "gene_sets"):
        _each(one.get("genes"), lambda name: missing.add_var(name, None))
    return missing


def _rules(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the valid rules of sets, filters, labels and panels."""
    logs = [one.get("log") for one in _entries(state, "annotations")]
    steps = [step for log in logs if isinstance(log, list) for step in log if isinstance(step, Mapping)]
    found = [one.get("rule") for one in (*_entries(state, "sets"), *steps)]
    found += [*_entries(state, "filters"), *(one.get("within") for one in _entries(state, "panels"))]
    found += [{"obs": step["of"], "in": []} for step in steps if isinstance(step.get("of"), str)]
    for rule in found:
        with suppress(CxgWidgetError):
            yield check_rule(rule)


def _entries(state: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    value = state.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list | tuple) else []


def _each(value: Any, add: Callable[[str], object]) -> None:
    """Call a function with a name, or with each of a list."""
    for one in [value] if isinstance(value, str) else value if isinstance(value, list | tuple) else []:
        if isinstance(one, str):
            add(one)


def _layer_of(state: Mapping[str, Any], dataset: Dataset) -> str | None:
    layer = state.get("layer")
    return layer if layer in dataset.layers else None
