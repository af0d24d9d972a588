"""Laws of the methods text: numbers are those of pandas, every method is defined, every citation is listed."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget, open_dataset
from cxg_widget.compare.gene_tests import FOLDS
from cxg_widget.compare.question import METHODS, Question
from cxg_widget.errors import ClosedDataset
from cxg_widget.methods import comparisons as text_of
from cxg_widget.methods.references import WORKS, References
from cxg_widget.methods.writing import Writing
from cxg_widget.text.nouns import CELL
from cxg_widget.wire import protocol

N = 600
RNG = np.random.default_rng(3)
FRAME = pd.DataFrame({
    "x": RNG.normal(size=N), "y": RNG.normal(size=N), "kind": pd.Categorical(RNG.choice(["a", "b", "c"], N)),
    "donor": pd.Categorical(RNG.choice(["d1", "d2", "d3", "d4"], N)), "depth": RNG.integers(0, 100, N),
    **{gene: RNG.poisson(3, N) for gene in ("CD3E", "NKG7", "CD19")},
})  # fmt: skip
GENES = ["CD3E", "NKG7", "CD19"]


@pytest.fixture
def w():
    widget = CxgWidget(open_dataset(FRAME, embedding=("x", "y"), var=GENES), color="kind", restore=False)
    yield widget
    widget.close()


def of(text):
    """Return the paragraphs of a text, and its references as a list."""
    paragraphs = text.split("\n\n")
    listed = paragraphs.pop().split("\n")[1:] if "\nReferences\n" in text else []
    return paragraphs, listed


def test_numbers_of_cells_are_those_of_pandas(w):
    w.sets.add("low", "depth < 30")
    w.filters["kind"] = ["a", "b"]
    mine = w.annotations.new("mine")
    mine.assign("first", {"donor": ["d1", "d2"]})
    w.compare("low", within="filter")
    w.compare({"kind": "a"}, {"kind": "b"}, method="wilcoxon", genes=["CD3E"])
    w.select("depth > 90")
    w.composition("donor")
    text = w.methods()
    is_kept, low = FRAME.kind.isin(["a", "b"]), FRAME.depth < 30
    high = (FRAME.depth > 90) & is_kept
    n_kinds = FRAME.kind.value_counts()
    for words in (
        f"({N:,} rows, 3 genes) was analyzed with cxg-widget",
        f"Filters kept {is_kept.sum()} of 600 rows: kind a, b.",
        f"low (query depth < 30; n = {low.sum()})",
        f"first (n = {FRAME.donor.isin(['d1', 'd2']).sum()})",
        f"low ({(low & is_kept).sum()} rows) was compared with the rest ({(~low & is_kept).sum()} rows) by 3 genes",
        f"kind a ({n_kinds['a']} rows) was compared with kind b ({n_kinds['b']} rows) by 1 gene",
        f"the selection ({high.sum()} rows) and in the other {(is_kept & ~high).sum()} rows "
        f"among the filtered cells (n = {is_kept.sum()}) (the selection: query depth > 90)",
    ):
        assert words in text


def test_every_method_and_every_fold_change_is_defined_and_every_work_has_a_doi():
    assert text_of.DEFINITIONS.keys() == METHODS.keys()
    assert text_of._FOLDS.keys() == FOLDS.keys()
    writing = Writing(References(), CELL, frozenset())
    for name, define in text_of.DEFINITIONS.items():
        assert re.search(r"\[\d+(, \d+)*\]", define(Question(name, by="donor"), writing)), name
    assert all(re.search(r"\(\d{4}\)\. doi:10\.\d{4}/\S+$", one) for one in WORKS.values())
    assert len({one.rpartition("doi:")[2] for one in WORKS.values()}) == len(WORKS)


def test_each_citation_is_listed_once_in_the_order_of_citation(w):
    w.compare({"kind": "a"}, method="wilcoxon", normalize="log1p_10k")
    w.compare({"kind": "a"}, fold="pseudocount")
    w.compare({"kind": "a"}, method="explorer")
    w.compare({"kind": "a"}, {"kind": "b"}, method="pseudobulk", by="donor")
    w.markers(by="kind")
    w.composition("kind", {"depth": [1, 2, 3, 4, 5, 6, 7, 8]}, by="donor")
    study = w.study(sample="donor", condition="kind")
    study.composition("donor")
    study.expression("CD3E")
    study.differences().compare("", "a", "b")
    w.quick_markers({"kind": "a"})
    paragraphs, listed = of(w.methods())
    cited = [int(one) for group in re.findall(r"\[([\d, ]+)\]", paragraphs[1]) for one in group.split(", ")]
    assert list(dict.fromkeys(cited)) == list(range(1, len(listed) + 1))
    assert [one.partition(". ")[2] for one in listed] == list(dict.fromkeys(one.partition(". ")[2] for one in listed))
    for words in (
        "log1p of counts per 10,000", "rank-sum test", "smaller number of rows", "paired t-test",
        "logits of both shares", "3 values of obs column 'kind'", "no evidence for other donors",
        "A sample is all rows of one value of donor in one kind.", "Log2 odds are", "edgeR [", "without p-values",
    ):  # fmt: skip
        assert words in paragraphs[1]


def test_a_comparison_of_the_page_is_written_as_that_of_python_and_a_repeated_one_once(w):
    w.sets.add("low", "depth < 30")
    before = w.methods()
    list(w._session.answer(protocol.Compare("set:low", "rest", "t-test", normalize=False)))
    text = w.methods()
    assert text.count(" was compared with ") == 1 > before.count(" was compared with ")
    w.compare("low")
    assert w.methods() == text


def test_an_untouched_widget_has_one_sentence_and_no_references(w):
    text = w.methods()
    assert "\n" not in text
    assert text.count("was analyzed") == 1
    w.close()
    with pytest.raises(ClosedDataset):
        w.methods()


def test_plots_and_names_of_several_lines_are_in_a_line(w):
    w.sets.add("two\nlines", {"kind": "a"})
    w.dotplot(GENES, "kind")
    w.heatmap(GENES, "kind", within="two\nlines")
    w.violin("CD3E", "donor")
    w.bars("donor", "kind", share=False)
    (cells, plots), listed = of(w.methods())
    assert "\n" not in cells + plots
    assert "CD3E, NKG7 and CD19 by kind among" not in plots.partition(". ")[0]
    assert (
        f"heatmap shows means of CD3E, NKG7 and CD19 by kind among two lines (n = {(FRAME.kind == 'a').sum()})" in plots
    )
    assert "Violins show the distribution of CD3E by donor." in plots
    assert "Bars show the numbers of rows by donor in each kind." in plots
    assert listed == []
