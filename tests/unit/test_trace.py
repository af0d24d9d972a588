"""Budgets of reading: through how many files of the package an action runs. They only go down."""

from cxg_widget.datasets.cxg.demo import write_demo
from tools.trace import ACTIONS, N_OBS, traced

BUDGETS = {
    "color": 58, "color by a gene": 62, "the same color again": 29, "point_size": 12, "lasso": 29, "selection.obs": 21,
    "filter": 52, "brush": 40, "hover": 39, "sets.add": 58, "undo": 34, "compare": 82,
}  # fmt: skip


def test_no_action_runs_through_more_files_than_its_budget(tmp_path):
    traces = traced(write_demo(tmp_path / "demo.cxg", N_OBS, seed=0))
    n_files = {name: len(trace.files) for name, trace in traces.items()}
    assert n_files.keys() == BUDGETS.keys() == ACTIONS.keys()
    assert min(n_files.values()) > 5, "nothing was counted"
    over = {name: n for name, n in n_files.items() if n > BUDGETS[name]}
    assert over == {}, "python -m tools.trace NAME lists the files of an action"
