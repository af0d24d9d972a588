"""Laws of a brush under the hand: on the edges of bins what it computes from running sums is what pandas counts."""

import numpy as np
import pandas as pd
import pytest

from cxg_widget.counts import count_loops
from cxg_widget.session.analysis import brush as answer
from tests.memory import small
from tests.unit.test_early_lassos import recorded

N = 1000
CATEGORIES = {"cell_type": [0, 2, 1, 3], "donor name": [1, 0], "is_doublet": [0, 1]}
NUMBERS = ("n_counts", "DENSE")
FILTERS = {
    "none": {},
    "of the brush alone": {"n_genes": (500, 4000)},
    "of all": {
        "n_genes": (500, 4000),
        "cell_type": ["T cell", "B cell", None],
        "n_counts": (100, None),
        "DENSE": (0, None),
    },
    "nobody passes": {"n_counts": (1e9, None)},
}


@pytest.fixture(scope="module")
def frame():
    data = small(N)
    return data.obs().assign(**{name: data.vector(name).dense(N) for name in ("CD3E", "DENSE")})


def taken(widget, column, columns, filters=None):
    """Take a brush, and return {column: (content, sums)}, the bins of the points, and the bytes of the arrays."""
    before = len(widget.front.settle().sent)
    rules = widget.filters.rules if filters is None else filters
    widget.front.ask(kind="brush", column=column, columns=list(columns), rows=list(columns.values()), filters=rules)
    sent = widget.front.sent[before:]
    assert [content["kind"] for content, _ in sent[: len(columns)]] == ["sums"] * len(columns), sent[0][0]
    assert [content["part"] for content, _ in sent] == list(range(sent[0][0]["parts"]))
    sums = {
        content["column"]: (content, np.frombuffer(raw, np.uint32).reshape(content["arrays"][0]["shape"]))
        for content, (raw,) in sent[: len(columns)]
    }
    bins = np.concatenate([np.frombuffer(raw, np.uint8) for _, (raw,) in sent[len(columns) :]])
    return sums, bins, sum(len(raw) for _, (raw,) in sent)


def kept(frame, filters):
    """Return who passes some filters, by pandas."""
    mask = np.ones(len(frame), bool)
    for name, what in filters.items():
        values = frame[name]
        if isinstance(what, tuple):
            mask &= values.between(*(-np.inf if what[0] is None else what[0], np.inf if what[1] is None else what[1]))
        else:
            mask &= values.isin([one for one in what if one is not None]) | (values.isna() if None in what else False)
    return mask


def spec(name):
    return f"var:{name}" if name.isupper() else f"obs:{name}"


@pytest.mark.parametrize("brushed", ["n_genes", "n_counts", "DENSE"])
@pytest.mark.parametrize("case", FILTERS)
def test_on_the_edges_of_bins_a_brush_counts_what_pandas_counts(case, brushed, widget, frame):
    filters = FILTERS[case]
    for name, what in filters.items():
        widget.filters[name] = what
    others = {spec(name): rows for name, rows in CATEGORIES.items()} | {spec(n): [] for n in NUMBERS if n != brushed}
    sums, _, _ = taken(widget, spec(brushed), others)
    values = frame[brushed]
    edges = np.array([*(bins := widget.counts(brushed).index.dropna()).left, bins.right[-1]], dtype=float)
    rng = np.random.default_rng(1)
    for low, high in [(0, edges.size - 1), *np.sort(rng.integers(0, edges.size, (4, 2)))]:
        is_last = high == edges.size - 1
        inside = (values >= edges[low]) & ((values <= edges[high]) if is_last else (values < edges[high]))
        for name in (one[4:] for one in others):
            content, running = sums[spec(name)]
            passing = inside & kept(frame, {k: v for k, v in filters.items() if k not in (brushed, name)})
            found = (running[high] - running[low]).sum(axis=1).tolist()
            assert running.shape[0] == edges.size + 1
            if name in NUMBERS:
                bins = [*(own := widget.counts(name).index.dropna()).left, own.right[-1]]
                finite = frame[name][passing & np.isfinite(frame[name])]
                assert found == [*np.histogram(finite, bins)[0], passing.sum() - finite.size]
            else:
                labels = widget.counts(name).index.dropna()
                wanted = [
                    frame[name] == labels[row] if row < len(labels) else frame[name].isna() for row in content["rows"]
                ]
                assert found == [(passing & one).sum() for one in wanted]
                groups = frame["cell_type"].cat.categories[content["groups"]]
                parts = [frame["cell_type"] == group for group in groups]
                parts += [np.zeros(N, bool), frame["cell_type"].isna()]
                expected = [[(passing & row & part).sum() for part in parts] for row in wanted]
                np.testing.assert_array_equal(running[high] - running[low], expected)


def test_without_ends_a_brush_keeps_cells_without_a_value_too(widget, frame):
    sums, _, _ = taken(widget, "obs:n_counts", {"obs:donor name": [0, 1]})
    assert frame["n_counts"].isna().any()
    totals = sums["obs:donor name"][1][-1].sum(axis=1).tolist()
    assert totals == frame["donor name"].value_counts().sort_index().tolist()[:2]


def test_each_point_has_its_bin_unless_another_filter_leaves_it_out(widget, frame):
    widget.filters["n_counts"] = (100, 300)
    widget.filters["donor name"] = ["d1"]
    widget.filters["cell_type"] = ["B cell"]  # the legend hides the others
    _, bins, _ = taken(widget, "obs:n_counts", {})
    edges = [*(index := widget.counts("n_counts").index.dropna()).left, index.right[-1]]
    codes = pd.cut(frame["n_counts"], edges, right=False, labels=False)
    codes[frame["n_counts"] == edges[-1]] = len(edges) - 2
    expected = np.where(frame["donor name"] == "d1", codes.fillna(len(edges) - 1), 255)
    np.testing.assert_array_equal(bins, expected[widget._session.held.order.rows])


def test_the_bytes_of_an_answer_are_bounded_and_a_step_then_takes_more_bins(widget, monkeypatch):
    columns = {"obs:donor name": [0, 1], "obs:n_counts": [], "var:DENSE": []}
    fine, _, n_bytes = taken(widget, "obs:n_genes", columns)
    assert n_bytes == N + sum(running.nbytes for _, running in fine.values())
    assert {content["width"] for content, _ in fine.values()} == {1}
    monkeypatch.setattr(answer, "SUMS_BYTES", (n_bytes - N) // 3)
    coarse, _, fewer = taken(widget, "obs:n_genes", columns)
    width = coarse["obs:n_counts"][0]["width"]
    assert fewer - N <= (n_bytes - N) // 3
    for name, (_, running) in coarse.items():
        whole = fine[name][1]
        np.testing.assert_array_equal(running, whole[[*range(0, len(whole) - 2, width), -2, -1]])


def test_of_a_long_list_only_the_rows_that_are_asked_for_are_sent(widget):
    content, running = taken(widget, "obs:n_genes", {"obs:cell_type": [1]})[0]["obs:cell_type"]
    assert (content["rows"], running.shape[1]) == ([1], 1)


def test_what_cannot_be_brushed_is_said_and_what_cannot_be_counted_has_no_sums(monkeypatch):
    widget = recorded(small(50, broken=["obs/n_genes"]), monkeypatch, color=None)
    asking = {"kind": "brush", "columns": [], "rows": [], "filters": []}
    for column, said in (("obs:cell_type", "numbers"), ("obs:n_genes", "missing"), ("obs:nosuch", "nosuch")):
        widget.front.ask(**asking, column=column)
        content = widget.front.sent[-1][0]
        assert (content["kind"], content["of"]) == ("error", "brush")
        assert said in content["message"]
    widget.front.ask(**{**asking, "rows": [[]]}, column="obs:n_counts")
    assert "rows" in widget.front.sent[-1][0]["message"]
    sums, bins, _ = taken(widget, "obs:n_counts", {"obs:n_genes": [], "obs:is_doublet": [0], "obs:cell_type": [99]})
    assert [running.size > 0 for _, running in sums.values()] == [False, True, False]
    assert bins.size == 50
    widget.close()


def test_the_loops_of_a_brush_are_compiled_ahead(widget):
    widget._session.prepare_columns()
    loops = (count_loops.put_keys, count_loops.tally)
    before = [len(loop.signatures) for loop in loops]
    widget.filters["n_counts"] = (100, None)
    taken(widget, "obs:n_genes", {"obs:cell_type": [0], "obs:n_counts": [], "var:DENSE": []})
    assert [len(loop.signatures) for loop in loops] == before
