"""Copies of settings and rules for who may change them: what a widget holds is changed by setting it alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cxg_widget.rules.packed_rows import PackedRows


def own_copy(value: Any, *, packs: bool = True) -> Any:
    """Return a value whose lists and dicts, at any depth, are new and plain; all else in it is the same.

    packs : whether packed rows become text, which takes n/6 bytes; else they stay what they are, which nobody changes
    """
    if isinstance(value, PackedRows) and not packs:
        return value
    if isinstance(value, Mapping):
        return {name: own_copy(one, packs=packs) for name, one in value.items()}
    if isinstance(value, list):
        return [own_copy(one, packs=packs) for one in value]
    return tuple(own_copy(one, packs=packs) for one in value) if type(value) is tuple else value
