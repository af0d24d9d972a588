"""Laws of counts: what pandas and NumPy count, of all, of those that pass all other filters, of the selected."""

import json

import numpy as np
import pandas as pd
import pytest

from cxg_widget.counts import count_loops
from cxg_widget.counts.coded import of_numbers
from cxg_widget.datasets.base.dataset import Codes, Column
from cxg_widget.errors import CxgWidgetError, DamagedStore, UnknownName
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small
from tests.unit.test_early_lassos import recorded

N = 1000
COLUMNS = ("cell_type", "n_counts", "is_doublet", "n_genes", "donor name", "CD3E", "DENSE", "var:ZERO")


@pytest.fixture(scope="module")
def frame():
    data = small(N)
    return data.obs().assign(**{name: data.vector(name).dense(N) for name in ("CD3E", "DENSE", "ZERO")})


def counted(values, index):
    """Count values by the categories or intervals of an index, as pandas and NumPy do."""
    known, has_missing = index[index.notna()], not index.notna().all()
    if isinstance(index, pd.IntervalIndex):
        finite = values[np.isfinite(values)]
        found, n_missing = np.histogram(finite, [*known.left, known.right[-1]])[0], len(values) - len(finite)
    else:
        found = values.astype(object).value_counts().reindex(known.astype(object), fill_value=0)
        n_missing = values.isna().sum()
    return [*found, *([n_missing] if has_missing else [])]


@pytest.mark.parametrize("column", COLUMNS)
def test_counts_are_those_of_pandas_and_numpy_for_every_kind_of_column(column, widget, frame):
    values = frame[column.removeprefix("var:")]
    widget.filters["n_genes"] = (500, 4000)
    widget.filters["cell_type"] = ["T cell", "B cell"]
    widget.filter("n_counts > 100")
    widget.select({"donor name": "d1"})
    counts = widget.counts(column)
    assert list(counts.columns) == ["all", "filtered", "selected"]
    assert set(counts.dtypes) == {np.dtype(np.int64)}
    assert counts["all"].tolist() == counted(values, counts.index)
    others = frame["n_counts"] > 100
    if column != "n_genes":
        others &= frame["n_genes"].between(500, 4000)
    if column != "cell_type":
        others &= frame["cell_type"].isin(["T cell", "B cell"])
    assert counts["all"].sum() == N
    assert counts["filtered"].tolist() == counted(values[others], counts.index)
    assert counts["selected"].tolist() == counted(values[frame["donor name"] == "d1"], counts.index)


def test_categories_keep_their_order_and_missing_come_last(widget, frame):
    index = widget.counts("cell_type").index
    assert index.name == "cell_type"
    assert index[:-1].tolist() == frame["cell_type"].cat.categories.tolist()
    assert pd.isna(index[-1])
    assert widget.counts("donor name").index.tolist() == sorted(frame["donor name"].unique())
    assert widget.counts("is_doublet").index.tolist() == [False, True]


NUMBERS = {
    "float32": np.array([0.1, 0.2, 0.7, np.nan, np.inf, -np.inf, 0.7], dtype=np.float32),
    "one number": np.full(5, 3.5),
    "one huge number": np.full(5, 1e300),
    "no number": np.full(5, np.nan),
    "no cell": np.empty(0),
    "widest": np.array([-1.7e308, 0, 1.7e308]),
    "narrowest": np.array([1.0, np.nextafter(1.0, 2), np.nan]),
    "subnormal": np.array([0.0, 5e-324, 1e-323]),
    "float16": np.arange(100, dtype=np.float16),
    "edges": np.linspace(0, 6.4, 65).astype(np.float32),
    "int8": np.arange(-128, 128).astype(np.int8),
    "few": np.array([3, -1, 3, 7]),
    "uint64": np.array([2**64 - 1, 0, 2**63], dtype=np.uint64),
    "int64": np.array([-(2**63), 2**63 - 1, 0]),
    "wide": np.random.default_rng(0).integers(-(10**12), 10**12, 1000),
    "many": np.random.default_rng(0).normal(size=10_000).astype(np.float32),
}


@pytest.mark.parametrize("case", NUMBERS)
def test_bins_are_equal_and_hold_what_numpy_finds_between_their_edges(case):
    values, coded = NUMBERS[case], of_numbers(NUMBERS[case])
    found = np.bincount(coded.codes, minlength=coded.n_codes)
    finite = values[np.isfinite(values)]
    assert found[-1] == values.size - finite.size
    if not finite.size:
        assert coded.n_codes == 1
    elif values.dtype.kind == "f" or coded.edges.dtype.kind == "i":
        np.testing.assert_array_equal(found[:-1], np.histogram(finite, coded.edges)[0])
    assert coded.edges.size <= 65
    if finite.size > 3:
        np.testing.assert_allclose(np.diff(coded.edges), np.diff(coded.edges)[0], rtol=1e-5)


def test_each_of_a_few_integers_has_a_bin_and_of_many_each_bin_equally_many():
    few = of_numbers(np.array([3, -1, 3, 7]))
    assert few.edges.tolist() == list(range(-1, 9))
    many = of_numbers(np.arange(1000))
    assert set(np.diff(many.edges)) == {16}
    ends = of_numbers(np.array([-(2**63), 2**63 - 1]))
    assert np.bincount(ends.codes, minlength=ends.n_codes)[[0, 63]].tolist() == [1, 1]


def test_a_column_that_is_not_there_or_damaged_is_one_of_our_errors(monkeypatch):
    widget = recorded(small(50, broken=["obs/n_genes"]), monkeypatch, color=None)
    with pytest.raises(UnknownName, match="n_count"):
        widget.counts("n_countz")
    with pytest.raises(DamagedStore):
        widget.counts("n_genes")
    with pytest.raises(CxgWidgetError):
        widget.counts(7)
    widget.close()


# What the front-end asks.


def asked(widget, columns, known=(), filters=None, rows=()):
    """Return the answer to a request, {column: (content, arrays)}, and its bytes."""
    before = len(widget.front.settle().sent)
    rules = widget.filters.rules if filters is None else filters
    widget.front.ask(kind="columns", columns=list(columns), known=list(known), filters=rules, rows=list(rows))
    sent = widget.front.sent[before:]
    found = {}
    for content, buffers in sent:
        assert content["kind"] == "column", content
        arrays = zip(content["arrays"], buffers, strict=True)
        found[content["column"]] = (
            content,
            {one["name"]: np.frombuffer(raw, one["dtype"]).reshape(one["shape"]) for one, raw in arrays},
        )
    n_bytes = sum(len(json.dumps(content)) + sum(map(len, buffers)) for content, buffers in sent)
    return found, n_bytes


def test_each_open_column_is_answered_with_what_python_counts(widget):
    widget.filters["n_genes"] = (500, 4000)
    widget.select({"donor name": "d1"})
    specs = {"obs:cell_type": "cell_type", "obs:n_genes": "n_genes", "var:CD3E": "CD3E", "obs:is_doublet": "is_doublet"}
    found, _ = asked(widget, specs)
    assert list(found) == list(specs)
    for part, (spec, name) in enumerate(specs.items()):
        content, arrays = found[spec]
        assert (content["part"], content["parts"], content["error"]) == (part, len(specs), "")
        truth = widget.counts(name)
        for kind in ("all", "filtered", "selected"):
            assert arrays[kind].tolist()[: len(truth)] == truth[kind].tolist()
            assert not arrays[kind][len(truth) :].any()
    assert found["obs:cell_type"][0]["categories"] == list(widget.counts("cell_type").index[:-1])
    assert found["obs:is_doublet"][0]["categories"] == ["False", "True"]
    intervals = widget.counts("n_genes").index
    assert found["obs:n_genes"][0]["edges"] == [*intervals.left, intervals.right[-1]]


def test_a_brush_that_is_dragged_is_counted_and_changes_nothing(widget, frame):
    before = widget.state
    for low in (100, 900, 2000):
        rules = [{"obs": "n_genes", "range": [low, None]}]
        arrays = asked(widget, ["obs:donor name", "obs:n_genes"], filters=rules)[0]["obs:donor name"][1]
        truth = frame["donor name"][frame["n_genes"] >= low].value_counts().sort_index()
        assert arrays["filtered"][:-1].tolist() == truth.tolist()
    assert widget.state == before
    assert len(widget._session.loader.crossfilter.masks) == 1


def test_categories_are_counted_against_the_largest_of_the_legend_the_others_and_the_missing(widget, frame):
    widget.filters["n_genes"] = (500, 4000)
    content, arrays = asked(widget, ["obs:donor name", "obs:n_counts"])[0]["obs:donor name"]
    passing = frame[frame["n_genes"].between(500, 4000)]
    labels = frame["cell_type"].cat.categories[content["groups"]]
    assert set(labels) == set(frame["cell_type"].cat.categories)
    truth = pd.crosstab(passing["donor name"], passing["cell_type"], dropna=False)
    np.testing.assert_array_equal(arrays["grouped"][:-1, : len(labels)], truth[labels])
    missing = passing["cell_type"].isna().groupby(passing["donor name"]).sum()
    assert arrays["grouped"][:-1, -1].tolist() == missing.tolist()
    assert arrays["grouped"].sum() == len(passing)


def test_of_many_categories_of_the_legend_the_twelve_largest_are_told_apart(monkeypatch):
    rng = np.random.default_rng(0)
    codes = np.minimum(rng.exponential(8, 3000), 39).astype(np.int8)
    obs = {"many": Codes(codes, tuple(f"t{i}" for i in range(40))), "half": rng.random(3000) < 0.5}
    data = MemoryDataset(obs, np.zeros((3000, 1), np.float32), ["g"], {"umap": rng.normal(size=(3000, 2))})
    widget = recorded(data, monkeypatch, color="many")
    content, arrays = asked(widget, ["obs:half"])[0]["obs:half"]
    sizes = np.bincount(codes, minlength=40)
    assert sorted(sizes[content["groups"]]) == sorted(sizes)[-12:]
    assert arrays["grouped"].shape == (3, 14)
    for row, value in enumerate((False, True)):
        within = np.bincount(codes[obs["half"] == value], minlength=40)
        assert arrays["grouped"][row, :12].tolist() == within[content["groups"]].tolist()
        assert arrays["grouped"][row, 12] == within.sum() - within[content["groups"]].sum()
    widget.close()


def test_opening_a_column_reads_it_once_and_nothing_else(widget):
    widget.dataset.reads.clear()
    asked(widget, [])
    assert widget.dataset.reads == []
    asked(widget, ["obs:n_counts"])
    assert widget.dataset.reads == ["obs/n_counts"]
    widget.filters["n_counts"] = (100, None)
    asked(widget, ["obs:n_counts", "var:DENSE"], known=["obs:n_counts"])
    assert widget.dataset.reads == ["obs/n_counts", "X/DENSE"]


def test_a_damaged_column_is_a_sentence_in_its_row_and_the_others_are_counted(monkeypatch):
    widget = recorded(small(50, broken=["obs/n_genes"]), monkeypatch, color=None)
    found, _ = asked(widget, ["obs:n_genes", "obs:nosuch", "obs:is_doublet"])
    assert "missing" in found["obs:n_genes"][0]["error"]
    assert "nosuch" in found["obs:nosuch"][0]["error"]
    assert found["obs:is_doublet"][1]["all"].sum() == 50
    assert [found[one][1]["all"].size for one in ("obs:n_genes", "obs:nosuch")] == [0, 0]
    widget.close()


def test_the_bytes_of_an_answer_do_not_depend_on_the_number_of_cells_and_shrink_where_columns_are_known(monkeypatch):
    sizes = {}
    for n in (1000, 30_000):
        widget = recorded(small(n), monkeypatch, color="cell_type")
        columns = ["obs:cell_type", "obs:n_genes", "var:DENSE"]
        widget.filters["n_genes"] = (500, None)
        sizes[n] = [asked(widget, columns)[1], asked(widget, columns, columns)[1]]
        widget.close()
    whole, known = np.array(list(sizes.values())).T
    assert abs(whole[0] - whole[1]) < 200
    assert known.max() < whole.min() - 1000


def of_clones(n, n_obs):
    """Return cells of as many clones, and the code of each cell."""
    codes = np.random.default_rng(1).integers(-1, n, n_obs).astype(np.int32)
    data = small(n_obs)
    data._obs["clone"] = Codes(codes, tuple(f"clone {i:05} TRA:CAVRDSNYQLIW" for i in range(n)))
    data.obs_columns["clone"] = Column("clone", "categorical", n)
    return data, codes


def test_of_65534_labels_the_first_are_told_and_all_counts_by_which_they_are_sorted(monkeypatch):
    n = 65_534
    data, codes = of_clones(n, 70_000)
    widget = recorded(data, monkeypatch, color="clone")
    found, n_bytes = asked(widget, ["obs:clone"])
    assert n_bytes < 300_000
    content, arrays = found["obs:clone"]
    expected = np.bincount(np.where(codes < 0, n, codes), minlength=n + 1)
    np.testing.assert_array_equal(arrays["all"], expected)
    rows = content["rows"]
    assert rows == list(range(128))
    np.testing.assert_array_equal(arrays["filtered"], expected[rows])
    assert content["categories"] == [data.codes("clone").categories[row] for row in rows]
    by_count = np.argsort(-expected, kind="stable")[:128].tolist()
    found, n_bytes = asked(widget, ["obs:clone"], ["obs:clone"], rows=[[*by_count, n]])
    content, arrays = found["obs:clone"]
    assert n_bytes < 20_000
    assert content["categories"] == [*(data.codes("clone").categories[row] for row in by_count), "(missing)"]
    np.testing.assert_array_equal(arrays["all"], expected[[*by_count, n]])
    widget.close()


def test_a_text_finds_the_categories_that_contain_it_whatever_the_case_as_pandas_does(monkeypatch):
    n = 3000
    data, _ = of_clones(n, 5000)
    widget = recorded(data, monkeypatch, color=None)

    def found(column, query):
        widget.front.ask(kind="find", column=column, query=query)
        content, buffers = widget.front.settle().sent[-1]
        return np.frombuffer(buffers[0], "uint32").tolist() if content["kind"] == "found" else content["message"]

    labels = pd.Series([*data.codes("clone").categories, "(missing)"])
    for query in ("clone 0012", "tra:cav", " 299 ", "MISS", "no such clone", ".", ""):
        expected = labels.index[labels.str.contains(query.strip(), case=False, regex=False)]
        assert found("obs:clone", query) == expected.tolist()
    assert found("obs:n_genes", "1") == []
    assert "no obs column" in found("obs:clonez", "1")
    widget.close()


def test_of_a_long_list_that_is_known_the_rows_asked_for_alone_are_sent_as_pandas_counts_them(monkeypatch):
    n = 2000
    data, codes = of_clones(n, 3000)
    widget = recorded(data, monkeypatch, color=None)
    widget.filters["n_genes"] = (500, None)
    rows = [7, 0, n, 1999]
    asked(widget, ["obs:clone", "obs:cell_type"])
    found, some = asked(
        widget, ["obs:clone", "obs:cell_type"], ["obs:clone", "obs:cell_type"], rows=[[*rows, n + 1], []]
    )
    content, arrays = found["obs:clone"]
    assert content["rows"] == rows
    frame = data.obs(["n_genes"]).assign(code=np.where(codes < 0, n, codes))
    expected = frame["code"][frame["n_genes"] >= 500].value_counts().reindex(rows, fill_value=0)
    assert arrays["filtered"].tolist() == expected.tolist()
    assert arrays["all"].tolist() == frame["code"].value_counts().reindex(rows, fill_value=0).tolist()
    labels = (*data.codes("clone").categories, "(missing)")
    assert content["categories"] == [labels[row] for row in rows]
    assert some < 2000
    fresh, _ = asked(widget, ["obs:clone"], rows=[rows])
    assert fresh["obs:clone"][1]["all"].size == n + 1
    assert fresh["obs:clone"][0]["rows"] == rows
    known, _ = asked(widget, ["obs:clone"], ["obs:clone"])
    assert known["obs:clone"][0]["categories"] == []
    assert known["obs:clone"][1]["filtered"].size == n + 1
    for wrong in ([[0]], [[0] * 5000, []]):
        widget.front.ask(kind="columns", columns=["obs:clone", "obs:cell_type"], known=[], filters=[], rows=wrong)
        assert "rows" in widget.front.settle().sent[-1][0]["message"]
    widget.close()


def test_what_is_compiled_ahead_serves_the_columns_that_are_opened_then(widget):
    widget._session.prepare_columns()
    loops = (count_loops.put_states, count_loops.tally, count_loops.put_category_codes, count_loops.put_float_bins)
    loops += (count_loops.count_codes, count_loops.count_on_grid)
    before = [len(loop.signatures) for loop in loops]
    widget.filters["n_genes"] = (500, None)
    widget.select({"donor name": "d1"})
    asked(widget, ["obs:cell_type", "obs:n_genes", "obs:n_counts", "obs:is_doublet", "var:CD3E", "obs:donor name"])
    for column in ("cell_type", "is_doublet", "donor name"):
        list(widget._session.answer(p.AskLabels(column)))
    list(widget._session.answer(p.AskContours("")))
    assert [len(loop.signatures) for loop in loops] == before


def test_open_columns_keep_one_byte_a_cell_and_closed_ones_none(widget):
    counter = widget._session.loader.counter
    asked(widget, ["obs:n_counts", "obs:cell_type"])
    assert 2 * N <= counter.used_bytes <= 2 * N + 2000
    asked(widget, ["obs:cell_type"])
    assert N <= counter.used_bytes <= N + 2000
    widget.counts("n_genes")
    assert counter.used_bytes <= N + 2000
    asked(widget, [])
    assert counter.used_bytes == 0
