"""Laws of the registry of forms: each is whole, says the same in both languages, and tells whether rows alone do."""

from __future__ import annotations

import ast
import itertools
import json
from pathlib import Path

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.cells.cluster.rows_of import RowsOf
from cxg_widget.display.looks import title_of
from cxg_widget.rules import forms
from cxg_widget.rules.form import FilterPart, Form
from cxg_widget.rules.forms import FORMS, check_rule, describe_rule, form_of, inner_of, within
from cxg_widget.rules.rule import is_by_rows, mask_of
from tests.memory import small

CASES = json.loads((Path(__file__).parent.parent / "rule_words.json").read_text(encoding="utf-8"))["cases"]
SAYS = [case["says"] for case in CASES]


def parts_given():
    """Yield each part of each form: the module, where the form stands in it, and which part it is."""
    for path in sorted(Path(forms.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            is_form = isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                Form.__name__,
                FilterPart.__name__,
            )
            given = [one for one in node.keywords if one.arg] if is_form else []
            if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "_OF_RULES":
                given = [*zip(node.value.keys, node.value.values, strict=True)]
            place = (type(node), node.lineno, node.col_offset) if given else None
            for at in range(len(given)):
                yield pytest.param(path, place, at, id=f"{path.name}:{place[1]} without part {at}")


@pytest.mark.parametrize(("path", "place", "at"), list(parts_given()))
def test_a_form_that_lacks_any_part_fails_at_import(path, place, at):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = (one for one in ast.walk(tree) if isinstance(one, place[0]))
    form = next(one for one in nodes if (type(one), one.lineno, one.col_offset) == place)
    if isinstance(form, ast.Call):
        del form.keywords[at]
    else:
        del form.value.keys[at], form.value.values[at]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument"):
        exec(compile(tree, path, "exec"), {"__name__": f"cxg_widget.rules.forms.{path.stem}"})


def test_every_form_has_a_case_here():
    said = {form_of(one).spelling for case in CASES for one in (case["rule"], inner_of(case["rule"])[0])}
    assert said == {form.spelling for form in FORMS}


@pytest.mark.parametrize("case", CASES, ids=SAYS)
def test_a_rule_is_put_into_the_words_that_the_page_uses(case):
    assert describe_rule(check_rule(case["rule"])) == case["words"]


@pytest.mark.parametrize("case", CASES, ids=SAYS)
def test_a_rule_that_rows_alone_tell_means_the_same_whatever_rows_are_together(case):
    dataset, rule = small(500), case["rule"]
    assert is_by_rows(rule, dataset) is case["by_rows"]
    if case["by_rows"]:
        rule = json.loads(json.dumps(rule).replace(', "C"', ""))
        ends = [0, 1, 130, 131, 407, 500]
        blocks = [mask_of(rule, RowsOf(dataset, *block)) for block in itertools.pairwise(ends)]
        np.testing.assert_array_equal(np.concatenate(blocks), mask_of(rule, dataset))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.spelling)
def test_a_form_whose_rows_do_not_tell_is_not_evaluated_by_rows_within_another(form):
    case = next(case for case in CASES if form_of(case["rule"]) is form)
    for rule in ({"not": case["rule"]}, {"or": [case["rule"], case["rule"]]}):
        assert is_by_rows(rule, small(50)) is case["by_rows"]
    assert any(one is case["rule"] for one, _ in within({"not": case["rule"]}))


def test_a_panel_of_a_shape_has_a_title():
    corners = {"polygon": [[0, 0], [1, 1], [0, 1]], "embedding": "umap", "axes": [0, 1]}
    w = CxgWidget(small(50))
    w.panel(within=corners)
    assert title_of(w.panels.looks[-1], "", "cells") == "a polygon"
    w.close()
