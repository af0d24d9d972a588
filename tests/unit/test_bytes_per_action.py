"""Budgets of bytes for each kind of change, as a session sends it, without a page."""

import subprocess
import sys

import numpy as np
import pytest

from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import small

N_OBS = 200_000
LEGEND_BYTES = 6_000


@pytest.fixture(scope="module")
def data():
    made = small(N_OBS)
    rng = np.random.default_rng(0)
    made._obs["many"] = Codes(rng.integers(0, 1101, N_OBS).astype(np.int16), tuple(f"c{i}" for i in range(1101)))
    made.obs_columns = {**made.obs_columns, "many": type(made.obs_columns["cell_type"])("many", "categorical", 1101)}
    return made


def sent(stream):
    """Return the bytes of all buffers, and the largest of one."""
    sizes = [sum(len(buffer) for buffer in frame.pack()[1]) for frame in stream]
    return sum(sizes), max(sizes)


@pytest.mark.parametrize(
    ("color", "bytes_per_cell"),
    [
        ("cell_type", 1),
        ("is_doublet", 1),
        ("donor name", 1),
        ("many", 2),
        ("n_counts", 2),
        ("n_genes", 2),
        ("DENSE", 2),
    ],
)
def test_a_color_costs_one_or_two_bytes_per_cell(data, color, bytes_per_cell):
    total, largest = sent(Session(data, Settings(embedding="umap", color=color)).streams.color())
    assert bytes_per_cell * N_OBS <= total <= bytes_per_cell * N_OBS + LEGEND_BYTES
    assert largest <= 1 << 20


def test_a_sparse_gene_costs_four_bytes_per_cell_that_expresses_it(data):
    n_expressing = int(np.count_nonzero(data.values("CD3E")))
    total, _ = sent(Session(data, Settings(embedding="umap", color="CD3E")).streams.color())
    assert 4 * n_expressing <= total <= 4 * n_expressing + LEGEND_BYTES


def test_an_embedding_costs_four_bytes_per_cell_and_starts_with_a_small_chunk(data):
    frames = list(Session(data, Settings(embedding="umap")).streams.points())
    total, largest = sent(frames)
    assert total == 4 * N_OBS
    assert largest <= 1 << 20
    assert frames[0].message.stop <= 65_536


def test_no_color_costs_a_legend(data):
    assert sent(Session(data, Settings(embedding="umap")).streams.color())[0] == 0


def test_a_selection_costs_one_bit_per_cell(data):
    one = Session(data, Settings(embedding="umap"))
    everything = [-1e3, -1e3, 1e3, -1e3, 1e3, 1e3, -1e3, 1e3]
    assert sent(one.answer(p.Lasso(everything, "replace")))[0] == N_OBS // 8


def test_a_palette_costs_no_bytes_per_cell(data):
    one = Session(data, Settings(embedding="umap", color="many"))
    list(one.streams.color())
    assert sent(one.streams.recolor())[0] == 0


def test_opening_a_widget_imports_neither_the_compiler_nor_the_drawing_libraries(tmp_path):
    path = write_demo(tmp_path / "demo.cxg", 300)
    script = (
        f"import sys; from cxg_widget import CxgWidget; CxgWidget({str(path)!r}); "
        "print(sorted({'numba', 'datashader', 'matplotlib', 'scipy', 'xarray', 'distributed'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
