"""Files outside docs/ as pages of the site, and links between them that hold on the forge and in the site.

A page is copied to where `elsewhere_files` puts it. Links in pages are those of the repository; the site rewrites
one that leads to a copied page, and sends one that leads to another file to the forge (`elsewhere_url`).
"""

import re
from pathlib import Path
from posixpath import relpath

LINK = re.compile(r"\]\((?!https?:|mailto:|#|/)([^)\s#\\]+)(#[^)\s\\]*)?\)")


def setup(app):
    """Copy the files, then rewrite the links of each page as it is read."""
    app.add_config_value("elsewhere_files", {}, "env")
    app.add_config_value("elsewhere_url", None, "env")
    app.connect("config-inited", copy_files, priority=1)
    app.connect("source-read", rewrite_links)
    return {"parallel_read_safe": True}


def copy_files(app, config):
    """Copy what has changed, so that only these pages are built again."""
    docs = Path(app.srcdir)
    for pattern, folder in config.elsewhere_files.items():
        (docs / folder).mkdir(parents=True, exist_ok=True)
        for file in docs.parent.glob(pattern):
            copy, data = docs / folder / file.name, file.read_bytes()
            if not copy.exists() or copy.read_bytes() != data:
                copy.write_bytes(data)


def rewrite_links(app, docname, source):
    """Turn links of the repository into links of the site."""
    docs = Path(app.srcdir)
    page = Path(app.env.doc2path(docname))
    to_site = {
        file: docs / folder / file.name
        for pattern, folder in app.config.elsewhere_files.items()
        for file in docs.parent.glob(pattern)
    }
    home = next((file for file, copy in to_site.items() if copy == page), page).parent

    def is_left_out(file):
        return any(one in app.config.exclude_patterns for one in file.relative_to(docs).parts)

    def rewrite(match):
        path, anchor = match[1], match[2] or ""
        target = (home / path).resolve()
        if not target.exists():
            return match[0]  # MyST warns of it
        target = to_site.get(target, target)
        if target.is_relative_to(docs) and target.is_file() and not is_left_out(target):
            return f"]({relpath(target, page.parent)}{anchor})"
        return f"]({app.config.elsewhere_url}/blob/main/{target.relative_to(docs.parent)}{anchor})"

    source[0] = LINK.sub(rewrite, source[0])
