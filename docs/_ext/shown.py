"""Code of a page that is run as the page is built, with the pictures and live pages that it saves below it.

```{shown}
:alt: what the picture shows, for those who do not see it
w = cxg_widget.CxgWidget(cxg_widget.demo(), color="cell_type")
w.save("cells.png")
```

The blocks of a page run in their order and share their names, in an empty folder. Each file that one writes is shown: a
page as a frame, of which `:height:` is the height in px, a text as it is, else a picture.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from html import escape
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

import cxg_widget

KINDS = (".png", ".svg", ".html", ".txt")


def setup(app):
    """Register the directive `shown`, and copy what the blocks have saved into the site."""
    os.environ["CXG_WIDGET_RESTORE"] = "0"  # widgets of the pages are not offered to whoever builds them
    app.add_directive("shown", Shown)
    app.connect("builder-inited", forget_other_versions)
    app.connect("build-finished", copy_frames)
    return {"parallel_read_safe": False}


def made_in(app):
    """Return the folder of what blocks have saved, by the version of the package."""
    package = Path(cxg_widget.__file__).parent
    files = [one for one in sorted(package.rglob("*")) if one.suffix in (".py", ".js")]
    digest = hashlib.sha256(b"".join(one.read_bytes() for one in files)).hexdigest()[:12]
    return Path(app.srcdir) / "_build" / "shown" / digest


def forget_other_versions(app):
    """Remove what other versions of the package have drawn, and have its pages read again."""
    app.shown_folder = made_in(app)
    for one in app.shown_folder.parent.glob("*"):
        if one != app.shown_folder:
            shutil.rmtree(one)
    app.shown_folder.mkdir(parents=True, exist_ok=True)


def copy_frames(app, failed):
    """Copy pages, which no node of the builder carries."""
    if failed or app.builder.format != "html":
        return
    for file in app.shown_folder.rglob("*.html"):
        target = Path(app.outdir) / "_live" / file.parent.name
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)


class Shown(SphinxDirective):
    """One block."""

    has_content = True
    option_spec: ClassVar = {
        "alt": directives.unchanged_required,
        "height": directives.positive_int,
        "only-result": directives.flag,
    }

    def run(self):
        """Return the code and what it made."""
        if "alt" not in self.options:
            raise self.error("shown needs :alt:, what the result shows in one sentence")
        code = "\n".join(self.content)
        before = self.env.temp_data.setdefault("shown", [])
        before.append(code)
        folder = self.env.app.shown_folder / hashlib.sha256("\0".join(before).encode()).hexdigest()[:12]
        if not folder.exists():
            self._make(before, folder)
        found = [] if "only-result" in self.options else [self._as_code(code)]
        return [*found, *(self._as_node(one) for one in sorted(folder.iterdir()) if one.suffix in KINDS)]

    def _make(self, blocks, folder):
        """Run what has not run yet for this page, and keep what the last block has written."""
        known = self.env.temp_data.setdefault("shown_names", {"cxg_widget": cxg_widget})
        done = self.env.temp_data.setdefault("shown_done", [])
        work = self.env.temp_data.setdefault("shown_work", tempfile.TemporaryDirectory())
        with contextlib.chdir(work.name):
            for block in blocks[len(done) :]:
                there = set(os.listdir())
                exec(compile(block, self.env.docname, "exec"), known)
                done.append(block)
            part = folder.with_suffix(".part")
            part.mkdir(parents=True, exist_ok=True)
            for name in set(os.listdir()) - there:
                if name.endswith(KINDS):
                    shutil.copy(name, part)
        part.rename(folder)

    def _as_code(self, code):
        node = nodes.literal_block(code, code, language="python")
        self.set_source_info(node)
        return node

    def _as_node(self, file):
        alt = self.options["alt"]
        if file.suffix == ".txt":
            text = file.read_text(encoding="utf-8")
            return nodes.literal_block(text, text, language="text", classes=["shown"])
        if file.suffix != ".html":
            path = os.path.relpath(file, Path(self.env.doc2path(self.env.docname)).parent)
            return nodes.image(uri=path, alt=alt, classes=["shown"])
        up = "../" * self.env.docname.count("/")
        source = f"{up}_live/{file.parent.name}/{file.name}"
        frame = (
            f'<iframe class="live" src="{source}" title="{escape(alt)}" loading="lazy" '
            f'style="height: {self.options.get("height", 560)}px"></iframe>'
        )
        return nodes.raw("", frame, format="html")
