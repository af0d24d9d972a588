"""Limits on what a front-end may request, beyond the types that the schema checks."""

from __future__ import annotations

from cxg_widget.errors import ProtocolError
from cxg_widget.text.names import shown
from cxg_widget.wire.protocol import VERSION, Message, OfPanel

# About an 8K screen. Without a bound one request could take all the memory of the kernel.
MAX_SIDE_PX = 16_384
MAX_PX = 33_000_000
MAX_MATCHES = 200
"""Of a search, whatever the request says."""
MAX_ROWS = 10_000
"""Of the table at once, or picked."""
MAX_EDGE = 1e300
"""Of a view, either way from 0: beyond that its width, or a margin around it, is infinite."""


def check_view(view: list[float]) -> None:
    """Refuse a view that is not four numbers with room between them."""
    if len(view) != 4 or view[0] == view[1] or view[2] == view[3] or max(map(abs, view)) > MAX_EDGE:
        wanted = f"x0, x1, y0, y1 with x0 != x1 and y0 != y1, none beyond {MAX_EDGE:g}"
        raise ProtocolError(f"a view must be {wanted}; found {shown(view)}")


def check_size(width: int, height: int) -> None:
    """Refuse a picture that no screen could show."""
    if not (0 < width <= MAX_SIDE_PX and 0 < height <= MAX_SIDE_PX and width * height <= MAX_PX):
        raise ProtocolError(f"a picture must have up to {MAX_PX:,} px; found {width} x {height}")


def check_rows(start: int, n: int) -> None:
    """Refuse rows of the table that there cannot be, or too many at once."""
    if start < 0 or not 0 <= n <= MAX_ROWS:
        raise ProtocolError(f"rows must begin at 0 or later and be up to {MAX_ROWS:,}; found {n:,} from {start:,}")


def check_version(version: int) -> None:
    """Refuse a front-end that speaks another protocol, as after an update without a reload."""
    if version != VERSION:
        raise ProtocolError(
            f"the front-end speaks version {version} of the messages, the kernel {VERSION}; "
            "reload the page and restart the kernel"
        )


MAX_PANEL = (1 << 31) - 1
_OF_EACH = (
    "look", "place", "zoom", "lasso", "pick", "hover", "aggregate", "cancel", "labels", "contours", "difference"
)  # fmt: skip
"""Kinds of requests about one panel."""


def check_panel(message: Message) -> None:
    """Refuse a request about an impossible panel; requests of other kinds are about panel 0."""
    if not isinstance(message, OfPanel):
        return
    most = MAX_PANEL if message.kind in _OF_EACH else 0
    if not 0 <= message.panel <= most:
        found = f"request {message.kind!r} is about panel {message.panel}"
        raise ProtocolError(f"{found}; there is panel 0 alone" if most == 0 else f"{found}; panels go from 0 to {most}")
