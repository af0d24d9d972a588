"""An object store that fails within a comparison: one sentence or the right answer, and the next one works."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.errors import StorageError
from tests.datasets.make_cxg import make_cxg, make_truth

pytestmark = pytest.mark.slow
PATIENT = {"connect_timeout": 10, "read_timeout": 20, "max_attempts": 1}
IMPATIENT = {"connect_timeout": 2, "read_timeout": 1, "max_attempts": 1}
FAULTS = {
    "reset": {"kind": "cut"},
    "reset once": {"kind": "cut", "times": 1},
    "500": {"kind": "500"},
    "503": {"kind": "503"},
    "503 twice": {"kind": "503", "times": 2},
    "too late": {"kind": "slow", "seconds": 3.0},
    "403": {"kind": "403"},
}
TRUTH = make_truth()
A = np.arange(len(TRUTH.obs)) % 3 == 0


def check_comparison(w):
    frame = w.compare(A).frame().loc[TRUTH.var_labels]
    x = TRUTH.X.astype(np.float64)
    expected = stats.ttest_ind(x[A], x[~A], equal_var=False, nan_policy="omit").statistic
    tested = ~np.isnan(frame["statistic"].to_numpy())
    assert tested.any()
    np.testing.assert_allclose(frame["statistic"][tested], np.ma.getdata(expected)[tested], rtol=1e-9)


# What a fault ends in is the same for every layout; how each is read is not.
CASES = [("columns", fault) for fault in FAULTS] + [("sparse", "reset"), ("dense", "500")]


@pytest.fixture(scope="module")
def uri(request, tmp_path_factory, object_store):
    path = make_cxg(tmp_path_factory.mktemp("faults") / "a.cxg", TRUTH, request.param)
    return object_store.put(path, f"compare/{request.param}")


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(("uri", "fault"), CASES, indirect=["uri"])
def test_a_fault_in_the_middle_of_a_comparison_is_a_sentence_or_nothing_and_the_next_one_works(
    uri, object_store, fault
):
    # A busy machine is no fault of the store. What never comes is waited for in vain.
    options = {**object_store.storage_options, **(IMPATIENT if fault in ("too late", "503") else PATIENT)}
    w = CxgWidget(uri, storage_options=options, color=None, render="raster")
    try:
        w.dataset.find_var(TRUTH.var_labels[0])  # names are read, the matrix is not
        sentence = ""
        with object_store.failing(at="/a", **FAULTS[fault]):
            try:
                check_comparison(w)
            except StorageError as error:
                sentence = str(error)
        assert "\n" not in sentence
        assert len(sentence) < 400
        check_comparison(w)
        w.filters["score"] = (0, None)
        score = TRUTH.obs["score"].to_numpy()
        np.testing.assert_array_equal(w.filters.mask, score >= 0)
    finally:
        w.close()
