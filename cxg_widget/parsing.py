"""Requests of the front-end read from JSON: every field there, of its type, and none that is not known."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from cxg_widget.errors import ProtocolError
from cxg_widget.protocol import REQUESTS, Message

_BY_KIND = {cls.kind: cls for cls in REQUESTS}


def parse(content: object) -> tuple[int, Message]:
    """Read a request of the front-end.

    Returns
    -------
    id and the message

    Raises
    ------
    ProtocolError
        If the object has no known kind, lacks a field, has one too many, or one of the wrong type.
    """
    if not isinstance(content, Mapping):
        raise ProtocolError(f"a message must be a JSON object; found {type(content).__name__}")
    kind = content.get("kind")
    cls = _BY_KIND.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise ProtocolError(f"no request of kind {kind!r}; there are {', '.join(_BY_KIND)}")
    request_id = content.get("id")
    if not isinstance(request_id, int) or isinstance(request_id, bool) or request_id < 0:
        raise ProtocolError(f"a request needs an id, a whole number from 0; found {request_id!r}")
    given = {key: value for key, value in content.items() if key not in ("kind", "id", "arrays")}
    return request_id, _build(cls, given)


def _build(cls: type[Message], given: Mapping[str, Any]) -> Message:
    hints = get_type_hints(cls)
    known = {one.name: one for one in fields(cls)}
    for name in given:
        if name not in known:
            raise ProtocolError(f"request {cls.kind!r} has no field {name!r}; its fields are {', '.join(known)}")
    for name, one in known.items():
        if name not in given and one.default is MISSING and one.default_factory is MISSING:
            raise ProtocolError(f"request {cls.kind!r} lacks the field {name!r}")
        if name in given and not _fits(given[name], hints[name]):
            raise ProtocolError(f"field {name!r} of request {cls.kind!r} does not fit: {given[name]!r}")
    return cls(**given)


_SCALARS: dict[object, Callable[[Any], bool]] = {
    bool: lambda value: isinstance(value, bool),
    int: lambda value: isinstance(value, int) and not isinstance(value, bool),
    float: lambda value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    str: lambda value: isinstance(value, str),
}


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is list:
        (item,) = get_args(hint)
        return isinstance(value, list) and all(_fits(one, item) for one in value)
    check = _SCALARS.get(hint)
    return check is not None and check(value)
