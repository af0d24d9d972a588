"""Fixtures of the dataset tests: the real stores beside the repository, and generated ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cxg_widget.datasets import open_dataset
from tests.datasets.make_cxg import Truth, make_cxg, make_truth

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data"


@pytest.fixture(scope="session")
def real_data() -> Path:
    if not REAL.is_dir():
        pytest.skip("the real stores (../shared/data) are not on this machine")
    return REAL


@pytest.fixture(scope="session")
def small_truth() -> Truth:
    return make_truth()


@pytest.fixture
def make(tmp_path: Path, small_truth: Truth) -> Callable[..., Path]:
    """Write the small store with options of `make_cxg`, and return where."""

    def write(*args: str, **options: object) -> Path:
        return make_cxg(tmp_path / "small.cxg", small_truth, *args, **options)

    return write


# --- what the contract asks for, of a module's fixture `store`: a path and what was written there ---------------------


@pytest.fixture(scope="module")
def truth(store):
    return store[1]


@pytest.fixture(scope="module")
def reopen(store):
    return lambda **options: open_dataset(store[0], **options)


@pytest.fixture(scope="module")
def dataset(reopen):
    with reopen() as dataset:
        yield dataset
