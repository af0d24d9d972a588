"""What the benchmarks of the stores are made of; nothing here is timed."""

from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks.stores import cells, conversion, kinds, measure, report, run
from benchmarks.stores.contender import Ours
from cxg_widget import open_dataset

N_OBS = 400
OF_CELLS = [kind for kind in kinds.KINDS if kind.request is cells.request and kind.ours is Ours]


def names(found):
    return [kind.name for kind in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("stores")


def made(kind, folder):
    path = folder / kind.name
    if not path.exists():
        kind.write(path, N_OBS)
    return path


@pytest.mark.parametrize("kind", kinds.KINDS, ids=names(kinds.KINDS))
def test_the_floor_and_ours_find_the_same_values(kind, folder):
    path = made(kind, folder)
    request = kind.request()
    ours, floor = (measure.measure(one(path), request.genes, request.column) for one in (kind.ours, kind.floor[1]))
    measure._check_same(kind, {"cxg-widget": ours["answers"], "floor": floor["answers"]})
    assert {"open, ms", "codes, ms", "column as DataFrame, ms"} <= floor["measures"].keys() <= ours["measures"].keys()


@pytest.mark.parametrize("kind", OF_CELLS, ids=names(OF_CELLS))
def test_the_stores_hold_the_counts_that_were_drawn(kind, folder):
    truth = cells.make_cells(N_OBS)
    with open_dataset(made(kind, folder)) as dataset:
        assert (dataset.n_obs, dataset.n_var) == truth.X.shape
        for name in cells.request().genes:
            column = truth.X[:, [truth.var_labels.index(name)]].toarray().ravel()
            assert column.any()
            np.testing.assert_array_equal(dataset.values(name), column)


def test_a_contender_whose_library_is_missing_is_left_out_by_name(folder, monkeypatch):
    class Absent(Ours):
        libraries = ("no_such_library",)

    kind = kinds.Kind("some", "some", lambda *_: None, cells.request, ("floor", Ours), {"absent": Absent}, "A note.")
    told = {"measures": {"open, ms": 1.0}, "answers": {"gene": [1, 2.0]}}
    monkeypatch.setattr(measure, "_in_process", lambda *_: told)
    found = measure.measure_all(kind, folder)
    assert found["measures"].keys() == {"cxg-widget", "floor"}
    assert found["left_out"] == ["absent is left out: no_such_library not installed.", "A note."]


def test_contenders_that_find_something_else_end_the_run(folder, monkeypatch):
    kind = kinds.Kind("some", "some", lambda *_: None, cells.request, ("floor", Ours))
    monkeypatch.setattr(
        measure, "_in_process", lambda _, name, __: {"measures": {}, "answers": {"gene": [name == "floor", 2.0]}}
    )
    with pytest.raises(AssertionError, match="some: gene is"):
        measure.measure_all(kind, folder)


@pytest.mark.skipif(find_spec("h5py") is None, reason="the source is an .h5ad")
def test_both_ways_of_converting_carry_the_same_values(folder):
    source = made(kinds.BY_NAME[run.SOURCE], folder)
    X = cells.make_cells(N_OBS).X
    for name, convert in conversion.CONTENDERS.items():
        there, back = folder / f"{name}.cxg", folder / f"{name}.h5ad"
        for origin, target in ((source, there), (folder / "cxg-widget.cxg", back)):
            assert convert(origin, target) == X.nnz
        assert np.array_equal(sorted(stored_values(back)), np.sort(X.data))


def stored_values(path):
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        return file["X/data"][:]


def test_the_report_names_sizes_stores_contenders_and_missing_ones():
    facts = {"date": "today", "machine": "a machine", "Python": "3", "packages": "h5py 3", "load before": "0.1"}
    reading = {"cxg-widget": {"open, ms": [1.0]}, "h5py": {"open, ms": [2.0]}, "anndata, backed": {"open, ms": [9.0]}}
    converting = {"cxg-widget": {"s": [30.0]}, report.FLOOR: {"s": [20.0]}}
    text = report.write(
        {
            "1m": {
                "n_obs": 1_000_000,
                "kinds": {"csc.h5ad": {"facts": facts, "measures": reading, "left_out": ["x is left out."]}},
                "conversions": {"h5ad to CXG": {"facts": facts, "measures": converting}},
            }
        }
    )
    assert "## 1,000,000 observations (1m)" in text
    assert "- x is left out." in text
    assert "| open, ms | 1.0 | 2.0 | 0.50 | 9.0 | 9.00 |" in text
    assert "| time, s | 30.0 | 20.0 | 1.50 |" in text
