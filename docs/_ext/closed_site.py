"""Fails a build whose pages load anything from elsewhere, or lead to a page or a heading that is not there."""

import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sphinx.errors import ExtensionError

LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("link", "href")}
"""Attributes whose address a browser fetches by itself."""
FROM_ELSEWHERE = re.compile(rb"""(?:url\(|@import)\s*["']?(?:https?:)?//""")


def setup(app):
    """Check the site once it is written, after other extensions have copied their files."""
    app.connect("build-finished", check, priority=900)
    return {"parallel_read_safe": True}


def check(app, failed):
    """Raise one error that lists all findings."""
    if failed or app.builder.format != "html":
        return
    site = Path(app.outdir)
    pages = [
        page for page in sorted(site.rglob("*.html")) if page.relative_to(site).parts[0] not in ("_live", "_static")
    ]
    found = [one for page in pages for one in faults_of(page, site)]
    for sheet in site.rglob("*.css"):
        if FROM_ELSEWHERE.search(sheet.read_bytes()):
            found.append(f"{sheet.relative_to(site)} loads a file from elsewhere")
    if found:
        raise ExtensionError("\n".join(["the site is not closed in itself:", *found]))


class Page(HTMLParser):
    """What a page loads, where it leads, and the names of its parts."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.leads, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Take down the addresses and the name of one element."""
        given = dict(attributes)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        if tag == "link" and given.get("rel") in ("canonical", "index", "search", "next", "prev"):
            return
        for name, value in given.items():
            if (tag, name) in LOADED:
                self.loads.append(value or "")
            elif tag == "a" and name == "href":
                self.leads.append(value or "")


@cache
def read(page):
    """Return a page, read once."""
    return Page(page.read_text(encoding="utf-8"))


def faults_of(page, site):
    """Yield a sentence for each address that is not right."""
    here = page.relative_to(site)
    for address in read(page).loads:
        if urlsplit(address).netloc:
            yield f"{here} loads {address}"
    for address in read(page).loads + read(page).leads:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        target = target / "index.html" if target.is_dir() else target
        if not target.exists():
            yield f"{here} leads to {address}, which is not there"
        elif parts.fragment and target.suffix == ".html" and unquote(parts.fragment) not in read(target).ids:
            yield f"{here} leads to {address}, where no part has that name"
