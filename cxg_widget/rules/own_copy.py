"""Copies of settings and rules for who may change them: what a widget holds is changed by setting it alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def own_copy(value: Any) -> Any:
    """Return a value whose lists and dicts, at any depth, are new and plain; all else in it is the same."""
    if isinstance(value, Mapping):
        return {name: own_copy(one) for name, one in value.items()}
    if isinstance(value, list):
        return [own_copy(one) for one in value]
    return tuple(map(own_copy, value)) if type(value) is tuple else value
