"""The picture a saved notebook shows where no kernel runs: HTML and PNG, never data."""

from __future__ import annotations

import base64
import html as markup
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cxg_widget.errors import CxgWidgetError

if TYPE_CHECKING:
    from cxg_widget.session import Session

_SAMPLE = 20_000
_LOG = logging.getLogger("cxg_widget")


def static_picture(
    session: Session, height: int, picture_id: str, *, view: Sequence[float] | None = None, html: bool = True
) -> dict[str, str]:
    """Draw what is on show.

    Parameters
    ----------
    height : CSS px; the picture is 4:3
    picture_id : the live view hides elements of class "cxg-static-<picture_id>"
    view : x left, x right, y bottom, y top, data units; None = everything
    html : add "text/html" to "image/png"

    Returns
    -------
    a mimebundle; empty when nothing can be drawn
    """
    size = (round(height * 4 / 3), height)
    try:
        seen = None if view is None else (view[0], view[1], view[2], view[3])
        png, axes = session.png(seen, size, max_points=_SAMPLE), session.axes_told()
    except CxgWidgetError as error:
        _LOG.info("no static picture: %s", error)
        return {}
    encoded = base64.b64encode(png).decode()
    bundle = {"image/png": encoded, "text/plain": ""}
    if html:
        title = markup.escape(session.dataset.title, quote=True)
        style = "max-width:100%;height:auto"
        bundle["text/html"] = (
            f'<div class="cxg-static-{picture_id}"><img alt="{title}" width="{size[0]}" height="{size[1]}" '
            f'style="{style}" src="data:image/png;base64,{encoded}">{_line(axes)}</div>'
        )
    return bundle


def _line(text: str) -> str:
    """Return a line of text beneath the picture, where there is anything to say."""
    return f"<div>{markup.escape(text)}</div>" if text else ""
