"""Progress of comparisons: each look at the matrix says what it reads, how much of how much, and the share."""

from __future__ import annotations

import re

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.compare.question import Question, compare
from tests.memory import MemoryDataset
from tests.unit.test_compare import N_OBS, N_VAR, InParts, codes, dataset_of, log_values
from tests.unit.test_comparison_page import HAND, asked, widgets

__all__ = ["widgets"]

PHRASE = re.compile(r"(.*) (?:cells|genes) ([\d,]+) of ([\d,]+)")


def progress_of(dataset, question):
    """Return the phrase without numbers, the two numbers and the share of each report; the last one is the end."""
    told = []
    w = CxgWidget(dataset)
    try:
        matrix = w._session.comparisons.matrix()
        matrix.tell = lambda *one: told.append(one)
        compare(matrix, codes() == 0, codes() != 0, question)
    finally:
        w.close()
    assert told[-1] == (1.0, "")
    assert all(what for _, what in told[:-1])
    return [(share, *PHRASE.fullmatch(what).groups()) for share, what in told[:-1]]


@pytest.mark.parametrize("method", ["t-test", "wilcoxon"])
@pytest.mark.parametrize(("kind", "noun", "total"), [(InParts, "cells", N_OBS), (MemoryDataset, "genes", N_VAR)])
def test_a_look_at_the_matrix_says_how_many_cells_or_genes_of_all_it_has_read(kind, noun, total, method):
    found = progress_of(dataset_of(log_values(), kind), Question(method))
    read = [(share, int(n), int(of)) for share, doing, n, of in found if doing == "Reading"]
    assert [n for _, n, _ in read] == sorted({n for _, n, _ in read})
    assert read[-1] == (1.0, total, total)
    assert all(of == total and share == n / of for share, n, of in read)
    assert len(read) >= (5 if noun == "cells" else 1)
    assert {doing for _, doing, _, _ in found} - {"Reading"} == (
        {"Ranking"} if (noun, method) == ("cells", "wilcoxon") else set()
    )


def test_counts_that_are_added_up_first_are_told_apart_from_what_is_read_then():
    x = np.random.default_rng(0).poisson(1.0, (N_OBS, N_VAR)).astype(np.float32)
    found = progress_of(dataset_of(x), Question(normalize="log1p_10k"))
    assert list(dict.fromkeys(doing for _, doing, _, _ in found)) == ["Adding up counts of", "Reading"]


def test_the_page_is_told_what_is_read_and_that_it_has_ended(widgets):
    widget = widgets(dataset_of(log_values(), InParts))
    asked(widget, 1, **HAND)
    told = [one for one, _ in widget.front.sent if one["kind"] == "progress" and one["of"] == "reading"]
    assert told[0]["what"].startswith("Reading cells ")
    assert all(0 < one["done"] < 1 for one in told[:-1])
    assert (told[-1]["done"], told[-1]["what"], told[-1]["ends_by"]) == (1.0, "", "compare")
