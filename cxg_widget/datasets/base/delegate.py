"""Methods that an object delegates to its parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from cxg_widget.compute.memory import shortage_in_words

_Given = ParamSpec("_Given")
_Returned = TypeVar("_Returned")


def delegate(
    part: str, method: Callable[Concatenate[Any, _Given], _Returned]
) -> Callable[Concatenate[Any, _Given], _Returned]:
    """Return a method that asks the part in the attribute `part`; its signature and words are those of the part's.

    Where memory runs out it raises `OutOfMemory`.
    """
    name = method.__name__

    @wraps(method)
    def ask(self: Any, /, *args: _Given.args, **kwargs: _Given.kwargs) -> _Returned:
        with shortage_in_words("reading", self.obs_noun, self.n_obs):
            found: _Returned = getattr(getattr(self, part), name)(*args, **kwargs)
        return found

    return ask
