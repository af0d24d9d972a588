"""Helpers that laws share: number of examples, markers, and messages of assertions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from numpy.typing import NDArray

from cxg_widget.datasets import Codes, Dataset
from cxg_widget.datasets.base.matrix_block import MatrixBlock
from cxg_widget.errors import InvalidValue
from cxg_widget.testing.truth import Truth

Reopen = Callable[..., Dataset]
"""Opens the store again, with options of `open_dataset`."""
_Law = TypeVar("_Law", bound=Callable[..., None])

few = settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors],
)
needs_vars = pytest.mark.usefixtures("with_vars")


def of_base(law: _Law) -> _Law:
    """Mark a law about code of `Dataset` itself, which a few layouts of a store are enough to test."""
    law.of_base = True  # type: ignore[attr-defined]
    return law


def coded(dataset: Dataset) -> list[str]:
    """Return the obs columns that have codes: all but floats."""
    return [name for name, column in dataset.obs_columns.items() if column.kind != "float"]


def labels_of(codes: Codes) -> list[Any]:
    """Return the category of each row, None if it has none."""
    return [codes.categories[code] if code >= 0 else None for code in codes.codes.tolist()]


def check_obs_block(blocks: Dataset, whole: Dataset, column: str, start: int, stop: int) -> None:
    """Assert that a block is the rows of the whole column, in the same categories."""
    kind = whole.obs_columns[column].kind
    if kind != "float":
        part, codes = blocks.codes_block(column, start, stop), whole.codes(column)
        assert part.categories == codes.categories
        np.testing.assert_array_equal(part.codes, codes.codes[start:stop], strict=True)
    if kind in ("int", "float", "boolean"):
        numbers = blocks.numbers_block(column, start, stop)
        np.testing.assert_array_equal(numbers, whole.numbers(column)[start:stop], strict=True)
    else:
        with pytest.raises(InvalidValue):
            blocks.numbers_block(column, start, stop)


def read_everything(dataset: Dataset, truth: Truth) -> dict[str, Any]:
    """Return every column, gene and embedding of a dataset, keyed by a name for assertion messages."""
    found: dict[str, Any] = {f"xy {name}": dataset.embedding(name) for name in truth.embeddings}
    for name, column in dataset.obs_columns.items():
        if column.kind != "float":
            found[f"codes {name}"] = dataset.codes(name)
        if column.kind in ("int", "float", "boolean"):
            found[f"numbers {name}"] = dataset.numbers(name)
    return found | {f"gene {name}": dataset.values(name) for name in truth.var_labels}


def written_out(blocks: list[MatrixBlock], length: int) -> NDArray[np.float32]:
    """Return the lines of blocks, one after the other, using only the documented fields of `MatrixBlock`."""
    found = [np.empty((0, length), dtype=np.float32)]
    for block in blocks:
        lines = np.zeros((len(block.starts) - 1, length), dtype=np.float32)
        lines[:] = 0 if block.fill is None else block.fill
        for line, (first, last) in enumerate(pairwise(block.starts.tolist())):
            assert len(set(block.positions[first:last].tolist())) == last - first
            lines[line, block.positions[first:last]] = block.values[first:last]
        if block.lines is not None:
            np.testing.assert_array_equal(block.lines, lines, strict=True)
        found.append(lines)
    return np.concatenate(found)
