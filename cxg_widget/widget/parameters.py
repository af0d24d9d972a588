"""Decorators of public methods: parameters as scanpy names them are refused; a method has those of another."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper, wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from cxg_widget.errors import InvalidOption
from cxg_widget.text.names import shown

P = ParamSpec("P")
R = TypeVar("R")


def scanpy_names(**own: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a method so that it names its own parameter where it is given that of scanpy.

    own : scanpy's name to ours
    """

    def decorate(method: Callable[P, R]) -> Callable[P, R]:
        name = method.__name__

        @wraps(method)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            found = [theirs for theirs in kwargs if theirs in own]
            if found:
                works = ", ".join(f"{own[theirs]}={shown(kwargs[theirs])}" for theirs in found)
                raise InvalidOption(f"{name}() takes {works}; found {', '.join(f'{theirs}=' for theirs in found)}")
            return method(*args, **kwargs)

        return checked

    return decorate


def like(model: Callable[P, R]) -> Callable[[Callable[..., R]], Callable[P, R]]:
    """Decorate a method so that it takes what another takes, and is given all of it by name."""
    parameters = signature(model)

    def decorate(method: Callable[..., R]) -> Callable[P, R]:
        @wraps(method)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                given = parameters.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{method.__name__}() {error}") from None
            given.apply_defaults()
            return method(**given.arguments)

        # `inspect.signature` follows what is wrapped last.
        return update_wrapper(called, model, assigned=())

    return decorate
