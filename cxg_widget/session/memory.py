"""Memory that the system did not give, as one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import prod

from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.errors import CxgWidgetError, OutOfMemory
from cxg_widget.text.numbers import byte_size

FEWER = "fewer {cells}, or more memory for the kernel"


@contextmanager
def shortage_in_words(of: str, dataset: Dataset, less: str = FEWER) -> Iterator[None]:
    """Turn `MemoryError` into `OutOfMemory`.

    Parameters
    ----------
    of : the work, as "compare"
    less : what needs less memory
    """
    try:
        yield
    except MemoryError as error:
        if isinstance(error, CxgWidgetError):
            raise
        cells = dataset.obs_noun
        raise OutOfMemory(
            f"{of} of {cells.counted(dataset.n_obs)} ran out of memory: {_refused(error)}. "
            f"Less is needed with {less.format(cells=cells.many)}."
        ) from error


def _refused(error: MemoryError) -> str:
    """Return how much was refused: NumPy's errors know the array."""
    shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or dtype is None:
        return "the system gives no more"
    return f"the system refused another {byte_size(prod(shape) * dtype.itemsize)}"
