"""Genes of sets on Dask: what workers add up is what one process finds, and the matrix stays where it is read."""

import pickle
import re
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.cells.cluster import matrix_statistics as cluster
from cxg_widget.compare.question import Question, compare
from cxg_widget.errors import Cancelled, CxgWidgetError, InvalidOption
from cxg_widget.study.sums import Groups, KeptSums
from cxg_widget.wire import protocol as p
from tests.cluster.conftest import N_OBS
from tests.datasets.make_cxg import make_cxg

A = np.random.default_rng(1).random(N_OBS) < 0.3
B = ~A & (np.random.default_rng(2).random(N_OBS) < 0.6)
BY_DONOR = {"method": "pseudobulk", "by": "donor"}


@pytest.fixture(scope="module")
def counted(tmp_path_factory, truth) -> str:
    """A store of counts, whose donors are not in the order of the rows, one of them rare."""
    rng = np.random.default_rng(5)
    own = truth.obs.assign(donor=[f"d{at} ü" for at in rng.choice(6, N_OBS, p=[0.24, 0.25, 0.25, 0.2, 0.057, 0.003])])
    x = np.rint(truth.X * (1 + own["donor"].str[1].astype(int).to_numpy()[:, None] / 4)).astype(np.float32)
    some = replace(truth, X=x, obs=own)
    return str(make_cxg(tmp_path_factory.mktemp("counted") / "c.cxg", some, "sparse"))


@pytest.fixture(scope="module")
def shifted(tmp_path_factory, truth) -> str:
    shift = np.linspace(-1, 2, truth.X.shape[1]).astype(np.float32)
    return str(make_cxg(tmp_path_factory.mktemp("shifted") / "s.cxg", truth, "sparse", shift=shift))


@pytest.fixture(scope="module")
def pairs(client, store, counted, shifted):
    """Widgets of each store, one alone and one on the cluster, in tasks of a few rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "ROWS_PER_TASK", 400)
        options = {"render": "raster"}, {"dask": client}
        stores = {"logs": store, "counts": counted, "shifted": shifted}
        made = {name: [CxgWidget(uri, color=None, **more) for more in options] for name, uri in stores.items()}
        for pair in made.values():
            for widget in pair:
                widget.annotations.new("mine").assign("one", A)
                widget.dataset.read_names()
        yield made
        for pair in made.values():
            for widget in pair:
                widget.close()


CASES = {
    "logs, the rest": lambda w: w.compare(A),
    "logs, by linear means, of three genes": lambda w: w.compare(A, B, fold="pseudocount", genes=["GENE1", "GENE5"]),
    "logs, Explorer": lambda w: w.compare(A, B, method="explorer"),
    "logs, a column": lambda w: w.markers(by="cell_type"),
    "logs, a column against a value": lambda w: w.markers(by="cell_type", reference="B cell"),
    "logs, labels of a user": lambda w: w.markers(by="mine", genes=["GENE2"]),
    "logs, what lies around": lambda w: w.markers(A & (np.arange(N_OBS) < 400), against="neighborhood"),
    "shifted": lambda w: w.compare(A, B),
    "counts": lambda w: w.compare(A, B, normalize="log1p_10k", fold="pseudocount"),
    "counts, a column": lambda w: w.markers(by="donor", normalize="log1p_10k"),
    "counts by donor": lambda w: w.compare(A, B, **BY_DONOR),
    "counts by donor, in three genes": lambda w: w.compare(B, **BY_DONOR, genes=["GENE0", "GENE5"]),
    "logs, sums of what are no counts": lambda w: w.compare(A, B, **BY_DONOR, min_donors=2),
    "logs, too few donors": lambda w: w.compare(A, B, **BY_DONOR, min_cells=300),
    "logs, by numbers": lambda w: w.markers(by="score"),
    "logs, the rest within a mask": lambda w: w.compare(A, within=B | (np.arange(N_OBS) % 2 == 0)),
    "logs, a column within a mask": lambda w: w.markers(by="cell_type", within=B),
    "counts by donor within a mask": lambda w: w.compare(A, **BY_DONOR, within=A | B),
    "logs, what lies around within a mask": lambda w: w.markers(
        A & (np.arange(N_OBS) < 400), against="neighborhood", within=A | B
    ),
    "logs, no such gene": lambda w: w.compare(A, genes=["GENE1", "none"]),
    "logs, normalized": lambda w: w.compare(A, normalize="log1p_10k"),
}


def told(call, widget):
    """Return a comparison, or the error, as what can be compared, and tables of numbers."""
    try:
        found = call(widget)
    except CxgWidgetError as error:
        return (type(error), str(error)), []
    tables = [found.frame(), *(getattr(found, name) for name in ("donors", "sums") if hasattr(found, name))]
    return (found.description, found.notes), tables


@pytest.mark.parametrize("case", CASES)
def test_sums_of_workers_equal_those_of_one_process_which_reads_nothing_of_the_matrix(pairs, case):
    alone, shared = pairs[case.split(",")[0].split()[0]]
    before = shared.dataset.traffic
    (said, tables), (said_alone, tables_alone) = told(CASES[case], shared), told(CASES[case], alone)
    assert said == said_alone
    assert len(tables) == len(tables_alone)
    for one, other in zip(tables, tables_alone, strict=True):
        pd.testing.assert_frame_equal(one, other, rtol=1e-9, atol=0)
    assert shared.dataset.traffic == before


def test_welch_on_workers_is_that_of_scipy(pairs, truth):
    x = truth.X.astype(np.float64)
    by_scipy = stats.ttest_ind(x[A], x[B], equal_var=False, nan_policy="omit")
    frame = pairs["logs"][1].compare(A, B).frame().loc[truth.var_labels]
    tested = ~np.isnan(frame["statistic"].to_numpy())
    assert tested.sum() == x.shape[1] - 1  # one gene is nowhere
    np.testing.assert_allclose(frame["statistic"][tested], np.ma.getdata(by_scipy.statistic)[tested], rtol=1e-9)
    np.testing.assert_allclose(frame["p"][tested], np.ma.getdata(by_scipy.pvalue)[tested], rtol=1e-6)


def test_sums_of_groups_and_of_a_lasso_on_workers_are_those_of_numpy_and_none_of_the_matrix_is_read_here(pairs):
    alone, shared = pairs["counts"]
    x, question = alone.dataset.gather().dense(alone.dataset.n_var), Question("pseudobulk")
    donors, types = (alone.dataset.codes(name) for name in ("donor", "cell_type"))
    groups = Groups.of(donors.codes.astype(np.int32), types.codes, len(donors.categories), len(types.categories))
    before, matrix = shared.dataset.traffic, shared._session.held.matrix(lambda _, __: None, lambda: False)
    kept = KeptSums.make(matrix, groups, question)
    known = None
    for mask in (None, A, A & (np.arange(N_OBS) < 500), np.zeros(N_OBS, dtype=bool)):
        known = kept.of(mask, matrix, question, known)
        wanted = np.zeros((len(groups), x.shape[1]))
        rows = np.flatnonzero((groups.codes >= 0) & (True if mask is None else mask))
        np.add.at(wanted, groups.codes[rows], np.nan_to_num(x[rows]))
        np.testing.assert_array_equal(known.of(np.arange(len(groups))), wanted)
    assert shared.dataset.traffic == before


@pytest.mark.parametrize("name", ["logs", "counts", "shifted"])
def test_quick_markers_of_workers_are_those_of_one_process_and_none_of_the_matrix_is_read_here(
    pairs, monkeypatch, tmp_path, name
):
    alone, shared = pairs[name]
    x0, x1, y0, y1 = alone._session.held.bounds().extent
    middle = (x0 + x1) / 2
    half = p.AskQuick([x0, y0, middle, y0, middle, y1, x0, y1])
    found = []
    for widget in (alone, shared):
        # A cache of its own for each, so that both make their sketches.
        monkeypatch.setenv("CXG_WIDGET_CACHE_DIR", str(tmp_path / ("alone" if widget is alone else "shared")))
        if widget is shared:
            for read in ("rows_of", "columns_of"):
                monkeypatch.setattr(widget.dataset, read, None)
        by_mask = widget.quick_markers(A)
        (drawn,) = widget._session.quick.frames(half)
        widget.select(A)
        (selected,) = widget._session.quick.frames(p.AskQuick([], is_released=True))
        by_column = widget.quick_markers({"cell_type": ["B cell"]})
        widget.clear_selection()
        found.append((by_mask, drawn.message.names, drawn.arrays["values"], selected.message.names, by_column))
    (mask, names, values, picked, column), (mask_of, names_of, values_of, picked_of, column_of) = found
    pd.testing.assert_frame_equal(mask, mask_of, rtol=1e-5)
    pd.testing.assert_frame_equal(column, column_of, rtol=1e-5)
    assert (names, picked) == (names_of, picked_of)
    np.testing.assert_allclose(values, values_of, rtol=1e-5)
    assert mask["exact"].all()
    assert column["exact"].all()


@pytest.mark.parametrize("ask", [lambda w, m: w.compare(A, method=m), lambda w, m: w.markers(by="cell_type", method=m)])
def test_ranks_on_workers_are_refused_and_the_error_names_methods_that_work(pairs, ask):
    with pytest.raises(InvalidOption, match=re.escape("method='t-test' adds up there, and a widget without dask=")):
        ask(pairs["logs"][1], "wilcoxon")


def test_the_page_is_refused_ranks_in_one_sentence_and_gets_the_welch_table_of_python(pairs):
    shared = pairs["logs"][1]
    shared.select(A)
    asked = p.Compare("selection", "rest", "wilcoxon", normalize=True)
    with pytest.raises(InvalidOption, match="method='t-test' adds up there"):
        list(shared._session.answer(asked))
    (frame,) = shared._session.answer(replace(asked, method="t-test"))
    pairs["logs"][0].select(A)
    (alone,) = pairs["logs"][0]._session.answer(replace(asked, method="t-test"))
    np.testing.assert_allclose(frame.arrays["values"], alone.arrays["values"], rtol=1e-5)


def test_two_bits_a_cell_go_out_one_result_comes_back_and_a_bar_moves(pairs, monkeypatch):
    shared, told, sent, found = pairs["logs"][1], [], [], []
    parts, matrix = shared._session.held.indexed()._parts, shared._session.comparisons.matrix()
    submit, result = parts._client.submit, parts.waiting.result

    def weighed(task, /, *args, **same):
        sent.append((len(pickle.dumps((args[1:], same))), same["key"]))
        return submit(task, *args, **same)

    def received(*args):
        found.append(result(*args))
        return found[-1]

    matrix.tell = lambda done, what: told.append((done, what))
    with monkeypatch.context() as patch:
        patch.setattr(parts._client, "submit", weighed)
        patch.setattr(parts.waiting, "result", received)
        assert len(compare(matrix, A, B, Question())) == 6
    n_bytes = [n for n, key in sent if key.startswith("cxg-compare")]
    assert len(n_bytes) == 8  # two partitions of 1,500 rows, 400 at a time
    assert sum(n_bytes) < 2 * N_OBS / 8 + 2000 * len(n_bytes)
    assert max(len(pickle.dumps(one)) for one in found) < 6 * 2 * 5 * 8 + 2000
    assert told[-1] == (1, "")
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert {what.partition(" of ")[2] for _, what in told[:-1]} == {"8"}


def test_a_comparison_that_is_given_up_ends_on_the_workers_too(pairs, client):
    shared, asked = pairs["logs"][1], []
    matrix = shared._session.comparisons.matrix()
    matrix._cancelled = lambda: len(asked) > 0 or asked.append(1)
    with pytest.raises(Cancelled, match="was cancelled"):
        compare(matrix, A, B, Question())

    def left(dask_scheduler):
        return [key for key in dask_scheduler.tasks if key.startswith(("cxg-compare", "cxg-merge"))]

    for _ in range(200):
        if not (found := client.run_on_scheduler(left)):
            break
        time.sleep(0.02)
    assert not found


@pytest.mark.parametrize("kind", ["counts", "logs"])
def test_a_study_is_that_of_one_process(pairs, kind):
    """Sums of counts and of other values, with a lasso that corrects them; shares and expression, with their tests."""
    found = []
    for w in pairs[kind]:
        study = w.study(sample="donor", condition="cell_type")
        parts = [study.differences(within=mask, min_cells=1) for mask in (None, A)]
        parts += [study.composition("mine", within=B | A), study.expression(["GENE0", "GENE5"], within=A)]
        tables = [one.frame() for one in parts] + [one.test() for one in parts[2:]]
        found.append((tables, [(one.title, one.notes) for one in parts]))
        w.study_design = None
    for alone, spread in zip(found[0][0], found[1][0], strict=True):
        pd.testing.assert_frame_equal(alone, spread)
    assert found[0][1] == found[1][1]
    assert found[0][0][1]["n_tested"].max() > 0
    assert ("mean of X per sample" in found[0][1][0][0]) == (kind != "counts")
