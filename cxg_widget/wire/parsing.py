"""Parses and validates requests of the front-end: all fields, their types and bounds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from cxg_widget.errors import ProtocolError
from cxg_widget.text.names import shown
from cxg_widget.wire.protocol import REQUESTS, VERSION, Message, OfPanel

_METHODS = ("update", "request_state", "custom")
_BY_KIND = {cls.kind: cls for cls in REQUESTS}


def parse(content: object) -> tuple[int, Message]:
    """Parse a request of the front-end; return its id and the message."""
    if not isinstance(content, Mapping):
        raise ProtocolError(f"a message must be a JSON object; found {type(content).__name__}")
    kind = content.get("kind")
    cls = _BY_KIND.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise ProtocolError(f"no request of kind {shown(kind)}; there are {', '.join(_BY_KIND)}")
    request_id = content.get("id")
    if not isinstance(request_id, int) or not _SCALARS[int](request_id) or request_id < 0:
        raise ProtocolError(f"a request needs an id, a whole number from 0; found {shown(request_id)}")
    message = _build(cls, {key: value for key, value in content.items() if key not in ("kind", "id", "arrays")})
    check_panel(message)
    return request_id, message


def check_envelope(msg: object) -> None:
    """Refuse a message of the comm that lacks a part which every message of a widget has."""
    content = msg.get("content") if isinstance(msg, Mapping) else None
    data = content.get("data") if isinstance(content, Mapping) else None
    if not isinstance(data, Mapping) or data.get("method") not in _METHODS:
        raise ProtocolError(f"a message of the comm must have data with a method; found {shown(data)}")
    state = data.get("state", {})
    if (
        not isinstance(state, Mapping)
        or not all(isinstance(name, str) for name in state)
        or data.get("buffer_paths", []) != []
    ):
        raise ProtocolError(f"a state must be an object without buffers; found {shown(state)}")


def _build(cls: type[Message], given: Mapping[str, Any]) -> Message:
    # A page, or a stranger's notebook, may send anything: only valid messages reach a handler.
    hints = get_type_hints(cls)
    known = {one.name: one for one in fields(cls)}
    for name in given:
        if name not in known:
            raise ProtocolError(f"request {cls.kind!r} has no field {shown(name)}; its fields are {', '.join(known)}")
    for name, one in known.items():
        if name not in given and one.default is MISSING and one.default_factory is MISSING:
            raise ProtocolError(f"request {cls.kind!r} lacks the field {shown(name)}")
        if name in given and not _fits(given[name], hints[name]):
            raise ProtocolError(f"field {shown(name)} of request {cls.kind!r} does not fit: {shown(given[name])}")
    return cls(**{name: _taken(value, hints[name]) for name, value in given.items()})


def _taken(value: Any, hint: Any) -> Any:
    """Convert to floats where floats are expected: JavaScript writes 1e20 as an integer, which no array holds."""
    if hint is float:
        return float(value)
    return [float(one) for one in value] if hint == list[float] else value


# NumPy has no larger integer, and would make Python objects.
_MAX_INT = 1 << 63


def _is_number(value: object) -> bool:
    # In Python True is an int.
    return isinstance(value, int | float) and not isinstance(value, bool)


_SCALARS: dict[object, Callable[[Any], bool]] = {
    bool: lambda value: isinstance(value, bool),
    int: lambda value: _is_number(value) and isinstance(value, int) and abs(value) < _MAX_INT,
    # False for NaN and infinity, which Python's JSON parser accepts.
    float: lambda value: _is_number(value) and abs(value) <= sys.float_info.max,
    str: lambda value: isinstance(value, str),
}


def _fits(value: object, hint: Any) -> bool:
    if get_origin(hint) is Literal:
        return value in get_args(hint)
    if get_origin(hint) is list:
        (item,) = get_args(hint)
        return isinstance(value, list) and all(_fits(one, item) for one in value)
    if get_origin(hint) is dict:  # its values are checked where they are used
        return isinstance(value, dict)
    check = _SCALARS.get(hint)
    return check is not None and check(value)


# About an 8K screen. Without a limit one request could take all the memory of the kernel.
MAX_SIDE_PX = 16_384
MAX_PX = 33_000_000
MAX_MATCHES = 200
"""Limit of a search."""
MAX_ROWS = 10_000
"""Limit of rows of the table at once, or picked."""
MAX_EDGE = 1e300
"""Limit of a view, either way from 0: beyond it, the width of a view or a margin around it is infinite."""


def check_view(view: list[float]) -> None:
    """Refuse a view that is not four numbers with an area."""
    if len(view) != 4 or view[0] == view[1] or view[2] == view[3] or max(map(abs, view)) > MAX_EDGE:
        wanted = f"x0, x1, y0, y1 with x0 != x1 and y0 != y1, none beyond {MAX_EDGE:g}"
        raise ProtocolError(f"a view must be {wanted}; found {shown(view)}")


def check_size(width: int, height: int) -> None:
    """Refuse a picture larger than any screen."""
    if not (0 < width <= MAX_SIDE_PX and 0 < height <= MAX_SIDE_PX and width * height <= MAX_PX):
        raise ProtocolError(f"a picture must have up to {MAX_PX:,} px; found {width} x {height}")


def check_rows(start: int, n: int) -> None:
    """Refuse invalid rows of the table, or too many at once."""
    if start < 0 or not 0 <= n <= MAX_ROWS:
        raise ProtocolError(f"rows must begin at 0 or later and be up to {MAX_ROWS:,}; found {n:,} from {start:,}")


def check_version(version: int) -> None:
    """Refuse a front-end of another protocol version, as after an update without a reload."""
    if version != VERSION:
        raise ProtocolError(
            f"the front-end speaks version {version} of the messages, the kernel {VERSION}; "
            "reload the page and restart the kernel"
        )


MAX_PANEL = (1 << 31) - 1


def check_panel(message: Message) -> None:
    """Refuse a request about an impossible panel; requests of other kinds are about panel 0."""
    if not isinstance(message, OfPanel):
        return
    most = MAX_PANEL if message.is_of_each else 0
    if not 0 <= message.panel <= most:
        found = f"request {message.kind!r} is about panel {message.panel}"
        raise ProtocolError(f"{found}; there is panel 0 alone" if most == 0 else f"{found}; panels go from 0 to {most}")
