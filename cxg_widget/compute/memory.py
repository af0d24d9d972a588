"""Turns `MemoryError` into a sentence, for some work or for methods that an object delegates to its parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from math import prod
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from cxg_widget.errors import OutOfMemory
from cxg_widget.text.nouns import Noun
from cxg_widget.text.numbers import byte_size

FEWER = "fewer {cells}, or more memory for the kernel"


def available_bytes() -> int | None:
    """Return the memory that the system, or the container, can still give; None if neither says, as outside Linux."""
    found = []
    with suppress(OSError, ValueError, StopIteration, IndexError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(int(next(line for line in lines if line.startswith("MemAvailable")).split()[1]) * 2**10)
    # In a container without a limit the first file holds "max", which is no number.
    with suppress(OSError, ValueError):
        limit, used = (int(Path("/sys/fs/cgroup", f"memory.{name}").read_text()) for name in ("max", "current"))
        found.append(max(limit - used, 0))
    return min(found, default=None)


@contextmanager
def shortage_in_words(work: str, noun: Noun, n: int, less: str = FEWER) -> Iterator[None]:
    """Turn `MemoryError` into `OutOfMemory`; of nested work the outermost is named, which the user called.

    work : the operation, such as "compare"
    noun, n : what it works on, and how many
    less : parameters that need less memory; "{cells}" is replaced by the noun
    """
    try:
        yield
    except MemoryError as error:
        refused = _original(error)
        raise OutOfMemory(
            f"{work} of {noun.counted(n)} ran out of memory: {_size(refused)}. "
            f"Less is needed with {less.format(cells=noun.many)}."
        ) from refused


def _original(error: MemoryError) -> MemoryError:
    cause = error.__cause__
    return cause if isinstance(error, OutOfMemory) and isinstance(cause, MemoryError) else error


def _size(error: MemoryError) -> str:
    """Return the refused size in words; NumPy's errors know the array."""
    shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)
    if shape is None or dtype is None:
        return "the system gives no more"
    return f"the system refused another {byte_size(prod(shape) * dtype.itemsize)}"


_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")


def delegate(
    part: str, method: Callable[Concatenate[Any, _Given], _Returned]
) -> Callable[Concatenate[Any, _Given], _Returned]:
    """Return a method that delegates to the attribute `part`, with the signature and docstring of the part's method.

    It raises `OutOfMemory` if memory runs out.
    """
    name = method.__name__

    @wraps(method)
    def ask(self: Any, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Returned:
        with shortage_in_words("reading", self.obs_noun, self.n_obs):
            found: _Returned = getattr(getattr(self, part), name)(*args, **kwargs)
        return found

    return ask
