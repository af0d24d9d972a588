"""What was done in a widget: each call once, and every cell found again by its rule."""

import numpy as np

from cxg_widget import CxgWidget
from cxg_widget.code.records import Records
from cxg_widget.rules.rule import mask_of
from cxg_widget.wire import protocol
from tests.memory import small


def _widget():
    return CxgWidget(small(200), restore=False)


def test_cells_of_records_are_found_again_by_their_rules():
    w = _widget()
    is_doublet = np.asarray(w.dataset.obs(["is_doublet"])["is_doublet"])
    w.sets.add("T", {"cell_type": "T cell"})
    w.select(np.arange(200) < 30)
    w.annotations.new("mine").assign("x", {"cell_type": "B cell"})
    w.compare("T")
    w.compare({"mine": "x"}, "n_genes > 2000 and mine != 'x'", method="wilcoxon", genes=["CD3E", "MS4A1"])
    w.select({"is_doublet": True})
    w.composition("cell_type")
    w.annotations["mine"].rename("x", "y")  # the second comparison had other labels than there are now
    records = Records(w._session)
    compared, ranked, composed = records.calls
    b_cells = np.asarray(w.dataset.obs(["cell_type"])["cell_type"] == "B cell")
    for cells, expected in (
        (compared.cells["a"], w.sets["T"].mask),
        (ranked.cells["a"], b_cells),
        (composed.cells["of"], is_doublet),
        (records.selection, is_doublet),
    ):
        assert np.array_equal(mask_of(cells.rule, w.dataset), expected)
        assert cells.n == np.count_nonzero(expected)
    assert ["rows" not in cells.rule for cells in (compared.cells["a"], ranked.cells["a"], records.selection)] == [
        1,
        0,
        1,
    ]
    assert ranked.call.options == {"method": "wilcoxon", "genes": ["CD3E", "MS4A1"]}
    assert composed.cells["of"].name == "the selection"
    assert records.label_counts("mine") == {"y": np.count_nonzero(b_cells)}


def test_a_repeated_call_is_one_record_in_the_place_of_its_first():
    w = _widget()
    for _ in range(3):
        w.dotplot(["CD3E"], "cell_type")
        w.compare({"cell_type": "B cell"})
    assert [one.call.method for one in Records(w._session).calls] == ["dotplot", "compare"]


def test_calls_of_the_page_are_records_as_those_of_python():
    w = _widget()
    w.sets.add("T", {"cell_type": "T cell"})
    w.compare("T", within={"is_doublet": False})
    list(w._session.answer(protocol.Compare("set:T", "rest", "wilcoxon", normalize=False)))
    first, second = Records(w._session).calls
    assert first.cells["a"] == second.cells["a"]
    assert second.call.options == {"method": "wilcoxon"}
    assert set(first.cells) == {"a", "within"}
    assert set(second.cells) == {"a"}
