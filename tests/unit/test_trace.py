"""Budgets of reading: through how many files of the package an action runs. They only go down."""

import json
import subprocess
import sys
from pathlib import Path

from cxg_widget.datasets.cxg.demo import write_demo
from tools.trace import ACTIONS, N_OBS

BUDGETS = {
    "color": 38, "color by a gene": 46, "the same color again": 24, "point_size": 10, "lasso": 24, "selection.obs": 16,
    "filter": 42, "brush": 28, "hover": 33, "sets.add": 44, "undo": 30, "compare": 45,
}  # fmt: skip
COUNT = """
import json, sys
from pathlib import Path
from tools.trace import traced
print(json.dumps({name: len(trace.files) for name, trace in traced(Path(sys.argv[1])).items()}))
"""
ROOT = Path(__file__).parents[2]


def test_no_action_runs_through_more_files_than_its_budget(tmp_path):
    path = write_demo(tmp_path / "demo.cxg", N_OBS, seed=0)
    # In a process of its own: threads that other tests have left would count too.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", COUNT, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    n_files = json.loads(done.stdout.splitlines()[-1])
    assert n_files.keys() == BUDGETS.keys() == ACTIONS.keys()
    assert min(n_files.values()) > 5, "nothing was counted"
    over = {name: n for name, n in n_files.items() if n > BUDGETS[name]}
    assert over == {}, "python -m tools.trace NAME lists the files of an action"
