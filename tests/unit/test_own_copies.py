"""Laws of what a widget hands out and takes in: it is a copy, and what becomes of it changes nothing on show."""

import json

import numpy as np
import pytest

from cxg_widget.display.settings import STATE
from tests.unit.test_undo import seen


def spoilt(value):
    """Change all lists and dicts in a value, the innermost first."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for one in list(inner):
        spoilt(one)
    if isinstance(value, dict):
        value.clear()
    elif isinstance(value, list):
        value.append("NK cell")


def everything():
    """Return a state in which each setting that may be a list or a dict is one."""
    rule = {"or": [{"obs": "cell_type", "in": ["T cell"]}, {"not": {"obs": "n_genes", "range": [500, None]}}]}
    at = "2026-01-31T12:00:00+00:00"
    log = [{"of": "cell_type", "n": 1000, "at": at}, {"assign": "x", "rule": rule, "n": 326, "at": at}]
    log.append({"merge": ["x", "B cell"], "into": "y", "n": 4, "at": at})
    return {
        "embedding": ["n_genes", "CD3E"],
        "axes": [1, 0],
        "annotations": [{"name": "mine", "log": log}],
        "gene_sets": [{"name": "own", "genes": ["CD3E", "MS4A1"]}],
        "sets": [{"name": "a", "rule": rule}, {"name": "b", "rule": {"obs": "mine", "in": ["y"]}}],
        "color": ["CD3E", "MS4A1"],
        "cmap": ["#000000", "#ffffff"],
        "palette": {"B cell": "#112233"},
        "pinned_genes": ["CD3E"],
        "open_panels": ["genes"],
        "view": [0.0, 1.0, 0.0, 1.0],
        "hidden": [],
        "filters": [{"obs": "cell_type", "in": ["T cell", "B cell"]}, {"not": {"obs": "mine", "in": ["y"]}}],
        "table": {"columns": ["cell_type"], "sort": "n_genes"},
        "panels": [{"id": 1}, {"id": 2, "color": ["CD3E"], "within": {"obs": "cell_type", "in": ["B cell"]}},
                   {"id": 3, "embedding": ["n_genes", "MS4A1"]}],
        "views": [{"embedding": ["n_genes", "MS4A1"], "view": [0.0, 1.0, 0.0, 1.0]}],
        "hover": ["cell_type"],
        "contours": ["a"],
        "difference": ["a", "b"],
    }  # fmt: skip


GIVEN = {
    "state": lambda w: w.state,
    "rules": lambda w: [w.filters.rules, w.filters.rule, w.sets.rules, w.annotations.rules, w.selection.rule],
    "sets": lambda w: [one.rule for one in w.sets.values()],
    "what filters keep": lambda w: dict(w.filters),
    "panels": lambda w: [w.panels.looks, *(one.look for one in w.panels), w.panels[1].within, w.panels[1].color],
    "log": lambda w: w.annotations["mine"].log().to_numpy().tolist(),
    "genes": lambda w: [dict(w.genes.sets), w.genes.sets.own, w.genes.pinned],
    "traits": lambda w: [getattr(w, name) for name in STATE if isinstance(getattr(w, name), list | dict)],
    "table": lambda w: [w.table.columns, w.table.setting.as_json()],
    "colors": lambda w: w.sets.colors,
}


@pytest.fixture
def full(widget):
    widget.state = everything()
    widget.select({"cell_type": ["B cell"]})
    widget.front.settle()
    return widget


def masks(widget):
    return [one.mask.tobytes() for one in (widget.filters, widget.sets["a"], widget.sets["b"], widget.selection)]


@pytest.mark.parametrize("what", GIVEN)
def test_what_is_handed_out_is_the_callers_own(what, full):
    before, cells, n = seen(full), masks(full), len(full._history._past)
    kept = json.dumps(full.state)
    spoilt(GIVEN[what](full))
    assert json.dumps(full.state) == kept
    assert (seen(full), masks(full)) == (before, cells)
    assert len(full._history._past) == n
    full.color = "n_genes"
    assert full.undo()
    assert (seen(full), masks(full)) == (before, cells)


def test_what_is_taken_in_stays_the_callers_own(widget):
    given = everything()
    widget.state = given
    kept = json.dumps(widget.state)
    spoilt(given)
    assert json.dumps(widget.state) == kept
    for name in everything():
        value = everything()[name]
        setattr(widget, name, value)
        spoilt(value)
        assert json.dumps(widget.state) == kept, name
    values, cells = ["B cell"], np.zeros(1000, dtype=bool)
    cells[:3] = True
    widget.select({"cell_type": values})
    widget.filters["cell_type"] = values
    widget.sets.add("c", {"cell_type": values})
    widget.annotations["mine"].assign("z", {"cell_type": values})
    widget.panel(within={"cell_type": values})
    rule = widget.selection.rule
    kept = json.dumps([widget.state, rule])
    values.append("T cell")
    assert json.dumps([widget.state, widget.selection.rule]) == kept
    widget.select(cells)
    cells[:] = True
    assert widget.selection.rows.tolist() == [0, 1, 2]


def test_who_observes_a_setting_is_told_copies(full):
    kept = json.dumps(full.state)
    full.observe(lambda change: spoilt([change["old"], change["new"]]), list(STATE))
    full.color = ["MS4A1", "CD3E"]
    full.sets.rename("b", "c")
    full.undo(), full.undo()
    assert json.dumps(full.state) == kept
