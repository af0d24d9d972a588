"""Experiments that the installed tiledbsoma writes hold what it was given, and what it reads of them itself."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from cxg_widget.datasets import open_dataset
from tests.datasets.read_soma import arrays

pytestmark = pytest.mark.skipif(find_spec("tiledbsoma") is None, reason="tiledbsoma is not installed")

# In a process of its own: it brings its own copy of TileDB.
READ = """
import json, sys
import tiledbsoma
with tiledbsoma.open(sys.argv[1]) as made:
    obs = made.obs.read(column_names=["soma_joinid", "cell_type", "int32"]).concat().to_pandas()
    x = made.ms["census"].X["raw"].read().tables().concat().to_pandas()
print(json.dumps({"obs": obs.astype(str).values.tolist(), "total": float(x["soma_data"].sum()), "n": len(x)}))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("peer")
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-m", "tests.datasets.write_soma", str(folder)], check=True, cwd=root)
    return folder


def test_what_tiledbsoma_writes_today_is_what_it_was_given(folder):
    truth = arrays(folder / "truth.npz")
    with open_dataset(folder / "gaps.soma") as dataset:
        for position in range(9):
            np.testing.assert_array_equal(dataset.values(f"GENE{position}"), truth["gaps/X"][:, position])
        np.testing.assert_array_equal(dataset.embedding("umap"), truth["gaps/umap"])
        assert dataset.obs(["soma_joinid"])["soma_joinid"].tolist() == truth["gaps/obs/soma_joinid"].tolist()
        np.testing.assert_array_equal(dataset.codes("level").codes, truth["gaps/obs/level"])


def test_tiledbsoma_reads_the_same(folder):
    done = subprocess.run(
        [sys.executable, "-c", READ, str(folder / "gaps.soma")], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    with open_dataset(folder / "gaps.soma") as dataset:
        obs = dataset.obs(["soma_joinid", "cell_type", "int32"])
        assert obs.astype(str).values.tolist() == found["obs"]
        vectors = list(dataset.vectors(list(dataset.var_labels)))
        assert sum(len(one.values) for one in vectors) == found["n"]
        assert sum(float(one.values.sum()) for one in vectors) == found["total"]
