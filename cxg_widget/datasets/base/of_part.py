"""Methods that an object has from its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")


def of_part(
    part: str, method: Callable[Concatenate[Any, _Given], _Returned]
) -> Callable[Concatenate[Any, _Given], _Returned]:
    """Return a method that asks the part in the attribute `part`; its signature and words are those of the part's."""
    name = method.__name__

    @wraps(method)
    def ask(self: Any, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Returned:
        found: _Returned = getattr(getattr(self, part), name)(*args, **kwargs)
        return found

    return ask
