"""Laws of what the panel of annotations asks: what a hand does is what Python does, counted as pandas counts."""

from itertools import islice

import numpy as np
import pandas as pd
import pytest

from cxg_widget import CxgWidget
from cxg_widget.annotations.colors import label_colors
from cxg_widget.annotations.log import Log
from cxg_widget.annotations.replay import packed
from cxg_widget.color.palettes import OKABE_ITO
from cxg_widget.datasets.base.values import Codes
from tests.memory import small
from tests.unit.test_early_lassos import recorded


def asked(widget, kind, **fields):
    """Ask as the front-end does, and return the answer."""
    widget.front.settle().sent.clear()
    widget._handle_custom_msg({"id": 7, "kind": kind, **fields}, [])
    found = [one for one in widget.front.settle().sent if one[0]["id"] == 7]
    assert len(found) == 1
    return found[0]


def edit(widget, op, name, **more):
    plain = {"label": "", "to": "", "mode": "replace", "on_conflict": "error"}
    content, _ = asked(widget, "annotation", op=op, name=name, **{**plain, **more})
    return content


def listed(widget, name="", query=""):
    content, buffers = asked(widget, "annotations", name=name, query=query, filters=widget.filters.rules)
    counts = np.frombuffer(buffers[0], dtype=np.uint32).reshape(-1, 3)
    return content, dict(zip([*content["labels"], None], counts.tolist(), strict=True))


def test_a_hand_makes_the_annotation_that_python_makes(widget):
    other = CxgWidget(widget.dataset)
    note = other.annotations.new("mine", of="cell_type")
    first, second = np.arange(1000) < 40, np.arange(1000) % 7 == 0
    note.assign("<b>new</b>", first)
    note.assign(None, second)
    old = note.labels[:3]
    note.rename(old[0], "renamed")
    note.merge([old[1]], old[2])
    note.delete("<b>new</b>")
    edit(widget, "new", "mine", to="cell_type")
    for mask, label in ((first, "<b>new</b>"), (second, "")):
        widget.select(mask)
        assert edit(widget, "assign", "mine", label=label)["kind"] == "annotated"
    edit(widget, "rename", "mine", label=old[0], to="renamed")
    edit(widget, "merge", "mine", label=old[1], to=old[2])
    edit(widget, "delete", "mine", label="<b>new</b>")
    pd.testing.assert_series_equal(widget.annotations["mine"].series(), note.series())
    for _ in range(2):  # deleted, merged
        widget.undo()
    assert widget.annotations["mine"].labels[0] == "renamed"
    assert "<b>new</b>" in widget.annotations["mine"].labels
    edit(widget, "drop", "mine")
    assert not widget.annotations
    other.close()


def test_labels_are_counted_as_pandas_counts_them_and_hidden_cells_of_a_selection_are_labelled_too(widget):
    widget.annotations.new("mine", of="cell_type")
    widget.select(np.arange(1000) < 300)
    widget.filters["n_genes"] = (500, None)
    obs = widget.dataset.obs()
    passing, selected = obs["n_genes"] >= 500, np.arange(1000) < 300
    told, counts = listed(widget)
    assert told["n_left_out"] == (selected & ~passing).sum()
    edit(widget, "assign", "mine", label="a")
    labels = obs["cell_type"].astype(object).where(~selected, "a")
    _, counts = listed(widget, "mine")
    for label, (n, n_passing, n_selected) in counts.items():
        of = labels.isna() if label is None else labels == label
        assert [n, n_passing, n_selected] == [of.sum(), (of & passing).sum(), (of & selected).sum()]


def test_in_this_region_but_not_labelled_so_is_one_more_click(widget):
    note = widget.annotations.new("mine")
    labelled, region = np.arange(1000) % 3 == 0, np.arange(1000) < 100
    note.assign("X", labelled)
    widget.select(region)
    edit(widget, "select", "mine", label="X", mode="subtract")
    np.testing.assert_array_equal(widget.selection.mask, region & ~labelled)
    edit(widget, "select", "mine", label="", mode="replace")
    np.testing.assert_array_equal(widget.selection.mask, ~labelled)
    widget.filters["n_genes"] = (500, None)
    edit(widget, "select", "mine", label="X", mode="replace")
    np.testing.assert_array_equal(widget.selection.mask, labelled & widget.filters.mask)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (("assign", "mine", {"label": "x"}), "nothing is selected"),
        (("delete", "mine", {"label": "Y"}), "'Y'"),
        (("rename", "mine", {"label": "X", "to": "Z"}), "merge"),
        (("rename", "mine", {"label": "X", "to": "nan"}), "mark cells without a label"),
        (("select", "mine", {"label": "Y"}), "'Y'"),
        (("drop", "other", {}), "'other'"),
        (("new", "cell_type", {}), "is an obs column already"),
        (("save", "mine", {"to": "labels.txt"}), ".parquet"),
        (("save", "mine", {"to": ""}), "AnnData"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_one_sentence_and_changes_nothing(case, words, widget):
    op, name, more = case
    note = widget.annotations.new("mine")
    note.assign("X", [0, 1])
    note.assign("Z", [2])
    before = widget.state
    told = edit(widget, op, name, **more)
    assert (told["kind"], told["of"]) == ("error", "annotation")
    assert words in told["message"]
    assert widget.state == before


def test_ten_thousand_labels_are_told_in_part_and_found_by_what_they_contain(monkeypatch):
    widget = recorded(small(20_000), monkeypatch)
    labels = pd.Categorical([f"<i>{i % 10_000:05d}" for i in range(20_000)])
    truth = pd.DataFrame({"many": labels}, index=widget.dataset.obs([]).index)
    note = widget.annotations.new("many")
    codes = Codes(labels.codes.astype(np.int16), tuple(labels.categories))
    widget.annotations = [{"name": "many", "log": Log([packed(codes, widget.dataset)])}]
    told, counts = listed(widget, "many")
    assert (len(told["labels"]), told["n_found"], told["annotations"][0]["n_labels"]) == (200, 10_000, 10_000)
    told, counts = listed(widget, "many", "0999")
    expected = truth["many"].value_counts()
    found = [one for one in labels.categories if "0999" in one]
    assert told["labels"] == found
    assert all(counts[one][0] == expected[one] for one in found)
    assert note.labels[9_999] == "<i>09999"
    widget.close()


def test_a_label_keeps_its_color_when_others_come_go_or_are_called_otherwise(widget):
    note = widget.annotations.new("mine")
    for i in range(12):
        note.assign(f"l{i}", [i])

    def colors():
        content, _ = listed(widget, "mine")
        return dict(zip(content["labels"], content["colors"], strict=True))

    before = colors()
    assert list(before.values())[:8] == list(OKABE_ITO)
    assert len(set(before.values())) == 12
    note.delete("l3")
    note.rename("l5", "five")
    note.merge(["l7", "l8"], "both")
    note.assign("new", [50])
    after = colors()
    assert all(after[label] == before[label] for label in before if label in after)
    assert (after["five"], after["both"], after["new"]) == (before["l5"], before["l7"], before["l3"])
    widget.color = "mine"
    content = [one for one, _ in widget.front.settle().sent if one["kind"] == "color"][-1]
    assert dict(zip(content["categories"], content["colors"], strict=True)) == after


class Page:
    """Takes codes as js/src/state/receive.js does: a difference only from the coloring that it has."""

    def __init__(self, n):
        self.n, self.seq, self.codes = n, -1, None

    def take(self, content, arrays):
        """Take a message, and its arrays in their order."""
        if content["kind"] == "codes" and content["seq"] >= self.seq:
            self.codes = np.concatenate([*([self.codes] if content["start"] else []), arrays[0]])
            self.seq = content["seq"]
        if content["kind"] == "recoded" and content["of"] == self.seq:
            table, bits, codes = arrays
            self.seq, self.codes = content["seq"], table[np.minimum(self.codes, len(table) - 1)]
            if bits.size:
                self.codes[np.unpackbits(bits, count=self.n, bitorder="little").astype(bool)] = codes


@pytest.mark.parametrize("n", [1000, 20_003])
def test_labelling_a_selection_sends_a_bit_a_cell_and_what_is_sent_makes_the_codes_of_all(n, monkeypatch):
    widget = recorded(small(n), monkeypatch)
    rng = np.random.default_rng(n)
    note = widget.annotations.new("mine", of="cell_type")
    widget.color = "mine"
    page, rows = Page(n), widget._session.held.order.rows

    def follow():
        """Take what was sent as a front-end does; return how many bytes the arrays have."""
        sent = widget.front.settle().sent
        size = 0
        for content, buffers in sent:
            arrays = [np.frombuffer(one, dtype=it["dtype"]) for one, it in zip(buffers, content["arrays"], strict=True)]
            page.take(content, arrays)
            if content["kind"] in ("color", "codes", "recoded"):
                size += sum(map(len, buffers))
        sent.clear()
        truth = note.series().cat.codes.to_numpy()[rows]
        np.testing.assert_array_equal(page.codes, truth.astype(page.codes.dtype))  # -1 is the highest
        return size

    assert follow() >= n
    for step in (
        lambda: note.assign("new", rng.random(n) < 0.3),
        lambda: note.assign("B", rng.random(n) < 0.3),
        lambda: note.assign(None, rng.random(n) < 0.3),
        lambda: note.rename("new", "old"),
        lambda: note.merge(note.labels[:2], "both"),
        lambda: note.delete("both"),
    ):
        step()
        assert follow() <= n / 8 + 2 * len(note.labels) + 8
    widget.undo()
    assert follow() < n
    for i in range(260):
        note.assign(f"more {i}", [i])
    assert follow() < 260 * n / 4
    widget.close()


def unpacked(frame):
    """Return a frame as a page gets it: what it says, and its arrays."""
    content, buffers = frame.pack(0)
    return content, [np.frombuffer(one, it["dtype"]) for one, it in zip(buffers, content["arrays"], strict=True)]


@pytest.mark.parametrize("n_taken", [0, 1, 2, 3])
def test_labels_that_change_while_others_are_sent_arrive_all_the_same(n_taken, monkeypatch):
    widget = recorded(small(1000), monkeypatch)
    note = widget.annotations.new("mine", of="cell_type")
    widget.color = "mine"
    widget.front.settle()
    monkeypatch.setattr(widget._exchange, "send_soon", lambda *_, **__: None)
    page, streams = Page(1000), widget._session.streams
    for frame in streams.show():
        page.take(*unpacked(frame))
    note.assign("older", np.arange(1000) < 100)
    older = streams.color()
    for frame in islice(older, n_taken):  # its thread goes on when the newer one has ended
        page.take(*unpacked(frame))
    note.assign("newer", np.arange(1000) > 900)
    for _ in range(2):
        kinds = []
        for frame in streams.color():
            kinds.append(frame.message.kind)
            page.take(*unpacked(frame))
        truth = note.series().cat.codes.to_numpy()[widget._session.held.order.rows]
        np.testing.assert_array_equal(page.codes, truth.astype(page.codes.dtype))
        for frame in older:
            page.take(*unpacked(frame))
        note.assign("newest", [500])
    assert "recoded" in kinds
    widget.close()


def test_labels_of_a_column_begin_with_its_colors():
    log = [{"of": "t"}, {"rename": "a", "to": "A"}, {"assign": "new"}, {"merge": ["b", "A"], "into": "b"}]
    found = label_colors(log, lambda _: (("a", "b"), {"a": "#123456"}))
    assert found == {"b": OKABE_ITO[1], "new": OKABE_ITO[0]}


def test_a_conflict_is_told_in_counts_and_each_way_out_is_taken(widget, tmp_path):
    note = widget.annotations.new("mine")
    note.assign("there", np.arange(1000) < 10)
    file = str(tmp_path / "mine.csv")
    assert edit(widget, "save", "mine", to=file)["sentence"] == f"Saved the labels of 10 cells to {file!r}."
    note.assign("here", np.arange(1000) < 4)
    note.assign("here", [20])
    assert edit(widget, "save", "mine", to=file)["conflict"] == [11, 10, 5]
    for way, expected in (("theirs", "there"), ("ours", "here")):
        assert not edit(widget, "save", "mine", to=file, on_conflict=way)["conflict"]
        assert pd.read_csv(file, comment="#", index_col=0)["mine"].iloc[0] == expected
    assert edit(widget, "save", "mine", to=str(tmp_path / "other.csv"))["sentence"]
