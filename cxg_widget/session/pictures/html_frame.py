"""A saved page in a frame, for the output of a cell: live in an exported notebook, with a picture below it."""
# Changes with js/src/file/index.js: the frame of an embedded page.

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from cxg_widget.text.numbers import byte_size

_SANDBOX = "allow-scripts allow-downloads"
"""Without "allow-same-origin", a page has no access to the notebook around it and to its server."""
FOLLOW_SITE = """\
const level = (color) => {
  const rgb = /^rgb\\((\\d+), (\\d+), (\\d+)/.exec(color);
  return rgb && 0.3 * rgb[1] + 0.6 * rgb[2] + 0.1 * rgb[3];
};
let behind = null;
for (let at = this; at && behind === null; at = at.parentElement ?? at.getRootNode().host)
  behind = level(getComputedStyle(at).backgroundColor);
behind ??= 255 - level(getComputedStyle(this).color);
this.contentWindow.postMessage({ background: behind < 128 ? "dark" : "white" }, "*");"""
"""Sends the background around the frame to the page, which otherwise follows the system although the site may not.
Where no element has one, the color of text tells, as in js/src/page/theme.js."""
_PICTURE = '<img alt="{}" src="data:image/png;base64,{}" style="max-width: 100%; max-height: 100%">'
_HTML = """\
<div style="position: relative; height: {height}px">
<style>@media print {{ .cxg-live {{ display: none }} }}</style>
{picture}
<iframe class="cxg-live" name="cxg-over-picture" title="{title}" sandbox="{sandbox}" loading="lazy" onload="{onload}"
style="position: absolute; inset: 0; width: 100%; height: 100%; border: 0; color-scheme: light"
srcdoc="{page}"></iframe>
</div>"""
"""The frame covers the picture. Print shows the picture, as do hosts that remove the frame or block its script."""


@dataclass(frozen=True, repr=False)
class EmbeddedPage:
    """A live page for the output of a cell, as `w.embed` returns it; a notebook displays it.

    Attributes
    ----------
    title : of the dataset
    cells : how many cells the page has, as text
    height : of the frame, CSS px
    page : HTML of the page, as `w.save("page.html")` writes it
    png : picture that stands in for it, in base64; "" if it cannot be drawn

    Examples
    --------
    >>> shown = w.embed()
    >>> shown.cells
    'all 1,000 cells'
    """

    title: str
    cells: str
    height: int
    page: str
    png: str

    @property
    def n_bytes(self) -> int:
        """Bytes that it adds to a notebook: the page, and the picture twice.

        Examples
        --------
        >>> w.embed().n_bytes < 5_000_000
        True
        """
        return len(self.html.encode()) + len(self.png)

    @property
    def html(self) -> str:
        """The frame and the picture below it, for a page of your own.

        Examples
        --------
        >>> w.embed().html.startswith("<div")
        True
        """
        title = escape(self.title)
        return _HTML.format(
            title=title, height=self.height, picture=_PICTURE.format(title, self.png) if self.png else "",
            page=escape(self.page), sandbox=_SANDBOX, onload=escape(FOLLOW_SITE),
        )  # fmt: skip

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        picture = {"image/png": self.png} if self.png else {}
        return {"text/html": self.html, **picture, "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<EmbeddedPage {self.title!r}: {self.cells}, {byte_size(self.n_bytes)}>"
