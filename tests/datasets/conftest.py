"""Fixtures of the dataset tests: the real stores beside the repository, and generated ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

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


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("originals")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Unpack the SpatialData of `write_spatialdata_turned.py`, with what spatialdata finds there beside it."""
    folder = tmp_path_factory.mktemp("turned")
    with ZipFile(Path(__file__).parent / "written" / "spatialdata_turned.zip") as archive:
        archive.extractall(folder)
    return folder / "sample.zarr"


@pytest.fixture
def make(tmp_path: Path, small_truth: Truth, originals: Path) -> Callable[..., Path]:
    """Write the small store with options of `make_cxg`, or copy it where it was written before; return where."""

    def write(*args: str, **options: object) -> Path:
        if options:
            return make_cxg(tmp_path / "small.cxg", small_truth, *args, **options)
        original = originals / "-".join([*args, "small.cxg"])
        if not original.exists():
            make_cxg(original, small_truth, *args)
        return Path(shutil.copytree(original, tmp_path / "small.cxg"))

    return write


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for storage far away no longer than the time-outs that it is given."""
    from cxg_widget.datasets.tiledb_access import contexts, timeouts

    monkeypatch.setattr(contexts, "_SLACK_S", 0.0)
    monkeypatch.setattr(timeouts, "_LOOK_S", 0.2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ask a law of what all stores share of the first and the last layout of each kind of store."""
    layouts: dict[tuple[str, str], list[pytest.Item]] = {}
    for item in items:
        if getattr(item.function, "of_base", False) and hasattr(item, "callspec"):
            layouts.setdefault((item.parent.nodeid, item.originalname), []).append(item)
    left_out = set()
    for of_one in layouts.values():
        left_out |= {id(item) for item in of_one[1:-1]}
    items[:] = [item for item in items if id(item) not in left_out]
