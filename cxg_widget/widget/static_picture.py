"""The picture that a saved notebook shows without a kernel: HTML and PNG, never data."""

from __future__ import annotations

import base64
import binascii
import html as markup
import logging
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cxg_widget.color.paper import PAPERS
from cxg_widget.draw.image_files import encode_png
from cxg_widget.draw.pages.page import draw_page
from cxg_widget.errors import CxgWidgetError
from cxg_widget.session.pictures.figure_pages import Size

if TYPE_CHECKING:
    from cxg_widget.session.session import Session

_AT_ONCE = 100_000
"""Most cells that are all drawn before the cell ends; of more, and of images, the complete picture follows later."""
_SAMPLE = 40_000
"""Points of the picture until then: the page waits for its own meanwhile."""
_LARGEST_PX = 10_000
_PNG = b"\x89PNG\r\n\x1a\n"
_AGAIN = (
    "<style>.cxg-again { display: none } :is(.jp-NotebookPanel, [data-vscode-theme-kind]) .cxg-again { display: block }"
    '</style><div class="cxg-again">A picture: for the live plot, run this cell again in a trusted notebook.</div>'
)
"""For editors, which show the picture only where the widget is not live; exported pages leave it out."""
_LOG = logging.getLogger("cxg_widget")


class NotebookPicture:
    """The picture of one widget in the output of a cell: first the kernel's, later those of the front-end.

    Attributes
    ----------
    id : the live view hides elements of class "cxg-static-<id>"
    """

    def __init__(self, session: Session) -> None:
        self.id = secrets.token_hex(8)
        self._session = session
        self._is_there = self._is_of_page = False

    def drawn(self, *, html: bool = True, of_all: bool = False) -> dict[str, str]:
        """Draw the plot with the current settings; see `static_picture`."""
        now = self._session.settings
        return static_picture(
            self._session, now.height, self.id, view=now.view, html=html, legend=now.legend,
            background=now.background, of_all=of_all,
        )  # fmt: skip

    def display(self) -> None:
        """Display the kernel's picture, if there is one."""
        if picture := self.drawn():
            self._put_out(picture)
            self._is_there = True

    def replace(self, snapshot: Any) -> None:
        """Replace it by a picture that the front-end took; see `kept_picture`."""
        if self._is_there and (picture := kept_picture(snapshot, self.id, self._session)):
            self._is_of_page = True
            self._put_out(picture, update=True)

    def complete(self) -> None:
        """Replace a picture of some cells by one of all, unless the front-end has taken one."""
        if self._is_there and not self._is_of_page and not self._session.in_words.shows_all(_AT_ONCE):
            picture = self.drawn(of_all=True)
            if picture and not self._is_of_page:
                self._put_out(picture, update=True)

    def _put_out(self, picture: dict[str, str], *, update: bool = False) -> None:
        from IPython.display import display

        display(picture, raw=True, display_id=self.id, update=update)  # type: ignore[no-untyped-call]


def static_picture(
    session: Session,
    height: int,
    picture_id: str,
    *,
    view: Sequence[float] | None = None,
    html: bool = True,
    legend: bool = True,
    background: str | None = None,
    of_all: bool = False,
) -> dict[str, str]:
    """Draw the current plot.

    Parameters
    ----------
    height : of the plot, CSS px; it is 4:3
    picture_id : the live view hides elements of class "cxg-static-<picture_id>"
    view : x left, x right, y bottom, y top, data units; None = everything
    html : add "text/html" to "image/png"
    legend : add the legend, beside the plot and as text
    background : "white", "dark" or "transparent"; None = white, until a front-end reports its theme
    of_all : draw every cell, however long it takes, as figures do

    Returns
    -------
    a mimebundle; empty if drawing fails, so that the live view is shown in any case
    """
    size = (float(round(height * 4 / 3)), float(height))
    paper = PAPERS[background or "white"]
    try:
        seen = None if view is None else (view[0], view[1], view[2], view[3])
        most = _AT_ONCE if session.in_words.shows_all(_AT_ONCE) else _SAMPLE
        pages = session.stills(seen, paper, legend=legend, most=None if of_all else most)
        if not of_all and not pages.can_be_soon:
            return {}
        page = draw_page(pages.page(Size(size)))
        encoded = base64.b64encode(encode_png(page)).decode()
        described = _captions(session.dataset.title, session.in_words.axes(), pages.lines)
    except CxgWidgetError as error:
        _LOG.info("no static picture: %s", error)
        return {}
    except Exception:
        _LOG.exception("no static picture; this is a bug of cxg-widget")
        return {}
    return _bundle(encoded, (page.shape[1], page.shape[0]), picture_id, described if html else None)


def kept_picture(snapshot: Any, picture_id: str, session: Session) -> dict[str, str]:
    """Return the mimebundle of a picture that the front-end took: its "png" in base64, "width", "height" and "key".

    Empty if the picture is invalid.
    """
    if not isinstance(snapshot, Mapping):
        return {}
    png, key = snapshot.get("png"), snapshot.get("key")
    size = snapshot.get("width"), snapshot.get("height")
    if not _is_png(png) or not all(isinstance(side, int) and 0 < side <= _LARGEST_PX for side in size):
        return {}
    lines = [line for line in key if isinstance(line, str)] if isinstance(key, list) else []
    return _bundle(str(png), size, picture_id, _captions(session.dataset.title, session.in_words.axes(), lines))


def _is_png(encoded: Any) -> bool:
    try:
        return isinstance(encoded, str) and base64.b64decode(encoded, validate=True).startswith(_PNG)
    except (binascii.Error, ValueError):
        return False


def _captions(title: str, axes: str, lines: Iterable[str]) -> tuple[str, str]:
    """Return the captions in place of a picture and below it, as HTML with names from data escaped."""
    key = "".join(f"<div>{markup.escape(line)}</div>" for line in lines)
    legend = f"<details><summary>Legend as text</summary>{key}</details>" if key else ""
    return markup.escape(title, quote=True), (f"<div>{markup.escape(axes)}</div>" if axes else "") + legend


def _bundle(encoded: str, size: Any, picture_id: str, described: tuple[str, str] | None) -> dict[str, str]:
    bundle = {"image/png": encoded, "text/plain": ""}
    if described is not None:
        bundle["text/html"] = (
            f'<div class="cxg-static-{picture_id}"><img alt="{described[0]}" width="{size[0]}" height="{size[1]}" '
            f'style="max-width:100%;height:auto" src="data:image/png;base64,{encoded}">{_AGAIN}{described[1]}</div>'
        )
    return bundle
